package io.overdrive.files.unload;

import io.overdrive.files.PrivateFile;
import io.overdrive.files.journal.Durable;
import io.overdrive.files.unload.StoredRanges.Cut;
import io.overdrive.files.unload.StoredRanges.Range;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Removes parts near the end of a file, so that a kill or a power failure at any moment does no harm: what follows the first part and
 * remains is kept beside the file until {@link #end}, and until then {@link #run} can be repeated. Confined to one thread.
 */
final class TailRemoval {
    private final Path file;
    private final Cut cut;
    private final Path tail;
    private final long keptFrom;
    private final long newLength;

    TailRemoval(Path file, Cut cut) {
        this.file = file;
        this.cut = cut;
        this.tail = file.resolveSibling(file.getFileName() + ".tail");
        this.keptFrom =
                cut.removed().isEmpty() ? cut.length() : cut.removed().get(0).start();
        this.newLength = cut.length()
                - cut.removed().stream()
                        .mapToLong(range -> range.end() - range.start())
                        .sum();
    }

    /** The size of the file afterwards. */
    long newLength() {
        return newLength;
    }

    void run() throws IOException {
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
            throw Output.changed(file, cut.length(), "the file has " + size + " bytes");
        }
    }

    private void keepTail(Path next) throws IOException {
        PrivateFile.replace(next).close();
        try (FileChannel from = FileChannel.open(file, StandardOpenOption.READ);
                FileChannel to = FileChannel.open(next, StandardOpenOption.WRITE)) {
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

    /** Deletes what was kept; the journal now has the new size of the file. */
    void end() {
        Output.remove(tail);
    }
}
