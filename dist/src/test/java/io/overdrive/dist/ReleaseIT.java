package io.overdrive.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each package of a release, installed as its users do, asked for its version, and used to load a file. Runs only if
 * {@code release.directory} names a release that was made before, as {@code scripts/check-release.sh} does. Prints how long each took
 * from the package to the loaded file.
 */
@Tag("packages")
@EnabledIfSystemProperty(named = "release.directory", matches = ".+")
class ReleaseIT {
    private static final Path RELEASE = Path.of(System.getProperty("release.directory", ""));
    private static final String ROWS = "id,name\n1,Ada\n2,Grace\n";
    private static final String LOADED = "2 rows read = 2 written + 0 rejected";

    private static String host = "";

    private final Path directory;
    private final long startNanos = System.nanoTime();

    ReleaseIT(@TempDir Path directory) {
        this.directory = directory;
    }

    @BeforeAll
    static void startNode() {
        Path node = Path.of("target", "cassandra").toAbsolutePath();
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
        host = address.getHostString() + ":" + address.getPort();
    }

    /** The only file of the release with such a name. */
    private static Path file(String ending) throws IOException {
        try (Stream<Path> files = Files.list(RELEASE)) {
            List<Path> found =
                    files.filter(file -> file.toString().endsWith(ending)).toList();
            assertThat(found).as("files of the release that end with " + ending).hasSize(1);
            return found.get(0);
        }
    }

    private static String version() throws IOException {
        return file(".tar.gz").getFileName().toString().replaceAll("overdrive-|\\.tar\\.gz", "");
    }

