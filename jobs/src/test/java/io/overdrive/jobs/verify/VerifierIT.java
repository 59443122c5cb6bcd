package io.overdrive.jobs.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.ScanOptions;
import io.overdrive.TestCluster;
import io.overdrive.TypeZoo;
import io.overdrive.TypeZoo.TypeSamples;
import io.overdrive.WriteOptions;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.load.LoadSummary;
import io.overdrive.jobs.load.Loads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files compared with the table that they were loaded into. */
@Tag("server")
@Timeout(600)
class VerifierIT {
    private static final String KEYSPACE = "verify";
    private static final Overdrive OVERDRIVE = TestCluster.overdrive(KEYSPACE);

    private final Path directory;
    private final Path spills;
    private final Loads input;
    private final List<String> found = new ArrayList<>();
    private long sortMemory = 16 << 20;
    private long maxDifferences = Long.MAX_VALUE;

    VerifierIT(@TempDir Path directory, @TempDir Path spills) {
        this.directory = directory;
        this.spills = spills;
        this.input = new Loads(directory);
    }

    @BeforeAll
    static void createType() {
        execute(TypeZoo.udtDdl(KEYSPACE));
    }

    private static void execute(String cql) {
        OVERDRIVE.session().execute(cql);
    }

    private static void create(String table, String columns) {
        execute("CREATE TABLE " + KEYSPACE + "." + table + " (" + columns + ")");
    }

    private void load(String table) {
        LoadSummary summary =
                input.run(OVERDRIVE, WriteOptions.into(KEYSPACE, table).allowNonIdempotent());
        assertThat(summary.failure()).isNull();
        assertThat(summary.outcome()).isEqualTo(Outcome.DONE);
    }

    private Verifier open(ScanOptions.Builder read) {
        found.clear();
        return Verifier.open(
                OVERDRIVE,
                read,
                new VerifyOptions(input.options(), spills, sortMemory, maxDifferences),
                difference -> found.add(difference.toJson()));
    }

    private VerifySummary verify(ScanOptions.Builder read) {
        try (Verifier verifier = open(read)) {
            VerifySummary summary = verifier.run();
            assertThat(summary.failure()).isNull();
            assertThat(summary.outcome()).isEqualTo(Outcome.DONE);
            assertThat(spills).as("spill files are deleted").isEmptyDirectory();
            return summary;
        }
    }

    private VerifySummary verify(String table) {
        return verify(ScanOptions.from(KEYSPACE, table));
    }

    private void assertAllThere(String table, long rows) {
        VerifySummary summary = verify(table);
        assertThat(found).isEmpty();
        assertThat(summary.differences()).isZero();
        assertThat(summary.isWhole()).isTrue();
        assertThat(summary.rowsCompared()).isEqualTo(rows).isEqualTo(summary.rowsSame());
        assertThat(summary.done()).isEqualTo(1);
    }

    @Test
    void everyValueOfEveryTypeIsTheSame() {
        List<TypeSamples> zoo = TypeZoo.all(KEYSPACE).stream()
                .filter(type -> !type.cql().equals("counter"))
                .toList();
        String columns =
                zoo.stream().map(t -> ", c_" + t.name() + " " + t.cql()).collect(Collectors.joining());
        create("zoo", "id text PRIMARY KEY" + columns.replace("creature", KEYSPACE + ".creature"));
        StringBuilder csv = new StringBuilder("id");
        zoo.forEach(type -> csv.append(",c_").append(type.name()));
        csv.append('\n');
        StringBuilder json = new StringBuilder();
        int samples = 0;
        for (int column = 0; column < zoo.size(); column++) {
            TypeSamples type = zoo.get(column);
            for (int i = 0; i < type.samples().size(); i++) {
                String text = type.samples().get(i).text().replace("\"", "\"\"");
                csv.append("csv ").append(type.name()).append(i).append(",".repeat(column + 1));
                csv.append('"').append(text).append('"').append(",".repeat(zoo.size() - column - 1));
                csv.append('\n');
                json.append("{\"id\": \"json ").append(type.name()).append(i).append("\", \"c_");
                json.append(type.name())
                        .append("\": ")
                        .append(type.samples().get(i).json());
                json.append("}\n");
                samples += 2;
            }
        }
        input.file(input.write("zoo.csv", csv.toString()));
        input.file(input.write("zoo.jsonl", json.toString()));
        load("zoo");
        assertAllThere("zoo", samples);
        for (TypeSamples type : zoo) {
            execute("DELETE c_" + type.name() + " FROM verify.zoo WHERE id = 'json " + type.name() + "0'");
        }
        verify("zoo");
        assertThat(found)
                .containsExactlyInAnyOrderElementsOf(zoo.stream()
                        .map(type -> "{\"kind\":\"different\",\"key\":{\"id\":\"json " + type.name()
                                + "0\"},\"columns\":[\"c_" + type.name() + "\"]}")
                        .toList());
    }

