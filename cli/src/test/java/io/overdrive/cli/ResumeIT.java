package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.TestCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A load that failed at rejected records is resumed with a higher limit, or not, if something else has changed. */
class ResumeIT {
    private static final String KEYSPACE = TestCluster.keyspace("resume");
    private static final int ROWS = 30_000;
    private static final Pattern CONTINUE =
            Pattern.compile("overdrive: to continue(?:: overdrive resume| run) ([-\\w]+).*\n$");

    private final Path directory;
    private final Path file;

    ResumeIT(@TempDir Path directory) {
        this.directory = directory;
        this.file = directory.resolve("in.csv");
    }

    /** Records, of which each ten-thousandth is bad. */
    private void write() throws IOException {
        List<String> lines = new ArrayList<>(List.of("id,v"));
        for (int i = 0; i < ROWS; i++) {
            lines.add(i % 10_000 == 5_000 ? "bad" + i + ",v" : i + ",v" + i);
        }
        Files.write(file, lines);
    }

    private Cli load(String table, String... options) {
        List<String> command = new ArrayList<>(List.of("load", file.toString(), table));
        command.addAll(List.of("--host", TestCluster.host(), "--rejects", directory.toString()));
        command.addAll(List.of(options));
        return Cli.run(command.toArray(String[]::new));
    }

    private String table(String name) {
        TestCluster.execute("CREATE TABLE " + KEYSPACE + "." + name + " (id int PRIMARY KEY, v text)");
        return KEYSPACE + "." + name;
    }

    /** Loads up to the second bad record, and returns the run. */
    private String failedRun(String table) throws IOException {
        write();
        Cli failed = load(table, "--max-rejects", "1", "--threads", "1");
        assertThat(failed.code()).isEqualTo(Main.FAILED);
        Matcher run = CONTINUE.matcher(failed.err());
        assertThat(run.find()).as(failed.err()).isTrue();
        assertThat(failed.out()).doesNotContain("overdrive resume"); // which would end at the same limit
        return run.group(1);
    }

