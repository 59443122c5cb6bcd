package io.overdrive.cli.options;

import io.overdrive.cli.config.OptionModel;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passwords from a file, from a command, from the environment or the configuration, or from the terminal. Stateless. */
final class Passwords {
    private static final Logger LOG = LoggerFactory.getLogger(Passwords.class);
    private static final Set<PosixFilePermission> OF_OTHERS = Set.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE);
    private static final int MAX_SHOWN = 500;
    /** The maximum of the line with a password, and of a command's output. */
    private static final int MAX_BYTES = 64 << 10;
    /** A person may have to type something. */
    private static final long COMMAND_SECONDS = 120;

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
        Console console = Caller.current() == null ? System.console() : null;
        if (console == null) {
            throw new IllegalArgumentException(option.replace("password", "user") + " needs a password: give " + option
                    + "-file or " + option + "-command, or set " + OptionModel.variable(option));
        }
        char[] typed = console.readPassword("Password of %s: ", user);
        return typed == null ? "" : new String(typed);
    }

    /** As {@link #ofUser}, without the terminal; null if there is none. */
    static @Nullable String find(
            String option, @Nullable String secret, @Nullable Path file, @Nullable String command) {
        if (Stream.of(secret, file, command).filter(Objects::nonNull).count() > 1) {
            throw new IllegalArgumentException(option + "-file and " + option + "-command exclude each other"
                    + (secret == null ? "" : ", and so does " + OptionModel.variable(option)) + ": choose one");
        }
        return file != null
                ? firstLine(option + "-file", file)
                : command != null ? run(option + "-command", command) : secret;
    }

    /** The first line of a file, which may also be a pipe. */
    private static String firstLine(String option, Path file) {
        String what = option + " " + file;
        try (InputStream in = Files.newInputStream(OptionValues.readable(option, file))) {
            String line = firstLine(what, in);
            if (line.isEmpty()) {
                throw new IllegalArgumentException(what + ": its first line is empty");
            }
            if (isForOthers(file)) {
                LOG.warn("{}: other users can read or change it: chmod 600 {}", what, file);
            }
            return line;
        } catch (IOException e) {
            throw new IllegalArgumentException(what + ": " + e.getMessage(), e);
        }
    }

    /** Whether its rights are too wide, and are the user's to change: the rights of a secret that is mounted into a container are not. */
    private static boolean isForOthers(Path file) throws IOException {
        try {
            return Files.isRegularFile(file)
                    && Files.isWritable(file)
                    && Files.getPosixFilePermissions(file).stream().anyMatch(OF_OTHERS::contains);
        } catch (UnsupportedOperationException e) {
            return false; // a file system without permissions
        }
    }

    /** Leaves out the byte order mark that editors of Windows begin a file with, and what follows the line. */
    private static String firstLine(String what, InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        InputStream bytes = new BufferedInputStream(in);
        for (int b = bytes.read(); b >= 0 && b != '\n' && b != '\r'; b = bytes.read()) {
            if (line.size() == MAX_BYTES) {
                throw new IllegalArgumentException(
                        what + ": the first line has more than " + MAX_BYTES + " bytes, and so is no password");
            }
            line.write(b);
        }
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(line.toByteArray()))
                    .toString();
            return text.startsWith("\uFEFF") ? text.substring(1) : text;
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(what + ": the first line is not valid UTF-8: convert it to UTF-8", e);
        }
    }

    /** Runs a command of the shell, which may talk to the user by the terminal, and returns the first line of its output. */
    private static String run(String option, String command) {
        return run(option, command, COMMAND_SECONDS);
    }

    static String run(String option, String command, long maxSeconds) {
        String what = option + " \"" + command + "\"";
        boolean isWindows = System.getProperty("os.name").startsWith("Windows");
        ProcessBuilder shell =
                isWindows ? new ProcessBuilder("cmd", "/c", command) : new ProcessBuilder("sh", "-c", command);
        Process process;
        try {
            process = shell.start();
        } catch (IOException e) {
            throw new IllegalArgumentException(what + " cannot be run: " + e.getMessage(), e);
        }
        try {
            process.getOutputStream().close(); // standard input is for records
            CompletableFuture<byte[]> errors = CompletableFuture.supplyAsync(() -> bytes(process.getErrorStream()));
            CompletableFuture<byte[]> output = CompletableFuture.supplyAsync(() -> bytes(process.getInputStream()));
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(maxSeconds);
            byte[] printed = output.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            String said = new String(
                            errors.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS), StandardCharsets.UTF_8)
                    .strip();
            if (!process.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                throw new TimeoutException();
            }
            if (process.exitValue() != 0) {
                throw new IllegalArgumentException(what + " ended with exit code " + process.exitValue()
                        + (said.isEmpty() ? "" : ": " + brief(said)));
            }
            String password = firstLine(what, new ByteArrayInputStream(printed));
            if (password.isEmpty()) {
                throw new IllegalArgumentException(what + ": the first line of its output is empty"
                        + (said.isEmpty() ? "" : "; it says " + brief(said)));
            }
            return password;
        } catch (TimeoutException e) {
            throw new IllegalArgumentException(what + " has not ended within " + maxSeconds + " s", e);
        } catch (IOException e) {
            throw new IllegalArgumentException(what + " cannot be run: " + e.getMessage(), e);
        } catch (ExecutionException e) {
            throw new IllegalArgumentException(what + ": its output cannot be read: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalArgumentException(what + " was interrupted", e);
        } finally {
            process.descendants().forEach(ProcessHandle::destroy);
            process.destroy();
        }
    }

    /** The first bytes; a command that prints more, without an end, is ended by the closed pipe. */
    private static byte[] bytes(InputStream stream) {
        try (stream) {
            return stream.readNBytes(MAX_BYTES + 1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String brief(String text) {
        return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…";
    }
}
