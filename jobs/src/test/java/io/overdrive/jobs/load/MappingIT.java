package io.overdrive.jobs.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.TestCluster;
import io.overdrive.WriteOptions;
import io.overdrive.jobs.Summary.Outcome;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Fields go to the right columns of a real table. */
class MappingIT {
    private static final String KEYSPACE = "files_mapping";
    private static final Overdrive OVERDRIVE = TestCluster.overdrive(KEYSPACE);

    private static int tables;

    private final Loads loads;
    private String table = "";

    MappingIT(@TempDir Path directory) {
        loads = new Loads(directory);
    }

    private void create(String columns) {
        table = "t" + tables++;
        OVERDRIVE.session().execute("CREATE TABLE " + KEYSPACE + "." + table + " (" + columns + ")");
    }

    private WriteOptions.Builder target() {
        return WriteOptions.into(KEYSPACE, table);
    }

    private LoadSummary load() {
        return done(loads.run(OVERDRIVE, target()));
    }

    private LoadSummary query(String cql) {
        return done(loads.run(OVERDRIVE, WriteOptions.statement(cql.replace("TABLE", KEYSPACE + "." + table))));
    }

    private LoadSummary done(LoadSummary summary) {
        assertThat(loads.rejectFiles().stream().map(loads::text)).isEmpty();
        assertThat(summary.failure()).isNull();
        assertThat(summary.outcome()).isEqualTo(Outcome.DONE);
        assertThat(summary.rowsWritten()).isEqualTo(summary.rowsRead());
        return summary;
    }

