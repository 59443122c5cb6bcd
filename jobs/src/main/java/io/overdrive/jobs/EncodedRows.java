package io.overdrive.jobs;

import io.overdrive.Grouping;
import io.overdrive.RowWriter;
import io.overdrive.WriteOptions;
import io.overdrive.internal.write.Grouper;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Rows that a dry run encodes and does not write: their number, bytes and partitions, from which the requests of a run follow. Each thread
 * adds rows to its own {@link Part}; the figures are complete when these threads have ended.
 */
public final class EncodedRows {
    private final Queue<Part> parts = new ConcurrentLinkedQueue<>();

    /** The rows of one thread. Confined to it until it has ended. */
    public static final class Part {
        private final PartitionSample partitions = new PartitionSample(PartitionSample.MAX_PARTITIONS);
        private long rows;
        private long bytes;
        private long token;
        /** The rows with the token that came last. */
        private long runRows;

        private long runBytes;

        private Part() {}

        /** Adds the current row of a writer. */
        public void add(RowWriter row) {
            add(row.partitionToken(), row.rowBytes());
        }

        void add(long tokenOfRow, int bytesOfRow) {
            if (tokenOfRow != token) {
                endRun();
                token = tokenOfRow;
            }
            rows++;
            bytes += bytesOfRow;
            runRows++;
            runBytes += bytesOfRow;
        }

        private void endRun() {
            if (runRows > 0) {
                partitions.add(token, runRows, runBytes, /* runs */ 1);
                runRows = 0;
                runBytes = 0;
            }
        }
    }

    /** A part for another thread. May be called by any thread. */
    public Part part() {
        Part part = new Part();
        parts.add(part);
        return part;
    }

    /** The rows, which are not sent in requests. */
    public Plan.Encoded total() {
        long rows = 0;
        long bytes = 0;
        for (Part part : parts) {
            rows += part.rows;
            bytes += part.bytes;
        }
        long partitions = Math.min(rows, Math.round(partitions().sum((itsRows, itsBytes) -> 1)));
        return new Plan.Encoded(rows, bytes, partitions, /* minRequests */ 0, /* requests */ 0);
    }

    /** The rows, and the requests in which a writer would send them. */
    public Plan.Encoded total(RowWriter writer, WriteOptions options) {
        return total(writer.grouping(), writer.maxGatheredRows(), options);
    }

    /** @param maxGatheredRows maximum number of single rows in a request */
    Plan.Encoded total(Grouping grouping, int maxGatheredRows, WriteOptions options) {
        Plan.Encoded all = total();
        long full = requests(all.rows(), all.bytes(), options.batchRows(), options.batchBytes());
        return switch (grouping) {
            case NONE -> all.in(all.rows() / maxGatheredRows, all.rows());
            case REPLICA_SET -> all.in(full, full);
            case PARTITION -> {
                int maxBytes = Math.max(
                        options.batchBytes(), options.findsBatchBytes() ? Grouper.MAX_BATCH_BYTES : /* none */ 0);
                PartitionSample partitions = partitions();
                double min = partitions.sum((rows, bytes) ->
                        rows == 1 ? 1.0 / maxGatheredRows : requests(rows, bytes, options.batchRows(), maxBytes));
                double expected = partitions.sum(
                        (rows, bytes) -> requests(rows, bytes, options.batchRows(), options.batchBytes()));
                // a sample may lack the largest partitions, and no run sends more requests than rows
                long most = Math.min(all.rows(), Math.max(full, Math.round(expected)));
                yield all.in(Math.min(most, Math.round(min)), most);
            }
        };
    }

    private PartitionSample partitions() {
        PartitionSample all = new PartitionSample(PartitionSample.MAX_PARTITIONS);
        for (Part part : parts) {
            part.endRun();
            all.add(part.partitions);
        }
        return all;
    }

    /** The number of full batches for rows. */
    private static long requests(long rows, long bytes, int batchRows, int batchBytes) {
        return Math.max((rows + batchRows - 1) / batchRows, (bytes + batchBytes - 1) / batchBytes);
    }
}
