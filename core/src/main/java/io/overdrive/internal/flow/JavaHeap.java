package io.overdrive.internal.flow;

/** The Java heap in error messages: its size, and how to get a larger one; also the memory outside of it. Stateless. */
public final class JavaHeap {
    /** The way out, as the end of a sentence. */
    public static final String REMEDY = "give Java more (-Xmx; OVERDRIVE_JAVA_OPTIONS=-Xmx2g on the command line)";

    private JavaHeap() {}

    /** The heap with its maximum size: {@code a Java heap of 320 MiB}. */
    public static String described() {
        return "a Java heap of " + (Runtime.getRuntime().maxMemory() >> 20) + " MiB";
    }

    /** The message of an OutOfMemoryError. */
    public static String tooSmall() {
        return described() + " is too small: " + REMEDY;
    }

    /** As {@link #tooSmall()}, or for direct memory if it was that. */
    public static String tooSmall(OutOfMemoryError error) {
        // Of Java: "Cannot reserve … bytes of direct buffer memory"; of netty: "failed to allocate … byte(s) of direct
        // memory".
        return String.valueOf(error.getMessage()).contains("direct")
                ? "the direct memory of Java is too small: give it more (-XX:MaxDirectMemorySize;"
                        + " OVERDRIVE_JAVA_OPTIONS=-XX:MaxDirectMemorySize=256m on the command line)"
                : tooSmall();
    }

    /** The message of an OutOfMemoryError that says what did not fit, for example {@code these rows}. */
    public static String tooSmallFor(String what) {
        return described() + " is too small for " + what + ": " + REMEDY;
    }
}
