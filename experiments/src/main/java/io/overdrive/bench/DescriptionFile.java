package io.overdrive.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The description of an experiment as a Markdown file: front matter with name, title, question, claim and source, then a list of the
 * caveats. An indented line continues the line before it. Stateless, except that each file is read only once.
 *
 * <pre>
 * ---
 * name: grouping-order
 * title: Grouping and order of rows
 * ...
 * ---
 * * The talk does not say which order it calls out of order.
 * </pre>
 */
final class DescriptionFile {
    private static final String RULE = "---";
    private static final String BULLET = "* ";

    private static final ClassValue<Description> DESCRIPTIONS = new ClassValue<>() {
        @Override
        protected Description computeValue(Class<?> type) {
            return read(type);
        }
    };

    private DescriptionFile() {}

    /**
     * The description in the file next to the class, {@code GroupingOrder.md} for {@code GroupingOrder}.
     *
     * @throws IllegalStateException if there is no such file, or its form is wrong
     */
    static Description beside(Class<?> type) {
        return DESCRIPTIONS.get(type);
    }

    private static Description read(Class<?> type) {
        String file = type.getSimpleName() + ".md";
        try (InputStream text = type.getResourceAsStream(file)) {
            if (text == null) {
                throw new IllegalStateException(file + " is missing next to " + type.getName());
            }
            return parse(file, new String(text.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(file, e);
        }
    }

    static Description parse(String file, String text) {
        List<String> lines = text.replaceAll("\\R +", " ")
                .lines()
                .filter(line -> !line.isBlank())
                .toList();
        int end = lines.lastIndexOf(RULE);
        if (end < 1 || !lines.get(0).equals(RULE)) {
            throw new IllegalStateException(file + " does not begin with front matter between two lines " + RULE);
        }
        Map<String, String> fields = new HashMap<>();
        for (String line : lines.subList(1, end)) {
            int colon = line.indexOf(": ");
            if (colon < 0 || fields.put(line.substring(0, colon), line.substring(colon + 2)) != null) {
                throw new IllegalStateException(
                        file + ": \"" + line + "\" is not a field such as \"title: Long runs\", or repeats one");
            }
        }
        List<String> caveats = lines.subList(end + 1, lines.size()).stream()
                .map(line -> caveat(file, line))
                .toList();
        Description description = new Description(
                take(file, fields, "name"),
                take(file, fields, "title"),
                take(file, fields, "question"),
                take(file, fields, "claim"),
                take(file, fields, "source"),
                caveats);
        if (!fields.isEmpty()) {
            throw new IllegalStateException(file + " has unknown fields: " + fields.keySet());
        }
        return description;
    }

    private static String caveat(String file, String line) {
        if (!line.startsWith(BULLET)) {
            throw new IllegalStateException(file + ": \"" + line + "\" does not begin with \"" + BULLET + "\"");
        }
        return line.substring(BULLET.length());
    }

    private static String take(String file, Map<String, String> fields, String name) {
        String value = fields.remove(name);
        if (value == null) {
            throw new IllegalStateException(file + " has no field \"" + name + "\"");
        }
        return value;
    }
}
