package io.overdrive.jobs.load;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.TestCluster;
import io.overdrive.WriteOptions;
import io.overdrive.jobs.Summary.Outcome;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rejected records are saved verbatim, with the reason, and can be loaded after a repair. */
@Tag("server")
class RejectsIT {
    private static final String KEYSPACE = "files_rejects";
    private static final Overdrive OVERDRIVE = TestCluster.overdrive(KEYSPACE);
    private static final ObjectMapper JSON = new ObjectMapper();
    /** A text key may have 65535 bytes. */
    private static final String TOO_LONG = "k".repeat(65_536);

    private static int tables;

    private final Loads loads;
    private String table = "";

    RejectsIT(@TempDir Path directory) {
        loads = new Loads(directory);
    }

    @BeforeEach
    void createTable() {
        table = "t" + tables++;
        OVERDRIVE.session().execute("CREATE TABLE " + KEYSPACE + "." + table + " (id text PRIMARY KEY, n int, t text)");
    }

    private LoadSummary load(Loads which) {
        return which.run(OVERDRIVE, WriteOptions.into(KEYSPACE, table));
    }

    private LoadSummary rejecting(int expected) {
        LoadSummary summary = load(loads);
        assertThat(summary.failure()).isNull();
        assertThat(summary.outcome()).isEqualTo(Outcome.DONE);
        assertThat(summary.rowsRejected()).isEqualTo(expected);
        assertThat(summary.rowsRead()).isEqualTo(summary.rowsWritten() + summary.rowsRejected());
        return summary;
    }

    /** The reasons, in the order of lines. */
    private List<JsonNode> reasons(String name) {
        List<JsonNode> reasons = new ArrayList<>();
        loads.text(name).lines().forEach(line -> {
            try {
                reasons.add(JSON.readTree(line));
            } catch (IOException e) {
                throw new AssertionError(line, e);
            }
        });
        return reasons;
    }

    private static void check(
            JsonNode reason, String file, int line, @Nullable String column, @Nullable String value, String why) {
        assertThat(reason.get("file").asText()).endsWith(file);
        assertThat(reason.get("line").asInt()).isEqualTo(line);
        assertThat(reason.hasNonNull("column") ? reason.get("column").asText() : null)
                .isEqualTo(column);
        assertThat(reason.hasNonNull("value") ? reason.get("value").asText() : null)
                .isEqualTo(value);
        assertThat(reason.get("reason").asText()).contains(why);
    }

    /** Repairs the rejected records by a text replacement and loads them; then nothing is rejected. */
    private void repair(String rejected, String wrong, String right) {
        String text = loads.text(rejected);
        assertThat(text).contains(wrong);
        loads.write(rejected, text.replace(wrong, right));
        Loads again = new Loads(loads.directory).file(loads.directory.resolve(rejected));
        int before = loads.rejectFiles().size();
        LoadSummary summary = load(again);
        assertThat(summary.failure()).isNull();
        assertThat(summary.rowsRejected()).isZero();
        assertThat(summary.rowsWritten()).isPositive();
        assertThat(loads.rejectFiles()).hasSize(before);
    }

    private List<String> rows() {
        List<String> rows = new ArrayList<>();
        OVERDRIVE
                .session()
                .execute("SELECT id, n, t FROM " + KEYSPACE + "." + table)
                .forEach(row -> rows.add(row.getObject(0) + " " + row.getObject(1) + " " + row.getObject(2)));
        rows.sort(null);
        return rows;
    }

    @Test
    void aBadValueInCsv() {
        loads.file("x.csv", "id,n,t", "a,1,x", "b,\"4o\", \"y", "\"two", "lines\",5", "c,3,z");
        loads.file("y.csv", "id,n,t", "d,4,", "\"e\",4o,\"line", "two\"");
        rejecting(3);
        assertThat(loads.rejectFiles()).containsExactly("x.csv.rejected", "x.csv.rejected.reasons");
        assertThat(loads.text("x.csv.rejected"))
                .startsWith("id,n,t\n")
                .contains("\nb,\"4o\", \"y\n")
                .contains("\n\"e\",4o,\"line\ntwo\"\n");
    }

