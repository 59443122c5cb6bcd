package io.overdrive.jobs.journal;

import com.fasterxml.jackson.core.JacksonException;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.disk.LockFile;
import io.overdrive.internal.names.MessageText;
import io.overdrive.internal.names.NamedOption;
import io.overdrive.jobs.journal.RunStatus.State;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The runs of a user: a directory for each, in the state directory. Immutable; processes may use it at the same time. */
public final class RunStore {
    private static final Duration KEPT_IF_DONE = Duration.ofDays(7);
    private static final Duration KEPT = Duration.ofDays(30);

    /** The only form of an id, so that none leads out of the directory. */
    private static final Pattern ID = Pattern.compile("[0-9]{8}-[0-9]{6}-[a-z]{4}");

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final int SUFFIX = 26 * 26 * 26 * 26;

    private final Path directory;
    private final MessageText.Words words;
    /** Whether these are runs of tables, whose journals stay until those of the whole say how they ended. */
    private final boolean isOfTables;

    /** @param directory of the runs, {@code runs} in the state directory; it need not exist */
    public RunStore(Path directory) {
        this(directory, NamedOption::javaName);
    }

    /** @param words for options that the messages of failed runs name */
    public RunStore(Path directory, MessageText.Words words) {
        this(directory, words, /* isOfTables */ false);
    }

    private RunStore(Path directory, MessageText.Words words, boolean isOfTables) {
        this.directory = directory;
        this.words = words;
        this.isOfTables = isOfTables;
    }

    /**
     * The runs of the tables of a run that works on several, which are kept with it. One that is done can be resumed until
     * {@link #removeJournals}, to find out how it ended.
     */
    public RunStore ofTables(String id) {
        return new RunStore(directory.resolve(id).resolve("tables"), words, /* isOfTables */ true);
    }

    /** Whether the journal of a run is there. */
    public boolean hasJournal(String id) {
        return Files.exists(directory.resolve(id).resolve(Journal.NAME));
    }

    /**
     * Removes the journals of runs, none of which will be resumed.
     *
     * @throws OverdriveException of kind DISK if that fails
     */
    public void removeJournals() {
        for (String id : ids()) {
            Path journal = directory.resolve(id).resolve(Journal.NAME);
            try {
                Files.deleteIfExists(journal);
            } catch (IOException e) {
                throw new OverdriveException(Kind.DISK, journal + ": cannot be removed: " + e.getMessage(), e);
            }
        }
    }

    /** A file that a run has kept; null if it has none of this name. */
    public byte @Nullable [] read(String id, String name) {
        Path file = directory.resolve(id).resolve(name);
        try {
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            throw new OverdriveException(Kind.INPUT, file + ": cannot be read: " + e.getMessage(), e);
        }
    }

    /**
     * A run as it is now.
     *
     * @param status its last one; of KILLED if it says that it is running and no process does
     */
    public record Entry(String id, RunInfo info, RunStatus status) {}

    /**
     * Begins a run, and holds its lock.
     *
     * @throws OverdriveException of kind DISK if its directory cannot be written
     */
    public RunDirectory create(RunInfo info) {
        String id = newId(info.started());
        return RunDirectory.create(id, directory.resolve(id), info, words, isOfTables);
    }

    /** An id for a run that begins now, unlike any other. */
    public static String newId(Instant now) {
        return TIME.format(now) + "-" + suffix(ThreadLocalRandom.current().nextInt(SUFFIX));
    }

    private static String suffix(int number) {
        char[] letters = new char[4];
        int rest = number;
        for (int i = 0; i < letters.length; i++) {
            letters[i] = (char) ('a' + rest % 26);
            rest /= 26;
        }
        return new String(letters);
    }

    /** The directory of the runs; it need not exist. */
    public Path directory() {
        return directory;
    }

    /** Removes a run that this process has begun, and that has done nothing. */
    void discard(RunDirectory begun) {
        try {
            remove(begun.path());
        } catch (IOException e) {
            // its remaining files are not a run
        } finally {
            begun.close();
        }
    }

    /**
     * Takes the lock of a run that is to be resumed.
     *
     * @throws OverdriveException of kind INPUT if there is no such run, it is running, or there is nothing left to do
     */
    public RunDirectory reopen(String id) {
        RunDirectory reopened = RunDirectory.reopen(id, directory.resolve(id), find(id).info, words, isOfTables);
        RunStatus status;
        try {
            status = status(reopened.path());
        } catch (IOException e) {
            reopened.close();
            throw new OverdriveException(Kind.INPUT, String.valueOf(e.getMessage()), e);
        }
        if (status != null && status.state() == State.DONE && !isOfTables) {
            reopened.close();
            throw new OverdriveException(Kind.INPUT, "run " + id + " is done: there is nothing to resume");
        }
        return reopened;
    }

    /**
     * The run with this id.
     *
     * @throws OverdriveException of kind INPUT if there is none
     */
    public Entry find(String id) {
        if (!ID.matcher(id).matches()) {
            throw new OverdriveException(
                    Kind.INPUT,
                    "\"" + id + "\" is not the id of a run, such as 20260131-134500-abcd; see: overdrive runs");
        }
        try {
            return entry(id);
        } catch (NoSuchFileException e) {
            throw new OverdriveException(
                    Kind.INPUT, "there is no run " + id + " in " + directory + "; see: overdrive runs", e);
        } catch (IOException e) {
            throw new OverdriveException(Kind.INPUT, String.valueOf(e.getMessage()), e);
        }
    }

