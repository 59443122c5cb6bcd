package io.overdrive.sstable.read;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.disk.WritableDirectory;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds the SSTables in directories, such as snapshots, and notices if some have been copied in part. Stateless. */
public final class SstableDirectories {
    private static final String DATA = "-Data.db";
    /** Version, number or id, and format of an SSTable, in front of the name of one of its files. */
    private static final Pattern COMPONENT = Pattern.compile("([a-z]{2}-[0-9a-z_]+-[a-z]+)-.+");
    /** File in which a snapshot lists its files, in quotes; the files of indexes are in separate directories. */
    private static final String MANIFEST = "manifest.json";

    private static final Pattern LISTED = Pattern.compile("\"([^\"/]+" + DATA + ")\"");

    /** A manifest that is whole, as far as its files go. */
    private static final Pattern WHOLE =
            Pattern.compile("\\s*\\{.*\"files\"\\s*:\\s*\\[[^\\]]*\\].*\\}\\s*", Pattern.DOTALL);

    private SstableDirectories() {}

    /**
     * The directories that a user has named, in which {@code *} and {@code ?} stand for any characters of a name.
     *
     * @throws IllegalArgumentException if one is no directory, or none matches
     */
    public static List<Path> named(List<Path> patterns) {
        List<Path> directories = new ArrayList<>();
        for (Path pattern : patterns) {
            directories.addAll(named(pattern));
        }
        return directories;
    }

    private static List<Path> named(Path pattern) {
        if (Files.isDirectory(pattern)) {
            return List.of(pattern);
        }
        if (!isGlob(pattern) || Files.exists(pattern)) {
            throw new IllegalOptionException(
                    words -> words.of(JobOption.FROM_SSTABLES) + " is " + pattern + ", which is not a directory");
        }
        Path root = pattern.getRoot();
        List<Path> found = List.of(root == null ? pattern.getFileSystem().getPath("") : root);
        for (Path name : pattern) {
            List<Path> next = new ArrayList<>();
            for (Path each : found) {
                if (isGlob(name)) {
                    next.addAll(directoriesIn(each, name));
                } else {
                    next.add(each.resolve(name));
                }
            }
            found = next;
        }
        List<Path> directories = found.stream().filter(Files::isDirectory).toList();
        if (directories.isEmpty()) {
            throw new IllegalOptionException(
                    words -> words.of(JobOption.FROM_SSTABLES) + " is " + pattern + ", which matches no directory");
        }
        return directories;
    }

    private static boolean isGlob(Path path) {
        return path.toString().indexOf('*') >= 0 || path.toString().indexOf('?') >= 0;
    }

