package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher of a checkout builds when necessary, and only then: with a Maven that only reports its call. */
class LauncherTest {
    private static final String JAR = "overdrive-core-0.1.0-SNAPSHOT.jar";

    private final Path root;
    private final Path source;
    private final Path jar;
    private final Path installedJar;
    private final Path installed;

    LauncherTest(@TempDir Path directory) {
        root = directory;
        source = root.resolve("core/src/main/java/A.java");
        jar = root.resolve("core/target").resolve(JAR);
        installed = root.resolve("cli/target/overdrive/bin/overdrive");
        installedJar = root.resolve("cli/target/overdrive/lib").resolve(JAR);
    }

    @BeforeEach
    void makeCheckout() throws IOException {
        write(root.resolve("bin/mvn"), "#!/bin/sh\necho built >&2\n", 0);
        write(root.resolve("pom.xml"), "", 0);
        write(root.resolve("core/pom.xml"), "", 0);
        write(source, "class A {}", 0);
        write(jar, "1", 1);
        write(installedJar, "1", 1);
        write(installed, "#!/bin/sh\necho ran $1\n", 1);
        Files.copy(Path.of("../overdrive"), root.resolve("overdrive"));
    }

    private static void write(Path file, String text, long second) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000_000_000L + 1000 * second));
    }

    private String launch() throws IOException, InterruptedException {
        return launch(root.resolve("overdrive"));
    }

    private String launch(Path launcher) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("sh", launcher.toString(), "count");
        builder.environment().put("PATH", root.resolve("bin") + ":" + System.getenv("PATH"));
        Process process = builder.redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        assertThat(said).endsWith("ran count\n");
        return said;
    }

    @Test
    void runsTheExistingBuild() throws Exception {
        assertThat(launch()).isEqualTo("ran count\n");
    }

    @Test
    void runsThroughLinksInOtherDirectories() throws Exception {
        Path absolute = Files.createDirectory(root.resolve("absolute")).resolve("overdrive");
        Files.createSymbolicLink(absolute, root.resolve("overdrive"));
        assertThat(launch(absolute)).isEqualTo("ran count\n");

        Path relative = Files.createDirectory(root.resolve("relative")).resolve("od");
        Files.createSymbolicLink(relative, Path.of("../absolute/overdrive"));
        assertThat(launch(relative)).isEqualTo("ran count\n");
    }

    @Test
    void buildsOnceAfterAChange() throws Exception {
        write(source, "class B {}", 2);
        assertThat(launch()).contains("overdrive: building", "built");
        assertThat(launch()).isEqualTo("ran count\n");
    }

    /** The folder of experiments has another name than its jar. */
    @Test
    void buildsAfterAChangeOfExperiments() throws Exception {
        String bench = "overdrive-bench-0.1.0-SNAPSHOT.jar";
        write(root.resolve("experiments/pom.xml"), "", 0);
        write(root.resolve("experiments/target").resolve(bench), "1", 1);
        write(root.resolve("cli/target/overdrive/lib").resolve(bench), "1", 1);
        assertThat(launch()).isEqualTo("ran count\n");
        write(root.resolve("experiments/src/main/java/B.java"), "class B {}", 2);
        assertThat(launch()).contains("built");
    }

    @Test
    void doesNotBuildAgainAfterABuildByHand() throws Exception {
        write(source, "class B {}", 2);
        write(jar, "2", 3);
        write(installedJar, "2", 0); // a reproducible build gives all files one old time
        write(installed, "#!/bin/sh\necho ran $1\n", 0);
        assertThat(launch()).isEqualTo("ran count\n");
    }

    @Test
    void buildsWhenOnlyTheModuleWasBuiltByHand() throws Exception {
        write(source, "class B {}", 2);
        write(jar, "2", 3);
        assertThat(launch()).contains("built");
    }

    @Test
    void buildsIfNothingIsBuilt() throws Exception {
        Files.delete(installed);
        ProcessBuilder builder =
                new ProcessBuilder("sh", root.resolve("overdrive").toString());
        builder.environment().put("PATH", root.resolve("bin") + ":" + System.getenv("PATH"));
        Process process = builder.redirectErrorStream(true).start();
        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("built");
        process.waitFor();
    }
}
