package io.overdrive.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OneCaseIn;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.RowWriter;
import io.overdrive.ScanOptions;
import io.overdrive.TestCluster;
import io.overdrive.WriteOptions;
import io.overdrive.formats.records.OutputFormat;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.TableJob.Opened;
import io.overdrive.jobs.TableJob.Tables;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunStore;
import io.overdrive.jobs.unload.UnloadOptions;
import io.overdrive.jobs.unload.UnloadSummary;
import io.overdrive.jobs.unload.Unloader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs of jobs that read a table are resumed only while everything but their progress is as it was. */
@Timeout(300)
class RefusedResumeIT {
    private static final String KEYSPACE = "refused_resume";
    private static final int ROWS = 400;
    private static final Overdrive OVERDRIVE = TestCluster.overdrive(KEYSPACE);

    /** The number of tests that have begun: each has new tables, as a node takes long to drop one. */
    private static int begun;

    private final String source = "source" + ++begun;
    private final String other = "other" + begun;
    private final Path directory;
    private final RunStore store;
    private final Tables tables;

    RefusedResumeIT(@TempDir Path directory) {
        this.directory = directory;
        store = new RunStore(directory.resolve("runs"));
        tables = new Tables(OVERDRIVE, KEYSPACE, source, other, directory);
    }

    @BeforeEach
    void create() {
        create(source);
        create(other);
        try (RowWriter writer =
                OVERDRIVE.writer(WriteOptions.into(KEYSPACE, source).build())) {
            for (int i = 0; i < ROWS; i++) {
                writer.row().setInt(0, i).setText(1, "v" + i);
                writer.send();
            }
        }
    }

    private static void create(String table) {
        OVERDRIVE.changeSchema("CREATE TABLE " + KEYSPACE + "." + table + " (id int PRIMARY KEY, v text)");
    }

    private RunRequest request(String command, @Nullable String resumes) {
        return new RunRequest(store, command, List.of(), directory, "1", resumes);
    }

    private Opened open(TableJob job, @Nullable String resumes) {
        return job.open(tables, request(job.name(), resumes));
    }

    private void assertRefused(TableJob job, String id, String message) {
        assertThatThrownBy(() -> open(job, id).close())
                .isInstanceOf(OverdriveException.class)
                .hasMessageStartingWith(message);
    }

    /** A run that was killed before it had done anything. */
    private String killed(TableJob job) {
        try (Opened opened = open(job, null)) {
            return opened.id();
        }
    }

    @ParameterizedTest
    @EnumSource
    @OneCaseIn(2)
    void aRunThatIsRunningOrDoneIsNotResumed(TableJob job) {
        String id;
        try (Opened running = open(job, null)) {
            id = running.id();
            assertRefused(job, id, "run " + id + " is still running: stop it, or wait until it has ended");
        }
        try (Opened resumed = open(job, id)) {
            assertThat(resumed.run().failure()).isNull();
        }
        assertRefused(job, id, "run " + id + " is done: there is nothing to resume");
        assertRefused(job, "20260131-134500-abcd", "there is no run 20260131-134500-abcd in ");
    }

    @ParameterizedTest
    @EnumSource
    @OneCaseIn(3)
    void anotherClusterIsRefused(TableJob job) throws IOException {
        String id = killed(job);
        Path info = directory.resolve("runs").resolve(id).resolve("run.json");
        String before = Files.readString(info);
        String name = OVERDRIVE.session().getMetadata().getClusterName().orElseThrow();
        Files.writeString(info, before.replace("\"cluster\" : \"", "\"cluster\" : \"other "));
        assertRefused(
                job,
                id,
                "the run cannot be resumed: the run wrote to or read from the cluster \"other " + name
                        + "\", and this is \"" + name
                        + "\"; begin a new one by its command, without resume or resumeIfAny");
        Files.writeString(
                info,
                before.replaceAll(
                        "\"hosts\" : \\[[^]]*\\]", "\"hosts\" : [ \"00000000-0000-0000-0000-000000000000\" ]"));
        assertRefused(
                job,
                id,
                "the run cannot be resumed: this cluster has the name of the run's, \"" + name
                        + "\", and none of its nodes; begin a new one by its command, without resume or resumeIfAny");
        Files.writeString(info, before);
        try (Opened resumed = open(job, id)) {
            assertThat(resumed.run().failure()).isNull();
        }
    }

    @ParameterizedTest
    @EnumSource
    @OneCaseIn(3)
    void aChangedTableIsRefused(TableJob job) {
        String id = killed(job);
        for (String table : List.of(source, other)) {
            OVERDRIVE.changeSchema("ALTER TABLE " + KEYSPACE + "." + table + " ADD w int");
        }
        assertRefused(
                job,
                id,
                "the run cannot be resumed: the schema of " + KEYSPACE + "." + source
                        + " has changed since the run began: it now"
                        + " has w int REGULAR; begin a new one by its command, without resume or resumeIfAny");
        // the last table that the job uses
        String last = job == TableJob.COPY || job == TableJob.DIFF ? other : source;
        OVERDRIVE.changeSchema("ALTER TABLE " + KEYSPACE + "." + source + " DROP w");
        OVERDRIVE.changeSchema("DROP TABLE " + KEYSPACE + "." + last);
        create(last);
        assertRefused(
                job,
                id,
                "the run cannot be resumed: the table was dropped and created since the run began: " + KEYSPACE + "."
                        + last + "; begin a new one by its command, without resume or resumeIfAny");
    }

