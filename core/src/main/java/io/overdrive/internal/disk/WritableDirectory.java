package io.overdrive.internal.disk;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.WriteSetting;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Checks directories before the first row is read, so that a long run does not fail because of one. Stateless. */
public final class WritableDirectory {
    private WritableDirectory() {}

    /**
     * Creates the directory of rejected records if it is missing, and a file in it, which is deleted again.
     *
     * @throws OverdriveException of kind INPUT if that fails
     */
    public static void checkRejects(Path directory) {
        MessageText what =
                words -> "rejected records are written to it: choose another one with " + words.of(JobOption.REJECTS);
        try {
            Files.createDirectories(directory.toAbsolutePath());
        } catch (IOException e) {
            throw notWritable(directory, what, e);
        }
        check(directory, what);
    }

    /** As {@link #checkRejects}, for the spill directory, which has to exist. */
    public static void checkSpills(Path directory) {
        check(
                directory,
                words -> "rows that do not fit in memory are written to it: choose another one with "
                        + words.of(WriteSetting.SPILL_DIRECTORY));
    }

    /** As {@link #checkSpills}, for the directory for keys. */
    public static void checkKeys(Path directory) {
        check(
                directory,
                words -> "keys that do not fit in memory are written to it: choose another one with "
                        + words.of(JobOption.KEYS_SPILL_DIRECTORY));
    }

    /** Why no file can be created in a directory, or if it is missing, in the one above it that exists; null if one can. */
    public static @Nullable String whyNot(Path directory) {
        Path existing = directory.toAbsolutePath();
        for (Path above = existing; above != null && !Files.exists(existing); above = above.getParent()) {
            existing = above;
        }
        try {
            createAndDelete(existing);
            return null;
        } catch (IOException e) {
            return reason(e);
        }
    }

    /** Whether a run ended because of a disk, so that the pending rows themselves are fine. */
    public static boolean isDiskFailure(@Nullable RuntimeException e) {
        return e instanceof OverdriveException known && known.kind() == OverdriveException.Kind.DISK;
    }

    /** Why a file cannot be written, in words. */
    public static String reason(IOException e) {
        if (e instanceof AccessDeniedException denied) {
            return denied.getReason() == null ? "permission denied" : denied.getReason();
        } else if (e instanceof NoSuchFileException) {
            return "there is no such file, or no such directory: it may have been deleted or renamed meanwhile";
        } else if (e instanceof FileAlreadyExistsException) {
            return "a file of this name exists already";
        } else if (e instanceof FileSystemException f && f.getReason() != null) {
            return f.getReason();
        }
        return e.getMessage() == null || e instanceof FileSystemException
                ? e.getClass().getSimpleName()
                : e.getMessage();
    }

    private static void check(Path directory, MessageText what) {
        try {
            createAndDelete(directory.toAbsolutePath());
        } catch (IOException e) {
            throw notWritable(directory, what, e);
        }
    }

    private static void createAndDelete(Path directory) throws IOException {
        Files.delete(ProbeFile.create(directory));
    }

    private static OverdriveException notWritable(Path directory, MessageText what, IOException e) {
        Path absolute = directory.toAbsolutePath();
        String why = Files.isDirectory(absolute)
                ? "no file can be created there"
                : Files.exists(absolute) ? "is not a directory" : "there is no such directory";
        boolean said = e instanceof NoSuchFileException || e instanceof FileAlreadyExistsException;
        return new OverdriveException(
                Kind.INPUT,
                words -> absolute + ": " + (said ? why : why + ": " + reason(e)) + "; " + what.in(words),
                e);
    }
}
