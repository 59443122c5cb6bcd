package io.overdrive.jobs.tables;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.formats.manifest.KeyspaceManifest;
import io.overdrive.formats.manifest.Manifest;
import io.overdrive.formats.records.InputFile;
import io.overdrive.formats.records.InputFiles;
import io.overdrive.internal.disk.FileName;
import io.overdrive.internal.disk.Location;
import io.overdrive.internal.disk.WritableDirectory;
import io.overdrive.internal.names.JobOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The directory of an unload of a keyspace, to load or verify its tables. Immutable.
 *
 * @param directory as the user named it
 */
public record KeyspaceInput(String directory, KeyspaceManifest manifest) {
    private static final int MAX_NAMED = 10;

    /**
     * The files of a table.
     *
     * @param bytes their size
     */
    public record TableFiles(KeyspaceManifest.Table table, List<InputFile> files, long bytes) {
        public TableFiles {
            files = List.copyOf(files);
        }
    }

    /**
     * The unload of a keyspace in a directory.
     *
     * @return null if there is none
     * @throws OverdriveException of kind INPUT if its manifest cannot be read
     */
    public static @Nullable KeyspaceInput in(String directory) {
        Path path = directory.equals("-") ? null : Location.path(directory);
        KeyspaceManifest manifest =
                path == null || !Location.isListed(path) || !Files.isDirectory(path) ? null : KeyspaceManifest.in(path);
        return manifest == null ? null : new KeyspaceInput(directory, manifest);
    }

    private Path path() {
        return Location.path(directory);
    }

    /** The names of its tables. */
    public List<CqlIdentifier> tables() {
        return manifest.tables().stream().map(KeyspaceInput::name).toList();
    }

    private static CqlIdentifier name(KeyspaceManifest.Table table) {
        return CqlIdentifier.fromCql(table.name());
    }

    /**
     * The script that creates the keyspace.
     *
     * @throws OverdriveException of kind INPUT if it cannot be read
     */
    public String schema() {
        Path script = path().resolve(KeyspaceManifest.SCHEMA);
        try {
            return Files.readString(script);
        } catch (NoSuchFileException e) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> script + ": is missing: create the tables yourself, and leave out "
                            + words.of(JobOption.CREATE),
                    e);
        } catch (IOException e) {
            throw cannotRead(script, e);
        }
    }

    private static OverdriveException cannotRead(Path file, IOException e) {
        return new OverdriveException(Kind.INPUT, file + ": cannot be read: " + WritableDirectory.reason(e), e);
    }

    /**
     * The files of tables, of which all are there.
     *
     * @param selected some of its tables
     * @throws OverdriveException of kind INPUT if a table or a file is missing, or has changed
     */
    public Map<CqlIdentifier, TableFiles> files(List<CqlIdentifier> selected) {
        Map<CqlIdentifier, TableFiles> files = new LinkedHashMap<>();
        List<String> missing = new ArrayList<>();
        for (KeyspaceManifest.Table each : manifest.tables()) {
            if (selected.contains(name(each))) {
                Manifest ofTable = manifest(each);
                if (ofTable == null) {
                    missing.add(each.name());
                } else {
                    String below = directory + (directory.endsWith("/") ? "" : "/") + each.directory();
                    files.put(name(each), new TableFiles(each, InputFiles.expand(List.of(below)), ofTable.bytes()));
                }
            }
        }
        if (!missing.isEmpty()) {
            throw incomplete(missing, /* isAll */ files.isEmpty());
        }
        return files;
    }

    /** Null if the table is not complete. */
    private @Nullable Manifest manifest(KeyspaceManifest.Table table) {
        Path below = path().resolve(table.directory());
        try {
            Manifest found = Manifest.in(below);
            if (table.isComplete() && table.rows() != found.rows()) {
                throw new OverdriveException(
                        Kind.INPUT,
                        below + ": has " + found.rows() + " rows by " + Manifest.NAME + ", and " + table.rows() + " by "
                                + KeyspaceManifest.NAME + ": it is of another unload");
            }
            refuseOther(table, below, found);
            return found;
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            throw cannotRead(below.resolve(Manifest.NAME), e);
        }
    }

    /** Refuses the files of another table, which have its name. */
    private static void refuseOther(KeyspaceManifest.Table table, Path below, Manifest found) {
        String start = FileName.of(name(table).asInternal()) + "-";
        for (String each : found.files().keySet()) {
            if (!each.startsWith(start)) {
                throw new OverdriveException(
                        Kind.INPUT,
                        below + ": has files of another table than " + table.name() + ", such as " + each
                                + ": the directory was renamed, or is a copy of another one");
            }
        }
    }

    private OverdriveException incomplete(List<String> missing, boolean isAll) {
        String run = manifest.run();
        return new OverdriveException(
                Kind.INPUT,
                words -> directory + ": " + missing.size() + " of "
                        + manifest.tables().size()
                        + " tables are missing: "
                        + missing.stream().limit(MAX_NAMED).collect(Collectors.joining(", "))
                        + (missing.size() > MAX_NAMED ? ", …" : "")
                        + (manifest.isComplete()
                                ? ". They were there when the unload had ended: copy their directories, too"
                                : ". The unload of keyspace "
                                        + manifest.source().keyspace()
                                        + " has not ended, or was ended early"
                                        + (run.isEmpty() ? "" : "; to continue it: overdrive resume " + run))
                        + (isAll
                                ? ""
                                : "; to do without them: " + words.of(JobOption.EXCEPT) + " '"
                                        + String.join(",", missing) + "'"));
    }
}
