package io.overdrive.stores;

import java.io.IOException;

/** An object is not the one that was listed, or whose beginning was read. */
final class ChangedObjectException extends IOException {
    private static final long serialVersionUID = 1;

    ChangedObjectException(String object) {
        super(object + ": the object was replaced after it was found. Read it again when nothing writes to it");
    }
}
