package io.overdrive.jobs.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The options of a table that are passed to a server of another version. */
class TableOptionsTest {
    @Test
    void optionsThatTheServerDoesNotSupportAreNamedAndNotTaken() {
        TableOptions options = TableOptions.of(
                Map.of("read_repair", "'BLOCKING'", "gc_grace_seconds", "1", "comment", "'it''s'"),
                Set.of("comment", "gc_grace_seconds", "read_repair_chance"));
        assertThat(options.taken()).containsExactly(entry("comment", "'it''s'"), entry("gc_grace_seconds", "1"));
        assertThat(options.unknown()).containsExactly("read_repair = 'BLOCKING'");
        assertThat(options.leftOut()).isEmpty();
    }

    @Test
    void optionsOfTheNodesAreNamedIfSet() {
        Map<String, String> set =
                Map.of("cdc", "true", "memtable", "'trie'", "extensions", "{'a':0x01}", "transactional_mode", "'full'");
        assertThat(TableOptions.of(set, set.keySet()).leftOut())
                .containsExactly(
                        "cdc = true", "extensions = {'a':0x01}", "memtable = 'trie'", "transactional_mode = 'full'");
        assertThat(TableOptions.of(set, set.keySet()).taken()).isEmpty();
        Map<String, String> usual =
                Map.of("cdc", "false", "memtable", "'default'", "extensions", "{}", "transactional_mode", "'off'");
        assertThat(TableOptions.of(usual, usual.keySet()).leftOut()).isEmpty();
    }

    @Test
    void columnsThatAreNotOptionsAreIgnored() {
        Map<String, String> row = Map.of("id", "1", "flags", "{'compound'}", "dclocal_read_repair_chance", "0.1");
        assertThat(TableOptions.of(row, row.keySet()))
                .isEqualTo(TableOptions.of(Map.of(), Set.of()))
                .extracting(TableOptions::timeToLive)
                .isEqualTo("0");
        assertThat(TableOptions.of(Map.of("comment", "''"), Set.of("comment")).taken())
                .isEmpty();
    }
}
