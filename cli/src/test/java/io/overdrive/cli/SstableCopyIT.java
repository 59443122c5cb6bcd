package io.overdrive.cli;

import static io.overdrive.cli.SstableUser.COLUMNS;
import static io.overdrive.cli.SstableUser.KEYSPACE;
import static io.overdrive.cli.SstableUser.TIMESTAMP;
import static io.overdrive.cli.SstableUser.assertSame;
import static io.overdrive.cli.SstableUser.files;
import static io.overdrive.cli.SstableUser.table;
import static io.overdrive.cli.SstableUser.times;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.ScanOptions;
import io.overdrive.TestCluster;
import io.overdrive.WriteOptions;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.RejectLimit;
import io.overdrive.jobs.copy.Copier;
import io.overdrive.jobs.copy.CopyOptions;
import io.overdrive.jobs.copy.CopySummary;
import io.overdrive.jobs.sstables.SstableCopy;
import io.overdrive.sstable.handover.JmxAccess;
import io.overdrive.sstable.handover.JmxAccess.Address;
import io.overdrive.sstable.handover.SstableOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code overdrive copy --sstables} as a user types it, beside the same copy over CQL. */
@Tag("server")
class SstableCopyIT {
    private final Path directory;
    private final Path staging;
    private final SstableUser user;

    SstableCopyIT(@TempDir Path directory) throws IOException {
        this.directory = directory;
        user = new SstableUser(directory);
        staging = user.staging();
    }

    private Cli copy(String from, String to, String... arguments) {
        return user.run(
                "copy", Stream.concat(Stream.of(from, to), Stream.of(arguments)).toArray(String[]::new));
    }

    /** Rows and cells of several write times and times to live, partitions without rows, a row without cells. */
    private String source(String name) throws IOException {
        String source = table(name, COLUMNS);
        assertThat(user.load(
                                user.rows(3000, /* withTtl */ true).toString(),
                                source,
                                "--timestamp",
                                TIMESTAMP + "",
                                "--map",
                                "expires = ttl(), * = *")
                        .code())
                .isZero();
        for (int p = 0; p < 40; p += 4) {
            TestCluster.execute(
                    "UPDATE " + source + " USING TIMESTAMP " + (TIMESTAMP + 5_000_000 + p) + " AND TTL 700000"
                            + " SET i = 5, w = 1.5 WHERE p = " + p
                            + " AND q = 'q1' AND c = '2026-01-02' AND d = 'd7'");
            TestCluster.execute("INSERT INTO " + source + " (p, q, s) VALUES (" + (100 + p)
                    + ", 'statics', 'only') USING" + " TIMESTAMP " + (TIMESTAMP + p));
        }
        TestCluster.execute("INSERT INTO " + source + " (p, q, c, d) VALUES (200, 'key', '2026-01-01', 'only')");
        return source;
    }

    @Test
    void copiesTheCellsThatACopyByCqlCopies() throws IOException {
        String source = source("source");
        String byCql = table("copied_by_cql", COLUMNS);
        String bySstables = table("copied_by_sstables", COLUMNS);
        String[] how = {"--timestamp", TIMESTAMP + "", "--ttl", "900000", "--threads", "1", "--splits-in-flight", "1"};
        Cli cql = copy(source, byCql, how);
        assertThat(cql.code()).as(cql.err()).isZero();
        Cli copy = user.copySstables(source, bySstables, how);
        assertThat(copy.code()).as(copy.err()).isZero();
        assertThat(copy.out().lines().findFirst()).isEqualTo(cql.out().lines().findFirst());
        assertThat(copy.out()).contains("  node      " + TestCluster.host() + ": ", ", imported\n");
        assertThat(copy.plan()).contains("  writes    " + bySstables, "; SSTables for 1 node, to which guardrails");
        assertThat(files(staging)).isEmpty();
        assertThat(times(bySstables)).isEqualTo(times(byCql));
        assertSame(byCql, bySstables);
        assertSame(source, bySstables);
    }

