package io.overdrive.internal.names;

/**
 * An option that messages can name. The command line, Java programs and Spark each have a word for it, which they put into a {@link
 * MessageText}. Immutable.
 */
public interface NamedOption {
    /** The name in Java: {@code batchBytes}. */
    String javaName();
}
