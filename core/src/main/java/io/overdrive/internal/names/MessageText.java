package io.overdrive.internal.names;

import org.jspecify.annotations.Nullable;

/**
 * The text of a message that refers to options: each way in to Overdrive, such as the command line, renders it in its own words.
 * Immutable if the values in it are.
 */
@FunctionalInterface
public interface MessageText {
    /** The words for options. */
    @FunctionalInterface
    interface Words {
        String of(NamedOption option);
    }

    /** An exception whose message refers to options. */
    interface Bearer {
        /** The message; null if the exception was serialized meanwhile, which keeps the names in Java only. */
        @Nullable MessageText text();
    }

    /** No text. */
    MessageText EMPTY = words -> "";

    /** The message with these words. */
    String in(Words words);

    /** The message with the names in Java. */
    default String inJava() {
        return in(NamedOption::javaName);
    }

    default boolean isEmpty() {
        return inJava().isEmpty();
    }

    /** A text that refers to no option. */
    static MessageText plain(@Nullable String text) {
        return words -> String.valueOf(text);
    }

    /** The message of an exception. */
    static MessageText of(Throwable e) {
        MessageText text = e instanceof Bearer bearer ? bearer.text() : null;
        return text != null ? text : plain(e.getMessage());
    }
}
