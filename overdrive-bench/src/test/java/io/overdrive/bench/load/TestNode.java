package io.overdrive.bench.load;

import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.ConnectOptions;
import io.overdrive.Overdrive;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import io.overdrive.local.Node;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A real node for the tests of this package; started by the first of them, gone with the JVM. */
final class TestNode {
    static final String KEYSPACE = "loads";

    private static final LocalCluster CLUSTER = start();
    private static final Overdrive OVERDRIVE = connect();

    private TestNode() {}

    private static LocalCluster start() {
        try {
            Path directory = Files.createTempDirectory("overdrive-load-it");
            LocalCluster cluster = LocalCluster.start(LocalOptions.builder()
                    .directory(directory)
                    .port(0)
                    .profile(LocalOptions.Profile.SMALL)
                    .heapMegabytes(384)
                    // Longer than the machine may be busy with something else: no test is about a slow server.
                    .setting("read_request_timeout", "30s")
                    .setting("range_request_timeout", "30s")
                    .setting("write_request_timeout", "30s")
                    .setting("counter_write_request_timeout", "30s")
                    .setting("cas_contention_timeout", "30s")
                    .stopWithJvm(true)
                    .build());
            Runtime.getRuntime().addShutdownHook(new Thread(cluster::wipe));
            return cluster;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Overdrive connect() {
        ConnectOptions.Builder options = ConnectOptions.builder()
                .datacenter(CLUSTER.datacenter())
                .driverSetting("advanced.heartbeat.timeout", "60 seconds"); // a slow node is not dead
        CLUSTER.contactPoints().forEach(options::contactPoint);
        Overdrive overdrive = Overdrive.connect(options.build());
        overdrive
                .session()
                .execute("CREATE KEYSPACE " + KEYSPACE
                        + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        return overdrive;
    }

    static Overdrive overdrive() {
        return OVERDRIVE;
    }

    static Node node() {
        return CLUSTER.nodes().get(0);
    }

    static List<Row> execute(String cql) {
        return OVERDRIVE.session().execute(cql).all();
    }

    static long count(String table) {
        return execute("SELECT count(*) FROM " + KEYSPACE + "." + table).get(0).getLong(0);
    }
}
