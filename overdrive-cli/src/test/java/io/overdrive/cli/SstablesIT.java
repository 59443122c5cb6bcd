package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.ImportingSidecar;
import io.overdrive.WriteOptions;
import io.overdrive.files.Summary.Outcome;
import io.overdrive.files.load.LoadOptions;
import io.overdrive.files.records.InputFiles;
import io.overdrive.files.sstables.JmxAccess;
import io.overdrive.files.sstables.JmxAccess.Address;
import io.overdrive.files.sstables.SstableLoader;
import io.overdrive.files.sstables.SstableOptions;
import io.overdrive.files.sstables.SstableSummary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code overdrive load --sstables} and {@code copy --sstables} as a user types them, beside the same rows by CQL. */
class SstablesIT {
    private static final String KEYSPACE = TestCluster.keyspace("cli_sstables");
    private static final long TIMESTAMP = 1_700_000_000_000_000L;
    private static final String COLUMNS = "p int, q text, c timestamp, d text, s text STATIC, n int STATIC, v text,"
            + " i int, w decimal, u set<text>, m map<int, text>, f frozen<set<int>>,"
            + " PRIMARY KEY ((p, q), c, d)) WITH CLUSTERING ORDER BY (c DESC, d ASC)";

    private final Path directory;
    private final Path staging;

    SstablesIT(@TempDir Path directory) throws IOException {
        this.directory = directory;
        staging = Files.createDirectory(directory.resolve("staging"));
    }

    private Cli run(String command, String... arguments) {
        return Cli.run(Stream.concat(
                        Stream.of(command, "--host", TestCluster.host(), "--rejects", directory.toString()),
                        Stream.of(arguments))
                .toArray(String[]::new));
    }

    private Cli load(String... arguments) {
        return run("load", arguments);
    }

    private Cli loadSstables(String... arguments) {
        return load(Stream.concat(
                        Stream.of("--sstables", "--jmx", TestCluster.jmx(), "--staging-directory", staging.toString()),
                        Stream.of(arguments))
                .toArray(String[]::new));
    }

    private static void assertSame(String a, String b) {
        Cli diff = Cli.run("diff", a, b, "--host", TestCluster.host());
        assertThat(diff.code()).as(diff.out() + diff.err()).isZero();
    }

    /** Keys come up to five times, with other values or none. */
    private Path rows(int count, boolean withTtl) throws IOException {
        Random random = new Random(7);
        List<String> lines = new ArrayList<>();
        lines.add("p,q,c,d,s,n,v,i,w,u,m,f" + (withTtl ? ",expires" : ""));
        for (int i = 0; i < count; i++) {
            int key = random.nextInt(count / 2);
            lines.add(String.join(
                            ",",
                            key % 40 + "",
                            key % 3 == 0 ? "é" : "q" + key % 2,
                            "2026-01-0" + (1 + key % 9) + "T00:00:00Z",
                            "d" + key / 7,
                            maybe(random, "s" + i),
                            maybe(random, i + ""),
                            maybe(random, "a text " + i),
                            maybe(random, random.nextInt() + ""),
                            maybe(random, random.nextInt(1000) + ".50"),
                            maybe(random, "\"[\"\"b" + i % 5 + "\"\", \"\"a\"\"]\""),
                            maybe(random, "\"{\"\"" + i % 9 + "\"\": \"\"x\"\", \"\"2\"\": \"\"y\"\"}\""),
                            maybe(random, "\"[3, " + i % 4 + ", 1]\""))
                    + (withTtl ? "," + (i % 3 == 0 ? "" : 100_000 * (i % 3)) : ""));
        }
        return Files.write(directory.resolve(withTtl ? "ttl.csv" : "rows.csv"), lines);
    }

    private static String maybe(Random random, String value) {
        return random.nextInt(4) == 0 ? "" : value;
    }

    private static String table(String name, String columns) {
        String table = KEYSPACE + "." + name;
        TestCluster.execute("CREATE TABLE " + table + " (" + columns);
        return table;
    }

    /** Values, write times, and which of them expire. */
    private static List<String> times(String table) {
        return TestCluster.execute("SELECT p, q, c, d, v, writetime(v), ttl(v), writetime(i), ttl(i), writetime(s),"
                        + " ttl(s), writetime(f) FROM " + table)
                .stream()
                .map(SstablesIT::shown)
                .toList();
    }

    private static String shown(Row row) {
        List<String> values = new ArrayList<>();
        for (int i = 0; i < row.size(); i++) {
            boolean isTtl =
                    row.getColumnDefinitions().get(i).getName().asInternal().startsWith("ttl");
            values.add(isTtl && !row.isNull(i) ? (row.getInt(i) + 50_000) / 100_000 + "00000" : row.getObject(i) + "");
        }
        return String.join(" ", values);
    }

