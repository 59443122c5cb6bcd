package io.overdrive.jobs.diff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.Overdrive;
import io.overdrive.ScanOptions;
import io.overdrive.TestCluster;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.diff.DiffOptions.Comparison;
import io.overdrive.jobs.diff.DiffOptions.Repaired;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Comparisons of times and of columns with other names and types, and repairs of some kinds of differences. */
@Tag("server")
@Timeout(600)
class DiffRepairIT extends TwoKeyspaces {
    private static final String LEFT = "repair_left";
    private static final String RIGHT = "repair_right";
    private static final Overdrive OVERDRIVE = TestCluster.overdrive(LEFT);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    DiffRepairIT() {
        super(OVERDRIVE, LEFT, RIGHT);
    }

    @BeforeAll
    static void createKeyspace() {
        TestCluster.keyspace(RIGHT);
    }

    private void compareTimes() {
        comparison = new Comparison(Mapping.BY_NAME, 0, MINUTE);
    }

    /** Rows that are missing, differ, and are extra; static columns, too. */
    private void differ(String table) {
        create(table, "p int, c int, s text static, v int, PRIMARY KEY (p, c)");
        onBoth("INSERT INTO $" + table + " (p, c, s, v) VALUES (0, 0, 'same', 0)");
        onLeft("INSERT INTO $" + table + " (p, c, s, v) VALUES (1, 1, 'missing', 1)");
        onLeft("INSERT INTO $" + table + " (p, c, s, v) VALUES (2, 1, 'left', 1)");
        onRight("INSERT INTO $" + table + " (p, c, s, v) VALUES (2, 1, 'right', 2)");
        onLeft("INSERT INTO $" + table + " (p, c, v) VALUES (2, 2, 1)");
        onRight("INSERT INTO $" + table + " (p, c, v) VALUES (2, 3, 1)");
        onRight("INSERT INTO $" + table + " (p, c, s, v) VALUES (3, 1, 'extra', 1)");
    }

    private List<String> right(String table) {
        return execute("SELECT p, c, s, v FROM " + RIGHT + "." + table).stream()
                .map(row -> row.getInt(0) + " " + row.getInt(1) + " " + row.getString(2) + " " + row.getInt(3))
                .sorted()
                .toList();
    }

    @Test
    void missingRowsAloneAreRepaired() {
        differ("missing");
        repairs = EnumSet.of(Repaired.MISSING);
        assertThat(diff("missing").rowsRepaired()).isEqualTo(2);
        assertThat(found).hasSize(6);
        assertThat(right("missing"))
                .containsExactly(
                        "0 0 same 0", "1 1 missing 1", "2 1 right 2", "2 2 right 1", "2 3 right 1", "3 1 extra 1");
    }

    @Test
    void differentValuesAloneAreRepaired() {
        differ("different");
        repairs = EnumSet.of(Repaired.DIFFERENT);
        assertThat(diff("different").rowsRepaired()).isEqualTo(2);
        assertThat(right("different")).containsExactly("0 0 same 0", "2 1 left 1", "2 3 left 1", "3 1 extra 1");
    }

    @Test
    void extraRowsAloneAreRepaired() {
        differ("extra");
        repairs = EnumSet.of(Repaired.EXTRA);
        assertThat(diff("extra").rowsRepaired()).isEqualTo(2);
        assertThat(right("extra")).containsExactly("0 0 same 0", "2 1 right 2");
        assertThat(execute("SELECT DISTINCT p, s FROM " + RIGHT + ".extra")).hasSize(2);
    }

