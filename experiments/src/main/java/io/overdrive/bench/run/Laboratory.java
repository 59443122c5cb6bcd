package io.overdrive.bench.run;

import io.overdrive.local.Node;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the nodes of a local cluster and this process separate processors, and each node separate memory, as far as the machine permits, until
 * it is closed, which is to happen after the nodes have ended. On Linux, by taskset and by control groups, which only root may make. Confined
 * to one thread.
 */
final class Laboratory implements AutoCloseable {
    /** Memory of a node besides its heap, in MiB: of Java, and of the files that the kernel keeps in memory for the node. */
    static final int BESIDES_HEAP = 768;

    private static final Logger LOG = LoggerFactory.getLogger(Laboratory.class);
    private static final long REMOVAL_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String ALLOWED = "Cpus_allowed_list:";
    private static final Path MOUNTED = Path.of("/sys/fs/cgroup");

    /** The processors of this process before it was bound; null unless it is. A cluster beside another finds it bound. */
    private static volatile @Nullable String boundFrom;

    private final List<Node> nodes;
    private final List<Path> groups = new ArrayList<>();
    private boolean binds;
    private final String words;

    /** @param heapMegabytes of each node */
    Laboratory(List<Node> nodes, int heapMegabytes) {
        this.nodes = nodes;
        words = separateProcessors() + "; " + separateMemory(heapMegabytes) + "; the network is this machine's own";
    }

    /** Says for processors, memory and network what is separate, and why the rest is not. */
    String words() {
        return words;
    }

    private String separateProcessors() {
        try {
            String all = Objects.requireNonNullElseGet(boundFrom, Laboratory::allowed);
            List<Integer> processors = ProcessorShares.parse(all);
            if (processors.size() < 2) {
                return "one processor for all";
            }
            ProcessorShares shares = ProcessorShares.of(processors, nodes.size());
            for (int i = 0; i < nodes.size(); i++) {
                bind(pid(nodes.get(i)), ProcessorShares.list(shares.nodes().get(i)));
            }
            if (boundFrom == null) {
                boundFrom = all;
                binds = true;
                bind(ProcessHandle.current().pid(), ProcessorShares.list(shares.client()));
            }
            return shares.toString();
        } catch (IOException | UncheckedIOException e) {
            return "processors shared by all (" + e.getMessage() + ")";
        }
    }

    /** The processors that this process may use. */
    private static String allowed() {
        try (Stream<String> lines = Files.lines(STATUS)) {
            return lines.filter(line -> line.startsWith(ALLOWED))
                    .map(line -> line.substring(ALLOWED.length()).strip())
                    .findFirst()
                    .orElseThrow(() -> new IOException(STATUS + " does not list them"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Binds all threads of a process to processors; threads that it starts later inherit them. */
    private static void bind(long pid, String processors) throws IOException {
        Process taskset = new ProcessBuilder("taskset", "-a", "-c", "-p", processors, String.valueOf(pid))
                .redirectErrorStream(true)
                .start();
        String output = new String(taskset.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (taskset.waitFor() != 0) {
                throw new IOException(output.strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static long pid(Node node) throws IOException {
        return node.pid().orElseThrow(() -> new IOException(node + " has ended"));
    }

    private String separateMemory(int heapMegabytes) {
        int megabytes = heapMegabytes + BESIDES_HEAP;
        try {
            for (Node node : nodes) {
                addGroup(pid(node), (long) megabytes << 20);
            }
            for (int i = 0; i < nodes.size(); i++) {
                Files.writeString(groups.get(i).resolve("cgroup.procs"), String.valueOf(pid(nodes.get(i))));
            }
            return String.format(
                    Locale.ROOT,
                    "%,d MiB of memory for each node, with the files that the kernel keeps for it",
                    megabytes);
        } catch (IOException e) {
            removeGroups();
            return "memory shared by all (" + e + ")";
        }
    }

    private void addGroup(long pid, long bytes) throws IOException {
        boolean isUnified = Files.exists(MOUNTED.resolve("cgroup.controllers"));
        Path group = (isUnified ? MOUNTED : MOUNTED.resolve("memory")).resolve("overdrive-node-" + pid);
        Files.createDirectory(group);
        groups.add(group);
        Files.writeString(group.resolve(isUnified ? "memory.max" : "memory.limit_in_bytes"), String.valueOf(bytes));
    }

    /** A node that has ended stays in its group until its parent has been notified. */
    private void removeGroups() {
        long deadline = System.nanoTime() + REMOVAL_NANOS;
        while (!groups.isEmpty() && System.nanoTime() - deadline < 0) {
            groups.removeIf(Laboratory::isRemoved);
            if (!groups.isEmpty()) {
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
        groups.forEach(group -> LOG.warn("{} is left, and takes no memory when its process has ended", group));
    }

    private static boolean isRemoved(Path group) {
        try {
            Files.deleteIfExists(group);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        removeGroups();
        String before = boundFrom;
        if (binds && before != null) {
            boundFrom = null;
            try {
                bind(ProcessHandle.current().pid(), before);
            } catch (IOException e) {
                // it stays on fewer processors
            }
        }
    }
}
