package io.overdrive.sstable.read;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A backup of one node by <a href="https://github.com/thelastpickle/cassandra-medusa">Medusa</a>, in the directory {@code NODE/BACKUP} of its
 * storage. {@code meta/manifest.json} lists the files of each table with their sizes, and is written last. The files are below {@code
 * NODE/BACKUP/data}, or if backups share files, below {@code NODE/data}. Stateless.
 */
final class MedusaBackup {
    private static final String DATA = "-Data.db";
    private static final int NAMED_FILES = 3;

    /** The name of a table's directory, with its id, and of an index after it. */
    private static final Pattern TABLE = Pattern.compile("(.+)-([0-9a-f]{32})(.*)");

    /** A file by its path in the storage. */
    private record Listed(String path, long size) {}

    private MedusaBackup() {}

    private static Path meta(Path backup) {
        return backup.resolve("meta");
    }

    private static Path manifest(Path backup) {
        return meta(backup).resolve("manifest.json");
    }

    /** Whether a directory has a backup, be it complete or not. */
    static boolean isAt(Path directory) {
        return Files.exists(manifest(directory)) || Files.exists(schema(directory));
    }

    /**
     * The Data.db of a table's SSTables.
     *
     * @throws OverdriveException of kind INPUT if the backup is not complete, has no such table or several, or if a file is missing or has
     *     another size than when it was uploaded; of kind DISK if it cannot be read
     */
    static List<Path> data(Path backup, String keyspace, String table) {
        Map<String, List<Listed>> tables = listed(backup, keyspace);
        tables.keySet().removeIf(each -> !table.equals(nameOf(each)));
        if (tables.size() != 1) {
            throw new OverdriveException(
                    Kind.INPUT,
                    tables.isEmpty()
                            ? manifest(backup) + " lists no table " + keyspace + "." + table
                            : backup + " has several tables " + keyspace + "." + table + ", which was created again: "
                                    + String.join(", ", tables.keySet())
                                    + ". Name the directory of one of them, with a copy of its SSTables");
        }
        List<Path> files = new ArrayList<>();
        Map<Path, Long> sizes = new HashMap<>();
        for (Listed each : tables.values().iterator().next()) {
            Path file = inStorage(backup, each.path);
            files.add(file);
            sizes.put(file, each.size);
        }
        checkSizes(backup, sizes);
        return files.stream()
                .filter(file -> String.valueOf(file.getFileName()).endsWith(DATA))
                .sorted()
                .toList();
    }

    /**
     * The ids of the tables of a keyspace, and of its views, by name.
     *
     * @throws OverdriveException of kind INPUT if the backup is not complete; of kind DISK if it cannot be read
     */
    static Map<String, Set<String>> tables(Path backup, String keyspace) {
        Map<String, Set<String>> tables = new TreeMap<>();
        for (String each : listed(backup, keyspace).keySet()) {
            Matcher parts = TABLE.matcher(each);
            if (parts.matches() && parts.group(3).isEmpty()) {
                tables.computeIfAbsent(parts.group(1), name -> new TreeSet<>()).add(parts.group(2));
            }
        }
        return tables;
    }

    /** The sizes of the Data.db of tables, by their names. */
    static Map<String, Long> bytes(Path backup, String keyspace) {
        Map<String, Long> bytes = new TreeMap<>();
        listed(backup, keyspace).forEach((table, files) -> {
            String name = nameOf(table);
            if (name != null) {
                bytes.merge(
                        name,
                        files.stream()
                                .filter(each -> each.path.endsWith(DATA))
                                .mapToLong(Listed::size)
                                .sum(),
                        Long::sum);
            }
        });
        return bytes;
    }

    /** The statements of all keyspaces of the cluster. */
    static Path schema(Path backup) {
        return meta(backup).resolve("schema.cql");
    }

