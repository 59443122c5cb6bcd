package io.overdrive.bench;

/** A measurement of a run. JSON reports contain the names of the constants: don't rename them. */
public enum Figure {
    SECONDS("time", "s", Better.LOWER),
    ROWS_PER_SECOND("rows per second", "rows/s", Better.HIGHER),
    MEGABYTES_PER_SECOND("megabytes per second", "MB/s", Better.HIGHER),
    OPERATIONS_PER_SECOND("operations per second", "op/s", Better.HIGHER),
    LAST_TENTH("last-tenth to first-tenth throughput ratio", "times", Better.HIGHER),
    RATE_ASKED("target rate", "rows/s", Better.NEITHER),
    RATE_KEPT("achieved / target rate", "times", Better.HIGHER),
    SORTING("sorting time", "s", Better.LOWER),
    CLIENT_CPU("client CPU", "µs/row", Better.LOWER),
    CLIENT_CPU_PER_MEGABYTE("client CPU", "ms/MB", Better.LOWER),
    SERVER_CPU("CPU of all nodes", "µs/row", Better.LOWER),
    SERVER_CPU_PER_MEGABYTE("CPU of all nodes", "ms/MB", Better.LOWER),
    NODE_LOAD("mean CPU of the nodes", "% of a core", Better.NEITHER),
    CLIENT_LOAD("CPU of the client", "% of a core", Better.NEITHER),
    GARBAGE_COLLECTION("garbage collection in the client", "% of the time", Better.LOWER),
    P50("median latency", "ms", Better.LOWER),
    P95("p95 latency", "ms", Better.LOWER),
    P99("p99 latency", "ms", Better.LOWER),
    MAX("maximum latency", "ms", Better.LOWER),
    ROWS("rows", "rows", Better.NEITHER),
    REQUESTS("requests", "requests", Better.NEITHER),
    ROWS_PER_REQUEST("rows per request", "rows", Better.NEITHER),
    BYTES_PER_REQUEST("bytes per request", "bytes", Better.NEITHER),
    PARTITIONS_PER_BATCH("partitions per batch, counted by the servers", "partitions", Better.LOWER),
    RETRIES("retries", "requests", Better.LOWER),
    ERRORS("failed", "rows", Better.LOWER),
    PENDING_COMPACTIONS("pending compactions at the end", "tasks", Better.LOWER),
    COMPACTIONS_GROWTH("growth of pending compactions", "tasks/min", Better.LOWER),
    COMPACTED_MEGABYTES("compacted during the run", "MB", Better.NEITHER),
    PEAK_MEMORY("peak heap in use", "MB", Better.LOWER),
    SPLIT_MEGABYTES("megabytes per split", "MB", Better.NEITHER),
    SPLIT_VARIATION("variation of rows per split", "sd/mean", Better.LOWER),
    FOREGROUND_P50("foreground median latency", "ms", Better.LOWER),
    FOREGROUND_P95("foreground p95 latency", "ms", Better.LOWER),
    FOREGROUND_P99("foreground p99 latency", "ms", Better.LOWER),
    FOREGROUND_RISE("foreground p95 latency, relative to baseline", "times", Better.LOWER),
    FOREGROUND_UNDISTURBED("seconds with foreground p99 within 1.5 times the baseline", "%", Better.HIGHER),
    FOREGROUND_RATE("foreground rate", "op/s", Better.HIGHER),
    FOREGROUND_ASKED("foreground target rate", "op/s", Better.NEITHER);

    /** Which direction of a change is better. */
    public enum Better {
        HIGHER,
        LOWER,
        NEITHER
    }

    private final String label;
    private final String unit;
    private final Better better;

    Figure(String label, String unit, Better better) {
        this.label = label;
        this.unit = unit;
        this.better = better;
    }

    /** The name that reports show, without the unit. */
    public String label() {
        return label;
    }

    public String unit() {
        return unit;
    }

    public Better better() {
        return better;
    }
}
