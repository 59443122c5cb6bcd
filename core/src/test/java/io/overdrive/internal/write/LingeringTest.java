package io.overdrive.internal.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.internal.wire.ScriptedTransport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LingeringTest {
    private static final Duration LINGER = Duration.ofMillis(100);

    private final ScriptedTransport cluster = new ScriptedTransport(1);
    private final List<String> calls = new ArrayList<>();

    private final class Groups implements Lingering.Groups {
        private boolean holdRows = true;

        @Override
        public void sendAged() {
            calls.add("sendAged");
            if (!holdRows) {
                throw new IllegalStateException("no rows");
            }
        }

        @Override
        public boolean holdRows() {
            return holdRows;
        }

        @Override
        public void onException(Throwable cause) {
            calls.add(String.valueOf(cause.getMessage()));
        }
    }

    private final Groups groups = new Groups();
    private final Lingering lingering = new Lingering(cluster, LINGER, groups);

    @Test
    void ticksTwiceALingerWhileThereAreRows() {
        cluster.pass(LINGER);
        assertThat(calls).isEmpty();
        for (int i = 0; i < 10; i++) {
            lingering.wake();
        }
        cluster.pass(LINGER.multipliedBy(5));
        assertThat(calls).hasSize(10).containsOnly("sendAged");
    }

    @Test
    void reportsAnUnexpectedExceptionAndEnds() {
        lingering.wake();
        groups.holdRows = false;
        cluster.pass(LINGER.multipliedBy(5));
        assertThat(calls).containsExactly("sendAged", "no rows");
    }

    @Test
    void doesNothingOnceItHasEnded() {
        lingering.wake();
        lingering.endAndWait();
        lingering.wake();
        cluster.pass(LINGER.multipliedBy(5));
        assertThat(calls).isEmpty();
        assertThat(cluster.scheduledTasks()).isZero();
    }

    @Test
    void doesNotWakeOnceItHasEnded() {
        lingering.end();
        lingering.wake();
        assertThat(cluster.scheduledTasks()).isZero();
    }
}
