package io.overdrive;

/** Which rows may travel in one request. */
public enum Grouping {
    /** Rows of one partition: one mutation for the server. Turns itself off where a partition is one row. */
    PARTITION,
    /**
     * Rows whose partitions live on the same replicas: fewer requests, more work for the coordinator. Keep
     * {@code batchBytes} small: the server warns from 5 KiB and refuses from 50 KiB a batch in its default settings.
     */
    REPLICA_SET,
    /** Each row by itself. */
    NONE
}
