package io.overdrive.jobs.load;

import io.overdrive.RejectedRow;
import io.overdrive.formats.records.FileHeader;
import io.overdrive.formats.records.InputReader;
import io.overdrive.formats.records.InputReader.RawRecord;
import io.overdrive.internal.names.MessageText;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * Finds the records of rows that the cluster rejected: in the row's attachment, for input that can be read only once, and
 * else by reading the input a second time. Thread-safe.
 */
final class ClusterRejects {
    /** Receives the records. */
    interface Sink {
        void record(RawRecord record, Problem problem);
    }

    private final Sink sink;
    /**
     * Positions of rejected rows, by reason, to look them up in the input: a large load that fails has millions. Guarded by
     * itself.
     */
    private final Map<String, Roaring64Bitmap> positions = new HashMap<>();

    /** The headers that attachments refer to by number. */
    private final List<FileHeader> headers = new CopyOnWriteArrayList<>();

    ClusterRejects(Sink sink) {
        this.sink = sink;
    }

    /** The number by which attachments refer to the header. */
    int numberOf(FileHeader header) {
        synchronized (headers) {
            if (!headers.contains(header)) {
                headers.add(header);
            }
            return headers.indexOf(header);
        }
    }

    /** A row's attachment about its record: the header's number, the line, and the record itself. */
    static byte[] attachment(int headerNumber, long line, byte[] raw) {
        return ByteBuffer.allocate(Integer.BYTES + Long.BYTES + raw.length)
                .putInt(headerNumber)
                .putLong(line)
                .put(raw)
                .array();
    }

    /** Passes the record of the row on, or remembers to look it up. */
    void add(RejectedRow row) {
        byte[] attachment = row.attachment();
        if (attachment != null) {
            ByteBuffer buffer = ByteBuffer.wrap(attachment);
            FileHeader header = headers.get(buffer.getInt());
            long line = buffer.getLong();
            byte[] raw = new byte[buffer.remaining()];
            buffer.get(raw);
            sink.record(new RawRecord(header, line, row.position(), raw), new Problem(MessageText.plain(row.reason())));
        } else {
            synchronized (positions) {
                positions
                        .computeIfAbsent(row.reason(), reason -> new Roaring64Bitmap())
                        .addLong(row.position());
            }
        }
    }

    /** Reads the input again, up to the last rejected row, and passes on the records that are to be looked up. */
    void lookUp(InputReader reader) {
        Map<String, Roaring64Bitmap> wanted;
        synchronized (positions) {
            wanted = Map.copyOf(positions);
        }
        if (wanted.isEmpty()) {
            return; // the reader may block in a read
        }
        Roaring64Bitmap all = new Roaring64Bitmap();
        wanted.values().forEach(all::or);
        reader.lookUp(
                all, record -> sink.record(record, new Problem(MessageText.plain(reason(wanted, record.position())))));
    }

    private static String reason(Map<String, Roaring64Bitmap> wanted, long position) {
        return wanted.entrySet().stream()
                .filter(each -> each.getValue().contains(position))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse("");
    }
}
