package io.overdrive.dist;

import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The Python package with the command line and a node: types, random tables and the examples of its page; what is killed; and a
 * notebook.
 */
@Timeout(900)
@Tag("nightly")
class PythonNodeIT {
    private static final Path COMMAND_LINE =
            Path.of("..", "cli", "target", "overdrive", "bin").toAbsolutePath().normalize();
    private static final Path NODE = Path.of("target", "cassandra-python").toAbsolutePath();

    private static PythonEnvironment python = new PythonEnvironment("", Path.of(""));
    private static Map<String, String> variables = Map.of();

    @BeforeAll
    static void start(@TempDir Path directory) throws Exception {
        python = PythonEnvironment.install(directory);
        LocalCluster.wipe(NODE);
        InetSocketAddress address = LocalCluster.start(LocalOptions.builder()
                        .directory(NODE)
                        .port(0)
                        .profile(LocalOptions.Profile.SMALL)
                        .heapMegabytes(512)
                        .stopWithJvm(true)
                        .build())
                .contactPoints()
                .get(0);
        variables = Map.of(
                "NODE",
                address.getHostString() + ":" + address.getPort(),
                "NODE_DIRECTORY",
                NODE.toString(),
                "PATH",
                COMMAND_LINE + ":" + System.getenv("PATH"),
                "OVERDRIVE_STATE",
                directory.resolve("state").toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "node_tests.py",
                "kill_tests.py EngineKilledTest EarlyEndTest",
                "kill_tests.py PythonEndsTest DiskFullTest",
                "kill_tests.py ManyAtOnceTest ForkTest ChangedBetweenCallsTest NodeLostTest",
                "notebook_tests.py"
            })
    void itsTestsAgainstANodePass(String tests) throws Exception {
        String[] words = tests.split(" ");
        words[0] = PythonEnvironment.TESTS.resolve(words[0]).toString();
        python.run(variables, words);
    }
}
