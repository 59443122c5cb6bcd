package io.overdrive;

/** Which rows may share a request. */
public enum Grouping {
    /**
     * Rows of one partition: one mutation for the server. Off if the schema makes each partition a single row. Single rows share
     * requests only if no grouping is set ({@link WriteOptions#gathersSingles}).
     */
    PARTITION,
    /**
     * Rows whose partitions have the same replicas: fewer requests, more work for the coordinator. Keep
     * {@code batchBytes} small: with default settings the server warns of batches from 5 KiB and refuses them from 50 KiB.
     */
    REPLICA_SET,
    /** Each row is sent on its own. */
    NONE
}
