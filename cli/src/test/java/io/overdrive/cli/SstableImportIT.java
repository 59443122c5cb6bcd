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
import io.overdrive.ImportingSidecar;
import io.overdrive.KillPoint;
import io.overdrive.OneCaseIn;
import io.overdrive.Seeds;
import io.overdrive.TestCluster;
import io.overdrive.WriteOptions;
import io.overdrive.formats.records.InputFiles;
import io.overdrive.jobs.ImportFigures;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.load.LoadOptions;
import io.overdrive.jobs.load.LoadSummary;
import io.overdrive.jobs.load.Loader;
import io.overdrive.jobs.sstables.SstableTarget;
import io.overdrive.sstable.handover.JmxAccess;
import io.overdrive.sstable.handover.JmxAccess.Address;
import io.overdrive.sstable.handover.SstableOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The ways by which nodes get the SSTables of {@code overdrive load --sstables}, and what is left if something goes wrong. */
@Tag("server")
class SstableImportIT {
    private static final Pattern READ = Pattern.compile("\"bytes\":[1-9]");

    private final Path directory;
    private final Path staging;
    private final SstableUser user;

    SstableImportIT(@TempDir Path directory) throws IOException {
        this.directory = directory;
        user = new SstableUser(directory);
        staging = user.staging();
    }

    private Loader loader(String table) throws IOException {
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
        return SstableTarget.load(TestCluster.overdrive(), WriteOptions.into(names[0], names[1]), input, options);
    }

    private static ImportFigures imports(LoadSummary summary) {
        return Objects.requireNonNull(summary.imports());
    }

