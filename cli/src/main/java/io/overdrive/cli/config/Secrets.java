package io.overdrive.cli.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Passwords. They are options that the help does not show and that the command line refuses, because all users of a machine can read
 * its command lines: they come from the environment, or from a file that only its owner can read. Stateless.
 */
public final class Secrets {
    /** How a secret is shown. */
    public static final String MASK = "********";

    private static final Set<PosixFilePermission> OF_OTHERS = Set.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE);

    private Secrets() {}

    /** Whether the value of an option is a secret: such options alone end with this word. */
    public static boolean is(OptionSpec option) {
        return option.longestName().endsWith("password");
    }

    /**
     * Refuses a file with secrets that others can read or change.
     *
     * @param what the place and the key of the first secret, for the message
     * @throws IllegalArgumentException if it is not the user's alone
     */
    static void checkIsPrivate(Path file, String what) throws IOException {
        PosixFileAttributes attributes;
        try {
            attributes = Files.readAttributes(file, PosixFileAttributes.class);
        } catch (UnsupportedOperationException e) {
            throw new IllegalArgumentException(
                    what
                            + " is a secret, and this file system has no permissions that could keep it from other users: use an"
                            + " environment variable or --password-command instead",
                    e);
        }
        if (attributes.permissions().stream().anyMatch(OF_OTHERS::contains)) {
            throw new IllegalArgumentException(
                    what + " is a secret, and other users can read or change the file: chmod 600 " + file);
        }
        if (!attributes.owner().equals(user())) {
            throw new IllegalArgumentException(what + " is a secret, and the file belongs to "
                    + attributes.owner().getName() + ": copy it to a file that you own, and chmod 600 that");
        }
    }

    /** The user who owns a new file: the name of the user may be unknown to the JVM, as in containers. */
    private static UserPrincipal user() throws IOException {
        Path own = Files.createTempFile("overdrive", ".owner");
        try {
            return Files.getOwner(own);
        } finally {
            Files.delete(own);
        }
    }
}
