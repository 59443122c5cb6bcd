package io.overdrive.jobs.diff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.Overdrive;
import io.overdrive.RowBuffer;
import io.overdrive.RowWriter;
import io.overdrive.ScanOptions;
import io.overdrive.TestCluster;
import io.overdrive.WriteOptions;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.diff.DiffOptions.Repaired;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Comparisons of tables with planted differences, and repairs. */
@Tag("server")
@Timeout(600)
class DifferIT extends TwoKeyspaces {
    private static final String LEFT = "diff_left";
    private static final String RIGHT = "diff_right";
    private static final Overdrive OVERDRIVE = TestCluster.overdrive(LEFT);
    private static final Set<Repaired> ALL = EnumSet.allOf(Repaired.class);
    private static final int MANY = 110_000;

    DifferIT() {
        super(OVERDRIVE, LEFT, RIGHT);
    }

    @BeforeAll
    static void createKeyspace() {
        TestCluster.keyspace(RIGHT);
    }

    private void assertSame(String table) {
        DiffSummary summary = diff(table);
        assertThat(found).isEmpty();
        assertThat(summary.differences()).isZero();
        assertThat(summary.isWhole()).isTrue();
        assertThat(summary.digestLeft()).isEqualTo(summary.digestRight());
        assertThat(summary.rowsLeft()).isEqualTo(summary.rowsRight()).isEqualTo(summary.rowsSame());
    }

    private static void load(String keyspace, Set<Integer> leaveOut, Set<Integer> change, int rows) {
        try (RowWriter writer =
                OVERDRIVE.writer(WriteOptions.into(keyspace, "many").build())) {
            for (int i = 0; i < rows; i++) {
                if (leaveOut.contains(i)) {
                    continue;
                }
                RowBuffer row = writer.row()
                        .setText(0, "p" + i / 20)
                        .setInt(1, i / 1000)
                        .setLong(2, i)
                        .setText(3, "c" + i % 7);
                row.setText(4, "value " + i + (change.contains(i) ? "!" : ""));
                row.setDouble(5, i / 8.0);
                writer.send();
            }
        }
    }

    @Test
    void findsExactlyTheDifferencesAmongManyRowsAndRepairsThem() {
        create(
                "many",
                "p text, q int, c bigint, d text, v text, w double, PRIMARY KEY ((p, q), c, d)) WITH CLUSTERING ORDER"
                        + " BY (c DESC, d ASC");
        Random random = new Random(5);
        Set<Integer> missingLeft = new HashSet<>();
        Set<Integer> missingRight = new HashSet<>();
        Set<Integer> changed = new HashSet<>();
        for (int i = 0; i < 60; i++) {
            missingLeft.add(random.nextInt(MANY));
            missingRight.add(random.nextInt(MANY));
            changed.add(random.nextInt(MANY));
        }
        for (int i = 100_000; i < 100_020; i++) {
            missingRight.add(i); // a whole partition
            missingLeft.add(i + 20);
        }
        missingRight.removeAll(missingLeft);
        changed.removeAll(missingLeft);
        changed.removeAll(missingRight);
        load(LEFT, missingLeft, Set.of(), MANY);
        load(RIGHT, missingRight, changed, MANY);
        Set<String> expected = new HashSet<>();
        missingLeft.forEach(i -> expected.add("{\"kind\":\"missing-left\",\"key\":" + key(i) + "}"));
        missingRight.forEach(i -> expected.add("{\"kind\":\"missing-right\",\"key\":" + key(i) + "}"));
        changed.forEach(i -> expected.add("{\"kind\":\"different\",\"key\":" + key(i) + ",\"columns\":[\"v\"]}"));

        DiffSummary summary = diff("many");
        assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(summary.missingLeft()).isEqualTo(missingLeft.size());
        assertThat(summary.missingRight()).isEqualTo(missingRight.size());
        assertThat(summary.different()).isEqualTo(changed.size());
        assertThat(summary.rowsLeft()).isEqualTo(MANY - missingLeft.size());
        assertThat(summary.rowsRight()).isEqualTo(MANY - missingRight.size());
        assertThat(summary.rowsSame()).isEqualTo(MANY - expected.size());
        assertThat(summary.digestLeft()).isNotEqualTo(summary.digestRight());

        diff(
                ScanOptions.from(LEFT, "many").pageRows(300),
                ScanOptions.from(RIGHT, "many").pageRows(171));
        assertThat(found).as("other pages").containsExactlyInAnyOrderElementsOf(expected);

        repairs = EnumSet.of(Repaired.MISSING, Repaired.DIFFERENT);
        assertThat(diff("many").rowsRepaired()).isEqualTo(missingRight.size() + changed.size());
        assertThat(found).hasSameSizeAs(expected);
        repairs = ALL;
        assertThat(diff("many").rowsRepaired()).isEqualTo(missingLeft.size());
        assertThat(found).hasSize(missingLeft.size());
        repairs = Set.of();
        assertSame("many");

        maxDifferences = 10;
        execute("TRUNCATE " + RIGHT + ".many");
        summary = diff("many");
        assertThat(found).hasSize(10);
        assertThat(summary.differences()).isEqualTo(10);
        assertThat(summary.isWhole()).isFalse();
    }

