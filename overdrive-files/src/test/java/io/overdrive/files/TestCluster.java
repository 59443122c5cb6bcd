package io.overdrive.files;

import io.overdrive.ConnectOptions;
import io.overdrive.Overdrive;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import io.overdrive.local.Node;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/** The one Cassandra node of this module's tests, started by the first that needs it; it ends with the JVM. */
public final class TestCluster {
    private static final LocalCluster CLUSTER = start();
    private static final Overdrive OVERDRIVE = Overdrive.connect(ConnectOptions.builder()
            .contactPoint(CLUSTER.contactPoints().get(0))
            .datacenter(CLUSTER.datacenter())
            .driverSetting("advanced.heartbeat.timeout", "60 seconds") // a slow node is not dead
            .build());

    private TestCluster() {}

    private static LocalCluster start() {
        Path directory = Path.of("target", "cassandra").toAbsolutePath();
        LocalCluster.wipe(directory);
        return LocalCluster.start(LocalOptions.builder()
                .directory(directory)
                .port(0)
                .profile(LocalOptions.Profile.SMALL)
                .heapMegabytes(512)
                // longer than other work may keep the machine busy: no test is about a slow server
                .setting("read_request_timeout", "30s")
                .setting("range_request_timeout", "30s")
                .setting("write_request_timeout", "30s")
                .setting("counter_write_request_timeout", "30s")
                .setting("cas_contention_timeout", "30s")
                .setting("materialized_views_enabled", "true")
                .stopWithJvm(true)
                .build());
    }

    /** The node, for tests that pause it. */
    public static Node node() {
        return CLUSTER.nodes().get(0);
    }

    /** A connection, with the keyspace created anew. */
    public static Overdrive keyspace(String name) {
        OVERDRIVE
                .session()
                .execute("CREATE KEYSPACE IF NOT EXISTS " + name
                        + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        return OVERDRIVE;
    }

    /** Where other processes connect. */
    public static InetSocketAddress contactPoint() {
        return CLUSTER.contactPoints().get(0);
    }

    public static String datacenter() {
        return CLUSTER.datacenter();
    }
}
