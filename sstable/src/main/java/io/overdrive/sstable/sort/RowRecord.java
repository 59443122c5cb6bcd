package io.overdrive.sstable.sort;

import io.overdrive.internal.codec.Bytes;

/**
 * Encoding of the values that an input row gives to a row of the table, or to the static columns of a partition, in an
 * array. Stateless; on the hot path.
 *
 * <pre>
 * [int size][long token][long write time][int TTL][byte kind][short length of the key][key][values as SstableWriter takes them]
 * </pre>
 *
 * Values of the partition key are empty, as it is before them.
 */
public final class RowRecord {
    /** Comes before rows, as static values do in a file. */
    public static final int STATICS = 0;

    public static final int ROW = 1;
    /** As {@link #STATICS}, of an input row that has nothing else. */
    public static final int ONLY_STATICS = 2;
    /** The cells of a row without its row marker: a row, too. */
    public static final int CELLS = 3;

    /** Added to a kind: of an input row that another record stands for. */
    public static final int MORE = 4;

    private static final int KIND_BIT = 1;

    private static final int TOKEN = 4;
    private static final int WRITE_TIME = 12;
    private static final int TTL = 20;
    private static final int KIND = 24;
    private static final int KEY_LENGTH = 25;
    private static final int KEY = 27;

    private RowRecord() {}

    /** Starts a record in an empty buffer; its values follow, and then {@link #end}. */
    public static void begin(Bytes out, long token, long writeTimeMicros, int ttlSeconds, int kind, Bytes key) {
        out.clear();
        out.putInt(0);
        out.putLong(token);
        out.putLong(writeTimeMicros);
        out.putInt(ttlSeconds);
        out.putByte(kind);
        out.putShort(key.length());
        out.put(key.array(), 0, key.length());
    }

    public static void end(Bytes out) {
        out.setInt(0, out.length());
    }

    public static int size(byte[] array, int at) {
        return Bytes.getInt(array, at);
    }

    public static long token(byte[] array, int at) {
        return Bytes.getLong(array, at + TOKEN);
    }

    public static long writeTime(byte[] array, int at) {
        return Bytes.getLong(array, at + WRITE_TIME);
    }

    public static int ttl(byte[] array, int at) {
        return Bytes.getInt(array, at + TTL);
    }

    /** Whether it stands for an input row: each has one such record at most. */
    public static boolean counts(byte[] array, int at) {
        return array[at + KIND] != STATICS && (array[at + KIND] & MORE) == 0;
    }

    /** {@link #STATICS} or {@link #ROW}. */
    public static int kind(byte[] array, int at) {
        return array[at + KIND] & KIND_BIT;
    }

    /** Whether a kind, of which {@link #kind} has a part only, is of static columns. */
    static boolean isOfStatics(int kind) {
        return (kind & KIND_BIT) == STATICS;
    }

    /** Whether it is a row with its row marker. */
    public static boolean hasMarker(byte[] array, int at) {
        return (array[at + KIND] & ~MORE) == ROW;
    }

    public static int keyFrom(int at) {
        return at + KEY;
    }

    public static int keyLength(byte[] array, int at) {
        return Bytes.getShort(array, at + KEY_LENGTH) & 0xFFFF;
    }

    public static int valuesFrom(byte[] array, int at) {
        return at + KEY + keyLength(array, at);
    }
}
