package io.overdrive.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;

/** Which classes and resources the jar for users has and which it must not have. {@link PySparkIT} runs it. */
class BundleIT {
    /** Original packages of the driver and its dependencies, in the form of class files. */
    private static final Pattern NOT_MOVED = Pattern.compile(
            "(?<!io/overdrive/shaded/)\\b(com/datastax/(?:oss|dse)/|com/typesafe/config/|io/netty/|org/HdrHistogram/|org/reactivestreams/)");

    private static final Pattern LISTED = Pattern.compile("(?m)^([\\w-]+) ([\\w.-]+): .+$");

    @Test
    void allClassesAreInOurPackages() throws IOException {
        assertThat(entries())
                .filteredOn(name -> name.endsWith(".class"))
                .hasSizeGreaterThan(1000)
                .allMatch(name -> name.startsWith("io/overdrive/")
                        || name.startsWith("org/apache/spark/sql/cassandra/")
                        || name.startsWith("com/datastax/spark/connector/"));
    }

    @Test
    void noClassRefersToTheOriginalPackagesOfTheDriver() throws IOException {
        List<String> wrong = new ArrayList<>();
        try (JarFile jar = new JarFile(PySpark.BUNDLE.toFile())) {
            for (ZipEntry entry :
                    jar.stream().filter(e -> e.getName().endsWith(".class")).toList()) {
                byte[] bytes = jar.getInputStream(entry).readAllBytes();
                if (NOT_MOVED
                        .matcher(new String(bytes, StandardCharsets.ISO_8859_1))
                        .find()) {
                    wrong.add(entry.getName());
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void hasTheResourcesThatAreLookedUpByName() throws IOException {
        assertThat(entries())
                .filteredOn(name -> !name.endsWith(".class") && !name.endsWith("/"))
                .containsExactlyInAnyOrder(
                        "META-INF/MANIFEST.MF",
                        "META-INF/services/org.apache.spark.sql.sources.DataSourceRegister",
                        "META-INF/LICENSE",
                        "META-INF/LICENSE.txt",
                        "io/overdrive/internal/names/build.properties",
                        "META-INF/THIRD-PARTY.txt",
                        "META-INF/NOTICE.txt",
                        "META-INF/NOTICE_binary.txt",
                        "io/overdrive/shaded/com/datastax/oss/driver/Driver.properties",
                        "reference.conf");
    }

    @Test
    void listsTheJarsThatItIsMadeOf() throws IOException {
        List<String> bundled = entries();
        List<String> contained = new ArrayList<>();
        for (String path : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (path.endsWith(".jar") && isIn(Path.of(path), bundled)) {
                contained.add(Path.of(path).getFileName().toString());
            }
        }
        try (JarFile jar = new JarFile(PySpark.BUNDLE.toFile())) {
            byte[] list =
                    jar.getInputStream(jar.getEntry("META-INF/THIRD-PARTY.txt")).readAllBytes();
            assertThat(LISTED.matcher(new String(list, StandardCharsets.UTF_8))
                            .results()
                            .map(jarName -> jarName.group(1) + "-" + jarName.group(2) + ".jar"))
                    .as("src/main/resources/META-INF/THIRD-PARTY.txt")
                    .containsExactlyInAnyOrderElementsOf(contained);
        }
    }

    /** Whether the bundle has its classes below our package. */
    private static boolean isIn(Path path, List<String> bundled) throws IOException {
        try (JarFile jar = new JarFile(path.toFile())) {
            return jar.stream()
                    .map(ZipEntry::getName)
                    .filter(name -> name.endsWith(".class") && !name.endsWith("module-info.class"))
                    .findFirst()
                    .filter(name -> bundled.contains("io/overdrive/shaded/" + name))
                    .isPresent();
        }
    }

    @Test
    void isNotLarge() throws IOException {
        assertThat(Files.size(PySpark.BUNDLE)).isLessThan(12_000_000);
    }

    private static List<String> entries() throws IOException {
        try (JarFile jar = new JarFile(PySpark.BUNDLE.toFile())) {
            return jar.stream().map(ZipEntry::getName).toList();
        }
    }
}
