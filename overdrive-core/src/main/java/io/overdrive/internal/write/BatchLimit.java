package io.overdrive.internal.write;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import java.util.OptionalLong;
import java.util.function.IntSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many bytes a batch may have before it is sent. Servers refuse batches of several partitions from a threshold on, and
 * count more bytes than a request has, up to several times as many for rows of many small cells: so the limit stays below
 * the threshold, and is lowered when the server refuses a batch. Thread-safe; read on the hot path (write step 3).
 */
final class BatchLimit {
    private static final Logger LOG = LoggerFactory.getLogger(BatchLimit.class);
    /** Share of the server's threshold that is used: rows of a few large cells are hardly larger on the server than in the request. */
    private static final double SHARE_OF_THRESHOLD = 5 / 8.0;

    private static final int MIN_BYTES = 1 << 10;
    /** The server's words. */
    private static final String TOO_LARGE = "Batch too large";

    private static final Pattern SIZE = Pattern.compile("(\\d+) *(B|KiB|MiB|GiB)?");

    private volatile int bytes;
    private final IntSupplier aim;

    BatchLimit(int bytes) {
        this(bytes, () -> Integer.MAX_VALUE);
    }

    /** @param aim what batches should have now, if that is less; read on the hot path */
    BatchLimit(int bytes, IntSupplier aim) {
        this.bytes = bytes;
        this.aim = aim;
    }

    /** For batches of several partitions: asks the server for its threshold; if it does not report one, nothing changes. */
    void stayBelowThreshold(CqlSession session) {
        threshold(session).ifPresent(threshold -> lower(Math.round(threshold * SHARE_OF_THRESHOLD)));
    }

    private synchronized void lower(long maxBytes) {
        bytes = (int) Math.max(1, Math.min(bytes, maxBytes));
    }

    int bytes() {
        return Math.min(bytes, aim.getAsInt());
    }

    /** If the server has refused a batch for its size, those to come have at most half of that. */
    void refused(int bodyBytes, String reason) {
        if (reason.startsWith(TOO_LARGE)) {
            LOG.debug("batches of {} bytes are too large for the server", bodyBytes);
            lower(Math.max(MIN_BYTES, bodyBytes / 2));
        }
    }

    /** Servers before 4.0 do not report it; from 4.1 on it has another name, and its value a unit. */
    private static OptionalLong threshold(CqlSession session) {
        try {
            for (Row row : session.execute("SELECT name, value FROM system_views.settings WHERE name IN"
                    + " ('batch_size_fail_threshold', 'batch_size_fail_threshold_in_kb')")) {
                String value = row.getString(1);
                if (value != null) {
                    return bytes(value);
                }
            }
        } catch (DriverException e) {
            LOG.debug("the server does not report its batch_size_fail_threshold", e);
        }
        return OptionalLong.empty();
    }

    /** {@code 50KiB}, {@code 1MiB} or, from 4.0, just {@code 50}, which counts KiB; empty for anything else. */
    static OptionalLong bytes(String value) {
        Matcher size = SIZE.matcher(value);
        if (!size.matches() || size.group(1).length() > 9) {
            return OptionalLong.empty();
        }
        String unit = size.group(2) == null ? "KiB" : size.group(2);
        int shift =
                switch (unit) {
                    case "B" -> 0;
                    case "KiB" -> 10;
                    case "MiB" -> 20;
                    default -> 30;
                };
        return OptionalLong.of(Long.parseLong(size.group(1)) << shift);
    }
}
