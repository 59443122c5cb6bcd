package io.overdrive.internal.write;

import java.util.OptionalLong;

/**
 * How large a batch of several partitions may be without a warning in the server's log. Immutable.
 *
 * @param partitions at most this many
 * @param bytes as the server counts them, at most this many
 */
record BatchWarnings(int partitions, int bytes) {
    /** Thresholds as shipped; servers before 4.0 do not report theirs. */
    private static final BatchWarnings DEFAULT = new BatchWarnings(10, 5 << 10);

    /** The thresholds that the server reports, or the shipped values where it reports none. */
    static BatchWarnings of(ServerSettings settings) {
        String partitions = settings.values().getOrDefault(ServerSettings.WARN_PARTITIONS, "");
        OptionalLong warn = settings.bytes(ServerSettings.WARN_SIZE);
        long bytes = Math.min(
                warn.orElse(DEFAULT.bytes),
                settings.bytes(ServerSettings.FAIL_SIZE).orElse(Long.MAX_VALUE));
        return new BatchWarnings(
                partitions.matches("-?\\d{1,9}") ? Math.min(Integer.parseInt(partitions), 0xFFFF) : DEFAULT.partitions,
                (int) Math.min(bytes, Integer.MAX_VALUE));
    }
}
