package io.overdrive.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Makes the archive of Cassandra's classes (dynamic class data sharing): a node is started only for this, and its JVM writes the loaded
 * classes when it ends. Saves later nodes about a second and a quarter of their memory. Confined to a caller that holds the lock of the
 * archive's directory.
 */
final class ClassArchive {
    private static final int FIRST_JAVA = 13;
    private static final Duration WRITING = Duration.ofMinutes(2);

    private ClassArchive() {}

    /** A failure is no error: nodes also run without an archive. */
    static void make(Server server, Path archive, Consumer<String> progress) {
        if (server.jdk().feature() < FIRST_JAVA) {
            return;
        }
        progress.accept("archiving Cassandra's classes, so that nodes start faster (once, about 15 s)");
        Path directory = archive.resolveSibling("training");
        Path temporary = archive.resolveSibling("training.jsa");
        LocalOptions options = LocalOptions.builder()
                .cassandra(server.version().release())
                .heapMegabytes(256)
                .directory(directory)
                .port(0)
                .profile(LocalOptions.Profile.SMALL)
                .jvmArguments("-XX:ArchiveClassesAtExit=" + temporary)
                .stopWithJvm(true)
                .progress(line -> {})
                .build();
        try {
            Server.deleteTree(directory);
            Files.deleteIfExists(temporary);
            try (LocalCluster cluster = LocalCluster.start(options, () -> server)) {
                cluster.stop(WRITING);
            }
            Files.move(temporary, archive, StandardCopyOption.ATOMIC_MOVE);
            Server.deleteTree(directory);
        } catch (LocalClusterException | IOException e) {
            progress.accept("no archive of classes, nodes start slower: " + e.getMessage());
        }
    }
}
