package io.overdrive.internal.wire;

/** A writer, scan or lookup that may be held back for the cluster's other users. Thread-safe. */
public interface BulkWork extends AutoCloseable {
    /** Never held back. */
    BulkWork FREE = new BulkWork() {
        @Override
        public void begin() {}

        @Override
        public void close() {}
    };

    /**
     * Begins the bulk work. Must be called before the first request; later calls do nothing. May wait while the
     * guard measures the latency that the cluster's users have without bulk work.
     *
     * @throws io.overdrive.OverdriveException of kind CONNECT if that is not possible
     */
    void begin();

    /** There will be no more requests. */
    @Override
    void close();
}
