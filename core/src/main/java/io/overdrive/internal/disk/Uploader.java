package io.overdrive.internal.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;

/**
 * Writes files of another place than this machine: what the provider of their file system can do besides reading and deleting.
 * Thread-safe.
 */
public interface Uploader {
    /**
     * Writes a file of this machine to another place, where it appears when all of it has arrived. It replaces one with the same path.
     *
     * @param from a file of this machine, which nothing changes meanwhile
     * @param to a path of this provider
     */
    void upload(Path from, Path to) throws IOException;

    /**
     * Discards what was uploaded of files whose upload was not completed, as its process was killed. Nobody else may upload these files.
     *
     * @param below a directory with all of the files, or the path of the only one
     */
    void discardUploads(Path below, Set<Path> files) throws IOException;

    /**
     * Creates a small file, unless there is one with this path and another content: a request whose answer was lost is sent again.
     *
     * @throws java.nio.file.FileAlreadyExistsException if there is one
     */
    void create(Path path, byte[] content) throws IOException;
}