    @Test
    void copiesWithTheTimesThatACopyByCqlKeeps() throws IOException {
        String source = source("source_with_times");
        TestCluster.execute("UPDATE " + source + " USING TIMESTAMP " + (TIMESTAMP + 9) + " SET u = u + {'later'}"
                + " WHERE p = 300 AND q = 'mixed' AND c = '2026-01-02' AND d = 'd'");
        TestCluster.execute("UPDATE " + source + " USING TIMESTAMP " + (TIMESTAMP + 10) + " SET u = u + {'later still'}"
                + " WHERE p = 300 AND q = 'mixed' AND c = '2026-01-02' AND d = 'd'");
        String byCql = table("kept_by_cql", COLUMNS);
        String bySstables = table("kept_by_sstables", COLUMNS);
        Cli cql = copy(source, byCql, "--keep-times");
        assertThat(cql.code()).as(cql.err()).isEqualTo(Main.DONE_WITH_REJECTS);
        Cli copy = user.copySstables(source, bySstables, "--keep-times", "--grouping-memory", "1MB", "--json");
        assertThat(copy.code()).as(copy.err()).isEqualTo(Main.DONE_WITH_REJECTS);
        JsonNode json = new JsonMapper().readTree(copy.out());
        assertThat(json.get("rowsRejected").asLong()).isEqualTo(1);
        assertThat(json.get("rowsWritten").asLong())
                .isEqualTo(json.get("rowsRead").asLong() - 1);
        assertThat(json.get("nodes").get(0).get("imported").asBoolean()).isTrue();
        assertThat(times(bySstables)).isEqualTo(times(byCql));
        assertSame(byCql, bySstables);
        String collections = "SELECT p, q, c, d, u, writetime(u), m, writetime(m), writetime(n) FROM ";
        assertThat(TestCluster.execute(collections + bySstables).stream()
                        .map(SstableUser::shown)
                        .toList())
                .isEqualTo(TestCluster.execute(collections + byCql).stream()
                        .map(SstableUser::shown)
                        .toList());
    }

    /** Rows of several write times, which are several records, and static columns of which some have no row. */
    @Test
    void aCopyThatIsStoppedBetweenPassesCountsTheRowsThatNodesHave() throws Exception {
        String source = source("source_of_passes");
        String target = table("stopped_between_passes", COLUMNS);
        String[] from = source.split("\\.", 2);
        String[] to = target.split("\\.", 2);
        String jmx = TestCluster.jmx();
        Address node = new Address("127.0.0.1", Integer.parseInt(jmx.substring(jmx.indexOf(':') + 1)));
        SstableCopy copy = new SstableCopy(
                TestCluster.overdrive(),
                ScanOptions.from(from[0], from[1]),
                TestCluster.overdrive(),
                WriteOptions.into(to[0], to[1]).spillDirectory(directory),
                new CopyOptions(
                        Mapping.BY_NAME, /* keepTimes */ true, RejectLimit.NONE, directory, "rejects", /* threads */ 2),
                /* creator */ null,
                new SstableOptions(
                        new JmxAccess(List.of(node), null, null), /* ssh */ null, /* sidecar */ null, staging, 256));
        try (Copier copier = copy.open()) {
            Thread stop = new Thread(() -> {
                while (Objects.requireNonNull(copier.progress().imports()).passesDone() < 20) {
                    Thread.onSpinWait();
                }
                copier.stop();
            });
            stop.setDaemon(true);
            stop.start();
            CopySummary summary = copier.run();
            assertThat(summary.failure()).hasMessageContaining("of 256 passes: nodes have the rows of these only");
            assertThat(summary.rowsWritten())
                    .isEqualTo(TestCluster.count(target, "p"))
                    .isBetween(1L, summary.rowsRead() - 1);
        }
    }

