package io.overdrive.jobs.load;

import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.load.FieldSlots.Slot;
import org.jspecify.annotations.Nullable;

/** Everything that is wrong with one record, as one {@link Problem} with the first reasons and the number of the others. Confined to one thread. */
final class Problems {
    private static final int MAX_REASONS = 8;

    /** Column and value of the first reason, and the text of the first reasons. */
    private @Nullable Problem first;

    private int reasons;

    /** Forgets the record before. */
    void clear() {
        first = null;
        reasons = 0;
    }

    void add(@Nullable String column, @Nullable String value, MessageText reason) {
        reasons++;
        if (first == null) {
            first = new Problem(column, value, reason);
        } else if (reasons <= MAX_REASONS) {
            first = first.and(words -> "; also " + reason.in(words));
        }
    }

    /** A CSV record has fewer or more fields than the header. */
    void addFieldCount(int fields, int expected, MessageText hint) {
        add(
                null,
                null,
                words -> "the record has " + fields + (fields == 1 ? " field" : " fields") + ", the header has "
                        + expected + " ("
                        + words.of(fields < expected ? JobOption.ALLOW_MISSING_FIELDS : JobOption.ALLOW_EXTRA_FIELDS)
                        + " takes such records)" + hint.in(words));
    }

    /** A member of a JSON record has no column. */
    void addUnknownField(String name) {
        add(
                null,
                null,
                words -> "field \"" + name + "\" has no column; map it, or leave it out with "
                        + words.of(JobOption.MAPPING) + " "
                        + inShell("* = *, * = -" + Mapping.spelt(name)) + " or "
                        + words.of(JobOption.ALLOW_EXTRA_FIELDS));
    }

    /** An object or array has more than one target. */
    void addSeveralColumns(String name, String column) {
        add(
                column,
                null,
                words -> "field \"" + name + "\" goes to more than one column, which is possible only for single"
                        + " JSON values");
    }

    /** A member of a JSON record is a second value for its target. */
    void addSecondValue(String name, Slot slot) {
        add(
                slot.name(),
                null,
                words -> slot.isInput()
                        ? "field \"" + name + "\" is there twice, or also in another spelling"
                        : "field \"" + name + "\" is a second value for "
                                + (slot.column() >= 0 ? "column \"" + slot.name() + "\"" : slot.name())
                                + "; map one of them elsewhere, or leave it out, with "
                                + words.of(JobOption.MAPPING));
    }

    boolean isEmpty() {
        return first == null;
    }

    /** Null if nothing is wrong. */
    @Nullable Problem all() {
        int more = reasons - MAX_REASONS;
        return first == null || more <= 0 ? first : first.and(words -> "; and " + more + " more");
    }

    /** The text quoted as a shell argument. */
    static String inShell(String text) {
        return text.contains("\"") ? "'" + text.replace("'", "'\\''") + "'" : '"' + text + '"';
    }
}
