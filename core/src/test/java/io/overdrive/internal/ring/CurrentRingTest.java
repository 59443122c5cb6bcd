package io.overdrive.internal.ring;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class CurrentRingTest {
    private final AtomicReference<NodeDistance> distance = new AtomicReference<>(NodeDistance.LOCAL);
    private final AtomicReference<Metadata> metadata = new AtomicReference<>(metadata());
    private final CurrentRing current = new CurrentRing(metadata::get, CqlIdentifier.fromInternal("ks"));

    private Metadata metadata() {
        Node node = (Node) Proxy.newProxyInstance(
                Node.class.getClassLoader(),
                new Class<?>[] {Node.class},
                (self, method, args) -> switch (method.getName()) {
                    case "getDistance" -> distance.get();
                    case "equals" -> self == args[0];
                    case "hashCode" -> 1;
                    default -> "node";
                });
        Map<String, Object> answers =
                Map.of("getNodes", Map.of(UUID.randomUUID(), node), "getTokenMap", Optional.empty());
        return (Metadata) Proxy.newProxyInstance(
                Metadata.class.getClassLoader(),
                new Class<?>[] {Metadata.class},
                (self, method, args) -> answers.get(method.getName()));
    }

    @Test
    void isBuiltOnceAsLongAsTheMetadataStayTheSame() {
        assertThat(current.now()).isSameAs(current.now());
    }

    @Test
    void isRebuiltWhenTheMetadataChange() {
        Ring before = current.now();
        metadata.set(metadata());
        assertThat(current.now()).isNotSameAs(before);
        assertThat(current.now()).isSameAs(current.now());
    }

    @Test
    void isRebuiltWhenANodeBecomesLocalInTheSameMetadata() {
        distance.set(NodeDistance.IGNORED);
        assertThat(current.now().allLocalNodes().nodes()).isEmpty();
        distance.set(NodeDistance.LOCAL);
        current.forget();
        assertThat(current.now().allLocalNodes().nodes()).hasSize(1);
    }
}
