package io.overdrive.jobs.journal;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;

/** Makes files survive a power failure. Stateless. */
public final class Durable {
    private Durable() {}

    /** Forces the content of a file, whoever wrote it. */
    public static void content(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(/* metaData */ true);
        }
    }

    /** Forces the content of a file, and its name. */
    public static void file(Path file) throws IOException {
        content(file);
        directory(Objects.requireNonNull(file.toAbsolutePath().getParent()));
    }

    /** Forces the names in a directory, if the operating system can. */
    public static void directory(Path directory) throws IOException {
        // elsewhere a directory cannot be opened
        if (directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(/* metaData */ true);
            }
        }
    }
}
