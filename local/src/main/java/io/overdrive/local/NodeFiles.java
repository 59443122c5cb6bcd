package io.overdrive.local;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The files that a node reads: cassandra.yaml, cassandra-rackdc.properties, logback.xml and its JVM's arguments. They are rewritten
 * before every start. Thread-safe: no state.
 */
final class NodeFiles {
    static final String JVM_ARGUMENTS = "jvm.args";

    private NodeFiles() {}

    static void write(Path directory, NodePlacement place, ClusterState state, Server server) {
        try {
            Files.createDirectories(directory.resolve("logs"));
            Files.createDirectories(directory.resolve("tmp"));
            keepOnce(directory.resolve("logs").resolve("system.log"));
            write(directory, "cassandra.yaml", yaml(place, state));
            write(
                    directory,
                    "cassandra-rackdc.properties",
                    "dc=" + place.datacenter() + "\nrack=" + NodePlacement.RACK + "\n");
            write(directory, "logback.xml", template("logback.xml"));
            write(directory, JVM_ARGUMENTS, jvmArguments(directory, place, state.options(), server));
        } catch (IOException e) {
            throw new LocalClusterException(
                    "files of " + place.name() + " cannot be written (" + e + "); check disk space and permissions", e);
        }
    }

    static String yaml(NodePlacement place, ClusterState state) {
        LocalOptions options = state.options();
        String text = template("cassandra.yaml")
                .replace("${tokens}", Integer.toString(options.tokensPerNode()))
                .replace("${initialTokens}", place.tokens(options))
                .replace("${seeds}", seeds(state.places()))
                .replace("${address}", place.address())
                .replace("${port}", Integer.toString(place.port()))
                .replace("${storagePort}", Integer.toString(place.storagePort()));
        Map<String, String> settings = new LinkedHashMap<>();
        for (String line : text.lines().toList()) {
            int colon = line.indexOf(": ");
            if (!line.startsWith("#") && colon > 0) {
                settings.put(line.substring(0, colon), line.substring(colon + 2));
            }
        }
        settings.putAll(new TreeMap<>(options.settings()));
        if (options.serverVersion().hasOldSettings()) {
            settings = OldSettings.of(settings);
        }
        return settings.entrySet().stream()
                .map(entry -> entry.getKey() + ": " + entry.getValue() + "\n")
                .collect(Collectors.joining());
    }

    /** The first node of each data centre. */
    static String seeds(List<NodePlacement> places) {
        Map<String, String> seeds = new LinkedHashMap<>();
        places.forEach(place -> seeds.putIfAbsent(place.datacenter(), place.storage()));
        return String.join(",", seeds.values());
    }

    static String jvmArguments(Path directory, NodePlacement place, LocalOptions options, Server server) {
        List<String> lines = new ArrayList<>(template("jvm.args").lines().toList());
        List<String> arguments = new ArrayList<>();
        int heap = options.heapMegabytes();
        arguments.add("-Xmx" + heap + "m");
        if (options.profile() == LocalOptions.Profile.MEASURING) {
            arguments.addAll(g1(heap));
        } else {
            arguments.addAll(List.of("-Xms64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        }
        arguments.addAll(classLoading(server));
        arguments.add(
                "-Dcassandra.config=" + directory.resolve("cassandra.yaml").toUri());
        arguments.add("-Dcassandra-rackdc.properties="
                + directory.resolve("cassandra-rackdc.properties").toUri());
        arguments.add("-Dlogback.configurationFile=" + directory.resolve("logback.xml"));
        arguments.add("-Dcassandra.storagedir=" + directory);
        arguments.add("-Dcassandra.logdir=" + directory.resolve("logs"));
        arguments.add("-Djava.io.tmpdir=" + directory.resolve("tmp"));
        arguments.add("-Djna.tmpdir=" + directory.resolve("tmp"));
        arguments.add("-Dcassandra.jmx.local.port=" + place.jmxPort());
        arguments.addAll(options.jvmArguments());
        arguments.forEach(argument -> lines.add(quoted(argument)));
        return String.join("\n", lines) + "\n";
    }

    /**
     * Like Cassandra's own jvm17-server.options, for a smaller heap. The node starts with half of it, so that the first load does not wait
     * for the heap to grow. Regions have at least 4 MiB: a memtable's buffers have 1 MiB, and each would fill two regions of 1 MiB, the
     * default up to a heap of 4 GiB, or one of 2 MiB.
     */
    private static List<String> g1(int heapMegabytes) {
        int region = Math.max(4, Math.min(16, Integer.highestOneBit(heapMegabytes / 128)));
        return List.of(
                "-Xms" + heapMegabytes / 2 + "m",
                "-XX:+UseG1GC",
                "-XX:G1HeapRegionSize=" + region + "m",
                "-XX:+UnlockExperimentalVMOptions",
                "-XX:G1NewSizePercent=30",
                "-XX:MaxTenuringThreshold=2",
                "-XX:MaxGCPauseMillis=300");
    }

    private static List<String> classLoading(Server server) {
        List<String> arguments = new ArrayList<>();
        if (server.jdk().feature() >= 17) {
            // Without this, the agent would prevent the archive; if the archive does not fit, the JVM silently runs
            // without it.
            arguments.addAll(List.of(
                    "-XX:+UnlockDiagnosticVMOptions",
                    "-XX:+AllowArchivingWithJavaAgent",
                    "-Xshare:auto",
                    "-Xlog:cds=off",
                    "-Xlog:cds+dynamic=off"));
        }
        if (server.archive() != null) {
            arguments.add("-XX:SharedArchiveFile=" + server.archive());
        }
        for (Path jar : server.jars()) {
            if (jar.getFileName().toString().startsWith("jamm-")) {
                arguments.add(
                        "-javaagent:" + jar); // as in a real installation: measures objects for memtables and caches
            }
        }
        arguments.add("-cp");
        arguments.add(server.jars().stream().map(Path::toString).collect(Collectors.joining(":")));
        return arguments;
    }

    /** An argument in the syntax of the java command's argument files. */
    static String quoted(String argument) {
        return '"' + argument.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** So that a log covers one start only, as a reader of an error needs, and the previous one is not lost. */
    private static void keepOnce(Path log) throws IOException {
        if (Files.exists(log)) {
            Files.move(log, log.resolveSibling(log.getFileName() + ".1"), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static String template(String name) {
        try (InputStream in = Server.resource(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("resource " + name + " cannot be read", e);
        }
    }

    private static void write(Path directory, String name, String text) throws IOException {
        Files.writeString(directory.resolve(name), text);
    }
}
