package io.overdrive;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.Node;
import java.util.List;
import java.util.Map;

/** A node of this JVM only, for tests that pause it, change its settings or need their changes flushed at no other time; started by the first of them, stopped with the JVM. */
public final class SeparateNode {
    private static final LocalCluster CLUSTER = TestCluster.separate(Map.of());
    private static final Overdrive OVERDRIVE = TestCluster.connect(CLUSTER);

    private SeparateNode() {}

    public static Node node() {
        return CLUSTER.nodes().get(0);
    }

    public static LocalCluster cluster() {
        return CLUSTER;
    }

    public static CqlSession session() {
        return OVERDRIVE.session();
    }

    public static Overdrive overdrive() {
        return OVERDRIVE;
    }

    /** Creates a keyspace for a test class. */
    public static String keyspace(String name) {
        execute(TestCluster.createKeyspace(name));
        return name;
    }

    static List<Row> execute(String cql) {
        return OVERDRIVE.session().execute(cql).all();
    }
}
