package io.overdrive.bench.run;

import io.overdrive.TestCluster;
import io.overdrive.local.LocalCluster;

/** The node of this module's tests, which measure it: nothing else uses it. The first test that needs it starts it, and it ends with the JVM. */
public final class BenchNode {
    private static final LocalCluster NODE = TestCluster.separate(BenchCluster.SETTINGS);
    private static final BenchCluster CLUSTER = BenchCluster.on(NODE);

    private BenchNode() {}

    public static BenchCluster cluster() {
        return CLUSTER;
    }

    public static LocalCluster node() {
        return NODE;
    }
}
