package io.overdrive.spark.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BundlesTest {
    private static final String MOVED_DRIVER = "io/overdrive/shaded/com/datastax/oss/driver/api/core/CqlSession.class";
    private static final String SCALA_DOOR = "com/datastax/spark/connector/cql/CassandraConnector.class";

    private static URL jarWith(String entry, Path directory) throws IOException {
        Path root = Files.createTempDirectory(directory, "jar");
        Path file = root.resolve(entry);
        Files.createDirectories(file.getParent());
        Files.createFile(file);
        return root.toUri().toURL();
    }

    @Test
    void acceptsEitherJarAlsoTwice(@TempDir Path directory) throws IOException {
        for (String entry : new String[] {MOVED_DRIVER, SCALA_DOOR}) {
            try (URLClassLoader loader =
                    new URLClassLoader(new URL[] {jarWith(entry, directory), jarWith(entry, directory)}, null)) {
                assertThat(Bundles.problem(loader)).isNull();
            }
        }
    }

    @Test
    void namesBothJarsAndWhichToRemove(@TempDir Path directory) throws IOException {
        URL moved = jarWith(MOVED_DRIVER, directory);
        URL scala = jarWith(SCALA_DOOR, directory);
        try (URLClassLoader loader = new URLClassLoader(new URL[] {moved, scala}, null)) {
            assertThat(Bundles.problem(loader))
                    .contains("remove overdrive-spark_2.13,", moved.toString(), scala.toString());
        }
    }

    /** Spark has its own jars in one class loader, and those of the job in another. */
    @Test
    void findsJarsInDifferentClassLoaders(@TempDir Path directory) throws IOException {
        try (URLClassLoader parent = new URLClassLoader(new URL[] {jarWith(MOVED_DRIVER, directory)}, null);
                URLClassLoader loader = new URLClassLoader(new URL[] {jarWith(SCALA_DOOR, directory)}, parent)) {
            assertThat(Bundles.problem(parent)).isNull();
            assertThat(Bundles.problem(loader)).contains("overdrive-spark-scala_2.13");
        }
    }
}