    @Test
    void aBadValueInCsvCanBeRepaired() {
        loads.file("x.csv", "id,n,t", "a,1,x", "b,\"4o\",\" \"\"y\"\"\"", "c,3,\"two", "lines\"", "d,4o,z");
        LoadSummary summary = rejecting(2);
        assertThat(summary.rejectFiles()).containsExactly(loads.directory.resolve("x.csv.rejected"));
        assertThat(loads.text("x.csv.rejected")).isEqualTo("id,n,t\nb,\"4o\",\" \"\"y\"\"\"\nd,4o,z\n");
        List<JsonNode> reasons = reasons("x.csv.rejected.reasons");
        assertThat(reasons).hasSize(2);
        check(reasons.get(0), "x.csv", 3, "n", "4o", "column \"n\" is int, got \"4o\"");
        check(reasons.get(1), "x.csv", 6, "n", "4o", "column \"n\" is int, got \"4o\"");
        repair("x.csv.rejected", "4o", "40");
        assertThat(rows()).containsExactly("a 1 x", "b 40  \"y\"", "c 3 two\nlines", "d 40 z");
    }

    @Test
    void allBadValuesOfARecordAreNamed() {
        OVERDRIVE.session().execute("ALTER TABLE " + KEYSPACE + "." + table + " ADD (d date, b boolean)");
        loads.file("x.csv", "id,n,d,b", "a,4o,1.2.,maybe", "b,1, 2,x,true");
        rejecting(2);
        List<JsonNode> csv = reasons("x.csv.rejected.reasons");
        check(
                csv.get(0),
                "x.csv",
                2,
                "n",
                "4o",
                "column \"n\" is int, got \"4o\"; also column \"d\" is date, got \"1.2.\"");
        assertThat(csv.get(0).get("reason").asText()).contains("; also column \"b\" is boolean, got \"maybe\"");
        check(csv.get(1), "x.csv", 3, "d", " 2", "; also the record has 5 fields, the header has 4");
        Loads json = new Loads(loads.directory).file("y.jsonl", "{\"id\":\"c\",\"n\":1.5,\"more\":2,\"b\":7}");
        assertThat(load(json).rowsRejected()).isEqualTo(1);
        check(
                reasons("y.jsonl.rejected.reasons").get(0),
                "y.jsonl",
                1,
                "n",
                "1.5",
                "; also field \"more\" has no column");

        OVERDRIVE
                .session()
                .execute("CREATE TABLE " + KEYSPACE + ".wide (id int PRIMARY KEY, "
                        + IntStream.rangeClosed(1, 12)
                                .mapToObj(i -> "c" + i + " int")
                                .collect(joining(", ")) + ")");
        table = "wide";
        loads.file(
                "wide.csv",
                "id," + IntStream.rangeClosed(1, 12).mapToObj(i -> "c" + i).collect(joining(",")),
                "1" + ",x".repeat(12));
        Loads wide = new Loads(loads.directory).file(loads.directory.resolve("wide.csv"));
        assertThat(load(wide).rowsRejected()).isEqualTo(1);
        assertThat(reasons("wide.csv.rejected.reasons").get(0).get("reason").asText())
                .contains("column \"c8\" is int")
                .endsWith("; and 4 more")
                .doesNotContain("c9");
    }

    @Test
    void tooFewAndTooManyFields() {
        loads.file("x.csv", "id,n,t", "a,1,x", "b,2", "c,3,z,!", "d");
        rejecting(3);
        assertThat(loads.text("x.csv.rejected")).isEqualTo("id,n,t\nb,2\nc,3,z,!\nd\n");
        List<JsonNode> reasons = reasons("x.csv.rejected.reasons");
        check(
                reasons.get(0),
                "x.csv",
                3,
                null,
                null,
                "the record has 2 fields, the header has 3 (allowMissingFields takes such records)");
        check(
                reasons.get(1),
                "x.csv",
                4,
                null,
                null,
                "the record has 4 fields, the header has 3 (allowExtraFields takes such records)");
        check(reasons.get(2), "x.csv", 5, null, null, "the record has 1 field, the header has 3");
        loads.write(
                "x.csv.rejected",
                loads.text("x.csv.rejected")
                        .replace("b,2", "b,2,y")
                        .replace(",!", "")
                        .replace("\nd\n", "\nd,4,\n"));
        load(new Loads(loads.directory).file(loads.directory.resolve("x.csv.rejected")));
        assertThat(rows()).containsExactly("a 1 x", "b 2 y", "c 3 z", "d 4 null");
    }

