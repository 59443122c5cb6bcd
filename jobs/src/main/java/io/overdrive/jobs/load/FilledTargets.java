package io.overdrive.jobs.load;

import io.overdrive.jobs.Mapping.Special;
import io.overdrive.jobs.load.FieldSlots.Slot;

/** The targets that the members of a JSON record have filled, of which each takes one value. Confined to one worker; on the hot path. */
final class FilledTargets {
    private final int columns;
    /** Number of the last record with a value for it: for each column, then each {@link Special}, and then each input of expressions. */
    private final long[] lastRecord;

    FilledTargets(int columns, int inputs) {
        this.columns = columns;
        lastRecord = new long[columns + Special.values().length + inputs];
    }

    /**
     * Adds a target.
     *
     * @param record number of the record, from 1
     * @return whether the record had no value for it before
     */
    boolean add(Slot slot, long record) {
        int place = slot.column() >= 0
                ? slot.column()
                : slot.isInput()
                        ? lastRecord.length - 1 - slot.input()
                        : columns + slot.special().ordinal();
        boolean isFirst = lastRecord[place] != record;
        lastRecord[place] = record;
        return isFirst;
    }
}
