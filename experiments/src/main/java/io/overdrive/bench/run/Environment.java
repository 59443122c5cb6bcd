package io.overdrive.bench.run;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.sun.management.OperatingSystemMXBean;
import io.overdrive.bench.Result;
import io.overdrive.internal.flow.Behaviour;
import io.overdrive.internal.names.Build;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Facts that figures depend on apart from the experiment: the client's machine and Java, the server's version and
 * settings. Stateless.
 */
final class Environment {
    /** Names of settings in cassandra.yaml; releases before 4.1 have the unit in the name. */
    private static final List<String> SETTINGS = List.of(
            "num_tokens",
            "concurrent_reads",
            "concurrent_writes",
            "concurrent_compactors",
            "compaction_throughput",
            "batch_size_warn_threshold",
            "batch_size_fail_threshold",
            "read_request_timeout",
            "range_request_timeout",
            "write_request_timeout",
            "memtable_allocation_type",
            "memtable_heap_space",
            "memtable_offheap_space",
            "commitlog_sync",
            "commitlog_segment_size",
            "key_cache_size",
            "native_transport_max_request_data_in_flight",
            "native_transport_max_request_data_in_flight_per_ip");

    private Environment() {}

    static OperatingSystemMXBean system() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    }

    /** Readable text, in the order in which reports show it. */
    static Map<String, String> of(CqlSession session) {
        Map<String, String> words = new LinkedHashMap<>();
        Build build = Build.recorded();
        words.put("Overdrive", build.version());
        words.put(Result.COMMIT, build.commitInWords());
        words.put(Result.ENGINE, String.valueOf(Behaviour.VERSION));
        Runtime runtime = Runtime.getRuntime();
        words.put(
                "Java of the client",
                System.getProperty("java.vm.name") + " " + Runtime.version() + ", heap " + (runtime.maxMemory() >> 20)
                        + " MiB");
        OperatingSystemMXBean system = system();
        words.put(
                "machine of the client",
                processor() + runtime.availableProcessors() + " processors, " + (system.getTotalMemorySize() >> 20)
                        + " MiB, " + system.getName() + " " + system.getVersion() + " " + system.getArch());
        words.put("Cassandra", releases(session));
        words.put("nodes", nodes(session));
        words.putAll(settings(session));
        return words;
    }

    /** The processor's name as Linux reports it; other systems have no such file. */
    private static String processor() {
        Path file = Path.of("/proc/cpuinfo");
        if (!Files.isReadable(file)) {
            return "";
        }
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .findFirst()
                    .map(line -> line.substring(line.indexOf(':') + 1).strip() + ", ")
                    .orElse("");
        } catch (IOException e) {
            return ""; // not worth an error
        }
    }

    private static String releases(CqlSession session) {
        return session.getMetadata().getNodes().values().stream()
                .map(Node::getCassandraVersion)
                .map(String::valueOf)
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
    }

    private static String nodes(CqlSession session) {
        Map<String, Integer> nodes = new TreeMap<>();
        session.getMetadata()
                .getNodes()
                .values()
                .forEach(node -> nodes.merge(String.valueOf(node.getDatacenter()), 1, Integer::sum));
        return nodes.entrySet().stream()
                .map(entry -> entry.getValue() + " in " + entry.getKey())
                .collect(Collectors.joining(", "));
    }

    /** Settings of the node that answers; Cassandra 3 and other servers have no such table. */
    private static Map<String, String> settings(CqlSession session) {
        Map<String, String> found = new LinkedHashMap<>();
        try {
            Map<String, String> all = new TreeMap<>();
            for (Row row : session.execute("SELECT name, value FROM system_views.settings")) {
                all.put(String.valueOf(row.getString(0)), String.valueOf(row.getString(1)));
            }
            for (String setting : SETTINGS) {
                Optional<Map.Entry<String, String>> entry = all.entrySet().stream()
                        .filter(each -> each.getKey().matches(setting + "(_in_(ms|kb|mb)|_mb_per_sec)?"))
                        .findFirst();
                entry.ifPresent(each -> found.put(each.getKey(), each.getValue()));
            }
        } catch (DriverException e) {
            found.put("settings of the server", "not known (" + e.getMessage() + ")");
        }
        return found;
    }
}
