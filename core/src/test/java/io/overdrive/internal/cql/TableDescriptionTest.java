package io.overdrive.internal.cql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;

class TableDescriptionTest {
    @Test
    void hasConstraintsOfColumns() {
        TableDescription description = TableDescription.of(
                """
                CREATE TABLE w.ck (
                    p int,
                    "odd, CHECK" frozen<map<text, frozen<list<int>>>> PRIMARY KEY,
                    s text static MASKED WITH system.mask_inner(1, null),
                    v text MASKED WITH system.mask_default() CHECK LENGTH() < 3 AND NOT NULL,
                    n int CHECK n > 0 AND n < 10,
                    "N"  'org.apache.Custom' CHECK REGEXP() = 'a, b)',
                    u w."a type",
                    PRIMARY KEY ((p), "odd, CHECK")
                ) WITH CLUSTERING ORDER BY ("odd, CHECK" DESC)
                    AND comment = 'it''s (a) WITH b = 1 AND c = 2;';
                """);
        assertThat(description.constraints())
                .isEqualTo(Map.of(
                        "v",
                        "CHECK LENGTH() < 3 AND NOT NULL",
                        "n",
                        "CHECK n > 0 AND n < 10",
                        "\"N\"",
                        "CHECK REGEXP() = 'a, b)'"));
        assertThat(description.options())
                .isEqualTo(Map.of(
                        "clustering", "ORDER BY (\"odd, CHECK\" DESC)",
                        "comment", "'it''s (a) WITH b = 1 AND c = 2;'"));
    }

    /** The answer of Cassandra 6.0-alpha2. */
    @Test
    void readsWhatCassandra6Answers() {
        TableDescription description = TableDescription.of(
                """
                CREATE TABLE w.ck (
                    p int PRIMARY KEY,
                    m text MASKED WITH system.mask_inner(1, null) CHECK NOT NULL,
                    n int CHECK n > 0 AND n < 100,
                    v text CHECK LENGTH() < 3
                ) WITH additional_write_policy = '99p'
                    AND allow_auto_snapshot = true
                    AND bloom_filter_fp_chance = 0.01
                    AND caching = {'keys': 'ALL', 'rows_per_partition': 'NONE'}
                    AND cdc = false
                    AND comment = ''
                    AND compaction = {'class': 'org.apache.cassandra.db.compaction.SizeTieredCompactionStrategy', 'max_threshold': '32', 'min_threshold': '4'}
                    AND compression = {'chunk_length_in_kb': '16', 'class': 'org.apache.cassandra.io.compress.LZ4Compressor'}
                    AND memtable = 'default'
                    AND crc_check_chance = 1.0
                    AND fast_path = 'keyspace'
                    AND default_time_to_live = 0
                    AND extensions = {}
                    AND gc_grace_seconds = 864000
                    AND incremental_backups = true
                    AND max_index_interval = 2048
                    AND memtable_flush_period_in_ms = 0
                    AND min_index_interval = 128
                    AND read_repair = 'BLOCKING'
                    AND transactional_mode = 'full'
                    AND transactional_migration_from = 'none'
                    AND speculative_retry = '99p';""");
        assertThat(description.constraints())
                .isEqualTo(Map.of("m", "CHECK NOT NULL", "n", "CHECK n > 0 AND n < 100", "v", "CHECK LENGTH() < 3"));
        assertThat(description.options())
                .hasSize(22)
                .containsEntry("transactional_mode", "'full'")
                .containsEntry("transactional_migration_from", "'none'")
                .containsEntry("speculative_retry", "'99p'")
                .containsEntry("extensions", "{}");
        assertThat(TableDescription.of("CREATE TABLE w.t (p int PRIMARY KEY)").options())
                .isEmpty();
    }

    @Test
    void refusesWhatIsNoDefinition() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TableDescription.of("CREATE TABLE w.t (p int"))
                .withMessageContaining("not the definition of a table: CREATE TABLE w.t (p int");
    }

    @Test
    void replacesOptionsAndKeepsTheClusteringOrder() {
        String create =
                """
                CREATE TABLE w.t (
                    p int,
                    c text,
                    "a ) WITH" text,
                    PRIMARY KEY (p, c)
                ) WITH CLUSTERING ORDER BY (c DESC)
                    AND cdc = true
                    AND comment = 'old';""";
        String start = create.substring(0, create.indexOf(" WITH CLUSTERING"));
        assertThat(TableDescription.withOptions(create, Map.of("comment", "'new'")))
                .isEqualTo(start + " WITH CLUSTERING ORDER BY (c DESC)\n    AND comment = 'new'");
        assertThat(TableDescription.withOptions(create, Map.of()))
                .isEqualTo(start + " WITH CLUSTERING ORDER BY (c DESC)");
        assertThat(TableDescription.withOptions(start + " WITH cdc = true", Map.of()))
                .isEqualTo(start);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TableDescription.withOptions("CREATE TYPE w.t", Map.of()));
    }
}
