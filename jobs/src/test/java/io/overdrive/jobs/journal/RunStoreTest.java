package io.overdrive.jobs.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OverdriveException;
import io.overdrive.jobs.journal.RunStatus.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunStoreTest {
    private static final Instant START = Instant.parse("2026-01-31T13:45:00Z");
    private static final RunTarget USERS = new RunTarget(
            "prod",
            List.of("h1", "h2"),
            "shop.users",
            "id1",
            List.of("id int PARTITION_KEY", "v text REGULAR"),
            Map.of());

    private Path state;
    private RunStore store;

    @BeforeEach
    void open(@TempDir Path directory) {
        state = directory;
        store = new RunStore(state.resolve("deeper").resolve("runs"));
    }

    private static RunInfo info(Instant started) {
        return new RunInfo(
                "load",
                List.of("--ttl=60", "--", "a \"b\".csv", "shop.users"),
                Path.of("/tmp"),
                started,
                "1.0",
                List.of(USERS),
                List.of(new RunInfo.Input("a \"b\".csv", 12, START)),
                Map.of("timestamp", "17"));
    }

    private static RunStatus status(State state, Instant at) {
        return new RunStatus(state, at, 12, 0.5, "why");
    }

    @Test
    void keepsWhatTheRunIsAbout() {
        try (RunDirectory run = store.create(info(START))) {
            assertThat(run.id()).matches("20260131-134500-[a-z]{4}");
            RunStore.Entry entry = store.find(run.id());
            assertThat(entry.info()).isEqualTo(info(START));
            assertThat(entry.status()).isEqualTo(new RunStatus(State.RUNNING, START, 0, -1, ""));
        }
    }

    /** A process that looks at all runs while others do, until it is ended. */
    static final class Viewer {
        private Viewer() {}

        public static void main(String[] runs) {
            RunStore store = new RunStore(Path.of(runs[0]));
            store.list();
            System.out.println("looks");
            while (true) {
                store.list();
            }
        }
    }

    @Test
    void aRunThatWasKilledIsNotRunningWhileOthersLookAtIt() throws Exception {
        RunDirectory run = store.create(info(START));
        run.status(status(State.RUNNING, START));
        run.close();
        Process viewer = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Viewer.class.getName(),
                        state.resolve("deeper").resolve("runs").toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            assertThat(viewer.inputReader().readLine()).isEqualTo("looks");
            Future<?> other = thread.submit(() -> assertKilled(run.id(), 1_000));
            assertKilled(run.id(), 1_000);
            other.get();
            store.reopen(run.id()).close();
        } finally {
            viewer.destroyForcibly().waitFor();
            thread.shutdown();
        }
    }

    private void assertKilled(String id, int times) {
        for (int i = 0; i < times; i++) {
            assertThat(store.find(id).status().state()).isEqualTo(State.KILLED);
        }
    }

    @Test
    void distinguishesRunningFromKilled() {
        try (RunDirectory run = store.create(info(START))) {
            run.status(status(State.RUNNING, START));
            assertThat(store.find(run.id()).status()).isEqualTo(status(State.RUNNING, START));
            assertThatThrownBy(() -> store.reopen(run.id()))
                    .hasMessage("run " + run.id() + " is still running: stop it, or wait until it has ended");
            run.close();
            assertThat(store.find(run.id()).status()).isEqualTo(status(State.KILLED, START));
            store.reopen(run.id()).close();
        }
    }

    @Test
    void aRunThatIsDoneIsNotResumed() {
        try (RunDirectory run = store.create(info(START))) {
            run.status(status(State.DONE, START));
            run.close();
            assertThatThrownBy(() -> store.reopen(run.id()))
                    .hasMessage("run " + run.id() + " is done: there is nothing to resume");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "..", "../../etc", "20260131-134500-ab/d", "20260131-134500-abcd/..", "x"})
    void noIdLeadsOutOfTheDirectory(String id) {
        assertThatThrownBy(() -> store.find(id))
                .isInstanceOf(OverdriveException.class)
                .hasMessage("\"" + id + "\" is not the id of a run, such as 20260131-134500-abcd; see: overdrive runs");
    }

    @Test
    void saysThatThereIsNoSuchRun() {
        assertThatThrownBy(() -> store.find("20260131-134500-abcd"))
                .hasMessage("there is no run 20260131-134500-abcd in "
                        + state.resolve("deeper").resolve("runs") + "; see: overdrive runs");
        assertThat(store.list()).isEmpty();
    }

    @Test
    void saysWhyNoRunCanBegin() throws Exception {
        Path file = Files.createFile(state.resolve("deeper"));
        assertThatThrownBy(() -> store.create(info(START)))
                .isInstanceOf(OverdriveException.class)
                .hasMessageMatching(
                        file + "/runs/20260131-134500-[a-z]{4}: the directory of the run cannot be created: "
                                + file
                                + ".* [Nn]ot a directory; name another one by the environment variable"
                                + " OVERDRIVE_STATE, or do without a journal with noJournal");
    }

    @Test
    void onlyTheOwnerCanReadThem() throws Exception {
        try (RunDirectory run = store.create(info(START))) {
            run.status(status(State.RUNNING, START));
            Journal.open(run.files(), "", each -> {}).close();
            for (Path directory : List.of(state.resolve("deeper"), state.resolve("deeper/runs"), run.path())) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
                        .isEqualTo("rwx------");
            }
            for (String name : run.files().list()) {
                assertThat(PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(run.path().resolve(name))))
                        .as(name)
                        .isEqualTo("rw-------");
            }
            assertThat(run.files().list()).containsExactlyInAnyOrder("run.json", "status.json", "lock", "journal");
        }
    }

    @Test
    void oldRunsGoAwayUnlessTheyRun() {
        Instant now = START.plus(Duration.ofDays(100));
        String done = ended(State.DONE, now.minus(Duration.ofDays(8)));
        String recentlyDone = ended(State.DONE, now.minus(Duration.ofDays(6)));
        String failed = ended(State.FAILED, now.minus(Duration.ofDays(31)));
        String recentlyFailed = ended(State.FAILED, now.minus(Duration.ofDays(29)));
        try (RunDirectory running = store.create(info(START))) {
            running.status(status(State.RUNNING, START));
            store.removeOld(now);
            assertThat(store.list())
                    .extracting(RunStore.Entry::id)
                    .containsExactlyInAnyOrder(running.id(), recentlyDone, recentlyFailed)
                    .doesNotContain(done, failed);
        }
    }

    @Test
    void removesTheRunsWithinAnOldRun() {
        String id;
        try (RunDirectory run = store.create(info(START))) {
            id = run.id();
            try (RunDirectory part = store.ofTables(run.id()).create(info(START))) {
                part.status(status(State.DONE, START));
            }
            run.status(status(State.DONE, START));
            assertThat(store.list()).hasSize(1);
            assertThat(store.ofTables(run.id()).list()).hasSize(1);
        }
        store.removeOld(START.plus(Duration.ofDays(8)));
        assertThat(store.list()).isEmpty();
        assertThat(state.resolve("deeper").resolve("runs").resolve(id)).doesNotExist();
    }

    private String ended(State state, Instant at) {
        try (RunDirectory run = store.create(info(at))) {
            run.status(status(state, at));
            return run.id();
        }
    }

    @Test
    void listsTheNewestFirst() {
        String older = ended(State.STOPPED, START);
        String newer = ended(State.DONE, START.plusSeconds(5));
        assertThat(store.list()).extracting(RunStore.Entry::id).containsExactly(newer, older);
    }

    @Test
    void readsOnlyTheRunsThatAreTaken() throws IOException {
        Instant now = START.plus(Duration.ofDays(100));
        String older;
        try (RunDirectory run = store.create(info(now.minus(Duration.ofDays(2))))) {
            older = run.id();
            run.status(status(State.DONE, START));
        }
        String newer = ended(State.DONE, now.minus(Duration.ofDays(1)));
        store.removeOld(now); // would find that it was done long ago
        assertThat(store.list()).extracting(RunStore.Entry::id).containsExactly(newer, older);
        Files.writeString(store.directory().resolve(older).resolve("status.json"), "damaged");
        List<String> damaged = new ArrayList<>();
        assertThat(store.newestFirst().map(RunStore.Entry::id).findFirst()).contains(newer);
        store.list(damaged::add);
        assertThat(damaged).hasSize(1);
    }

    @Test
    void findsTheRunsThatAreRunning() {
        ended(State.RUNNING, START); // its process was killed
        try (RunDirectory running = store.create(info(START))) {
            running.status(status(State.RUNNING, START));
            assertThat(store.running().map(RunStore.Entry::id)).containsExactly(running.id());
        }
        assertThat(store.running()).isEmpty();
    }

    @Test
    void namesWhatHasChanged() {
        assertThat(USERS.change(USERS)).isNull();
        assertThat(USERS.change(target("prod", "h2", "shop.users", "id1", "v text REGULAR")))
                .isNull();
        assertThat(USERS.change(target("test", "h1", "shop.users", "id1", "v text REGULAR")))
                .isEqualTo("the run wrote to or read from the cluster \"prod\", and this is \"test\"");
        assertThat(USERS.change(target("prod", "h3", "shop.users", "id1", "v text REGULAR")))
                .isEqualTo("this cluster has the name of the run's, \"prod\", and none of its nodes");
        assertThat(USERS.change(target("prod", "h1", "shop.users", "id2", "v text REGULAR")))
                .isEqualTo("the table was dropped and created since the run began: shop.users");
        assertThat(USERS.change(target("prod", "h1", "shop.users", "id1", "w int REGULAR")))
                .isEqualTo("the schema of shop.users has changed since the run began: it had v text REGULAR, it now has"
                        + " w int REGULAR");
    }

    @Test
    void namesColumnsThatWereDroppedAndAdded() {
        RunTarget first = dropped(Map.of("a", "2026-01-01T00:00:00Z"));
        assertThat(first.change(first)).isNull();
        assertThat(first.change(dropped(Map.of("a", "2026-01-01T00:00:00Z", "Ä b", "2026-02-01T00:00:00Z"))))
                .isEqualTo("the column \"Ä b\" was dropped and added since the run began, in shop.users");
        assertThat(dropped(Map.of()).change(dropped(Map.of("a", "2026-01-01T00:00:00Z", "v", "2026-02-01T00:00:00Z"))))
                .isEqualTo("the columns a, v were dropped and added since the run began, in shop.users");
        assertThat(first.change(dropped(Map.of("a", "2026-02-01T00:00:00Z")))).contains("the column a was dropped");
        assertThat(dropped(null).change(first)).isNull();
    }

    @Test
    void aRunOfKeysIsResumedWithTheSameKeys() throws IOException {
        RunTarget all = dropped(Map.of());
        RunTarget keys = new RunTarget(
                all.cluster(), all.hosts(), all.table(), all.tableId(), all.columns(), all.drops(), "2 keys of id");
        assertThat(keys.change(keys)).isNull();
        assertThat(keys.change(all))
                .isEqualTo("the run read the rows of 2 keys of id of shop.users, and this command reads all rows");
        assertThat(all.change(keys))
                .isEqualTo("the run read all rows of shop.users, and this command reads the rows of 2 keys of id");
        RunInfo info = new RunInfo(
                "unload", List.of(), Path.of("/"), Instant.EPOCH, "1", List.of(keys, all), List.of(), Map.of());
        assertThat(RunJson.info(RunJson.of(info))).isEqualTo(info);
    }

    private static RunTarget dropped(@Nullable Map<String, String> drops) {
        return new RunTarget("prod", List.of("h1"), "shop.users", "id1", List.of("a int REGULAR"), drops);
    }

    private static RunTarget target(String cluster, String host, String table, String id, String column) {
        return new RunTarget(cluster, List.of(host), table, id, List.of("id int PARTITION_KEY", column), Map.of());
    }
}
