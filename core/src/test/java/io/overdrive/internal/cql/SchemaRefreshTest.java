package io.overdrive.internal.cql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SchemaRefreshTest {
    private final CompletableFuture<Metadata> refresh = new CompletableFuture<>();
    private final CqlSession session = (CqlSession) Proxy.newProxyInstance(
            CqlSession.class.getClassLoader(), new Class<?>[] {CqlSession.class}, (self, method, args) -> refresh);

    /** CI once waited for an hour in such a refresh. */
    @Test
    void isAnErrorIfTheDriverLeavesItPending() {
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> SchemaRefresh.run(session, () -> true, Duration.ofMillis(10)))
                .withMessageContaining("lost its control connection")
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.CONNECT));
    }

    /** It is not known then that a table is missing, for which callers would propose --create. */
    @Test
    void reportsWhyItFailed() {
        refresh.completeExceptionally(new IllegalStateException("Control channel not available"));
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> SchemaRefresh.run(session, () -> true, Duration.ofSeconds(10)))
                .withMessageContaining("Control channel not available")
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.CONNECT));
    }

    @Test
    void saysHowToReadOtherKeyspacesIfOneHasATypeThatIsGone() {
        refresh.completeExceptionally(new IllegalStateException("Can't find referenced user type u1"));
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> SchemaRefresh.run(session, () -> true, Duration.ofSeconds(10)))
                .withMessageContaining("user type u1; a table of some keyspace still has a type that was dropped")
                .withMessageEndingWith("refreshed-keyspaces = [\"ks\"]");
    }

    @Test
    void waitsForTheControlConnectionAsTheDriverWouldNot() {
        Metadata metadata = (Metadata) Proxy.newProxyInstance(
                Metadata.class.getClassLoader(), new Class<?>[] {Metadata.class}, (self, method, args) -> null);
        AtomicInteger asked = new AtomicInteger();
        refresh.complete(metadata);
        assertThat(SchemaRefresh.run(session, () -> asked.incrementAndGet() > 3, Duration.ofSeconds(10)))
                .isSameAs(metadata);
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> SchemaRefresh.run(session, () -> false, Duration.ofMillis(10)))
                .withMessageContaining("no node takes a new one");
    }
}
