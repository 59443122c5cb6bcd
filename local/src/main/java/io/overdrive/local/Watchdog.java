package io.overdrive.local;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ends a cluster's nodes when the JVM that owns them dies, even by SIGKILL, and deletes their directory if requested. A small process waits
 * for the end of its input, which is a pipe from the owner; nothing has to be sent, and the nodes are not affected if the watchdog itself
 * dies. Thread-safe.
 */
final class Watchdog implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    static final String DELETE = "delete";

    private final Process process;

    private Watchdog(Process process) {
        this.process = process;
    }

    /** Null if it cannot be started; then only the shutdown hook ends the nodes. */
    static @Nullable Watchdog watch(Path clusterDirectory, boolean delete, Consumer<String> progress) {
        try {
            CodeSource source = Watchdog.class.getProtectionDomain().getCodeSource();
            if (source == null) {
                throw new IOException("the location of our classes is unknown");
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
            // ignores the content: only the end of the pipe counts
        }
        Path directory = Path.of(arguments[0]);
        NodeProcess.stop(NodeProcess.under(directory), TIMEOUT);
        Sleep.millis(1000); // a node that was starting when its owner died
        NodeProcess.stop(NodeProcess.under(directory), TIMEOUT);
        if (arguments[1].equals(DELETE)) {
            Server.deleteTree(directory);
        }
    }
}