    @Test
    void nothingIsImportedIfTheTableWasDropped() throws IOException {
        String table = table("dropped", "id int PRIMARY KEY, v int)");
        try (Loader loader = loader(table)) {
            TestCluster.execute("DROP TABLE " + table);
            LoadSummary summary = loader.run();
            assertThat(summary.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(summary.rowsWritten()).isZero();
            assertThat(imports(summary).nodes()).isEmpty();
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
        try (Loader loader = loader(keyspace + ".t")) {
            TestCluster.execute("ALTER KEYSPACE " + keyspace
                    + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}");
            LoadSummary summary = loader.run();
            assertThat(summary.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(summary.failure())
                    .hasMessageStartingWith("since the run began, the replication of the keyspace was changed: ");
            assertThat(summary.rowsWritten()).isZero();
            assertThat(imports(summary).nodes()).isEmpty();
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
            try (Loader loader = loader(table)) {
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
                LoadSummary summary = loader.run();
                assertThat(stopping.get()).isTrue();
                boolean isDone = summary.outcome() == Outcome.DONE;
                assertThat(summary.failure()).isNull();
                assertThat(summary.outcome()).isIn(Outcome.DONE, Outcome.STOPPED);
                assertThat(summary.rowsWritten()).isEqualTo(isDone ? 1 : 0);
                assertThat(imports(summary).nodes()).hasSize(isDone ? 1 : 0);
                assertThat(TestCluster.count(table, "id")).isEqualTo(isDone ? 1 : 0);
                assertThat(staging).isEmptyDirectory();
            }
        }
    }

    @Test
    void sigtermWhileItReads() throws Exception {
        String table = table("interrupted", "id int PRIMARY KEY, v int)");
        List<String> command = Child.command("load", "-", table, "--host", TestCluster.host(), "--sstables");
        command.addAll(List.of("--jmx", TestCluster.jmx(), "--staging-directory", staging.toString()));
        command.addAll(List.of("--progress", "json", "--json", "--rejects", directory.toString()));
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        Process load = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        Feed.start(load, "id,v", id -> id + ",1", 200_000);
        while (!READ.matcher(Files.readString(err)).find()) {
            assertThat(load.isAlive()).as("runs: %s", Files.readString(err)).isTrue();
            Thread.sleep(50);
        }
        Child.signal(load, "TERM");
        assertThat(load.waitFor()).isEqualTo(Main.INTERRUPTED);
        assertThat(err)
                .content()
                .contains("overdrive: stops, and imports nothing unless nodes import already")
                .doesNotContain("must never happen");
        JsonNode summary = new JsonMapper().readTree(out.toFile());
        assertThat(summary.get("outcome").asText()).isEqualTo("stopped");
        assertThat(summary.get("rowsRead").asLong()).isPositive();
        assertThat(summary.get("rowsWritten").asLong()).isZero();
        assertThat(staging).isEmptyDirectory();
        assertThat(TestCluster.count(table, "id")).isZero();
    }

    @Test
    void aNodeRefusesSstablesThatWereDamaged() throws Exception {
        String table = table("damaged", "id int PRIMARY KEY, t text)");
        Path rows = Files.writeString(directory.resolve("in.csv"), "id,t\n1," + "text ".repeat(200) + "\n2,x\n");
        Path out = directory.resolve("out");
        assertThat(user.load(rows.toString(), table, "--sstables", "--sstable-directory", out.toString())
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
        Cli load = user.load(rows.toString(), table, "--sstables", "--sstable-directory", out.toString());
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
        Cli again = user.load(rows.toString(), table, "--sstables", "--sstable-directory", out.toString());
        assertThat(again.err()).contains("SSTables need a directory that is empty, or does not exist");
    }

    /** While it writes them, when they are complete, before the node takes them, and before it deletes what is left. */
    @ParameterizedTest
    @CsvSource({
        "io.overdrive.sstable.write.SstableWriter, endPartition, 20",
        "io.overdrive.sstable.handover.Staging, complete, 1",
        "io.overdrive.sstable.handover.Importers, importInto, 1",
        "io.overdrive.sstable.handover.Staging, deleteAll, 1"
    })
    @OneCaseIn(4)
    void aLoadThatWasKilledThereIsRunAgain(String type, String method, int time) throws Exception {
        KillPoint place = new KillPoint(type, method, time);
        String rows = user.rows(3_000, /* withTtl */ false).toString();
        String name = place.toString().replaceAll("\\W", "_").toLowerCase(Locale.ROOT);
        String byCql = table("clean_" + name, COLUMNS);
        String killed = table("killed_" + name, COLUMNS);
        assertThat(user.load(rows, byCql, "--timestamp", TIMESTAMP + "").code()).isZero();
        assertThat(place.kills(builder(rows, killed)))
                .as("is killed at %s: %s", place, Files.readString(directory.resolve("err")))
                .isTrue();
        assertThat(files(staging)).isNotEmpty();
        checkNextRun(rows, byCql, killed, place.toString());
    }

    /**
     * A load is killed at random moments, and run again, until half of the kills were while it wrote, and half when its SSTables were
     * complete. The seed is printed; {@code -Doverdrive.seed} repeats a run, and {@code -Doverdrive.kills} makes it longer.
     */
    @Tag("kills")
    @Test
    @Timeout(value = 12, unit = TimeUnit.HOURS)
    void aLoadThatWasKilledIsRunAgain() throws Exception {
        long seed = Seeds.seed();
        int kills = Integer.getInteger("overdrive.kills", 4);
        System.err.println("SstableImportIT: seed " + seed + ", " + kills + " kills");
        Random random = new Random(seed);
        String rows = user.rows(50_000, /* withTtl */ false).toString();
        String byCql = table("clean", COLUMNS);
        String killed = table("killed", COLUMNS);
        assertThat(user.load(rows, byCql, "--timestamp", TIMESTAMP + "").code()).isZero();
        int killedWhileWriting = 0;
        int killedWhileImporting = 0;
        for (int i = 0; killedWhileWriting < kills / 2 || killedWhileImporting < kills / 2; i++) {
            assertThat(i).as("runs, most of which ended before their kill").isLessThan(10 * kills);
            boolean atImport = killedWhileImporting < kills / 2;
            TestCluster.execute("TRUNCATE " + killed);
            Process load = builder(rows, killed).start();
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
            killedWhileWriting += !left.isEmpty() && !isComplete ? 1 : 0;
            killedWhileImporting += isComplete ? 1 : 0;
            checkNextRun(rows, byCql, killed, "seed " + seed);
        }
        System.err.println("SstableImportIT: " + killedWhileWriting + " were killed while they wrote, "
                + killedWhileImporting + " when their SSTables were complete");
    }

    /** The same command loads all rows; it deletes what the killed run had not completed, and names what was complete. */
    private void checkNextRun(String rows, String byCql, String killed, String when) throws Exception {
        List<String> left = files(staging);
        boolean isComplete = left.stream().anyMatch(file -> file.endsWith("/complete"));
        boolean hasSstables = left.stream().anyMatch(file -> file.endsWith("-Data.db"));
        Cli again = user.loadSstables(rows, killed, "--timestamp", TIMESTAMP + "");
        assertThat(again.code()).as("%s: %s", when, again.err()).isZero();
        assertSame(byCql, killed);
        List<String> kept = files(staging);
        if (isComplete && hasSstables && !kept.isEmpty()) {
            assertThat(again.err()).contains("an earlier run has left complete SSTables in " + staging);
            delete(staging);
        } else {
            assertThat(staging).as("%s: %s", when, again.err()).isEmptyDirectory();
            assertThat(again.err().contains("deleted " + staging)).isEqualTo(!left.isEmpty() && !isComplete);
        }
    }

    private ProcessBuilder builder(String rows, String table) {
        List<String> command = Child.command("load", rows, table, "--host", TestCluster.host(), "--sstables");
        command.addAll(List.of("--jmx", TestCluster.jmx(), "--staging-directory", staging.toString()));
        command.addAll(List.of("--timestamp", TIMESTAMP + "", "--rejects", directory.toString()));
        command.addAll(List.of("--spill-directory", directory.toString()));
        return new ProcessBuilder(command)
                .redirectOutput(directory.resolve("out").toFile())
                .redirectError(directory.resolve("err").toFile());
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

    @Test
    void importsInPasses() throws IOException {
        String table = table("in_passes", "id int PRIMARY KEY, v int)");
        List<String> lines = new ArrayList<>(List.of("id,v"));
        for (int id = 0; id < 5000; id++) {
            lines.add(id + "," + 2 * id);
        }
        String rows = Files.write(directory.resolve("passes.csv"), lines).toString();
        Cli load = Cli.run(
                "load",
                rows,
                table,
                "--host",
                TestCluster.host(),
                "--sstables",
                "--jmx",
                TestCluster.jmx(),
                "--staging-directory",
                staging.toString(),
                "--import-passes",
                "5",
                "--json");
        assertThat(load.code()).as(load.err()).isEqualTo(Main.DONE);
        assertThat(load.out())
                .contains("\"rowsWritten\":5000", "\"passes\":5,\"passesDone\":5", "\"sstables\":5,\"rows\":5000");
        assertThat(staging).isEmptyDirectory();
        assertThat(TestCluster.count(table, "id")).isEqualTo(5000);
        assertThat(TestCluster.execute("SELECT v FROM " + table + " WHERE id = 4711")
                        .get(0)
                        .getInt(0))
                .isEqualTo(9422);
    }

    /** The size of files can be limited for a process. */
    @Test
    @Tag("nightly")
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

    /** Imports with a program in place of ssh and rsync, for which the host of the node is this one. */
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
        String rows = user.rows(3000, /* withTtl */ false).toString();
        assertThat(user.load(rows, byCql, "--timestamp", TIMESTAMP + "").code()).isZero();
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
            Cli refused = user.load(how);
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
            Cli ignored = user.load(how);
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

            Cli load = user.load(how);
            assertThat(load.code()).as(load.err()).isZero();
            assertThat(load.out())
                    .startsWith("3,000 rows read = 3,000 written + 0 rejected\n")
                    .contains(", imported\n");
            assertThat(remote).isEmptyDirectory();
            assertThat(times(table)).isEqualTo(times(byCql));
            assertSame(byCql, table);

            Cli twoWays = user.load(Stream.concat(Stream.of(how), Stream.of("--ssh", "{host}:/d"))
                    .toArray(String[]::new));
            assertThat(twoWays.code()).isEqualTo(Main.USAGE);
            assertThat(twoWays.err()).contains("with --sidecar, Sidecar has the nodes import: leave out --ssh");
        }
        Cli nobody = user.load(rows, table, "--sstables", "--sidecar", "http://{host}:1");
        assertThat(nobody.code()).isEqualTo(Main.FAILED);
        assertThat(nobody.err())
                .contains("SSTables cannot be uploaded to node " + TestCluster.host() + ": http://127.0.0.1:1/api/v1/"
                        + "cassandra/jmx/__health: ");
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
}
