package io.overdrive.internal.write;

import com.datastax.oss.driver.api.core.CqlSession;
import io.overdrive.Grouping;
import io.overdrive.WriteOptions;
import io.overdrive.internal.flow.Limiter;
import java.util.OptionalLong;
import java.util.function.IntSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How large a batch may be before it is sent, in bytes and in rows. Servers refuse batches of several partitions from a threshold on,
 * and count more bytes than a request has, up to several times as many for rows of many small cells; others take a number of
 * statements. So the limit stays below what the server reports, and is lowered by what it refuses. Thread-safe; read on the hot path
 * (write step 3).
 */
public final class BatchLimit {
    private static final Logger LOG = LoggerFactory.getLogger(BatchLimit.class);
    /** Share of the server's threshold that is used: rows of a few large cells are hardly larger on the server than in the request. */
    private static final double SHARE_OF_THRESHOLD = 5 / 8.0;

    private static final int MIN_BYTES = 1 << 10;

    /** The words of Cassandra and ScyllaDB, of Cassandra from 4.0 on, and of ScyllaDB. */
    private static final Pattern TOO_LARGE =
            Pattern.compile("^Batch too large|oversized mutation|too large for the maximum size");

    /** The words of Amazon Keyspaces. */
    private static final Pattern TOO_MANY = Pattern.compile("more than (\\d{1,5}) statements");

    private volatile int bytes;
    private volatile int rows = Integer.MAX_VALUE;
    /** Bytes of the smallest batch that was refused for its bytes. */
    private volatile int refusedBytes = Integer.MAX_VALUE;

    private final IntSupplier aim;

    BatchLimit(int bytes) {
        this(bytes, () -> Integer.MAX_VALUE);
    }

    /** @param aim what batches should have now, if that is less; read on the hot path */
    BatchLimit(int bytes, IntSupplier aim) {
        this.bytes = bytes;
        this.aim = aim;
    }

    /** The limit for a writer and those separate from it; asks the server for its thresholds. */
    public static BatchLimit of(CqlSession session, WriteLayout layout, WriteOptions options, Limiter limiter) {
        int start = options.batchBytes();
        BatchLimit limit = Grouper.findsBatchBytes(layout, options)
                ? new BatchLimit(Grouper.MAX_BATCH_BYTES, () -> {
                    int found = limiter.requestBytes();
                    return found == 0 ? start : found;
                })
                : new BatchLimit(start);
        if (layout.grouping != Grouping.NONE) {
            ServerSettings settings = ServerSettings.of(session);
            limit.stayBelow(settings.bytes(ServerSettings.MUTATION_SIZE));
            // Batches of one partition are a mutation, and otherwise free.
            if (layout.grouping == Grouping.REPLICA_SET) {
                limit.stayBelow(settings.bytes(ServerSettings.FAIL_SIZE));
            }
        }
        return limit;
    }

    /** Stays below this size as the server counts it, if it reports one. */
    void stayBelow(OptionalLong threshold) {
        threshold.ifPresent(size -> lowerBytes(Math.round(size * SHARE_OF_THRESHOLD)));
    }

    private synchronized void lowerBytes(long max) {
        bytes = (int) Math.max(1, Math.min(bytes, max));
    }

    private synchronized void lowerRows(int max) {
        rows = Math.max(1, Math.min(rows, max));
    }

    int bytes() {
        return Math.min(bytes, aim.getAsInt());
    }

    /** Maximum rows of a batch; very many unless the server has refused a batch. */
    int rows() {
        return rows;
    }

    /** Whether the server has refused a batch like this one. */
    boolean isTooLarge(WriteRequest write) {
        return write.rows() > 1 && (write.rows() > rows || write.body.length >= refusedBytes);
    }

    /** A batch was refused. Returns whether the server's words say that it was too large; those to come are then smaller. */
    boolean refused(int bodyBytes, String reason) {
        Matcher tooMany = TOO_MANY.matcher(reason);
        if (tooMany.find()) {
            lowerRows(Integer.parseInt(tooMany.group(1)));
            LOG.debug("batches of more than {} rows are too large for the server", rows);
            return true;
        }
        if (TOO_LARGE.matcher(reason).find()) {
            LOG.debug("batches of {} bytes are too large for the server", bodyBytes);
            synchronized (this) {
                refusedBytes = Math.min(refusedBytes, bodyBytes);
            }
            lowerBytes(Math.max(MIN_BYTES, bodyBytes / 2));
            return true;
        }
        return false;
    }

    /** A batch was refused for another reason, but all its rows are written in parts, the largest of which had this size. */
    void tookParts(int maxRows, int maxBytes) {
        LOG.debug("the server takes batches of {} rows and {} bytes, but refused a larger one", maxRows, maxBytes);
        lowerRows(maxRows);
        lowerBytes(Math.max(MIN_BYTES, maxBytes));
    }
}
