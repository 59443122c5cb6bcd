package io.overdrive.files.sstables;

import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.files.records.WritableDirectory;
import io.overdrive.internal.flow.NodeName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A directory for each node, where its SSTables are until the node has taken them. Immutable.
 *
 * <p>SSTables are in {@code ROOT/NODE/KEYSPACE/TABLE}: Cassandra 5 takes only those in a directory whose name, and whose parent's name,
 * have no other characters than those of keyspaces and tables.
 */
final class Staging {
    static final String SCRIPT = "import.sh";

    private final Path root;
    private final String keyspace;
    private final String table;
    private final List<Path> nodes;

    private Staging(Path root, String keyspace, String table, List<Path> nodes) {
        this.root = root;
        this.keyspace = keyspace;
        this.table = table;
        this.nodes = nodes;
    }

    /**
     * Creates the directories.
     *
     * @param root which does not exist, or is empty
     * @param isShared whether a node runs as another user of this machine, who has to move files away
     * @throws OverdriveException of kind INPUT if that is not possible
     */
    static Staging create(Path root, String keyspace, String table, List<Node> owners, boolean isShared) {
        Path absolute = root.toAbsolutePath().normalize();
        try {
            if (Files.exists(absolute) && !isEmpty(absolute)) {
                throw new OverdriveException(
                        Kind.INPUT,
                        absolute + ": SSTables need a directory that is empty, or does not exist: choose another one");
            }
            List<Path> nodes = new ArrayList<>();
            for (Node owner : owners) {
                Path node = absolute.resolve(NodeName.of(owner).replaceAll("[^\\w.-]", "_"));
                Path tables = node.resolve(keyspace).resolve(table);
                Files.createDirectories(tables);
                if (isShared) {
                    for (Path each : List.of(absolute, node, node.resolve(keyspace))) {
                        permit(each, "rwx--x--x");
                    }
                    permit(tables, "rwxrwxrwx");
                }
                nodes.add(node);
            }
            return new Staging(absolute, keyspace, table, List.copyOf(nodes));
        } catch (IOException e) {
            throw new OverdriveException(
                    Kind.INPUT,
                    absolute + ": no directory for SSTables can be created there: " + WritableDirectory.reason(e)
                            + "; choose another one",
                    e);
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

    /** What belongs to one node. */
    Path of(int owner) {
        return nodes.get(owner);
    }

    /** Where the SSTables of a node are. */
    Path sstables(int owner) {
        return nodes.get(owner).resolve(keyspace).resolve(table);
    }

    /** Those for each node. */
    List<Path> sstables() {
        List<Path> all = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            all.add(sstables(i));
        }
        return all;
    }

    /** Whether SSTables of a node are still there. */
    boolean hasSstables(int owner) throws IOException {
        Path directory = sstables(owner);
        if (!Files.exists(directory)) {
            return false;
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.anyMatch(file -> file.getFileName().toString().endsWith("-Data.db"));
        }
    }

    /** The command by which a user has the node take what is there. */
    String command(int owner, int jmxPort) {
        return "nodetool " + (jmxPort == 7199 ? "" : "-p " + jmxPort + " ") + "import " + keyspace + " " + table + " "
                + sstables(owner);
    }

    /**
     * Writes a script beside the SSTables of a node, which imports them there.
     *
     * @param name of the node
     */
    void writeScript(int owner, String name) throws IOException {
        Path script = nodes.get(owner).resolve(SCRIPT);
        Files.write(
                script,
                """
                #!/bin/sh
                # Imports the SSTables beside this script into %1$s.%2$s. For node %3$s, on which it must run, as a user
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
                "${NODETOOL:-nodetool}" "$@" import %1$s %2$s "$directory"
                # an import that finds nothing reports success, too
                if left; then
                    echo "import.sh: the node has not taken the SSTables in $directory; its log says why" >&2
                    exit 1
                fi
                rm -rf "$directory"
                echo "import.sh: imported into %1$s.%2$s"
                """
                        .formatted(keyspace, table, name)
                        .getBytes(StandardCharsets.UTF_8));
        permit(script, "rwxr-xr-x");
    }

    /** Deletes what is left of a node: verification by the node leaves files behind. */
    void delete(int owner) throws IOException {
        delete(nodes.get(owner));
    }

    /** Deletes everything, as far as possible. */
    void deleteAll() {
        try {
            delete(root);
        } catch (IOException e) {
            // what has ended the run says more
        }
    }

    private static void delete(Path top) throws IOException {
        if (!Files.exists(top)) {
            return;
        }
        List<Path> all;
        try (Stream<Path> walk = Files.walk(top)) {
            all = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : all) {
            Files.deleteIfExists(each);
        }
    }
}