    @Test
    void hasTheCellsOfALoadByCqlBeforeAndAfterACompaction() throws Exception {
        String byCql = table("by_cql", COLUMNS);
        String bySstables = table("by_sstables", COLUMNS);
        String rows = rows(4000, /* withTtl */ true).toString();
        String[] how = {"--timestamp", TIMESTAMP + "", "--map", "expires = ttl(), * = *"};
        Cli cql = load(Stream.concat(Stream.of(rows, byCql), Arrays.stream(how)).toArray(String[]::new));
        assertThat(cql.code()).as(cql.err()).isZero();
        Cli load = loadSstables(
                Stream.concat(Stream.of(rows, bySstables), Arrays.stream(how)).toArray(String[]::new));
        assertThat(load.code()).as(load.err()).isZero();
        assertThat(load.out())
                .startsWith("4,000 rows read = 4,000 written + 0 rejected\n")
                .contains("  node      " + TestCluster.host() + ": ")
                .contains(" rows in 1 SSTable of ", ", imported\n")
                .contains("  timestamp " + TIMESTAMP);
        assertThat(load.plan()).contains("  writes    " + bySstables, "; SSTables for 1 node, to which guardrails");
        assertThat(files(staging)).isEmpty();
        assertThat(times(bySstables)).isEqualTo(times(byCql));
        assertSame(byCql, bySstables);
        compact("by_sstables");
        assertThat(times(bySstables)).isEqualTo(times(byCql));
        assertSame(byCql, bySstables);

        Cli again = loadSstables(Stream.concat(Stream.of(rows, bySstables, "--write-nulls"), Arrays.stream(how))
                .toArray(String[]::new));
        assertThat(again.code()).as(again.err()).isZero();
        assertThat(load(Stream.concat(Stream.of(rows, byCql, "--write-nulls"), Arrays.stream(how))
                                .toArray(String[]::new))
                        .code())
                .isZero();
        assertThat(times(bySstables)).isEqualTo(times(byCql));
        assertSame(byCql, bySstables);
    }

    @Test
    void listsAndRowsOnDisk() throws IOException {
        String columns = "id uuid PRIMARY KEY, l list<int>, t text)";
        String byCql = table("lists_by_cql", columns);
        String bySstables = table("lists_by_sstables", columns);
        Random random = new Random(1);
        String text = "x".repeat(300);
        Path rows = Files.write(
                directory.resolve("lists.jsonl"),
                Stream.generate(() -> "{\"id\": \""
                                + new UUID(0x4000, 0x8000000000000000L | random.nextInt(9000))
                                + "\", \"l\": [" + random.nextInt(5) + ", 7, 7], \"t\": \"" + text + random.nextInt()
                                + "\"}")
                        .limit(10_000)
                        .toList());
        assertThat(load(rows.toString(), byCql).code()).isZero();
        Cli load = loadSstables(rows.toString(), bySstables, "--grouping-memory", "1MB", "--json");
        assertThat(load.code()).as(load.err()).isZero();
        JsonNode json = new JsonMapper().readTree(load.out());
        assertThat(json.get("rowsWritten").asLong()).isEqualTo(10_000);
        assertThat(json.get("bytesSpilled").asLong()).isPositive();
        assertThat(json.get("nodes").get(0).get("imported").asBoolean()).isTrue();
        assertSame(byCql, bySstables);
    }

    @Test
    void staticColumnsOnly() throws IOException {
        String byCql = table("statics_by_cql", COLUMNS);
        String bySstables = table("statics_by_sstables", COLUMNS);
        Path rows = Files.writeString(directory.resolve("statics.csv"), "p,q,s,n\n1,a,x,\n2,b,,\n1,a,y,5\n");
        assertThat(load(rows.toString(), byCql).code()).isZero();
        Cli load = loadSstables(rows.toString(), bySstables);
        assertThat(load.code()).as(load.err()).isZero();
        assertThat(load.out()).startsWith("3 rows read = 3 written + 0 rejected\n");
        assertSame(byCql, bySstables);
        assertThat(TestCluster.execute("SELECT s, n FROM " + bySstables)).hasSize(1);
    }

