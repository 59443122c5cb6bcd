package io.overdrive.jobs.unload;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.formats.manifest.KeyspaceManifest;
import io.overdrive.formats.manifest.Manifest;
import io.overdrive.internal.disk.Location;
import io.overdrive.jobs.journal.OutputLock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The directory of an unload of a keyspace: its schema, a directory for each table, and a manifest that says from the first moment that
 * the whole is not complete, and at the end that it is. Used by one thread at a time; {@link #renewSchema} and {@link #of} by any.
 */
public final class KeyspaceOutput implements AutoCloseable {
    private final Path directory;
    private final KeyspaceManifest manifest;
    private final @Nullable OutputLock lock;

    private KeyspaceOutput(Path directory, KeyspaceManifest manifest, @Nullable OutputLock lock) {
        this.directory = directory;
        this.manifest = manifest;
        this.lock = lock;
    }

    /**
     * Refuses a directory that a new run cannot write.
     *
     * @throws OverdriveException of kind INPUT if it is not empty
     */
    public static void check(Path directory) {
        if (!Files.exists(directory)) {
            return;
        }
        KeyspaceManifest before = KeyspaceManifest.in(directory);
        if (before != null) {
            throw new OverdriveException(
                    Kind.INPUT,
                    directory + ": has an unload of keyspace " + before.source().keyspace() + ", which "
                            + (before.isComplete() ? "is" : "is not") + " complete"
                            + (before.isComplete() || before.run().isEmpty()
                                    ? ";"
                                    : "; continue it with overdrive resume " + before.run() + ", or")
                            + " name a new directory");
        }
        try {
            DirectoryOutput.requireEmpty(directory);
        } catch (IOException e) {
            throw cannotWrite(directory, e);
        }
    }

    /**
     * Begins to write, or continues.
     *
     * @param wanted the tables of a run that begins, none of which is complete
     * @param isResumed whether the run of the manifest may have begun here
     * @param schema a script that creates the keyspace
     * @throws OverdriveException of kind INPUT if another run writes here, or nothing can be written
     */
    public static KeyspaceOutput open(Path directory, KeyspaceManifest wanted, boolean isResumed, String schema) {
        OutputLock lock = null;
        try {
            if (Location.isLocal(directory)) {
                Files.createDirectories(directory);
                lock = OutputLock.in(directory);
            }
            KeyspaceManifest before = isResumed ? KeyspaceManifest.in(directory) : null;
            if (before == null) {
                if (isResumed && lock != null) {
                    Files.deleteIfExists(
                            directory.resolve(KeyspaceManifest.NAME + Place.UNFINISHED)); // it was killed there
                }
                check(directory);
                Place.create(directory.resolve(KeyspaceManifest.NAME), wanted.toJson());
            } else if (!before.run().equals(wanted.run())) {
                throw new OverdriveException(
                        Kind.INPUT,
                        directory + ": has an unload of "
                                + (before.run().isEmpty() ? "another run" : "run " + before.run())
                                + "; begin a new run with another directory");
            }
            Path script = directory.resolve(KeyspaceManifest.SCHEMA);
            if (before == null || !Files.exists(script)) {
                Place.replace(script, schema.getBytes(StandardCharsets.UTF_8));
            }
            return new KeyspaceOutput(directory, before == null ? wanted : before, lock);
        } catch (FileAlreadyExistsException e) {
            throw closed(lock, new OverdriveException(Kind.INPUT, directory + ": another run writes here", e));
        } catch (IOException e) {
            throw closed(lock, cannotWrite(directory, e));
        } catch (RuntimeException e) {
            throw closed(lock, e);
        }
    }

    private static RuntimeException closed(@Nullable OutputLock lock, RuntimeException failure) {
        if (lock != null) {
            lock.close();
        }
        return failure;
    }

    private static OverdriveException cannotWrite(Path directory, IOException e) {
        return Output.cannotWrite(directory.toString(), e);
    }

    /** The tables with which the run began. */
    public KeyspaceManifest manifest() {
        return manifest;
    }

    /**
     * The directory of a table.
     *
     * @throws OverdriveException of kind SCHEMA if the table was created after the run began
     */
    public Path of(CqlIdentifier table) {
        return manifest.tables().stream()
                .filter(each -> each.name().equals(table.asCql(true)))
                .findFirst()
                .map(each -> directory.resolve(each.directory()))
                .orElseThrow(() -> new OverdriveException(
                        Kind.SCHEMA, "table " + table.asCql(true) + " was created after the run began"));
    }

    /**
     * Replaces the script, as the schema has changed.
     *
     * @param renewal makes the new one of that before and of what says whether the unload of a table has begun
     * @throws OverdriveException of kind INPUT if it cannot be read or written
     */
    public synchronized void renewSchema(BiFunction<String, Predicate<CqlIdentifier>, String> renewal) {
        Path script = directory.resolve(KeyspaceManifest.SCHEMA);
        Set<CqlIdentifier> begun = manifest.tables().stream()
                .filter(each -> Files.exists(directory.resolve(each.directory())))
                .map(each -> CqlIdentifier.fromCql(each.name()))
                .collect(Collectors.toSet());
        try {
            String renewed = renewal.apply(Files.readString(script), begun::contains);
            Place.replace(script, renewed.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw cannotWrite(directory, e);
        }
    }

    /**
     * Says which tables are there, and whether these are all.
     *
     * @return why the whole is not complete, for each table that is not; empty if it is
     * @throws OverdriveException of kind INPUT if nothing can be written
     */
    public List<String> end(Collection<CqlIdentifier> complete) {
        List<KeyspaceManifest.Table> tables = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        for (KeyspaceManifest.Table each : manifest.tables()) {
            boolean isDone =
                    complete.stream().anyMatch(table -> table.asCql(true).equals(each.name()));
            try {
                tables.add(
                        isDone
                                ? each.with(Manifest.in(directory.resolve(each.directory()))
                                        .rows())
                                : each);
            } catch (NoSuchFileException e) {
                tables.add(each);
                missing.add(each.name() + ": its files are gone: " + directory.resolve(each.directory()));
            } catch (IOException e) {
                throw cannotWrite(directory, e);
            }
        }
        boolean isComplete = tables.stream().allMatch(KeyspaceManifest.Table::isComplete);
        KeyspaceManifest now = new KeyspaceManifest(
                manifest.source(), manifest.run(), manifest.started(), isComplete, manifest.writtenAfter(), tables);
        try {
            Place.replace(directory.resolve(KeyspaceManifest.NAME), now.toJson());
        } catch (IOException e) {
            throw cannotWrite(directory, e);
        }
        return missing;
    }

    @Override
    public void close() {
        if (lock != null) {
            lock.close();
        }
    }
}
