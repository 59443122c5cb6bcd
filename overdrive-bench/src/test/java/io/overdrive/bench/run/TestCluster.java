package io.overdrive.bench.run;

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
                // Longer than the machine may be busy with other work: no test is about a slow server.
                .setting("read_request_timeout", "30s")
                .setting("range_request_timeout", "30s")
                .setting("write_request_timeout", "30s")
                .setting("counter_write_request_timeout", "30s")
                .setting("cas_contention_timeout", "30s")
                .stopWithJvm(true);
        BenchCluster.SETTINGS.forEach(options::setting);
        return LocalCluster.start(options.build());
    }

    public static BenchCluster cluster() {
        return CLUSTER;
    }

    public static LocalCluster node() {
        return NODE;
    }
}
