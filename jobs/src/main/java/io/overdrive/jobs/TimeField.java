package io.overdrive.jobs;

import io.overdrive.jobs.Mapping.Special;
import io.overdrive.jobs.Mapping.Target;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A field of a file that has a time of another field's cells: {@code writetime(field)} in microseconds since 1970, or {@code expires(field)} in
 * seconds since 1970, missing if a cell does not expire. The times of the row marker are {@code writetime()} and {@code expires()}. Immutable.
 *
 * @param field name of the other field; empty for the row marker
 */
public record TimeField(Kind kind, String field) {
    /** The write time of the row marker, in files, of a row that has none. */
    public static final long NO_MARKER = Long.MIN_VALUE;

    /** The time that a field has. */
    public enum Kind {
        WRITE_TIME("writetime"),
        /** When the cell expires: unlike a time to live, it does not depend on when it is read and written. */
        EXPIRY("expires");

        private final String function;

        Kind(String function) {
            this.function = function;
        }
    }

    /** The time field of this name; null if it is another field. */
    public static @Nullable TimeField parse(String name) {
        String trimmed = name.strip();
        for (Kind kind : Kind.values()) {
            int open = kind.function.length();
            if (trimmed.endsWith(")")
                    && trimmed.length() > open + 1
                    && trimmed.charAt(open) == '('
                    && trimmed.substring(0, open).toLowerCase(Locale.ROOT).equals(kind.function)) {
                return new TimeField(kind, trimmed.substring(open + 1, trimmed.length() - 1));
            }
        }
        return null;
    }

    /** Whether a field has the times of another one even if a column has its name, since the file has no write time of that column. */
    static boolean isOfOther(String name, List<String> names) {
        TimeField time = parse(name);
        return time != null
                && names.contains(time.field)
                && !names.contains(new TimeField(Kind.WRITE_TIME, name).name());
    }

    public String name() {
        return kind.function + "(" + field + ")";
    }

    /** The targets of this field, from the targets of the field whose times it has. */
    List<Target> targets(List<Target> ofField) {
        Special special =
                switch (kind) {
                    case WRITE_TIME -> Special.CELL_WRITETIME;
                    case EXPIRY -> Special.CELL_EXPIRY;
                };
        return field.isEmpty()
                ? List.of(new Target(/* column */ "", special))
                : ofField.stream()
                        .filter(target -> target.special() == Special.NONE)
                        .map(target -> new Target(target.column(), special))
                        .toList();
    }
}
