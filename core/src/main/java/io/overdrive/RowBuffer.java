package io.overdrive;

import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.codec.CodecNotFoundException;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.CanonicalForm;
import io.overdrive.internal.codec.CqlType;
import io.overdrive.internal.codec.Surrogates;
import io.overdrive.internal.cql.PreparedCql;
import io.overdrive.internal.ring.RoutingKey;
import io.overdrive.internal.scan.ScanLayout;
import io.overdrive.internal.write.HiddenValues;
import io.overdrive.internal.write.RowMarkers;
import io.overdrive.internal.write.WriteLayout;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The row, or key, under construction. Values are encoded as CQL bytes at once; a column that is not set stays unset, so no
 * tombstone is written for it. Confined to the thread of its {@link RowWriter} or {@link Lookup.Queue}; on the hot path
 * (write step 1).
 *
 * <p>Columns are counted from 0 in the order of {@link RowWriter#columns()}, or of {@link Lookup#keyColumns()}. Setting a column
 * a second time replaces its value. Each typed setter takes the Java type that is closest to one or a few CQL types, and
 * throws IllegalArgumentException if the column has any other type; {@link #set} takes whatever the driver's codecs take, and
 * is slower.
 */
public final class RowBuffer {
    private static final int NOT_SET = -1;
    private static final long NO_POSITION = -1;

    private final String[] slotNames;
    private final DataType[] slotTypes;
    private final int[] columnSlots;
    final int[] requiredSlots;
    private final int ttlSlot;
    final int timestampSlot;
    private final HiddenValues hidden;
    private final long maxPosition;
    private final CodecRegistry codecs;
    private final ProtocolVersion driverProtocolVersion;
    private final CqlType[] cqlTypes;
    /** Sorters of the elements of sets and maps, by slot; null if the table's key has no collections. */
    private final @Nullable CanonicalForm @Nullable [] forms;

    private final Bytes ordered = new Bytes(64);
    /** The values in the order in which they were set, each preceded by its length. */
    final Bytes values = new Bytes(512);

    /** Offset of each slot's value, at its length; or NOT_SET. */
    final int[] starts;

    final int[] ends;
    long position = NO_POSITION;
    byte @Nullable [] attachment;

    RowBuffer(WriteLayout layout) {
        this(layout.prepared, layout.row, layout.hidden, layout.maxPosition(WriteSetting.MAX_TIMESTAMP));
    }

    /** Creates a buffer for the values of all bind markers of a query. */
    RowBuffer(ScanLayout layout) {
        this(layout.prepared, RowMarkers.allOf(layout.prepared), HiddenValues.none(), Long.MAX_VALUE);
    }

    RowBuffer(PreparedCql prepared, RowMarkers row, HiddenValues hidden, long maxPosition) {
        this.hidden = hidden;
        this.maxPosition = maxPosition;
        slotNames = prepared.markerNames().toArray(String[]::new);
        slotTypes = prepared.markerTypes().toArray(DataType[]::new);
        columnSlots = row.columns();
        requiredSlots = row.required();
        ttlSlot = row.ttl();
        timestampSlot = row.timestamp();
        codecs = prepared.codecs();
        driverProtocolVersion = prepared.version();
        cqlTypes = Arrays.stream(slotTypes).map(CqlType::of).toArray(CqlType[]::new);
        forms = prepared.hasCollectionKey()
                ? Arrays.stream(slotTypes).map(CanonicalForm::of).toArray(CanonicalForm[]::new)
                : null;
        starts = new int[slotTypes.length];
        ends = new int[slotTypes.length];
        clear();
    }

    /** Discards the row. For Overdrive's own modules; {@link RowWriter#row} does it for others. */
    public void clear() {
        values.clear();
        Arrays.fill(starts, NOT_SET);
        position = NO_POSITION;
        attachment = null;
    }

    /** The number of columns. */
    public int columns() {
        return columnSlots.length;
    }

    /** Sets a {@code boolean}. */
    public RowBuffer setBoolean(int column, boolean value) {
        check(column, CqlType.BOOLEAN, "setBoolean");
        begin(column).putByte(value ? 1 : 0);
        return end(column);
    }

    /** Sets a {@code tinyint}. */
    public RowBuffer setByte(int column, byte value) {
        check(column, CqlType.TINYINT, "setByte");
        begin(column).putByte(value);
        return end(column);
    }

    /** Sets a {@code smallint}. */
    public RowBuffer setShort(int column, short value) {
        check(column, CqlType.SMALLINT, "setShort");
        begin(column).putShort(value);
        return end(column);
    }

    /** Sets an {@code int}, or a {@code date} as days with 1970-01-01 at -2^31, as in the native protocol. */
    public RowBuffer setInt(int column, int value) {
        CqlType type = cqlTypes[columnSlots[column]];
        if (type != CqlType.INT && type != CqlType.DATE) {
            throw wrongType(column, "setInt");
        }
        begin(column).putInt(value);
        return end(column);
    }

    /**
     * Sets a {@code bigint} or {@code counter}, a {@code timestamp} as milliseconds since 1970, or a {@code time} as
     * nanoseconds.
     */
    public RowBuffer setLong(int column, long value) {
        CqlType type = cqlTypes[columnSlots[column]];
        if (type != CqlType.BIGINT && type != CqlType.TIMESTAMP && type != CqlType.COUNTER && type != CqlType.TIME) {
            throw wrongType(column, "setLong");
        }
        begin(column).putLong(value);
        return end(column);
    }

    /** Sets a {@code float}. */
    public RowBuffer setFloat(int column, float value) {
        check(column, CqlType.FLOAT, "setFloat");
        begin(column).putFloat(value);
        return end(column);
    }

    /** Sets a {@code double}. */
    public RowBuffer setDouble(int column, double value) {
        check(column, CqlType.DOUBLE, "setDouble");
        begin(column).putDouble(value);
        return end(column);
    }

    /**
     * Sets {@code text} or {@code ascii}.
     *
     * @throws IllegalArgumentException also if the text has half of a surrogate pair, which UTF-8 cannot hold
     */
    public RowBuffer setText(int column, String value) {
        CqlType type = cqlTypes[columnSlots[column]];
        if (type != CqlType.TEXT && type != CqlType.ASCII) {
            throw wrongType(column, "setText");
        }
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        if (!Surrogates.areWhole(value, utf8)) {
            throw halfPair(column);
        }
        begin(column).put(utf8);
        return end(column);
    }

    /** Sets a {@code uuid} or {@code timeuuid}. */
    public RowBuffer setUuid(int column, UUID value) {
        CqlType type = cqlTypes[columnSlots[column]];
        if (type != CqlType.UUID && type != CqlType.TIMEUUID) {
            throw wrongType(column, "setUuid");
        }
        long most = value.getMostSignificantBits();
        Bytes bytes = begin(column);
        bytes.putLong(most);
        bytes.putLong(value.getLeastSignificantBits());
        return end(column);
    }

    /** Sets an {@code inet}. */
    public RowBuffer setInet(int column, InetAddress value) {
        check(column, CqlType.INET, "setInet");
        byte[] address = value.getAddress();
        begin(column).put(address);
        return end(column);
    }

    /** Sets a {@code varint}. */
    public RowBuffer setVarint(int column, BigInteger value) {
        check(column, CqlType.VARINT, "setVarint");
        byte[] bytes = value.toByteArray();
        begin(column).put(bytes);
        return end(column);
    }

    /**
     * Sets a value of any type from bytes that are already encoded as in the native protocol. Copies them without a
     * check: elements of sets and maps keep their order, which matters in clustering columns whose order is DESC, as
     * the server does not put them in its own order there, and takes two orders for two keys.
     *
     * @throws IndexOutOfBoundsException if the array does not have them all
     */
    public RowBuffer setBytes(int column, byte[] bytes, int from, int count) {
        Objects.checkFromIndexSize(from, count, bytes.length);
        begin(column).put(bytes, from, count);
        return endAsIs(column);
    }

    /** Like {@link #setBytes(int, byte[], int, int)}, for the remaining bytes of the buffer, whose position does not change. */
    public RowBuffer setBytes(int column, ByteBuffer value) {
        byte[] bytes = Bytes.copyOf(value);
        return setBytes(column, bytes, 0, bytes.length);
    }

    /**
     * Sets a value of any type that the driver's codec for the column's type accepts; null is {@link #setNull}.
     *
     * @throws IllegalArgumentException if no codec takes it, or text, also in a collection, has half of a surrogate pair, which UTF-8 cannot hold
     */
    public RowBuffer set(int column, @Nullable Object value) {
        if (value == null) {
            return setNull(column);
        }
        if (!Surrogates.areWhole(value)) {
            throw halfPair(column);
        }
        DataType type = slotTypes[columnSlots[column]];
        TypeCodec<Object> codec;
        try {
            codec = codecs.codecFor(type, value);
        } catch (CodecNotFoundException e) {
            throw wrongType(column, "the driver's codec for " + value.getClass().getName());
        }
        ByteBuffer encoded = codec.encode(value, driverProtocolVersion);
        if (encoded == null) {
            return setNull(column);
        }
        begin(column).put(Bytes.copyOf(encoded));
        return end(column);
    }

    /** Writes a null, which deletes the cell and leaves a tombstone; to keep the existing value, do not set the column. */
    public RowBuffer setNull(int column) {
        int slot = columnSlots[column];
        starts[slot] = values.length();
        values.putNull();
        ends[slot] = values.length();
        return this;
    }

    /** Discards the column's value. */
    public RowBuffer unset(int column) {
        starts[columnSlots[column]] = NOT_SET;
        return this;
    }

    /** Time to live of this row in seconds; 0: no expiry. Needs {@link WriteOptions.Builder#rowTtl}. */
    public RowBuffer setTtl(int seconds) {
        if (ttlSlot < 0) {
            throw new IllegalStateException("rows cannot have their own TTL: WriteOptions.Builder.rowTtl() is not set");
        }
        starts[ttlSlot] = values.length();
        values.putInt(4);
        values.putInt(seconds);
        ends[ttlSlot] = values.length();
        return this;
    }

    /** Write time of this row in microseconds since 1970. Needs {@link WriteOptions.Builder#rowTimestamp}. */
    public RowBuffer setTimestamp(long micros) {
        if (timestampSlot < 0) {
            throw new IllegalStateException(
                    "rows cannot have their own write time: WriteOptions.Builder.rowTimestamp() is not set");
        }
        starts[timestampSlot] = values.length();
        values.putInt(8);
        values.putLong(micros);
        ends[timestampSlot] = values.length();
        return this;
    }

    /**
     * The row's position in the input, 0 or more: of rows with the same key, the one with the highest position wins; a rejected row
     * reports it. By default, rows are numbered in the order in which they are sent.
     *
     * @throws IllegalArgumentException if it is negative, or so high that the write time of the row would not fit into 64 bits
     */
    public RowBuffer position(long value) {
        if (value < 0 || value > maxPosition) {
            throw new IllegalArgumentException("position is " + value + ", must be from 0 to " + maxPosition
                    + (value < 0
                            ? ""
                            : ": the row at position n is written n or more microseconds later than the first one"));
        }
        position = value;
        return this;
    }

    /** The row's position; negative if none was set. For Overdrive's own modules. */
    public long position() {
        return position;
    }

    /** Bytes that stay with the row inside this process and come back if it is rejected. Not copied. */
    public RowBuffer attach(byte[] bytes) {
        attachment = bytes;
        return this;
    }

    /** Starts a value; the caller appends its bytes and calls {@link #end}, or {@link #undo}. For Overdrive's own modules. */
    public Bytes begin(int column) {
        int slot = columnSlots[column];
        starts[slot] = values.length();
        values.putInt(0);
        return values;
    }

    /**
     * Ends the value that {@link #begin} started. If the table has sets or maps in its key, the value's sets and maps get the server's order.
     * For Overdrive's own modules.
     */
    public RowBuffer end(int column) {
        if (forms != null) {
            putInOrder(forms[columnSlots[column]], starts[columnSlots[column]] + 4);
        }
        return endAsIs(column);
    }

    private void putInOrder(@Nullable CanonicalForm form, int from) {
        if (form != null && values.length() > from) {
            ordered.clear();
            form.append(values.array(), from, values.length() - from, ordered);
            values.truncate(from);
            values.put(ordered.array(), 0, ordered.length());
        }
    }

    private RowBuffer endAsIs(int column) {
        int slot = columnSlots[column];
        int start = starts[slot];
        ends[slot] = values.length();
        values.setInt(start, values.length() - start - 4);
        return this;
    }

    /** Discards the value that {@link #begin} started; the column is unset. For Overdrive's own modules. */
    public void undo(int column) {
        int slot = columnSlots[column];
        values.truncate(starts[slot]);
        starts[slot] = NOT_SET;
    }

    /**
     * Copies from another row its position, its attachment, its own TTL and write time, and some of its columns. For our own modules.
     *
     * @param columns of the other row with the same types, one for each column of this one; negative for none
     */
    public RowBuffer copy(RowBuffer other, int[] columns) {
        clear();
        position = other.position;
        attachment = other.attachment;
        for (int column = 0; column < columnSlots.length; column++) {
            if (columns[column] >= 0) {
                copy(other, other.columnSlots[columns[column]], columnSlots[column]);
            }
        }
        if (ttlSlot >= 0 && other.ttlSlot >= 0) {
            copy(other, other.ttlSlot, ttlSlot);
        }
        if (timestampSlot >= 0 && other.timestampSlot >= 0) {
            copy(other, other.timestampSlot, timestampSlot);
        }
        return this;
    }

    private void copy(RowBuffer other, int from, int to) {
        if (other.starts[from] != NOT_SET) {
            starts[to] = values.length();
            values.put(other.values.array(), other.starts[from], other.ends[from] - other.starts[from]);
            ends[to] = values.length();
        }
    }

    /** Whether a value or a null was set. For Overdrive's own modules. */
    public boolean isSet(int column) {
        return starts[columnSlots[column]] != NOT_SET;
    }

    /** A copy of the bytes that were set; null if the column is null or not set. For Overdrive's own modules. */
    public byte @Nullable [] bytes(int column) {
        int slot = columnSlots[column];
        if (starts[slot] == NOT_SET || Bytes.getInt(values.array(), starts[slot]) < 0) {
            return null;
        }
        return Arrays.copyOfRange(values.array(), starts[slot] + 4, ends[slot]);
    }

    /** The array that holds the values, valid until the next value is set. For Overdrive's own modules. */
    public byte[] array() {
        return values.array();
    }

    /** Offset in {@link #array} of the bytes of a value that was set. For Overdrive's own modules. */
    public int offset(int column) {
        return starts[columnSlots[column]] + 4;
    }

    /** The number of bytes of a value that was set; negative for null. For Overdrive's own modules. */
    public int length(int column) {
        return Bytes.getInt(values.array(), starts[columnSlots[column]]);
    }

    /** The row's own write time, or the given one if it has none. For Overdrive's own modules. */
    public long timestamp(long byDefault) {
        boolean hasItsOwnTime = timestampSlot >= 0
                && starts[timestampSlot] != NOT_SET
                && Bytes.getInt(values.array(), starts[timestampSlot]) == Long.BYTES;
        return hasItsOwnTime ? Bytes.getLong(values.array(), starts[timestampSlot] + 4) : byDefault;
    }

    /** The row's own TTL in seconds, or the given one if it has none. For Overdrive's own modules. */
    public int ttl(int byDefault) {
        boolean hasItsOwnTtl = ttlSlot >= 0 && starts[ttlSlot] != NOT_SET;
        return hasItsOwnTtl ? Bytes.getInt(values.array(), starts[ttlSlot] + 4) : byDefault;
    }

    /** Token of the partition whose key is in these slots, which must all be set. */
    long token(int[] slots, RoutingKey key) {
        byte[] bytes = values.array();
        key.start(slots.length);
        for (int slot : slots) {
            int from = starts[slot] + 4;
            key.add(bytes, from, ends[slot] - from);
        }
        return key.token();
    }

    /** The first key column that is null or not set, so that the row cannot be written; -1 if there is none. */
    public int missingKeyColumn() {
        for (int slot : requiredSlots) {
            if (starts[slot] == NOT_SET || Bytes.getInt(values.array(), starts[slot]) < 0) {
                for (int column = 0; column < columnSlots.length; column++) {
                    if (columnSlots[column] == slot) {
                        return column;
                    }
                }
            }
        }
        return -1;
    }

    /**
     * Why the row, with its own write time, cannot be written as it is: the server would hide one of its values, as its column was dropped
     * since, and added again. Null if it can be written. For Overdrive's own modules.
     */
    public @Nullable String hiddenValue() {
        if (!hidden.isPossible()) {
            return null;
        }
        long writeTime = timestamp(Long.MAX_VALUE); // other rows have later ones than any drop: the writer was opened
        return hidden.mayHide(writeTime)
                ? hidden.problem(writeTime, column -> isSet(column) && length(column) >= 0)
                : null;
    }

    private void check(int column, CqlType type, String setter) {
        if (cqlTypes[columnSlots[column]] != type) {
            throw wrongType(column, setter);
        }
    }

    private IllegalArgumentException halfPair(int column) {
        return new IllegalArgumentException(
                "column \"" + slotNames[columnSlots[column]]
                        + "\": the text has half of a surrogate pair, which UTF-8 cannot hold: remove it, or replace it by U+FFFD");
    }

    private IllegalArgumentException wrongType(int column, String setter) {
        int slot = columnSlots[column];
        return new IllegalArgumentException("column \"" + slotNames[slot] + "\" is "
                + slotTypes[slot].asCql(false, true) + ", which " + setter + " cannot write");
    }
}