    @Test
    void tooFewAndTooManyFieldsMayBeAllowed() {
        loads.file("x.csv", "id,n,t", "a,1,x", "b,2", "c,3,z,!", "d")
                .allowMissingFields()
                .allowExtraFields();
        rejecting(0);
        assertThat(rows()).containsExactly("a 1 x", "b 2 null", "c 3 z", "d null null");
    }

    @Test
    void aQuoteThatDoesNotEndWhereTheFieldEnds() {
        loads.file("x.csv", "id,n,t", "a,1,x", "b,2,\"y\"z", "c,3,z");
        rejecting(1);
        assertThat(loads.text("x.csv.rejected")).isEqualTo("id,n,t\nb,2,\"y\"z\n");
        check(reasons("x.csv.rejected.reasons").get(0), "x.csv", 3, null, null, "quote");
        repair("x.csv.rejected", "\"y\"z", "yz");
        assertThat(rows()).containsExactly("a 1 x", "b 2 yz", "c 3 z");
    }

    @Test
    void jsonThatIsNotValid() {
        loads.file("x.jsonl", "{\"id\": \"a\", \"n\": 1}", "{\"id\": \"b\", \"n\": }", "[1]", "{\"id\": \"c\"}");
        rejecting(2);
        assertThat(loads.text("x.jsonl.rejected")).isEqualTo("{\"id\": \"b\", \"n\": }\n[1]\n");
        List<JsonNode> reasons = reasons("x.jsonl.rejected.reasons");
        check(reasons.get(0), "x.jsonl", 2, null, null, "not valid JSON at byte");
        check(reasons.get(1), "x.jsonl", 3, null, null, "a record must be a JSON object, got an array");
        loads.write(
                "x.jsonl.rejected",
                loads.text("x.jsonl.rejected")
                        .replace("\"n\": }", "\"n\": 2}")
                        .replace("[1]", "{\"id\": \"d\", \"n\": null}"));
        load(new Loads(loads.directory).file(loads.directory.resolve("x.jsonl.rejected")));
        assertThat(rows()).containsExactly("a 1 null", "b 2 null", "c null null", "d null null");
    }

    @Test
    void badValuesInJson() {
        loads.file(
                "x.jsonl",
                "{\"id\": \"a\", \"n\": \"4o\"}",
                "{\"id\": \"b\", \"n\": 3000000000}",
                "{\"id\": \"c\", \"n\": [1]}",
                "{\"id\": \"d\", \"size\": 1}",
                "{\"id\": \"e\", \"n\": 1.5}");
        rejecting(5);
        List<JsonNode> reasons = reasons("x.jsonl.rejected.reasons");
        check(reasons.get(0), "x.jsonl", 1, "n", "4o", "column \"n\" is int, got \"4o\"");
        check(reasons.get(1), "x.jsonl", 2, "n", "3000000000", "column \"n\" is int, but 3000000000 is out of range");
        check(reasons.get(2), "x.jsonl", 3, "n", null, "column \"n\" is int");
        check(reasons.get(3), "x.jsonl", 4, null, null, "field \"size\" has no column");
        check(reasons.get(4), "x.jsonl", 5, "n", "1.5", "column \"n\" is int");
        assertThat(rows()).isEmpty();
    }

    @Test
    void aRecordWithoutItsKey() {
        loads.file("x.csv", "n,id,t", "1,,x", "2,b,y", "3,\"\",z");
        rejecting(2);
        assertThat(loads.text("x.csv.rejected")).isEqualTo("n,id,t\n1,,x\n3,\"\",z\n");
        List<JsonNode> reasons = reasons("x.csv.rejected.reasons");
        check(reasons.get(0), "x.csv", 2, "id", null, "key column \"id\" has no value");
        check(reasons.get(1), "x.csv", 4, null, null, "Key may not be empty");
        loads.write("x.csv.rejected", loads.text("x.csv.rejected").replace("1,,x", "1,a,x"));
        repair("x.csv.rejected", "3,\"\",z", "3,c,z");
        assertThat(rows()).containsExactly("a 1 x", "b 2 y", "c 3 z");
    }