    @Test
    void rejectsWhatTheServerWouldRefuse() throws IOException {
        String table = table("rejects", "k text PRIMARY KEY, v int)");
        Path rows = Files.writeString(
                directory.resolve("bad.csv"), "k,v\n\"\",1\n" + "x".repeat(70_000) + ",2\nok,x\nfine,4\n");
        Cli load = loadSstables(rows.toString(), table, "--null", "NULL");
        assertThat(load.code()).as(load.err()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(load.out()).startsWith("4 rows read = 1 written + 3 rejected\n");
        assertThat(TestCluster.count(table, "k")).isEqualTo(1);
        Cli dry = loadSstables(rows.toString(), table("dry", "k text PRIMARY KEY, v int)"), "--dry-run");
        assertThat(dry.out()).startsWith("4 rows read = 1 could be written + 3 rejected\n");
        assertThat(TestCluster.count(KEYSPACE + ".dry", "k")).isZero();
    }

    @Test
    void refusesTablesThatAnImportWouldHarm() throws IOException {
        String rows =
                Files.writeString(directory.resolve("in.csv"), "id,v\n1,2\n").toString();
        String counters = table("counters", "id int PRIMARY KEY, v counter)");
        assertThat(loadSstables(rows, counters).err())
                .contains("[" + counters + "] holds counters, which SSTables cannot add to: leave out --sstables");
        Cli statement = loadSstables(rows, "--query", "INSERT INTO " + counters + " (id) VALUES (:id)");
        assertThat(statement.err())
                .contains("rows of a statement of your own cannot be written as SSTables: leave out --sstables");
        String viewed = table("viewed", "id int PRIMARY KEY, v int)");
        TestCluster.execute("CREATE MATERIALIZED VIEW " + KEYSPACE + ".by_v AS SELECT * FROM " + viewed
                + " WHERE v IS NOT NULL AND id IS NOT NULL PRIMARY KEY (v, id)");
        assertThat(loadSstables(rows, viewed).err())
                .contains("has the materialized view by_v, which an import does not update: leave out --sstables");
        Cli noJmx = load(rows, table("no_jmx", "id int PRIMARY KEY, v int)"), "--sstables", "--jmx", "127.0.0.1:1");
        assertThat(noJmx.code()).isEqualTo(Main.FAILED);
        assertThat(noJmx.err())
                .contains("the keyspace has replicas on " + TestCluster.host()
                        + ", which cannot import SSTables from here: 127.0.0.1:1 does not answer by JMX (")
                .contains("; give the JMX addresses of all nodes, which must be on this host, by --jmx, or have a"
                        + " directory written for each node by --sstable-directory");
        assertThat(files(staging)).isEmpty();
    }

    @Test
    void indexesAreBuiltAndTheUserIsWarned() throws IOException {
        String table = table("indexed", "id int PRIMARY KEY, v int)");
        TestCluster.execute("CREATE INDEX by_value ON " + table + " (v)");
        Path rows = Files.writeString(directory.resolve("in.csv"), "id,v\n1,2\n2,2\n3,4\n");
        Cli load = loadSstables(rows.toString(), table);
        assertThat(load.code()).as(load.err()).isZero();
        assertThat(load.err()).contains("the nodes build the indexes of the imported rows (by_value) before");
        assertThat(TestCluster.execute("SELECT id FROM " + table + " WHERE v = 2"))
                .hasSize(2);
    }

    private SstableLoader loader(String table) throws IOException {
        Path rows = Files.writeString(directory.resolve("in.csv"), "id,v\n1,2\n");
        String jmx = TestCluster.jmx();
        LoadOptions input = LoadOptions.of(InputFiles.expand(List.of(rows.toString()), leftOut -> {}))
                .rejects(directory, "rejects")
                .build();
        SstableOptions options = new SstableOptions(
                new JmxAccess(
                        List.of(new Address("127.0.0.1", Integer.parseInt(jmx.substring(jmx.indexOf(':') + 1)))),
                        null,
                        null),
                /* ssh */ null,
                /* sidecar */ null,
                staging);
        String[] names = table.split("\\.", 2);
        return SstableLoader.open(TestCluster.overdrive(), WriteOptions.into(names[0], names[1]), input, options);
    }

    @Test
    void nothingIsImportedIfTheTableWasDropped() throws IOException {
        String table = table("dropped", "id int PRIMARY KEY, v int)");
        try (SstableLoader loader = loader(table)) {
            TestCluster.execute("DROP TABLE " + table);
            SstableSummary summary = loader.run();
            assertThat(summary.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(summary.rowsWritten()).isZero();
            assertThat(summary.nodes()).isEmpty();
            assertThat(summary.failure())
                    .hasMessageStartingWith("since the run began, the table was dropped: its SSTables were written for"
                            + " what was there then, so none was handed over");
        }
        assertThat(files(staging)).isEmpty();
    }

    @Test
    void nothingIsImportedIfRowsBelongToOtherNodesThanAtTheStart() throws IOException {
        String keyspace = TestCluster.keyspace("cli_sstables_altered");
        TestCluster.execute("CREATE TABLE " + keyspace + ".t (id int PRIMARY KEY, v int)");
        try (SstableLoader loader = loader(keyspace + ".t")) {
            TestCluster.execute("ALTER KEYSPACE " + keyspace
                    + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}");
            SstableSummary summary = loader.run();
            assertThat(summary.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(summary.failure())
                    .hasMessageStartingWith("since the run began, the replication of the keyspace was changed: ");
            assertThat(summary.rowsWritten()).isZero();
            assertThat(summary.nodes()).isEmpty();
        }
        assertThat(staging).isEmptyDirectory();
        assertThat(TestCluster.count(keyspace + ".t", "id")).isZero();
    }

    /** Whenever it is stopped, all rows are in the table or none, the summary says which, and nothing is left over. */
    @Test
    void stopsBeforeTheImportOrNotAtAll() throws Exception {
        String table = table("stopped", "id int PRIMARY KEY, v int)");
        Random random = new Random(3);
        for (int i = 0; i < 12; i++) {
            TestCluster.execute("TRUNCATE " + table);
            boolean atImport = i % 2 == 0;
            try (SstableLoader loader = loader(table)) {
                FutureTask<Boolean> stopping = new FutureTask<>(() -> {
                    while (atImport
                            && loader.progress().outcome() == Outcome.RUNNING
                            && files(staging).stream().noneMatch(file -> file.endsWith("-Data.db"))) {
                        Thread.onSpinWait();
                    }
                    LockSupport.parkNanos(random.nextInt(atImport ? 10_000_000 : 30_000_000));
                    loader.stop();
                    return true;
                });
                new Thread(stopping).start();
                SstableSummary summary = loader.run();
                assertThat(stopping.get()).isTrue();
                boolean isDone = summary.outcome() == Outcome.DONE;
                assertThat(summary.failure()).isNull();
                assertThat(summary.outcome()).isIn(Outcome.DONE, Outcome.STOPPED);
                assertThat(summary.rowsWritten()).isEqualTo(isDone ? 1 : 0);
                assertThat(summary.nodes()).hasSize(isDone ? 1 : 0);
                assertThat(TestCluster.count(table, "id")).isEqualTo(isDone ? 1 : 0);
                assertThat(staging).isEmptyDirectory();
            }
        }
    }

    @Test
    void aNodeRefusesSstablesThatWereDamaged() throws Exception {
        String table = table("damaged", "id int PRIMARY KEY, t text)");
        Path rows = Files.writeString(directory.resolve("in.csv"), "id,t\n1," + "text ".repeat(200) + "\n2,x\n");
        Path out = directory.resolve("out");
        assertThat(load(rows.toString(), table, "--sstables", "--sstable-directory", out.toString())
                        .code())
                .isZero();
        Path of = out.resolve(TestCluster.host().replace(':', '_'));
        Path data = of.resolve(KEYSPACE).resolve("damaged").resolve("nb-1-big-Data.db");
        byte[] right = Files.readAllBytes(data);
        byte[] wrong = right.clone();
        wrong[right.length / 2] ^= 1;
        Files.write(data, wrong);
        String tool = Nodetool.script(directory.resolve("nodetool"), TestCluster.jmx())
                .toString();
        assertThat(nodetool(of.resolve("import.sh"), tool)).isNotZero();
        assertThat(TestCluster.count(table, "id")).isZero();
        assertThat(data).hasBinaryContent(wrong);
        Files.write(data, right);
        assertThat(nodetool(of.resolve("import.sh"), tool)).isZero();
        assertThat(TestCluster.count(table, "id")).isEqualTo(2);
    }

    @Test
    void leavesADirectoryWithAScriptForEachNode() throws Exception {
        String table = table("scripted", "id int PRIMARY KEY, v int)");
        Path rows = Files.writeString(directory.resolve("in.csv"), "id,v\n1,2\n2,3\n");
        Path out = directory.resolve("out");
        Cli load = load(rows.toString(), table, "--sstables", "--sstable-directory", out.toString());
        assertThat(load.code()).as(load.err()).isZero();
        assertThat(load.out())
                .startsWith("2 rows read = 2 in SSTables that are not imported yet + 0 rejected\n")
                .contains(", to be imported by ");
        assertThat(TestCluster.count(table, "id")).isZero();
        Path script = out.resolve(TestCluster.host().replace(':', '_')).resolve("import.sh");
        assertThat(nodetool(script, "false")).isNotZero();
        String id = TestCluster.execute("SELECT host_id FROM system.local")
                .get(0)
                .getUuid(0)
                .toString();
        String other = UUID.randomUUID().toString();
        Path fake = directory.resolve("fake");
        program(fake, "echo 'ID                     : " + other + "'");
        assertThat(nodetool(script, fake.toString())).as("another node").isEqualTo(1);
        assertThat(directory.resolve("import.log"))
                .content()
                .contains(" are for node " + TestCluster.host() + ", whose ID is " + id + ", and nodetool reaches "
                        + other);
        program(fake, "echo 'ID                     : " + id + "'");
        assertThat(nodetool(script, fake.toString()))
                .as("an import that finds nothing")
                .isEqualTo(1);
        assertThat(directory.resolve("import.log")).content().contains("the node has not taken the SSTables in ");
        assertThat(nodetool(
                        script,
                        Nodetool.script(directory.resolve("nodetool"), TestCluster.jmx())
                                .toString()))
                .isZero();
        assertThat(TestCluster.count(table, "id")).isEqualTo(2);
        assertThat(nodetool(script, "false")).as("nothing is left").isZero();
        Cli again = load(rows.toString(), table, "--sstables", "--sstable-directory", out.toString());
        assertThat(again.err()).contains("SSTables need a directory that is empty, or does not exist");
    }

    /**
     * A load is killed at random moments, and run again, until half of the kills were while it wrote, and half when its SSTables were
     * complete. The seed is printed; {@code -Doverdrive.seed} repeats a run, and {@code -Doverdrive.kills} makes it longer.
     */
    @Test
    @Timeout(value = 12, unit = TimeUnit.HOURS)
    void aLoadThatWasKilledIsRunAgain() throws Exception {
        long seed = Long.getLong("overdrive.seed", System.nanoTime());
        int kills = Integer.getInteger("overdrive.kills", 4);
        System.err.println("SstablesIT: seed " + seed + ", " + kills + " kills");
        Random random = new Random(seed);
        String rows = rows(50_000, /* withTtl */ false).toString();
        String byCql = table("clean", COLUMNS);
        String killed = table("killed", COLUMNS);
        assertThat(load(rows, byCql, "--timestamp", TIMESTAMP + "").code()).isZero();
        int killedWhileWriting = 0;
        int killedWhileImporting = 0;
        for (int i = 0; killedWhileWriting < kills / 2 || killedWhileImporting < kills / 2; i++) {
            assertThat(i).as("runs, most of which ended before their kill").isLessThan(10 * kills);
            boolean atImport = killedWhileImporting < kills / 2;
            TestCluster.execute("TRUNCATE " + killed);
            Process load = start(rows, killed);
            if (atImport) {
                while (load.isAlive() && files(staging).stream().noneMatch(file -> file.endsWith("/complete"))) {
                    Thread.sleep(1);
                }
                load.waitFor(random.nextInt(40), TimeUnit.MILLISECONDS);
            } else {
                while (load.isAlive() && files(staging).isEmpty()) {
                    Thread.sleep(1);
                }
                load.waitFor(random.nextInt(1_500), TimeUnit.MILLISECONDS);
            }
            load.destroyForcibly().waitFor();
            List<String> left = files(staging);
            boolean isComplete = left.stream().anyMatch(file -> file.endsWith("/complete"));
            boolean hasSstables = left.stream().anyMatch(file -> file.endsWith("-Data.db"));
            killedWhileWriting += !left.isEmpty() && !isComplete ? 1 : 0;
            killedWhileImporting += isComplete ? 1 : 0;
            Cli again = loadSstables(rows, killed, "--timestamp", TIMESTAMP + "");
            assertThat(again.code()).as("seed %s: %s", seed, again.err()).isZero();
            assertSame(byCql, killed);
            List<String> kept = files(staging);
            if (isComplete && hasSstables && !kept.isEmpty()) {
                assertThat(again.err()).contains("an earlier run has left complete SSTables in " + staging);
                delete(staging);
            } else {
                assertThat(staging).as("seed %s: %s", seed, again.err()).isEmptyDirectory();
                assertThat(again.err().contains("deleted " + staging)).isEqualTo(!left.isEmpty() && !isComplete);
            }
        }
        System.err.println("SstablesIT: " + killedWhileWriting + " were killed while they wrote, "
                + killedWhileImporting + " when their SSTables were complete");
    }

    private Process start(String rows, String table) throws IOException {
        List<String> command = Child.command("load", rows, table, "--host", TestCluster.host(), "--sstables");
        command.addAll(List.of("--jmx", TestCluster.jmx(), "--staging-directory", staging.toString()));
        command.addAll(List.of("--timestamp", TIMESTAMP + "", "--rejects", directory.toString()));
        command.addAll(List.of("--spill-directory", directory.toString()));
        return new ProcessBuilder(command)
                .redirectOutput(directory.resolve("out").toFile())
                .redirectError(directory.resolve("err").toFile())
                .start();
    }

    private static void delete(Path contents) throws IOException {
        try (Stream<Path> all = Files.walk(contents)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                if (!each.equals(contents)) {
                    Files.delete(each);
                }
            }
        }
    }

    /** The size of files can be limited for a process. */
    @Test
    void aFullDiskLeavesNothing() throws Exception {
        String table = table("full_disk", "id uuid PRIMARY KEY, t text)");
        Random random = new Random(1);
        byte[] noise = new byte[300];
        List<String> lines = new ArrayList<>(List.of("id,t"));
        for (int i = 0; i < 2000; i++) {
            random.nextBytes(noise);
            lines.add(new UUID(random.nextLong() & ~0xF000L | 0x4000, random.nextLong() >>> 2 | Long.MIN_VALUE) + ","
                    + Base64.getEncoder().encodeToString(noise));
        }
        String rows = Files.write(directory.resolve("noise.csv"), lines).toString();
        List<String> command = new ArrayList<>(List.of("sh", "-c", "ulimit -f 100; exec \"$@\"", "sh"));
        command.addAll(Child.command("load", rows, table, "--host", TestCluster.host(), "--sstables", "--jmx"));
        command.addAll(List.of(TestCluster.jmx(), "--staging-directory", staging.toString()));
        command.addAll(List.of("--rejects", directory.toString()));
        Path err = directory.resolve("err");
        Process load = new ProcessBuilder(command)
                .redirectOutput(directory.resolve("out").toFile())
                .redirectError(err.toFile())
                .start();
        assertThat(load.waitFor()).isEqualTo(Main.FAILED);
        assertThat(err)
                .content()
                .contains("overdrive: cannot write SSTables to [" + staging, "File too large", ": free disk space\n")
                .doesNotContain("\tat ");
        assertThat(directory.resolve("out"))
                .content()
                .contains("2,000 rows read = 0 written + 0 rejected + 2,000 NOT WRITTEN\n")
                .contains("  NOT COMPLETE: no node has any of the rows; run it again");
        assertThat(staging).isEmptyDirectory();
        assertThat(TestCluster.count(table, "id")).isZero();
    }

    /** With a program in place of ssh and rsync, for which the host of the node is this one. */
    @Test
    void importsBySsh() throws Exception {
        String table = table("by_ssh", "id int PRIMARY KEY, v int)");
        Path rows = Files.writeString(directory.resolve("in.csv"), "id,v\n1,2\n2,3\n");
        Path remote = Files.createDirectory(directory.resolve("remote"));
        Path programs = Files.createDirectory(directory.resolve("bin"));
        program(programs.resolve("ssh"), "while [ \"$1\" = -o ]; do shift 2; done; shift; exec sh -c \"$*\"");
        program(programs.resolve("rsync"), "shift 3; cp -r \"$1.\" \"${2#*:}\"");
        program(
                programs.resolve("nodetool"),
                "exec " + Nodetool.script(directory.resolve("tool"), TestCluster.jmx()) + " -p "
                        + TestCluster.jmx().replaceFirst(".*:", "") + " \"$@\"");
        List<String> command =
                Child.command("load", rows.toString(), table, "--host", TestCluster.host(), "--sstables");
        command.addAll(List.of("--ssh", "cassandra@{host}:" + remote, "--staging-directory", staging.toString()));
        command.addAll(List.of("--rejects", directory.toString()));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectOutput(directory.resolve("out").toFile())
                .redirectError(directory.resolve("err").toFile());
        builder.environment().merge("PATH", programs.toString(), (path, first) -> first + ":" + path);

        program(programs.resolve("ssh"), "echo 'Permission denied (publickey).' >&2; exit 255");
        assertThat(builder.start().waitFor()).isEqualTo(Main.FAILED);
        assertThat(directory.resolve("err"))
                .content()
                .contains(
                        "SSTables cannot be copied to node " + TestCluster.host()
                                + ": ssh ended with 255: Permission denied (publickey).; --ssh needs a login without a password");
        assertThat(staging).isEmptyDirectory();

        program(programs.resolve("ssh"), "while [ \"$1\" = -o ]; do shift 2; done; shift; exec sh -c \"$*\"");
        assertThat(builder.start().waitFor())
                .as(Files.readString(directory.resolve("err")))
                .isEqualTo(Main.DONE);
        assertThat(directory.resolve("out"))
                .content()
                .startsWith("2 rows read = 2 written + 0 rejected\n")
                .contains(", imported\n");
        assertThat(TestCluster.count(table, "id")).isEqualTo(2);
        assertThat(remote).isEmptyDirectory();
        assertThat(staging).isEmptyDirectory();

        program(programs.resolve("nodetool"), "echo no such node >&2; exit 1");
        assertThat(builder.start().waitFor()).isEqualTo(Main.FAILED);
        assertThat(directory.resolve("out"))
                .content()
                .contains(
                        "NOT IMPORTED: ssh ended with 1: no such node",
                        "  NOT COMPLETE: to finish " + TestCluster.host() + ": rsync -a " + staging);
        assertThat(files(staging)).anyMatch(file -> file.endsWith("-Data.db"));
    }

    @Test
    void importsBySidecar() throws Exception {
        String byCql = table("beside_sidecar", COLUMNS);
        String table = table("by_sidecar", COLUMNS);
        String rows = rows(3000, /* withTtl */ false).toString();
        assertThat(load(rows, byCql, "--timestamp", TIMESTAMP + "").code()).isZero();
        Path remote = Files.createDirectory(directory.resolve("remote"));
        try (ImportingSidecar sidecar = new ImportingSidecar(remote, TestCluster.jmx())) {
            String[] how = {
                rows,
                table,
                "--sstables",
                "--sidecar",
                "http://{host}:" + sidecar.port(),
                "--staging-directory",
                staging.toString(),
                "--timestamp",
                TIMESTAMP + ""
            };
            sidecar.refuse(true);
            Cli refused = load(how);
            assertThat(refused.code()).isEqualTo(Main.FAILED);
            assertThat(refused.out())
                    .startsWith("3,000 rows read = 0 written + 0 rejected + 3,000 NOT WRITTEN\n")
                    .containsPattern(
                            "NOT IMPORTED: http://127.0.0.1:\\d+/api/v1/uploads/[0-9a-f-]+/keyspaces/" + KEYSPACE
                                    + "/tables/by_sidecar/import\\?extendedVerify=false answers 500: Failed to import from directories\n")
                    .contains("  NOT COMPLETE: to finish " + TestCluster.host() + ": sh " + staging);
            assertThat(remote).isEmptyDirectory();
            assertThat(TestCluster.count(table, "p")).isZero();

            sidecar.refuse(false);
            sidecar.ignore(true);
            Cli ignored = load(how);
            assertThat(ignored.code()).isEqualTo(Main.FAILED);
            assertThat(ignored.out())
                    .startsWith("3,000 rows read = 0 written + 0 rejected + 3,000 NOT WRITTEN\n")
                    .contains(
                            "NOT IMPORTED: Sidecar reports an import, but the node has the 0 SSTables of 0 bytes that")
                    .contains("  NOT COMPLETE: to finish ");
            sidecar.ignore(false);
            String command = refused.out()
                    .lines()
                    .filter(line -> line.contains("NOT COMPLETE"))
                    .map(line -> line.substring(line.indexOf("sh " + staging)))
                    .findFirst()
                    .orElseThrow();
            assertThat(new ProcessBuilder("sh", "-c", command)
                            .inheritIO()
                            .start()
                            .waitFor())
                    .isZero();
            assertSame(byCql, table);
            TestCluster.execute("TRUNCATE " + table);

            Cli load = load(how);
            assertThat(load.code()).as(load.err()).isZero();
            assertThat(load.out())
                    .startsWith("3,000 rows read = 3,000 written + 0 rejected\n")
                    .contains(", imported\n");
            assertThat(remote).isEmptyDirectory();
            assertThat(times(table)).isEqualTo(times(byCql));
            assertSame(byCql, table);

            Cli twoWays = load(Stream.concat(Stream.of(how), Stream.of("--ssh", "{host}:/d"))
                    .toArray(String[]::new));
            assertThat(twoWays.code()).isEqualTo(Main.USAGE);
            assertThat(twoWays.err()).contains("with --sidecar, Sidecar has the nodes import: leave out --ssh");
        }
        Cli nobody = load(rows, table, "--sstables", "--sidecar", "http://{host}:1");
        assertThat(nobody.code()).isEqualTo(Main.FAILED);
        assertThat(nobody.err())
                .contains("SSTables cannot be uploaded to node " + TestCluster.host() + ": http://127.0.0.1:1/api/v1/"
                        + "cassandra/jmx/__health: ");
    }

    private Cli copy(String from, String to, String... arguments) {
        return run(
                "copy", Stream.concat(Stream.of(from, to), Stream.of(arguments)).toArray(String[]::new));
    }

    private Cli copyBySstables(String from, String to, String... arguments) {
        return copy(
                from,
                to,
                Stream.concat(
                                Stream.of(
                                        "--sstables",
                                        "--jmx",
                                        TestCluster.jmx(),
                                        "--staging-directory",
                                        staging.toString()),
                                Stream.of(arguments))
                        .toArray(String[]::new));
    }

    /** Rows and cells of several write times and times to live, partitions without rows, a row without cells. */
    private String source(String name) throws IOException {
        String source = table(name, COLUMNS);
        assertThat(load(
                                rows(3000, /* withTtl */ true).toString(),
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
        Cli copy = copyBySstables(source, bySstables, how);
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
        Cli copy = copyBySstables(source, bySstables, "--keep-times", "--grouping-memory", "1MB", "--json");
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
                        .map(SstablesIT::shown)
                        .toList())
                .isEqualTo(TestCluster.execute(collections + byCql).stream()
                        .map(SstablesIT::shown)
                        .toList());
    }

    @Test
    void copiesAreRefusedAsByCqlAndAsLoadsBySstables() throws IOException {
        String from = table("refused_from", "id int PRIMARY KEY, v int, l list<int>)");
        String to = table("refused_to", "id int PRIMARY KEY, v int, l list<int>)");
        TestCluster.execute("INSERT INTO " + from + " (id, v, l) VALUES (1, 2, [3, 3]) USING TIMESTAMP " + TIMESTAMP);
        assertThat(copyBySstables(from, to, "--keep-times").err()).contains("column \"l\" is a list: written twice");
        Cli lists = copyBySstables(from, to, "--keep-times", "--allow-non-idempotent");
        assertThat(lists.code()).as(lists.err()).isZero();
        assertSame(from, to);
        assertThat(copyBySstables(from, from).err()).contains("source and target are the same table");
        String viewed = table("refused_view", "id int PRIMARY KEY, v int, l list<int>)");
        TestCluster.execute("CREATE MATERIALIZED VIEW " + KEYSPACE + ".copied_by_v AS SELECT * FROM " + viewed
                + " WHERE v IS NOT NULL AND id IS NOT NULL PRIMARY KEY (v, id)");
        assertThat(copyBySstables(from, viewed).err())
                .contains(
                        "has the materialized view copied_by_v, which an import does not update: leave out --sstables");
        String counters = table("refused_counters", "id int PRIMARY KEY, v counter)");
        assertThat(copyBySstables(counters, KEYSPACE + ".not_created", "--create", "--allow-non-idempotent")
                        .err())
                .contains("[" + counters + "] holds counters, which SSTables cannot add to: leave out --sstables")
                .doesNotContain("CREATE TABLE");
        Path out = directory.resolve("out");
        Cli scripts =
                copy(from, KEYSPACE + ".created", "--create", "--sstables", "--sstable-directory", out.toString());
        assertThat(scripts.code()).as(scripts.err()).isZero();
        assertThat(scripts.out())
                .startsWith("1 rows read = 1 in SSTables that are not imported yet + 0 rejected\n")
                .contains(", to be imported by ");
        assertThat(TestCluster.count(KEYSPACE + ".created", "id")).isZero();
        assertThat(files(out)).anyMatch(file -> file.endsWith("import.sh"));
    }

    private static void program(Path file, String script) throws IOException {
        Files.writeString(file, "#!/bin/sh\nset -e\n" + script + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    /** Runs the script with a command instead of nodetool. */
    private int nodetool(Path script, String command) throws IOException, InterruptedException {
        Path log = directory.resolve("import.log");
        ProcessBuilder builder = new ProcessBuilder(
                        script.toString(), "-p", TestCluster.jmx().replaceFirst(".*:", ""))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().put("NODETOOL", command);
        return builder.start().waitFor();
    }

    private static void compact(String table) throws IOException, JMException {
        Nodetool.jmx(
                TestCluster.jmx(),
                server -> server.invoke(
                        new ObjectName("org.apache.cassandra.db:type=StorageService"),
                        "forceKeyspaceCompaction",
                        new Object[] {false, KEYSPACE, new String[] {table}},
                        new String[] {boolean.class.getName(), String.class.getName(), String[].class.getName()}));
    }

    /** Files may disappear meanwhile: then it looks again. */
    private static List<String> files(Path of) throws IOException {
        while (true) {
            try (Stream<Path> files = Files.walk(of)) {
                return files.filter(Files::isRegularFile)
                        .map(Path::toString)
                        .sorted(Comparator.naturalOrder())
                        .toList();
            } catch (UncheckedIOException e) {
                Thread.onSpinWait();
            }
        }
    }
}
