package io.overdrive.files.create;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which options of a table another one gets that is created like it, maybe by a server of another version. Immutable.
 *
 * @param taken CQL literals by the options' names
 * @param unknown what the other server does not know, as {@code name = literal}
 * @param leftOut what could be taken, but is not
 */
record TableOptions(Map<String, String> taken, List<String> unknown, List<String> leftOut) {
    /** Not the two chances of read repair: servers since 4.0 list them still, and refuse them. */
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
     * What is about the set-up of the nodes: cdc, whose log somebody has to read, or writes are refused; memtable, a name in a
     * node's configuration; and extensions, which mean something to other software only.
     */
    private static final List<String> LEFT_OUT = List.of("cdc", "extensions", "memtable");

    /** Values that are as good as none. */
    private static final Set<String> NOTHING = Set.of("''", "{}", "false", "'default'");

    TableOptions {
        taken = Collections.unmodifiableMap(new LinkedHashMap<>(taken));
        unknown = List.copyOf(unknown);
        leftOut = List.copyOf(leftOut);
    }

    /**
     * @param options all that a table has, CQL literals by their names
     * @param known names that the server of the other table knows
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

    /** Seconds until rows end that say nothing of it; 0 if they do not. */
    String timeToLive() {
        return taken.getOrDefault("default_time_to_live", "0");
    }
}
