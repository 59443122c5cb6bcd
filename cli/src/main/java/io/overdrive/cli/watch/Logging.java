package io.overdrive.cli.watch;

import io.overdrive.internal.names.VisibleText;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.StreamHandler;
import org.jspecify.annotations.Nullable;

/**
 * Sets up java.util.logging, which SLF4J's loggers log to: messages for standard error, and for the log of a run. Called by one
 * thread.
 */
public final class Logging {
    /** The logger of a run's progress, which standard error shows in other ways. */
    static final String RUN = "io.overdrive.cli.run";

    /** The beginning of the names of our loggers. */
    static final String OURS = "io.overdrive";

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    /** Loggers are forgotten, with their level, if nothing refers to them. */
    private static final Logger ROOT = Logger.getLogger("");

    private static final Logger OUR_ROOT = Logger.getLogger(OURS);

    private static boolean verbose;
    private static @Nullable StreamHandler file;
    private static volatile Consumer<Throwable> errorWatch = thrown -> {};

    private Logging() {}

    /** Our messages from WARN; none of libraries, because users get their failures as error messages. */
    public static void quiet() {
        set(/* isVerbose */ false);
    }

    /** Our messages from DEBUG, and messages of libraries from WARN. */
    public static void verbose() {
        set(/* isVerbose */ true);
    }

    public static boolean isVerbose() {
        return verbose;
    }

    private static void set(boolean isVerbose) {
        verbose = isVerbose;
        for (Handler handler : ROOT.getHandlers()) {
            if (handler != file) {
                ROOT.removeHandler(handler);
            }
        }
        ROOT.addHandler(new StandardError());
        setLevels();
    }

    /** @param watch gets what libraries log as thrown, by any thread, whether it is shown or not */
    static void watchErrors(Consumer<Throwable> watch) {
        errorWatch = watch;
    }

    private static void setLevels() {
        ROOT.setLevel(Level.WARNING);
        OUR_ROOT.setLevel(verbose ? Level.FINE : file != null ? Level.INFO : Level.WARNING);
    }

    /**
     * Also logs to the end of this file, our messages from INFO and messages of libraries from WARN unless they repeat themselves
     * ({@link Repeats}), until {@link #closeFile}. A new file is for its owner only, as there may be keys and values in it.
     */
    static void toFile(Path path) throws IOException {
        Set<StandardOpenOption> append =
                Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        FileAttribute<?>[] ownerOnly =
                FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
                        ? new FileAttribute<?>[] {
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                        }
                        : new FileAttribute<?>[0];
        OutputStream stream = Channels.newOutputStream(Files.newByteChannel(path, append, ownerOnly));
        StreamHandler handler = new StreamHandler(stream, new Lines()) {
            @Override
            public synchronized void publish(LogRecord message) {
                super.publish(message);
                flush(); // a run that is killed has its last lines
            }
        };
        handler.setEncoding(StandardCharsets.UTF_8.name());
        handler.setLevel(Level.ALL);
        handler.setFilter(new Repeats());
        file = handler;
        ROOT.addHandler(handler);
        setLevels();
    }

    /** Ends the log of a run, if there is one. */
    public static void closeFile() {
        StreamHandler open = file;
        if (open != null) {
            file = null;
            ROOT.removeHandler(open);
            open.close();
            setLevels();
        }
    }

    /** The level's name in SLF4J. */
    private static String name(Level level) {
        return level.intValue() >= Level.SEVERE.intValue()
                ? "ERROR"
                : level.intValue() >= Level.WARNING.intValue()
                        ? "WARN"
                        : level.intValue() >= Level.INFO.intValue() ? "INFO" : "DEBUG";
    }

    private static String shortName(LogRecord message) {
        String name = String.valueOf(message.getLoggerName());
        return name.substring(name.lastIndexOf('.') + 1);
    }

    private static String stackTrace(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text, /* autoFlush */ true));
        return text.toString();
    }

    /** Prints to what standard error is at the moment. Thread-safe. */
    private static final class StandardError extends Handler {
        @Override
        public boolean isLoggable(LogRecord message) {
            String name = String.valueOf(message.getLoggerName());
            int level = message.getLevel().intValue();
            return !name.equals(RUN) && (verbose || (name.startsWith(OURS) && level >= Level.WARNING.intValue()));
        }

        @Override
        public void publish(LogRecord message) {
            Throwable thrown = message.getThrown();
            if (thrown != null && !String.valueOf(message.getLoggerName()).startsWith(OURS)) {
                errorWatch.accept(thrown);
            }
            if (isLoggable(message)) {
                System.err.print(VisibleText.of((verbose
                                ? TIME.format(message.getInstant()) + " ["
                                        + Thread.currentThread().getName() + "] "
                                : "")
                        + "[" + name(message.getLevel()) + "] "
                        + (verbose ? shortName(message) + " - " : "")
                        + message.getMessage()
                        + System.lineSeparator()
                        + (thrown == null ? "" : stackTrace(thrown))));
            }
        }

        @Override
        public void flush() {
            System.err.flush();
        }

        @Override
        public void close() {}
    }

    /** Formats each line with time, level and origin, also in a message of several lines. Thread-safe. */
    private static final class Lines extends Formatter {
        @Override
        public String format(LogRecord message) {
            Instant at = message.getInstant();
            String head = String.format(
                    Locale.ROOT, "%s %-5s %s: ", TIME.format(at), name(message.getLevel()), shortName(message));
            Throwable thrown = message.getThrown();
            String text = message.getMessage() + (thrown == null ? "" : "\n" + stackTrace(thrown));
            StringBuilder lines = new StringBuilder();
            VisibleText.of(text)
                    .lines()
                    .forEach(line -> lines.append(head).append(line).append(System.lineSeparator()));
            return lines.toString();
        }
    }
}
