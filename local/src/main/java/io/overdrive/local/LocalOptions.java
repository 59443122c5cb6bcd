package io.overdrive.local;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Options of a cluster to start. Immutable; {@link #builder} has the defaults.
 *
 * @param directory contains everything the cluster writes: data, logs, configuration
 * @param cassandra the version of Cassandra: {@code 4.0}, {@code 4.1} or {@code 5.0} for the newest release of these that is
 *     known here, or a release such as {@code 4.1.10}
 * @param datacenters number of data centres, named {@code dc1}, {@code dc2}, …
 * @param nodesPerDatacenter number of nodes in each data centre
 * @param tokensPerNode {@code num_tokens}; the tokens themselves are spread evenly
 * @param profile the purpose of the nodes: measuring, or little memory
 * @param heapMegabytes maximum Java heap of a node in MiB, 128 or more; 0 chooses by the machine's memory, see {@link
 *     Builder#heapMegabytes}
 * @param port the CQL port of the nodes; 0 picks a free one
 * @param settings cassandra.yaml lines to add or replace: key to YAML text
 * @param jvmArguments arguments for the nodes' JVMs, after our own
 * @param stopWithJvm whether the nodes started here end with this JVM, however it ends
 * @param deleteWithJvm whether the directory is then deleted as well
 * @param startTimeout how long a start may take, without the download of the server
 * @param progress receives lines of progress; called on the starting thread
 */
public record LocalOptions(
        Path directory,
        String cassandra,
        int datacenters,
        int nodesPerDatacenter,
        int tokensPerNode,
        Profile profile,
        int heapMegabytes,
        int port,
        Map<String, String> settings,
        List<String> jvmArguments,
        boolean stopWithJvm,
        boolean deleteWithJvm,
        Duration startTimeout,
        Consumer<String> progress) {

    private static final Logger LOG = LoggerFactory.getLogger(LocalOptions.class);
    /** The share of the memory for the heaps of all nodes: direct memory, files and clients need the rest. */
    private static final int MEMORY_SHARE = 4;

    private static final String CASSANDRA_PROPERTY = "overdrive.local.cassandra";

    private static final int MIN_MEASURING_HEAP = 512;
    private static final int MAX_MEASURING_HEAP = 2048;
    private static final int MIN_SMALL_HEAP = 256;
    private static final int MAX_SMALL_HEAP = 1024;

    /** cassandra.yaml keys that follow from the other options; setting them would break the cluster. */
    private static final Set<String> OWN_SETTINGS = Set.of(
            "num_tokens",
            "initial_token",
            "auto_bootstrap",
            "endpoint_snitch",
            "seed_provider",
            "listen_address",
            "rpc_address",
            "native_transport_port",
            "storage_port");

    /** The purpose of the nodes. */
    public enum Profile {
        /** G1 and both compilers, as on a real node: for measurements, with one node. */
        MEASURING,
        /** Serial collector and the first compiler only: least memory and fastest start. */
        SMALL
    }

    /** Checks the values; a value out of range is an {@link IllegalArgumentException}. */
    public LocalOptions {
        directory = directory.toAbsolutePath().normalize();
        ServerVersion.of(cassandra);
        settings = Map.copyOf(settings);
        jvmArguments = List.copyOf(jvmArguments);
        Objects.requireNonNull(profile);
        Objects.requireNonNull(progress);
        requireRange("datacenters", datacenters, 1, 10);
        requireRange("nodesPerDatacenter", nodesPerDatacenter, 1, 20);
        requireRange("tokensPerNode", tokensPerNode, 1, 1024);
        requireRange("heapMegabytes", heapMegabytes, heapMegabytes == 0 ? 0 : 128, 1 << 20);
        requireRange("port", port, 0, 65_535);
        if (startTimeout.isNegative() || startTimeout.isZero()) {
            throw new IllegalArgumentException("startTimeout is " + startTimeout + ", must be above zero");
        }
        for (String key : settings.keySet()) {
            if (OWN_SETTINGS.contains(key)) {
                throw new IllegalArgumentException(
                        "cassandra.yaml setting \"" + key + "\" follows from the other options and cannot be set");
            }
        }
    }

    /** One node in the {@linkplain #defaultDirectory default directory}, on port 9042, that outlives this JVM. */
    public static Builder builder() {
        return new Builder();
    }

    /** {@code $OVERDRIVE_HOME/local/default}, or {@code ~/.cache/overdrive/local/default} without that variable. */
    public static Path defaultDirectory() {
        return home().resolve("local").resolve("default");
    }

    /** Where Overdrive keeps files that it can recreate. */
    static Path home() {
        return home(System.getenv());
    }

    static Path home(Map<String, String> environment) {
        String home = environment.get("OVERDRIVE_HOME");
        return home == null || home.isBlank()
                ? userHome(environment).resolve(".cache").resolve("overdrive")
                : Path.of(home).toAbsolutePath().normalize();
    }

    /** {@code $HOME}, as of every other command, if it is an absolute path; else that of the user database. */
    static Path userHome(Map<String, String> environment) {
        String home = environment.getOrDefault("HOME", "");
        return Path.of(home).isAbsolute() ? Path.of(home) : Path.of(System.getProperty("user.home"));
    }

    ServerVersion serverVersion() {
        return ServerVersion.of(cassandra);
    }

    int nodes() {
        return datacenters * nodesPerDatacenter;
    }

    /** The same options with this heap, if none was given. */
    LocalOptions withDefaultHeap(int megabytes) {
        return heapMegabytes != 0
                ? this
                : new LocalOptions(
                        directory,
                        cassandra,
                        datacenters,
                        nodesPerDatacenter,
                        tokensPerNode,
                        profile,
                        megabytes,
                        port,
                        settings,
                        jvmArguments,
                        stopWithJvm,
                        deleteWithJvm,
                        startTimeout,
                        progress);
    }

    /** The heap of a node on a machine with this much memory. */
    int defaultHeap(long memoryBytes) {
        int min = profile == Profile.MEASURING ? MIN_MEASURING_HEAP : MIN_SMALL_HEAP;
        int max = profile == Profile.MEASURING ? MAX_MEASURING_HEAP : MAX_SMALL_HEAP;
        return (int) Math.max(min, Math.min(max, memoryBytes / MEMORY_SHARE / nodes() >> 20));
    }

    /** Memory of this machine, or of the container that this JVM runs in. */
    static long memoryBytes() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getTotalMemorySize();
    }

    private static void requireRange(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new OutOfRange(name, "is " + value + ", must be between " + least + " and " + most);
        }
    }

    /** A value that is not among the possible ones. Immutable. */
    public static final class OutOfRange extends IllegalArgumentException {
        private static final long serialVersionUID = 1;

        private final String option;
        private final String reason;

        OutOfRange(String option, String reason) {
            super(option + " " + reason);
            this.option = option;
            this.reason = reason;
        }

        /** The name of the option in Java. */
        public String option() {
            return option;
        }

        /** The rest of the message, which begins with a verb. */
        public String reason() {
            return reason;
        }
    }

    /** Collects options; confined to one thread. */
    public static final class Builder {
        private Path directory = defaultDirectory();
        private String cassandra = System.getProperty(CASSANDRA_PROPERTY, ServerVersion.DEFAULT);
        private int datacenters = 1;
        private int nodesPerDatacenter = 1;
        private int tokensPerNode = 16;
        private @Nullable Profile profile;
        private int heapMegabytes;
        private int port = 9042;
        private final Map<String, String> settings = new LinkedHashMap<>();
        private final List<String> jvmArguments = new ArrayList<>();
        private boolean stopWithJvm;
        private boolean deleteWithJvm;
        private @Nullable Duration startTimeout;
        private Consumer<String> progress = LOG::info;

        private Builder() {}

        /** The directory of the cluster, used for nothing else; created if it is missing. */
        public Builder directory(Path value) {
            directory = value;
            return this;
        }

        /**
         * The version of Cassandra, a series or a release: the system property {@code overdrive.local.cassandra} unless set, by
         * which tests run on another version, and 5.0 without that.
         */
        public Builder cassandra(String value) {
            cassandra = value;
            return this;
        }

        /** Number of data centres: 1 unless set. */
        public Builder datacenters(int value) {
            datacenters = value;
            return this;
        }

        /** Nodes in each data centre: 1 unless set. */
        public Builder nodesPerDatacenter(int value) {
            nodesPerDatacenter = value;
            return this;
        }

        /** Tokens of each node: 16 unless set. */
        public Builder tokensPerNode(int value) {
            tokensPerNode = value;
            return this;
        }

        /** {@link Profile#MEASURING} for a single node and {@link Profile#SMALL} for more, unless set. */
        public Builder profile(Profile value) {
            profile = value;
            return this;
        }

        /**
         * Maximum Java heap of a node in MiB. Unless set, a quarter of the machine's memory divided by the nodes, but 512 to
         * 2048 MiB in the measuring profile and 256 to 1024 MiB in the small one; a running cluster keeps the heap it has.
         */
        public Builder heapMegabytes(int value) {
            heapMegabytes = value;
            return this;
        }

        /** CQL port of the first node: 9042 unless set, 0 for a free one. */
        public Builder port(int value) {
            port = value;
            return this;
        }

        /**
         * Adds or replaces a line of cassandra.yaml; the value is YAML text, a nested one in {@code {…}}. Names and units are as in
         * Cassandra 4.1 and later; for 4.0, names of times, sizes and switches are replaced by its own.
         */
        public Builder setting(String key, String yamlValue) {
            settings.put(key, yamlValue);
            return this;
        }

        /** Adds arguments for the nodes' JVMs. */
        public Builder jvmArguments(String... values) {
            jvmArguments.addAll(List.of(values));
            return this;
        }

        /** Whether the nodes end with this JVM: false unless set. */
        public Builder stopWithJvm(boolean value) {
            stopWithJvm = value;
            return this;
        }

        /**
         * Whether the nodes end with this JVM, and the directory is deleted then with all that is in it, however the JVM ends; also if the
         * nodes don't start, and on {@link LocalCluster#close}. False unless set.
         */
        public Builder deleteWithJvm(boolean value) {
            deleteWithJvm = value;
            return this;
        }

        /** How long a start may take: 90 s and 30 s for each node, unless set. */
        public Builder startTimeout(Duration value) {
            startTimeout = value;
            return this;
        }

        /** Receives lines of progress; logged unless set. */
        public Builder progress(Consumer<String> value) {
            progress = value;
            return this;
        }

        /** The options; throws {@link IllegalArgumentException} for a value out of range. */
        public LocalOptions build() {
            int nodes = datacenters * nodesPerDatacenter;
            Profile usedProfile = profile != null ? profile : nodes == 1 ? Profile.MEASURING : Profile.SMALL;
            Duration usedTimeout = startTimeout != null ? startTimeout : Duration.ofSeconds(90 + 30L * nodes);
            return new LocalOptions(
                    directory,
                    cassandra,
                    datacenters,
                    nodesPerDatacenter,
                    tokensPerNode,
                    usedProfile,
                    heapMegabytes,
                    port,
                    settings,
                    jvmArguments,
                    stopWithJvm || deleteWithJvm,
                    deleteWithJvm,
                    usedTimeout,
                    progress);
        }
    }
}
