package io.overdrive.spark.write;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.RowBuffer;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.VisibleText;
import io.overdrive.internal.ring.Murmur3;
import io.overdrive.spark.cell.CellEncoder;
import io.overdrive.spark.cell.SparkTypes;
import io.overdrive.spark.config.Setting;
import java.time.ZoneId;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * Encodes Spark's rows into the buffer of a writer, each value straight from the row's bytes into those of the request.
 * Executes (on the executors). Confined to one thread; on the hot path.
 */
final class RowEncoder implements WriteTask.Encoder<InternalRow> {
    private static final int MAX_VALUE_IN_AN_ERROR = 60;

    private final String table;
    private final List<String> names;
    private final StructField[] schema;
    private final int[] fields;
    private final boolean[] isKey;
    private final boolean[] isHashed;
    private final CellEncoder[] cells;
    private final boolean ignoreNulls;
    private final int firstMarker;
    private final boolean hasTimeMarker;
    private final long baseTimestamp;
    private final int ttlField;
    private final int writeTimeField;
    private final CellEncoder.@Nullable WholeNumber ttl;
    private final CellEncoder.@Nullable WholeNumber writeTime;

    /**
     * Names of columns with a role in each row.
     *
     * @param required the columns that must not be null
     * @param timedBy the columns of which {@link #put} returns a hash
     */
    record Keys(List<String> required, List<String> timedBy) {}

    /**
     * @param table its name in messages
     * @param types of the markers; the first ones may be for write times, and the markers of {@link WriteColumns#names} follow
     * @param baseTimestamp write time of deletions that have none, in microseconds since 1970: a task that runs again deletes nothing that
     *     was written since
     * @throws IllegalArgumentException if a field's type does not fit its column's
     */
    RowEncoder(
            String table,
            WriteColumns columns,
            List<DataType> types,
            Keys keys,
            StructType schema,
            boolean ignoreNulls,
            long baseTimestamp,
            ZoneId zone) {
        this.table = table;
        this.baseTimestamp = baseTimestamp;
        hasTimeMarker = columns.hasTimeMarker();
        this.ignoreNulls = ignoreNulls;
        this.schema = schema.fields();
        firstMarker = columns.firstMarker();
        names = columns.names();
        fields = columns.fields().stream().mapToInt(Integer::intValue).toArray();
        isKey = new boolean[fields.length];
        isHashed = new boolean[fields.length];
        cells = new CellEncoder[fields.length];
        for (int i = 0; i < fields.length; i++) {
            isKey[i] = keys.required().contains(names.get(i));
            isHashed[i] = keys.timedBy().contains(names.get(i));
            try {
                cells[i] = CellEncoder.of(types.get(firstMarker + i), this.schema[fields[i]].dataType(), zone);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "[" + table + "] column \"" + names.get(i) + "\" is " + e.getMessage()
                                + ": cast it to "
                                + SparkTypes.type(types.get(firstMarker + i)).simpleString(),
                        e);
            }
        }
        ttlField = columns.ttl().field();
        writeTimeField = columns.writeTime().field();
        ttl = ttlField < 0 ? null : number(Setting.TTL, columns.ttl());
        writeTime = number(Setting.WRITE_TIME, columns.writeTime());
    }

    private CellEncoder.@Nullable WholeNumber number(Setting setting, WriteColumns.RowTime time) {
        Long constant = time.constant();
        if (constant != null) {
            long value = constant;
            return (from, i) -> value;
        } else if (!time.isField()) {
            return null;
        }
        var type = schema[time.field()].dataType();
        if (type instanceof LongType || (type instanceof TimestampType && setting == Setting.WRITE_TIME)) {
            return (from, i) -> from.getLong(i);
        } else if (type instanceof IntegerType) {
            return (from, i) -> from.getInt(i);
        } else if (type instanceof ShortType) {
            return (from, i) -> from.getShort(i);
        } else if (type instanceof ByteType) {
            return (from, i) -> from.getByte(i);
        } else if (type instanceof NullType) {
            return null; // null in all rows
        }
        throw new IllegalArgumentException(
                "[" + table + "] option \"" + setting.option + "\" is column \"" + schema[time.field()].name()
                        + "\" of type " + type.simpleString() + ", which must be a whole number: " + setting.meaning());
    }

    @Override
    public long put(InternalRow row, RowBuffer to) {
        long hash = 0;
        for (int i = 0; i < cells.length; i++) {
            int field = fields[i];
            if (!row.isNullAt(field)) {
                Bytes bytes = to.begin(firstMarker + i);
                int start = bytes.length();
                try {
                    cells[i].put(row, field, bytes);
                } catch (ArithmeticException | IllegalArgumentException e) {
                    throw bad(row, i, e);
                }
                to.end(firstMarker + i);
                if (isHashed[i]) {
                    hash = 31 * hash + Murmur3.token(bytes.array(), start, bytes.length());
                }
            } else if (isKey[i]) {
                throw new IllegalArgumentException("[" + table + "] key column \"" + names.get(i)
                        + "\" is null in a row to write: every row needs a value");
            } else if (!ignoreNulls) {
                to.setNull(firstMarker + i);
            }
        }
        if (ttl != null && !row.isNullAt(ttlField)) {
            to.setTtl(Math.toIntExact(ttl.get(row, ttlField)));
        }
        if (writeTime != null && (writeTimeField < 0 || !row.isNullAt(writeTimeField))) {
            to.setTimestamp(writeTime.get(row, writeTimeField));
        } else if (hasTimeMarker) {
            to.setTimestamp(baseTimestamp);
        }
        return hash;
    }

    private IllegalArgumentException bad(InternalRow row, int column, RuntimeException cause) {
        var type = schema[fields[column]].dataType();
        String value = String.valueOf(row.get(fields[column], type));
        String shown =
                value.length() <= MAX_VALUE_IN_AN_ERROR ? value : value.substring(0, MAX_VALUE_IN_AN_ERROR) + "…";
        // the JDK's message, "For input string", does not say which it is
        String why =
                cause instanceof NumberFormatException ? "it is not a number, or out of range" : cause.getMessage();
        return new IllegalArgumentException(
                VisibleText.of("[" + table + "] column \"" + names.get(column) + "\" cannot take the "
                        + type.simpleString() + " " + shown + ": " + why),
                cause);
    }
}