    @Test
    void aJsonRecordWithoutItsKey() {
        loads.file("x.jsonl", "{\"n\": 1}", "{\"id\": null, \"n\": 2}");
        rejecting(2);
        assertThat(loads.text("x.jsonl.rejected")).isEqualTo("{\"n\": 1}\n{\"id\": null, \"n\": 2}\n");
        check(reasons("x.jsonl.rejected.reasons").get(0), "x.jsonl", 1, "id", null, "has no value");
    }

    @Test
    void rowsThatTheServerRefuses() {
        loads.file("x.csv", "id,n,t", "a,1,x", TOO_LONG + ",2,\"two", "lines\"", "c,3,z")
                .file("y.csv", "t,id", "x,d", "y," + TOO_LONG);
        rejecting(2);
        assertThat(loads.rejectFiles())
                .containsExactly(
                        "x-2.csv.rejected", "x-2.csv.rejected.reasons", "x.csv.rejected", "x.csv.rejected.reasons");
        assertThat(loads.text("x.csv.rejected")).isEqualTo("id,n,t\n" + TOO_LONG + ",2,\"two\nlines\"\n");
        assertThat(loads.text("x-2.csv.rejected")).isEqualTo("t,id\ny," + TOO_LONG + "\n");
        check(reasons("x.csv.rejected.reasons").get(0), "x.csv", 3, null, null, "65535");
        check(reasons("x-2.csv.rejected.reasons").get(0), "y.csv", 3, null, null, "65535");
        repair("x.csv.rejected", TOO_LONG, "b");
        repair("x-2.csv.rejected", TOO_LONG, "e");
        assertThat(rows()).containsExactly("a 1 x", "b 2 two\nlines", "c 3 z", "d null x", "e null y");
    }

    @Test
    void recordsRejectedTwiceGoToANumberedFileAndCanBeLoadedAgain() {
        loads.file("x.csv", "id,n,t", "a,4o,x", "b,5o,x");
        rejecting(2);
        loads.write("x.csv.rejected", loads.text("x.csv.rejected").replace("4o", "40"));
        Loads again = new Loads(loads.directory).file(loads.directory.resolve("x.csv.rejected"));
        assertThat(load(again).rejectFiles()).containsExactly(loads.directory.resolve("x-2.csv.rejected"));
        assertThat(loads.text("x-2.csv.rejected")).isEqualTo("id,n,t\nb,5o,x\n");
        repair("x-2.csv.rejected", "5o", "50");
        assertThat(rows()).containsExactly("a 40 x", "b 50 x");
    }