    @Test
    void repairedValuesKeepTheTimesOfTheLeftTable() {
        create("times", "p int, c int, s text static, a int, b text, m set<int>, PRIMARY KEY (p, c)");
        onLeft("INSERT INTO $times (p, s) VALUES (1, 'static') USING TIMESTAMP 500");
        onLeft("INSERT INTO $times (p, c, a) VALUES (1, 1, 10) USING TIMESTAMP 1000");
        onLeft("UPDATE $times USING TIMESTAMP 2000 AND TTL 90000 SET b = 'b', m = {1, 2} WHERE p = 1 AND c = 1");
        onLeft("INSERT INTO $times (p, c, a, b) VALUES (1, 2, 10, 'left') USING TIMESTAMP 1000");
        onRight("INSERT INTO $times (p, c, a, b) VALUES (1, 2, 9, 'newer') USING TIMESTAMP 900");
        onRight("UPDATE $times USING TIMESTAMP 3000 SET b = 'newer' WHERE p = 1 AND c = 2");
        onLeft("INSERT INTO $times (p, c) VALUES (1, 3)");
        onLeft("INSERT INTO $times (p, c, a) VALUES (1, 4, 10) USING TIMESTAMP 1000");
        onRight("INSERT INTO $times (p, c, a, b) VALUES (1, 4, 9, 'only here') USING TIMESTAMP 900");
        onBoth("INSERT INTO $times (p, c, a) VALUES (1, 5, 10) USING TIMESTAMP 1000");
        onRight("UPDATE $times SET b = 'only here' WHERE p = 1 AND c = 5");
        keepsTimes = true;
        repairs = EnumSet.of(Repaired.MISSING, Repaired.DIFFERENT);
        DiffSummary summary = diff("times");
        assertThat(summary.rowsRepaired()).isEqualTo(5);
        assertThat(summary.notRepaired()).isEqualTo(2);

        comparison = new Comparison(Mapping.BY_NAME, 0, MINUTE);
        repairs = Set.of();
        diff("times");
        assertThat(found)
                .as("values that are newer, or only on the right, stay")
                .containsExactly(
                        "{\"kind\":\"different\",\"key\":{\"p\":1,\"c\":2},\"columns\":[\"b\"]}",
                        "{\"kind\":\"different\",\"key\":{\"p\":1,\"c\":4},\"columns\":[\"b\"]}",
                        "{\"kind\":\"different\",\"key\":{\"p\":1,\"c\":5},\"columns\":[\"b\"]}");
        Row row = execute("SELECT writetime(a), ttl(a), writetime(b), ttl(b), writetime(s) FROM repair_right.times"
                        + " WHERE p = 1 AND c = 1")
                .get(0);
        assertThat(row.getLong(0)).isEqualTo(1000);
        assertThat(row.isNull(1)).isTrue();
        assertThat(row.getLong(2)).isEqualTo(2000);
        assertThat(row.getInt(3)).isBetween(80_000, 90_000);
        assertThat(row.getLong(4)).isEqualTo(500);
    }

    @Test
    void elementsOfSeveralTimesAreNotRepairedWithTheirTimes() {
        create("elements", "p int PRIMARY KEY, m map<int, int>, v int");
        onLeft("INSERT INTO $elements (p, v, m) VALUES (1, 1, {1: 1}) USING TIMESTAMP 1000");
        onLeft("UPDATE $elements USING TIMESTAMP 2000 SET m[2] = 2 WHERE p = 1");
        onLeft("INSERT INTO $elements (p, v, m) VALUES (2, 1, {1: 1}) USING TIMESTAMP 1000");
        keepsTimes = true;
        repairs = EnumSet.of(Repaired.MISSING, Repaired.DIFFERENT);
        DiffSummary summary = diff("elements");
        assertThat(summary.rowsRepaired()).isEqualTo(1);
        assertThat(summary.notRepaired()).isEqualTo(1);
        assertThat(execute("SELECT p FROM repair_right.elements")).hasSize(1);
        create("listed", "p int PRIMARY KEY, l list<int>");
        assertThatThrownBy(() -> diff("listed"))
                .hasMessageContaining("column \"l\" is a list")
                .hasMessageContaining("choose other columns with columns");
    }

    @Test
    void writeTimesAndTimesToLiveAreCompared() {
        create(
                "compared",
                "p int, c int, s int static, v int, w int, m map<int, int>, f frozen<list<int>>,"
                        + " PRIMARY KEY (p, c)");
        onBoth(
                "INSERT INTO $compared (p, c, s, v, m, f) VALUES (1, 1, 1, 1, {1: 1, 2: 2}, [1]) USING TIMESTAMP 1000 AND"
                        + " TTL 50000");
        onBoth("INSERT INTO $compared (p, c, v, w) VALUES (1, 2, 1, 1) USING TIMESTAMP 1000");
        onRight("UPDATE $compared USING TIMESTAMP 2000 SET w = 1 WHERE p = 1 AND c = 2");
        onLeft("INSERT INTO $compared (p, c, v) VALUES (1, 3, 1) USING TIMESTAMP 1000 AND TTL 50000");
        onRight("INSERT INTO $compared (p, c, v) VALUES (1, 3, 1) USING TIMESTAMP 1000 AND TTL 40000");
        onLeft("INSERT INTO $compared (p, c, v) VALUES (1, 4, 1) USING TIMESTAMP 1000 AND TTL 50000");
        onRight("INSERT INTO $compared (p, c, v) VALUES (1, 4, 2) USING TIMESTAMP 1000");
        onBoth("INSERT INTO $compared (p, c, m) VALUES (1, 5, {1: 1, 2: 2}) USING TIMESTAMP 1000 AND TTL 50000");
        onLeft("UPDATE $compared USING TIMESTAMP 3000 AND TTL 50000 SET m[2] = 2 WHERE p = 1 AND c = 5");
        onBoth("INSERT INTO $compared (p, s) VALUES (2, 1) USING TIMESTAMP 1000");
        onLeft("INSERT INTO $compared (p, s) VALUES (2, 1) USING TIMESTAMP 1001");
        diff("compared");
        assertThat(found).as("without times").hasSize(1);
        compareTimes();
        diff("compared");
        assertThat(found)
                .containsExactlyInAnyOrder(
                        "{\"kind\":\"different\",\"key\":{\"p\":1,\"c\":2},\"times\":[\"w\"]}",
                        "{\"kind\":\"different\",\"key\":{\"p\":1,\"c\":3},\"times\":[\"v\"]}",
                        "{\"kind\":\"different\",\"key\":{\"p\":1,\"c\":4},\"columns\":[\"v\"]}",
                        "{\"kind\":\"different\",\"key\":{\"p\":1,\"c\":5},\"times\":[\"m\"]}",
                        "{\"kind\":\"different\",\"key\":{\"p\":2},\"times\":[\"s\"]}");
    }