    @Test
    void copiesAreRefusedAsByCqlAndAsLoadsBySstables() throws IOException {
        String from = table("refused_from", "id int PRIMARY KEY, v int, l list<int>)");
        String to = table("refused_to", "id int PRIMARY KEY, v int, l list<int>)");
        TestCluster.execute("INSERT INTO " + from + " (id, v, l) VALUES (1, 2, [3, 3]) USING TIMESTAMP " + TIMESTAMP);
        assertThat(user.copySstables(from, to, "--keep-times").err()).contains("column \"l\" is a list: written twice");
        Cli lists = user.copySstables(from, to, "--keep-times", "--allow-non-idempotent");
        assertThat(lists.code()).as(lists.err()).isZero();
        assertSame(from, to);
        assertThat(user.copySstables(from, from).err()).contains("source and target are the same table");
        String viewed = table("refused_view", "id int PRIMARY KEY, v int, l list<int>)");
        TestCluster.execute("CREATE MATERIALIZED VIEW " + KEYSPACE + ".copied_by_v AS SELECT * FROM " + viewed
                + " WHERE v IS NOT NULL AND id IS NOT NULL PRIMARY KEY (v, id)");
        assertThat(user.copySstables(from, viewed).err())
                .contains(
                        "has the materialized view copied_by_v, which an import does not update: leave out --sstables");
        String counters = table("refused_counters", "id int PRIMARY KEY, v counter)");
        assertThat(user.copySstables(counters, KEYSPACE + ".not_created", "--create", "--allow-non-idempotent")
                        .err())
                .contains("[" + counters + "] holds counters, which SSTables cannot add to: leave out --sstables")
                .doesNotContain("CREATE TABLE");
        Path out = directory.resolve("out");
        Cli scripts =
                copy(from, KEYSPACE + ".created", "--create", "--sstables", "--sstable-directory", out.toString());
        assertThat(scripts.code()).as(scripts.err()).isZero();
        assertThat(scripts.out())
                .startsWith("1 row read = 1 in SSTables that are not imported yet + 0 rejected\n")
                .contains(", to be imported by ");
        assertThat(TestCluster.count(KEYSPACE + ".created", "id")).isZero();
        assertThat(files(out)).anyMatch(file -> file.endsWith("import.sh"));
    }

    /** Whether the keyspace exists or not: a node cannot be reached, or the directory for SSTables cannot be used. */
    @Test
    void createsNothingIfTheNodesCannotImport() throws IOException {
        String from = table("not_created_from", "id int PRIMARY KEY, v int)");
        String rows = Files.writeString(directory.resolve("not_created.csv"), "id,v\n1,2\n")
                .toString();
        Path full = Files.createDirectory(directory.resolve("full"));
        Files.createFile(full.resolve("other"));
        String[][] ways = {
            {"--jmx", "127.0.0.1:1", "127.0.0.1:1 does not answer over JMX"},
            {"--sidecar", "http://127.0.0.1:1", "SSTables cannot be uploaded to node " + TestCluster.host()},
            {"--sstable-directory", full.toString(), "SSTables need a directory that is empty"},
        };
        String missing = KEYSPACE + "_missing";
        for (String keyspace : List.of(KEYSPACE, missing)) {
            String to = keyspace + ".not_created";
            for (String[] way : ways) {
                for (Cli cli : List.of(
                        copy(from, to, "--create", "--sstables", way[0], way[1]),
                        user.run("load", rows, to, "--create", "--key", "id", "--sstables", way[0], way[1]))) {
                    assertThat(cli.code()).as(cli.err()).isEqualTo(Main.FAILED);
                    assertThat(cli.err()).contains(way[2]).doesNotContain("-- creating", "has created");
                }
            }
        }
        assertThat(TestCluster.execute("SELECT table_name FROM system_schema.tables WHERE keyspace_name = '" + KEYSPACE
                        + "' AND table_name = 'not_created'"))
                .isEmpty();
        assertThat(TestCluster.execute(
                        "SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = '" + missing + "'"))
                .isEmpty();
    }

    @Test
    void copiesWhoseRowsAreAllRejectedShowNothingThatWasNotDone() throws IOException {
        String from = table("rejected_from", "id int PRIMARY KEY, v text)");
        String to = table("rejected_to", "id int PRIMARY KEY, v int)");
        TestCluster.execute("INSERT INTO " + from + " (id, v) VALUES (1, 'x')");
        Cli copy = user.copySstables(from, to);
        assertThat(copy.code()).as(copy.err()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(copy.out())
                .startsWith("1 row read = 0 written + 1 rejected\n")
                .contains("  node      " + TestCluster.host() + ": no rows to import\n")
                .doesNotContain("imported");
        Cli cql = copy(from, to);
        assertThat(cql.code()).as(cql.err()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(cql.out()).contains("\n  writes    0 requests, of them 0 batches, 0 retries\n");
    }
}
