package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.Seeds;
import io.overdrive.TestCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Copies of what was written since the last one: {@code copy --keep-times --written-after}. */
@Timeout(300)
class CatchUpIT {
    private static final String COLUMNS =
            "p, c, s, writetime(s), ttl(s), a, writetime(a), ttl(a), b, writetime(b), ttl(b),"
                    + " f, writetime(f), ttl(f), tags, writetime(tags), ttl(tags), home.street, home.zip, writetime(home), ttl(home)";
    private static final long HOUR_MICROS = 3_600_000_000L;

    private final Path directory;
    private volatile boolean isStopped;

    CatchUpIT(@TempDir Path directory) {
        this.directory = directory;
    }

    private static void create(String keyspace) {
        TestCluster.keyspace(keyspace);
        TestCluster.execute("CREATE TYPE " + keyspace + ".address (street text, zip int)");
        TestCluster.execute("CREATE TABLE " + keyspace + ".wide (p int, c int, s text static, a text, b int, f"
                + " frozen<list<int>>, tags set<text>, home address, PRIMARY KEY (p, c))");
        TestCluster.execute("CREATE TABLE " + keyspace + ".flat (id int PRIMARY KEY, v text)");
        long old = System.currentTimeMillis() * 1000 - HOUR_MICROS;
        for (int i = 0; i < 200; i++) {
            TestCluster.execute("INSERT INTO " + keyspace + ".wide (p, c, s, a, b, f, tags, home) VALUES (" + i / 10
                    + ", " + i + ", 's', 'old', " + i + ", [1], {'a', 'b'}, {street: 'x', zip: 1}) USING TIMESTAMP "
                    + (old + i));
            TestCluster.execute(
                    "INSERT INTO " + keyspace + ".flat (id, v) VALUES (" + i + ", 'old') USING TIMESTAMP " + old);
        }
    }

    private Cli copy(String from, String to, String... more) {
        return Cli.run(Stream.concat(
                        Stream.of(
                                "copy",
                                from,
                                to,
                                "--host",
                                TestCluster.host(),
                                "--keep-times",
                                "--clock-skew=5",
                                "--rejects=" + directory),
                        Stream.of(more))
                .toArray(String[]::new));
    }

    /** Writes to the source until it is stopped: inserts, updates of each kind of column, and values that expire. */
    private CompletableFuture<Void> writes(String keyspace, Random random) {
        String wide = "UPDATE " + keyspace + ".wide";
        return CompletableFuture.runAsync(() -> {
            for (int i = 0; !isStopped; i++) {
                int c = random.nextInt(220);
                String row = " WHERE p = " + c / 10 + " AND c = " + c;
                String ttl = random.nextInt(3) == 0
                        ? " USING TTL " + (300_000 + random.nextInt(50) * TimedCells.TTL_STEP)
                        : "";
                TestCluster.execute(
                        switch (random.nextInt(7)) {
                            case 0 ->
                                "INSERT INTO " + keyspace + ".flat (id, v) VALUES (" + (200 + i) + ", 'new')" + ttl;
                            case 1 -> wide + ttl + " SET s = 's" + i + "' WHERE p = " + c / 10;
                            case 2 -> wide + ttl + " SET a = 'a" + i + "', b = " + i + row;
                            case 3 -> wide + ttl + " SET f = [" + i + "]" + row;
                            case 4 -> wide + ttl + " SET tags = {'" + i + "'}" + row;
                            case 5 -> wide + ttl + " SET home = {street: 'y', zip: " + i + "}" + row;
                            default ->
                                "INSERT INTO " + keyspace + ".wide (p, c) VALUES (" + c / 10 + ", " + c + ")" + ttl;
                        });
            }
        });
    }

    private static void assertDone(Cli cli) {
        assertThat(cli.code()).as(cli.out() + cli.err()).isEqualTo(Main.DONE);
    }

    @Test
    void theTargetHasAllThatWasWrittenDuringTheCopiesWithItsTimes() throws Exception {
        create("cli_catch");
        TestCluster.keyspace("cli_caught");
        CompletableFuture<Void> writes = writes("cli_catch", new Random(Seeds.seed()));
        try {
            Cli first = copy("cli_catch", "cli_caught", "--create");
            assertDone(first);
            assertThat(first.plan()).doesNotContain("cells");
            assertThat(first.out())
                    .containsPattern("\n  next      --written-after last copies what was written since 20");
            TimeUnit.SECONDS.sleep(6); // so that the next window does not have all of it
            Cli second = copy("cli_catch", "cli_caught", "--written-after", "last");
            assertDone(second);
            assertThat(second.out()).containsPattern("^cli_catch: 2 tables, .* 0 rejected \\+ \\d+ left out\n");
            assertThat(second.plan())
                    .containsPattern("\n  cells     written after 20.*Z, which is the start of run .* minus 5 s of");
        } finally {
            isStopped = true;
        }
        writes.get(60, TimeUnit.SECONDS);
        Cli last = copy("cli_catch", "cli_caught", "--written-after", "last");
        assertDone(last);
        assertThat(TimedCells.rows("cli_caught.wide", COLUMNS))
                .isEqualTo(TimedCells.rows("cli_catch.wide", COLUMNS))
                .hasSizeGreaterThanOrEqualTo(200);
        String flat = "id, v, writetime(v), ttl(v)";
        assertThat(TimedCells.rows("cli_caught.flat", flat)).isEqualTo(TimedCells.rows("cli_catch.flat", flat));
    }

