package io.overdrive.sstable.read;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a keyspace in backups of nodes: in directories as Cassandra has them, {@code KEYSPACE/TABLE-ID/snapshots/NAME}, or without
 * snapshots, or in backups by Medusa. Views are among the tables, as their directories look alike. Immutable.
 */
public final class SstableBackup {
    private static final Pattern TABLE = Pattern.compile("(.+)-([0-9a-f]{32})");
    private static final String SNAPSHOTS = "snapshots";
    private static final String DATA = "-Data.db";
    private static final String SCHEMA = "schema.cql";
    private static final int MAX_NAMED = 5;

    private final String keyspace;
    private final List<Part> parts;
    /** Tables that have SSTables beside the snapshots of others, and are in none, and what is wrong with each. */
    private final Map<String, String> lacking;

    /**
     * The SSTables of a table on a node, or on one of its disks.
     *
     * @param root the directory of the keyspace, or the backup by Medusa
     * @param id of the table, as directories have it
     * @param snapshot its name; empty if the SSTables are in none
     * @param directory as {@link SstableDirectories} takes it
     * @param counts whether each node has one of them
     */
    private record Part(Path root, String table, String id, String snapshot, Path directory, boolean counts) {}

    private SstableBackup(String keyspace, List<Part> parts, Map<String, String> lacking) {
        this.keyspace = keyspace;
        this.parts = List.copyOf(parts);
        this.lacking = lacking;
    }

    /**
     * Finds the tables.
     *
     * @param directories of tables or their snapshots, of keyspaces, of all data of a node, or of its backup by Medusa
     * @param keyspace not quoted
     * @throws OverdriveException of kind INPUT if one of them has no table of the keyspace, or a backup by Medusa is not complete; of kind DISK
     *     if one cannot be read
     */
    public static SstableBackup of(List<Path> directories, String keyspace) {
        List<Part> parts = new ArrayList<>();
        for (Path each : directories) {
            int before = parts.size();
            if (MedusaBackup.isAt(each)) {
                MedusaBackup.tables(each, keyspace)
                        .forEach((table, ids) ->
                                ids.forEach(id -> parts.add(new Part(each, table, id, "", each, /* counts */ true))));
            } else {
                add(each.toAbsolutePath().normalize(), keyspace, parts);
            }
            if (parts.size() == before) {
                throw new OverdriveException(
                        Kind.INPUT,
                        each + " has no table of keyspace " + keyspace + ": name a directory " + keyspace
                                + " with TABLE-ID directories as Cassandra has them, the one above it, snapshots in it ("
                                + keyspace + "/*/snapshots/NAME), or a backup of a node by Medusa");
            }
        }
        Map<String, String> lacking = new TreeMap<>();
        snapshots(parts).forEach((root, names) -> {
            if (names.size() == 1) {
                String name = names.first();
                parts.removeIf(each -> each.root.equals(root) && each.snapshot.isEmpty());
                Set<String> there = parts.stream() // also under the id of a table that was dropped and created since
                        .filter(each -> each.root.equals(root))
                        .map(Part::table)
                        .collect(Collectors.toSet());
                for (Path each : directories(root)) {
                    Matcher table = table(each);
                    if (table != null && !there.contains(table.group(1)) && hasSstables(each)) {
                        lacking.put(
                                table.group(1),
                                table.group(1) + " has SSTables in " + each + ", and is not in the snapshot " + name);
                    }
                }
            }
        });
        return new SstableBackup(keyspace, parts, lacking);
    }

    private static void add(Path directory, String keyspace, List<Part> parts) {
        Path above = directory.getParent();
        if (above != null && String.valueOf(above.getFileName()).equals(SNAPSHOTS) && above.getParent() != null) {
            addTable(above.getParent(), keyspace, String.valueOf(directory.getFileName()), parts);
        } else if (table(directory) != null) {
            addTable(directory, keyspace, /* snapshot */ null, parts);
        } else {
            List<Path> below = directories(directory);
            boolean isKeyspace = below.stream().anyMatch(each -> table(each) != null);
            for (Path each : below) {
                if (isKeyspace && String.valueOf(directory.getFileName()).equals(keyspace)) {
                    addTable(each, keyspace, /* snapshot */ null, parts);
                } else if (!isKeyspace && String.valueOf(each.getFileName()).equals(keyspace)) {
                    add(each, keyspace, parts);
                }
            }
        }
    }

    /** The names of the snapshots of each keyspace that has some. */
    private static Map<Path, SortedSet<String>> snapshots(Collection<Part> parts) {
        Map<Path, SortedSet<String>> snapshots = new TreeMap<>();
        parts.stream().filter(each -> !each.snapshot.isEmpty()).forEach(each -> snapshots
                .computeIfAbsent(each.root, root -> new TreeSet<>())
                .add(each.snapshot));
        return snapshots;
    }

    private static @Nullable Matcher table(Path directory) {
        Matcher table = TABLE.matcher(String.valueOf(directory.getFileName()));
        return table.matches() ? table : null;
    }