    /** The nodes of the cluster when the backup was made; empty if it does not say. */
    static Set<String> nodes(Path backup) {
        Set<String> nodes = new TreeSet<>();
        Path map = meta(backup).resolve("tokenmap.json");
        try (JsonParser json = new JsonFactory().createParser(Files.readAllBytes(map))) {
            int depth = 0;
            for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
                if (token == JsonToken.FIELD_NAME && depth == 1) {
                    nodes.add(json.currentName());
                }
                depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
            }
            return nodes;
        } catch (NoSuchFileException e) {
            return Set.of();
        } catch (IOException e) {
            throw unreadable(map, e);
        }
    }

    /** The name of the node, as the map of tokens has it. */
    static String node(Path backup) {
        Path node = backup.toAbsolutePath().getParent();
        return node == null ? "" : String.valueOf(node.getFileName());
    }

    /** The files of all tables of a keyspace, and of their indexes, by names with ids. */
    private static Map<String, List<Listed>> listed(Path backup, String keyspace) {
        Path manifest = manifest(backup);
        Map<String, List<Listed>> tables = new TreeMap<>();
        try (JsonParser json = new JsonFactory().createParser(Files.readAllBytes(manifest))) {
            String ofKeyspace = "";
            String table = "";
            String path = null;
            for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
                String name = String.valueOf(json.currentName());
                if (token == JsonToken.VALUE_STRING) {
                    switch (name) {
                        case "keyspace" -> ofKeyspace = json.getText();
                        case "columnfamily" -> table = json.getText();
                        case "path" -> path = json.getText();
                        default -> {}
                    }
                }
                boolean isWanted = ofKeyspace.equals(keyspace);
                if (isWanted && token == JsonToken.START_ARRAY && name.equals("objects")) {
                    tables.putIfAbsent(table, new ArrayList<>());
                } else if (isWanted && token == JsonToken.VALUE_NUMBER_INT && name.equals("size") && path != null) {
                    tables.computeIfAbsent(table, key -> new ArrayList<>()).add(new Listed(path, json.getLongValue()));
                }
            }
        } catch (NoSuchFileException e) {
            throw new OverdriveException(
                    Kind.INPUT, manifest + " is missing, so the backup of this node has not ended", e);
        } catch (IOException e) {
            throw unreadable(manifest, e);
        }
        return tables;
    }

    private static OverdriveException unreadable(Path file, IOException e) {
        return e instanceof JsonProcessingException
                ? new OverdriveException(Kind.INPUT, file + " is no JSON, or was cut", e)
                : new OverdriveException(Kind.DISK, file + " cannot be read: " + e, e);
    }

    /** The name of a table without its id; null for an index. */
    private static @Nullable String nameOf(String directory) {
        Matcher parts = TABLE.matcher(directory);
        return parts.matches() && parts.group(3).isEmpty() ? parts.group(1) : null;
    }

    /** The storage may have a prefix before the directory of the node. */
    private static Path inStorage(Path backup, String path) {
        String node = node(backup);
        String below = "/" + node + "/";
        int at = ("/" + path).indexOf(below);
        Path directory = backup.toAbsolutePath().getParent();
        if (at < 0 || directory == null) {
            throw new OverdriveException(
                    Kind.INPUT,
                    manifest(backup) + " lists " + path + ", which is not below the directory of the node, " + node);
        }
        return directory.resolve(path.substring(at + below.length() - 1));
    }

    private static void checkSizes(Path backup, Map<Path, Long> listed) {
        Map<Path, Long> missing = new TreeMap<>(listed);
        for (Path directory :
                new TreeSet<>(listed.keySet().stream().map(Path::getParent).toList())) {
            try (Stream<Path> files = Files.list(directory)) {
                for (Path file : files.toList()) {
                    Long size = missing.remove(file);
                    if (size != null && size != Files.size(file)) {
                        throw new OverdriveException(
                                Kind.INPUT,
                                file + " has " + Files.size(file) + " bytes, and by " + manifest(backup) + " " + size
                                        + ": it was cut or replaced");
                    }
                }
            } catch (NoSuchFileException e) {
                // its files are missing
            } catch (IOException e) {
                throw new OverdriveException(Kind.DISK, directory + " cannot be read: " + e, e);
            }
        }
        if (!missing.isEmpty()) {
            throw new OverdriveException(
                    Kind.INPUT,
                    missing.size() + " of " + listed.size() + " files that " + manifest(backup) + " lists are missing: "
                            + String.join(
                                    ", ",
                                    missing.keySet().stream()
                                            .limit(NAMED_FILES)
                                            .map(Path::toString)
                                            .toList())
                            + (missing.size() > NAMED_FILES ? ", …" : ""));
        }
    }
}
