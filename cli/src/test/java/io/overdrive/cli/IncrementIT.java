package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.TestCluster;
import io.overdrive.formats.manifest.Manifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Unloads of what was written since the last one: {@code unload --keep-times --written-after}. */
@Timeout(300)
class IncrementIT {
    private static final String COLUMNS =
            "p, c, s, writetime(s), t, writetime(t), a, writetime(a), ttl(a), b, writetime(b),"
                    + " f, writetime(f), tags, writetime(tags), home.street, home.zip, writetime(home)";
    private static final long HOUR_MICROS = 3_600_000_000L;

    private final Path directory;
    private final long now = System.currentTimeMillis() * 1000;

    IncrementIT(@TempDir Path directory) {
        this.directory = directory;
    }

    private static void createTables(String keyspace) {
        TestCluster.keyspace(keyspace);
        String ks = keyspace + ".";
        TestCluster.execute("CREATE TYPE " + ks + "address (street text, zip int)");
        TestCluster.execute("CREATE TABLE " + ks + "wide (p int, c int, s text static, t int static, a text, b int, f"
                + " frozen<list<int>>, tags set<text>, home address, PRIMARY KEY (p, c))");
        TestCluster.execute("CREATE TABLE " + ks + "\"Flat\" (id int PRIMARY KEY, v text)");
        TestCluster.execute("CREATE TABLE " + ks + "hits (id int PRIMARY KEY, n counter)");
    }

    /** Creates tables that were written an hour ago. */
    private void create(String keyspace) {
        createTables(keyspace);
        String ks = keyspace + ".";
        String then = " USING TIMESTAMP " + (now - HOUR_MICROS);
        for (int i = 0; i < 200; i++) {
            TestCluster.execute("INSERT INTO " + ks + "wide (p, c, s, t, a, b, f, tags, home) VALUES (" + i / 10 + ", "
                    + i + ", 's', 1, 'old', " + i + ", [1], {'a', 'b'}, {street: 'x', zip: 1})" + then);
            TestCluster.execute("INSERT INTO " + ks + "\"Flat\" (id, v) VALUES (" + i + ", 'old')" + then);
        }
        TestCluster.execute("INSERT INTO " + ks + "wide (p, s) VALUES (900, 'alone')" + then);
        TestCluster.execute("UPDATE " + ks + "hits SET n = n + 3 WHERE id = 1");
    }

    /** Writes now what an unload after a minute ago has to have. */
    private static void change(String keyspace) {
        String wide = "UPDATE " + keyspace + ".wide SET ";
        TestCluster.execute(wide + "s = 'new' WHERE p = 1"); // no row of it is newer
        TestCluster.execute(wide + "s = 'new' WHERE p = 2");
        TestCluster.execute(wide + "a = 'new' WHERE p = 2 AND c = 21");
        TestCluster.execute(wide + "a = 'new' WHERE p = 3 AND c = 31");
        TestCluster.execute(wide + "tags = {'new'}, home = {street: 'y', zip: 2} WHERE p = 3 AND c = 32");
        TestCluster.execute("UPDATE " + keyspace + ".wide USING TTL 100000 SET f = [2], b = 7 WHERE p = 4 AND c = 40");
        TestCluster.execute("INSERT INTO " + keyspace + ".wide (p, c, a) VALUES (500, 1, 'new row')");
        TestCluster.execute("INSERT INTO " + keyspace + ".wide (p, t) VALUES (901, 5)");
        TestCluster.execute("INSERT INTO " + keyspace + ".wide (p, c) VALUES (0, 0)"); // its key was there before
    }

    private static Cli run(String... arguments) {
        return Cli.run(Stream.concat(Stream.of(arguments), Stream.of("--host", TestCluster.host()))
                .toArray(String[]::new));
    }

    private static Cli done(String... arguments) {
        Cli cli = run(arguments);
        assertThat(cli.code()).as(cli.out() + cli.err()).isEqualTo(Main.DONE);
        return cli;
    }