    /** @param snapshot its name; null for all of them */
    private static void addTable(Path directory, String keyspace, @Nullable String snapshot, List<Part> parts) {
        Matcher name = table(directory);
        Path root = directory.getParent();
        if (name == null || root == null || !String.valueOf(root.getFileName()).equals(keyspace)) {
            return;
        }
        Path snapshots = directory.resolve(SNAPSHOTS);
        List<Path> all = snapshot != null
                ? List.of(snapshots.resolve(snapshot))
                : Files.isDirectory(snapshots) ? directories(snapshots) : List.of();
        for (Path each : all) {
            String of = String.valueOf(each.getFileName());
            parts.add(new Part(root, name.group(1), name.group(2), of, each, isOfANode(each)));
        }
        if (all.isEmpty() && (hasSstables(directory) || isOfANode(directory))) {
            parts.add(new Part(root, name.group(1), name.group(2), "", directory, isOfANode(directory)));
        }
    }

    /** A node has these in one directory of each table, however many disks it has. */
    private static boolean isOfANode(Path directory) {
        return Files.exists(directory.resolve("manifest.json")) || Files.exists(directory.resolve(SCHEMA));
    }

    private static boolean hasSstables(Path directory) {
        return list(directory).stream()
                .anyMatch(each -> String.valueOf(each.getFileName()).endsWith(DATA));
    }

    private static List<Path> directories(Path directory) {
        return list(directory).stream().filter(Files::isDirectory).toList();
    }

    private static List<Path> list(Path directory) {
        try (Stream<Path> all = Files.list(directory)) {
            return all.sorted().toList();
        } catch (IOException e) {
            throw new OverdriveException(Kind.DISK, directory + " cannot be read: " + e, e);
        }
    }

    /** The names of tables and views, as they are, with capitals. */
    public Set<String> tables() {
        Set<String> tables = new TreeSet<>(lacking.keySet());
        parts.forEach(each -> tables.add(each.table));
        return tables;
    }

    /** The ids of a table; one, if {@link #check} has not refused it. */
    public Set<String> ids(String table) {
        return of(table).map(Part::id).collect(Collectors.toCollection(TreeSet::new));
    }

    /** The directories of a table, as {@link SstableDirectories} takes them. */
    public List<Path> directories(String table) {
        return of(table).map(Part::directory).distinct().toList();
    }

    private Stream<Part> of(String table) {
        return parts.stream().filter(each -> each.table.equals(table));
    }

    /**
     * The problems of tables of which not all is there, or more than one of: those that several ids have, as they were dropped and created,
     * or several snapshots, and those that some nodes lack.
     *
     * @param tables names of tables that are to be read
     * @return one for each; empty if there is none
     */
    public List<String> problems(Collection<String> tables) {
        List<String> problems = new ArrayList<>();
        long most = 0;
        for (String each : tables) {
            most = Math.max(most, nodes(each));
            Set<String> ids = ids(each);
            if (ids.size() > 1) {
                problems.add(each + " has several ids, as it was dropped and created: " + String.join(", ", ids)
                        + "; name the directories of one of them");
            }
        }
        for (String each : tables) {
            long nodes = nodes(each);
            if (nodes < most && !lacking.containsKey(each)) {
                problems.add(each + " is in " + nodes + " of " + most + " backups");
            }
        }
        tables.stream().filter(lacking::containsKey).forEach(each -> problems.add(lacking.get(each)));
        snapshots(parts.stream().filter(each -> tables.contains(each.table)).toList())
                .forEach((root, names) -> {
                    if (names.size() > 1) {
                        problems.add(root + " has several snapshots, " + several(root, names, tables) + "; name one: "
                                + root + "/*/" + SNAPSHOTS + "/" + names.first());
                    }
                });
        return problems;
    }

    private String several(Path root, Set<String> names, Collection<String> tables) {
        return names.stream()
                        .limit(MAX_NAMED)
                        .map(name -> {
                            List<String> of = parts.stream()
                                    .filter(each -> each.root.equals(root)
                                            && each.snapshot.equals(name)
                                            && tables.contains(each.table))
                                    .map(Part::table)
                                    .toList();
                            return name + " (" + of.get(0) + (of.size() > 1 ? " and others" : "") + ")";
                        })
                        .collect(Collectors.joining(", "))
                + (names.size() > MAX_NAMED ? ", …" : "");
    }

    /** The number of nodes that have a table: of those with a description of it, or if none has one, of all. */
    private long nodes(String table) {
        long described = of(table).filter(Part::counts).count();
        return described > 0 ? described : of(table).count();
    }

    /** The scripts that come with the tables, by their places: of each table, or by Medusa of all. */
    public Map<String, String> schemas() {
        Map<String, String> scripts = new LinkedHashMap<>();
        for (Part each : parts) {
            Path script = MedusaBackup.isAt(each.directory)
                    ? MedusaBackup.schema(each.directory)
                    : each.directory.resolve(SCHEMA);
            try {
                if (!scripts.containsKey(script.toString())) {
                    scripts.put(script.toString(), Files.readString(script));
                }
            } catch (NoSuchFileException e) {
                // another node may have it
            } catch (IOException e) {
                throw new OverdriveException(Kind.DISK, script + " cannot be read: " + e, e);
            }
        }
        return scripts;
    }

    /** The size of the Data.db of a table's SSTables; 0 if it cannot be found out, as reading them will say. */
    public long bytes(String table) {
        long bytes = 0;
        for (Path each : directories(table)) {
            try {
                if (MedusaBackup.isAt(each)) {
                    bytes += MedusaBackup.bytes(each, keyspace).getOrDefault(table, 0L);
                } else {
                    for (Path file : list(each)) {
                        bytes += String.valueOf(file.getFileName()).endsWith(DATA) ? Files.size(file) : 0;
                    }
                }
            } catch (IOException | OverdriveException e) {
                return 0;
            }
        }
        return bytes;
    }
}