    @Test
    void onlyRowsOfWhichSomethingIsNewerAreCopiedOrRejected() throws IOException {
        create("cli_catch2");
        TestCluster.keyspace("cli_caught2");
        TestCluster.execute("CREATE TYPE cli_caught2.address (street text, zip int)");
        String source = "cli_catch2.wide";
        String old = " USING TIMESTAMP " + (System.currentTimeMillis() * 1000 - HOUR_MICROS / 2);
        TestCluster.execute("UPDATE " + source + old + " SET tags = tags + {'later'} WHERE p = 1 AND c = 11");
        assertThat(copy(source, "cli_caught2.wide", "--create").code()).isEqualTo(Main.DONE_WITH_REJECTS);

        TestCluster.execute("UPDATE " + source + " SET tags = tags + {'now'} WHERE p = 1 AND c = 12");
        TestCluster.execute("UPDATE " + source + " SET s = 'now' WHERE p = 3");
        TestCluster.execute("DELETE FROM " + source + " WHERE p = 4 AND c = 41");
        TestCluster.execute("DELETE b FROM " + source + " WHERE p = 4 AND c = 42");
        Cli caught = copy(source, "cli_caught2.wide", "--written-after", "last", "--json");
        assertThat(caught.code()).as(caught.err()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(caught.err())
                .contains("overdrive: deletions since then are not copied, as reads do not return them: ");
        JsonNode summary = new JsonMapper().readTree(caught.out());
        assertThat(summary.get("rowsRead").asInt()).isEqualTo(199);
        assertThat(summary.get("rowsWritten").asInt()).isEqualTo(1);
        assertThat(summary.get("rowsRejected").asInt()).isEqualTo(1);
        assertThat(summary.get("rowsLeftOut").asInt()).isEqualTo(197);
        assertThat(summary.get("firstReject").asText())
                .startsWith("{\"p\":1,\"c\":12}: column \"tags\" has elements of");
        assertThat(summary.get("copiesDeletions").asBoolean()).isFalse();
        assertThat(summary.get("next").get("isSmallest").isBoolean()).isTrue();
        assertThat(TestCluster.count("cli_caught2.wide", "p")).isEqualTo(199);

        Cli repaired = Cli.run(
                "diff",
                source,
                "cli_caught2.wide",
                "--host",
                TestCluster.host(),
                "--repair",
                "missing,different,extra");
        assertThat(repaired.code()).isEqualTo(Main.DIFFERENT);
        assertThat(repaired.out().lines()).hasSize(4);
        String values = "p, c, s, a, b, f, tags, home.street, home.zip";
        assertThat(TimedCells.rows("cli_caught2.wide", values)).isEqualTo(TimedCells.rows(source, values));
    }

    @Test
    void tablesThatAreNewAreCopiedAsAWhole() {
        create("cli_catch3");
        TestCluster.keyspace("cli_caught3");
        assertDone(copy("cli_catch3", "cli_caught3", "--create"));
        TestCluster.execute("CREATE TABLE cli_catch3.late (id int PRIMARY KEY, v int)");
        TestCluster.execute("INSERT INTO cli_catch3.late (id, v) VALUES (1, 2) USING TIMESTAMP 1000");
        Cli caught = copy("cli_catch3", "cli_caught3", "--create", "--written-after", "last");
        assertDone(caught);
        assertThat(caught.err())
                .contains("overdrive: late: the last copy did not have this table, so all of its cells are copied\n");
        assertThat(caught.out())
                .startsWith("cli_catch3: 3 tables, 401 rows read = 1 written + 0 rejected + 400 left out\n");
        Cli other = copy("cli_catch3.*a*", "cli_caught3", "--written-after", "last");
        assertThat(other.code()).isEqualTo(Main.FAILED);
        assertThat(other.err())
                .startsWith("overdrive: --written-after last: there is no complete run of this copy from"
                        + " cli_catch3.*a* to cli_caught3 in ");
        Cli first = copy("cli_catch3", "cli_caught3_new", "--create", "--written-after", "last");
        assertThat(first.code()).isEqualTo(Main.FAILED);
        assertThat(first.err()).doesNotContain("created");
    }
}
