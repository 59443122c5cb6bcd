package io.overdrive.bench.spark;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * The Sparks that jobs run on. Immutable.
 *
 * @param home directory of Spark 4, with bin/spark-submit in it; null for the one whose spark-submit is on the PATH
 * @param jar the bundle of Overdrive's connector for Spark 4; null if there is none
 * @param peer directory of Spark 3.5, where jobs run with the connector for Spark 3; null for none
 * @param settings of both Sparks, which override those that an experiment needs
 */
public record SparkOptions(@Nullable Path home, @Nullable Path jar, @Nullable Path peer, Map<String, String> settings) {
    /** Nothing is given. */
    public static final SparkOptions NONE = new SparkOptions(null, null, null, Map.of());

    private static final String SUBMIT = "spark-submit";
    private static final String RDD_FUNCTIONS = "com/datastax/spark/connector/japi/CassandraJavaUtil.class";
    private static final String GIVE_JAR = ": give --spark-jar overdrive-spark-bundle.jar, which each release has";

    public SparkOptions {
        settings = Map.copyOf(settings);
    }

    /**
     * @throws IllegalArgumentException if jobs cannot run: a Spark or the jar is missing. Wrong options come before
     *     missing ones
     */
    public void requirePossible() {
        if (jar != null && !Files.isRegularFile(jar)) {
            throw new IllegalArgumentException("--spark-jar " + jar + " is no file" + GIVE_JAR);
        }
        if (peer != null) {
            home(Connector.PEER);
        }
        home(Connector.OVERDRIVE);
        if (jar == null) {
            throw new IllegalArgumentException("the connector for Spark 4 is not next to this installation" + GIVE_JAR);
        }
    }

    /**
     * The directory of the Spark that this connector runs on.
     *
     * @throws IllegalArgumentException if there is none
     */
    Path home(Connector connector) {
        Path given = connector == Connector.PEER ? Objects.requireNonNull(peer, "no peer") : home;
        if (given == null) {
            return onPath().orElseThrow(() ->
                    new IllegalArgumentException("this experiment runs Spark jobs, and there is no " + SUBMIT
                            + " on the PATH: give --spark-home, the directory of a Spark 4, or pip install pyspark"));
        }
        if (!Files.isExecutable(submit(given))) {
            throw new IllegalArgumentException((connector == Connector.PEER ? "--peer " : "--spark-home ") + given
                    + " is no Spark: it has no bin/" + SUBMIT);
        }
        return given.toAbsolutePath();
    }

    /** Whether the jar has RDD functions, as that of overdrive-spark-scala has. */
    boolean jarHasRdds() {
        if (jar == null) {
            return false;
        }
        try (ZipFile file = new ZipFile(jar.toFile())) {
            return file.getEntry(RDD_FUNCTIONS) != null;
        } catch (IOException e) {
            return false; // requirePossible says what is wrong with it, or Spark does
        }
    }

    private static Optional<Path> onPath() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .filter(directory -> directory.endsWith("bin"))
                .map(directory -> Path.of(directory).toAbsolutePath().getParent())
                .filter(directory -> Files.isExecutable(submit(directory)))
                .findFirst();
    }

    static Path submit(Path home) {
        return home.resolve("bin").resolve(SUBMIT);
    }
}
