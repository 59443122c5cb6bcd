package io.overdrive.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.NodeBeans;
import io.overdrive.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.JMException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tables of a keyspace from snapshots of a node and from backups by Medusa. */
@Timeout(300)
class KeyspaceSstablesIT {
    private static final String KEYSPACE = TestCluster.keyspace("cli_keyspace_sstables");
    private static final List<String> TABLES = List.of("orders", "lines", "empty", "Audit", "audit_by_v");
    private static final List<Path> SNAPSHOTS = new ArrayList<>();

    private final Path directory;

    KeyspaceSstablesIT(@TempDir Path directory) {
        this.directory = directory;
    }

    @BeforeAll
    static void createTables() throws IOException, JMException {
        execute("CREATE TYPE KS.money (amount int, unit text)");
        execute(
                "CREATE TABLE KS.orders (id int PRIMARY KEY, price frozen<money>, \"Note\" text, gone int, tags set<text>)");
        execute("CREATE TABLE KS.lines (id int, n int, s text STATIC, v text, PRIMARY KEY (id, n))"
                + " WITH CLUSTERING ORDER BY (n DESC) AND comment = 'a; b'");
        execute("CREATE TABLE KS.empty (id int PRIMARY KEY)");
        execute("CREATE TABLE KS.\"Audit\" (id int PRIMARY KEY, v text)");
        execute("CREATE INDEX by_v ON KS.lines (v) USING 'sai'");
        execute(
                "CREATE MATERIALIZED VIEW KS.audit_by_v AS SELECT * FROM KS.\"Audit\" WHERE v IS NOT NULL AND id IS NOT NULL"
                        + " PRIMARY KEY (v, id)");
        execute("INSERT INTO KS.orders (id, \"Note\", gone) VALUES (1, 'from before', 5)");
        execute("ALTER TABLE KS.orders DROP gone");
        execute("ALTER TABLE KS.orders DROP \"Note\"");
        execute("ALTER TABLE KS.orders ADD \"Note\" text");
        execute(
                "INSERT INTO KS.orders (id, price, \"Note\", tags) VALUES (2, {amount: 3, unit: 'x'}, 'n', {'a', 'b'})");
        for (int i = 0; i < 100; i++) {
            execute("INSERT INTO KS.lines (id, n, s, v) VALUES (" + i % 10 + ", " + i + ", 's', 'v" + i
                    + "') USING TIMESTAMP " + (1_700_000_000_000_000L + i));
        }
        execute("DELETE FROM KS.lines WHERE id = 3");
        execute("INSERT INTO KS.\"Audit\" (id, v) VALUES (1, 'a')");
        for (String each : TABLES) {
            SNAPSHOTS.add(NodeBeans.snapshot(KEYSPACE, each, "all"));
        }
    }

    private static void execute(String cql) {
        TestCluster.execute(cql.replace("KS", KEYSPACE));
    }

    private static Cli run(String... arguments) {
        return Cli.run(Stream.concat(Arrays.stream(arguments), Stream.of("--host", TestCluster.host()))
                .toArray(String[]::new));
    }

    private static String snapshots() {
        return tableOf(SNAPSHOTS.get(0)).resolveSibling("*/snapshots/all").toString();
    }

    /** The directory of the table of a snapshot. */
    private static Path tableOf(Path snapshot) {
        return snapshot.resolve("../..").normalize();
    }

    private static void assertEqual(String target) {
        Cli same = run("diff", KEYSPACE, target);
        assertThat(same.code()).as(same.out() + same.err()).isZero();
        String times = "SELECT id, n, v, writetime(v) FROM KS.lines";
        assertThat(TestCluster.execute(times.replace("KS", target)).stream()
                        .map(row -> row.getFormattedContents())
                        .collect(Collectors.toSet()))
                .isEqualTo(TestCluster.execute(times.replace("KS", KEYSPACE)).stream()
                        .map(row -> row.getFormattedContents())
                        .collect(Collectors.toSet()));
        assertThat(TestCluster.execute("SELECT * FROM " + target + ".audit_by_v"))
                .hasSize(1);
        assertThat(TestCluster.execute("SELECT * FROM " + target + ".lines WHERE v = 'v7'"))
                .hasSize(1);
    }

