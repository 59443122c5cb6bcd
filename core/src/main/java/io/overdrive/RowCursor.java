package io.overdrive;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.Split.Range;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.ring.RoutingKey;
import io.overdrive.internal.scan.Page;
import io.overdrive.internal.scan.Pages;
import io.overdrive.internal.scan.ScanLayout;
import io.overdrive.internal.scan.ScanLayout.ResultColumns;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows, one at a time, read in place: only values that are read are decoded. A cursor of {@link Scan#open} covers a whole split,
 * and one of {@link Lookup.Queue#take} all rows of a key, with the next page in flight while the current one is used; a cursor
 * given to a {@link Scan.SplitHandler} covers one page. Confined to one thread at a time; on the hot path.
 *
 * <p>Columns are counted from 0, in the order of {@link Scan#columns}. Getters of numbers return 0, and {@link #getBoolean}
 * false, for null ({@link #isNull} distinguishes them) and for the empty value that some types allow. They check the length of the
 * value and not the column's type, and throw IllegalArgumentException if the length does not fit.
 */
public final class RowCursor implements AutoCloseable {
    private static final byte[] NOTHING = {};

    /** Null for rows that do not come from a query of a table. */
    private final @Nullable ScanLayout layout;

    private final ResultColumns results;
    private final int columns;
    private final int[] starts;
    private final int[] lengths;
    private final int[] keyColumns;
    /** Whether rows come from requests for ranges of tokens, and have one. */
    private final boolean checksTokens;

    private final RoutingKey routingKey = new RoutingKey();
    private @Nullable Pages pages;
    private boolean onePage;

    private byte[] body = NOTHING;
    private int at;
    private int rowStart;
    private int rowsLeft;
    private @Nullable Page page;
    private boolean onRow;

    /** All rows up to this token were given: where {@link #rest} starts. */
    private long complete = Long.MIN_VALUE;

    /** Token of the first row of this page. */
    private long firstToken;

    /** Token of the last row of the page before. */
    private long lastToken = Long.MIN_VALUE;

    /** Null for a cursor over one page or a key. */
    private @Nullable Split split;

    RowCursor(ScanLayout layout) {
        this(
                layout,
                layout.columns,
                layout.columns.key().length > 0 && layout.query.isSplit() && !layout.query.isAggregate());
    }

    private RowCursor(@Nullable ScanLayout layout, ResultColumns results, boolean checksTokens) {
        this.layout = layout;
        this.results = results;
        this.columns = results.names().size();
        this.starts = new int[columns];
        this.lengths = new int[columns];
        this.keyColumns = results.key();
        this.checksTokens = checksTokens;
    }

    /** A cursor over rows that do not come from a table, a page at a time ({@link #read}). For Overdrive's own modules. */
    public static RowCursor ofRows(List<String> names, List<DataType> types) {
        return new RowCursor(/* layout */ null, new ResultColumns(names, types, new int[0]), /* checksTokens */ false);
    }

    /** Reads one page next. For Overdrive's own modules. */
    public void read(Page rows) {
        reset(() -> null, rows);
    }

    /** Reads all pages of a split. */
    RowCursor(ScanLayout layout, Pages pages, Split split) {
        this(layout);
        this.pages = pages;
        this.split = split;
    }

    /** Reads all pages of a key next. */
    void reset(Pages from) {
        pages = from;
        page = null;
        body = NOTHING;
        rowsLeft = 0;
        onRow = false;
    }

    /** Reads one page next, which the caller has taken. */
    void reset(Pages from, Page taken) {
        pages = from;
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
     * Advances to the next row, waiting for its page if necessary; false if there is none.
     *
     * @throws OverdriveException of kind READ if not all rows can be read; INTERRUPTED if the scan was closed or the thread is
     *     interrupted
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
        at = endOfRow();
        if (rowsLeft == 0 && at != body.length) {
            throw malformed(body.length - at + " bytes follow its rows");
        }
        if (!onRow) {
            onRow = true;
            firstToken = keyColumns.length == 0 ? 0 : token();
            if (checksTokens) {
                checkFirstToken();
            }
            if (firstToken > lastToken) {
                complete = Math.max(complete, lastToken);
            }
        }
        return true;
    }

    /** If answers are mixed up on the way, rows of one range would be missing and rows of another doubled. */
    private void checkFirstToken() {
        Range requested = range();
        if (firstToken <= requested.start() || firstToken > requested.end()) {
            throw malformed(
                    "its first row has token " + firstToken + ", and token range " + requested + " was requested");
        }
    }

    /** Finds the columns of the row at {@link #at}. */
    private int endOfRow() {
        byte[] bytes = body;
        int i = at;
        try {
            for (int c = 0; c < columns; c++) {
                int length = Bytes.getInt(bytes, i);
                i += 4;
                starts[c] = i;
                lengths[c] = length;
                if (length > 0) {
                    i += length;
                }
            }
        } catch (IndexOutOfBoundsException e) {
            throw cutShort();
        }
        if (i < 0 || i > bytes.length) {
            throw cutShort();
        }
        return i;
    }

    private OverdriveException cutShort() {
        Page now = page;
        return malformed("its rows end after " + (body.length - (now == null ? 0 : now.start())) + " bytes");
    }

    private OverdriveException malformed(String what) {
        rowsLeft = 0;
        ScanLayout of = layout;
        return of == null ? new OverdriveException(Kind.READ, "cannot read rows: " + what) : of.malformed(what);
    }

    private boolean nextPage() {
        Pages from = pages;
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
        Page taken = onePage ? null : from.take();
        if (taken == null) {
            page = null;
            return false;
        }
        use(taken);
        return true;
    }

    /**
     * The token range of the request that returned the row.
     *
     * @throws IllegalStateException before the first row and after the last one
     */
    public Range range() {
        Page now = page;
        if (now == null) {
            throw new IllegalStateException("there is no row");
        }
        return new Range(now.rangeStart(), now.rangeEnd());
    }

    /** When the page of the row arrived, in seconds since 1970; 0 if there is no row. For Overdrive's own modules. */
    public long arrivedSeconds() {
        Page now = page;
        return now == null ? 0 : Math.floorDiv(now.arrivedMillis(), 1000);
    }

    /** The number of columns. */
    public int columns() {
        return columns;
    }

    /** Name of a column as the server gives it. */
    public String name(int column) {
        return results.names().get(column);
    }

    /** CQL type of a column. */
    public DataType type(int column) {
        return results.types().get(column);
    }

    /** Whether the value is null; the empty value is not. */
    public boolean isNull(int column) {
        return lengths[column] < 0;
    }

    /** The array that holds the row's bytes, valid until {@link #next}. Must not be changed. */
    public byte[] array() {
        return body;
    }

    /** Offset of the value's bytes in {@link #array}. */
    public int offset(int column) {
        return starts[column];
    }

    /** The number of bytes of the value; negative for null. */
    public int length(int column) {
        return lengths[column];
    }

    /** Offset of the row in {@link #array}: for each column the length as an int, then the bytes. */
    public int rowStart() {
        return rowStart;
    }

    /** Offset of the row's end in {@link #array}. */
    public int rowEnd() {
        return at;
    }

    /** A boolean. */
    public boolean getBoolean(int column) {
        return has(column, 1) && body[starts[column]] != 0;
    }

    /** A tinyint. */
    public byte getByte(int column) {
        return has(column, 1) ? body[starts[column]] : 0;
    }

    /** A smallint. */
    public short getShort(int column) {
        return has(column, 2) ? Bytes.getShort(body, starts[column]) : 0;
    }

    /** An int; or a date as days with 1970-01-01 at -2^31, as in the native protocol. */
    public int getInt(int column) {
        return has(column, 4) ? Bytes.getInt(body, starts[column]) : 0;
    }

    /** A bigint or counter; a time in nanoseconds; or a timestamp in milliseconds since 1970. */
    public long getLong(int column) {
        return has(column, 8) ? Bytes.getLong(body, starts[column]) : 0;
    }

    /** A float. */
    public float getFloat(int column) {
        return Float.intBitsToFloat(getInt(column));
    }

    /** A double. */
    public double getDouble(int column) {
        return Double.longBitsToDouble(getLong(column));
    }

    /** A text or ascii value; null for null. */
    public @Nullable String text(int column) {
        return isNull(column) ? null : new String(body, starts[column], lengths[column], StandardCharsets.UTF_8);
    }

    /** A read-only view of the value's bytes of any type, valid until {@link #next}; null for null. */
    public @Nullable ByteBuffer bytes(int column) {
        return isNull(column)
                ? null
                : ByteBuffer.wrap(body, starts[column], lengths[column]).slice().asReadOnlyBuffer();
    }

    /** A value of any type, decoded by the driver's default codec; null for null. Slower than the other getters. */
    public @Nullable Object get(int column) {
        ScanLayout of = layout;
        if (of == null) {
            throw new IllegalStateException("rows that do not come from a table have no codecs");
        }
        return isNull(column)
                ? null
                : of.prepared.codecs().codecFor(type(column)).decode(bytes(column), of.prepared.version());
    }

    private boolean has(int column, int size) {
        int length = lengths[column];
        if (length <= 0) {
            return false; // null, or the empty value that some types allow
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
     * @throws IllegalStateException if the scan does not read all columns of the partition key
     */
    public long token() {
        ScanLayout of = layout;
        if (keyColumns.length == 0 || of == null) {
            throw new IllegalStateException("the token needs all columns of the partition key to be read");
        }
        return of.token(body, starts, lengths, routingKey);
    }

    /**
     * The part of the split that was not read yet, to continue elsewhere: all remaining rows, and possibly some, at most a page, that
     * were already given. Null if nothing is left.
     *
     * @throws IllegalStateException for a cursor over one page or a key, or if the scan does not read all columns of the
     *     partition key
     */
    public @Nullable Split rest() {
        Split whole = split;
        if (whole == null || keyColumns.length == 0) {
            throw new IllegalStateException(
                    "the rest of a split needs a cursor of Scan.open and all columns of the partition key");
        }
        long from = onRow && token() > firstToken ? Math.max(complete, firstToken) : complete;
        return whole.after(from);
    }

    /** Ends the cursor before its last row. A page in flight is dropped when it arrives. */
    @Override
    public void close() {
        pages = null;
        rowsLeft = 0;
    }

    static OverdriveException stopped() {
        return new OverdriveException(Kind.INTERRUPTED, "the scan was stopped");
    }
}