    private static String key(int i) {
        return "{\"p\":\"p" + i / 20 + "\",\"q\":" + i / 1000 + ",\"c\":" + i + ",\"d\":\"c" + i % 7 + "\"}";
    }

    @Test
    void nullsAreRepairedToo() {
        create("nulls", "id int PRIMARY KEY, a int, b text, l list<int>");
        execute("INSERT INTO diff_left.nulls (id, a) VALUES (1, 1)");
        execute("INSERT INTO diff_right.nulls (id, a, b, l) VALUES (1, 1, 'x', [1])");
        execute("INSERT INTO diff_left.nulls (id) VALUES (2)");
        execute("INSERT INTO diff_left.nulls (id, a, l) VALUES (3, 3, [1, 2])");
        execute("INSERT INTO diff_right.nulls (id, l) VALUES (3, [2, 1])");
        repairs = EnumSet.of(Repaired.MISSING, Repaired.DIFFERENT);
        diff("nulls");
        assertThat(found)
                .containsExactlyInAnyOrder(
                        "{\"kind\":\"different\",\"key\":{\"id\":1},\"columns\":[\"b\",\"l\"]}",
                        "{\"kind\":\"missing-right\",\"key\":{\"id\":2}}",
                        "{\"kind\":\"different\",\"key\":{\"id\":3},\"columns\":[\"a\",\"l\"]}");
        assertSame("nulls");
    }