    /** Returns what a command prints to both outputs; fails unless it succeeds. */
    private String run(Map<String, String> environment, String input, String... command)
            throws IOException, InterruptedException {
        Path typed = Files.writeString(directory.resolve("input"), input);
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectInput(typed.toFile())
                .redirectErrorStream(true);
        builder.environment().put("OVERDRIVE_HOME", directory.resolve("cache").toString());
        builder.environment().put("OVERDRIVE_STATE", directory.resolve("state").toString());
        builder.environment().putAll(environment);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor())
                .as(String.join(" ", command) + "\n" + output)
                .isZero();
        return output;
    }

    private String run(String... command) throws IOException, InterruptedException {
        return run(Map.of(), "", command);
    }

    /** Asks a program for its version, and has it load rows into a table of this name. */
    private void use(String table, Map<String, String> environment, String... program)
            throws IOException, InterruptedException {
        assertThat(run(environment, "", with(program, "--version")))
                .matches("(?s)overdrive " + version().replace(".", "\\.") + "\ncommit [0-9a-f]{10}.*\nJava .*");
        assertThat(run(
                        environment,
                        ROWS,
                        with(
                                program,
                                "load",
                                "-",
                                "release." + table,
                                "--create",
                                "--key",
                                "id",
                                "--host",
                                host,
                                "--metrics-port",
                                "0")))
                .contains(LOADED, "; metrics at http://127.0.0.1:")
                .doesNotContain("WARNING");
        System.err.printf(
                "%s: installed, and a file loaded, in %.1f s%n", table, (System.nanoTime() - startNanos) / 1e9);
    }

    private static String[] with(String[] program, String... arguments) {
        return Stream.concat(Stream.of(program), Stream.of(arguments)).toArray(String[]::new);
    }

    @Test
    void theTarballHasAnInstallation() throws Exception {
        run("tar", "-xzf", file(".tar.gz").toString());
        Path home = directory.resolve("overdrive-" + version());
        use("tarball", Map.of(), home.resolve("bin/overdrive").toString());
        assertThat(home).isDirectoryContaining("glob:**/{LICENSE,NOTICE,THIRD-PARTY.txt,CHANGELOG.md,sbom.cdx.json}");
    }

    @Test
    void theZipHasAnInstallation() throws Exception {
        run("unzip", "-q", file(".zip").toString());
        use(
                "zip",
                Map.of(),
                directory.resolve("overdrive-" + version() + "/bin/overdrive").toString());
    }

    /** Also with the newest, which warns of things that older ones accept. */
    @Test
    void runsOnEachJavaOfThisMachine() throws Exception {
        run("tar", "-xzf", file(".tar.gz").toString());
        String launcher =
                directory.resolve("overdrive-" + version() + "/bin/overdrive").toString();
        int tried = 0;
        for (Path home : javaHomes()) {
            String table = "java_" + tried++;
            Map<String, String> environment = Map.of("JAVA_HOME", home.toString());
            use(table, environment, launcher);
            Path unloaded = directory.resolve(table);
            assertThat(run(
                            environment,
                            "",
                            launcher,
                            "unload",
                            "release." + table,
                            unloaded.toString(),
                            "--host",
                            host))
                    .contains("2 rows written")
                    .doesNotContain("WARNING");
            try (Stream<Path> files = Files.list(unloaded)) {
                assertThat(files.flatMap(ReleaseIT::lines)).contains("1,Ada", "2,Grace");
            }
            assertThat(run(environment, "", launcher, "count", "release." + table, "--host", host))
                    .contains("2 rows")
                    .doesNotContain("WARNING");
            System.err.println("a load, an unload and a count with " + run(environment, "", launcher, "--version"));
        }
        assertThat(tried).isPositive();
    }

    /** Java homes in the usual places, and the one that {@code release.java} names, if any. */
    private static List<Path> javaHomes() throws IOException {
        List<Path> homes = new ArrayList<>();
        try (Stream<Path> installed = Files.list(Path.of("/usr/lib/jvm"))) {
            installed
                    .filter(home ->
                            Files.isExecutable(home.resolve("bin/java")) && Files.exists(home.resolve("release")))
                    .sorted()
                    .forEach(homes::add);
        }
        String other = System.getProperty("release.java", "");
        if (!other.isEmpty()) {
            homes.add(Path.of(other));
        }
        return homes;
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void dpkgInstallsThePackage() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/dpkg")), "no dpkg on this machine");
        Path root = directory.resolve("root");
        Files.createDirectories(root.resolve("var/lib/dpkg/info"));
        Files.createDirectories(root.resolve("var/lib/dpkg/updates"));
        Files.createFile(root.resolve("var/lib/dpkg/status"));
        run(
                "dpkg",
                "--root=" + root,
                "--force-not-root",
                "--force-depends",
                "--install",
                file(".deb").toString());
        use("deb", Map.of(), root.resolve("usr/bin/overdrive").toString());
        assertThat(root.resolve("usr/share/man/man1/overdrive-load.1.gz")).isRegularFile();
        assertThat(root.resolve("usr/share/bash-completion/completions/overdrive"))
                .content()
                .contains("complete -F _complete_overdrive", "--patience");
        assertThat(root.resolve("usr/share/doc/overdrive/THIRD-PARTY.txt"))
                .content()
                .contains("java-driver-core");
        assertLinksLeadSomewhere(root.resolve("usr/share/doc/overdrive"));
    }

    @Test
    void theArchivesHaveTheirPages() throws Exception {
        run("tar", "-xzf", file(".tar.gz").toString());
        assertLinksLeadSomewhere(directory.resolve("overdrive-" + version()));
    }

    /** Checks links of all pages to files next to them. */
    private static void assertLinksLeadSomewhere(Path directory) throws IOException {
        Pattern link = Pattern.compile("(?:\\]\\(|src=\")(?!\\w+:)([\\w./-]+)");
        List<Path> pages;
        try (Stream<Path> files = Files.walk(directory)) {
            pages = files.filter(file -> file.toString().endsWith(".md")).toList();
        }
        assertThat(pages).hasSizeGreaterThan(40);
        for (Path page : pages) {
            link.matcher(Files.readString(page)).results().forEach(found -> assertThat(
                            page.resolveSibling(found.group(1)))
                    .as("link of " + page)
                    .exists());
        }
    }

    @Test
    void pipInstallsTheWheel() throws Exception {
        Path environment = directory.resolve("venv");
        run("python3", "-m", "venv", environment.toString());
        String python = environment.resolve("bin/python").toString();
        run(
                python,
                "-m",
                "pip",
                "install",
                "--quiet",
                "--no-index",
                file(".whl").toString());
        use("wheel", Map.of(), environment.resolve("bin/overdrive").toString());
        use("module", Map.of(), python, "-m", "overdrive_cassandra");
        String jar =
                run(python, "-c", "from overdrive_cassandra import overdrive_spark_jar; print(overdrive_spark_jar())");
        assertThat(Path.of(jar.strip())).isRegularFile();
        assertThat(environment.resolve("share/man/man1/overdrive.1")).isRegularFile();
    }

    /** Runs it like a container: the image's layers, its user, its variables and its entry point, and nothing else. */
    @Test
    void theImageRuns() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root can change the root directory");
        Path image = Files.createDirectory(directory.resolve("image"));
        Path root = Files.createDirectory(directory.resolve("root"));
        run("tar", "-xf", file("-image-linux-" + Image.architecture() + ".tar").toString(), "-C", image.toString());
        JsonNode index = read(image.resolve("index.json"));
        JsonNode manifest = read(blob(image, index.at("/manifests/0/digest").asText()));
        for (JsonNode layer : manifest.get("layers")) {
            run("tar", "-xzf", blob(image, layer.get("digest").asText()).toString(), "-C", root.toString());
        }
        JsonNode config =
                read(blob(image, manifest.at("/config/digest").asText())).get("config");
        assertThat(config.get("User").asText()).isEqualTo("65532:65532");
        assertThat(root.resolve("usr/share/doc/SOURCES.txt")).content().contains("\nbusybox-static=", "\nlibc6=");
        assertThat(root.resolve("usr/share/doc/libc6/copyright")).isRegularFile();
        Files.createDirectories(root.resolve("dev"));
        List<String> command = new ArrayList<>(List.of(
                "unshare",
                "--mount",
                "sh",
                "-c",
                "mount --rbind /dev \"$0/dev\" && mount --rbind /proc \"$0/proc\" && exec chroot \"$@\"",
                root.toString(),
                "--userspec=" + config.get("User").asText(),
                root.toString(),
                "/bin/env",
                "-i"));
        config.get("Env").forEach(variable -> command.add(variable.asText()));
        command.addAll(List.of(
                "/bin/sh",
                "-c",
                "cd \"$0\" && exec \"$@\"",
                config.get("WorkingDir").asText()));
        config.get("Entrypoint").forEach(word -> command.add(word.asText()));
        use("image", Map.of(), command.toArray(String[]::new));
    }

    private static JsonNode read(Path json) throws IOException {
        return new ObjectMapper().readTree(json.toFile());
    }

    private static Path blob(Path image, String digest) {
        return image.resolve("blobs").resolve(digest.replace(':', '/'));
    }

    /** A POM with all that it demands, also by its parent; a jar, its sources and Javadoc; and the digests of all. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "overdrive-core",
                "overdrive-formats",
                "overdrive-jobs",
                "overdrive-sstable",
                "overdrive-stores",
                "overdrive-sql",
                "overdrive-cli",
                "overdrive-spark_2.13",
                "overdrive-spark-scala_2.13"
            })
    void theMavenRepositoryHasWhatMavenCentralDemands(String artifact) throws Exception {
        Path published = RELEASE.resolve("maven/io/overdrive/" + artifact).resolve(version());
        for (String ending : List.of(".pom", ".jar", "-sources.jar", "-javadoc.jar")) {
            Path file = published(artifact, ending);
            assertThat(Files.size(file)).isPositive();
            for (String digest : List.of("md5", "sha1")) {
                assertThat(run(digest + "sum", file.toString()))
                        .startsWith(Files.readString(published.resolve(file.getFileName() + "." + digest))
                                .strip());
            }
        }
        String pom = Files.readString(published(artifact, ".pom"));
        Path checkout = Objects.requireNonNull(RELEASE.getParent()).getParent();
        assertThat(pom)
                .contains("<name>", "<description>")
                .as("a path of the machine that made the release")
                .doesNotContain(String.valueOf(checkout));
        assertThat(pom + Files.readString(published("overdrive-parent", ".pom")))
                .contains("<licenses>", "<developers>", "<scm", "<url>", "<organization>");
        assertThat(run("unzip", "-l", published(artifact, "-sources.jar").toString()))
                .containsPattern("\\.(java|scala)\n")
                .doesNotContain(".class\n");
    }

    /** The file of an artifact in the Maven repository; that of a snapshot has the time of the build in its name. */
    private static Path published(String artifact, String ending) throws IOException {
        try (Stream<Path> files =
                Files.list(RELEASE.resolve("maven/io/overdrive/" + artifact).resolve(version()))) {
            Predicate<String> others =
                    Pattern.compile("-(sources|javadoc|tests)\\.jar").asPredicate();
            List<Path> found = files.filter(file -> file.toString().endsWith(ending))
                    .filter(file -> others.test(ending) || !others.test(file.toString()))
                    .toList();
            assertThat(found).as(artifact + " with " + ending).hasSize(1);
            return found.get(0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"overdrive-spark_2.13", "overdrive-spark-scala_2.13"})
    void theJarsForSparkListWhatTheyContain(String artifact) throws Exception {
        String jar = published(artifact, ".jar").toString();
        assertThat(run("unzip", "-p", jar, "META-INF/THIRD-PARTY.txt"))
                .contains("java-driver-core", "netty-common", "HdrHistogram");
        assertThat(run("unzip", "-l", jar)).contains("META-INF/LICENSE", "META-INF/NOTICE");
        assertThat(read(file(".cdx.json")).get("components").findValuesAsText("purl"))
                .anyMatch(component -> component.startsWith("pkg:maven/io.overdrive/" + artifact + "@"));
    }

    @Test
    void theListOfDigestsIsRight() throws Exception {
        assertThat(run("sh", "-c", "cd '" + RELEASE + "' && sha256sum --check SHA256SUMS"))
                .contains(".deb: OK", ".whl: OK", ".zip: OK", ".tar.gz: OK", ".cdx.json: OK", ".tar: OK")
                .doesNotContain("FAILED");
    }

    @Test
    void manPagesAreWellFormed() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/man")), "no man on this machine");
        run("tar", "-xzf", file(".tar.gz").toString());
        String page = run(
                Map.of("MANWIDTH", "100", "LC_ALL", "C.UTF-8"),
                "",
                "man",
                "--warnings",
                "-l",
                directory
                        .resolve("overdrive-" + version() + "/share/man/man1/overdrive-load.1")
                        .toString());
        assertThat(page)
                .contains("SYNOPSIS", "--batch-bytes", "EXAMPLES")
                .doesNotContainPattern(":\\d+: (?:warning|error|fatal)"); // after a line of the page
    }
}
