package io.overdrive.jobs.journal;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.disk.PrivateFile;
import io.overdrive.jobs.journal.StoredRanges.Cut;
import io.overdrive.jobs.journal.StoredRanges.Range;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Removes parts near the end of a file, so that a kill or a power failure at any moment does no harm: what follows the first part and
 * remains is kept next to the file until {@link #end}, and until then {@link #run} can be repeated. Confined to one thread.
 */
public final class TailRemoval {
    private final Path file;
    private final Cut cut;
    private final Path tail;
    private final long keptFrom;
    private final long newLength;

    public TailRemoval(Path file, Cut cut) {
        this.file = file;
        this.cut = cut;
        this.tail = tail(file);
        this.keptFrom =
                cut.removed().isEmpty() ? cut.length() : cut.removed().get(0).start();
        this.newLength = cut.length()
                - cut.removed().stream()
                        .mapToLong(range -> range.end() - range.start())
                        .sum();
    }

    private static Path tail(Path file) {
        return file.resolveSibling(file.getFileName() + ".tail");
    }

    /** Deletes the copy that an earlier run has kept of a file that is rewritten: it would be taken for a part of the new one. */
    public static void forget(Path file) throws IOException {
        Files.deleteIfExists(tail(file));
    }

    /** The size of the file afterwards. */
    public long newLength() {
        return newLength;
    }

    public void run() throws IOException {
        boolean hasTail = newLength > keptFrom;
        if (hasTail && !Files.exists(tail)) {
            requireLength(cut.length());
            Path next = file.resolveSibling(tail.getFileName() + ".new");
            keepTail(next);
            Durable.file(next);
            Files.move(next, tail, StandardCopyOption.ATOMIC_MOVE);
            Durable.file(tail);
        }
        requireLength(keptFrom);
        try (FileChannel to = FileChannel.open(file, StandardOpenOption.WRITE)) {
            to.truncate(keptFrom);
            to.position(keptFrom);
            if (hasTail) {
                try (FileChannel from = FileChannel.open(tail, StandardOpenOption.READ)) {
                    copy(from, 0, newLength - keptFrom, to);
                }
            }
            to.force(/* metaData */ true);
        }
    }

    private void requireLength(long least) throws IOException {
        long size = Files.size(file);
        if (size < least) {
            throw changed(file, cut.length(), "the file has " + size + " bytes");
        }
    }

    private void keepTail(Path next) throws IOException {
        Files.deleteIfExists(next);
        try (FileChannel from = FileChannel.open(file, StandardOpenOption.READ);
                FileChannel to = PrivateFile.open(next)) {
            long at = keptFrom;
            for (Range range : cut.removed()) {
                copy(from, at, range.start() - at, to);
                at = range.end();
            }
            copy(from, at, cut.length() - at, to);
        }
    }

    /** Appends a part of a file to another one. */
    private static void copy(FileChannel from, long start, long count, FileChannel to) throws IOException {
        long done = 0;
        while (done < count) {
            long copied = from.transferTo(start + done, count - done, to);
            if (copied <= 0) {
                throw new IOException("the file has become shorter");
            }
            done += copied;
        }
    }

    /** The failure for a file that is not as the journal says. */
    public static OverdriveException changed(Path file, long expected, String what) {
        return new OverdriveException(
                Kind.INPUT,
                words -> file + ": " + what + ", and the run that is resumed has written " + expected + " bytes to"
                        + " it: it was changed since, so the run cannot be resumed; " + RunInfo.WAY_OUT.in(words));
    }

    /** Deletes the kept copy; the journal now has the new size of the file. */
    public void end() throws IOException {
        Files.deleteIfExists(tail);
    }
}
