package io.overdrive.dist;

import java.util.Locale;

/** Text in the language of man pages, with the macros of man(7). Confined. */
final class Roff {
    private static final int FIRST_NOT_ASCII = 128;

    private final StringBuilder text = new StringBuilder();

    Roff title(String name, String section, String date, String source) {
        // without hyphens, and with a ragged margin, so that names of options stay as they are
        return line(".TH \"" + escape(name.toUpperCase(Locale.ROOT)) + "\" \"" + section + "\" \"" + date + "\" \""
                        + escape(source) + "\"")
                .line(".nh")
                .line(".ad l");
    }

    Roff section(String heading) {
        return line(".SH \"" + escape(heading.toUpperCase(Locale.ROOT)) + "\"");
    }

    Roff subsection(String heading) {
        return line(".SS \"" + escape(heading) + "\"");
    }

    Roff paragraph(String words) {
        return line(".PP").words(words);
    }

    /** An item of a list: a term in bold, and what it means. */
    Roff item(String term, String words) {
        return line(".TP").line("\\fB" + escape(term) + "\\fR").words(words);
    }

    Roff words(String words) {
        words.lines().filter(line -> !line.isBlank()).forEach(line -> line(escape(line.strip())));
        return this;
    }

    /** Lines that are not filled. */
    Roff verbatim(Iterable<String> lines) {
        line(".PP").line(".nf");
        lines.forEach(each -> line(escape(each)));
        return line(".fi");
    }

    private Roff line(String line) {
        text.append(line).append('\n');
        return this;
    }

    static String escape(String words) {
        StringBuilder escaped = new StringBuilder();
        words.codePoints().forEach(c -> {
            switch (c) {
                case '\\' -> escaped.append("\\e");
                case '-' -> escaped.append("\\-");
                case '"' -> escaped.append("\\(dq");
                case '\'' -> escaped.append("\\(aq");
                case '`' -> escaped.append("\\(ga");
                case '^' -> escaped.append("\\(ha");
                case '~' -> escaped.append("\\(ti");
                default -> {
                    if (c < FIRST_NOT_ASCII) {
                        escaped.append((char) c);
                    } else {
                        escaped.append(String.format("\\[u%04X]", c));
                    }
                }
            }
        });
        // a full stop at the start of a line would begin a macro
        return escaped.indexOf(".") == 0 ? "\\&" + escaped : escaped.toString();
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
