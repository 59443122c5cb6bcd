package io.overdrive.spark;

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
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * PySpark of the latest Spark, a whole distribution of 400 MB, kept in the user's cache.
 *
 * @param home directory of its Python environment
 * @param directory working directory of its programs
 */
public record PySpark(Path home, Path directory) {
    static final String VERSION = System.getProperty("pyspark.version", "");

    /** The connector with what it needs. */
    static final Path BUNDLE = Path.of("target", "overdrive-spark-bundle.jar").toAbsolutePath();

    private static final int MINUTES = 10;

    /** Arguments of each JVM that is started. */
    private static final String JVM = System.getProperty("test.jvm", "");

    /** Runs one of Spark's programs with the bundle and the node of the tests, and returns what it prints. */
    public String run(String program, String... arguments) throws IOException, InterruptedException {
        return type("", program, arguments);
    }

    /** The same for one of its shells, with the lines that a user types. */
    String type(String lines, String program, String... arguments) throws IOException, InterruptedException {
        return type(List.of("--jars", BUNDLE.toString()), lines, program, arguments);
    }

    /** The same with other options than those for the bundle. */
    String type(List<String> connector, String lines, String program, String... arguments)
            throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of(home.resolve("bin").resolve(program).toString()));
        command.addAll(connector);
        Map.of(
                        "spark.ui.enabled", "false",
                        "spark.sql.shuffle.partitions", "3",
                        "spark.executor.extraJavaOptions", JVM,
                        "spark.cassandra.connection.host", TestSpark.address().getHostString(),
                        "spark.cassandra.connection.port",
                                String.valueOf(TestSpark.address().getPort()),
                        "spark.sql.catalog.cass", "io.overdrive.spark.CassandraCatalog",
                        "spark.sql.extensions", "io.overdrive.spark.OverdriveExtensions")
                .forEach((name, value) -> command.addAll(List.of("--conf", name + "=" + value)));
        command.addAll(List.of(arguments));
        String python = home.resolve("bin").resolve("python").toString();
        return run(
                directory,
                lines,
                command,
                Map.of(
                        "PYSPARK_PYTHON", python,
                        "PYSPARK_DRIVER_PYTHON_OPTS", "-i", // interactive, although the input comes from a file
                        "SPARK_LAUNCHER_OPTS", JVM,
                        "SPARK_SUBMIT_OPTS", JVM,
                        "SPARK_LOCAL_IP", "127.0.0.1"));
    }

    public static PySpark install(Path directory) throws IOException, InterruptedException {
        boolean hasPython = works("python3", "-c", "import venv, ensurepip");
        if (!hasPython && "true".equals(System.getenv("CI"))) {
            fail("there is no python3 with venv and pip, which the test of the bundle with PySpark needs: install it");
        }
        assumeTrue(hasPython, "no python3 with venv and pip on this machine: the bundle is not tested with PySpark");
        Path home = LocalOptions.defaultDirectory()
                .resolve("../../pyspark-" + VERSION)
                .normalize()
                .toAbsolutePath();
        Files.createDirectories(home.getParent());
        Path lock = home.resolveSibling(home.getFileName() + ".lock");
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock taken = channel.lock()) {
            assertThat(taken.isValid()).isTrue();
            String python = home.resolve("bin").resolve("python").toString();
            if (!works(python, "-c", "import pyspark.sql; assert pyspark.__version__ == '" + VERSION + "'")) {
                run(directory, "", List.of("python3", "-m", "venv", "--clear", home.toString()), Map.of());
                run(
                        directory,
                        "",
                        List.of(
                                python,
                                "-m",
                                "pip",
                                "install",
                                "--quiet",
                                "--disable-pip-version-check",
                                "pyspark==" + VERSION),
                        Map.of());
            }
        }
        return new PySpark(home, directory);
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

    /** Returns what the command prints; fails with its whole output if it ends with an error. */
    static String run(Path directory, String input, List<String> command, Map<String, String> environment)
            throws IOException, InterruptedException {
        Path typed = Files.writeString(Files.createTempFile(directory, "input", ".txt"), input);
        Path output = Files.createTempFile(directory, "output", ".txt");
        Path errors = Files.createTempFile(directory, "errors", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectInput(typed.toFile())
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile());
        builder.environment().putAll(environment);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().remove("SPARK_HOME");
        builder.environment().remove("PYTHONPATH");
        Process process = builder.start();
        try {
            boolean ended = process.waitFor(MINUTES, TimeUnit.MINUTES);
            assertThat(ended && process.exitValue() == 0)
                    .as(() -> String.join(" ", command) + (ended ? "" : " did not end") + "\n" + read(output)
                            + read(errors))
                    .isTrue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroy);
            process.destroy();
        }
        return read(output);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** The output of a program below lines "### name", by these names; without the part above the first of them. */
    public static Map<String, String> parts(String output) {
        Map<String, String> parts = new HashMap<>();
        Arrays.stream(output.split("(?m)^### ", -1)).skip(1).forEach(part -> {
            int end = part.indexOf('\n');
            if (end > 0) {
                parts.put(part.substring(0, end), part.substring(end + 1).strip());
            }
        });
        return parts;
    }
}
