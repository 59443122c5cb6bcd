package io.overdrive.internal.names;

/**
 * Text for a terminal or a log, in which parts may come from an input: its control characters could clear the screen, or overwrite the
 * lines before. They become escapes, as in Java and JSON. Stateless.
 */
public final class VisibleText {
    private VisibleText() {}

    /** The text of a message; its line feeds and tabs stay. */
    public static String of(String text) {
        return escape(text, /* isOneLine */ false);
    }

    /** The same as one line: line feeds and tabs become escapes, too. */
    public static String oneLine(String text) {
        return escape(text, /* isOneLine */ true);
    }

    private static String escape(String text, boolean isOneLine) {
        int first = 0;
        while (first < text.length() && stays(text.charAt(first), isOneLine)) {
            first++;
        }
        if (first == text.length()) {
            return text;
        }
        StringBuilder visible = new StringBuilder(text.length() + 8).append(text, 0, first);
        for (int i = first; i < text.length(); i++) {
            append(visible, text.charAt(i), isOneLine);
        }
        return visible.toString();
    }

    private static boolean stays(char c, boolean isOneLine) {
        return !Character.isISOControl(c) || (!isOneLine && (c == '\n' || c == '\t'));
    }

    private static void append(StringBuilder visible, char c, boolean isOneLine) {
        if (stays(c, isOneLine)) {
            visible.append(c);
            return;
        }
        switch (c) {
            case '\n' -> visible.append("\\n");
            case '\r' -> visible.append("\\r");
            case '\t' -> visible.append("\\t");
            default ->
                visible.append("\\u00").append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 15, 16));
        }
    }
}