    @Test
    void eachKindOfDifferenceIsFound() {
        create("kinds", "p int, c int, t text, n int, l list<int>, s set<int>, m map<text, int>, PRIMARY KEY (p, c)");
        input.file(
                "kinds.jsonl",
                "{\"p\": 1, \"c\": 1, \"t\": \"a\", \"n\": 1, \"l\": [2, 1], \"s\": [3, 1, 2, 1], \"m\": {\"b\": 1, \"a\": 2}}",
                "{\"p\": 1, \"c\": 2, \"t\": \"a\", \"n\": 1, \"l\": [2, 1], \"s\": [], \"m\": {\"b\": 1}}",
                "{\"p\": 1, \"c\": 3, \"t\": \"a\", \"n\": 1}",
                "{\"p\": 2, \"c\": 1, \"t\": \"a\", \"n\": 1}",
                "{\"p\": 3, \"c\": 1}");
        load("kinds");
        assertAllThere("kinds", 5);

        execute("INSERT INTO verify.kinds (p, c, n) VALUES (1, 9, 9)"); // no record says anything about it
        execute("INSERT INTO verify.kinds (p, c, n) VALUES (9, 9, 9)");
        execute("UPDATE verify.kinds SET n = 9 WHERE p = 3 AND c = 1"); // nor about this value
        assertAllThere("kinds", 5);

        execute("UPDATE verify.kinds SET t = 'b', l = [1, 2], s = s + {4} WHERE p = 1 AND c = 1");
        execute("UPDATE verify.kinds SET n = null, s = {1}, m['b'] = 2 WHERE p = 1 AND c = 2");
        execute("DELETE FROM verify.kinds WHERE p = 1 AND c = 3");
        execute("DELETE FROM verify.kinds WHERE p = 2");
        VerifySummary summary = verify("kinds");
        assertThat(found)
                .containsExactlyInAnyOrder(
                        "{\"kind\":\"different\",\"key\":{\"p\":1,\"c\":1},\"columns\":[\"l\",\"s\",\"t\"]}",
                        "{\"kind\":\"different\",\"key\":{\"p\":1,\"c\":2},\"columns\":[\"m\",\"n\",\"s\"]}",
                        "{\"kind\":\"missing-right\",\"key\":{\"p\":1,\"c\":3}}",
                        "{\"kind\":\"missing-right\",\"key\":{\"p\":2,\"c\":1}}");
        assertThat(summary.different()).isEqualTo(2);
        assertThat(summary.missing()).isEqualTo(2);
        assertThat(summary.rowsSame()).isEqualTo(1);
        assertThat(summary.isWhole()).isTrue();

        maxDifferences = 2;
        summary = verify("kinds");
        assertThat(found).hasSize(2);
        assertThat(summary.differences()).isEqualTo(2);
    }

