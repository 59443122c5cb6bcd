package io.overdrive.jobs.unload;

/**
 * Counts the values that a load of the files does not bring back as they were. Immutable.
 *
 * @param emptyKeys rows whose key has an empty value of another type than text and blob, for which files have no form: loading rejects
 *     their records
 * @param emptyElements empty values of such types that are elements of collections or vectors, outside of keys: loading rejects their
 *     records, too
 * @param emptyValues empty values of such types outside of keys, and fields of tuples and UDTs there: loading takes them for missing ones
 * @param repeatedTimes timestamps whose text is also that of an earlier time, which loading takes: clocks show an hour twice when they
 *     are set back
 * @param elementTimes values of collections and UDTs that are not frozen and whose elements have different write times or times to live, so
 *     that their time fields are empty: a load that keeps times rejects their records
 */
public record NotKept(long emptyKeys, long emptyElements, long emptyValues, long repeatedTimes, long elementTimes) {
    public static final NotKept NOTHING = new NotKept(0, 0, 0, 0, 0);

    public boolean isNothing() {
        return equals(NOTHING);
    }

    NotKept plus(NotKept other) {
        return new NotKept(
                emptyKeys + other.emptyKeys,
                emptyElements + other.emptyElements,
                emptyValues + other.emptyValues,
                repeatedTimes + other.repeatedTimes,
                elementTimes + other.elementTimes);
    }

    NotKept minus(NotKept other) {
        return new NotKept(
                emptyKeys - other.emptyKeys,
                emptyElements - other.emptyElements,
                emptyValues - other.emptyValues,
                repeatedTimes - other.repeatedTimes,
                elementTimes - other.elementTimes);
    }
}
