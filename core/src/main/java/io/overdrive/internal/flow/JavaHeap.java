package io.overdrive.internal.flow;

import io.netty.util.internal.PlatformDependent;

/** The memory of Java in error messages: its size, and how to get more. Stateless. */
public final class JavaHeap {
    private static final int GIB_SHIFT = 30;
    private static final int MIB_SHIFT = 20;
    /** Twice as much as there is: what a run needs is not known when it has too little. */
    private static final long MORE_GIB =
            Math.max(1, above(2 * Runtime.getRuntime().maxMemory(), GIB_SHIFT));

    /** The way out, as the end of a sentence. */
    public static final String REMEDY =
            "give Java more (-Xmx; OVERDRIVE_JAVA_OPTIONS=-Xmx" + MORE_GIB + "g on the command line)";

    private JavaHeap() {}

    /** The memory that an OutOfMemoryError lacks. */
    public enum Lack {
        HEAP,
        DIRECT,
        THREADS;

        public static Lack of(OutOfMemoryError error) {
            // Java: "Cannot reserve … bytes of direct buffer memory", "unable to create native thread: …"
            // Netty: "failed to allocate … byte(s) of direct memory"
            String message = String.valueOf(error.getMessage());
            return message.contains("direct") ? DIRECT : message.contains("native thread") ? THREADS : HEAP;
        }
    }

    private static long above(long bytes, int shift) {
        return (bytes + (1L << shift) - 1) >> shift;
    }

    /** The heap with its maximum size: {@code a Java heap of 320 MiB}. */
    public static String described() {
        return "a Java heap of " + (Runtime.getRuntime().maxMemory() >> MIB_SHIFT) + " MiB";
    }

    /** The message of an OutOfMemoryError. */
    public static String tooSmall() {
        return described() + " is too small: " + REMEDY;
    }

    /** As {@link #tooSmall()}, or for direct memory or threads if it was that. */
    public static String tooSmall(OutOfMemoryError error) {
        return tooSmall(Lack.of(error));
    }

    /** The message for what is lacking. */
    public static String tooSmall(Lack lack) {
        return switch (lack) {
            case HEAP -> tooSmall();
            case DIRECT -> {
                long max = PlatformDependent.maxDirectMemory();
                yield "the direct memory of Java, " + (max >> MIB_SHIFT)
                        + " MiB, is too small: give it more (-XX:MaxDirectMemorySize;"
                        + " OVERDRIVE_JAVA_OPTIONS=-XX:MaxDirectMemorySize=" + above(4 * max, MIB_SHIFT)
                        + "m on the command line)";
            }
            case THREADS ->
                "the number of threads is too small that this system lets a process or a user have:"
                        + " raise it (ulimit -u; of a container, its limit of pids)";
        };
    }

    /** The message of an OutOfMemoryError that says what did not fit, for example {@code these rows}. */
    public static String tooSmallFor(String what) {
        return described() + " is too small for " + what + ": " + REMEDY;
    }
}
