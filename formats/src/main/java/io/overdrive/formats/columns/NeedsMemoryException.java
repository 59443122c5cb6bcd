package io.overdrive.formats.columns;

import java.io.IOException;

/** A file that is not damaged needs more memory than there is; the message continues a sentence, and has the way out. */
public final class NeedsMemoryException extends IOException {
    private static final long serialVersionUID = 1;

    public NeedsMemoryException(String message) {
        super(message);
    }
}
