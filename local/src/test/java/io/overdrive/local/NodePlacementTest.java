package io.overdrive.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class PlaceTest {
    private static final BigInteger RING = BigInteger.ONE.shiftLeft(64);

    private final LocalOptions twoTimesThree = LocalOptions.builder()
            .port(0)
            .datacenters(2)
            .nodesPerDatacenter(3)
            .tokensPerNode(16)
            .build();

    @Test
    void givesEachNodeAnAddressAndAllTheSamePorts() {
        List<NodePlacement> places = NodePlacement.layOut(twoTimesThree, /* manyAddresses */ true, new Random(1));

        assertThat(places)
                .extracting(NodePlacement::address)
                .containsExactly("127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.6");
        assertThat(places)
                .extracting(NodePlacement::port)
                .containsOnly(places.get(0).port());
        assertThat(places)
                .extracting(NodePlacement::datacenter)
                .containsExactly("dc1", "dc1", "dc1", "dc2", "dc2", "dc2");
        assertThat(places).extracting(NodePlacement::jmxPort).doesNotHaveDuplicates();
    }

    @Test
    void givesEachNodeItsOwnPortsIfThereIsOneAddress() {
        List<NodePlacement> places = NodePlacement.layOut(twoTimesThree, /* manyAddresses */ false, new Random(1));

        assertThat(places).extracting(NodePlacement::address).containsOnly("127.0.0.1");
        assertThat(places).extracting(NodePlacement::port).doesNotHaveDuplicates();
        assertThat(places).extracting(NodePlacement::storagePort).doesNotHaveDuplicates();
    }

    @Test
    void givesNoPortTwice() {
        for (boolean manyAddresses : new boolean[] {true, false}) {
            RandomGenerator eachNumberTwice = new RandomGenerator() {
                private int calls;

                @Override
                public int nextInt(int from, int to) {
                    return from + calls++ / 2;
                }

                @Override
                public long nextLong() {
                    throw new UnsupportedOperationException();
                }
            };
            List<NodePlacement> places = NodePlacement.layOut(twoTimesThree, manyAddresses, eachNumberTwice);
            List<String> taken = new ArrayList<>();
            for (NodePlacement place : places) {
                taken.add(place.address() + ":" + place.port());
                taken.add(place.address() + ":" + place.storagePort());
                taken.add("127.0.0.1:" + place.jmxPort());
            }
            assertThat(taken).doesNotHaveDuplicates();
        }
    }

    @Test
    void spreadsTokensEvenlyAndNeverTwice() {
        List<NodePlacement> places = NodePlacement.layOut(twoTimesThree, true, new Random(1));
        List<Long> tokens = new ArrayList<>();
        places.forEach(place -> tokens.addAll(tokens(place, twoTimesThree)));
        tokens.sort(null);

        assertThat(tokens).hasSize(6 * 16).doesNotHaveDuplicates().doesNotContain(Long.MIN_VALUE);
        BigInteger step = RING.divide(BigInteger.valueOf(96));
        for (int i = 1; i < tokens.size(); i++) {
            BigInteger gap = BigInteger.valueOf(tokens.get(i)).subtract(BigInteger.valueOf(tokens.get(i - 1)));
            assertThat(gap).isBetween(step, step.add(BigInteger.ONE));
        }
    }

    @Test
    void dealsTokensOfADatacenterInTurn() {
        List<NodePlacement> places = NodePlacement.layOut(twoTimesThree, true, new Random(1));
        List<String> owners = new ArrayList<>();
        for (int j = 0; j < 16; j++) {
            int round = j;
            places.subList(3, 6).stream()
                    .sorted((a, b) -> Long.compare(
                            tokens(a, twoTimesThree).get(round),
                            tokens(b, twoTimesThree).get(round)))
                    .forEach(place -> owners.add(place.name()));
        }

        assertThat(new HashSet<>(owners.subList(0, 3))).containsExactlyInAnyOrder("node4", "node5", "node6");
        assertThat(owners.subList(3, 48)).isEqualTo(owners.subList(0, 45));
    }

    @Test
    void givesASingleTokenTheMiddleOfTheRing() {
        LocalOptions options = LocalOptions.builder().tokensPerNode(1).build();

        assertThat(NodePlacement.layOut(options, true, new Random(1)).get(0).tokens(options))
                .isEqualTo("0");
    }

    @Test
    void saysWhichPortIsTakenAndWhatToDo() throws IOException {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = other.getLocalPort();
            NodePlacement cql = new NodePlacement(1, "dc1", "127.0.0.1", port, 1, 1);
            assertThatThrownBy(cql::requireFreePorts)
                    .isInstanceOf(LocalClusterException.class)
                    .hasMessageContaining("node1 cannot listen on 127.0.0.1:" + port + ": another program does")
                    .hasMessageContaining("choose another port (0 takes a free one)");
        }
    }

    private static List<Long> tokens(NodePlacement place, LocalOptions options) {
        return List.of(place.tokens(options).split(",")).stream()
                .map(Long::valueOf)
                .toList();
    }
}
