package io.overdrive.jobs.sort;

import io.overdrive.internal.codec.Bytes;

/**
 * A view of the values that a record gives to a row, or to the static columns of a partition, in an array:
 * {@code [int size][long token][byte kind][long write time][long position]}, then the key and the values, each with its
 * length as an int. Confined to one thread.
 */
public final class Entry implements KeyOrder.Cells {
    /** The length of a value that the record does not have: it says nothing about the column. */
    public static final int UNSET = -2;

    /** Comes before rows, so that static columns are complete before the first row of the partition. */
    public static final byte STATICS = 0;

    public static final byte ROW = 1;

    /** As {@link #STATICS}, of a record that has nothing else. */
    public static final byte ONLY_STATICS = 2;

    private static final int TOKEN = 4;
    private static final int KIND = 12;
    private static final int TIME = 13;
    private static final int POSITION = 21;
    private static final int CELLS = 29;

    private final EntryLayout layout;
    private final int[] offsets;
    private final int[] lengths;
    private byte[] array = {};
    private int at;
    private int keyEnd;

    public Entry(EntryLayout layout) {
        this.layout = layout;
        offsets = new int[layout.columns()];
        lengths = new int[layout.columns()];
    }

    /** Starts an entry in an empty buffer; its cells follow, and then {@link #end}. */
    public static void begin(Bytes out, long token, byte kind, long time, long position) {
        out.clear();
        out.putInt(0);
        out.putLong(token);
        out.putByte(kind);
        out.putLong(time);
        out.putLong(position);
    }

    public static void end(Bytes out) {
        out.setInt(0, out.length());
    }

    static int size(byte[] array, int at) {
        return Bytes.getInt(array, at);
    }

    static long token(byte[] array, int at) {
        return Bytes.getLong(array, at + TOKEN);
    }

    /** Moves to an entry, and reads its key. */
    public void set(byte[] newArray, int newAt) {
        array = newArray;
        at = newAt;
        int i = newAt + CELLS;
        for (int c = 0; c < layout.keyColumns(isStatics()); c++) {
            i = read(c, i);
        }
        keyEnd = i;
    }

    /** Reads the values, too. */
    public void readValues() {
        int i = keyEnd;
        for (int c : layout.values(isStatics())) {
            i = read(c, i);
        }
    }

    private int read(int column, int i) {
        lengths[column] = Bytes.getInt(array, i);
        offsets[column] = i + 4;
        return i + 4 + Math.max(0, lengths[column]);
    }

    /** Where the entry starts in its array. */
    public int start() {
        return at;
    }

    public int size() {
        return size(array, at);
    }

    public long token() {
        return token(array, at);
    }

    public boolean isStatics() {
        return array[at + KIND] != ROW;
    }

    /** Whether it stands for a record: each has exactly one such entry. */
    public boolean counts() {
        return array[at + KIND] != STATICS;
    }

    public long time() {
        return Bytes.getLong(array, at + TIME);
    }

    private long position() {
        return Bytes.getLong(array, at + POSITION);
    }

    /** Where the cells of the key start. */
    public int keyStart() {
        return at + CELLS;
    }

    public int keyEnd() {
        return keyEnd;
    }

    @Override
    public byte[] array() {
        return array;
    }

    @Override
    public int offset(int column) {
        return offsets[column];
    }

    @Override
    public int length(int column) {
        return lengths[column];
    }

    /** The order of keys: as the table's rows come, and static columns before the rows of their partition. */
    public int compareKeys(Entry other) {
        int order = Long.compare(token(), other.token());
        if (order == 0) {
            order = layout.order().comparePartitionKeys(this, other);
        }
        if (order == 0) {
            order = Boolean.compare(other.isStatics(), isStatics());
        }
        return order != 0 || isStatics() ? order : layout.order().compareClustering(this, other);
    }

    /** The order of entries: of two with one key, the later one wins. */
    int compareTo(Entry other) {
        int order = compareKeys(other);
        if (order == 0) {
            order = Long.compare(time(), other.time());
        }
        return order != 0 ? order : Long.compare(position(), other.position());
    }
}
