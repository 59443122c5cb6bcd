package io.overdrive.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class NodeFilesTest {
    private final Server server = new Server(
            ServerVersion.of("5.0"),
            new ServerJdk(Path.of("/jdk"), "17.0.1"),
            List.of(Path.of("/lib dir/a.jar"), Path.of("/lib dir/jamm-1.jar")),
            Path.of("/lib dir/x.jsa"));

    @Test
    void fillsInTheTemplateAndReplacesLinesBySettings() {
        LocalOptions options = LocalOptions.builder()
                .datacenters(2)
                .nodesPerDatacenter(2)
                .setting("authenticator", "PasswordAuthenticator")
                .setting("write_request_timeout", "50ms")
                .build();
        List<NodePlacement> places = NodePlacement.layOut(options, true, new Random(1));
        String yaml = NodeFiles.yaml(places.get(3), new ClusterState(options, places, false));

        assertThat(yaml)
                .contains("listen_address: 127.0.0.4\n", "native_transport_port: 9042\n", "num_tokens: 16\n")
                .contains("authenticator: PasswordAuthenticator\n", "write_request_timeout: 50ms\n")
                .doesNotContain("authenticator: AllowAll", "${");
        int storagePort = places.get(0).storagePort();
        assertThat(NodeFiles.seeds(places)).isEqualTo("127.0.0.1:" + storagePort + ",127.0.0.3:" + storagePort);
        assertThat(yaml).contains("{seeds: '" + NodeFiles.seeds(places) + "'}");
    }

    @Test
    void namesSettingsAsCassandra40Does() {
        LocalOptions options = LocalOptions.builder()
                .cassandra("4.0")
                .setting("write_request_timeout", "2s")
                .setting("max_mutation_size", "1MiB")
                .setting("concurrent_writes", "4")
                .build();
        List<NodePlacement> places = NodePlacement.layOut(options, true, new Random(1));

        assertThat(NodeFiles.yaml(places.get(0), new ClusterState(options, places, false)))
                .contains("write_request_timeout_in_ms: 2000\n", "max_mutation_size_in_kb: 1024\n")
                .contains("concurrent_writes: 4\n", "commitlog_sync_period_in_ms: 10000\n")
                .contains("key_cache_size_in_mb: 8\n", "enable_materialized_views: true\n")
                .doesNotContain("write_request_timeout:", "key_cache_size:");
    }

    @Test
    void givesASingleNodeTheCollectorOfARealOne() {
        LocalOptions options = LocalOptions.builder()
                .heapMegabytes(512)
                .jvmArguments("-Dmine=\"a b\"")
                .build();

        assertThat(arguments(options))
                .contains(
                        "\"-XX:+UseG1GC\"",
                        "\"-Xmx512m\"",
                        "\"-XX:G1HeapRegionSize=4m\"",
                        "\"-XX:SharedArchiveFile=/lib dir/x.jsa\"")
                .contains("\"-javaagent:/lib dir/jamm-1.jar\"", "\"/lib dir/a.jar:/lib dir/jamm-1.jar\"")
                .endsWith("\"-Dmine=\\\"a b\\\"\"\n")
                .doesNotContain("TieredStopAtLevel");
    }

    @Test
    void makesTheNodesOfALargerClusterSmall() {
        LocalOptions options =
                LocalOptions.builder().nodesPerDatacenter(3).heapMegabytes(256).build();

        assertThat(arguments(options)).contains("\"-XX:+UseSerialGC\"", "\"-XX:TieredStopAtLevel=1\"", "\"-Xmx256m\"");
    }

    /** A buffer of a memtable has 1 MiB and must be smaller than half a region. */
    @Test
    void dividesEveryHeapIntoRegionsThatHoldAMemtablesBuffers() {
        Map<Integer, String> regions =
                Map.of(128, "4m", 512, "4m", 1000, "4m", 1024, "8m", 2048, "16m", 1 << 20, "16m");
        regions.forEach((heap, region) -> assertThat(
                        arguments(LocalOptions.builder().heapMegabytes(heap).build()))
                .contains(
                        "\"-Xmx" + heap + "m\"",
                        "\"-Xms" + heap / 2 + "m\"",
                        "\"-XX:G1HeapRegionSize=" + region + "\""));
    }

    @Test
    void givesAQuarterOfTheMemoryToTheHeapsWithinBounds() {
        LocalOptions one = LocalOptions.builder().build();
        assertThat(List.of(1L, 2L, 4L, 6L, 8L, 64L).stream().map(gigabytes -> one.defaultHeap(gigabytes << 30)))
                .containsExactly(512, 512, 1024, 1536, 2048, 2048);
        LocalOptions three = LocalOptions.builder().nodesPerDatacenter(3).build();
        assertThat(List.of(2L, 4L, 8L, 16L).stream().map(gigabytes -> three.defaultHeap(gigabytes << 30)))
                .containsExactly(256, 341, 682, 1024);
        assertThat(LocalOptions.memoryBytes()).isGreaterThan(256L << 20);
    }

    private String arguments(LocalOptions options) {
        NodePlacement place = NodePlacement.layOut(options, true, new Random(1)).get(0);
        return NodeFiles.jvmArguments(Path.of("/c/node1"), place, options, server);
    }
}