    @Test
    void ofSeveralRecordsWithOneKeyEachValueIsThatOfTheLast() {
        create("repeated", "id int PRIMARY KEY, a int, b text, c text");
        input.file("first.csv", "id,a,b,c", "1,1,one,x", "2,1,one,", "1,2,,", "1,3,three,");
        input.file("second.csv", "id,a,b,c", "2,,two,", "1,4,,");
        load("repeated");
        assertAllThere("repeated", 2);
        execute("UPDATE verify.repeated SET a = 3, b = 'one' WHERE id = 1");
        verify("repeated");
        assertThat(found).containsExactly("{\"kind\":\"different\",\"key\":{\"id\":1},\"columns\":[\"a\",\"b\"]}");
    }

    @Test
    void missingValuesAreComparedOnlyIfTheLoadWroteNulls() {
        create("nulls", "id int PRIMARY KEY, a int, b text");
        execute("INSERT INTO verify.nulls (id, a, b) VALUES (1, 7, 'kept')");
        input.file("nulls.csv", "id,a,b", "1,NULL,", "2,2,two");
        load("nulls");
        assertAllThere("nulls", 2);
        input.writeNulls();
        verify("nulls");
        assertThat(found).containsExactly("{\"kind\":\"different\",\"key\":{\"id\":1},\"columns\":[\"a\",\"b\"]}");
        load("nulls");
        assertAllThere("nulls", 2);
    }

    @Test
    void ownWriteTimesDecideWhichRecordWins() {
        create("times", "id int PRIMARY KEY, v text, l list<int>");
        input.map("* = *, at = writetime()");
        input.file("times.csv", "id,v,l,at", "1,last,[1],2001-01-01T00:00:00Z", "1,first,[2],2000-01-01T00:00:00Z");
        load("times");
        assertAllThere("times", 1);
        execute("UPDATE verify.times SET v = 'first' WHERE id = 1");
        verify("times");
        assertThat(found).containsExactly("{\"kind\":\"different\",\"key\":{\"id\":1},\"columns\":[\"v\"]}");
    }

    /** The server joins what has one write time: the elements of both records, and null deletes only what is older. */
    @Test
    void elementsOfEqualWriteTimesAreJoined() {
        execute("CREATE TYPE verify.pair (a int, b int)");
        create("joined", "id int PRIMARY KEY, s set<int>, m map<text, int>, p pair, f frozen<set<int>>");
        input.map("* = *, at = writetime()");
        input.writeNulls();
        input.file(
                "joined.csv",
                "id,s,m,p,f,at",
                "1,\"[1, 2]\",\"{'a': 1, 'b': 300, 'b': 5}\",{a: 1},[1],2000-01-01",
                "1,\"[3, 1]\",\"{'b': 4, 'c': 3}\",\"{a: 7, b: 2}\",[2],2000-01-01",
                "1,,,,,2000-01-01",
                "1,[9],{'z': 9},{a: 9},[9],1999-01-01",
                "2,,,,,2000-01-01",
                "2,[4],{},{b: 4},[4],2000-01-01");
        load("joined");
        assertAllThere("joined", 2);
        execute("UPDATE verify.joined SET s = s - {1}, m['b'] = 4 WHERE id = 1");
        verify("joined");
        assertThat(found).containsExactly("{\"kind\":\"different\",\"key\":{\"id\":1},\"columns\":[\"m\",\"s\"]}");
    }

    @Test
    void staticColumnsAreComparedOnceForEachPartition() {
        create("stat", "p int, c int, s text static, t int static, v int, PRIMARY KEY (p, c)");
        input.file("stat.csv", "p,c,s,t,v", "1,1,first,1,1", "1,2,last,,2", "2,1,x,,1", "3,1,y,2,1");
        load("stat");
        assertAllThere("stat", 4);
        execute("UPDATE verify.stat SET s = 'first' WHERE p = 1");
        execute("DELETE FROM verify.stat WHERE p = 2");
        execute("DELETE FROM verify.stat WHERE p = 3 AND c = 1"); // leaves the static columns
        VerifySummary summary = verify(ScanOptions.from(KEYSPACE, "stat").pageRows(1));
        assertThat(found)
                .containsExactlyInAnyOrder(
                        "{\"kind\":\"different\",\"key\":{\"p\":1},\"columns\":[\"s\"]}",
                        "{\"kind\":\"missing-right\",\"key\":{\"p\":2,\"c\":1}}",
                        "{\"kind\":\"missing-right\",\"key\":{\"p\":3,\"c\":1}}");
        assertThat(summary.rowsCompared()).isEqualTo(4);
        assertThat(summary.rowsSame()).isEqualTo(2);
    }