    /** Rows as text, cells separated by blanks, sorted. */
    private List<String> rows(String selection) {
        List<String> rows = new ArrayList<>();
        for (Row row : OVERDRIVE.session().execute("SELECT " + selection + " FROM " + KEYSPACE + "." + table)) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < row.size(); i++) {
                text.append(i == 0 ? "" : " ").append(row.getObject(i));
            }
            rows.add(text.toString());
        }
        rows.sort(null);
        return rows;
    }

    @Test
    void aFileOfOneRecordWithoutHeaderIsNotMistakenForAnEmptyOne() {
        create("id int PRIMARY KEY, a text");
        loads.file("x.csv", "1,x");
        assertThatThrownBy(this::load)
                .isInstanceOf(OverdriveException.class)
                .hasMessageContaining("field \"1\" has no column of its name")
                .hasMessageContaining("header(false)");
        assertThatThrownBy(() -> query("INSERT INTO TABLE (id, a) VALUES (:id, :a)"))
                .isInstanceOf(OverdriveException.class)
                .hasMessageContaining("field \"1\"");
    }

    @Test
    void norIsOneAfterOtherFiles() {
        create("id int PRIMARY KEY, a text");
        loads.file("x.csv", "id,a", "1,x").file("y.csv", "2,y");
        LoadSummary summary = loads.run(OVERDRIVE, target());
        assertThat(summary.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(summary.failure()).hasMessageContaining("y.csv").hasMessageContaining("field \"2\"");
    }

    @Test
    void aFileOfAHeaderHasNoRows() {
        create("id int PRIMARY KEY, a text");
        loads.file("x.csv", "id").file("y.csv", "id,a", "1,x").file("z.csv", "a,id");
        assertThat(load().rowsRead()).isEqualTo(1);
        assertThat(rows("id, a")).containsExactly("1 x");
    }

    @Test
    void columnsAreFoundByHeaderAsInCql() {
        create("\"Id\" int, \"order\" int, \"say \"\"hi\"\"\" text, plain text, PRIMARY KEY (\"Id\", \"order\")");
        loads.file("x.csv", "PLAIN,Id,\"say \"\"hi\"\"\",order", "a,1,b,2", "c,3,d,4");
        load();
        assertThat(rows("\"Id\", \"order\", \"say \"\"hi\"\"\", plain")).containsExactly("1 2 b a", "3 4 d c");
    }

    @Test
    void columnsAreFoundByMappingAsInCql() {
        create("\"Id\" int, \"order\" int, \"say \"\"hi\"\"\" text, plain text, PRIMARY KEY (\"Id\", \"order\")");
        loads.file("x.csv", "a,B,c c,d", "1,2,x,y")
                .map("a = \"Id\", b = order, \"c c\" = \"say \"\"hi\"\"\", 'it''s' = PLAIN, * = -d");
        load();
        assertThat(rows("\"Id\", \"order\", \"say \"\"hi\"\"\", plain")).containsExactly("1 2 x it's");
    }

    @Test
    void jsonMembersAreMappedToo() {
        create("\"Id\" int PRIMARY KEY, name text, copy text, source text");
        loads.file("x.jsonl", "{\"ID\": 1, \"who\": \"a\", \"junk\": {}}", "{\"who\": \"b\", \"ID\": 2}")
                .map("\"ID\" = \"Id\", who = name, who = copy, 'json' = source, * = -junk");
        load();
        assertThat(rows("\"Id\", name, copy, source")).containsExactly("1 a a json", "2 b b json");
    }

    @Test
    void anUnknownColumnFailsBeforeAnythingIsWritten() {
        create("id int PRIMARY KEY, name text");
        loads.file("x.csv", "id,name,age", "1,a,2");
        assertThatThrownBy(this::load)
                .isInstanceOf(OverdriveException.class)
                .hasMessageContaining("x.csv: field \"age\" has no column of its name");
        loads.map("id = id, name = nme");
        assertThatThrownBy(this::load).hasMessageContaining("there is no column \"nme\"; the columns are id, name");
        loads.map("name = name");
        assertThatThrownBy(this::load)
                .isInstanceOf(OverdriveException.class)
                .hasMessageContaining("primary key column \"id\" is not among the columns to write");
        loads.map("* = *").allowExtraFields();
        load();
        assertThat(rows("id, name")).containsExactly("1 a");
    }

    @Test
    void aMissingValueLeavesTheCellUnchanged() {
        create("id int PRIMARY KEY, n int, t text, l list<int>");
        OVERDRIVE
                .session()
                .execute("INSERT INTO " + KEYSPACE + "." + table
                        + " (id, n, t, l) VALUES (1, 7, 'kept', [1, 2]) USING TIMESTAMP 1000");
        loads.file("x.csv", "id,n,t,l", "1,NA,,", "2,NULL,\"\",NULL");
        load();
        assertThat(rows("id, n, t, l")).containsExactly("1 7 kept [1, 2]", "2 null  []");
    }

    @Test
    void withWriteNullsAMissingValueDeletesTheCell() {
        create("id int PRIMARY KEY, n int, t text, u text");
        OVERDRIVE
                .session()
                .execute("INSERT INTO " + KEYSPACE + "." + table
                        + " (id, n, t, u) VALUES (1, 7, 'gone', 'kept') USING TIMESTAMP 1000");
        loads.file("x.csv", "id,n,t", "1,NA,").writeNulls();
        load();
        assertThat(rows("id, n, t, u")).containsExactly("1 null null kept");
    }

    @ParameterizedTest
    @ValueSource(strings = {"x.csv", "x.jsonl"})
    void givenNullWordsAreMissingValuesInEveryFormat(String name) {
        create("id int PRIMARY KEY, n int, t text");
        if (name.endsWith("csv")) {
            loads.file(name, "id,n,t", "1,-,-", "2,2,\"-\"");
        } else {
            loads.file(name, "{\"id\": 1, \"n\": \"-\", \"t\": \"-\"}", "{\"id\": 2, \"n\": 2, \"t\": null}");
        }
        loads.nullWords("-");
        load();
        assertThat(rows("id, n, t")).containsExactly("1 null null", name.endsWith("csv") ? "2 2 -" : "2 2 null");
    }

    @ParameterizedTest
    @ValueSource(strings = {"x.csv", "x.jsonl"})
    void timeToLiveAndWriteTimeComeFromFields(String name) {
        create("id int PRIMARY KEY, v text");
        if (name.endsWith("csv")) {
            loads.file(name, "id,v,t,w", "1,a,1000,1234567", "2,b,NA,2013-01-01T00:00:00Z", "3,c,,");
        } else {
            loads.file(
                    name,
                    "{\"id\": 1, \"v\": \"a\", \"t\": 1000, \"w\": 1234567}",
                    "{\"id\": 2, \"v\": \"b\", \"t\": \"NA\", \"w\": \"2013-01-01T00:00:00Z\"}",
                    "{\"id\": 3, \"v\": \"c\", \"t\": null}");
        }
        loads.map("t = ttl(), w = writetime(), * = *").nullWords("NA");
        load();
        assertThat(rows("id, writetime(v)").subList(0, 2)).containsExactly("1 1234567", "2 1356998400000000");
        List<String> lives = rows("id, ttl(v)");
        assertThat(Integer.parseInt(lives.get(0).substring(2))).isBetween(900, 1000);
        assertThat(lives.subList(1, 3)).containsExactly("2 null", "3 null");
    }

    @Test
    void timeToLiveAndWriteTimeMayBeConstants() {
        create("id int PRIMARY KEY, v text");
        loads.file("x.csv", "id,v", "1,a").map("'500' = ttl(), '77' = writetime(), * = *");
        load();
        assertThat(rows("id, writetime(v)")).containsExactly("1 77");
        assertThat(Integer.parseInt(rows("ttl(v)").get(0))).isBetween(400, 500);
    }

    @Test
    void badWriteTimesAndTimesToLiveAreRejected() {
        create("id int PRIMARY KEY, v text");
        loads.file("x.csv", "id,v,t,w", "1,a,soon,1", "2,b,1,+200000000-01-01", "3,c,-5,1")
                .map("t = ttl(), w = writetime(), * = *");
        LoadSummary summary = loads.run(OVERDRIVE, target());
        assertThat(summary.outcome()).isEqualTo(Outcome.DONE);
        assertThat(summary.rowsRead()).isEqualTo(3);
        assertThat(summary.rowsRejected()).isEqualTo(3);
        assertThat(loads.text("x.csv.rejected.reasons"))
                .contains("\"column\":\"ttl()\",\"value\":\"soon\"")
                .contains("\"column\":\"writetime()\",\"value\":\"+200000000-01-01\"")
                .contains("must be greater or equal to 0");
    }

    @Test
    void aColumnTakesOneFieldOfAJsonRecord() {
        create("id int PRIMARY KEY, a int");
        loads.file(
                "x.jsonl",
                "{\"id\": 1, \"a\": 1, \"A\": 2}",
                "{\"id\": 2, \"a\": 1, \"a\": [2]}",
                "{\"id\": 3, \"A\": 2}",
                "{\"id\": 4, \"a\": 3}");
        LoadSummary summary = loads.run(OVERDRIVE, target());
        assertThat(summary.rowsRejected()).isEqualTo(2);
        assertThat(loads.text("x.jsonl.rejected.reasons"))
                .contains(
                        "field \\\"A\\\" is a second value for column \\\"a\\\"; map one of them elsewhere, or leave it"
                                + " out, with mapping");
        assertThat(rows("id, a")).containsExactly("3 2", "4 3");
    }

    @Test
    void theTimesOfARowTakeOneFieldOfAJsonRecord() {
        create("id int PRIMARY KEY, v text");
        loads.file(
                        "x.jsonl",
                        "{\"id\": 1, \"x\": 60, \"y\": 600}",
                        "{\"id\": 2, \"x\": 60, \"X\": 600}",
                        "{\"id\": 3, \"w\": 5, \"w\": 7}",
                        "{\"id\": 4, \"y\": 600, \"w\": 7, \"v\": \"a\"}")
                .map("x = ttl(), y = ttl(), w = writetime(), * = *");
        LoadSummary summary = loads.run(OVERDRIVE, target());
        assertThat(summary.rowsRejected()).isEqualTo(3);
        assertThat(loads.text("x.jsonl.rejected.reasons"))
                .contains("field \\\"y\\\" is a second value for ttl(); map")
                .contains("field \\\"X\\\" is a second value for ttl(); map")
                .contains("field \\\"w\\\" is a second value for writetime(); map");
        assertThat(rows("id, writetime(v)")).containsExactly("4 7");
    }

    @Test
    void theWayToLeaveOutAFieldOfAJsonRecordWorksForAnyName() {
        create("id int PRIMARY KEY");
        loads.file("x.jsonl", "{\"id\": 1, \"Run, min\": 5}");
        assertThat(loads.run(OVERDRIVE, target()).rowsRejected()).isEqualTo(1);
        assertThat(loads.text("x.jsonl.rejected.reasons"))
                .contains("leave it out with mapping '* = *, * = -\\\"Run, min\\\"' or allowExtraFields");
        loads.map("* = *, * = -\"Run, min\"");
        assertThat(loads.run(OVERDRIVE, target()).rowsWritten()).isEqualTo(1);
    }

    @Test
    void numbersThatAreNoMicrosecondsAreNoWriteTimes() {
        create("id int PRIMARY KEY, v text");
        loads.file("x.csv", "id,v,w", "1,a,1608834600", "2,b,1608834600000", "3,c,1608834600000000000", "4,d,1")
                .map("w = writetime(), * = *");
        LoadSummary summary = loads.run(OVERDRIVE, target());
        assertThat(summary.rowsRejected()).isEqualTo(3);
        assertThat(loads.text("x.csv.rejected.reasons"))
                .contains("column \\\"writetime()\\\" is a write time, but 1608834600000 would be"
                        + " 1970-01-19T14:53:54.600Z: a number is in microseconds; write a time in another unit"
                        + " as text, such as 2020-12-24T18:30:00Z");
        assertThat(rows("id, writetime(v)")).containsExactly("4 1");
    }

    @Test
    void aReasonNamesTheOptionThatWouldTakeTheValue() {
        create("id int PRIMARY KEY, d date");
        loads.file("x.csv", "id,d", "1,20201224", "2,2020-12-24").file("y.jsonl", "{\"id\": 3, \"d\": 20201224}");
        LoadSummary summary = loads.run(OVERDRIVE, target());
        assertThat(summary.rowsRejected()).isEqualTo(2);
        String reason = "\"reason\":\"column \\\"d\\\" is date, got \\\"20201224\\\"; if it is a date, give datePattern"
                + " yyyyMMdd\"";
        assertThat(summary.rejectFiles()).hasSize(2).allSatisfy(file -> assertThat(RejectFile.reasonsOf(file))
                .content()
                .contains(reason));
        assertThat(rows("id, d")).containsExactly("2 2020-12-24");
    }

    @Test
    void aBadConstantFailsTheLoad() {
        create("id int PRIMARY KEY, n int");
        loads.file("x.csv", "id", "1").map("'many' = n, * = *");
        LoadSummary summary = loads.run(OVERDRIVE, target());
        assertThat(summary.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(summary.failure()).hasMessage("mapping \"'many' = n, * = *\": column \"n\" is int, got \"many\"");
        assertThat(rows("id")).isEmpty();
    }

    @Test
    void insertsWithTheUsersStatement() {
        create("id int PRIMARY KEY, a text, \"B\" text");
        loads.file("x.csv", "id,v", "1,x", "2,");
        query("INSERT INTO TABLE (id, a, \"B\") VALUES (:id, :v, :v) USING TTL 1000;");
        assertThat(rows("id, a, \"B\"")).containsExactly("1 x x", "2 null null");
        assertThat(rows("ttl(a)").get(0)).isNotEqualTo("null");
    }

    @Test
    void aFieldWithoutAMarkerEndsTheLoadBeforeItReadsARow() {
        create("id int PRIMARY KEY, a text");
        loads.file("x.csv", "id,a", "1,x");
        assertThatThrownBy(() -> query("INSERT INTO TABLE (id, a) VALUES (:id, :nope)"))
                .isInstanceOf(OverdriveException.class)
                .hasMessageContaining("x.csv: field \"a\" has no marker of its name; ")
                .hasMessageEndingWith("; the markers are id, nope");
    }

    @Test
    void updatesWithTheUsersStatement() {
        create("id int PRIMARY KEY, a text, n int, tags set<text>");
        loads.file("x.jsonl", "{\"id\": 1, \"Name\": \"x\"}", "{\"id\": 2, \"Name\": \"y\", \"more\": [1]}")
                .map("name = a, * = *, * = -more");
        query("UPDATE TABLE SET a = :a, n = 5 WHERE id = :id");
        assertThat(rows("id, a, n")).containsExactly("1 x 5", "2 y 5");
    }

    @Test
    void deletesWithTheUsersStatement() {
        create("id int, c int, a text, PRIMARY KEY (id, c)");
        for (int i = 0; i < 4; i++) {
            OVERDRIVE
                    .session()
                    .execute("INSERT INTO " + KEYSPACE + "." + table + " (id, c, a) VALUES (1, " + i
                            + ", 'x') USING TIMESTAMP 1000");
        }
        loads.file("x.csv", "id,c", "1,0", "1,3");
        query("DELETE FROM TABLE WHERE id = :id AND c = :c");
        assertThat(rows("id, c")).containsExactly("1 1", "1 2");
    }

    @Test
    void aStatementGetsItsTimesFromItsMarkers() {
        create("id int PRIMARY KEY, a text");
        loads.file("x.csv", "id,a,t,w", "1,x,1000,55");
        query("INSERT INTO TABLE (id, a) VALUES (:id, :a) USING TTL :t AND TIMESTAMP :w");
        assertThat(rows("id, a, writetime(a)")).containsExactly("1 x 55");
        loads.map("t = ttl(), * = *");
        assertThatThrownBy(() -> query("INSERT INTO TABLE (id, a) VALUES (:id, :a)"))
                .isInstanceOf(OverdriveException.class)
                .hasMessage("mapping \"t = ttl(), * = *\": ttl() and writetime() are for tables; in a statement write"
                        + " USING TTL :name or USING TIMESTAMP :name, and map the field to that name");
    }

    @Test
    void countersNeedLeaveToBeWritten() {
        create("id int PRIMARY KEY, n counter");
        loads.file("x.csv", "id,n", "1,5", "2,7", "1,3");
        assertThatThrownBy(this::load)
                .isInstanceOf(OverdriveException.class)
                .hasMessageContaining("holds counters")
                .hasMessageContaining("allowNonIdempotent");
        done(loads.run(OVERDRIVE, target().allowNonIdempotent()));
        assertThat(rows("id, n")).containsExactly("1 8", "2 7");
    }

    @Test
    void filesMayHaveTheirColumnsInDifferentOrder() {
        create("id int PRIMARY KEY, a text, b text");
        loads.file("1.csv", "id,a,b", "1,a1,b1")
                .file("2.csv", "b,id,a", "b2,2,a2")
                .file("3.tsv", "B\tID", "b3\t3")
                .file("4.jsonl", "{\"b\": \"b4\", \"id\": 4}");
        load();
        assertThat(rows("id, a, b")).containsExactly("1 a1 b1", "2 a2 b2", "3 null b3", "4 null b4");
    }

    @Test
    void aLaterFileWithAnotherColumnStopsTheLoad() {
        create("id int PRIMARY KEY, a text, b text");
        loads.file("1.csv", "id,a", "1,a1").file("2.csv", "id,b", "2,b2").threads(1);
        LoadSummary summary = loads.run(OVERDRIVE, target());
        assertThat(summary.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(summary.failure())
                .hasMessageEndingWith("2.csv: field for column \"b\", which the first file does not have; load files"
                        + " with different headers one by one");
        assertThat(summary.rowsRead()).isEqualTo(1);
        assertThat(summary.rowsWritten()).isEqualTo(1);
    }

    @Test
    void aFileWithoutHeaderGetsNames() {
        create("id int PRIMARY KEY, a text, b text");
        loads.file("x.csv", "b,1,a").fieldNames(List.of("b", "id", "A"));
        loads.format.header(false);
        load();
        assertThat(rows("id, a, b")).containsExactly("1 a b");
    }

    @Test
    void aFileWithoutHeaderIsMappedByNumbers() {
        create("id int PRIMARY KEY, a text, b text");
        loads.file("x.csv", "b,unused,1,a,unused", "d,unused,2,c,unused").map("2 = id, 0 = b, 3 = a");
        loads.format.header(false);
        load();
        assertThat(rows("id, a, b")).containsExactly("1 a b", "2 c d");
    }

    @Test
    void aFileWithoutHeaderOrNamesIsAnError() {
        create("id int PRIMARY KEY, a text");
        loads.file("x.csv", "1,a");
        loads.format.header(false);
        assertThatThrownBy(this::load)
                .isInstanceOf(OverdriveException.class)
                .hasMessageEndingWith(
                        "x.csv: the file has no header; name its fields in their order with fieldNames, for"
                                + " example fieldNames id,a, or map them by number with mapping \"0 = id, 1 = a\"");
    }

    @Test
    void anEmptyFileCompletesImmediately() {
        create("id int PRIMARY KEY, a text");
        loads.file(loads.write("empty.csv", "")).file("head.csv", "a,id").file("rows.csv", "id,a", "1,x");
        assertThat(load().rowsRead()).isEqualTo(1);
        assertThat(rows("id, a")).containsExactly("1 x");
    }
}
