package io.overdrive.local;

/** Sleeps; an interrupt becomes a {@link LocalClusterException}. Stateless. */
final class Sleep {
    private Sleep() {}

    static void millis(long millis) {
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
