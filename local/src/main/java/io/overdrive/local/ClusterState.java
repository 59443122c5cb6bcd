package io.overdrive.local;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The contents of {@code cluster.properties} in a cluster's directory: the options it was started with and the places of its nodes. It does
 * not say what runs; the processes do. Immutable; written under the {@link DirectoryLock}.
 *
 * @param complete whether all nodes have once been up; the remains of an incomplete cluster are deleted
 */
record ClusterState(LocalOptions options, List<NodePlacement> places, boolean complete) {
    static final String FILE_NAME = "cluster.properties";

    /** Options that cannot change without rewriting the data. */
    private static final Set<String> BOUND_TO_DATA =
            Set.of("cassandra", "datacenters", "nodesPerDatacenter", "tokensPerNode");

    ClusterState {
        places = List.copyOf(places);
    }

    /** Empty without a state file. */
    static Optional<ClusterState> read(Path directory, Consumer<String> progress) {
        Path file = directory.resolve(FILE_NAME);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
            return Optional.of(of(directory, properties, progress));
        } catch (IOException | IllegalArgumentException e) {
            throw new LocalClusterException(
                    file + " cannot be read (" + e.getMessage() + "); `local wipe` removes the cluster", e);
        }
    }

    void write(Path directory) {
        Path file = directory.resolve(FILE_NAME);
        Path temporary = directory.resolve(FILE_NAME + ".tmp");
        try {
            try (Writer writer = Files.newBufferedWriter(temporary)) {
                properties().store(writer, "a local cluster of Overdrive");
            }
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new LocalClusterException(
                    file + " cannot be written (" + e + "); check disk space and permissions", e);
        }
    }

    ClusterState completed() {
        return new ClusterState(options, places, true);
    }

    /** The same cluster started with other options; a port that they do not set stays. */
    ClusterState withOptions(LocalOptions asked) {
        int port = asked.port() != 0 ? asked.port() : places.get(0).port();
        return new ClusterState(asked, NodePlacement.movePort(places, port), complete);
    }

    /** Differences to the requested options that need other data, as text; empty if the data fits. */
    String dataDifferences(LocalOptions asked) {
        return differences(asked, BOUND_TO_DATA);
    }

    /** All differences to the requested options, as text; empty if a running cluster has them. */
    String differences(LocalOptions asked) {
        Properties mine = optionProperties(options);
        Properties other = optionProperties(asked);
        Set<String> keys = new TreeSet<>(mine.stringPropertyNames());
        keys.addAll(other.stringPropertyNames());
        if (asked.port() == 0) {
            keys.remove("port"); // any port will do
        }
        if (asked.heapMegabytes() == 0) {
            keys.remove("heapMegabytes"); // any heap will do
        }
        return differences(asked, keys);
    }

    private String differences(LocalOptions asked, Set<String> keys) {
        Properties mine = optionProperties(options);
        mine.setProperty("port", Integer.toString(places.get(0).port()));
        Properties other = optionProperties(asked);
        List<String> differences = new ArrayList<>();
        for (String key : new TreeSet<>(keys)) {
            String has = mine.getProperty(key, "default");
            String wants = other.getProperty(key, "default");
            if (!has.equals(wants)) {
                differences.add(key + " is " + has + ", requested " + wants);
            }
        }
        return String.join("; ", differences);
    }

    private Properties properties() {
        Properties properties = optionProperties(options);
        properties.setProperty("complete", Boolean.toString(complete));
        for (NodePlacement place : places) {
            String prefix = place.name() + ".";
            properties.setProperty(prefix + "datacenter", place.datacenter());
            properties.setProperty(prefix + "address", place.address());
            properties.setProperty(prefix + "port", Integer.toString(place.port()));
            properties.setProperty(prefix + "storagePort", Integer.toString(place.storagePort()));
            properties.setProperty(prefix + "jmxPort", Integer.toString(place.jmxPort()));
        }
        return properties;
    }

    /** The options that describe the cluster, not this start of it. */
    private static Properties optionProperties(LocalOptions options) {
        Properties properties = new Properties();
        properties.setProperty("cassandra", options.cassandra());
        properties.setProperty("datacenters", Integer.toString(options.datacenters()));
        properties.setProperty("nodesPerDatacenter", Integer.toString(options.nodesPerDatacenter()));
        properties.setProperty("tokensPerNode", Integer.toString(options.tokensPerNode()));
        properties.setProperty("profile", options.profile().name());
        properties.setProperty("heapMegabytes", Integer.toString(options.heapMegabytes()));
        properties.setProperty("port", Integer.toString(options.port()));
        options.settings().forEach((key, value) -> properties.setProperty("setting." + key, value));
        for (int i = 0; i < options.jvmArguments().size(); i++) {
            properties.setProperty("jvmArgument." + i, options.jvmArguments().get(i));
        }
        return properties;
    }

    private static ClusterState of(Path directory, Properties properties, Consumer<String> progress) {
        LocalOptions.Builder builder = LocalOptions.builder()
                .directory(directory)
                // missing in files from before a version could be chosen
                .cassandra(properties.getProperty("cassandra", ServerVersion.DEFAULT))
                .datacenters(number(properties, "datacenters"))
                .nodesPerDatacenter(number(properties, "nodesPerDatacenter"))
                .tokensPerNode(number(properties, "tokensPerNode"))
                .profile(LocalOptions.Profile.valueOf(text(properties, "profile")))
                .heapMegabytes(number(properties, "heapMegabytes"))
                .port(number(properties, "port"))
                .progress(progress);
        for (String key : properties.stringPropertyNames()) {
            if (key.startsWith("setting.")) {
                builder.setting(key.substring("setting.".length()), properties.getProperty(key));
            }
        }
        for (int i = 0; properties.containsKey("jvmArgument." + i); i++) {
            builder.jvmArguments(properties.getProperty("jvmArgument." + i));
        }
        LocalOptions options = builder.build();
        List<NodePlacement> places = new ArrayList<>();
        for (int i = 1; i <= options.nodes(); i++) {
            String prefix = "node" + i + ".";
            places.add(new NodePlacement(
                    i,
                    text(properties, prefix + "datacenter"),
                    text(properties, prefix + "address"),
                    number(properties, prefix + "port"),
                    number(properties, prefix + "storagePort"),
                    number(properties, prefix + "jmxPort")));
        }
        return new ClusterState(options, places, Boolean.parseBoolean(text(properties, "complete")));
    }

    private static int number(Properties properties, String key) {
        return Integer.parseInt(text(properties, key));
    }

    private static String text(Properties properties, String key) {
        String value = properties.getProperty(key);
        if (value == null) {
            throw new IllegalArgumentException(key + " is missing");
        }
        return value;
    }
}
