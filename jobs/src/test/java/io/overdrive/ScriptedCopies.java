package io.overdrive;

import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.cql.ScriptedSession;
import io.overdrive.internal.scan.Page;
import io.overdrive.internal.scan.ScanLayouts;
import io.overdrive.internal.wire.ScriptedTransport;
import io.overdrive.internal.write.WriteLayout;
import io.overdrive.internal.write.WritePlanner;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writers, and rows that are read, without a server. Stateless. */
public final class ScriptedCopies {
    private ScriptedCopies() {}

    /** A writer whose server prepares this statement only, with these markers. */
    public static RowWriter writer(TableSchema table, WriteOptions.Builder options, String cql, List<String> markers) {
        ScriptedSession server = new ScriptedSession(table).accept(cql, markers, List.of());
        WriteOptions built = options.attachments().build();
        WriteLayout layout = new WritePlanner(server.session(), built).forTable(table);
        return new RowWriter(
                new ScriptedTransport(1),
                ScriptedTransport.session("50KiB"),
                layout,
                built, /* baseTimestamp */
                1_000_000);
    }

    /** A cursor on a row of values: an Integer, a Long, a list of these, or null. */
    public static RowCursor row(@Nullable Object... values) {
        return rowAt(/* arrivedSeconds */ 1000, values);
    }

    /** @param arrivedSeconds when it arrived, in seconds since 1970 */
    public static RowCursor rowAt(long arrivedSeconds, @Nullable Object... values) {
        Bytes body = new Bytes(64);
        for (Object value : values) {
            put(body, value);
        }
        RowCursor cursor =
                new RowCursor(ScanLayouts.key(List.of(), List.of(), Collections.nCopies(values.length, "column")));
        Page page = new Page(
                body.toByteArray(),
                0,
                /* rows */ 1,
                Long.MIN_VALUE,
                Long.MAX_VALUE,
                /* endsRange */ true,
                1000 * arrivedSeconds);
        cursor.reset(() -> null, page);
        cursor.next();
        return cursor;
    }

    private static void put(Bytes to, @Nullable Object value) {
        if (value == null) {
            to.putNull();
        } else if (value instanceof List<?> elements) {
            Bytes list = new Bytes(64);
            list.putInt(elements.size());
            elements.forEach(each -> put(list, each));
            byte[] bytes = list.toByteArray();
            to.putInt(bytes.length);
            to.put(bytes);
        } else {
            ByteBuffer bytes = value instanceof Long of
                    ? ByteBuffer.allocate(8).putLong(of)
                    : ByteBuffer.allocate(4).putInt((Integer) value);
            to.putInt(bytes.capacity());
            to.put(bytes.array());
        }
    }
}
