package io.overdrive.jobs.journal;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.disk.LockFile;
import io.overdrive.internal.disk.PrivateFile;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import io.overdrive.jobs.journal.RunStatus.State;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;

/**
 * The directory of a run of this process, which holds its lock until it is closed. Used by the thread of the journal, and by the one
 * that runs the job when that has ended.
 */
public final class RunDirectory implements AutoCloseable {
    static final String INFO = "run.json";
    static final String STATUS = "status.json";

    private static final int LOCK_ATTEMPTS = 20;
    private static final long LOCK_PAUSE_NANOS = 20_000_000;

    private final String id;
    private final Path path;
    private final RunInfo info;
    private final FileChannel lock;
    private final JournalFiles files;
    private final MessageText.Words words;
    private final boolean keepsJournal;

    private RunDirectory(
            String id, Path path, RunInfo info, FileChannel lock, MessageText.Words words, boolean keepsJournal) {
        this.id = id;
        this.path = path;
        this.info = info;
        this.lock = lock;
        this.files = new DiskFiles(path);
        this.words = words;
        this.keepsJournal = keepsJournal;
    }

    /**
     * Takes the lock of a new directory, and says what the run is about.
     *
     * @param keepsJournal whether the journal stays when the run is done
     */
    static RunDirectory create(String id, Path path, RunInfo info, MessageText.Words words, boolean keepsJournal) {
        try {
            PrivateFile.createDirectories(path);
            Durable.directory(Objects.requireNonNull(path.toAbsolutePath().getParent()));
            FileChannel lock = LockFile.lock(path);
            if (lock == null) {
                throw new IOException("another process has its lock");
            }
            RunDirectory created = new RunDirectory(id, path, info, lock, words, keepsJournal);
            created.files.replace(INFO, RunJson.of(info));
            return created;
        } catch (IOException e) {
            throw failed(path, "created", e);
        }
    }

    /** Takes the lock of a run that has ended. @param keepsJournal as {@link #create} has it */
    static RunDirectory reopen(String id, Path path, RunInfo info, MessageText.Words words, boolean keepsJournal) {
        try {
            FileChannel lock = LockFile.lock(path);
            for (int attempt = 1; lock == null && attempt < LOCK_ATTEMPTS; attempt++) {
                LockSupport.parkNanos(LOCK_PAUSE_NANOS); // a list of runs has each lock for a moment
                lock = LockFile.lock(path);
            }
            if (lock == null) {
                throw new OverdriveException(
                        Kind.INPUT, "run " + id + " is still running: stop it, or wait until it has ended");
            }
            return new RunDirectory(id, path, info, lock, words, keepsJournal);
        } catch (IOException e) {
            throw failed(path, "opened", e);
        }
    }

    private static OverdriveException failed(Path path, String what, IOException e) {
        return new OverdriveException(
                Kind.DISK,
                words -> path + ": the directory of the run cannot be " + what + ": " + reason(e) + "; name another"
                        + " one by the environment variable OVERDRIVE_STATE, or do without a journal with "
                        + words.of(JobOption.NO_JOURNAL),
                e);
    }

    /** The messages of these two are only the path. */
    private static String reason(IOException e) {
        String message = String.valueOf(e.getMessage());
        return e instanceof AccessDeniedException
                ? "permission denied for " + message
                : e instanceof FileAlreadyExistsException ? message + " is not a directory" : message;
    }

    /** The run's id, as users type it. */
    public String id() {
        return id;
    }

    /** The description of the run. */
    public RunInfo info() {
        return info;
    }

    /** The files of the run; its journal is among them. */
    public JournalFiles files() {
        return files;
    }

    /** The directory, for messages. */
    public Path path() {
        return path;
    }

    /**
     * Records how far the run is, or how it ended. The journal of a run that is done is of no use any more, and is deleted, unless it is
     * that of a table.
     *
     * @throws OverdriveException of kind DISK if that fails
     */
    public void status(RunStatus status) {
        try {
            files.replace(STATUS, RunJson.of(status));
            if (status.state() == State.DONE && !keepsJournal) {
                files.delete(Journal.NAME);
            }
        } catch (IOException e) {
            throw failed(path, "written", e);
        }
    }

    /** The message of a failure, for the status. */
    public String described(RuntimeException failure) {
        return MessageText.of(failure).in(words);
    }

    /** Releases the lock. */
    @Override
    public void close() {
        try {
            LockFile.unlock(path, lock);
        } catch (IOException e) {
            throw failed(path, "closed", e);
        }
    }
}
