package io.overdrive.local;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ends a cluster's nodes when the JVM that owns them dies, even by SIGKILL, and deletes their directory if it is to. A small
 * process waits for the end of its input, which is a pipe from the owner; nothing has to be sent, and nothing goes wrong for the
 * nodes when the watchdog itself is lost. Thread-safe.
 */
final class Watchdog implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    static final String DELETE = "delete";

    private final Process process;

    private Watchdog(Process process) {
        this.process = process;
    }

    /** Null where it cannot be started; the shutdown hook is then all there is. */
    static @Nullable Watchdog watch(Path clusterDirectory, boolean delete, Consumer<String> progress) {
        try {
            CodeSource source = Watchdog.class.getProtectionDomain().getCodeSource();
            if (source == null) {
                throw new IOException("it is not known where our classes are");
            }
            Path java = Path.of(System.getProperty("java.home"), "bin", "java");
            ProcessBuilder builder = new ProcessBuilder(
                            java.toString(),
                            "-Xmx16m",
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            Path.of(source.getLocation().toURI()).toString(),
                            Watchdog.class.getName(),
                            clusterDirectory.toString(),
                            delete ? DELETE : "")
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD);
            builder.environment().keySet().removeAll(Node.FOREIGN_VARIABLES);
            return new Watchdog(builder.start());
        } catch (IOException | URISyntaxException | IllegalArgumentException e) {
            progress.accept("no watchdog (" + e.getMessage() + "): if this JVM is killed, `local stop` ends the nodes");
            return null;
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** The watchdog's process. */
    public static void main(String[] arguments) throws IOException {
        while (System.in.read() >= 0) {
            // whatever is sent: only the end of the pipe counts
        }
        Path directory = Path.of(arguments[0]);
        NodeProcess.stop(NodeProcess.under(directory), TIMEOUT);
        Deadlines.sleep(1000); // a node that was being born when its owner died
        NodeProcess.stop(NodeProcess.under(directory), TIMEOUT);
        if (arguments[1].equals(DELETE)) {
            Server.deleteTree(directory);
        }
    }
}
