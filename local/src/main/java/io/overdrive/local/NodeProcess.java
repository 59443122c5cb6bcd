package io.overdrive.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The processes of nodes. Thread-safe: no state.
 *
 * <p>A node is recognized by an argument of its command line that names its directory. So there is no file of process ids that could be
 * lost or out of date: a node is found from the moment it exists, by any process, even if its directory was deleted; a process with the id
 * of a dead node is never mistaken for it; and a zombie does not count as a node.
 */
final class NodeProcess {
    private static final String MARK = "-Doverdrive.local.node=";
    private static final long POLL_MILLIS = 20;
    private static final Duration AFTER_KILL = Duration.ofSeconds(10);

    private NodeProcess() {}

    /** The argument that marks the process of the node in this directory. */
    static String mark(Path nodeDirectory) {
        return MARK + nodeDirectory;
    }

    static Optional<ProcessHandle> find(Path nodeDirectory) {
        String mark = mark(nodeDirectory);
        return ProcessHandle.allProcesses()
                .filter(process -> hasArgument(process, mark))
                .findAny();
    }

    /** The processes of all nodes of the cluster in this directory. */
    static List<ProcessHandle> under(Path clusterDirectory) {
        Path directory = real(clusterDirectory);
        return ProcessHandle.allProcesses()
                .filter(process -> arguments(process).stream()
                        .anyMatch(argument -> argument.startsWith(MARK)
                                && directory.equals(Path.of(argument.substring(MARK.length()))
                                        .getParent())))
                .toList();
    }

    /** The canonical path of a directory, also if it does not exist. */
    static Path real(Path directory) {
        Path absolute = directory.toAbsolutePath().normalize();
        try {
            return absolute.toRealPath();
        } catch (IOException e) {
            Path parent = absolute.getParent();
            return parent == null ? absolute : real(parent).resolve(absolute.getFileName());
        }
    }

    static boolean runs(ProcessHandle process) {
        return process.isAlive() && arguments(process).stream().anyMatch(argument -> argument.startsWith(MARK));
    }

    static boolean isPaused(ProcessHandle process) {
        return state(process).startsWith("T");
    }

    /** Returns when the process is paused. */
    static void pause(ProcessHandle process) {
        signal("STOP", process);
        awaitPaused(process, /* paused */ true);
    }

    static void resume(ProcessHandle process) {
        signal("CONT", process);
        awaitPaused(process, /* paused */ false);
    }

    /** Asks all to end, also paused ones, and kills those left after the given time; returns when none is left. */
    static void stop(Collection<ProcessHandle> processes, Duration patience) {
        for (ProcessHandle process : processes) {
            process.destroy();
            if (isPaused(process)) {
                resume(process);
            }
        }
        if (!awaitEnd(processes, patience)) {
            kill(processes);
        }
    }

    /** Kills all immediately, without a chance to clean up; returns when none is left. */
    static void kill(Collection<ProcessHandle> processes) {
        processes.forEach(ProcessHandle::destroyForcibly);
        if (!awaitEnd(processes, AFTER_KILL)) {
            throw new LocalClusterException("processes "
                    + processes.stream()
                            .filter(NodeProcess::lives)
                            .map(ProcessHandle::pid)
                            .toList()
                    + " still run although they were killed; end them manually, perhaps as another user");
        }
    }

    /**
     * Waits until it has released its ports and files. An ending process loses its arguments before that, and stays as a zombie afterwards
     * until its parent reaps it.
     */
    private static boolean lives(ProcessHandle process) {
        return process.isAlive() && !state(process).startsWith("Z");
    }

    private static boolean awaitEnd(Collection<ProcessHandle> processes, Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (processes.stream().anyMatch(NodeProcess::lives)) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            Sleep.millis(POLL_MILLIS);
        }
        return true;
    }

    /** The kernel delivers such a signal with a short delay. */
    private static void awaitPaused(ProcessHandle process, boolean paused) {
        long deadline = System.nanoTime() + AFTER_KILL.toNanos();
        while (runs(process) && isPaused(process) != paused && System.nanoTime() - deadline < 0) {
            Sleep.millis(1);
        }
    }

    private static boolean hasArgument(ProcessHandle process, String wanted) {
        return arguments(process).contains(wanted);
    }

    /** Empty for a dead process and for one of another user. */
    private static List<String> arguments(ProcessHandle process) {
        return List.of(process.info().arguments().orElse(new String[0]));
    }

    /** Starts with the letter that ps shows: T for a stopped process, Z for a zombie. */
    private static String state(ProcessHandle process) {
        Path stat = Path.of("/proc", Long.toString(process.pid()), "stat");
        try {
            if (Files.exists(stat)) {
                String line = Files.readString(stat);
                return line.substring(line.lastIndexOf(')') + 2);
            }
            return output("ps", "-o", "state=", "-p", Long.toString(process.pid()));
        } catch (IOException e) {
            return ""; // the process has just ended
        }
    }

    private static void signal(String name, ProcessHandle process) {
        try {
            // The shell's own kill: a kill program is not installed everywhere.
            output("sh", "-c", "kill -" + name + " " + process.pid());
        } catch (IOException e) {
            throw new LocalClusterException(
                    "process " + process.pid() + " cannot be sent SIG" + name + " (" + e.getMessage() + ")", e);
        }
    }

    /** The output of a short command; an exit code other than 0 is an IOException. */
    static String output(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            int code = process.waitFor();
            if (code != 0) {
                throw new IOException(String.join(" ", command) + " ended with " + code + ": " + output.strip());
            }
            return output.strip();
        } catch (InterruptedException e) {
            throw Sleep.interrupted(e);
        }
    }
}
