package io.overdrive.jobs;

import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import io.overdrive.jobs.Mapping.Entry;
import io.overdrive.jobs.Mapping.Special;
import io.overdrive.jobs.Mapping.Target;
import io.overdrive.jobs.expression.Assignments;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The text of a {@link Mapping}, as a user writes it: entries with a comma between them. Immutable. */
final class MappingText {
    private final String text;

    MappingText(String text) {
        this.text = text;
    }

    Mapping parse() {
        List<Entry> entries = new ArrayList<>();
        Map<Target, String> constants = new LinkedHashMap<>();
        Set<String> skipped = new LinkedHashSet<>();
        boolean others = false;
        for (String entry : split(text, ',')) {
            List<String> sides = split(entry, '=');
            if (sides.size() != 2 || sides.get(0).isBlank() || sides.get(1).isBlank()) {
                throw bad(entry, "expected field = column");
            }
            String left = sides.get(0).strip();
            String right = sides.get(1).strip();
            if (left.equals("*")) {
                others = true;
                if (!right.equals("*")) {
                    skipped.addAll(exclusions(entry, right));
                }
            } else if (left.startsWith("'")) {
                if (left.length() < 2 || !left.endsWith("'")) {
                    throw bad(entry, "the constant has no closing quote");
                }
                Target target = target(entry, right);
                String value = left.substring(1, left.length() - 1).replace("''", "'");
                if (constants.putIfAbsent(target, value) != null) {
                    throw bad(entry, "another constant goes to " + target + ", too; leave one of them out");
                }
            } else if (left.startsWith("\"")) {
                entries.add(new Entry(unquote(left), /* exact */ true, target(entry, right)));
            } else {
                entries.add(new Entry(left, /* exact */ false, target(entry, right)));
            }
        }
        checkConstants(entries, constants.keySet());
        return new Mapping(
                text,
                List.copyOf(entries),
                Map.copyOf(constants),
                others,
                Set.copyOf(skipped),
                "column",
                Assignments.NONE,
                /* keepsTimes */ false);
    }

    /** Refuses a constant whose target also gets a field. A JSON record may have only one of two fields. */
    private void checkConstants(List<Entry> entries, Set<Target> constants) {
        for (Entry entry : entries) {
            if (constants.contains(entry.target())) {
                throw new IllegalOptionException(
                        words -> words.of(JobOption.MAPPING) + " \"" + text + "\": a constant and field \""
                                + entry.field() + "\" both go to " + entry.target() + "; leave one of them out");
            }
        }
    }

    private Set<String> exclusions(String entry, String right) {
        String list = right.startsWith("[") && right.endsWith("]") ? right.substring(1, right.length() - 1) : right;
        Set<String> names = new LinkedHashSet<>();
        for (String part : split(list, ',')) {
            String name = part.strip();
            if (!name.startsWith("-") || name.length() < 2) {
                throw bad(entry, "expected *, -name or [-a, -b] after * =");
            }
            names.add(Mapping.identifier(name.substring(1).strip()));
        }
        return names;
    }

    private Target target(String entry, String right) {
        String compact = right.replace(" ", "").toLowerCase(Locale.ROOT);
        switch (compact) {
            case "ttl()", "ttl(*)":
                return new Target("ttl()", Special.TTL);
            case "writetime()", "writetime(*)", "timestamp()":
                return new Target("writetime()", Special.WRITETIME);
            default:
                boolean quoted = right.startsWith("\"");
                if (right.equals("*") || right.startsWith("-") || (!quoted && right.contains("("))) {
                    throw bad(entry, "expected a column, ttl() or writetime()");
                }
                return Target.column(Mapping.identifier(right));
        }
    }

    /** Splits at a separator that is not inside quotes or brackets. */
    private static List<String> split(String text, char separator) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        char quote = 0;
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quote != 0) {
                if (c == quote) {
                    quote = 0;
                }
            } else if (c == '"' || c == '\'') {
                quote = c;
            } else if (c == '[' || c == '(') {
                depth++;
            } else if (c == ']' || c == ')') {
                depth--;
            } else if (c == separator && depth == 0) {
                parts.add(text.substring(start, i));
                start = i + 1;
            }
        }
        parts.add(text.substring(start));
        return parts;
    }

    private IllegalArgumentException bad(String entry, String why) {
        return new IllegalOptionException(
                words -> words.of(JobOption.MAPPING) + " \"" + text + "\": \"" + entry.strip() + "\": " + why);
    }

    static String unquote(String quoted) {
        return quoted.length() >= 2 && quoted.endsWith("\"")
                ? quoted.substring(1, quoted.length() - 1).replace("\"\"", "\"")
                : quoted;
    }
}