    private void assertWhole(String table, Cli resumed, String run, int rejectedBefore) throws IOException {
        assertThat(resumed.code()).as(resumed.err()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(resumed.out())
                .startsWith("30,000 rows read = 29,997 written + 3 rejected\n")
                .contains("  resumed   run " + run + ", ")
                .contains(" rows written and " + rejectedBefore + " rejected before\n");
        assertThat(TestCluster.count(table, "id")).isEqualTo(ROWS - 3);
        assertThat(directory.resolve("in.csv.rejected")).hasContent("id,v\nbad5000,v\nbad15000,v\nbad25000,v\n");
        assertThat(Files.readAllLines(directory.resolve("in.csv.rejected.reasons")))
                .hasSize(3);
        assertThat(directory.resolve("in-2.csv.rejected")).doesNotExist();
    }

    @Test
    void theSameCommandGoesOn() throws IOException {
        String table = table("same");
        String run = failedRun(table);
        assertThat(state(run)).isEqualTo("failed");
        assertThat(kept(run)).contains(file.toString()).doesNotContain("bad5000", "v1234");
        Cli resumed = load(table, "--max-rejects", "10", "--resume");
        assertThat(resumed.err()).contains("overdrive: resumes run " + run + ": ");
        assertWhole(table, resumed, run, 2);
        assertThat(state(run)).isEqualTo("done");
        assertThat(load(table, "--resume").err()).contains("there is no unfinished run of this command to resume");
        assertThat(Cli.run("resume", run).err()).contains("run " + run + " is done: there is nothing to resume");
    }

    /** The content of all files of a run. */
    private static String kept(String run) throws IOException {
        StringBuilder kept = new StringBuilder();
        try (Stream<Path> files = Files.list(Path.of(System.getenv("OVERDRIVE_STATE"), "runs", run))) {
            for (Path each : files.toList()) {
                kept.append(Files.readString(each, StandardCharsets.ISO_8859_1));
            }
        }
        return kept.toString();
    }

    @Test
    void theRunGoesOnByItsId() throws IOException {
        String table = table("by_id");
        String run = failedRun(table);
        Cli again = Cli.run("resume", run, "--host", TestCluster.host());
        assertThat(again.code()).isEqualTo(Main.FAILED);
        assertThat(again.err())
                .contains("more records were rejected than the limit of 1")
                .endsWith("overdrive: to continue run " + run
                        + ": repeat the command with --resume and a higher --max-rejects\n");
        assertWhole(table, load(table, "--max-rejects", "none", "--resume-run", run), run, 3);
    }

    @Test
    void aSchedulerMayRepeatTheSameCommand() throws IOException {
        String table = table("repeated");
        write();
        Cli failed = load(table, "--max-rejects", "1", "--threads", "1", "--resume-if-any");
        assertThat(failed.code()).isEqualTo(Main.FAILED);
        Matcher run = CONTINUE.matcher(failed.err());
        assertThat(run.find()).as(failed.err()).isTrue();
        Cli resumed = load(table, "--max-rejects", "10", "--resume-if-any");
        assertWhole(table, resumed, run.group(1), 2);
        Cli next = load(table, "--max-rejects", "10", "--resume-if-any");
        assertThat(next.code()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(next.out()).doesNotContain("  resumed ");
    }

    private static String state(String run) throws IOException {
        JsonNode runs =
                new JsonMapper().readTree(Cli.run("runs", "--json").out()).get("runs");
        for (JsonNode each : runs) {
            if (each.get("run").asText().equals(run)) {
                assertThat(each.get("command").asText()).isEqualTo("load");
                assertThat(Cli.run("runs").out()).contains(run);
                return each.get("state").asText();
            }
        }
        return "";
    }

    private void assertRefused(String table, String reason) {
        Cli refused = load(table, "--max-rejects", "10", "--resume");
        assertThat(refused.code()).isEqualTo(Main.FAILED);
        assertThat(refused.err()).contains(reason).contains("; begin a new ");
    }

    @Test
    void changedInputIsRefused() throws IOException {
        String table = table("input");
        failedRun(table);
        FileTime time = Files.getLastModifiedTime(file);
        byte[] content = Files.readAllBytes(file);

        Files.setLastModifiedTime(file, FileTime.fromMillis(time.toMillis() + 5_000));
        assertRefused(table, file + " was last changed at ");

        byte[] other = content.clone();
        other[10]++;
        Files.write(file, other);
        Files.setLastModifiedTime(file, time);
        assertRefused(table, " bytes, which the run has read, are not the same any more");

        Files.writeString(file, "1,v\n", StandardOpenOption.APPEND);
        assertRefused(table, file + " had " + content.length + " bytes, and has " + (content.length + 4));
    }

    @Test
    void changedTableIsRefused() throws IOException {
        String table = table("altered");
        failedRun(table);
        TestCluster.execute("ALTER TABLE " + table + " ADD w int");
        assertRefused(table, "the schema of " + table + " has changed since the run began: it now has w int REGULAR");
        TestCluster.execute("DROP TABLE " + table);
        table("altered");
        assertRefused(table, "the table was dropped and created since the run began: " + table);
    }

    @Test
    void aColumnThatWasDroppedAndAddedIsRefused() throws IOException {
        String table = table("column");
        failedRun(table);
        TestCluster.execute("ALTER TABLE " + table + " DROP v");
        TestCluster.execute("ALTER TABLE " + table + " ADD v text");
        assertRefused(table, "[" + table + "] column \"v\" was dropped at 2");
    }

    @Test
    void aStatementWhoseTableHasChangedIsRefused() throws IOException {
        String table = table("stated");
        String statement = "INSERT INTO " + table + " (id, v) VALUES (:id, :v)";
        write();
        String[] load = {
            "load",
            file.toString(),
            "--query",
            statement,
            "--host",
            TestCluster.host(),
            "--rejects",
            directory.toString(),
            "--threads",
            "1",
            "--max-rejects"
        };
        Matcher run = CONTINUE.matcher(Cli.run(with(load, "1")).err());
        assertThat(run.find()).isTrue();
        TestCluster.execute("ALTER TABLE " + table + " DROP v");
        TestCluster.execute("ALTER TABLE " + table + " ADD v text");
        assertThat(Cli.run(with(load, "10", "--resume")).err())
                .contains("[" + table + "] column \"v\" was dropped at 2", "; begin a new run");
        TestCluster.execute("DROP TABLE " + table);
        table("stated");
        Cli refused = Cli.run(with(load, "10", "--resume"));
        assertThat(refused.code()).isEqualTo(Main.FAILED);
        assertThat(refused.err()).contains("the table was dropped and created since the run began: " + statement);
        assertThat(TestCluster.execute("SELECT id FROM " + table)).isEmpty();
    }

    private static String[] with(String[] command, String... more) {
        List<String> all = new ArrayList<>(List.of(command));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    @Test
    void aSchedulerBeginsWithTheFileOfTheNextDay() throws IOException {
        String table = table("daily");
        write();
        Cli failed = load(table, "--max-rejects", "1", "--threads", "1", "--resume-if-any");
        Matcher run = CONTINUE.matcher(failed.err());
        assertThat(run.find()).as(failed.err()).isTrue();
        Files.writeString(file, "id,v\n-1,next day\n");
        Cli next = load(table, "--resume-if-any");
        assertThat(next.code()).as(next.err()).isEqualTo(Main.DONE);
        assertThat(next.out()).startsWith("1 row read = 1 written + 0 rejected").doesNotContain("  resumed ");
        assertThat(next.err())
                .contains(
                        "run " + run.group(1) + " did not finish, and its input is not the same now: " + file + " had ")
                .contains("; a new run begins, and rows that run " + run.group(1) + " has not written stay missing");
        assertThat(state(run.group(1))).isEqualTo("failed");
        assertThat(load(table, "--resume").err()).contains("its input is not the same: " + file + " had ");
    }

    /** The records that both days have would count twice. */
    @Test
    void aSchedulerDoesNotBeginAgainWithCounters() throws IOException {
        String table = KEYSPACE + ".counted";
        TestCluster.execute("CREATE TABLE " + table + " (id int PRIMARY KEY, n counter)");
        Files.writeString(file, "id,n\n1,1\nbad,1\nworse,1\n");
        String[] options = {"--allow-non-idempotent", "--max-rejects", "1", "--threads", "1", "--resume-if-any"};
        assertThat(load(table, options).code()).isEqualTo(Main.FAILED);
        Files.writeString(file, "id,n\n1,1\n2,1\n");
        Cli next = load(table, options);
        assertThat(next.code()).isEqualTo(Main.FAILED);
        assertThat(next.err())
                .contains("the run did not finish, and its input is not the same now: " + file + " had ")
                .contains("would count twice");
        assertThat(TestCluster.count(table, "n")).isLessThanOrEqualTo(1);
    }

    @Test
    void aDamagedStatusDoesNotKeepARunFromBeingResumed() throws IOException {
        String table = table("status");
        String run = failedRun(table);
        Path files = Path.of(System.getenv("OVERDRIVE_STATE"), "runs", run);
        Files.writeString(files.resolve("status.json"), "{ \"state\" : \"FAI");
        assertThat(state(run)).isEqualTo("killed");
        assertWhole(table, load(table, "--max-rejects", "10", "--resume-run", run), run, 2);
        String right = Files.readString(files.resolve("status.json"));
        Files.writeString(files.resolve("status.json"), "{");
        String damaged = files.resolve("status.json") + ": cannot be read: ";
        assertThat(Cli.run("resume", run).err()).contains(damaged);
        assertThat(Cli.run("runs").err()).contains("overdrive: a run is not shown: " + damaged);
        Files.writeString(files.resolve("status.json"), right);
    }

    @Test
    void anotherClusterIsRefused() throws IOException {
        String table = table("cluster");
        String run = failedRun(table);
        Path info = Path.of(System.getenv("OVERDRIVE_STATE"), "runs", run, "run.json");
        Files.writeString(
                info,
                Files.readString(info)
                        .replaceAll(
                                "\"hosts\" : \\[[^]]*\\]", "\"hosts\" : [ \"00000000-0000-0000-0000-000000000000\" ]"));
        assertRefused(table, "and none of its nodes");
    }

    @Test
    void anotherCommandIsRefusedAndTheNearestRunNamed() throws IOException {
        String table = table("arguments");
        String run = failedRun(table);
        Cli refused = load(table, "--max-rejects", "10", "--resume", "--ttl", "60");
        assertThat(refused.code()).isEqualTo(Main.FAILED);
        assertThat(refused.err())
                .contains("there is no unfinished run of this command to resume; the nearest is " + run
                        + ": it did not have --ttl=60; see: overdrive runs");
    }

    private Path config(String... lines) throws IOException {
        List<String> all = new ArrayList<>(List.of("[default]", "host = \"" + TestCluster.host() + "\"", "[load]"));
        all.addAll(List.of(lines));
        return Files.write(directory.resolve("config.toml"), all);
    }

    private Cli loadByConfig(Path config, String table, String... options) {
        List<String> command = new ArrayList<>(List.of("load", file.toString(), table, "--config", config.toString()));
        command.addAll(List.of(options));
        return Cli.run(command.toArray(String[]::new));
    }

    /** Settings of the file and of the profile count as if they had been typed. */
    @Test
    void aRunKeepsTheSettingsOfTheFileThatItBeganWith() throws IOException {
        String table = table("configured");
        write();
        String rejects = "rejects = \"" + directory + "\"";
        Path config = config("ttl = 7200", rejects);
        Cli failed = loadByConfig(config, table, "--max-rejects", "1", "--threads", "1");
        Matcher run = CONTINUE.matcher(failed.err());
        assertThat(run.find()).as(failed.err()).isTrue();

        config("ttl = 60", rejects);
        assertThat(loadByConfig(config, table, "--resume").err())
                .contains("the nearest is " + run.group(1) + ": it had --ttl=7200, it did not have --ttl=60 (from "
                        + config + ":4 [load])");
        config("ttl = 60", rejects, "dry-run = true");
        Cli resumed = Cli.run("resume", run.group(1), "--verbose");
        assertThat(resumed.err()).contains("more records were rejected than the limit of 1");
        config("ttl = 7200", rejects);
        assertWhole(table, loadByConfig(config, table, "--max-rejects", "none", "--resume"), run.group(1), 3);
        assertThat(TestCluster.execute("SELECT ttl(v) FROM " + table))
                .allSatisfy(row -> assertThat(row.getInt(0)).isGreaterThan(60));
    }

    @Test
    void standardInputCannotBeResumed() {
        Cli refused = Cli.runWithInput(
                "id,v\n1,a\n",
                "load",
                "-",
                table("stdin"),
                "--host",
                TestCluster.host(),
                "--resume-run=20260131-134500-abcd");
        assertThat(refused.code()).isEqualTo(Main.FAILED);
        assertThat(refused.err())
                .contains("standard input can be read only once, so its load cannot be resumed: load from files");
    }

    @Test
    void countersNeedTheOptionAndSayWhatMayHappen() throws IOException {
        String table = KEYSPACE + ".counters";
        TestCluster.execute("CREATE TABLE " + table + " (id int PRIMARY KEY, n counter)");
        Files.write(file, List.of("id,n", "1,5", "bad,5", "2,7"));
        Cli failed = load(table, "--max-rejects", "0", "--allow-non-idempotent");
        assertThat(failed.code()).isEqualTo(Main.FAILED);
        assertThat(load(table, "--resume").err()).contains("it had --allow-non-idempotent");
        Cli resumed = load(table, "--max-rejects", "1", "--allow-non-idempotent", "--resume");
        assertThat(resumed.code()).as(resumed.err()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(resumed.err())
                .contains("if it was killed, rows that it wrote in its last seconds may be applied twice"
                        + " (--allow-non-idempotent)");
        assertThat(TestCluster.execute("SELECT n FROM " + table + " WHERE id = 1")
                        .get(0)
                        .getLong(0))
                .isEqualTo(5);
        assertThat(TestCluster.execute("SELECT n FROM " + table + " WHERE id = 2")
                        .get(0)
                        .getLong(0))
                .isEqualTo(7);
    }
}
