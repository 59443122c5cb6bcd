package io.overdrive.jobs;

import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where Overdrive keeps state for later runs of the same user: {@code $OVERDRIVE_STATE}, else {@code overdrive} in {@code
 * $XDG_STATE_HOME}, else {@code ~/.local/state/overdrive}. Nothing in it is needed: it may be deleted at any time. Immutable.
 */
public final class StateDirectory {
    private final Path path;
    private final boolean isNamed;

    private StateDirectory(Path path, boolean isNamed) {
        this.path = path;
        this.isNamed = isNamed;
    }

    /** The directory of the user who runs this process. It need not exist. */
    public static StateDirectory ofUser() {
        return of(System.getenv());
    }

    /**
     * The home directory of the user: {@code $HOME}, as of every other command, if it is an absolute path; else that of the user
     * database.
     */
    public static Path home(Map<String, String> environment) {
        String home = environment.get("HOME");
        return isGiven(home) && Path.of(home).isAbsolute() ? Path.of(home) : Path.of(System.getProperty("user.home"));
    }

    static StateDirectory of(Map<String, String> environment) {
        String own = environment.get("OVERDRIVE_STATE");
        if (isGiven(own)) {
            return new StateDirectory(Path.of(own).toAbsolutePath(), /* isNamed */ true);
        }
        String shared = environment.get("XDG_STATE_HOME");
        // By its definition, a relative path in this variable is to be ignored.
        Path base = isGiven(shared) && Path.of(shared).isAbsolute()
                ? Path.of(shared)
                : home(environment).resolve(".local/state");
        return new StateDirectory(base.resolve("overdrive"), /* isNamed */ false);
    }

    private static boolean isGiven(@Nullable String value) {
        return value != null && !value.isBlank();
    }

    /** The directory; it need not exist. */
    public Path path() {
        return path;
    }

    /** Whether the user has named it, by {@code OVERDRIVE_STATE}. */
    public boolean isNamed() {
        return isNamed;
    }

    /** The path of a file or directory in it; neither need exist. */
    public Path resolve(String name) {
        return path.resolve(name);
    }

    /**
     * Replaces a file in one step: readers see the content before or after, and of several writers the last one wins. Creates
     * the directories above it.
     *
     * @throws IOException if it cannot be written; the file before is then unchanged
     */
    public static void replace(Path file, byte[] content) throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        Files.createDirectories(directory);
        Path next = Files.createTempFile(directory, file.getFileName() + ".", ".tmp");
        try {
            Files.write(next, content);
            try {
                Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
            } catch (AtomicMoveNotSupportedException e) {
                Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
            }
        } finally {
            Files.deleteIfExists(next);
        }
    }
}
