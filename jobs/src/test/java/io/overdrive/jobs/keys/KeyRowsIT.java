package io.overdrive.jobs.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.uuid.Uuids;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.TestCluster;
import io.overdrive.formats.records.InputFile;
import io.overdrive.internal.scan.RowSource.Way;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.load.LoadOptions;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Rows whose keys are in files, looked up and found by a scan. */
@Timeout(300)
class KeyRowsIT {
    private static final String KEYSPACE = "key_rows";
    private static final Overdrive OVERDRIVE = TestCluster.overdrive(KEYSPACE);
    private static final List<String> COLUMNS = List.of("p", "Q q", "a", "B\"b", "c");
    private static final int PARTITION_COLUMNS = 2;

    /** Each row by its number: the texts of its key; of a partition without rows, of the partition key. */
    private static final List<List<String>> ROWS = new ArrayList<>();

    private final Path directory;
    private final Path spills;

    KeyRowsIT(@TempDir Path directory, @TempDir Path spills) {
        this.directory = directory;
        this.spills = spills;
    }

    @BeforeAll
    static void fill() {
        OVERDRIVE.changeSchema(
                "CREATE TABLE " + KEYSPACE
                        + ".\"Odd_T\" (p text, \"Q q\" decimal, a varint, \"B\"\"b\" timeuuid, c text, n int, s int static,"
                        + " PRIMARY KEY ((p, \"Q q\"), a, \"B\"\"b\", c)) WITH CLUSTERING ORDER BY (a DESC, \"B\"\"b\" ASC, c DESC)");
        OVERDRIVE.changeSchema("CREATE TABLE " + KEYSPACE + ".single (id text PRIMARY KEY, n int)");
        OVERDRIVE.session().execute("INSERT INTO key_rows.single (id, n) VALUES ('x', 1)");
        PreparedStatement insert = OVERDRIVE
                .session()
                .prepare("INSERT INTO key_rows.\"Odd_T\" (p, \"Q q\", a, \"B\"\"b\", c, n) VALUES (?, ?, ?, ?, ?, ?)");
        PreparedStatement statics =
                OVERDRIVE.session().prepare("INSERT INTO key_rows.\"Odd_T\" (p, \"Q q\", s) VALUES (?, ?, ?)");
        Random random = new Random(7);
        String[] texts = {"", "a", "b,\"", "é\n", "\u0000", "ß "};
        String[] varints = {"0", "-1", "1", "255", "-256", "65536", "123456789012345678901234567890"};
        List<UUID> times = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            times.add(new UUID(
                    Uuids.startOf(1_600_000_000_000L + i * 77_777_777L).getMostSignificantBits(), random.nextLong()));
        }
        Set<List<String>> keys = new HashSet<>();
        while (keys.size() < 400) {
            String p = texts[random.nextInt(texts.length)];
            BigDecimal q = BigDecimal.valueOf(random.nextInt(4), random.nextInt(2));
            if (keys.size() % 40 == 39) {
                BigDecimal alone = BigDecimal.valueOf(1000 + keys.size());
                List<String> key = List.of(p, alone.toString());
                keys.add(key);
                OVERDRIVE.session().execute(statics.bind(p, alone, ROWS.size()));
                ROWS.add(key);
                continue;
            }
            BigInteger a = new BigInteger(varints[random.nextInt(varints.length)]);
            UUID b = times.get(random.nextInt(times.size()));
            String c = texts[random.nextInt(texts.length)];
            List<String> key = List.of(p, q.toString(), a.toString(), b.toString(), c);
            if (keys.add(key)) {
                OVERDRIVE.session().execute(insert.bind(p, q, a, b, c, ROWS.size()));
                ROWS.add(key);
            }
        }
    }

    private static String csv(List<String> values) {
        return values.stream()
                .map(value -> '"' + value.replace("\"", "\"\"") + '"')
                .collect(Collectors.joining(","));
    }

    private Path file(String name, String... lines) throws IOException {
        return Files.writeString(directory.resolve(name), String.join("\n", lines) + "\n");
    }

    private KeyRows open(String table, @Nullable Way way, UnaryOperator<LoadOptions.Builder> options, Path... files) {
        LoadOptions input = options.apply(LoadOptions.of(
                                List.of(files).stream().map(InputFile::of).toList())
                        .emptyText(true))
                .build();
        return KeyRows.open(
                OVERDRIVE,
                ScanOptions.from(KEYSPACE, table).build(),
                new KeyOptions(input, spills, /* sortMemory */ 1 << 20),
                way);
    }

    /** The numbers of the rows; those of partitions without rows are in the static column. */
    private List<Integer> numbers(KeyRows keys) {
        List<Integer> numbers = Collections.synchronizedList(new ArrayList<>());
        ScanOptions read = ScanOptions.from(KEYSPACE, "Odd_T")
                .columns("n", "s", "a")
                .source(keys)
                .build();
        try (Scan scan = OVERDRIVE.scan(read)) {
            scan.forEach(2, row -> numbers.add(row.getInt(row.isNull(2) ? 1 : 0)));
            assertThat(scan.totals().pages()).isPositive();
        }
        assertThat(spills).as("files of keys").isEmptyDirectory();
        return numbers.stream().sorted().toList();
    }

    @Test
    void bothWaysFindTheRowsOfTheKeysAndNoOthers() throws IOException {
        Random random = new Random(11);
        for (int columns = PARTITION_COLUMNS; columns <= COLUMNS.size(); columns++) {
            int of = columns;
            List<List<String>> candidates = new ArrayList<>(ROWS.stream()
                    .filter(row -> row.size() >= of)
                    .map(row -> row.subList(0, of))
                    .distinct()
                    .toList());
            Collections.shuffle(candidates, random);
            List<List<String>> wanted = new ArrayList<>(candidates.subList(0, candidates.size() / 2));
            List<String> absent = new ArrayList<>(candidates.get(0));
            absent.set(0, "absent");
            List<String> lines = new ArrayList<>();
            lines.add(csv(COLUMNS.subList(0, of)) + ",other");
            wanted.forEach(key -> lines.add(csv(key) + ",x"));
            lines.add(csv(wanted.get(0)) + ",again");
            lines.add(csv(absent) + ",x");
            Path file = file("keys" + of + ".csv", lines.toArray(String[]::new));
            List<Integer> expected = new ArrayList<>();
            for (int i = 0; i < ROWS.size(); i++) {
                List<String> row = ROWS.get(i);
                if (row.size() >= of && wanted.contains(row.subList(0, of))) {
                    expected.add(i);
                }
            }
            for (Way way : List.of(Way.LOOKUPS, Way.SCAN)) {
                try (KeyRows keys = open("Odd_T", way, options -> options, file)) {
                    assertThat(numbers(keys)).as(way + " by " + of).isEqualTo(expected);
                    assertThat(keys.keys()).isEqualTo(wanted.size() + 1);
                    assertThat(keys.repeated()).isEqualTo(1);
                    assertThat(keys.missing().count()).as(way + " by " + of).isEqualTo(1);
                    assertThat(keys.missing().first().get(0)).contains("\"p\":\"absent\"");
                    assertThat(keys.content().way()).isEqualTo(way);
                }
            }
        }
    }

    @Test
    void anEmptyPartitionKeyIsMissing() throws IOException {
        Path file = file("empty.csv", "id", "\"\"", "x", "y");
        for (Way way : List.of(Way.LOOKUPS, Way.SCAN)) {
            try (KeyRows keys = open("single", way, options -> options, file);
                    Scan scan = OVERDRIVE.scan(
                            ScanOptions.from(KEYSPACE, "single").source(keys).build())) {
                List<String> found = Collections.synchronizedList(new ArrayList<>());
                scan.forEach(2, row -> found.add(row.text(0)));
                assertThat(found).containsExactly("x");
                assertThat(keys.missing().first()).containsExactlyInAnyOrder("{\"id\":\"\"}", "{\"id\":\"y\"}");
            }
        }
    }

    @Test
    void countsOnlyTheRowsOfTheKeys() throws IOException {
        Path file = file("count.jsonl", "{\"id\": \"x\", \"more\": [1]}", "{\"id\": \"nobody\"}");
        for (Way way : List.of(Way.LOOKUPS, Way.SCAN)) {
            try (KeyRows keys = open("single", way, options -> options, file);
                    Scan scan = OVERDRIVE.count(
                            ScanOptions.from(KEYSPACE, "single").source(keys).build())) {
                List<Long> counts = Collections.synchronizedList(new ArrayList<>());
                scan.forEach(1, row -> counts.add(row.getLong(0)));
                assertThat(counts.stream().mapToLong(Long::longValue).sum()).isEqualTo(1);
            }
        }
    }

    @Test
    void fieldsThatAreNoKeyAreRefused() throws IOException {
        Path file = file("other.csv", "user,day", "x,1");
        assertThatThrownBy(() -> open("single", null, options -> options, file))
                .hasMessage(
                        file + " has no field for id of the key of key_rows.single: keys have the whole partition key,"
                                + " id; its fields are user, day. Map fields of other names with mapping, and if the first line is"
                                + " not a header, name the fields with fieldNames");
        try (KeyRows keys = open("single", null, options -> options.mapping(Mapping.parse("user = id")), file)) {
            assertThat(keys.keys()).isEqualTo(1);
        }
        Path semicolons = file("semicolons.csv", "id;day", "x;1");
        assertThatThrownBy(() -> open("single", null, options -> options, semicolons))
                .hasMessageContaining(
                        "its fields are id;day: if ';' separates them, begin the file with a line \"sep=;\". Map");
        try (KeyRows keys = open("single", null, options -> options, file("sep.csv", "sep=;", "id;day", "x;1"))) {
            assertThat(keys.keys()).isEqualTo(1);
        }
        Path hole = file("hole.csv", "p,Q q,\"B\"\"b\"", "x,1,c0ffee00-0000-11ee-8000-000000000000");
        assertThatThrownBy(() -> open("Odd_T", null, options -> options, hole))
                .hasMessageStartingWith(
                        hole + " has no field for a of the key of key_rows.\"Odd_T\": keys have the whole"
                                + " partition key, p, \"Q q\", and may have clustering columns from the first on, of a, \"B\"\"b\", c;");
        Path empty = file("nothing.csv");
        Files.writeString(empty, "");
        assertThatThrownBy(() -> open("single", null, options -> options, empty))
                .hasMessageContaining("there is nothing in " + empty);
    }

    @Test
    void aRecordWithoutAKeyEndsTheReading() throws IOException {
        Path file = file("bad.csv", "p,Q q", "a,1", "b,one");
        assertThatThrownBy(() -> open("Odd_T", null, options -> options, file))
                .isInstanceOfSatisfying(
                        OverdriveException.class, e -> assertThat(e.kind()).isEqualTo(Kind.INPUT))
                .hasMessageContaining("bad.csv line 3: column \"Q q\" is decimal, got \"one\"");
        assertThat(spills).isEmptyDirectory();
        Path missing = file("missing.csv", "p,Q q", "a,");
        assertThatThrownBy(() -> open("Odd_T", null, options -> options, missing))
                .hasMessageContaining("missing.csv line 2");
    }

    @Test
    void aKeyHasAllOfItsColumns() throws IOException {
        Path csv = file("csv.csv", "p,Q q,a", "x,1,2", "x,1,");
        assertThatThrownBy(() -> open("Odd_T", null, options -> options, csv))
                .hasMessageContaining("csv.csv line 3: column \"a\" has no value, in a key of p, Q q, a")
                .hasMessageEndingWith("If the keys have fewer columns, name these with mapping \"a = a, b = b\"");
        Path json = file("json.jsonl", "{\"p\": \"x\", \"Q q\": 1}");
        assertThatThrownBy(() -> open("Odd_T", null, options -> options, json))
                .hasMessageContaining("column \"a\" has no value");
        try (KeyRows keys =
                open("Odd_T", null, options -> options.mapping(Mapping.parse("p = p, \"Q q\" = \"Q q\"")), json)) {
            assertThat(keys.keys()).isEqualTo(1);
        }
    }

    @Test
    void theIdentityFollowsFromTheKeysAlone() throws IOException {
        Path file = file("1.csv", "id", "a", "b", "a");
        Path same = file("2.csv", "more,id", "1,b", "2,a");
        Path other = file("3.csv", "id", "a", "c");
        try (KeyRows first = open("single", null, options -> options, file);
                KeyRows second = open("single", null, options -> options, same);
                KeyRows third = open("single", null, options -> options, other)) {
            assertThat(second.identity()).isEqualTo(first.identity());
            assertThat(third.identity()).isNotEqualTo(first.identity());
        }
    }
}
