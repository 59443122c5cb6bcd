package io.overdrive.formats.columns;

import java.io.IOException;

/** A file that is not damaged, and is not read as it is, such as one that needs more memory; the message continues a sentence, and has the way
 * out. */
public final class RefusedFileException extends IOException {
    private static final long serialVersionUID = 1;

    public RefusedFileException(String message) {
        super(message);
    }
}