    @Test
    void copiesAKeyspaceFromItsSnapshotsWithTheirSchema() {
        String target = TestCluster.keyspace("cli_from_snapshots");
        String[] copy = {"copy", KEYSPACE, target, "--from-sstables", snapshots(), "--create", "--keep-times"};
        Cli copied = run(copy);
        assertThat(copied.code()).as(copied.err()).isEqualTo(3);
        assertThat(copied.err())
                .contains("orders: NOT ALL that is in the SSTables was read; left out: 1 value from before column")
                .contains("created materialized view " + target + ".audit_by_v");
        assertThat(copied.out()).contains(": 4 tables, 93 rows read = 93 written + 0 rejected");
        assertEqual(target);
        assertThat(TestCluster.execute("SELECT column_name FROM system_schema.dropped_columns WHERE keyspace_name = '"
                                + target + "' AND table_name = 'orders'")
                        .stream()
                        .map(row -> row.getString(0)))
                .containsExactlyInAnyOrder("gone", "Note");
        Cli again = run(copy);
        assertThat(again.code()).as(again.err()).isEqualTo(3);
        assertEqual(target);
    }

    @Test
    void copiesAndCountsAndUnloadsWithTheColumnsOfTheCluster() {
        String target = TestCluster.keyspace("cli_from_snapshots_of");
        Cli copied = run(
                "copy",
                KEYSPACE + ".*",
                target,
                "--from-sstables",
                snapshots(),
                "--create",
                "--keep-times",
                "--to-host",
                TestCluster.host());
        assertThat(copied.code()).as(copied.err()).isEqualTo(3);
        assertEqual(target);
        Cli counted = run("count", KEYSPACE, "--from-sstables", snapshots(), "--except", "orders");
        assertThat(counted.code()).as(counted.err()).isZero();
        assertThat(counted.out()).contains(": 3 tables, 91 rows");
        Path files = directory.resolve("files");
        Cli unloaded = run("unload", KEYSPACE, files.toString(), "--keep-times", "--from-sstables", snapshots());
        assertThat(unloaded.code()).as(unloaded.err()).isEqualTo(3);
        String restored = TestCluster.keyspace("cli_from_snapshots_restored");
        Cli loaded = run("load", files.toString(), restored, "--create");
        assertThat(loaded.code()).as(loaded.err()).isZero();
        assertEqual(restored);
    }

    /** Copies the snapshots as Medusa has them, with the statements of the whole cluster. */
    private Path medusa(@Nullable Path snapshotOf) throws IOException {
        Path node = directory.resolve("cluster/node1");
        List<String> sections = new ArrayList<>();
        for (Path snapshot : SNAPSHOTS) {
            String table = String.valueOf(tableOf(snapshot).getFileName());
            Path copy = node.resolve("monday/data").resolve(KEYSPACE).resolve(table);
            Files.createDirectories(copy);
            List<String> objects = new ArrayList<>();
            try (Stream<Path> files = Files.list(snapshot)) {
                for (Path each : files.filter(Files::isRegularFile).toList()) {
                    Files.copy(each, copy.resolve(each.getFileName()));
                    objects.add("{\"path\": \"cluster/"
                            + directory.resolve("cluster").relativize(copy.resolve(each.getFileName()))
                            + "\", \"MD5\": \"\", \"size\": " + Files.size(each) + "}");
                }
            }
            if (!snapshot.equals(snapshotOf)) {
                sections.add("{\"keyspace\": \"" + KEYSPACE + "\", \"columnfamily\": \"" + table + "\", \"objects\": ["
                        + String.join(", ", objects) + "]}");
            }
        }
        Path meta = Files.createDirectories(node.resolve("monday/meta"));
        Files.writeString(meta.resolve("manifest.json"), "[" + String.join(", ", sections) + "]");
        Files.writeString(
                meta.resolve("schema.cql"),
                TestCluster.execute("DESCRIBE KEYSPACE " + KEYSPACE).stream()
                        .map(row -> row.getString("create_statement"))
                        .collect(Collectors.joining("\n\n")),
                UTF_8);
        Files.writeString(meta.resolve("tokenmap.json"), "{\"node1\": {}, \"node2\": {}}");
        return node.resolve("monday");
    }

