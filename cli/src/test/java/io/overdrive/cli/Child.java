package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A command line in a separate process, with the memory settings of the launcher, and signals to it. */
final class Child {
    private static final Path LAUNCHER = Path.of("..", "cli", "src", "main", "dist", "bin", "overdrive");
    private static final Pattern MEMORY = Pattern.compile("(?m)^memory=\"(.+)\"$");

    static final int SIGHUP = 1;
    static final int SIGINT = 2;

    private Child() {}

    static List<String> command(String... args) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(memory());
        // The better compiler costs a short run more than it gives.
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        command.addAll(List.of(args));
        return command;
    }

    private static List<String> memory() {
        try {
            Matcher memory = MEMORY.matcher(Files.readString(LAUNCHER));
            assertThat(memory.find()).as("memory=\"…\" in " + LAUNCHER).isTrue();
            return List.of(memory.group(1).split(" "));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a signal with the kill of the shell: a kill program is not installed everywhere. */
    static void signal(Process process, String signal) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid()).start();
        assertThat(kill.waitFor()).isZero();
    }

    /** The signal of Ctrl-C; a shell that started us in the background may shield us, and so our children, from it. */
    static String interrupt() throws IOException {
        return isIgnored(SIGINT) ? "TERM" : "INT";
    }

    /** Whether we, and so our children, do not get a signal: nohup shields from SIGHUP, for example. */
    static boolean isIgnored(int signal) throws IOException {
        Path status = Path.of("/proc/self/status");
        return Files.exists(status)
                && Files.readAllLines(status).stream()
                        .filter(line -> line.startsWith("SigIgn:"))
                        .anyMatch(line ->
                                (Long.parseUnsignedLong(line.substring(7).strip(), 16) & 1L << (signal - 1)) != 0);
    }
}
