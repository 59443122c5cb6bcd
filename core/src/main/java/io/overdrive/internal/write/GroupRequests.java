package io.overdrive.internal.write;

import com.datastax.oss.protocol.internal.ProtocolConstants;
import io.overdrive.internal.codec.Bytes;
import org.jspecify.annotations.Nullable;

/** Makes requests of groups, from their rows. Guarded by the lock of its {@link Shard}; on the hot path. */
final class GroupRequests {
    /**
     * The form of rows in groups and in requests. Immutable.
     *
     * @param keyIsPrefix whether the key of a group is the beginning of the values of its rows
     * @param attachments whether rows may have one
     */
    record Form(WriteLayout layout, boolean keyIsPrefix, boolean attachments, long baseTimestamp) {}

    private final Form form;
    private final GroupCursor cursor;
    /** Bytes of each row in a request in addition to its values and the key. */
    private final int rowOverhead;

    GroupRequests(Form form, GroupCursor cursor) {
        this.form = form;
        this.cursor = cursor;
        this.rowOverhead = form.layout.rowHeader.length + (form.layout.pinsTimestamp ? 12 : 0);
    }

    WriteRequest of(RowGroup g) {
        return g.rows == 1 ? execute(g) : batch(g);
    }

    /** Size of a row in a request. */
    int rowBytes(int values, int keyLength) {
        return rowOverhead + values + (form.keyIsPrefix ? keyLength : 0);
    }

    private WriteRequest execute(RowGroup g) {
        byte[] body = new byte[form.layout.executeOverhead() + g.bytes - form.layout.rowHeader.length];
        int at = form.layout.beginExecute(body);
        cursor.start(g);
        int prefix = keyPrefix(g, body, at);
        at += prefix;
        long[] positions = new long[1];
        byte[] @Nullable [] attached = form.attachments ? new byte[1][] : null;
        at = row(body, at, 0, positions, attached);
        form.layout.endExecute(body, at, form.layout.writeTime(form.baseTimestamp, positions[0]));
        return new WriteRequest(
                ProtocolConstants.Opcode.EXECUTE, body, g.token, positions, attached, g.takeCallbacks());
    }

    private WriteRequest batch(RowGroup g) {
        byte[] body = new byte[form.layout.batchOverhead() + g.bytes];
        int at = form.layout.beginBatch(body, g.rows);
        cursor.start(g);
        byte[] header = form.layout.rowHeader;
        long[] positions = new long[g.rows];
        byte[] @Nullable [] attached = form.attachments ? new byte[g.rows][] : null;
        int keyAt = at + header.length;
        int prefix = keyPrefix(g, body, keyAt);
        for (int i = 0; i < g.rows; i++) {
            System.arraycopy(header, 0, body, at, header.length);
            at += header.length;
            if (i > 0) {
                System.arraycopy(body, keyAt, body, at, prefix);
            }
            at = row(body, at + prefix, i, positions, attached);
        }
        form.layout.endBatch(body, at, form.layout.writeTime(form.baseTimestamp, positions[g.rows - 1]));
        return new WriteRequest(ProtocolConstants.Opcode.BATCH, body, g.token, positions, attached, g.takeCallbacks());
    }

    /** Reads the key, and puts it at {@code at} if it is part of each row. */
    private int keyPrefix(RowGroup g, byte[] body, int at) {
        if (form.keyIsPrefix) {
            cursor.read(body, at, g.keyLength);
            return g.keyLength;
        }
        cursor.skip(g.keyLength);
        return 0;
    }

    private int row(byte[] body, int at, int row, long[] positions, byte @Nullable [] @Nullable [] attached) {
        int length = cursor.readInt();
        long position = cursor.readLong();
        positions[row] = position;
        cursor.read(body, at, length);
        at += length;
        if (form.layout.pinsTimestamp) {
            Bytes.setInt(body, at, 8);
            Bytes.setLong(body, at + 4, form.layout.writeTime(form.baseTimestamp, position));
            at += 12;
        }
        if (attached != null) {
            int count = cursor.readInt();
            if (count >= 0) {
                byte[] bytes = new byte[count];
                cursor.read(bytes, 0, count);
                attached[row] = bytes;
            }
        }
        return at;
    }
}
