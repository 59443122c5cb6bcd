package io.overdrive.local;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Everything that a node is started from: Cassandra's jars, the JDK that runs them, and an archive of loaded classes that makes the JVM
 * start in less time and memory. Immutable; {@link #prepare} may be called by many processes at once.
 *
 * <p>Jars and archive are made once and kept. The jars are never on our own class path.
 */
@SuppressWarnings("try") // a lock is held, not used
record Server(ServerVersion version, ServerJdk jdk, List<Path> jars, @Nullable Path archive) {
    private static final String COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.11.0:copy-dependencies";
    private static final Duration LOCK_TIMEOUT = Duration.ofMinutes(10);
    private static final long DOWNLOAD_MINUTES = 10;

    /** Finds the existing parts and makes the missing ones, which takes up to a minute the first time on a machine. */
    static Server prepare(ServerVersion version, Consumer<String> progress) {
        ServerJdk jdk = ServerJdk.find(version);
        Path cache = LocalOptions.home().resolve("cassandra-" + version.release());
        Path lib = cache.resolve("lib");
        Path archive = cache.resolve(archiveName(jdk));
        if (!Files.isDirectory(lib) || !Files.exists(archive)) {
            try (DirectoryLock lock = DirectoryLock.take(cache, LOCK_TIMEOUT, progress)) {
                if (!Files.isDirectory(lib)) {
                    download(version, lib, progress);
                }
                if (!Files.exists(archive)) {
                    ClassArchive.make(new Server(version, jdk, jars(version, lib), null), archive, progress);
                }
            }
        }
        return new Server(version, jdk, jars(version, lib), Files.exists(archive) ? archive : null);
    }

    /** The command that runs a node, without its arguments; it becomes the node and keeps its process id. */
    List<String> launcher() {
        List<String> command = new ArrayList<>();
        if (works("setsid", "true")) {
            command.add("setsid"); // Ctrl-C in our terminal must not reach the node
        }
        if ("root".equals(System.getProperty("user.name")) && works("setpriv", "--bounding-set", "-ipc_lock", "true")) {
            // Root may lock memory, so Cassandra would lock all of its heap: twice the memory and a slower start.
            command.addAll(List.of("setpriv", "--bounding-set", "-ipc_lock"));
        }
        command.add(jdk.java().toString());
        return command;
    }

    /** The archive's name contains the JDK, because an archive fits only the JVM that wrote it. */
    private static String archiveName(ServerJdk jdk) {
        return "classes-" + jdk.version() + "-" + Integer.toHexString(jdk.home().hashCode()) + ".jsa";
    }

    private static void download(ServerVersion version, Path lib, Consumer<String> progress) {
        Path temporary = lib.resolveSibling("lib.tmp");
        Path maven = findMaven(version, System.getenv(), lib);
        progress.accept("fetching " + version + " with Maven (once, about 70 MB) into " + lib);
        try {
            deleteTree(temporary);
            Files.createDirectories(temporary);
            Path pom = lib.resolveSibling("pom.xml");
            try (InputStream in = resource("server-pom.xml")) {
                Files.copy(in, pom, StandardCopyOption.REPLACE_EXISTING);
            }
            runMaven(version, maven, pom, temporary);
            Files.move(temporary, lib, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new LocalClusterException(
                    version + " cannot be written to " + lib + " (" + e + "); check disk space and permissions", e);
        }
    }

    private static void runMaven(ServerVersion version, Path maven, Path pom, Path target) throws IOException {
        Path output = pom.resolveSibling("maven.log");
        ProcessBuilder builder = new ProcessBuilder(
                        maven.toString(),
                        "-B",
                        "-f",
                        pom.toString(),
                        "-Dcassandra.version=" + version.release(),
                        "-DincludeScope=runtime",
                        "-DoutputDirectory=" + target,
                        COPY)
                .directory(target.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().putIfAbsent("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        try {
            process.getOutputStream().close();
            if (!process.waitFor(DOWNLOAD_MINUTES, TimeUnit.MINUTES)) {
                throw new LocalClusterException("Maven has not fetched " + version + " within " + DOWNLOAD_MINUTES
                        + " minutes; see " + output + ", then try again");
            }
        } catch (InterruptedException e) {
            throw Sleep.interrupted(e);
        } finally {
            process.destroy();
        }
        if (process.exitValue() != 0) {
            throw new LocalClusterException("Maven could not fetch " + version + ":\n" + LogTail.of(output)
                    + "\ncheck Maven's settings and the network, or copy org.apache.cassandra:cassandra-all:"
                    + version.release()
                    + " and what it needs at run time into " + pom.resolveSibling("lib"));
        }
    }

    static Path findMaven(ServerVersion version, Map<String, String> environment, Path lib) {
        List<Path> places = new ArrayList<>();
        for (String variable : List.of("MAVEN_HOME", "M2_HOME")) {
            String home = environment.getOrDefault(variable, "");
            if (!home.isBlank()) {
                places.add(Path.of(home, "bin"));
            }
        }
        for (String directory : environment.getOrDefault("PATH", "").split(":")) {
            places.add(Path.of(directory));
        }
        for (Path place : places) {
            Path maven = place.resolve("mvn").toAbsolutePath();
            if (Files.isRegularFile(maven) && Files.isExecutable(maven)) {
                return maven;
            }
        }
        throw new LocalClusterException(version + " is not in " + lib + " yet, and Maven, which fetches it, is"
                + " neither in MAVEN_HOME, M2_HOME nor PATH; install Maven 3.8 or newer, or copy"
                + " org.apache.cassandra:cassandra-all:" + version.release() + " and what it needs at run time there");
    }

    /**
     * The jars in a fixed order, without native parts for other systems: the class archive holds for one class path
     * only.
     */
    private static List<Path> jars(ServerVersion version, Path lib) {
        List<Path> jars = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(lib, "*.jar")) {
            for (Path jar : stream) {
                if (!isForeign(jar.getFileName().toString(), System.getProperty("os.name"))) {
                    jars.add(jar);
                }
            }
        } catch (IOException e) {
            throw new LocalClusterException(lib + " cannot be read (" + e + "); check rights, or delete it", e);
        }
        if (jars.stream().noneMatch(jar -> jar.endsWith("cassandra-all-" + version.release() + ".jar"))) {
            throw new LocalClusterException(lib + " has no cassandra-all-" + version.release()
                    + ".jar; delete it, and it will be fetched again");
        }
        jars.sort(null);
        return List.copyOf(jars);
    }

    static boolean isForeign(String jar, String system) {
        boolean mac = system.toLowerCase(Locale.ROOT).startsWith("mac");
        return jar.contains("-windows-") || jar.contains(mac ? "-linux-" : "-osx-");
    }

    private static boolean works(String... command) {
        try {
            NodeProcess.output(command);
            return true;
        } catch (IOException e) {
            return false; // not installed, or not allowed
        }
    }

    static InputStream resource(String name) {
        InputStream in = Server.class.getResourceAsStream(name);
        if (in == null) {
            throw new IllegalStateException("resource " + name + " is not on the class path");
        }
        return in;
    }

    /** Deletes a directory and all below it; fine if there is none. */
    static void deleteTree(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        List<Path> paths;
        try (Stream<Path> walk = Files.walk(directory)) {
            paths = new ArrayList<>(walk.toList());
        }
        for (int i = paths.size() - 1; i >= 0; i--) {
            Files.deleteIfExists(paths.get(i));
        }
    }
}