    @Test
    void filesMayHaveOnlyStaticColumns() {
        create("statics", "p int, c int, s text static, v int, PRIMARY KEY (p, c)");
        input.file("statics.csv", "p,s", "1,one", "2,two", "3,");
        load("statics");
        execute("INSERT INTO verify.statics (p, c, v) VALUES (1, 1, 1)");
        execute("INSERT INTO verify.statics (p, c, v) VALUES (1, 2, 1)");
        assertAllThere("statics", 2);
        execute("DELETE FROM verify.statics WHERE p = 1");
        execute("UPDATE verify.statics SET s = 'three' WHERE p = 2");
        verify("statics");
        assertThat(found)
                .containsExactlyInAnyOrder(
                        "{\"kind\":\"missing-right\",\"key\":{\"p\":1}}",
                        "{\"kind\":\"different\",\"key\":{\"p\":2},\"columns\":[\"s\"]}");
    }

    @Test
    void widePartitionsAndSpilledInputAreComparedPageByPage() {
        create("wide", "p int, c int, d text, v text, PRIMARY KEY (p, c, d)) WITH CLUSTERING ORDER BY (c DESC, d ASC");
        Random random = new Random(9);
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 60_000; i++) {
            lines.add((i < 50_000 ? i % 3 : i) + "," + i / 2 + ",d" + i % 7 + ",value " + i);
        }
        Collections.shuffle(lines, random);
        for (int i = 0; i < 3000; i++) {
            String line = lines.get(random.nextInt(lines.size()));
            lines.add(line + " later " + i);
        }
        Map<String, String> last = new HashMap<>();
        lines.forEach(line -> last.put(line.substring(0, line.lastIndexOf(',')), line));
        lines.add(0, "p,c,d,v");
        input.file(input.write("wide.csv", String.join("\n", lines) + "\n"));
        load("wide");
        sortMemory = 1 << 20;
        VerifySummary summary = verify(ScanOptions.from(KEYSPACE, "wide").pageRows(700));
        assertThat(found).isEmpty();
        assertThat(summary.recordsRead()).isEqualTo(63_000);
        assertThat(summary.rowsCompared()).isEqualTo(60_000).isEqualTo(summary.rowsSame());
        assertThat(summary.bytesSpilled()).isPositive();

