package io.overdrive.internal.names;

import org.jspecify.annotations.Nullable;

/** A wrong argument, with a message that names options. Immutable. */
public final class IllegalOptionException extends IllegalArgumentException implements MessageText.Bearer {
    private static final long serialVersionUID = 1;

    private final transient @Nullable MessageText text;

    public IllegalOptionException(MessageText text) {
        this(text, null);
    }

    /** @param cause the exception behind the message, or null */
    public IllegalOptionException(MessageText text, @Nullable Throwable cause) {
        super(text.inJava(), cause);
        this.text = text;
    }

    @Override
    public @Nullable MessageText text() {
        return text;
    }
}
