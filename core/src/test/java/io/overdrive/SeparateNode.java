package io.overdrive;

import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.Node;
import java.util.List;
import java.util.Map;

/** A node of this JVM only, for tests that pause it or change its settings; started by the first of them, stopped with the JVM. */
public final class SeparateNode {
    private static final LocalCluster CLUSTER = TestCluster.separate(Map.of());
    private static final Overdrive OVERDRIVE = TestCluster.connect(CLUSTER);

    private SeparateNode() {}

    public static Node node() {
        return CLUSTER.nodes().get(0);
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
