package io.overdrive;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A local node that the JVMs of a build have in common: the first starts it, the next find it, and it ends two minutes after the last one,
 * however that ended. So the tests of a module find it warm, and nothing is left of a build that was killed.
 *
 * <p>Each JVM holds a lock of the operating system on a file beside the node's directory, which ends with it, and starts a small process
 * that waits for its end: if no other JVM uses the node two minutes later, the process ends it. A JVM that is the only one finds no
 * keyspaces but those of Cassandra. Thread-safe.
 */
final class SharedNode {
    /** Longer than it takes from the last test of a module to the first one of the next. */
    private static final Duration UNUSED = Duration.ofMinutes(2);

    /** The node takes a snapshot of each table, and may be waiting for a processor. */
    private static final Duration DROP = Duration.ofMinutes(2);

    /** The byte that is locked while the node is started or ended. */
    private static final long GATE = 0;

    /** The byte that is locked by all JVMs that use the node. */
    private static final long USERS = 1;

    /** The file and the process, until this JVM ends: if they were collected, the locks and the pipe would be closed. */
    private static final List<Object> HELD = new ArrayList<>();

    private SharedNode() {}

    /** Finds the node in the directory of the options, or starts it; it is in use until this JVM ends. Called once. */
    @SuppressWarnings("try") // the gate is held, not used
    static synchronized LocalCluster use(LocalOptions options) {
        Path directory = options.directory();
        try {
            Files.createDirectories(directory);
            FileChannel channel = open(directory);
            HELD.add(channel);
            try (FileLock gate = channel.lock(GATE, 1, /* shared */ false)) {
                boolean isAlone = isUnused(channel);
                channel.lock(USERS, 1, /* shared */ true);
                boolean isKept = runsWith(options);
                if (isAlone && !isKept) {
                    LocalCluster.wipe(directory);
                }
                HELD.add(startKeeper(directory));
                LocalCluster node = LocalCluster.start(options);
                if (isAlone && isKept) {
                    dropKeyspaces(node);
                }
                return node;
            }
        } catch (IOException | URISyntaxException e) {
            throw new IllegalStateException("no shared node in " + directory, e);
        }
    }

    private static FileChannel open(Path directory) throws IOException {
        return FileChannel.open(
                directory.resolveSibling(directory.getFileName() + ".users"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
    }

    private static boolean isUnused(FileChannel channel) throws IOException {
        try (FileLock all = channel.tryLock(USERS, 1, /* shared */ false)) {
            return all != null;
        }
    }

    /** Whether the node runs, and as the options describe it: it may be that of an earlier build, with another version of Cassandra. */
    private static boolean runsWith(LocalOptions options) {
        return LocalCluster.at(options.directory())
                .filter(found -> found.nodes().get(0).pid().isPresent())
                .map(LocalCluster::options)
                .filter(found -> found.cassandra().equals(options.cassandra())
                        && found.settings().equals(options.settings())
                        && found.jvmArguments().equals(options.jvmArguments())
                        && found.heapMegabytes() == options.heapMegabytes())
                .isPresent();
    }

    private static void dropKeyspaces(LocalCluster node) {
        try (Overdrive overdrive = TestCluster.connect(node)) {
            for (CqlIdentifier keyspace :
                    overdrive.session().getMetadata().getKeyspaces().keySet()) {
                if (!keyspace.asInternal().startsWith("system")) {
                    overdrive
                            .session()
                            .execute(SimpleStatement.newInstance("DROP KEYSPACE " + keyspace.asCql(/* pretty */ true))
                                    .setTimeout(DROP));
                }
            }
        }
    }

    /** It outlives Ctrl-C, which the terminal sends to all processes of a build. */
    private static Process startKeeper(Path directory) throws IOException, URISyntaxException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "trap '' INT HUP TERM; exec \"$@\"", "keeper"));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx16m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"));
        command.add(codeOf(SharedNode.class) + File.pathSeparator + codeOf(LocalCluster.class));
        command.addAll(List.of(SharedNode.class.getName(), directory.toString()));
        return new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static Path codeOf(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    /** The process that ends the node. */
    @SuppressWarnings("try") // the gate is held, not used
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path directory = Path.of(arguments[0]);
        LocalCluster.stop(
                directory.resolveSibling("none")); // loads the classes, which may be deleted before the node ends
        while (System.in.read() >= 0) {
            // ignores what is sent: only the end of the pipe counts
        }
        Thread.sleep(UNUSED.toMillis());
        if (!Files.isDirectory(directory)) {
            LocalCluster.stop(directory); // mvn clean has deleted it
            return;
        }
        try (FileChannel channel = open(directory);
                FileLock gate = channel.lock(GATE, 1, /* shared */ false)) {
            if (isUnused(channel)) {
                LocalCluster.stop(directory);
            }
        }
    }
}