    @Test
    void recordsOfStandardInputComeBackVerbatim() {
        loads.file("1.csv", "n,t,id", ",x,a", ",y," + TOO_LONG).standardInput();
        String text = "id,n,t\nb,1,x\nc,4o,\"q\"\n" + TOO_LONG + ",2,\"two\nlines\"\nd,5,\n";
        withInput(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), () -> rejecting(3));
        assertThat(rows()).containsExactly("a null x", "b 1 x", "d 5 null");
        String first = loads.text("1.csv.rejected");
        String second = loads.text("1-2.csv.rejected");
        boolean fileFirst = first.startsWith("n,t,id");
        assertThat(fileFirst ? first : second).isEqualTo("n,t,id\n,y," + TOO_LONG + "\n");
        assertThat(fileFirst ? second : first)
                .startsWith("id,n,t\n")
                .contains("\nc,4o,\"q\"\n")
                .contains("\n" + TOO_LONG + ",2,\"two\nlines\"\n");
        List<JsonNode> reasons = reasons(fileFirst ? "1-2.csv.rejected.reasons" : "1.csv.rejected.reasons");
        reasons.sort((a, b) -> a.get("line").asInt() - b.get("line").asInt());
        check(reasons.get(0), "standard input", 3, "n", "4o", "is int");
        check(reasons.get(1), "standard input", 4, null, null, "65535");
    }

    private static void withInput(InputStream in, Runnable work) {
        InputStream before = System.in;
        System.setIn(in);
        try {
            work.run();
        } finally {
            System.setIn(before);
        }
    }

    @Test
    void moreRejectsThanTheLimitStopTheLoad() {
        StringBuilder text = new StringBuilder("id,n\n");
        for (int i = 0; i < 400_000; i++) {
            text.append('k').append(i).append(i % 1000 == 5 ? ",bad\n" : ",1\n");
        }
        loads.file(loads.write("x.csv", text.toString())).maxRejects("3");
        LoadSummary summary = load(loads);
        assertThat(summary.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(summary.failure())
                .hasMessage("more records were rejected than the limit of 3 (maxRejects); the reasons are next to the"
                        + " rejected records");
        assertThat(summary.rowsRejected()).isGreaterThan(3);
        assertThat(summary.rowsRead()).isLessThan(400_000);
        assertThat(summary.rowsRead()).isEqualTo(summary.rowsWritten() + summary.rowsRejected());
        assertThat(loads.text("x.csv.rejected").lines().count()).isEqualTo(1 + summary.rowsRejected());
    }

    /** One record in 100 is bad. */
    private void oneInAHundredIsBad() {
        StringBuilder text = new StringBuilder("id,n,t\n");
        for (int i = 1; i <= 60_000; i++) {
            text.append('k').append(i).append(i % 100 == 0 ? ",bad," : ",1,").append("some text for a longer row\n");
        }
        loads.file(loads.write("x.csv", text.toString())).dryRun();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void aShareIsCheckedAgainstTheRecordsReadByAllThreads(int threads) {
        oneInAHundredIsBad();
        for (String limit : List.of(threads == 1 ? "1%" : "3%", "5%")) {
            LoadSummary summary = load(loads.threads(threads).maxRejects(limit));
            assertThat(summary.failure()).as(limit).isNull();
            assertThat(summary.rowsRead()).isEqualTo(60_000);
            assertThat(summary.rowsRejected()).isEqualTo(600);
        }
        LoadSummary summary = load(loads.maxRejects("0.9%"));
        assertThat(summary.failure()).hasMessageContaining("the limit of 0.9% (maxRejects)");
        assertThat(summary.rowsRead()).isBetween(1000L, 2000L * threads);
        // the other threads read on until they notice
        assertThat(100.0 * summary.rowsRejected() / summary.rowsRead()).isGreaterThan(threads == 1 ? 0.9 : 0.5);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void noRecordIsRejectedAfterTheLimitIsExceeded(int threads) {
        oneInAHundredIsBad();
        LoadSummary summary = load(loads.threads(threads).maxRejects("7"));
        assertThat(summary.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(summary.rowsRejected()).isEqualTo(8);
        assertThat(summary.rowsRead()).isEqualTo(summary.rowsWritten() + summary.rowsRejected());
        assertThat(summary.rowsRead()).isLessThanOrEqualTo(800L + 200L * threads);
        assertThat(loads.text("x.csv.rejected").lines().count()).isEqualTo(9);
    }

    /** Such records are parsed one at a time. */
    @Test
    void recordsOfMegabytesAreReadByManyThreads() {
        String large = "x".repeat(2 << 20);
        StringBuilder text = new StringBuilder("id,n,t\n");
        for (int i = 0; i < 16; i++) {
            text.append(i)
                    .append(i == 7 ? ",bad," : ",1,")
                    .append(large)
                    .append("\nsmall")
                    .append(i)
                    .append(",2,x\n");
        }
        loads.file(loads.write("x.csv", text.toString())).threads(8).dryRun();
        assertThat(rejecting(1).rowsRead()).isEqualTo(32);
        LoadSummary summary = load(loads.maxRejects("0"));
        assertThat(summary.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(summary.rowsRejected()).isEqualTo(1);
    }

    @Test
    void aLargerShareOfRejectsThanTheLimitStopsTheLoad() {
        loads.file("x.csv", "id,n", "a,1", "b,2", "c,x", "d,y").maxRejects("50%");
        assertThat(load(loads).outcome()).isEqualTo(Outcome.DONE);
        loads.maxRejects("49.9%");
        LoadSummary summary = load(loads);
        assertThat(summary.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(summary.failure()).hasMessageContaining("the limit of 49.9% (maxRejects)");
        assertThat(summary.rowsWritten()).isEqualTo(2);
        assertThat(summary.rowsRejected()).isEqualTo(2);
    }

    @Test
    void aDryRunChecksAllAndWritesNothing() {
        loads.file("x.csv", "id,n", "a,1", "b,2o", ",3", "d,4").dryRun();
        LoadSummary summary = rejecting(2);
        assertThat(summary.rowsRead()).isEqualTo(4);
        assertThat(summary.rowsWritten()).as("that could be written").isEqualTo(2);
        assertThat(loads.text("x.csv.rejected")).isEqualTo("id,n\nb,2o\n,3\n");
        assertThat(rows()).isEmpty();
    }

    @Test
    void rejectsThatCannotBeKeptStopTheLoadAndAreCounted() throws IOException {
        Path rejects = loads.directory.resolve("rejects");
        Path file = loads.write("x.csv", "id,n\na,1\nb,2o\nc,3\n" + TOO_LONG + ",3\n");
        LoadOptions options = loads.file(file).options();
        LoadOptions unwritable =
                options.toBuilder().rejects(rejects, "x.csv").threads(1).build();
        LoadSummary summary;
        try (Loader loader = Loader.open(OVERDRIVE, WriteOptions.into(KEYSPACE, table), unwritable)) {
            Files.delete(rejects);
            Files.writeString(rejects, "a file where a directory is needed");
            summary = loader.run();
        }
        assertThat(summary.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(summary.failure())
                .hasMessageContaining("rejected records cannot be written")
                .hasMessageEndingWith(
                        " - reading stopped at " + file + " line 4; not all rejected records are kept: free"
                                + " disk space and load all of the input again");
        assertThat(summary.rowsRead()).isEqualTo(2);
        assertThat(summary.rowsWritten()).isEqualTo(1);
        assertThat(summary.rowsRejected()).isEqualTo(1);
    }

    @Test
    void directoriesAreCheckedBeforeAnythingIsWritten() {
        Path file = loads.write("x.csv", "id,n\na,1\n");
        Path missing = loads.directory.resolve("missing");
        assertThatThrownBy(() -> Loader.open(
                        OVERDRIVE,
                        WriteOptions.into(KEYSPACE, table).spillDirectory(missing),
                        loads.file(file).options()))
                .isInstanceOf(OverdriveException.class)
                .hasMessage(missing + ": there is no such directory; rows that do not fit in memory are written to it:"
                        + " choose another one with spillDirectory");
        Loads nowhere = new Loads(file).file(file);
        assertThatThrownBy(() -> load(nowhere))
                .isInstanceOf(OverdriveException.class)
                .hasMessage(file + ": is not a directory; rejected records are written to it: choose another one"
                        + " with rejects");
        assertThat(rows()).isEmpty();
    }

    /** A file replaces the spill directory: as on a full disk, no more rows can be written there. */
    @Test
    void rowsThatFindNoRoomOnTheDiskAreNotRejectedAndNotReadOn() throws IOException {
        OVERDRIVE
                .session()
                .execute("CREATE TABLE " + KEYSPACE + ".spilled_" + table
                        + " (p int, c int, t text, PRIMARY KEY (p, c))");
        Random random = new Random(1); // rows of a partition are far apart
        StringBuilder text = new StringBuilder("p,c,t\n");
        for (int i = 0; i < 200_000; i++) {
            text.append(random.nextInt(10_000))
                    .append(',')
                    .append(i)
                    .append(",")
                    .append("v".repeat(200))
                    .append("\n");
        }
        Path file = loads.write("x.csv", text.toString());
        Path spills = Files.createDirectory(loads.directory.resolve("spills"));
        WriteOptions.Builder write = WriteOptions.into(KEYSPACE, "spilled_" + table)
                .groupingMemory(1 << 20)
                .spillDirectory(spills);
        LoadSummary summary;
        try (Loader loader = Loader.open(OVERDRIVE, write, loads.file(file).options())) {
            Files.delete(spills);
            Files.createFile(spills);
            summary = loader.run();
        }
        assertThat(summary.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(summary.failure())
                .hasMessageContaining(" - reading stopped at " + file + " line ")
                .hasMessageEndingWith(
                        "; rows before that may be missing too: free disk space and load all of the input again");
        assertThat(summary.rowsRejected()).isZero();
        assertThat(loads.rejectFiles()).isEmpty();
        assertThat(summary.rowsRead()).isLessThan(200_000).isGreaterThan(summary.rowsWritten());
    }
}
