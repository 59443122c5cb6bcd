package io.overdrive.internal.flow;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.internal.core.metadata.DefaultEndPoint;
import com.datastax.oss.driver.internal.core.metadata.SniEndPoint;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NodeNameTest {
    private static final byte[] ADDRESS = {10, 0, 0, 1};

    @Test
    void isTheAddress() throws UnknownHostException {
        assertThat(name(new InetSocketAddress(InetAddress.getByAddress(ADDRESS), 9042)))
                .isEqualTo("10.0.0.1:9042");
        assertThat(name(new InetSocketAddress(InetAddress.getByAddress("db1.example", ADDRESS), 9042)))
                .isEqualTo("10.0.0.1:9042");
    }

    @Test
    void isTheHostIfItHasNoAddress() {
        assertThat(name(InetSocketAddress.createUnresolved("db1.example", 9042)))
                .isEqualTo("db1.example:9042");
    }

    @Test
    void behindAProxyIsWithTheNameThatTheProxyKnows() throws UnknownHostException {
        InetSocketAddress proxy = new InetSocketAddress(InetAddress.getByAddress("proxy.example", ADDRESS), 29042);
        assertThat(NodeName.of(new SniEndPoint(proxy, "a1b2"))).isEqualTo("10.0.0.1:29042:a1b2");
    }

    @Test
    void namesTenOfMany() {
        List<Node> nodes = IntStream.rangeClosed(1, 12)
                .mapToObj(i -> NamedNode.of("10.0.0." + i))
                .toList();
        assertThat(NodeName.listed(nodes.subList(0, 1))).isEqualTo("node 10.0.0.1:9042");
        assertThat(NodeName.listed(nodes.subList(0, 2))).isEqualTo("nodes 10.0.0.1:9042, 10.0.0.2:9042");
        assertThat(NodeName.listed(nodes.subList(0, 10))).endsWith(", 10.0.0.10:9042");
        assertThat(NodeName.listed(nodes.subList(0, 11))).endsWith(", 10.0.0.10:9042 and 1 other");
        assertThat(NodeName.listed(nodes)).endsWith(", 10.0.0.10:9042 and 2 others");
    }

    private static String name(InetSocketAddress address) {
        return NodeName.of(new DefaultEndPoint(address));
    }
}
