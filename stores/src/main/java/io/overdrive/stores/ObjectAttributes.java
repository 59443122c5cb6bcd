package io.overdrive.stores;

import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/**
 * Attributes of an object, or of a directory, which is a prefix of keys. Immutable.
 *
 * @param size negative if it is not known
 * @param version distinguishes the content from an earlier and a later one: the ETag; empty for a directory, or if nothing does
 */
record ObjectAttributes(long size, FileTime lastModifiedTime, String version, boolean isDirectory)
        implements BasicFileAttributes {
    static final ObjectAttributes DIRECTORY = new ObjectAttributes(0, FileTime.fromMillis(0), "", true);

    static ObjectAttributes of(long size, FileTime modified, String version) {
        return new ObjectAttributes(size, modified, version, /* isDirectory */ false);
    }

    /** Attributes of what is read from its start to its end only, as a pipe is. */
    static ObjectAttributes stream(FileTime modified, String version) {
        return new ObjectAttributes(-1, modified, version, /* isDirectory */ false);
    }

    /** Whether any part of it can be read. */
    boolean hasParts() {
        return size >= 0;
    }

    @Override
    public FileTime lastAccessTime() {
        return lastModifiedTime;
    }

    @Override
    public FileTime creationTime() {
        return lastModifiedTime;
    }

    @Override
    public boolean isRegularFile() {
        return !isDirectory && hasParts();
    }

    @Override
    public boolean isSymbolicLink() {
        return false;
    }

    @Override
    public boolean isOther() {
        return !hasParts();
    }

    /** {@inheritDoc} Directories have none, as they are no files that links lead to. */
    @Override
    public @Nullable Object fileKey() {
        return isDirectory ? null : version;
    }
}
