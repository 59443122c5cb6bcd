package io.overdrive.internal.write;

import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import io.overdrive.RowCallback;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.request.Patience;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One write: its body in wire format, kept until it is finished because a retry needs it, and the rows in it. Confined to
 * the thread that handles it at the moment: the producer's, then the {@link Sender}'s.
 */
public final class WriteRequest {
    final int opcode;
    byte[] body;
    final long token;
    final long[] positions;
    final byte @Nullable [] @Nullable [] attachments;
    /** Callbacks by row; null if no caller has given one. */
    final @Nullable RowCallback @Nullable [] callbacks;
    /** Whether its rows were single ones. */
    boolean isGathered;
    /** The replica that all rows have in common, for which they were gathered; null if all have the same replicas. */
    @Nullable Node coordinator;
    /** Sendings that may have been applied. */
    int attempts;
    /** Microseconds by which the write times of its rows are later than at first; see {@link #postpone}. */
    private int postponed;

    long startNanos;
    /** The node whose permit it holds. */
    @Nullable Node permitOf;

    /** Whether an earlier sending may have been applied with the write times that are in the body now. */
    boolean mayBeApplied;
    /** Time since the first refusal. */
    final Patience patience = new Patience();

    int prepares;
    /** The request to send next with the same permit: the other half of a request that was split. */
    @Nullable WriteRequest next;

    /** The batch that it is a part of, if the server refused that for a reason that may be its size. */
    @Nullable RefusedBatch partOf;

    /** Whether its size may be why it failed last. */
    boolean mayBeTooLarge;

    boolean finished;
    /** Whether the cluster has acknowledged it. */
    boolean isWritten;
    /** Why the cluster refused it. */
    String refusal = "";
    /** Its first rows, which were given to the reject handler. */
    int rowsRejected;

    WriteRequest(
            int opcode,
            byte[] body,
            long token,
            long[] positions,
            byte @Nullable [] @Nullable [] attachments,
            @Nullable RowCallback @Nullable [] callbacks) {
        this.opcode = opcode;
        this.body = body;
        this.token = token;
        this.positions = positions;
        this.attachments = attachments;
        this.callbacks = callbacks;
    }

    int rows() {
        return positions.length;
    }

    byte @Nullable [] attachment(int row) {
        return attachments == null ? null : attachments[row];
    }

    /** A request with these rows, each of which is an EXECUTE without a write time outside of its values. */
    static WriteRequest gathered(List<WriteRequest> singles, WriteLayout layout) {
        int count = singles.size();
        if (count == 1) {
            return singles.get(0);
        }
        int values = layout.executeOverhead();
        int bytes = layout.batchOverhead();
        boolean hasAttachments = false;
        boolean hasCallbacks = false;
        for (WriteRequest single : singles) {
            bytes += layout.rowHeader.length + single.body.length - values;
            hasAttachments |= single.attachments != null;
            hasCallbacks |= single.callbacks != null;
        }
        byte[] body = new byte[bytes];
        long[] positions = new long[count];
        byte @Nullable [] @Nullable [] attachments = hasAttachments ? new byte[count][] : null;
        @Nullable RowCallback @Nullable [] callbacks = hasCallbacks ? new RowCallback[count] : null;
        int at = layout.beginBatch(body, count);
        for (int i = 0; i < count; i++) {
            WriteRequest single = singles.get(i);
            System.arraycopy(layout.rowHeader, 0, body, at, layout.rowHeader.length);
            at += layout.rowHeader.length;
            System.arraycopy(single.body, values, body, at, single.body.length - values);
            at += single.body.length - values;
            positions[i] = single.positions[0];
            if (attachments != null) {
                attachments[i] = single.attachment(0);
            }
            if (callbacks != null && single.callbacks != null) {
                callbacks[i] = single.callbacks[0];
            }
        }
        layout.endBatch(body, at, /* timestamp */ 0);
        WriteRequest all = new WriteRequest(
                ProtocolConstants.Opcode.BATCH, body, singles.get(0).token, positions, attachments, callbacks);
        all.isGathered = true;
        all.coordinator = singles.get(0).coordinator;
        return all;
    }

    /** Two requests, one with this many rows, the other with the rest: to find the row that the server refuses, or as it takes no more. */
    WriteRequest[] split(WriteLayout layout, long baseTimestamp, int first) {
        return new WriteRequest[] {part(layout, baseTimestamp, 0, first), part(layout, baseTimestamp, first, rows())};
    }

    private WriteRequest part(WriteLayout layout, long baseTimestamp, int from, int to) {
        int start = 3;
        for (int i = 0; i < from; i++) {
            start = afterRow(layout, start);
        }
        int end = start;
        for (int i = from; i < to; i++) {
            end = afterRow(layout, end);
        }
        long[] partPositions = Arrays.copyOfRange(positions, from, to);
        byte @Nullable [] @Nullable [] partAttachments =
                attachments == null ? null : Arrays.copyOfRange(attachments, from, to);
        @Nullable RowCallback @Nullable [] partCallbacks = callbacks == null ? null : Arrays.copyOfRange(callbacks, from, to);
        byte[] partBody;
        int opcode;
        if (to - from == 1) {
            opcode = ProtocolConstants.Opcode.EXECUTE;
            int values = start + layout.rowHeader.length;
            partBody = new byte[layout.executeOverhead() + end - values];
            int at = layout.beginExecute(partBody);
            System.arraycopy(body, values, partBody, at, end - values);
            layout.endExecute(
                    partBody, at + end - values, layout.writeTime(baseTimestamp, positions[from]) + postponed);
        } else {
            opcode = ProtocolConstants.Opcode.BATCH;
            partBody = new byte[layout.batchOverhead() + end - start];
            int at = layout.beginBatch(partBody, to - from);
            System.arraycopy(body, start, partBody, at, end - start);
            layout.endBatch(partBody, at + end - start, layout.writeTime(baseTimestamp, positions[to - 1]) + postponed);
        }
        WriteRequest part = new WriteRequest(opcode, partBody, token, partPositions, partAttachments, partCallbacks);
        part.startNanos = startNanos;
        part.postponed = postponed;
        part.attempts = attempts;
        part.mayBeApplied = mayBeApplied;
        part.isGathered = isGathered;
        part.coordinator = coordinator;
        part.partOf = partOf;
        return part;
    }

    /** Gives each row a write time one microsecond later, for a retry; see {@link WriteLayout#lastWriteTime}. */
    void postpone(WriteLayout layout) {
        byte[] later = body.clone(); // the earlier one may not have left this machine yet
        if (layout.requestTimestamp) {
            addOne(later, later.length - Long.BYTES);
        }
        if (layout.pinsTimestamp && opcode == ProtocolConstants.Opcode.EXECUTE) {
            addOne(later, later.length - (layout.requestTimestamp ? 2 : 1) * Long.BYTES);
        } else if (layout.pinsTimestamp) {
            int end = 3;
            for (int i = 0; i < rows(); i++) {
                end = afterRow(layout, end);
                addOne(later, end - Long.BYTES);
            }
        }
        body = later;
        postponed++;
    }

    private static void addOne(byte[] bytes, int at) {
        Bytes.setLong(bytes, at, Bytes.getLong(bytes, at) + 1);
    }

    private int afterRow(WriteLayout layout, int at) {
        at += layout.rowHeader.length;
        for (int slot = 0; slot < layout.prepared.markers(); slot++) {
            at += 4 + Math.max(0, Bytes.getInt(body, at));
        }
        return at;
    }
}