    @Test
    void staticColumnsAreComparedOnceForEachPartition() {
        create("stat", "p int, c int, s text static, t int static, v int, PRIMARY KEY (p, c)");
        onBoth("INSERT INTO $stat (p, s, t) VALUES (1, 'same', 1)");
        onBoth("INSERT INTO $stat (p, c, s, v) VALUES (2, 1, 'same', 1)");
        // 3: other static values, and rows besides; 4: a row on the right only; 5: on the left only
        execute("INSERT INTO diff_left.stat (p, s, t) VALUES (3, 'left', 3)");
        execute("INSERT INTO diff_right.stat (p, s) VALUES (3, 'right')");
        for (int c = 0; c < 5; c++) {
            onBoth("INSERT INTO $stat (p, c, v) VALUES (3, " + c + ", 1)");
        }
        execute("INSERT INTO diff_left.stat (p, c, v) VALUES (3, 9, 1)");
        onBoth("INSERT INTO $stat (p, s) VALUES (4, 'same')");
        execute("INSERT INTO diff_right.stat (p, c, v) VALUES (4, 1, 1)");
        onBoth("INSERT INTO $stat (p, s) VALUES (5, 'same')");
        execute("INSERT INTO diff_left.stat (p, c, v) VALUES (5, 1, 1)");
        // 6, 7: only static values, on one side; 8: rows and static values on the right only
        execute("INSERT INTO diff_left.stat (p, s) VALUES (6, 'left')");
        execute("INSERT INTO diff_right.stat (p, s) VALUES (7, 'right')");
        execute("INSERT INTO diff_right.stat (p, c, s) VALUES (8, 1, 'right')");
        execute("INSERT INTO diff_right.stat (p, c, s) VALUES (8, 2, 'right')");
        List<String> expected = List.of(
                "{\"kind\":\"different\",\"key\":{\"p\":3},\"columns\":[\"s\",\"t\"]}",
                "{\"kind\":\"missing-right\",\"key\":{\"p\":3,\"c\":9}}",
                "{\"kind\":\"missing-left\",\"key\":{\"p\":4,\"c\":1}}",
                "{\"kind\":\"missing-right\",\"key\":{\"p\":5,\"c\":1}}",
                "{\"kind\":\"missing-right\",\"key\":{\"p\":6}}",
                "{\"kind\":\"missing-left\",\"key\":{\"p\":7}}",
                "{\"kind\":\"missing-left\",\"key\":{\"p\":8,\"c\":1}}",
                "{\"kind\":\"missing-left\",\"key\":{\"p\":8,\"c\":2}}");
        diff("stat");
        assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
        diff(
                ScanOptions.from(LEFT, "stat").pageRows(1),
                ScanOptions.from(RIGHT, "stat").pageRows(2));
        assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
        repairs = ALL;
        assertThat(diff("stat").rowsRepaired()).isEqualTo(expected.size());
        assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
        assertSame("stat");
    }

    @Test
    void aPartitionThatHasOnlyStaticColumnsIsNoRowIfTheseAreNotCompared() {
        create("apart", "p int, c int, s text static, v int, PRIMARY KEY (p, c)");
        execute("INSERT INTO diff_left.apart (p, s) VALUES (1, 'left')");
        execute("INSERT INTO diff_left.apart (p, c, s, v) VALUES (2, 1, 'same', 1)");
        execute("INSERT INTO diff_right.apart (p, s) VALUES (2, 'same')");
        onBoth("INSERT INTO $apart (p, c, v) VALUES (3, 1, 1)");
        execute("INSERT INTO diff_right.apart (p, c, s, v) VALUES (4, 1, 'right', 1)");
        repairs = ALL;
        DiffSummary first = diff(ScanOptions.from(LEFT, "apart").columns("v"), ScanOptions.from(RIGHT, "apart"));
        assertThat(found)
                .containsExactlyInAnyOrder(
                        "{\"kind\":\"missing-right\",\"key\":{\"p\":2,\"c\":1}}",
                        "{\"kind\":\"missing-left\",\"key\":{\"p\":4,\"c\":1}}");
        assertThat(first.rowsLeft()).isEqualTo(2);
        assertThat(first.rowsRight()).isEqualTo(2);
        assertThat(first.rowsRepaired()).isEqualTo(2);
        DiffSummary second = diff(ScanOptions.from(LEFT, "apart").columns("v"), ScanOptions.from(RIGHT, "apart"));
        assertThat(found).isEmpty();
        assertThat(second.digestLeft()).isEqualTo(second.digestRight());
    }

