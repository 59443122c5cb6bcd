package io.overdrive.bench;

import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import java.nio.file.Path;

/** The one Cassandra node of this module's tests, started by the first that needs it; it ends with the JVM. */
public final class TestCluster {
    private static final LocalCluster NODE = start();
    private static final BenchCluster CLUSTER = BenchCluster.on(NODE);

    private TestCluster() {}

    private static LocalCluster start() {
        Path directory = Path.of("target", "cassandra").toAbsolutePath();
        LocalCluster.wipe(directory);
        LocalOptions.Builder options = LocalOptions.builder()
                .directory(directory)
                .port(0)
                .profile(LocalOptions.Profile.SMALL)
                .heapMegabytes(512)
                .stopWithJvm(true);
        BenchCluster.SETTINGS.forEach(options::setting);
        return LocalCluster.start(options.build());
    }

    public static BenchCluster cluster() {
        return CLUSTER;
    }

    static LocalCluster node() {
        return NODE;
    }
}
