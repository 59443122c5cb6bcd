package io.overdrive.cli.options;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import io.overdrive.ConnectOptions;
import io.overdrive.Overdrive;
import io.overdrive.cli.options.KeptConnections.Outcome;
import io.overdrive.simulated.SimulatedCluster;
import io.overdrive.simulated.SimulatedOptions;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class KeptConnectionsTest {
    private static SimulatedCluster cluster;

    private final AtomicLong nanos = new AtomicLong();
    private final KeptConnections kept = new KeptConnections(nanos::get);

    @BeforeAll
    static void start() {
        cluster = SimulatedCluster.start(
                SimulatedOptions.builder().nodesPerDatacenter(1).build());
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void close() {
        kept.close();
    }

    private static ConnectOptions.Builder options() {
        return ConnectOptions.builder().contactPoint(cluster.contactPoint());
    }

    private CqlSession session(ConnectOptions options) {
        try (Overdrive overdrive = kept.connect(options)) {
            return overdrive.session();
        }
    }

    @Test
    void aConnectionIsKeptUntilItHasLongBeenIdle() {
        CqlSession first = session(options().build());
        kept.ended(Outcome.DONE);
        assertThat(session(options().build())).isSameAs(first);
        kept.ended(Outcome.DONE);
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(5) - 1);
        kept.closeIdle();
        assertThat(first.isClosed()).isFalse();
        nanos.addAndGet(1);
        kept.closeIdle();
        assertThat(first.isClosed()).isTrue();
        assertThat(session(options().build())).isNotSameAs(first);
    }

    @Test
    void aConnectionServesTheSameOptionsOnly() {
        CqlSession first = session(options().credentials("app", "one").build());
        kept.ended(Outcome.DONE);
        assertThat(session(options().credentials("app", "two").build())).isNotSameAs(first);
        assertThat(session(options().build())).isNotSameAs(first);
        assertThat(session(options().credentials("app", "one").datacenter("dc1").build()))
                .isNotSameAs(first);
        assertThat(session(options()
                        .credentials("app", "one")
                        .keyspaces(List.of("simulated"))
                        .build()))
                .isNotSameAs(first);
        assertThat(session(options().credentials("app", "one").build())).isSameAs(first);
    }

    @Test
    void eachConnectionOfACallHasItsSession() {
        CqlSession first = session(options().build());
        CqlSession second = session(options().build());
        assertThat(second).isNotSameAs(first);
        kept.ended(Outcome.DONE);
        assertThat(session(options().build())).isSameAs(first);
        assertThat(session(options().build())).isSameAs(second);
    }

    @Test
    void theConnectionOfAFailedCallIsClosed() {
        CqlSession first = session(options().build());
        kept.ended(Outcome.OTHERWISE);
        assertThat(first.isClosed()).isTrue();
    }

    @Test
    void aConnectionThatIsDeadIsReplaced() {
        CqlSession first = session(options().build());
        kept.ended(Outcome.DONE);
        first.close();
        CqlSession second = session(options().build());
        assertThat(second).isNotSameAs(first);
        assertThat(second.isClosed()).isFalse();
    }

    @Test
    void atMostFourAreIdle() {
        CqlSession first = session(options().build());
        for (int i = 0; i < 4; i++) {
            assertThat(session(options().build()).isClosed()).isFalse();
        }
        kept.ended(Outcome.DONE);
        assertThat(first.isClosed()).isTrue();
    }

    @Test
    void keysForTlsAreThoseOfTheSameParts() {
        SSLContext first = kept.tls(List.of("ca", "secret"), KeptConnectionsTest::context);
        assertThat(kept.tls(List.of("ca", "secret"), KeptConnectionsTest::context))
                .isSameAs(first);
        assertThat(kept.tls(List.of("ca", "other"), KeptConnectionsTest::context))
                .isNotSameAs(first);
    }

    private static SSLContext context() {
        try {
            return SSLContext.getInstance("TLS");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
