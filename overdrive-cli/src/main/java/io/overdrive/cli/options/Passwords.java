package io.overdrive.cli.options;

import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Passwords from a file, from a command, from the environment or the configuration, or from the terminal. Stateless. */
final class Passwords {
    private static final int MAX_SHOWN = 500;

    private Passwords() {}

    /**
     * The password of a user, if necessary from the terminal.
     *
     * @param option such as {@code --password}, of which {@code --password-file} is the option for a file
     * @param secret from the environment or the configuration
     */
    static String ofUser(
            String user, String option, @Nullable String secret, @Nullable Path file, @Nullable String command) {
        String found = find(option, secret, file, command);
        if (found != null) {
            return found;
        }
        Console console = System.console();
        if (console == null) {
            throw new IllegalArgumentException(option.replace("password", "user") + " needs a password: give " + option
                    + "-file or " + option + "-command, or set " + variable(option));
        }
        char[] typed = console.readPassword("Password of %s: ", user);
        return typed == null ? "" : new String(typed);
    }

    /** As {@link #ofUser}, without the terminal; null if there is none. */
    static @Nullable String find(
            String option, @Nullable String secret, @Nullable Path file, @Nullable String command) {
        if (Stream.of(secret, file, command).filter(Objects::nonNull).count() > 1) {
            throw new IllegalArgumentException(option + "-file and " + option + "-command exclude each other"
                    + (secret == null ? "" : ", and so does " + variable(option)) + ": choose one");
        }
        return file != null
                ? firstLine(option + "-file", file)
                : command != null ? run(option + "-command", command) : secret;
    }

    private static String variable(String option) {
        return "OVERDRIVE_" + option.substring(2).replace('-', '_').toUpperCase(Locale.ROOT);
    }

    private static String firstLine(String option, Path file) {
        try {
            List<String> lines = Files.readAllLines(ConnectMixin.readable(option, file));
            if (lines.isEmpty() || lines.get(0).isEmpty()) {
                throw new IllegalArgumentException(option + " " + file + ": its first line is empty");
            }
            return lines.get(0);
        } catch (IOException e) {
            throw new IllegalArgumentException(option + " " + file + ": " + e.getMessage(), e);
        }
    }

    /** Runs a command of the shell, which may talk to the user by the terminal, and returns the first line of its output. */
    private static String run(String option, String command) {
        boolean isWindows = System.getProperty("os.name").startsWith("Windows");
        ProcessBuilder shell =
                isWindows ? new ProcessBuilder("cmd", "/c", command) : new ProcessBuilder("sh", "-c", command);
        try {
            Process process = shell.start();
            process.getOutputStream().close(); // standard input is for records
            CompletableFuture<String> errors = CompletableFuture.supplyAsync(() -> text(process.getErrorStream()));
            String output = text(process.getInputStream());
            String said = errors.join().strip();
            int code = process.waitFor();
            if (code != 0) {
                throw new IllegalArgumentException(option + " \"" + command + "\" ended with exit code " + code
                        + (said.isEmpty() ? "" : ": " + brief(said)));
            }
            String password = output.lines().findFirst().orElse("");
            if (password.isEmpty()) {
                throw new IllegalArgumentException(
                        option + " \"" + command + "\": the first line of its output is empty"
                                + (said.isEmpty() ? "" : "; it says " + brief(said)));
            }
            return password;
        } catch (IOException e) {
            throw new IllegalArgumentException(option + " \"" + command + "\" cannot be run: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalArgumentException(option + " \"" + command + "\" was interrupted", e);
        }
    }

    private static String text(InputStream stream) {
        try {
            return new String(stream.readAllBytes(), Charset.defaultCharset());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String brief(String text) {
        return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…";
    }
}