    private static List<Path> directoriesIn(Path directory, Path pattern) {
        PathMatcher matcher = pattern.getFileSystem().getPathMatcher("glob:" + pattern);
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(each -> matcher.matches(each.getFileName()) && Files.isDirectory(each))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new IllegalOptionException(
                    words -> words.of(JobOption.FROM_SSTABLES) + " has " + directory + ", which cannot be listed: "
                            + WritableDirectory.reason(e),
                    e);
        }
    }

    /**
     * The Data.db of all SSTables of a table in the directories themselves, by directory, and in each of them in the order of their names.
     * Hidden files are ignored, and so are directories in them, which have indexes or other snapshots. A snapshot of a table without rows has
     * none, and a manifest.json that lists none. Of a backup by Medusa, the files are those that its manifest lists.
     *
     * @param keyspace of the table, not quoted, for backups, which have all tables
     * @throws OverdriveException of kind INPUT if a directory is that of a node which is writing to it, or has neither an SSTable nor a
     *     manifest.json, or a damaged one, or if an SSTable is missing by what a snapshot says of itself, or by its other files; of kind DISK if a directory
     *     cannot be read
     */
    public static List<Path> list(List<Path> directories, String keyspace, String table) {
        List<Path> data = new ArrayList<>();
        for (Path directory : directories) {
            data.addAll(
                    MedusaBackup.isAt(directory) ? MedusaBackup.data(directory, keyspace, table) : listOne(directory));
        }
        checkManifests(directories, data);
        return data;
    }

    /** Nodes that are in the backups of the others, and have none among the directories: rows that only they have are missing. */
    public static List<String> nodesWithoutBackup(List<Path> directories) {
        Set<String> nodes = new TreeSet<>();
        Set<String> named = new TreeSet<>();
        for (Path directory : directories) {
            if (MedusaBackup.isAt(directory)) {
                nodes.addAll(MedusaBackup.nodes(directory));
                named.add(MedusaBackup.node(directory));
            }
        }
        nodes.removeAll(named);
        return List.copyOf(nodes);
    }

    private static List<Path> listOne(Path directory) {
        List<Path> all;
        try (Stream<Path> files = Files.list(directory)) {
            all = files.filter(file -> !file.getFileName().toString().startsWith("."))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new OverdriveException(Kind.DISK, directory + " cannot be read: " + e, e);
        }
        for (Path file : all) {
            if (file.getFileName().toString().contains("_txn_")) {
                throw new OverdriveException(
                        Kind.INPUT,
                        directory + " has " + file.getFileName()
                                + ", so a node is writing to it, or has crashed: use the directory of a snapshot"
                                + " (nodetool snapshot)");
            }
        }
        List<Path> data = all.stream()
                .filter(file -> file.getFileName().toString().endsWith(DATA))
                .toList();
        Set<Path> present = Set.copyOf(data);
        for (Path file : all) {
            Matcher component = COMPONENT.matcher(file.getFileName().toString());
            if (component.matches() && !present.contains(file.resolveSibling(component.group(1) + DATA))) {
                throw new OverdriveException(
                        Kind.INPUT,
                        directory + " has " + file.getFileName() + ", but " + component.group(1) + DATA
                                + " is missing; copy all files of the SSTable");
            }
        }
        if (data.isEmpty() && !Files.exists(directory.resolve(MANIFEST))) {
            throw new OverdriveException(
                    Kind.INPUT, directory + " has no SSTable (…-Data.db): name the directory of a table or snapshot");
        }
        return data;
    }

    /**
     * An SSTable that a manifest lists may be in another directory, as a node may have several disks. An SSTable of another node may have the same
     * name, so there must be as many SSTables of a name as manifests that list it.
     */
    private static void checkManifests(List<Path> directories, List<Path> data) {
        Map<String, Integer> missing = new HashMap<>();
        Map<String, Path> lackedBy = new HashMap<>();
        for (Path directory : directories) {
            for (String name : listedIn(directory)) {
                missing.merge(name, 1, Integer::sum);
                if (!data.contains(directory.resolve(name))) {
                    lackedBy.put(name, directory);
                }
            }
        }
        data.forEach(file -> missing.computeIfPresent(file.getFileName().toString(), (name, count) -> count - 1));
        missing.forEach((name, count) -> {
            if (count > 0) {
                throw new OverdriveException(
                        Kind.INPUT,
                        Objects.requireNonNull(lackedBy.get(name)).resolve(MANIFEST) + " lists " + name
                                + ", which is missing: copy the whole snapshot, and name its directory on each disk of the"
                                + " node; or delete this file, to read what is there");
            }
        });
    }

    /** The SSTables that a directory's manifest lists; empty if it has none. */
    private static Set<String> listedIn(Path directory) {
        Path manifest = directory.resolve(MANIFEST);
        if (!Files.exists(manifest)) {
            return Set.of();
        }
        String text;
        try {
            text = new String(Files.readAllBytes(manifest), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new OverdriveException(Kind.DISK, manifest + " cannot be read: " + e, e);
        }
        if (!WHOLE.matcher(text).matches()) {
            throw new OverdriveException(
                    Kind.INPUT,
                    manifest
                            + " is damaged, so it is unknown which SSTables the snapshot has: copy the whole snapshot"
                            + " again; or delete this file, to read what is there");
        }
        return LISTED.matcher(text)
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
