package io.overdrive.bench;

/** What is measured in a run. The constants' names stand in JSON reports: don't rename them. */
public enum Figure {
    SECONDS("time", "s", Better.LOWER),
    ROWS_PER_SECOND("rows per second", "rows/s", Better.HIGHER),
    MEGABYTES_PER_SECOND("megabytes per second", "MB/s", Better.HIGHER),
    OPERATIONS_PER_SECOND("operations per second", "op/s", Better.HIGHER),
    LAST_TENTH("rate of the last tenth, by that of the first", "times", Better.HIGHER),
    RATE_ASKED("rows per second asked for", "rows/s", Better.NEITHER),
    RATE_KEPT("rate got, by that asked for", "times", Better.HIGHER),
    SORTING("sorting", "s", Better.LOWER),
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
    MAX("highest latency", "ms", Better.LOWER),
    ROWS("rows", "rows", Better.NEITHER),
    REQUESTS("requests", "requests", Better.NEITHER),
    ROWS_PER_REQUEST("rows per request", "rows", Better.NEITHER),
    BYTES_PER_REQUEST("bytes per request", "bytes", Better.NEITHER),
    PARTITIONS_PER_BATCH("partitions per batch, as the servers count", "partitions", Better.LOWER),
    RETRIES("requests sent again", "requests", Better.LOWER),
    ERRORS("failed", "rows", Better.LOWER),
    PENDING_COMPACTIONS("pending compactions at the end", "tasks", Better.LOWER),
    COMPACTIONS_GROWTH("growth of pending compactions", "tasks/min", Better.LOWER),
    COMPACTED_MEGABYTES("compacted meanwhile", "MB", Better.NEITHER),
    PEAK_MEMORY("highest heap in use", "MB", Better.LOWER),
    SPLIT_MEGABYTES("megabytes of rows in a split", "MB", Better.NEITHER),
    SPLIT_VARIATION("variation of rows per split", "sd/mean", Better.LOWER),
    FOREGROUND_P50("median latency of the other users", "ms", Better.LOWER),
    FOREGROUND_P95("p95 latency of the other users", "ms", Better.LOWER),
    FOREGROUND_P99("p99 latency of the other users", "ms", Better.LOWER),
    FOREGROUND_RISE("p95 latency of the other users, by that before", "times", Better.LOWER),
    FOREGROUND_RATE("rate the other users got", "op/s", Better.HIGHER),
    FOREGROUND_ASKED("rate the other users asked for", "op/s", Better.NEITHER);

    /** Which way a change of a figure is for the better. */
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

    /** In words, for people: without the unit. */
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
