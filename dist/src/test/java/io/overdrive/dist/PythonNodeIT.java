package io.overdrive.dist;

import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The Python package with the command line and a node: all types through each library, random tables, the examples of its page. */
@Timeout(900)
@Tag("nightly")
class PythonNodeIT {
    private static final Path COMMAND_LINE =
            Path.of("..", "cli", "target", "overdrive", "bin").toAbsolutePath().normalize();

    @Test
    void itsTestsAgainstANodePass(@TempDir Path directory) throws Exception {
        PythonEnvironment python = PythonEnvironment.install(directory);
        Path node = Path.of("target", "cassandra-python").toAbsolutePath();
        LocalCluster.wipe(node);
        InetSocketAddress address = LocalCluster.start(LocalOptions.builder()
                        .directory(node)
                        .port(0)
                        .profile(LocalOptions.Profile.SMALL)
                        .heapMegabytes(512)
                        .stopWithJvm(true)
                        .build())
                .contactPoints()
                .get(0);
        Map<String, String> variables = Map.of(
                "NODE",
                address.getHostString() + ":" + address.getPort(),
                "PATH",
                COMMAND_LINE + ":" + System.getenv("PATH"),
                "OVERDRIVE_STATE",
                directory.resolve("state").toString());
        python.run(variables, PythonEnvironment.TESTS.resolve("node_tests.py").toString());
    }
}
