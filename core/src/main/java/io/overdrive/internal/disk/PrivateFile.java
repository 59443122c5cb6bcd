package io.overdrive.internal.disk;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Files and directories that only their owner may read, as they hold rows or say what was done with them, whatever the umask is. If the
 * file system has no such permissions, the permissions of the directory apply. Stateless.
 */
public final class PrivateFile {
    private static final FileAttribute<?>[] NONE = {};
    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> DIRECTORY = PosixFilePermissions.fromString("rwx------");

    private PrivateFile() {}

    /**
     * Creates a file. It has its permissions from the start, so no one can open it before they are set.
     *
     * @throws java.nio.file.FileAlreadyExistsException if there is one of this name, also if that is a link
     */
    public static OutputStream create(Path file) throws IOException {
        return Channels.newOutputStream(Files.newByteChannel(
                file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), ownersOnly(file, FILE)));
    }

    /**
     * Creates an empty file.
     *
     * @throws java.nio.file.FileAlreadyExistsException if there is one of this name, also if that is a link
     */
    public static void createEmpty(Path file) throws IOException {
        Files.createFile(file, ownersOnly(file, FILE));
    }

    /** Opens a file for writing, and creates it if it is missing. A link is not followed. */
    public static FileChannel open(Path file) throws IOException {
        return FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                ownersOnly(file, FILE));
    }

    /** Creates a directory and those above it that are missing. */
    public static void createDirectories(Path directory) throws IOException {
        Files.createDirectories(directory, ownersOnly(directory, DIRECTORY));
    }

    private static FileAttribute<?>[] ownersOnly(Path path, Set<PosixFilePermission> permissions) {
        return isPosix(path) ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)} : NONE;
    }

    /** Creates a file in place of one of this name; a link is replaced, not followed. A device or a pipe is written to. */
    public static OutputStream replace(Path file) throws IOException {
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            return Files.newOutputStream(file, StandardOpenOption.WRITE);
        }
        Files.deleteIfExists(file);
        return create(file);
    }

    /** Gives a complete file the permissions that a new file has here by default. */
    public static void share(Path file) throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null && isPosix(file) && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            Path probe = ProbeFile.create(directory);
            try {
                Files.setPosixFilePermissions(file, Files.getPosixFilePermissions(probe));
            } finally {
                Files.delete(probe);
            }
        }
    }

    private static boolean isPosix(Path file) {
        return file.getFileSystem().supportedFileAttributeViews().contains("posix");
    }
}
