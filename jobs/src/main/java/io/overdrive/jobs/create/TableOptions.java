package io.overdrive.jobs.create;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The options that a new table takes from the one it is created like, maybe on a server of another version. Immutable.
 *
 * @param taken CQL literals by the options' names
 * @param unknown options that the other server does not support, as {@code name = literal}
 * @param leftOut options that could be taken, but are not
 */
record TableOptions(Map<String, String> taken, List<String> unknown, List<String> leftOut) {
    /**
     * Names of the options, without the two chances of read repair: servers since 4.0 still list them, but refuse them.
     */
    private static final List<String> NAMES = List.of(
            "additional_write_policy",
            "allow_auto_snapshot",
            "bloom_filter_fp_chance",
            "caching",
            "comment",
            "compaction",
            "compression",
            "crc_check_chance",
            "default_time_to_live",
            "gc_grace_seconds",
            "incremental_backups",
            "max_index_interval",
            "memtable_flush_period_in_ms",
            "min_index_interval",
            "read_repair",
            "speculative_retry");

    /**
     * Options that depend on the setup of the nodes: cdc, whose log must be consumed, or writes are refused; memtable,
     * a name in a node's configuration; extensions, which are only for other software; and Accord, which nodes may not have.
     */
    private static final List<String> LEFT_OUT = List.of("cdc", "extensions", "memtable", "transactional_mode");

    /** Values that mean the same as none. */
    private static final Set<String> NOTHING = Set.of("''", "{}", "false", "'default'", "'off'");

    TableOptions {
        taken = Collections.unmodifiableMap(new LinkedHashMap<>(taken));
        unknown = List.copyOf(unknown);
        leftOut = List.copyOf(leftOut);
    }

    /**
     * @param options all options of a table, CQL literals by their names
     * @param known names of options that the server of the other table supports
     */
    static TableOptions of(Map<String, String> options, Set<String> known) {
        Map<String, String> taken = new LinkedHashMap<>();
        List<String> unknown = new ArrayList<>();
        for (String name : NAMES) {
            String value = options.getOrDefault(name, "''");
            if (!value.equals("''") && known.contains(name)) {
                taken.put(name, value);
            } else if (!value.equals("''")) {
                unknown.add(name + " = " + value);
            }
        }
        List<String> leftOut = LEFT_OUT.stream()
                .filter(name -> !NOTHING.contains(options.getOrDefault(name, "''")))
                .map(name -> name + " = " + options.get(name))
                .toList();
        return new TableOptions(taken, unknown, leftOut);
    }

    /** Default time to live in seconds; 0 for none. */
    String timeToLive() {
        return taken.getOrDefault("default_time_to_live", "0");
    }
}
