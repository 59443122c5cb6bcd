package io.overdrive.stores;

import java.nio.file.FileSystemException;

/** An object is not the one that was listed, or whose beginning was read. */
final class ChangedObjectException extends FileSystemException {
    private static final long serialVersionUID = 1;

    ChangedObjectException(String object) {
        super(object, null, "the object was replaced after it was found. Read it again when nothing writes to it");
    }
}
