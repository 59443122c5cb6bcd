package io.overdrive.cli.options;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Finds arguments and variables of the environment that the JVM could not read: it replaces each byte that is no character in the
 * encoding of the locale, and the replacement would be written as a value, or searched for. Stateless.
 */
public final class UnreadableText {
    private static final char REPLACEMENT = '\uFFFD';

    private UnreadableText() {}

    /** Says what is wrong, and the way out; empty if all of them can be read. */
    public static Optional<String> find(Map<String, String> environment, String... args) {
        for (int i = 0; i < args.length; i++) {
            if (args[i].indexOf(REPLACEMENT) >= 0) {
                return Optional.of("argument " + (i + 1) + ", \"" + args[i] + "\", " + reason());
            }
        }
        return new TreeMap<>(environment)
                .entrySet().stream()
                        .filter(each -> each.getKey().startsWith("OVERDRIVE_")
                                && each.getValue().indexOf(REPLACEMENT) >= 0)
                        .findFirst()
                        .map(each -> "the environment variable " + each.getKey() + " " + reason());
    }

    private static String reason() {
        String encoding = System.getProperty("native.encoding", "");
        return encoding.equals("UTF-8")
                ? "is not valid UTF-8: convert it to UTF-8"
                : "has bytes that are no characters in the encoding of the locale, " + encoding
                        + ": set LC_ALL to a locale for UTF-8, such as C.UTF-8";
    }
}
