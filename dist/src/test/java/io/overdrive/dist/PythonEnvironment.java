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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Python with the libraries that the tests of the package need, in the user's cache.
 *
 * @param python its program
 * @param directory for the output of a run
 */
record PythonEnvironment(String python, Path directory) {
    static final Path TESTS = Path.of("src/test/python").toAbsolutePath();
    static final Path SOURCES = Path.of("src/main/python").toAbsolutePath();

    static PythonEnvironment install(Path directory) throws IOException, InterruptedException {
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
        String python = home.resolve("bin/python").toString();
        PythonEnvironment environment = new PythonEnvironment(python, directory);
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock taken = channel.lock()) {
            assertThat(taken.isValid()).isTrue();
            if (!Files.exists(installed) || !works(python, "--version")) {
                new PythonEnvironment("python3", directory).run(Map.of(), "-m", "venv", "--clear", home.toString());
                environment.run(
                        Map.of(),
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
        return environment;
    }

    /** Runs Python with variables, and fails with its output if it does. */
    void run(Map<String, String> variables, String... arguments) throws IOException, InterruptedException {
        Path log = directory.resolve("output.txt");
        List<String> command = new ArrayList<>(List.of(python));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().putAll(variables);
        builder.environment().put("PYTHONDONTWRITEBYTECODE", "1"); // the wheel has the sources
        Process process = builder.start();
        boolean hasEnded = process.waitFor(9, TimeUnit.MINUTES);
        process.destroyForcibly();
        assertThat(hasEnded && process.waitFor() == 0)
                .as("%s:%n%s", command, Files.readString(log))
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
