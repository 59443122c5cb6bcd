package io.overdrive.internal.write;

import io.overdrive.internal.cql.PreparedCql;
import java.util.stream.IntStream;

/**
 * Which bind marker takes which value of a row. Immutable.
 *
 * @param columns the marker of each of the caller's columns
 * @param required markers that must have a value in every row
 * @param prefix number of the first markers, which have the partition key and so the same values in all rows of a group; 0 if they do not
 * @param ttl the marker of the row's time to live, or -1
 * @param timestamp the marker of the row's write time, if rows may bring their own, or -1
 */
public record RowMarkers(int[] columns, int[] required, int prefix, int ttl, int timestamp) {
    /** Every marker takes the column of its number, and must have a value. */
    public static RowMarkers allOf(PreparedCql prepared) {
        int[] all = IntStream.range(0, prepared.markers()).toArray();
        return new RowMarkers(all, all, /* prefix */ 0, /* ttl */ -1, /* timestamp */ -1);
    }
}
