package io.overdrive.jobs.unload;

/**
 * Counts the values that a load of the files does not bring back as they were. Immutable.
 *
 * @param emptyKeys rows whose key has an empty value of another type than text and blob, for which files have no form: loading rejects
 *     their records
 * @param emptyElements empty values of such types that are elements of collections or vectors, outside of keys: loading rejects their
 *     records, too
 * @param repeatedTimes timestamps whose text is also that of an earlier time, which loading takes: clocks show an hour twice when they
 *     are set back
 */
public record NotKept(long emptyKeys, long emptyElements, long repeatedTimes) {
    public static final NotKept NOTHING = new NotKept(0, 0, 0);

    public boolean isNothing() {
        return equals(NOTHING);
    }

    NotKept plus(NotKept other) {
        return new NotKept(
                emptyKeys + other.emptyKeys, emptyElements + other.emptyElements, repeatedTimes + other.repeatedTimes);
    }

    NotKept minus(NotKept other) {
        return new NotKept(
                emptyKeys - other.emptyKeys, emptyElements - other.emptyElements, repeatedTimes - other.repeatedTimes);
    }
}