    @Test
    void columnsOfOtherNamesAndTypesAreComparedAndRepaired() {
        execute(
                "CREATE TABLE repair_left.mapped (id int, day date, total int, tags set<int>, note text, PRIMARY KEY (id,"
                        + " day)) WITH CLUSTERING ORDER BY (day DESC)");
        execute(
                "CREATE TABLE repair_right.mapped (customer int, at date, total bigint, labels set<text>, extra int, note"
                        + " text, PRIMARY KEY (customer, at)) WITH CLUSTERING ORDER BY (at DESC)");
        for (int i = 0; i < 3; i++) {
            onLeft("INSERT INTO $mapped (id, day, total, tags, note) VALUES (" + i + ", '2026-01-01', 7, {1, 10, 2},"
                    + " 'left')");
        }
        onRight("INSERT INTO $mapped (customer, at, total, labels, note) VALUES (0, '2026-01-01', 7, {'1', '10', '2'},"
                + " 'right')");
        onRight("INSERT INTO $mapped (customer, at, total, labels) VALUES (1, '2026-01-01', 8, {'1'})");
        comparison = new Comparison(
                Mapping.parse("id = customer, day = at, tags = labels, total = total, * = -note"), 0, null);
        List<String> expected = List.of(
                "{\"kind\":\"different\",\"key\":{\"id\":1,\"day\":\"2026-01-01\"},\"columns\":[\"tags\",\"total\"]}",
                "{\"kind\":\"missing-right\",\"key\":{\"id\":2,\"day\":\"2026-01-01\"}}");
        DiffSummary summary = diff("mapped");
        assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(summary.digestLeft()).isEmpty();
        repairs = EnumSet.of(Repaired.MISSING, Repaired.DIFFERENT);
        assertThat(diff("mapped").rowsRepaired()).isEqualTo(2);
        diff("mapped");
        assertThat(found).isEmpty();
        comparison = new Comparison(Mapping.parse("id = customer, day = at, tags = note, * = *"), 0, null);
        diff("mapped");
        assertThat(warnings)
                .containsExactly("columns that are not compared: repair_left.mapped.note, repair_right.mapped.extra,"
                        + " repair_right.mapped.labels");
    }

    @Test
    void aValueThatTheRightTypeCannotHoldIsADifferenceThatIsNotRepaired() {
        execute("CREATE TABLE repair_left.narrow (p int PRIMARY KEY, v bigint)");
        execute("CREATE TABLE repair_right.narrow (p int PRIMARY KEY, v int)");
        onLeft("INSERT INTO $narrow (p, v) VALUES (1, 5000000000)");
        onRight("INSERT INTO $narrow (p, v) VALUES (1, 5)");
        onLeft("INSERT INTO $narrow (p, v) VALUES (2, 5)");
        onRight("INSERT INTO $narrow (p, v) VALUES (2, 5)");
        repairs = EnumSet.of(Repaired.MISSING, Repaired.DIFFERENT);
        DiffSummary summary = diff("narrow");
        assertThat(found).containsExactly("{\"kind\":\"different\",\"key\":{\"p\":1},\"columns\":[\"v\"]}");
        assertThat(summary.rowsRepaired()).isZero();
        assertThat(summary.notRepaired()).isEqualTo(1);
    }

    @Test
    void keysOfOtherTypesAreRefused() {
        execute("CREATE TABLE repair_left.keyed (p int PRIMARY KEY, v bigint)");
        execute("CREATE TABLE repair_right.keyed (p bigint PRIMARY KEY, v int)");
        assertThatThrownBy(() -> diff("keyed")).hasMessageContaining("partition keys (p int) and (p bigint)");
    }

