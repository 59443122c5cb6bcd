package io.overdrive.files;

/**
 * The input cannot be read: a file that is missing or damaged, or a format that cannot be told from it. The
 * message is for the user: where, what, and the way out.
 */
public final class InputException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public InputException(String message) {
        super(message);
    }

    public InputException(String message, Throwable cause) {
        super(message, cause);
    }
}
