package io.overdrive.internal.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.Version;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.OverdriveException;
import io.overdrive.internal.wire.ScriptedTransport;
import io.overdrive.internal.write.HiddenValues.Written;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HiddenValuesTest {
    private boolean isDropped;
    private boolean isAgreed = true;
    private boolean dropArrives;
    private int waits;
    private final ScriptedTransport cluster = new ScriptedTransport(3);
    /** Which knows the drop before all others. */
    private @Nullable Node coordinator;

    private List<Node> nodes = List.of(cluster.node(0), cluster.node(1), cluster.node(2));

    /** A cluster in which a drop arrives at the node that is asked when the nodes agree. */
    private final CqlSession session = proxy(CqlSession.class, (method, args) -> switch (method) {
        case "checkSchemaAgreement" -> {
            waits++;
            isDropped |= dropArrives;
            yield isAgreed;
        }
        case "execute" -> {
            Node node = ((Statement<?>) args[0]).getNode();
            yield proxy(ResultSet.class, (getter, none) -> rows(node).iterator());
        }
        case "getMetadata" ->
            proxy(Metadata.class, (getter, none) -> IntStream.range(0, nodes.size())
                    .boxed()
                    .collect(Collectors.toMap(i -> new UUID(0, i), nodes::get)));
        default -> null;
    });

    private List<Row> rows(@Nullable Node node) {
        return isDropped || (node != null && node == coordinator)
                ? List.of(proxy(
                        Row.class,
                        (getter, column) -> column[0].equals(0) ? "v" : Instant.parse("2026-01-31T13:45:00Z")))
                : List.of();
    }

    private static <T> T proxy(Class<T> type, BiFunction<String, Object[], @Nullable Object> answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, args) -> answer.apply(method.getName(), args == null ? new Object[0] : args)));
    }

    private HiddenValues values() {
        return HiddenValues.of(
                session,
                CqlIdentifier.fromInternal("ks"),
                CqlIdentifier.fromInternal("t"),
                List.of(new Written("v", 0)));
    }

    @Test
    void waitsForTheNodesToAgreeBeforeItSaysThatNothingWasDropped() {
        HiddenValues values = values();
        dropArrives = true;
        assertThatThrownBy(() -> values.refuseIfDroppedMeanwhile(session))
                .isInstanceOf(OverdriveException.class)
                .hasMessageStartingWith(
                        "[ks.t] column \"v\" was dropped at 2026-01-31T13:45:00Z, while rows were written");
        assertThat(waits).isOne();
    }

    @Test
    void asksEachNodeIfTheyNeverAgree() {
        HiddenValues values = values();
        isAgreed = false;
        coordinator = cluster.node(2);
        assertThatThrownBy(() -> values.refuseIfDroppedMeanwhile(session))
                .isInstanceOf(OverdriveException.class)
                .hasMessageStartingWith(
                        "[ks.t] column \"v\" was dropped at 2026-01-31T13:45:00Z, while rows were written");
    }

    /** A cluster that is upgraded is like that. */
    @Test
    void doesNotFailIfTheNodesNeverAgree() {
        HiddenValues values = values();
        isAgreed = false;
        values.refuseIfDroppedMeanwhile(session);
        assertThat(waits).isOne();
    }

    /** Then a wait would be for nothing. */
    @Test
    void asksEachNodeAtOnceIfTheyAreOfSeveralReleases() {
        HiddenValues values = values();
        nodes = List.of(node("4.0.13"), node("4.1.7"));
        values.refuseIfDroppedMeanwhile(session);
        coordinator = nodes.get(1);
        assertThatThrownBy(() -> values.refuseIfDroppedMeanwhile(session))
                .isInstanceOf(OverdriveException.class)
                .hasMessageStartingWith(
                        "[ks.t] column \"v\" was dropped at 2026-01-31T13:45:00Z, while rows were written");
        assertThat(waits).isZero();

        nodes = List.of(node("4.1.6"), node("4.1.7"));
        coordinator = null;
        values.refuseIfDroppedMeanwhile(session);
        assertThat(waits).isOne();
    }

    private static Node node(String release) {
        return proxy(Node.class, (method, args) -> switch (method) {
            case "getCassandraVersion" -> Version.parse(release);
            case "getOpenConnections" -> 1;
            default -> null;
        });
    }
}
