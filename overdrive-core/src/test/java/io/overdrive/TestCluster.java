package io.overdrive;

import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import io.overdrive.local.Node;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * One node for all tests of this JVM that need no other cluster; started by the first of them, stopped with the JVM. Its
 * maximum size of a mutation is low, so that larger rows need no large heap. Public for the tests of overdrive-spark.
 */
public final class TestCluster {
    static final int MAX_MUTATION_BYTES = 1 << 20;

    private static final LocalCluster CLUSTER = start();
    private static final Overdrive OVERDRIVE = connect(CLUSTER);

    private TestCluster() {}

    private static LocalCluster start() {
        try {
            Path directory = Files.createTempDirectory("overdrive-it");
            return LocalCluster.start(LocalOptions.builder()
                    .directory(directory)
                    .port(0)
                    .profile(LocalOptions.Profile.SMALL)
                    // The tests of overdrive-spark create so many tables in it that 384 MB are full, and the node ends.
                    .heapMegabytes(768)
                    .setting("max_mutation_size", (MAX_MUTATION_BYTES >> 10) + "KiB")
                    .setting("materialized_views_enabled", "true")
                    // Longer than the machine may be busy with other work: no test is about a slow server.
                    .setting("read_request_timeout", "30s")
                    .setting("range_request_timeout", "30s")
                    .setting("write_request_timeout", "30s")
                    .setting("counter_write_request_timeout", "30s")
                    .setting("cas_contention_timeout", "30s")
                    .deleteWithJvm(true)
                    .build());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A node that answers late is not considered dead: it may be waiting for a processor. */
    static Overdrive connect(LocalCluster cluster) {
        ConnectOptions.Builder options = ConnectOptions.builder()
                .datacenter(cluster.datacenter())
                .driverSetting("advanced.heartbeat.timeout", "60 seconds");
        for (InetSocketAddress address : cluster.contactPoints()) {
            options.contactPoint(address);
        }
        return Overdrive.connect(options.build());
    }

    public static Overdrive overdrive() {
        return OVERDRIVE;
    }

    public static Node node() {
        return CLUSTER.nodes().get(0);
    }

    public static InetSocketAddress address() {
        return CLUSTER.contactPoints().get(0);
    }

    /** Creates a keyspace for a test class. */
    public static String keyspace(String name) {
        execute("CREATE KEYSPACE " + name
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1} AND durable_writes = true");
        return name;
    }

    public static List<Row> execute(String cql) {
        return OVERDRIVE.session().execute(cql).all();
    }

    static long count(String table) {
        return execute("SELECT count(*) FROM " + table).get(0).getLong(0);
    }
}
