package io.overdrive.formats.text;

import io.overdrive.internal.names.MessageText;
import org.jspecify.annotations.Nullable;

/**
 * A value that its column cannot hold. Immutable; has no stack trace, because a file may hold millions of bad values.
 *
 * <p>The message continues a sentence that the caller starts with file, line and column: {@code is int, got "4o"}.
 */
public final class BadValueException extends RuntimeException implements MessageText.Bearer {
    private static final int SHOWN_CHARS = 60;

    private final transient @Nullable MessageText hint;

    public BadValueException(String message) {
        this(message, MessageText.EMPTY);
    }

    private BadValueException(String message, MessageText hint) {
        super(message, null, /* enableSuppression */ false, /* writableStackTrace */ false);
        this.hint = hint;
    }

    /** Adds the result of {@link #hint}. */
    public BadValueException withHint(MessageText option) {
        return new BadValueException(String.valueOf(getMessage()), option);
    }

    /**
     * Suggests an option by which the value would be accepted, as the end of the message, starting with a semicolon;
     * empty for none, or if {@link ValueText#hint} has it.
     */
    public MessageText hint() {
        return hint != null ? hint : MessageText.EMPTY;
    }

    /** The message with the {@link #hint}. */
    @Override
    public MessageText text() {
        MessageText end = hint();
        return words -> getMessage() + end.in(words);
    }

    public static BadValueException got(String type, char[] chars, int from, int to) {
        return new BadValueException("is " + type + ", got \"" + shown(chars, from, to) + '"');
    }

    /** Whether the value has another form than those of its type, as {@link #got} says. */
    boolean isOfOtherForm() {
        return String.valueOf(getMessage()).contains(", got \"");
    }

    /** Formats {@code is int, but 128 is out of range}; {@code why} is the end of the sentence. */
    public static BadValueException but(String type, char[] chars, int from, int to, String why) {
        return new BadValueException("is " + type + ", but " + shown(chars, from, to) + " " + why);
    }

    /** The same for a part of a collection, tuple or UDT: {@code element 3 is int, got "4o"}. */
    public BadValueException inside(String part) {
        return new BadValueException(part + " " + getMessage(), hint());
    }

    /** The value on one line, truncated to a readable length. */
    public static String shown(char[] chars, int from, int to) {
        int last = to - from <= SHOWN_CHARS ? to : from + SHOWN_CHARS - 1;
        if (last < to && Character.isHighSurrogate(chars[last - 1])) {
            last--;
        }
        StringBuilder text = new StringBuilder(last - from + 1);
        for (int i = from; i < last; i++) {
            char c = chars[i];
            switch (c) {
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                case '\t' -> text.append("\\t");
                default -> {
                    if (Character.isISOControl(c)) {
                        text.append(String.format("\\u%04x", (int) c));
                    } else {
                        text.append(c);
                    }
                }
            }
        }
        return last < to ? text.append('…').toString() : text.toString();
    }
}