        List<String> keys = new ArrayList<>(last.keySet());
        Collections.sort(keys);
        Collections.shuffle(keys, random);
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            String[] key = keys.get(i).split(",");
            String where = " WHERE p = " + key[0] + " AND c = " + key[1] + " AND d = '" + key[2] + "'";
            execute(i % 2 == 0 ? "DELETE FROM verify.wide" + where : "UPDATE verify.wide SET v = 'other'" + where);
            String json = "\"key\":{\"p\":" + key[0] + ",\"c\":" + key[1] + ",\"d\":\"" + key[2] + "\"}";
            expected.add(
                    i % 2 == 0
                            ? "{\"kind\":\"missing-right\"," + json + "}"
                            : "{\"kind\":\"different\"," + json + ",\"columns\":[\"v\"]}");
        }
        verify(ScanOptions.from(KEYSPACE, "wide").pageRows(700));
        assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
        sortMemory = 256 << 20;
        assertThat(verify("wide").bytesSpilled()).isZero();
        assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void anEmptyFileIsInAnyTable() {
        create("empty", "id int PRIMARY KEY, v text");
        input.file("empty.csv", "id,v");
        assertAllThere("empty", 0);
        execute("INSERT INTO verify.empty (id, v) VALUES (1, 'x')");
        assertAllThere("empty", 0);
        assertThat(verify("empty").table().rowsRead())
                .as("no range is read for nothing")
                .isZero();
    }

    @Test
    void rejectedRecordsAreReportedAsByALoad() throws IOException {
        create("rejects", "id int PRIMARY KEY, v int");
        input.file("rejects.csv", "id,v", "1,1", "2,two", "3,3", "4,4,4");
        load("rejects");
        assertThat(Files.exists(directory.resolve("rejects.csv.rejected"))).isTrue();
        VerifySummary summary = verify("rejects");
        assertThat(found).isEmpty();
        assertThat(summary.recordsRead()).isEqualTo(4);
        assertThat(summary.recordsRejected()).isEqualTo(2);
        assertThat(summary.rowsSame()).isEqualTo(2);
        assertThat(summary.rejectFiles()).hasSize(1);
        assertThat(Files.readString(summary.rejectFiles().get(0))).isEqualTo("id,v\n2,two\n4,4,4\n");

        input.maxRejects("1");
        try (Verifier verifier = open(ScanOptions.from(KEYSPACE, "rejects"))) {
            summary = verifier.run();
            assertThat(summary.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(summary.failure()).hasMessageContaining("more records were rejected than the limit of 1");
            assertThat(summary.isWhole()).isFalse();
        }
    }

    @Test
    void whatCannotBeVerifiedIsRefused() {
        create("hits", "id int PRIMARY KEY, n counter");
        create("t", "id int PRIMARY KEY, v int");
        input.file("t.csv", "id,v", "1,1");
        assertRefused(ScanOptions.from(KEYSPACE, "hits"), Kind.SCHEMA, "[verify.hits] holds counters");
        assertRefused(ScanOptions.from(KEYSPACE, "nope"), Kind.SCHEMA, "nope");
        assertThatThrownBy(() -> open(ScanOptions.query("SELECT * FROM verify.t")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("files are compared with a table, not with a query");
    }

    private void assertRefused(ScanOptions.Builder read, Kind kind, String message) {
        assertThatThrownBy(() -> open(read))
                .isInstanceOfSatisfying(
                        OverdriveException.class, e -> assertThat(e.kind()).isEqualTo(kind))
                .hasMessageContaining(message);
    }

    @Test
    void aStoppedVerificationSaysSo() {
        create("stopped", "id int PRIMARY KEY, v int");
        input.file("stopped.csv", "id,v", "1,1");
        try (Verifier verifier = open(ScanOptions.from(KEYSPACE, "stopped"))) {
            verifier.stop();
            VerifySummary summary = verifier.run();
            assertThat(summary.outcome()).isEqualTo(Outcome.STOPPED);
            assertThat(summary.isWhole()).isFalse();
            assertThat(found).isEmpty();
        }
    }

    @Test
    void aFullSpillDirectoryFailsTheVerification() throws IOException {
        create("spilled", "id int PRIMARY KEY, v text");
        List<String> lines = new ArrayList<>(List.of("id,v"));
        for (int i = 0; i < 20_000; i++) {
            lines.add(i + "," + "v".repeat(100));
        }
        input.file(input.write("spilled.csv", String.join("\n", lines) + "\n"));
        sortMemory = 1 << 20;
        try (Verifier verifier = open(ScanOptions.from(KEYSPACE, "spilled"))) {
            Files.delete(spills);
            VerifySummary summary = verifier.run();
            assertThat(summary.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(summary.failure())
                    .isInstanceOfSatisfying(
                            OverdriveException.class, e -> assertThat(e.kind()).isEqualTo(Kind.DISK))
                    .hasMessageStartingWith("cannot write spilled rows in " + spills)
                    .hasMessageContaining("set spillDirectory to use another directory, or raise sortMemory");
        } finally {
            Files.createDirectories(spills);
        }
    }
}