    private static void assertSame(String one, String other) {
        assertThat(TimedCells.rows(other + ".wide", COLUMNS))
                .isEqualTo(TimedCells.rows(one + ".wide", COLUMNS))
                .hasSizeGreaterThan(200);
        String flat = ".\"Flat\"";
        assertThat(TimedCells.rows(other + flat, "id, v, writetime(v)"))
                .isEqualTo(TimedCells.rows(one + flat, "id, v, writetime(v)"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "parquet", "arrow"})
    void aTableIsBroughtUpToDateByTheRowsThatHaveNewerCells(String format) throws IOException {
        String from = "cli_increment_" + format;
        String into = from + "_restored";
        create(from);
        createTables(into);
        String all = directory.resolve("all").toString();
        String newer = directory.resolve("newer").toString();
        done("unload", from + ".wide", all + "/", "--keep-times", "--format", format);
        String minuteAgo = String.valueOf(now - 60_000_000L);
        Cli nothing = done("unload", from + ".wide", directory + "/no/", "--keep-times", "--written-after", minuteAgo);
        assertThat(nothing.out()).startsWith("0 rows written");
        change(from);
        String[] unload = {"unload", from + ".wide", newer + "/", "--keep-times", "--format", format};
        Cli unloaded = done(Stream.concat(Stream.of(unload), Stream.of("--written-after", minuteAgo))
                .toArray(String[]::new));
        assertThat(unloaded.out())
                .startsWith("8 rows written")
                .contains("deletions are not in the files: what was deleted since the unload before is there again")
                .containsPattern("\n  next      --written-after last writes what was written since 20")
                .doesNotContain("digest");
        assertThat(unloaded.plan()).contains("\n  cells     written after 20");
        Cli first = done("load", newer + "/", into + ".wide", "--keep-times");
        assertThat(first.err()).contains("overdrive: these files have only what was written after 20");
        done("load", all + "/", into + ".wide", "--keep-times");
        assertThat(TimedCells.rows(into + ".wide", COLUMNS))
                .isEqualTo(TimedCells.rows(from + ".wide", COLUMNS))
                .hasSizeGreaterThan(200);
        Cli verified = run("verify", newer + "/", from + ".wide");
        assertThat(verified.code()).isEqualTo(Main.FAILED);
        assertThat(verified.err()).contains("has only what was written after 20");
    }

    @Test
    void aKeyspaceIsRestoredFromABackupAndWhatWasWrittenSince() throws IOException {
        create("cli_increments");
        String all = directory.resolve("all").toString();
        done("unload", "cli_increments", all, "--keep-times", "--format", "parquet", "--clock-skew=60");
        change("cli_increments");
        TestCluster.execute("CREATE TABLE cli_increments.later (id int PRIMARY KEY, v text)");
        TestCluster.execute("INSERT INTO cli_increments.later (id, v) VALUES (1, 'a') USING TIMESTAMP 5");
        String second = directory.resolve("second").toString();
        String[] unload = {
            "unload", "cli_increments", second, "--keep-times", "--clock-skew=60", "--written-after", "last"
        };
        Cli unloaded = done(unload);
        assertThat(unloaded.err())
                .contains("overdrive: counters have no times, and are written without: hits")
                .contains("overdrive: later: the last unload did not have this table, so all of its cells are written");
        assertThat(Files.readString(Path.of(second, "_overdrive_keyspace.json")))
                .contains("\"writtenAfter\" : \"20");
        assertThat(unloaded.out())
                .contains(": 4 tables, 10 rows written")
                .containsPattern("\n  next      --written-after last writes what was written since 20");
        Cli none = run(
                "unload",
                "cli_increments",
                directory + "/other",
                "--keep-times",
                "--except",
                "hits",
                "--written-after",
                "last");
        assertThat(none.code()).isEqualTo(Main.FAILED);
        assertThat(none.err()).contains("--written-after last: there is no complete run of this unload");
        String restored = TestCluster.keyspace("cli_increments_restored");
        String[] with = {"--create", "--except", "hits"};
        Cli newer = done("load", second, restored, with[0], with[1], with[2]);
        assertThat(newer.err()).contains("overdrive: these files have only what was written after 20");
        done("load", all, restored, with[0], with[1], with[2]);
        assertSame("cli_increments", restored);
        done("diff", "cli_increments", restored, "--except", "hits", "--compare-times");
    }

    private static String[] arguments(String text, String... more) {
        return Stream.concat(Stream.of(text.split(" ")), Stream.of(more)).toArray(String[]::new);
    }

    @Test
    void conditionsThatARowMayMeetOnlyNowAreRefused() {
        createTables("cli_increment_where");
        String into = TestCluster.keyspace("cli_increment_where_into");
        String[] some = {"--written-after", "" + now, "--where", ""};
        for (String where : new String[] {"a = 'new'", "c > 3 AND \"s\" = 'new'", "PER PARTITION LIMIT 1"}) {
            some[3] = where;
            for (String command : new String[] {
                "unload cli_increment_where.wide " + directory + "/out/",
                "unload --dry-run cli_increment_where.wide " + directory + "/out/",
                "copy --create cli_increment_where.wide " + into + ".wide"
            }) {
                Cli refused = run(arguments(command + " --keep-times", some));
                assertThat(refused.code()).as(command + where).isEqualTo(Main.FAILED);
                assertThat(refused.err())
                        .contains("--where has a ")
                        .contains(": a row that is chosen only since a change would lack its older values.");
            }
        }
        some[3] = "p = 1 AND c > 3";
        done(arguments("unload --keep-times cli_increment_where.wide " + directory + "/out/", some));
    }

    /** Replaces a file of an unload, whose manifest then has its size and no checksum. */
    private static void replaceContent(Path file, String content) throws IOException {
        Path manifest = file.resolveSibling(Manifest.NAME);
        String size = "\"bytes\" : ";
        String listed = Files.readString(manifest);
        assertThat(listed).contains(size + Files.size(file));
        Files.writeString(
                manifest,
                listed.replace(size + Files.size(file), size + content.length())
                        .replaceAll(",\\s*\"crc32c\" : \"[0-9a-f]{8}\"", ""));
        Files.writeString(file, content);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aValueThatHasExpiredSinceStillHidesTheOneThatItReplaced(boolean isKeyspace) throws IOException {
        String ks = TestCluster.keyspace("cli_increment_expired_" + isKeyspace);
        TestCluster.execute(
                "CREATE TABLE " + ks + ".t (p int, c int, s text static, a text, b text, PRIMARY KEY (p, c))");
        TestCluster.execute(
                "INSERT INTO " + ks + ".t (p, c, s, a, b) VALUES (1, 1, 'old', 'old', 'kept') USING TIMESTAMP 5");
        TestCluster.execute("INSERT INTO " + ks + ".t (p, c, a) VALUES (1, 2, 'old') USING TIMESTAMP 5");
        String newer = directory.resolve("newer").toString();
        done(arguments(
                "unload " + (isKeyspace ? ks : ks + ".t") + " " + newer + "/ --format csv --keep-times --written-after",
                "0"));
        Path file;
        try (Stream<Path> all = Files.walk(Path.of(newer))) {
            file = all.filter(each -> each.toString().endsWith(".csv"))
                    .findAny()
                    .orElseThrow();
        }
        String fields = "p,c,s,writetime(s),expires(s),a,writetime(a),expires(a),b,writetime(b),expires(b)\n";
        String changed = fields + "1,1,new,9,1000,new,9,1000,,,\n" + "1,2,,,,new,9,1000,,,\n";
        replaceContent(file, changed);
        done(arguments("load " + newer + "/ " + (isKeyspace ? ks : ks + ".t --keep-times")));
        String rows = "p, c, s, a, b, writetime(b)";
        while (TimedCells.rows(ks + ".t", "p, c, a").toString().contains("new")) {
            Thread.onSpinWait(); // until they have expired
        }
        assertThat(TimedCells.rows(ks + ".t", rows)).hasSize(2).allMatch(row -> !row.contains("old"));
    }

    @Test
    void missingValuesOfAnIncrementAreNotDeleted() {
        create("cli_increment_nulls");
        change("cli_increment_nulls");
        String table = "cli_increment_nulls.wide";
        done(arguments("unload " + table + " " + directory + "/new/ --keep-times --written-after", "" + now));
        Cli refused = run(arguments("load " + directory + "/new/ " + table + " --allow-extra-fields --write-nulls"));
        assertThat(refused.code()).isEqualTo(Main.FAILED);
        assertThat(refused.err())
                .contains("has only what was written after 20")
                .contains(", by _overdrive_manifest.json, and --write-nulls would delete older values");
        Cli withoutTimes = done(arguments("load " + directory + "/new/ " + table + " --allow-extra-fields"));
        assertThat(withoutTimes.err())
                .contains(
                        ": load the unloads before it first, as values get the time of their load without --keep-times");
    }

    @Test
    void emptyKeysOfRecordsThatStandForNoRowAreNotCounted() {
        String ks = TestCluster.keyspace("cli_increment_empty");
        TestCluster.execute("CREATE TABLE " + ks + ".t (p int, c int, s text static, v text, PRIMARY KEY (p, c))");
        TestCluster.execute("INSERT INTO " + ks + ".t (p, c, v) VALUES (1, blob_as_int(0x), 'old') USING TIMESTAMP 5");
        TestCluster.execute("UPDATE " + ks + ".t SET s = 'new' WHERE p = 1");
        Cli unloaded =
                done(arguments("unload " + ks + ".t " + directory + "/new/ --keep-times --written-after", "" + now));
        assertThat(unloaded.out()).startsWith("1 row written");
    }
}
