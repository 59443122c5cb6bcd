package io.overdrive.local;

/** Sleeping; an interrupt becomes a {@link LocalClusterException}. Thread-safe: no state. */
final class Deadlines {
    private Deadlines() {}

    static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    static LocalClusterException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new LocalClusterException(
                "interrupted while waiting for the local cluster; `local stop` ends its nodes", e);
    }
}