    @Test
    void rowsAreNotDeletedIfConditionsChooseThoseThatAreCompared() {
        create("chosen", "p int PRIMARY KEY, v int");
        execute("INSERT INTO diff_left.chosen (p, v) VALUES (1, 2)");
        execute("INSERT INTO diff_right.chosen (p, v) VALUES (1, 1)");
        repairs = ALL;
        assertThatThrownBy(() -> diff(
                        ScanOptions.from(LEFT, "chosen").where("v = 1"),
                        ScanOptions.from(RIGHT, "chosen").where("v = 1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("repairs extra needs whole tables, without conditions (where)");
        assertThat(execute("SELECT v FROM diff_right.chosen")).hasSize(1);
    }

    @Test
    void aRepairSaysHowLongRowsLive() {
        create("lives", "p int PRIMARY KEY, v int");
        repairs = EnumSet.of(Repaired.MISSING, Repaired.DIFFERENT);
        assertThat(warnings("lives")).isEmpty();
        execute("ALTER TABLE diff_left.lives WITH default_time_to_live = 1000");
        assertThat(warnings("lives"))
                .containsExactly(
                        "rows that are repaired do not expire, as diff_right.lives says (default_time_to_live),"
                                + " whatever is left of their time to live in diff_left.lives, where rows get 1000 s");
        execute("ALTER TABLE diff_left.lives WITH default_time_to_live = 0");
        execute("ALTER TABLE diff_right.lives WITH default_time_to_live = 500");
        assertThat(warnings("lives"))
                .containsExactly("rows that are repaired live for 500 s from now on, as diff_right.lives says"
                        + " (default_time_to_live), whatever is left of their time to live in diff_left.lives");
        repairs = Set.of();
        assertThat(warnings("lives")).isEmpty();
    }

    private List<String> warnings(String table) {
        DiffOptions options = options(/* threads */ 1);
        try (Differ differ = Differ.open(
                OVERDRIVE,
                ScanOptions.from(LEFT, table),
                OVERDRIVE,
                ScanOptions.from(RIGHT, table),
                options,
                found -> {})) {
            return differ.warnings();
        }
    }

    @Test
    void keysThatAreEqualForTheServerAreDistinguishedByTheirBytes() {
        create("scales", "p int, c decimal, v int, PRIMARY KEY (p, c)");
        execute("INSERT INTO diff_left.scales (p, c, v) VALUES (1, 1.0, 1)");
        execute("INSERT INTO diff_right.scales (p, c, v) VALUES (1, 1.00, 1)");
        DiffSummary summary = diff("scales");
        assertThat(found).containsExactly("{\"kind\":\"different\",\"key\":{\"p\":1,\"c\":1.0},\"columns\":[\"c\"]}");
        assertThat(summary.rowsSame()).isZero();
    }

    @Test
    void tablesThatCannotBeComparedAreRefused() {
        execute("CREATE TABLE diff_left.a (p int, c int, v int, w text, PRIMARY KEY (p, c))");
        execute("CREATE TABLE diff_right.descending (p int, c int, v int, w text, PRIMARY KEY (p, c)) WITH CLUSTERING"
                + " ORDER BY (c DESC)");
        execute("CREATE TABLE diff_right.typed (p int, c int, v int static, w text, PRIMARY KEY (p, c))");
        execute("CREATE TABLE diff_right.less (p int, c int, w text, PRIMARY KEY (p, c))");
        execute("CREATE TABLE diff_right.keyed (p int, c int, v int, w text, PRIMARY KEY ((p, c)))");
        assertRefused("descending", "their clustering columns have different orders (ASC, DESC)");
        assertRefused("typed", "column \"v\" is int on the left and int static on the right");
        assertRefused("less", "the right one has no column \"v\"");
        assertRefused("keyed", "partition keys (p int) and (p int, c int)");
        assertThat(diff(ScanOptions.from(LEFT, "a").columns("w"), ScanOptions.from(RIGHT, "typed"))
                        .isWhole())
                .isTrue();
    }

    private void assertRefused(String right, String why) {
        assertThatThrownBy(() -> diff(ScanOptions.from(LEFT, "a"), ScanOptions.from(RIGHT, right)))
                .hasMessageStartingWith("diff_left.a and diff_right." + right + " cannot be compared: " + why);
    }

    @Test
    void conditionsHoldForBothSides() {
        create("filtered", "p int, c int, v int, PRIMARY KEY (p, c)");
        for (int p = 0; p < 50; p++) {
            onBoth("INSERT INTO $filtered (p, c, v) VALUES (" + p + ", 1, 1)");
            execute("INSERT INTO diff_left.filtered (p, c, v) VALUES (" + p + ", 2, 2)");
        }
        DiffSummary summary = diff(
                ScanOptions.from(LEFT, "filtered").where("v = 1"),
                ScanOptions.from(RIGHT, "filtered").where("v = 1"));
        assertThat(found).isEmpty();
        assertThat(summary.rowsSame()).isEqualTo(50);
        // one partition, which is read as one
        diff(
                ScanOptions.from(LEFT, "filtered").where("p = 7"),
                ScanOptions.from(RIGHT, "filtered").where("p = 7"));
        assertThat(found).containsExactly("{\"kind\":\"missing-right\",\"key\":{\"p\":7,\"c\":2}}");
    }

    @Test
    void aStoppedComparisonSaysSo() {
        create("stopped", "p int, c int, PRIMARY KEY (p, c)");
        for (int p = 0; p < 200; p++) {
            onBoth("INSERT INTO $stopped (p, c) VALUES (" + p + ", 1)");
        }
        DiffOptions options = options(/* threads */ 2);
        try (Differ differ = Differ.open(
                OVERDRIVE,
                ScanOptions.from(LEFT, "stopped"),
                OVERDRIVE,
                ScanOptions.from(RIGHT, "stopped"),
                options,
                d -> {})) {
            differ.stop();
            DiffSummary summary = differ.run();
            assertThat(summary.outcome()).isEqualTo(Outcome.STOPPED);
            assertThat(summary.isWhole()).isFalse();
        }
    }

    @Test
    void aStoppedComparisonDoesNotWaitForItsRateLimits() throws Exception {
        create("slow", "p int, c int, PRIMARY KEY (p, c)");
        for (int p = 0; p < 200; p++) {
            onBoth("INSERT INTO $slow (p, c) VALUES (" + p + ", 1)");
        }
        DiffOptions options = options(/* threads */ 30);
        try (Differ differ = Differ.open(
                OVERDRIVE,
                ScanOptions.from(LEFT, "slow").rowsPerSecond(1),
                OVERDRIVE,
                ScanOptions.from(RIGHT, "slow").rowsPerSecond(1),
                options,
                d -> {})) {
            CompletableFuture<DiffSummary> run = CompletableFuture.supplyAsync(differ::run);
            while (differ.progress().left().rowsRead() == 0) {
                Thread.sleep(10);
            }
            differ.stop();
            assertThat(run.get(60, TimeUnit.SECONDS).outcome()).isEqualTo(Outcome.STOPPED);
        }
    }

    @Test
    void aTableThatDisappearsFailsTheComparison() {
        create("gone", "p int PRIMARY KEY, v int");
        onBoth("INSERT INTO $gone (p, v) VALUES (1, 1)");
        DiffOptions options = options(/* threads */ 2);
        try (Differ differ = Differ.open(
                OVERDRIVE,
                ScanOptions.from(LEFT, "gone"),
                OVERDRIVE,
                ScanOptions.from(RIGHT, "gone").maxAttempts(2),
                options,
                d -> {})) {
            execute("DROP TABLE diff_right.gone");
            DiffSummary summary = differ.run();
            assertThat(summary.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(summary.failure()).hasMessageContaining("diff_right.gone");
            assertThat(summary.isWhole()).isFalse();
        }
    }

    @Test
    void countersAreComparedAndNotRepaired() {
        create("hits", "id int PRIMARY KEY, n counter");
        execute("UPDATE diff_left.hits SET n = n + 1 WHERE id = 1");
        execute("UPDATE diff_right.hits SET n = n + 2 WHERE id = 1");
        diff("hits");
        assertThat(found).containsExactly("{\"kind\":\"different\",\"key\":{\"id\":1},\"columns\":[\"n\"]}");
        repairs = EnumSet.of(Repaired.MISSING, Repaired.DIFFERENT);
        assertThatThrownBy(() -> diff("hits")).hasMessageContaining("cannot be repaired");
    }
}
