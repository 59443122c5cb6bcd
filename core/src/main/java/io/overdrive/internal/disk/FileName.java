package io.overdrive.internal.disk;

import java.util.regex.Pattern;

/** Names of files, of which some are made from names of a cluster. Stateless. */
public final class FileName {
    private static final Pattern OTHERS = Pattern.compile("[^\\w.-]", Pattern.UNICODE_CHARACTER_CLASS);

    private static final Pattern URL = Pattern.compile("[a-zA-Z][a-zA-Z0-9+.-]*://.*", Pattern.DOTALL);

    private FileName() {}

    /** Whether a name is a URL: as a path, it would be an unexpected directory of this machine. */
    public static boolean isUrl(String name) {
        return URL.matcher(name).matches();
    }

    /**
     * The name with underscores in place of everything but letters, digits, underscores, dots and hyphens: it names a file of its
     * directory, and no other. Names of tables are such names already, but a server could send any.
     */
    public static String of(String name) {
        String safe = OTHERS.matcher(name).replaceAll("_");
        return safe.startsWith(".") ? "_" + safe.substring(1) : safe;
    }
}
