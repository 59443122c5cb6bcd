package io.overdrive.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

class RepeatsTest {
    private static final String DRIVER = "com.datastax.oss.driver.internal.core.pool.ChannelPool";

    private final Repeats repeats = new Repeats();

    private boolean logs(String logger, String text, int second) {
        LogRecord message = new LogRecord(Level.WARNING, text);
        message.setLoggerName(logger);
        message.setInstant(Instant.ofEpochSecond(second));
        return repeats.isLoggable(message);
    }

    private boolean logs(String node, int second) {
        return logs(DRIVER, "[s0|/" + node + "]  Error while opening new channel (id 0x" + second + ")", second);
    }

    @Test
    void aNodeThatIsDownIsNamedOnceInTenMinutes() {
        assertThat(logs("10.0.0.1:9042", 0)).isTrue();
        assertThat(logs("10.0.0.2:9042", 1)).isTrue();
        assertThat(logs("10.0.0.1:9042", 10)).isFalse();
        assertThat(logs("10.0.0.2:9042", 599)).isFalse();
        assertThat(logs("10.0.0.1:9042", 600)).isTrue();
        assertThat(logs("10.0.0.1:9042", 610)).isFalse();
    }

    @Test
    void otherMessagesAndOursAreKept() {
        assertThat(logs(DRIVER, "one", 0)).isTrue();
        assertThat(logs(DRIVER, "other", 0)).isTrue();
        assertThat(logs(DRIVER + "2", "one", 0)).isTrue();
        assertThat(logs(Logging.RUN, "one", 0)).isTrue();
        assertThat(logs(Logging.RUN, "one", 0)).isTrue();
    }
}