    @Test
    void copiesAKeyspaceFromABackupOfMedusa() throws IOException {
        Path backup = medusa(/* without */ null);
        String target = TestCluster.keyspace("cli_from_medusa");
        Cli copied = run(
                "copy",
                KEYSPACE,
                target,
                "--from-sstables",
                backup.toString(),
                "--create",
                "--keep-times",
                "--except",
                "orders");
        assertThat(copied.code()).as(copied.err()).isZero();
        assertThat(copied.err())
                .containsOnlyOnce("the cluster of these backups also has the nodes node2")
                .contains("created index " + target + ".by_v");
        assertThat(TestCluster.execute("SELECT * FROM " + target + ".lines")).hasSize(90);
        // Medusa's statements do not have what was dropped, so it is not known when
        Cli orders = run(
                "copy", KEYSPACE + ".ord*", target, "--from-sstables", backup.toString(), "--create", "--keep-times");
        assertThat(orders.code()).isEqualTo(Main.FAILED);
        assertThat(orders.err()).contains("orders: FAILED").contains("gone");
    }

    @Test
    void namesTablesThatAreNotThereAsAWhole() throws IOException {
        Path backup = medusa(/* without */ SNAPSHOTS.get(1));
        String target = TestCluster.keyspace("cli_from_parts");
        String[] copy = {"copy", KEYSPACE, target, "--create", "--from-sstables", backup.toString()};
        Cli copied = run(copy);
        assertThat(copied.code()).isEqualTo(Main.FAILED);
        assertThat(copied.err())
                .contains("not all of " + KEYSPACE
                        + " can be read from these SSTables: lines is in schema.cql, and in none of the directories."
                        + " To do without a table: --except NAME");
        assertThat(TestCluster.session()
                        .refreshSchema()
                        .getKeyspace(target)
                        .orElseThrow()
                        .getTables())
                .isEmpty();
        Cli counted = run("count", KEYSPACE, "--from-sstables", backup.toString());
        assertThat(counted.err()).contains("lines is in the cluster, and in none of the directories");
        Cli nothing = run("count", "other", "--from-sstables", backup.toString());
        assertThat(nothing.err()).contains(backup + " has no table of keyspace other");
        Cli last = run(
                "copy",
                KEYSPACE,
                target,
                "--from-sstables",
                backup.toString(),
                "--keep-times",
                "--written-after",
                "last");
        assertThat(last.code()).isEqualTo(2);
        assertThat(last.err()).contains("with --from-sstables, give a time in its place");
    }

    @Test
    void resumesWithTheTablesThatAreNotDone() throws IOException {
        Path shop = directory.resolve("data").resolve(KEYSPACE);
        Path cut = shop; // until the file is found
        for (Path snapshot : SNAPSHOTS) {
            Path copy = shop.resolve(String.valueOf(tableOf(snapshot).getFileName()))
                    .resolve("snapshots/all");
            Files.createDirectories(copy);
            try (Stream<Path> files = Files.list(snapshot)) {
                for (Path each : files.filter(Files::isRegularFile).toList()) {
                    Path file = Files.copy(each, copy.resolve(each.getFileName()));
                    boolean isOfLines = copy.toString().contains("/lines-")
                            && file.toString().endsWith("-Data.db");
                    cut = isOfLines ? file : cut;
                }
            }
        }
        Path moved = Files.move(cut, cut.resolveSibling("moved"));
        String target = TestCluster.keyspace("cli_from_cut");
        String state = directory.resolve("state").toString();
        Path report = directory.resolve("report.json");
        String[] copy = {
            "copy",
            "--report=" + report,
            KEYSPACE,
            target,
            "--create",
            "--keep-times",
            "--from-sstables",
            shop.toString(),
            "--host",
            TestCluster.host()
        };
        Cli copied = Cli.run(Map.of("OVERDRIVE_STATE", state), copy);
        assertThat(copied.code()).as(copied.err()).isEqualTo(Main.FAILED);
        assertThat(copied.err())
                .contains("lines: FAILED")
                .contains("is missing")
                .contains("overdrive resume");
        Files.move(moved, cut);
        List<String> again = new ArrayList<>(List.of(copy));
        again.add("--resume");
        Cli resumed = Cli.run(Map.of("OVERDRIVE_STATE", state), again.toArray(String[]::new));
        assertThat(resumed.code()).as(resumed.err()).isEqualTo(3);
        assertThat(resumed.out())
                .contains("; left out: 1 value from before column ")
                .contains("done before")
                .contains("lines");
        assertThat(report)
                .content()
                .contains("orders: 1 value from before column ")
                .contains("\"doneInPart\"")
                .contains("\"sstableBytes\"");
        assertEqual(target);
    }
}