    /** All runs whose files can be read, newest first. */
    public List<Entry> list() {
        return list(damaged -> {});
    }

    /** As {@link #list()}. @param damaged takes why a run cannot be shown, unless it is being created or removed */
    public List<Entry> list(Consumer<String> damaged) {
        return newestFirst(damaged).toList();
    }

    /** As {@link #list()}, but only what is taken of the stream is read: there may be thousands of runs. */
    public Stream<Entry> newestFirst() {
        return newestFirst(damaged -> {});
    }

    private Stream<Entry> newestFirst(Consumer<String> damaged) {
        return bySecond().descendingMap().values().stream().flatMap(ids -> entries(ids, damaged)
                .sorted(Comparator.comparing((Entry each) -> each.info.started())
                        .reversed()));
    }

    /** The runs that a process works on, in no order. */
    public Stream<Entry> running() {
        return entries(
                        ids().stream()
                                .filter(id -> {
                                    try {
                                        return LockFile.isLocked(directory.resolve(id));
                                    } catch (IOException e) {
                                        return false; // it is being created or removed
                                    }
                                })
                                .toList(),
                        damaged -> {})
                .filter(each -> each.status.state() == State.RUNNING);
    }

    private Stream<Entry> entries(List<String> ids, Consumer<String> damaged) {
        return ids.stream().mapMulti((id, to) -> {
            try {
                to.accept(entry(id));
            } catch (NoSuchFileException e) {
                // it is being created or removed
            } catch (IOException e) {
                damaged.accept(String.valueOf(e.getMessage()));
            }
        });
    }

    /** The ids by the second in which the runs began. */
    private NavigableMap<String, List<String>> bySecond() {
        return ids().stream().collect(Collectors.groupingBy(RunStore::second, TreeMap::new, Collectors.toList()));
    }

    private static String second(String id) {
        return id.substring(0, id.lastIndexOf('-'));
    }

    private List<String> ids() {
        try (Stream<Path> paths = Files.list(directory)) {
            return paths.map(each -> String.valueOf(each.getFileName()))
                    .filter(id -> ID.matcher(id).matches())
                    .toList();
        } catch (IOException e) {
            return List.of(); // there was no run yet
        }
    }

    private Entry entry(String id) throws IOException {
        Path path = directory.resolve(id);
        RunInfo info = info(path.resolve(RunDirectory.INFO));
        boolean locked = LockFile.isLocked(path); // before the status is read: it may end in between
        RunStatus status = status(path);
        if (status == null) {
            status = new RunStatus(State.RUNNING, info.started(), 0, -1, "");
        }
        State state = locked ? State.RUNNING : status.state() == State.RUNNING ? State.KILLED : status.state();
        return new Entry(id, info, new RunStatus(state, status.at(), status.rows(), status.done(), status.message()));
    }

    private static RunInfo info(Path file) throws IOException {
        byte[] text = Files.readAllBytes(file);
        try {
            return RunJson.info(text);
        } catch (IOException e) {
            throw damaged(file, e);
        }
    }

    /** Null if there is none yet, or it is damaged and not needed, since the journal says how far the run is. */
    private static @Nullable RunStatus status(Path path) throws IOException {
        Path file = path.resolve(RunDirectory.STATUS);
        try {
            return RunJson.status(Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            if (Files.exists(path.resolve(Journal.NAME))) {
                return null;
            }
            throw damaged(file, e); // the run may be done: then it has no journal
        }
    }

    private static IOException damaged(Path file, IOException e) {
        String reason = e instanceof JacksonException json ? json.getOriginalMessage() : e.getMessage();
        return new IOException(file + ": cannot be read: " + reason, e);
    }

    /**
     * Removes runs that were done more than 7 days ago, and those that are not done or that others may follow after 30 days. Never one that
     * is running.
     */
    public void removeOld(Instant now) {
        String begunLater = TIME.format(now.minus(KEPT_IF_DONE));
        for (String id : bySecond().headMap(begunLater).values().stream()
                .flatMap(List::stream)
                .toList()) {
            Path path = directory.resolve(id);
            try {
                FileChannel lock = isOld(id, now) ? LockFile.lock(path) : null;
                if (lock != null) {
                    remove(path);
                    LockFile.unlock(path, lock);
                }
            } catch (IOException e) {
                // the next start removes it
            }
        }
    }

    private boolean isOld(String id, Instant now) throws IOException {
        Path path = directory.resolve(id);
        Entry entry;
        try {
            entry = entry(id);
        } catch (IOException e) {
            // damaged, or not complete yet
            return Files.getLastModifiedTime(path).toInstant().isBefore(now.minus(KEPT));
        }
        boolean isOfNoUse =
                entry.status.state() == State.DONE && !entry.info.values().containsKey(RunInfo.BEGAN);
        Duration kept = isOfNoUse ? KEPT_IF_DONE : KEPT;
        return entry.status.state() != State.RUNNING && entry.status.at().isBefore(now.minus(kept));
    }

    /** The run's own lock goes last. */
    private static void remove(Path path) throws IOException {
        Path lock = path.resolve(LockFile.NAME);
        List<Path> files;
        try (Stream<Path> all = Files.walk(path)) {
            files = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path file : files) {
            if (!file.equals(path) && !file.equals(lock)) {
                Files.delete(file);
            }
        }
        Files.delete(lock);
        Files.delete(path);
    }
}