    /** The first run fails at the last row, which has a value that cannot be written. */
    private UnloadSummary unload(String name, @Nullable String resumes) {
        boolean isFile = name.endsWith(".csv");
        Path output = directory.resolve(name);
        UnloadOptions options = new UnloadOptions(
                isFile ? null : output,
                isFile ? output : null,
                null,
                OutputFormat.builder(OutputFormat.Kind.CSV).quote(null).build(),
                ValueFormat.DEFAULT,
                "none",
                2);
        ScanOptions.Builder read =
                ScanOptions.from(KEYSPACE, source).pageRows(5).splitsInFlight(1);
        if (resumes == null) {
            setLast("a, b");
        }
        try (Unloader unloader = Unloader.open(OVERDRIVE, read.build(), options, request("unload", resumes))) {
            return unloader.run();
        } finally {
            setLast("v");
        }
    }

    private void setLast(String value) {
        int id = OVERDRIVE.session().execute("SELECT id, token(id) FROM " + KEYSPACE + "." + source).all().stream()
                .max(Comparator.comparing(row -> row.getLong(1)))
                .orElseThrow()
                .getInt(0);
        OVERDRIVE
                .session()
                .execute("INSERT INTO " + KEYSPACE + "." + source + " (id, v) VALUES (" + id + ", '" + value + "')");
    }

    private void unloadUntilItFails(String name) {
        UnloadSummary failed = unload(name, null);
        assertThat(failed.failure()).hasMessageContaining("\"a, b\" needs quotes");
        assertThat(failed.outcome()).isEqualTo(Outcome.FAILED);
    }

    private void assertUnloadRefused(String name, String message) {
        String id = store.list().get(0).id();
        assertThatThrownBy(() -> unload(name, id))
                .isInstanceOf(OverdriveException.class)
                .hasMessageContaining(message)
                .hasMessageNotContaining("OVERDRIVE_STATE");
    }

    private void assertResumed(String name) throws Exception {
        UnloadSummary resumed = unload(name, store.list().get(0).id());
        assertThat(resumed.failure()).isNull();
        assertThat(resumed.outcome()).isEqualTo(Outcome.DONE);
        List<String> rows = new ArrayList<>();
        try (Stream<Path> files = Files.walk(directory.resolve(name))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertThat(file.toString()).endsWith(".csv");
                rows.addAll(Files.readAllLines(file).stream().skip(1).toList());
            }
        }
        assertThat(rows).hasSize(ROWS).doesNotHaveDuplicates();
    }

    private static final String WAY_OUT =
            ": it was changed since, so the run cannot be resumed; begin a new one by its command, without resume or"
                    + " resumeIfAny";

    @Test
    void aChangedOutputDirectoryIsRefused() throws Exception {
        unloadUntilItFails("rows");
        Path rows = directory.resolve("rows");
        Path finished;
        try (Stream<Path> files = Files.list(rows)) {
            finished = files.filter(each -> each.toString().endsWith(".csv"))
                    .findFirst()
                    .orElseThrow();
        }
        byte[] content = Files.readAllBytes(finished);

        Files.writeString(finished, "1,x\n", StandardOpenOption.APPEND);
        assertUnloadRefused(
                "rows",
                finished + ": the file has " + (content.length + 4) + " bytes, and the run that is resumed has written "
                        + content.length + " bytes to it" + WAY_OUT);

        Files.delete(finished);
        assertUnloadRefused(
                "rows",
                finished + ": there is no such file, and the run that is resumed has written " + content.length
                        + " bytes to it" + WAY_OUT);

        Files.write(finished, content);
        Files.move(rows, directory.resolve("elsewhere"));
        assertUnloadRefused("rows", ": there is no such file, and the run that is resumed has written ");
        assertThat(rows).doesNotExist();

        Files.move(directory.resolve("elsewhere"), rows);
        assertResumed("rows");
    }

    @Test
    void aChangedOutputFileIsRefused() throws Exception {
        unloadUntilItFails("rows.csv");
        Path file = directory.resolve("rows.csv");
        Path part = directory.resolve("rows.csv.part");
        byte[] content = Files.readAllBytes(part);

        Files.write(file, List.of("id,v"));
        assertUnloadRefused(
                "rows.csv", file + ": the file exists, and the run would replace it; remove it, or move it away");
        Files.delete(file);

        Files.write(part, List.of("id,v"));
        assertUnloadRefused("rows.csv", part + ": the file has 5 bytes, and the run that is resumed has written ");

        Files.delete(part);
        assertUnloadRefused("rows.csv", part + ": there is no such file, and the run that is resumed has written ");

        Files.write(part, content);
        assertResumed("rows.csv");
    }
}
