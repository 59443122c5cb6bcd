package io.overdrive.cli.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.jobs.WrittenAfter;
import io.overdrive.jobs.copy.CatchUp;
import io.overdrive.jobs.journal.RunDirectory;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunStatus;
import io.overdrive.jobs.journal.RunStatus.State;
import io.overdrive.jobs.journal.RunStore;
import io.overdrive.jobs.journal.RunTarget;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which cells a copy takes, by the runs before it. */
class WrittenAfterOptionTest {
    private static final Duration SKEW = Duration.ofSeconds(60);
    private static final long NOW = 1_796_000_000_000_000L;
    private static final List<String> ARGUMENTS = List.of("--host=h", "--keep-times", "--", "shop.orders", "b.orders");

    private final RunStore store;

    WrittenAfterOptionTest(@TempDir Path directory) {
        store = new RunStore(directory);
    }

    private static RunTarget target(String table, String id) {
        return new RunTarget("cluster", List.of("host"), table, id, List.of("id int"), Map.of());
    }

    private static final List<RunTarget> TARGETS = List.of(target("shop.orders", "1"), target("b.orders", "2"));

    /** Keeps a run of the copy, and returns its id. */
    private String run(List<RunTarget> targets, List<String> arguments, @Nullable CatchUp copy, State state) {
        RunRequest request = new RunRequest(store, "copy", arguments, Path.of("/"), "1", /* resumes */ null)
                .keeping(copy == null ? Map.of() : copy.values());
        try (RunDirectory run = request.begin(targets, List.of(), Map.of())) {
            run.status(new RunStatus(state, Instant.now(), 1, 1, ""));
            return run.id();
        }
    }

    private static CatchUp began(long micros) {
        return new CatchUp(micros, /* after */ null, Map.of());
    }

    private CatchUp last(Duration skew) {
        return new WrittenAfterOption("last", skew).decide(store, null, "copy", () -> NOW, () -> TARGETS, ARGUMENTS);
    }

    private void assertNone(String reason) {
        assertThatThrownBy(() -> last(SKEW))
                .hasMessage("--written-after last: there is no complete run of this copy" + reason
                        + "; copy everything first, with --keep-times and without --written-after, or give the time at"
                        + " which the last copy began");
    }

