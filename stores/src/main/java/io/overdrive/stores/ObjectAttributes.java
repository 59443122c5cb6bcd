package io.overdrive.stores;

import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/**
 * Attributes of an object, or of a directory, which is a prefix of keys. Immutable.
 *
 * @param version distinguishes the content from an earlier and a later one: the ETag; empty for a directory
 */
record ObjectAttributes(long size, FileTime lastModifiedTime, String version, boolean isDirectory)
        implements BasicFileAttributes {
    static final ObjectAttributes DIRECTORY = new ObjectAttributes(0, FileTime.fromMillis(0), "", true);

    static ObjectAttributes of(long size, FileTime modified, String version) {
        return new ObjectAttributes(size, modified, version, /* isDirectory */ false);
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
        return !isDirectory;
    }

    @Override
    public boolean isSymbolicLink() {
        return false;
    }

    @Override
    public boolean isOther() {
        return false;
    }

    /** {@inheritDoc} Directories have none, as they are no files that links lead to. */
    @Override
    public @Nullable Object fileKey() {
        return isDirectory ? null : version;
    }
}
