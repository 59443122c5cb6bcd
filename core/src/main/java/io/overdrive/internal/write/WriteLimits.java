package io.overdrive.internal.write;

import io.overdrive.WriteOptions;

/**
 * The limits of a writer, for each node: those of the options, but no more than their number of nodes leaves of what this process
 * can have in flight altogether. Each request takes heap until it is answered, and time of this process, too. Immutable.
 *
 * @param requests maximum in flight to each node
 * @param bytes likewise; a larger request is sent while nothing else is in flight
 * @param startCost in flight at first
 * @param maxBatchBytes upper bound of the search for the size of batches, as one batch is in flight to each node in any case
 */
public record WriteLimits(int requests, long bytes, long startCost, int maxBatchBytes) {
    /** The maximum to all nodes together; with 100 ms for each, still 650,000 requests a second. */
    private static final int REQUESTS_OF_ALL = 1 << 16;
    /** Bytes in flight to all nodes are at most this part of the heap. */
    private static final int SHARE_OF_HEAP = 8;
    /** Enough for the first requests of a job, and little for any node. */
    private static final long START_COST = 128 << 10;
    /** The same for all nodes together: this process has to handle their answers, too. */
    private static final long START_COST_OF_ALL = 4 << 20;

    private static final long KIB = 1 << 10;

    /** @param nodes that get requests */
    public static WriteLimits of(WriteOptions options, int nodes) {
        return of(options, nodes, Runtime.getRuntime().maxMemory());
    }

    static WriteLimits of(WriteOptions options, int nodes, long heapBytes) {
        int all = Math.max(1, nodes);
        long share = Math.max(KIB, heapBytes / SHARE_OF_HEAP / all / KIB * KIB);
        return new WriteLimits(
                Math.min(options.inFlightRequests(), Math.max(1, REQUESTS_OF_ALL / all)),
                Math.min(options.inFlightBytes(), share),
                Math.min(START_COST, START_COST_OF_ALL / all),
                (int) Math.max(options.batchBytes(), Math.min(Grouper.MAX_BATCH_BYTES, share)));
    }
}
