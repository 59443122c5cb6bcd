package io.overdrive.dist;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The Python package, by its tests in Python, which have a double of the engine and no cluster. */
@Timeout(600)
class PythonPackageIT {
    private static PythonEnvironment python = new PythonEnvironment("", Path.of(""));

    @BeforeAll
    static void install(@TempDir Path directory) throws Exception {
        python = PythonEnvironment.install(directory);
    }

    @Test
    void itsTestsPass() throws Exception {
        python.run(Map.of(), "-m", "unittest", "discover", "-s", PythonEnvironment.TESTS.toString());
    }

    @Test
    void itsTypesAreComplete(@TempDir Path cache) throws Exception {
        python.run(
                Map.of(),
                "-m",
                "mypy",
                "--config-file",
                PythonEnvironment.TESTS.resolve("mypy.ini").toString(),
                "--cache-dir",
                cache.toString(),
                PythonEnvironment.SOURCES.toString());
    }
}