    @ParameterizedTest
    @CsvSource({
        "2026-01-31T18:00Z, 2026-01-31T18:00:00Z",
        "2026-01-31T18:00:01.000002+01:00, 2026-01-31T17:00:01.000002Z",
        "1700000000000001, 2023-11-14T22:13:20.000001Z",
    })
    void aTimeIsTakenAsItIs(String text, String time) {
        CatchUp copy =
                new WrittenAfterOption(text, SKEW).decide(store, null, "copy", () -> NOW, () -> TARGETS, ARGUMENTS);
        assertThat(copy.beganMicros()).isEqualTo(NOW);
        assertThat(copy.after()).isNotNull().extracting(WrittenAfter::inWords).isEqualTo("written after " + time);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "2026-01-31 18:00 | \"2026-01-31 18:00\" has no time zone: write 2026-01-31T18:00Z if it is UTC, or",
                "-2h | \"-2h\" is not a time: write it as 2026-01-31T18:00Z or 2026-01-31T19:00+01:00, in micro",
                "1700000000 | counts microseconds, and 1700000000 looks like seconds: give 1700000000000000",
                "9999-01-01T00:00Z | is 9999-01-01T00:00:00Z, which is in the future by the clock of this machine: no",
            })
    void anythingElseIsRefused(String text, String message) {
        assertThatThrownBy(() -> new WrittenAfterOption(text, SKEW))
                .hasMessageStartingWith("--written-after " + message);
    }

    @Test
    void theLastCompleteRunIsFollowedFromBeforeItsStart() {
        run(TARGETS, ARGUMENTS, began(1_000_000_000), State.DONE);
        String id = run(TARGETS, ARGUMENTS, began(2_000_000_000), State.DONE);
        run(TARGETS, ARGUMENTS, began(3_000_000_000L), State.FAILED);
        run(List.of(TARGETS.get(0), target("c.orders", "3")), ARGUMENTS, began(4_000_000_000L), State.DONE);
        WrittenAfter after = Objects.requireNonNull(last(SKEW).after());
        assertThat(after.micros()).isEqualTo(2_000_000_000L - 60_000_000);
        assertThat(after.inWords())
                .isEqualTo("written after 1970-01-01T00:32:20Z, which is the start of run " + id
                        + " minus 60 s of --clock-skew");
        assertThat(last(Duration.ZERO).after()).isEqualTo(new WrittenAfter(2_000_000_000L, "the start of run " + id));
    }

    /** A run whose cells were written after a time that the user gave. */
    private static CatchUp given(long began, long after) {
        return new CatchUp(began, new WrittenAfter(after, /* origin */ ""), Map.of());
    }

    @Test
    void aRunAfterALaterTimeThanTheStartOfTheOneBeforeIsNotFollowed() {
        String first = run(TARGETS, ARGUMENTS, began(1_000_000_000), State.DONE);
        run(TARGETS, ARGUMENTS, given(3_000_000_000L, 1_000_000_001), State.DONE);
        run(TARGETS, ARGUMENTS, given(4_000_000_000L, 2_000_000_000), State.DONE);
        assertThat(last(Duration.ZERO).after()).isEqualTo(new WrittenAfter(1_000_000_000, "the start of run " + first));
        String joined = run(TARGETS, ARGUMENTS, given(5_000_000_000L, 1_000_000_000), State.DONE);
        assertThat(last(Duration.ZERO).after())
                .isEqualTo(new WrittenAfter(5_000_000_000L, "the start of run " + joined));
    }

    @Test
    void aRunAfterATimeIsFollowedIfNoneIsKnownBeforeIt() {
        String only = run(TARGETS, ARGUMENTS, given(3_000_000_000L, 2_000_000_000), State.DONE);
        assertThat(last(Duration.ZERO).after()).isEqualTo(new WrittenAfter(3_000_000_000L, "the start of run " + only));
    }

    @Test
    void withoutSuchARunTheReasonIsGiven() {
        assertNone(" from shop.orders to b.orders in " + store.directory());
        String created = run(List.of(target("shop.orders", "7"), TARGETS.get(1)), ARGUMENTS, began(1), State.DONE);
        assertThat(created).isNotEmpty();
        assertNone(" from shop.orders to b.orders in " + store.directory());
        String plain = run(TARGETS, List.of("--", "shop.orders", "b.orders"), null, State.DONE);
        assertNone("; the nearest is run " + plain
                + ", which gave the values other write times than the source has: it was without --keep-times");
        String where =
                run(TARGETS, List.of("--keep-times", "--where=id > 3", "--", "shop.orders"), began(1), State.DONE);
        assertNone("; the nearest is run " + where + ", which had --where=id > 3");
        String sample = run(TARGETS, List.of("--keep-times", "--sample=1%", "--", "shop.orders"), began(2), State.DONE);
        assertNone("; the nearest is run " + sample + ", which had --sample=1%");
        String stopped = run(TARGETS, ARGUMENTS, began(1), State.STOPPED);
        assertNone("; the nearest is run " + stopped + ", which is not complete: overdrive resume " + stopped);
    }

    @Test
    void aResumedRunTakesTheSameCells() {
        CatchUp before = new CatchUp(5_000_000, new WrittenAfter(4_000_000, "the start of run x"), Map.of())
                .ofTables(Map.of(CqlIdentifier.fromInternal("Orders"), "1 2"), /* followsLast */ true);
        String id = run(TARGETS, ARGUMENTS, before, State.KILLED);
        run(TARGETS, ARGUMENTS, began(8_000_000), State.DONE);
        CatchUp resumed = new WrittenAfterOption("last", Duration.ZERO)
                .decide(
                        store,
                        id,
                        "copy",
                        () -> {
                            throw new AssertionError("the clock is not read");
                        },
                        () -> TARGETS,
                        ARGUMENTS);
        assertThat(resumed).isEqualTo(before);
    }

    @Test
    void tablesThatTheLastCopyDidNotHaveAreTakenAsAWhole() {
        CqlIdentifier orders = CqlIdentifier.fromInternal("orders");
        CqlIdentifier created = CqlIdentifier.fromInternal("created");
        CqlIdentifier added = CqlIdentifier.fromInternal("added");
        WrittenAfter after = new WrittenAfter(1, "");
        CatchUp copy = new CatchUp(9, after, Map.of())
                .ofTables(Map.of(orders, "1 2", created, "3 4"), /* followsLast */ false)
                .ofTables(Map.of(orders, "1 2", created, "5 4", added, "6 7"), /* followsLast */ true);
        assertThat(copy.after(orders)).isEqualTo(after);
        assertThat(copy.after(created)).isNull();
        assertThat(copy.after(added)).isNull();
    }
}
