package io.overdrive.cli.watch;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.logging.Filter;
import java.util.logging.LogRecord;

/**
 * Leaves out messages of libraries that begin as another one of the last ten minutes. The driver has one for each node that is down every
 * ten seconds: with ten such nodes, one a second. Thread-safe.
 */
final class Repeats implements Filter {
    private static final Duration PERIOD = Duration.ofMinutes(10);
    private static final int MAX_MESSAGES = 4096;

    /** When messages were logged last, by their origin and what they begin with. */
    private final Map<String, Instant> last = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Instant> eldest) {
            return size() > MAX_MESSAGES;
        }
    };

    @Override
    public synchronized boolean isLoggable(LogRecord message) {
        String origin = String.valueOf(message.getLoggerName());
        if (origin.startsWith(Logging.OURS)) {
            return true;
        }
        String text = String.valueOf(message.getMessage());
        int details = text.indexOf('(');
        String key = origin + " " + (details < 0 ? text : text.substring(0, details));
        Instant before = last.get(key);
        if (before != null && message.getInstant().isBefore(before.plus(PERIOD))) {
            return false;
        }
        last.put(key, message.getInstant());
        return true;
    }
}