    @Test
    void floatingPointNumbersAreComparedWithATolerance() {
        create("floats", "p int PRIMARY KEY, f float, d double");
        onBoth("INSERT INTO $floats (p, f, d) VALUES (1, 1, NaN)");
        onLeft("INSERT INTO $floats (p, f, d) VALUES (2, 1.0001, 1000.1)");
        onRight("INSERT INTO $floats (p, f, d) VALUES (2, 1, 1000)");
        onLeft("INSERT INTO $floats (p, f, d) VALUES (3, 1.1, Infinity)");
        onRight("INSERT INTO $floats (p, f, d) VALUES (3, 1, -Infinity)");
        onLeft("INSERT INTO $floats (p, f, d) VALUES (4, 0.0, -0.0)");
        onRight("INSERT INTO $floats (p, f) VALUES (4, 0.0)");
        diff("floats");
        assertThat(found).hasSize(3);
        comparison = new Comparison(Mapping.BY_NAME, 0.001, null);
        diff("floats");
        assertThat(found)
                .containsExactlyInAnyOrder(
                        "{\"kind\":\"different\",\"key\":{\"p\":3},\"columns\":[\"d\",\"f\"]}",
                        "{\"kind\":\"different\",\"key\":{\"p\":4},\"columns\":[\"d\"]}");
    }

    @Test
    void convertedNumbersAreComparedWithATolerance() {
        execute("CREATE TABLE repair_left.widths (p int PRIMARY KEY, f float, d double)");
        execute("CREATE TABLE repair_right.widths (p int PRIMARY KEY, f double, d float)");
        onLeft("INSERT INTO $widths (p, f, d) VALUES (1, 0.1, 1.0001)");
        onRight("INSERT INTO $widths (p, f, d) VALUES (1, 0.10000000149, 1)");
        onLeft("INSERT INTO $widths (p, f, d) VALUES (2, 0.1, 1)");
        onRight("INSERT INTO $widths (p, f) VALUES (2, 0.2)");
        diff("widths");
        assertThat(found).hasSize(2);
        comparison = new Comparison(Mapping.BY_NAME, 0.001, null);
        diff("widths");
        assertThat(found).containsExactly("{\"kind\":\"different\",\"key\":{\"p\":2},\"columns\":[\"d\",\"f\"]}");
    }

    @Test
    void anEqualKeyWithOtherBytesIsADifferenceThatIsNotRepaired() {
        create("decimals", "p int, c decimal, v int, PRIMARY KEY (p, c)");
        onLeft("INSERT INTO $decimals (p, c, v) VALUES (1, 1.0, 1)");
        onRight("INSERT INTO $decimals (p, c, v) VALUES (1, 1.00, 1)");
        onLeft("INSERT INTO $decimals (p, c, v) VALUES (2, 1.0, 1)");
        onRight("INSERT INTO $decimals (p, c, v) VALUES (2, 1.00, 2)");
        repairs = EnumSet.allOf(Repaired.class);
        DiffSummary summary = diff("decimals");
        assertThat(summary.rowsRepaired()).as("the value of one").isEqualTo(1);
        assertThat(summary.notRepaired()).isEqualTo(2);
        diff("decimals");
        assertThat(found)
                .containsExactlyInAnyOrder(
                        "{\"kind\":\"different\",\"key\":{\"p\":1,\"c\":1.0},\"columns\":[\"c\"]}",
                        "{\"kind\":\"different\",\"key\":{\"p\":2,\"c\":1.0},\"columns\":[\"c\"]}");
    }

    @Test
    void aChosenColumnThatTheMappingLeavesOutIsNamed() {
        create("chosen", "p int PRIMARY KEY, v int, note text");
        comparison = new Comparison(Mapping.parse("* = *, * = -note"), 0, null);
        diff(ScanOptions.from(LEFT, "chosen").columns("v", "note"), ScanOptions.from(RIGHT, "chosen"));
        assertThat(warnings).containsExactly("columns that are not compared: repair_left.chosen.note");
    }

    @Test
    void partitionsOfEqualStaticColumnsCountAsTheSame() {
        create("statics", "p int, c int, s float static, PRIMARY KEY (p, c)");
        onLeft("INSERT INTO $statics (p, s) VALUES (1, 1.0001)");
        onRight("INSERT INTO $statics (p, s) VALUES (1, 1)");
        onLeft("INSERT INTO $statics (p, s) VALUES (2, 1.1)");
        onRight("INSERT INTO $statics (p, s) VALUES (2, 1)");
        comparison = new Comparison(Mapping.BY_NAME, 0.001, null);
        DiffSummary summary = diff("statics");
        assertThat(found).containsExactly("{\"kind\":\"different\",\"key\":{\"p\":2},\"columns\":[\"s\"]}");
        assertThat(summary.rowsSame()).isEqualTo(1);
    }
}
