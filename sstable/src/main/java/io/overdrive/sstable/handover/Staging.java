package io.overdrive.sstable.handover;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.disk.LockFile;
import io.overdrive.internal.disk.WritableDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory for each node, where its SSTables are until the node has taken them, and the lock by which other runs see that this one
 * lives. Used by one thread at a time.
 *
 * <p>SSTables are in {@code ROOT/NODE/KEYSPACE/TABLE}: Cassandra 5 takes only those in a directory whose name, and whose parent's name,
 * have no other characters than those of keyspaces and tables.
 */
final class Staging implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Staging.class);

    static final String SCRIPT = "import.sh";
    /** Begins the names that runs give to directories. */
    static final String PREFIX = "overdrive-import-";

    private static final String COMPLETE = "complete";
    /** Has a directory for each attempt of a task, and in it one for each node. No node has this name: theirs have a port. */
    private static final String ATTEMPTS = "attempts";
    /** The number of a SSTable in the names of its files. */
    private static final Pattern NUMBER = Pattern.compile("^(\\w+)-\\d+-");

    private static final int LOCK_ATTEMPTS = 20;
    private static final long LOCK_PAUSE_NANOS = 20_000_000;

    private final Path root;
    private final boolean isRootNew;
    private final boolean isShared;
    private final String keyspace;
    private final String table;
    private final List<Path> nodes = new ArrayList<>();
    private @Nullable FileChannel lock;

    private Staging(Path root, boolean isRootNew, boolean isShared, String keyspace, String table, FileChannel lock) {
        this.root = root;
        this.isRootNew = isRootNew;
        this.isShared = isShared;
        this.keyspace = keyspace;
        this.table = table;
        this.lock = lock;
    }

    /** A root in a directory, with a name of this run that no other root has. */
    static Path newRoot(Path directory) {
        String name = PREFIX + ProcessHandle.current().pid() + "-";
        long time = System.currentTimeMillis();
        while (Files.exists(directory.resolve(name + time))) {
            time++;
        }
        return directory.resolve(name + time);
    }

    private static boolean isNameOfRun(Path root) {
        return root.getFileName().toString().matches(PREFIX + "\\d+-\\d+");
    }

    /**
     * Creates the directories.
     *
     * @param root which does not exist, or is empty
     * @param owners names of the nodes
     * @param isShared whether a node runs as another user of this machine, which has to move files away
     * @throws OverdriveException of kind INPUT if that is not possible; nothing is left then
     */
    static Staging create(Path root, String keyspace, String table, List<String> owners, boolean isShared) {
        Path absolute = root.toAbsolutePath().normalize();
        Staging staging = null;
        try {
            boolean isRootNew = !Files.exists(absolute);
            if (!isRootNew) {
                checkEmpty(absolute);
            }
            staging = new Staging(absolute, isRootNew, isShared, keyspace, table, lock(absolute));
            for (String owner : owners) {
                Path node = absolute.resolve(owner.replaceAll("[^\\w.-]", "_"));
                staging.nodes.add(node);
                Path tables = node.resolve(keyspace).resolve(table);
                Files.createDirectories(tables);
                if (isShared) {
                    for (Path each : List.of(absolute, node, node.resolve(keyspace))) {
                        permit(each, "rwx--x--x");
                    }
                    permit(tables, "rwxrwxrwx");
                }
            }
            return staging;
        } catch (IOException e) {
            if (staging != null) {
                staging.deleteAll();
            }
            throw new OverdriveException(
                    Kind.INPUT,
                    absolute + ": no directory for SSTables can be created there: " + WritableDirectory.reason(e)
                            + "; choose another one",
                    e);
        }
    }

    private static void checkEmpty(Path root) throws IOException {
        if (!isEmpty(root)) {
            String what = !Files.exists(root.resolve(LockFile.NAME))
                    ? "SSTables need a directory that is empty, or does not exist:"
                    : LockFile.isLocked(root)
                            ? "another run writes SSTables there: wait until it has ended, or"
                            : "a run that was killed has left incomplete SSTables there: delete them, or";
            throw new OverdriveException(Kind.INPUT, root + ": " + what + " choose another one");
        }
    }

    /** Creates the root with its lock. A {@link #sweep} of another run may look at it before it is locked, or delete it. */
    private static FileChannel lock(Path root) throws IOException {
        for (int attempt = 1; attempt <= LOCK_ATTEMPTS; attempt++) {
            Files.createDirectories(root);
            FileChannel lock;
            try {
                lock = LockFile.lock(root);
            } catch (NoSuchFileException e) {
                continue;
            }
            if (lock != null && Files.exists(root.resolve(LockFile.NAME))) {
                return lock;
            } else if (lock != null) {
                LockFile.unlock(root, lock);
            }
            LockSupport.parkNanos(LOCK_PAUSE_NANOS);
        }
        throw new IOException("another run has its lock");
    }

    /**
     * Deletes the leftovers of killed runs next to this directory, except complete SSTables. Leaves alone the files of a run
     * that lives, or to another user.
     *
     * @return messages for the user: which files were deleted, and where complete SSTables still wait for an import
     */
    List<String> sweep() {
        List<String> found = new ArrayList<>();
        Path above = root.getParent();
        if (above == null) {
            return found;
        }
        try (DirectoryStream<Path> all = Files.newDirectoryStream(above, PREFIX + "*")) {
            UserPrincipal user = Files.getOwner(root);
            for (Path each : all) {
                sweep(each, user, found);
            }
        } catch (IOException | DirectoryIteratorException e) {
            found.add("what earlier runs may have left in " + above + " cannot be listed: " + e.getMessage());
        }
        return found;
    }

    private static void sweep(Path root, UserPrincipal user, List<String> found) {
        try {
            if (!Files.isDirectory(root, LinkOption.NOFOLLOW_LINKS)
                    || !isNameOfRun(root)
                    || !Files.getOwner(root, LinkOption.NOFOLLOW_LINKS).equals(user)) {
                return;
            }
            if (!Files.isRegularFile(root.resolve(LockFile.NAME), LinkOption.NOFOLLOW_LINKS)) {
                if (isEmpty(root)) {
                    Files.delete(root); // killed before it had the lock
                }
                return;
            }
            FileChannel lock = LockFile.lock(root);
            if (lock == null) {
                return; // the run lives
            }
            try {
                boolean isComplete = Files.exists(root.resolve(COMPLETE));
                if (isComplete && hasSstables(root)) {
                    found.add("an earlier run has left complete SSTables in " + root
                            + ", which not all nodes have imported: have them imported by nodetool import, or load the"
                            + " rows again; then delete the directory");
                    return;
                }
                delete(root);
                if (!isComplete) {
                    found.add("deleted " + root + ", which a run that was killed had left");
                }
            } finally {
                LockFile.unlock(root, lock);
            }
        } catch (IOException | UncheckedIOException e) {
            found.add("what an earlier run has left in " + root + " cannot be deleted: " + e.getMessage());
        }
    }

    private static boolean isEmpty(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.findAny().isEmpty();
        }
    }

    private static void permit(Path file, String permissions) throws IOException {
        if (Files.getFileAttributeView(file, PosixFileAttributeView.class) != null) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
        }
    }

    Path root() {
        return root;
    }

    /** The name of a node's directory on its host; no other run, and no other node, has the same. */
    String name(int owner) {
        return root.getFileName() + "_" + of(owner).getFileName();
    }

    /** The directory of one node. */
    Path of(int owner) {
        return nodes.get(owner);
    }

    /** Where the SSTables of a node are. */
    Path sstables(int owner) {
        return nodes.get(owner).resolve(keyspace).resolve(table);
    }

    /** Lets tasks in several processes write below the root. */
    void createAttempts() throws IOException {
        Files.createDirectory(root.resolve(ATTEMPTS));
    }

    /**
     * Creates the directory of an attempt, in the process of a task.
     *
     * @throws NoSuchFileException if the job has ended: a directory that it created then would stay
     */
    static void createAttempt(Path root, String attempt) throws IOException {
        Files.createDirectory(root.resolve(ATTEMPTS).resolve(attempt));
    }

    /** The directory of a node inside an attempt's directory. */
    static Path createAttempt(Path root, String attempt, int owner) throws IOException {
        return Files.createDirectory(attempt(root, attempt, owner));
    }

    private static Path attempt(Path root, String attempt, int owner) {
        return root.resolve(ATTEMPTS).resolve(attempt).resolve(String.valueOf(owner));
    }

    /** Deletes the files of an attempt, as far as possible. */
    static void deleteAttempt(Path root, String attempt) {
        try {
            delete(root.resolve(ATTEMPTS).resolve(attempt));
        } catch (IOException e) {
            LOG.debug("{} of {} cannot be deleted: its job deletes it", attempt, root, e);
        }
    }

    /**
     * Moves a SSTable of an attempt to its node.
     *
     * @param names of its files
     * @param number that it gets there
     * @return the files
     */
    List<Path> take(String attempt, int owner, List<String> names, int number) throws IOException {
        List<Path> moved = new ArrayList<>();
        for (String name : names) {
            moved.add(Files.move(
                    attempt(root, attempt, owner).resolve(name),
                    sstables(owner).resolve(NUMBER.matcher(name).replaceFirst("$1-" + number + "-")),
                    StandardCopyOption.ATOMIC_MOVE));
        }
        return moved;
    }

    /** Deletes the files of attempts, also while one still writes: it finds nothing to write to any more. */
    void deleteAttempts() throws IOException {
        Path attempts = root.resolve(ATTEMPTS);
        if (Files.exists(attempts)) {
            Path ended = Files.move(attempts, root.resolve(ATTEMPTS + "-ended"), StandardCopyOption.ATOMIC_MOVE);
            delete(ended);
        }
    }

    /** The directories of all nodes. */
    List<Path> sstables() {
        List<Path> all = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            all.add(sstables(i));
        }
        return all;
    }

    /** Whether SSTables of a node are still there. */
    boolean hasSstables(int owner) throws IOException {
        return hasSstables(sstables(owner));
    }

    private static boolean hasSstables(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return false;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            return files.anyMatch(file -> file.getFileName().toString().endsWith("-Data.db"));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Records that all SSTables are written, so that no other run deletes them; a node of another user may read them now. */
    void complete() throws IOException {
        if (isShared) {
            for (Path directory : sstables()) {
                try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
                    for (Path file : files) {
                        permit(file, "rw-r--r--"); // whatever the umask is
                    }
                }
            }
        }
        Files.createFile(root.resolve(COMPLETE));
    }

    /**
     * The command with which a user makes the node import the SSTables there.
     *
     * @param nodetool with its options
     */
    String command(int owner, String nodetool) {
        return nodetool + " import " + quoted(keyspace) + " " + quoted(table) + " "
                + quoted(sstables(owner).toString());
    }

    /** Quotes a word for a shell. */
    static String quoted(String word) {
        return word.matches("[\\w./:@%+=,-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    /** Writes a script next to the SSTables of a node. */
    void writeScript(int owner, String script) throws IOException {
        Path file = Files.writeString(nodes.get(owner).resolve(SCRIPT), script);
        permit(file, "rwxr-xr-x");
    }

    /**
     * A script that imports the SSTables next to it, on the host of their node.
     *
     * @param name of the node
     * @param id of the node, which another one with replicas of the same rows does not have
     */
    String script(String name, UUID id) {
        return """
                #!/bin/sh
                # Imports the SSTables next to this script into %1$s.%2$s. For node %3$s, on which it must run, as a user
                # whose files the node may move. Arguments are passed to nodetool, such as -p 7199 or -u USER -pwf FILE.
                set -eu
                directory=$(cd "$(dirname "$0")" && pwd)/%1$s/%2$s
                left() {
                    for data in "$directory"/*-Data.db; do
                        if [ -e "$data" ]; then return 0; fi
                    done
                    return 1
                }
                if ! left; then
                    echo "import.sh: nothing is left to import in $directory"
                    exit 0
                fi
                # another node with replicas of the same rows would take them, too, and this one would lack them
                node=$("${NODETOOL:-nodetool}" "$@" info | sed -n 's/^ID *: *//p')
                if [ "$node" != %4$s ]; then
                    echo "import.sh: the SSTables in $directory are for node %3$s, whose ID is %4$s, and nodetool" \\
                        "reaches ${node:-no node that says its own}" >&2
                    exit 1
                fi
                "${NODETOOL:-nodetool}" "$@" import %1$s %2$s "$directory"
                # an import that finds nothing reports success, too
                if left; then
                    echo "import.sh: the node has not taken the SSTables in $directory; its log says why" >&2
                    exit 1
                fi
                rm -rf "$directory"
                echo "import.sh: imported into %1$s.%2$s"
                """
                .formatted(keyspace, table, name, id);
    }

    /** Deletes the remaining files of a node: verification by the node leaves files behind. */
    void delete(int owner) throws IOException {
        delete(nodes.get(owner));
    }

    /** Deletes everything that this run has created, as far as possible. */
    void deleteAll() {
        try {
            deleteAttempts();
            for (Path node : nodes) {
                delete(node);
            }
            close();
            Files.deleteIfExists(root.resolve(COMPLETE));
            Files.deleteIfExists(root.resolve(LockFile.NAME));
            if (isRootNew) {
                Files.deleteIfExists(root);
            }
        } catch (IOException e) {
            LOG.warn("{} cannot be deleted: the next run attempts it again", root, e);
        }
    }

    private static void delete(Path top) throws IOException {
        if (!Files.exists(top)) {
            return;
        }
        List<Path> all;
        try (Stream<Path> walk = Files.walk(top)) {
            all = walk.sorted(Comparator.reverseOrder()).toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        for (Path each : all) {
            Files.deleteIfExists(each);
        }
    }

    /** Releases the lock and deletes its file: from now on the directory belongs to the user. */
    void leave() throws IOException {
        close();
        Files.deleteIfExists(root.resolve(LockFile.NAME));
    }

    /** Releases the lock. The files stay. */
    @Override
    public void close() throws IOException {
        FileChannel held = lock;
        lock = null;
        if (held != null) {
            LockFile.unlock(root, held);
        }
    }
}
