package io.overdrive;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.Split.Range;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.ring.RoutingKey;
import io.overdrive.internal.scan.Page;
import io.overdrive.internal.scan.PageReader;
import io.overdrive.internal.scan.ScanPlan;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows, one at a time, read in place: nothing is decoded that is not asked for. A cursor of {@link Scan#open} goes over a
 * whole split, and one of {@link Lookup.Queue#take} over all rows of a key, with the next page on its way while this one is
 * used; one that a {@link Scan.SplitHandler} gets goes over one page. Confined to one thread at a time; on the hot path.
 *
 * <p>Columns count from 0, in the order of {@link Scan#columns}. Getters of numbers give 0, and {@link #getBoolean} false, for
 * null and for the empty value that some types have; {@link #isNull} tells. They go by the length of the value and not by
 * its type: where it is another one, they throw IllegalArgumentException.
 */
public final class RowCursor implements AutoCloseable {
    private static final byte[] NOTHING = {};

    private final ScanPlan plan;
    private final int columns;
    private final int[] starts;
    private final int[] lengths;
    private final int[] keyColumns;
    private final RoutingKey routingKey = new RoutingKey();
    private @Nullable PageReader reader;
    private boolean onePage;

    private byte[] body = NOTHING;
    private int at;
    private int rowStart;
    private int rowsLeft;
    private @Nullable Page page;
    private boolean onRow;

    /** All rows up to this token were given: what {@link #rest} starts at. */
    private long complete = Long.MIN_VALUE;

    /** Of the first row of this page, and of the last row of the page before. */
    private long firstToken;

    private long lastToken = Long.MIN_VALUE;
    private List<Range> ranges = List.of();

    RowCursor(ScanPlan plan) {
        this.plan = plan;
        this.columns = plan.names().size();
        this.starts = new int[columns];
        this.lengths = new int[columns];
        this.keyColumns = plan.keyColumns();
    }

    /** Over all pages of a reader. */
    RowCursor(ScanPlan plan, PageReader reader, Split split) {
        this(plan);
        this.reader = reader;
        this.ranges = split.ranges();
    }

    /** Over all pages of a reader of a key. */
    void reset(PageReader from) {
        reader = from;
        page = null;
        body = NOTHING;
        rowsLeft = 0;
        onRow = false;
    }

    /** Over one page that was taken from a reader. */
    void reset(PageReader from, Page taken) {
        reader = from;
        onePage = true;
        use(taken);
    }

    private void use(Page taken) {
        page = taken;
        body = taken.body();
        at = taken.start();
        rowsLeft = taken.rows();
        onRow = false;
    }

    /**
     * Goes to the next row; false where there is none.
     *
     * @throws OverdriveException of kind READ where the cluster does not give all rows, INTERRUPTED where the scan was
     *     closed or the thread is interrupted
     */
    public boolean next() {
        while (rowsLeft == 0) {
            if (!nextPage()) {
                onRow = false;
                return false;
            }
        }
        rowsLeft--;
        rowStart = at;
        byte[] bytes = body;
        int i = at;
        for (int c = 0; c < columns; c++) {
            int length = Bytes.getInt(bytes, i);
            i += 4;
            starts[c] = i;
            lengths[c] = length;
            if (length > 0) {
                i += length;
            }
        }
        at = i;
        if (!onRow) {
            onRow = true;
            firstToken = keyColumns.length == 0 ? 0 : token();
            if (firstToken > lastToken) {
                complete = Math.max(complete, lastToken);
            }
        }
        return true;
    }

    private boolean nextPage() {
        PageReader from = reader;
        if (from == null) {
            return false;
        }
        Page last = page;
        if (last != null && onRow && keyColumns.length > 0) {
            long token = token();
            complete = token > firstToken ? Math.max(complete, firstToken) : complete;
            lastToken = token;
        }
        if (last != null && last.endsRange()) {
            complete = Math.max(complete, last.rangeEnd());
        }
        if (onePage) {
            page = null;
            return false;
        }
        Page taken = from.take();
        if (taken == null) {
            page = null;
            return false;
        }
        use(taken);
        return true;
    }

    /** The token range that was asked for when the row came; before the first row and after the last there is none. */
    public Range range() {
        Page now = page;
        if (now == null) {
            throw new IllegalStateException("there is no row");
        }
        return new Range(now.rangeStart(), now.rangeEnd());
    }

    public int columns() {
        return columns;
    }

    /** Name of a column as the server gives it. */
    public String name(int column) {
        return plan.names().get(column);
    }

    public DataType type(int column) {
        return plan.types().get(column);
    }

    public boolean isNull(int column) {
        return lengths[column] < 0;
    }

    /** The array that the value's bytes are in, valid until {@link #next}. Not to be changed. */
    public byte[] array() {
        return body;
    }

    /** Where the value's bytes start in {@link #array}. */
    public int offset(int column) {
        return starts[column];
    }

    /** How many bytes the value has; negative for null. */
    public int length(int column) {
        return lengths[column];
    }

    /** Where the row starts in {@link #array}: for each column the length as an int, and the bytes. */
    public int rowStart() {
        return rowStart;
    }

    /** Where the row ends in {@link #array}. */
    public int rowEnd() {
        return at;
    }

    public boolean getBoolean(int column) {
        return has(column, 1) && body[starts[column]] != 0;
    }

    public byte getByte(int column) {
        return has(column, 1) ? body[starts[column]] : 0;
    }

    public short getShort(int column) {
        return has(column, 2) ? Bytes.getShort(body, starts[column]) : 0;
    }

    /** An int, or a date: days, with 1970-01-01 at -2^31 as the protocol has it. */
    public int getInt(int column) {
        return has(column, 4) ? Bytes.getInt(body, starts[column]) : 0;
    }

    /** A bigint, counter, time in nanoseconds, or timestamp in milliseconds since 1970. */
    public long getLong(int column) {
        return has(column, 8) ? Bytes.getLong(body, starts[column]) : 0;
    }

    public float getFloat(int column) {
        return Float.intBitsToFloat(getInt(column));
    }

    public double getDouble(int column) {
        return Double.longBitsToDouble(getLong(column));
    }

    /** A text or ascii; null for null. */
    public @Nullable String text(int column) {
        return isNull(column) ? null : new String(body, starts[column], lengths[column], StandardCharsets.UTF_8);
    }

    /** A read-only view of the value's bytes, valid until {@link #next}; null for null. */
    public @Nullable ByteBuffer bytes(int column) {
        return isNull(column)
                ? null
                : ByteBuffer.wrap(body, starts[column], lengths[column]).slice().asReadOnlyBuffer();
    }

    /** The value as the driver decodes it; null for null. */
    public @Nullable Object get(int column) {
        return isNull(column)
                ? null
                : plan.codecs().codecFor(type(column)).decode(bytes(column), plan.driverProtocolVersion());
    }

    private boolean has(int column, int size) {
        int length = lengths[column];
        if (length <= 0) {
            return false; // null, or the empty value that some types have
        }
        if (length != size) {
            throw new IllegalArgumentException("column \"" + name(column) + "\" is "
                    + type(column).asCql(false, true) + ", and its value has " + length + " bytes, not " + size);
        }
        return true;
    }

    /**
     * Token of the row's partition.
     *
     * @throws IllegalStateException where not all columns of the partition key are read
     */
    public long token() {
        if (keyColumns.length == 0) {
            throw new IllegalStateException("the token needs all columns of the partition key to be read");
        }
        return plan.token(body, starts, lengths, routingKey);
    }

    /**
     * What is still to be read: a split with all rows not yet given, and maybe some rows, a page at most, that were. Null
     * where nothing is left.
     *
     * @throws IllegalStateException for a cursor over one page or a key, or where not all columns of the partition key are read
     */
    public @Nullable Split rest() {
        if (ranges.isEmpty() || keyColumns.length == 0) {
            throw new IllegalStateException(
                    "the rest of a split needs a cursor of Scan.open and all columns of the partition key");
        }
        long from = onRow && token() > firstToken ? Math.max(complete, firstToken) : complete;
        List<Range> rest = new ArrayList<>();
        for (Range range : ranges) {
            if (range.end() > from) {
                rest.add(new Range(Math.max(from, range.start()), range.end()));
            }
        }
        return rest.isEmpty() ? null : new Split(rest, List.of(), 0);
    }

    /** Where the rows of this cursor do not matter any more. A page on its way is dropped when it comes. */
    @Override
    public void close() {
        reader = null;
        rowsLeft = 0;
    }

    static OverdriveException stopped() {
        return new OverdriveException(Kind.INTERRUPTED, "the scan was stopped");
    }
}
