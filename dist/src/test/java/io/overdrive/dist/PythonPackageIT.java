package io.overdrive.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.overdrive.local.LocalOptions;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Python package, by its tests in Python, which have a double of the engine and no cluster. Its libraries are in an environment of
 * Python in the user's cache.
 */
@Timeout(600)
class PythonPackageIT {
    private static final Path TESTS = Path.of("src/test/python").toAbsolutePath();
    private static final Path SOURCES = Path.of("src/main/python").toAbsolutePath();

    private static String python = "";

    @BeforeAll
    static void install(@TempDir Path directory) throws Exception {
        boolean hasPython = works("python3", "-c", "import sys, venv, ensurepip; assert sys.version_info >= (3, 11)");
        if (!hasPython && "true".equals(System.getenv("CI"))) {
            fail("there is no python3, 3.11 or newer, with venv and pip, which tests the Python package: install it");
        }
        assumeTrue(
                hasPython, "no python3, 3.11 or newer, with venv and pip on this machine: its package is not tested");
        Path requirements = TESTS.resolve("requirements.txt");
        String digest = Integer.toHexString(Files.readString(requirements).hashCode());
        Path home = LocalOptions.defaultDirectory()
                .resolve("../../python-" + digest)
                .normalize()
                .toAbsolutePath();
        Files.createDirectories(home.getParent());
        Path lock = home.resolveSibling(home.getFileName() + ".lock");
        Path installed = home.resolve("installed");
        python = home.resolve("bin/python").toString();
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock taken = channel.lock()) {
            assertThat(taken.isValid()).isTrue();
            if (!Files.exists(installed) || !works(python, "--version")) {
                Path log = directory.resolve("install.txt");
                run(log, "python3", "-m", "venv", "--clear", home.toString());
                run(
                        log,
                        python,
                        "-m",
                        "pip",
                        "install",
                        "--quiet",
                        "--disable-pip-version-check",
                        "-r",
                        requirements.toString());
                Files.createFile(installed);
            }
        }
    }

    @Test
    void itsTestsPass(@TempDir Path directory) throws Exception {
        run(directory.resolve("tests.txt"), python, "-m", "unittest", "discover", "-s", TESTS.toString());
    }

    @Test
    void itsTypesAreComplete(@TempDir Path directory) throws Exception {
        run(
                directory.resolve("types.txt"),
                python,
                "-m",
                "mypy",
                "--config-file",
                TESTS.resolve("mypy.ini").toString(),
                "--cache-dir",
                directory.resolve("cache").toString(),
                SOURCES.toString());
    }

    private static void run(Path log, String... command) throws IOException, InterruptedException {
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("PYTHONDONTWRITEBYTECODE", "1"); // the wheel has the sources
        Process process = builder.start();
        boolean hasEnded = process.waitFor(9, TimeUnit.MINUTES);
        process.destroyForcibly();
        assertThat(hasEnded && process.waitFor() == 0)
                .as(List.of(command) + ":\n" + Files.readString(log))
                .isTrue();
    }

    private static boolean works(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false; // not installed
        }
    }
}
