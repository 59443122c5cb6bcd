package io.overdrive.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The description of an experiment as a Markdown file: front matter with name, title, question, claim, source and, if it is not the first,
 * version, then a list of the caveats, then a table of the published figures. An indented line continues the line before it. Stateless,
 * except that each file is read only once.
 *
 * <pre>
 * ---
 * name: grouping-order
 * title: Grouping and order of rows
 * ...
 * ---
 * * The talk does not say which order it calls out of order.
 *
 * | Check | Published | Unit | Condition | Place | Figure | Levels |
 * |---|---|---|---|---|---|---|
 * | in-order-any-rows | 1.8 | times | any rows, in order to out of order | slide 24 | | |
 * | in-order-any-rows | 69000 | rows/s | any rows, out of order | slide 24 | ROWS_PER_SECOND | order=shuffled; grouping=any rows |
 * </pre>
 */
final class DescriptionFile {
    private static final String RULE = "---";
    private static final String BULLET = "* ";
    private static final String CELL = "|";
    private static final String FIRST_VERSION = "1";
    private static final List<String> COLUMNS =
            List.of("Check", "Published", "Unit", "Condition", "Place", "Figure", "Levels");

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
        List<String> body = lines.subList(end + 1, lines.size());
        int table =
                (int) body.stream().takeWhile(line -> !line.startsWith(CELL)).count();
        List<String> caveats =
                body.subList(0, table).stream().map(line -> caveat(file, line)).toList();
        String version = Objects.requireNonNullElse(fields.remove("version"), FIRST_VERSION);
        Description description = new Description(
                take(file, fields, "name"),
                take(file, fields, "title"),
                take(file, fields, "question"),
                take(file, fields, "claim"),
                take(file, fields, "source"),
                caveats,
                Integer.parseInt(version),
                published(file, body.subList(table, body.size())));
        if (!fields.isEmpty()) {
            throw new IllegalStateException(file + " has unknown fields: " + fields.keySet());
        }
        return description;
    }

    /** The rows of the table below its head and the line of hyphens. */
    private static List<Published> published(String file, List<String> table) {
        if (table.isEmpty()) {
            return List.of();
        }
        if (!cells(table.get(0)).equals(COLUMNS)) {
            throw new IllegalStateException(file + ": the columns of published figures are " + COLUMNS);
        }
        return table.stream().skip(2).map(row -> published(file, row)).toList();
    }

    private static Published published(String file, String row) {
        List<String> cells = cells(row);
        if (cells.size() != COLUMNS.size()) {
            throw new IllegalStateException(file + ": \"" + row + "\" does not have the cells " + COLUMNS);
        }
        String[] range = cells.get(1).split(" to ");
        Map<String, String> levels = new LinkedHashMap<>();
        for (String level :
                cells.get(6).isEmpty() ? new String[0] : cells.get(6).split("; ")) {
            int equals = level.indexOf('=');
            levels.put(level.substring(0, equals), level.substring(equals + 1));
        }
        return new Published(
                cells.get(0),
                Double.parseDouble(range[0]),
                Double.parseDouble(range[range.length - 1]),
                cells.get(2),
                cells.get(3),
                cells.get(4),
                cells.get(5).isEmpty() ? null : Figure.valueOf(cells.get(5)),
                levels);
    }

    private static List<String> cells(String row) {
        return Stream.of(row.substring(1).split("\\|")).map(String::strip).toList();
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
