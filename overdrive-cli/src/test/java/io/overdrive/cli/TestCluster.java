package io.overdrive.cli;

import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.ConnectOptions;
import io.overdrive.Overdrive;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.cli.watch.Logging;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;

/** The one Cassandra node of this module's tests, started by the first that needs it; it ends with the JVM. */
final class TestCluster {
    private static final LocalCluster CLUSTER = start();
    private static final Overdrive OVERDRIVE = Overdrive.connect(ConnectOptions.builder()
            .contactPoint(CLUSTER.contactPoints().get(0))
            .datacenter(CLUSTER.datacenter())
            .driverSetting("advanced.heartbeat.timeout", "60 seconds") // a slow node is not dead
            .build());

    private TestCluster() {}

    private static LocalCluster start() {
        Logging.quiet(); // as in the command line itself: logs of libraries are not part of its output
        Path directory = Path.of("target", "cassandra").toAbsolutePath();
        LocalCluster.wipe(directory);
        return LocalCluster.start(LocalOptions.builder()
                .directory(directory)
                .port(0)
                .profile(LocalOptions.Profile.SMALL)
                .heapMegabytes(512)
                // Longer than the machine may be busy with other work: no test is about a slow server.
                .setting("read_request_timeout", "30s")
                .setting("range_request_timeout", "30s")
                .setting("write_request_timeout", "30s")
                .setting("counter_write_request_timeout", "30s")
                .setting("cas_contention_timeout", "30s")
                .stopWithJvm(true)
                .build());
    }

    /** The node's address for {@code --host}. */
    static String host() {
        InetSocketAddress address = CLUSTER.contactPoints().get(0);
        return address.getHostString() + ":" + address.getPort();
    }

    /** The node's address for {@code --jmx}. */
    static String jmx() {
        return "127.0.0.1:" + CLUSTER.nodes().get(0).jmxPort();
    }

    /** The connection of the tests, which must not be closed. */
    static Overdrive overdrive() {
        return OVERDRIVE;
    }

    /** Makes a keyspace for a class of tests. */
    static String keyspace(String name) {
        execute("CREATE KEYSPACE " + name + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        return name;
    }

    static List<Row> execute(String cql, Object... values) {
        return OVERDRIVE.session().execute(cql, values).all();
    }

    /** A read of a table of any size. */
    static Scan scan(ScanOptions options) {
        return OVERDRIVE.scan(options);
    }

    /** The rows of a table, counted page by page as a client reads them. */
    static long count(String table, String column) {
        ResultSet pages = OVERDRIVE.session().execute("SELECT " + column + " FROM " + table);
        long rows = 0;
        for (Iterator<Row> each = pages.iterator(); each.hasNext(); each.next()) {
            rows++;
        }
        return rows;
    }
}
