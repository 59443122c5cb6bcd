package io.overdrive.jobs.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OverdriveException;
import io.overdrive.Seeds;
import io.overdrive.formats.records.InputFile;
import io.overdrive.formats.records.Read;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.create.TableDefinition.Key;
import io.overdrive.jobs.load.LoadOptions;
import io.overdrive.jobs.profile.Profile.Bucket;
import io.overdrive.jobs.profile.Profile.Column;
import io.overdrive.jobs.profile.Profile.Large;
import io.overdrive.jobs.profile.Profile.Partitions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileProfilerTest {
    private static final String[] NAMES = {"a", "Größe, cm", "два", "with \"quotes\"", "line\nend"};
    private static final String[] WORDS = {"x", "Ä", "日本", "", "a,b", "\"", "\n", "😀", "null or not", " "};

    private final Path directory;

    FileProfilerTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text, StandardCharsets.UTF_8);
    }

    private static ProfileSummary run(@Nullable String key, Path... files) {
        LoadOptions options = LoadOptions.of(
                        List.of(files).stream().map(InputFile::of).toList())
                .rejectLosses(Set.of())
                .threads(3)
                .build();
        try (FileProfiler profiler =
                FileProfiler.open(options, Map.of(), key == null ? null : Key.parse(key), /* top */ 3)) {
            ProfileSummary summary = profiler.run();
            if (summary.failure() != null) {
                throw summary.failure();
            }
            return summary;
        }
    }

    private static Profile profile(@Nullable String key, Path... files) {
        return Objects.requireNonNull(run(key, files).profile());
    }

    private static Partitions partitions(String key, Path... files) {
        return Objects.requireNonNull(profile(key, files).partitions());
    }

    /** Rows of text, with the first column as partition key, and null for a missing value. */
    private record Model(String[] names, List<@Nullable String[]> rows) {
        static Model random(Random random) {
            int columns = 1 + random.nextInt(NAMES.length);
            int partitions = 1 + random.nextInt(8);
            List<@Nullable String[]> rows = new ArrayList<>();
            for (int row = random.nextInt(60); row >= 0; row--) {
                @Nullable String[] values = new String[columns];
                values[0] = "p" + random.nextInt(partitions) + WORDS[1];
                for (int c = 1; c < columns; c++) {
                    values[c] = random.nextInt(4) == 0 ? null : WORDS[random.nextInt(WORDS.length)];
                }
                rows.add(values);
            }
            return new Model(Arrays.copyOf(NAMES, columns), rows);
        }

        String csv(int from, int to) {
            StringBuilder csv = new StringBuilder(quoted(names)).append('\n');
            rows.subList(from, to).forEach(row -> csv.append(quoted(row)).append('\n'));
            return csv.toString();
        }

        private static String quoted(@Nullable String[] values) {
            return IntStream.range(0, values.length)
                    .mapToObj(i -> values[i] == null ? "" : '"' + values[i].replace("\"", "\"\"") + '"')
                    .collect(Collectors.joining(","));
        }

        private static long bytes(@Nullable String value) {
            return value == null ? 0 : value.getBytes(StandardCharsets.UTF_8).length;
        }

        void assertColumn(Column column, int c) {
            List<String> values =
                    rows.stream().map(row -> row[c]).filter(Objects::nonNull).toList();
            long bytes = values.stream().mapToLong(Model::bytes).sum();
            long max = values.stream().mapToLong(Model::bytes).max().orElse(0);
            long distinct = new HashSet<>(values).size();
            assertThat(column)
                    .isEqualTo(new Column(
                            names[c], "text", rows.size() - values.size(), distinct, distinct, distinct, bytes, max));
        }

        void assertPartitions(Partitions found) {
            Map<String, Long> sizes = new HashMap<>();
            rows.forEach(row -> sizes.merge(String.valueOf(row[0]), 1L, Long::sum));
            long runs = IntStream.range(0, rows.size())
                    .filter(i -> i == 0 || !Objects.equals(rows.get(i)[0], rows.get(i - 1)[0]))
                    .count();
            assertThat(found.isExact()).isTrue();
            assertThat(found.count()).isEqualTo(sizes.size());
            assertThat(found.runs()).isEqualTo(runs);
            assertThat(found.outOfOrderShare()).isEqualTo((double) (runs - sizes.size()) / rows.size());
            assertThat(found.repeatedKeys()).isEqualTo(rows.size() - sizes.size());
            assertThat(found.oneRowShare())
                    .isEqualTo(
                            (double) sizes.values().stream().filter(n -> n == 1).count() / sizes.size());
            assertThat(found.byRows().stream().mapToDouble(Bucket::partitions).sum())
                    .isEqualTo(sizes.size());
            assertThat(found.byBytes().stream().mapToDouble(Bucket::rows).sum()).isEqualTo(rows.size());
            assertThat(found.largest().stream().map(Large::rows).toList())
                    .isEqualTo(sizes.values().stream()
                            .sorted((a, b) -> Long.compare(b, a))
                            .limit(3)
                            .toList());
            assertThat(found.largest()).allSatisfy(large -> assertThat(sizes)
                    .containsEntry(large.key().replaceAll("\\{\"a\":\"|\"\\}", ""), large.rows()));
        }
    }

    @Test
    void saysOfSmallFilesWhatAModelSays() {
        Seeds.times(100, random -> {
            Model model = Model.random(random);
            int cut = random.nextInt(model.rows.size() + 1);
            Path first = write("1.csv", model.csv(0, cut));
            Path second = write("2.csv", model.csv(cut, model.rows.size()));
            Profile profile = profile("a", first, second);
            assertThat(profile.rows()).isEqualTo(model.rows.size());
            assertThat(profile.columns()).hasSize(model.names.length);
            for (int c = 0; c < model.names.length; c++) {
                model.assertColumn(profile.columns().get(c), c);
            }
            model.assertPartitions(Objects.requireNonNull(profile.partitions()));
        });
    }

    @Test
    void findsTheSmallestKeysWithTheirReasons() throws IOException {
        StringBuilder csv = new StringBuilder("day,flight,id,price,note\n");
        for (int i = 0; i < 20_000; i++) {
            csv.append(i % 100)
                    .append(",F")
                    .append(i / 100)
                    .append(',')
                    .append(i)
                    .append(',')
                    .append(i + 0.5);
            csv.append(i == 7 ? ",\n" : ",n" + i + "\n");
        }
        Profile found = profile(null, write("x.csv", csv.toString()));
        assertThat(found.partitions()).isNull();
        assertThat(found.keys().stream().map(key -> String.join(",", key.columns())))
                .containsExactly("id", "day,flight");
        assertThat(found.keys().get(0).reason())
                .matches("no nulls, about [\\d,]+ of 20,000 values distinct, no duplicate in a sample of [\\d,]+ rows");
        assertThat(found.keys().get(1).reason()).matches("no nulls, no duplicate in a sample of [\\d,]+ rows");
        assertThat(found.advice()).hasSize(1);
    }

    @Test
    void oneDuplicateInASmallFileIsNoKey() throws IOException {
        assertThat(profile(null, write("x.csv", "id,name\n1,a\n2,b\n2,c\n")).keys().stream()
                        .map(key -> key.columns() + " " + key.reason()))
                .containsExactly("[name] no nulls, 3 of 3 values distinct");
    }

    @Test
    void manyNullsAndOneValueEndTheirSamples() throws IOException {
        String rows = "1,,x\n".repeat(30_000);
        Profile found = profile(null, write("x.csv", "one,nothing,also\n" + rows));
        assertThat(found.keys()).isEmpty();
        assertThat(found.columns().get(1).nulls()).isEqualTo(30_000);
    }

    @Test
    void recordsThatALoadWouldRejectAreCountedAndNamed() throws IOException {
        String rows =
                IntStream.range(0, 30_000).mapToObj(i -> i + "," + i + "\n").collect(Collectors.joining());
        ProfileSummary found = run("id", write("x.csv", "id,n\n" + rows + "x,1\n,2\n1,N/A\n"));
        assertThat(found.outcome()).isEqualTo(Outcome.DONE);
        assertThat(found.rowsRead()).isEqualTo(30_003);
        assertThat(found.rowsRejected()).isEqualTo(2); // N/A is a missing value of a number
        assertThat(found.reasons().get(0)).contains("x.csv line 30002: column \"id\" is int, got \"x\"");
        assertThat(found.reasons().get(1)).contains("x.csv line 30003: key column \"id\" has no value");
        assertThat(Objects.requireNonNull(found.profile()).rows()).isEqualTo(30_001);
        assertThat(partitions("id", directory.resolve("x.csv")).repeatedKeys()).isEqualTo(1);
    }

    @Test
    void anEmptyPartitionKeyIsRejected() throws IOException {
        Path file = write("x.csv", "k,c\n\"\",1\na,2\n");
        ProfileSummary found = run("k", file);
        assertThat(found.rowsRejected()).isEqualTo(1);
        assertThat(found.reasons().get(0)).contains("x.csv line 2: partition key column \"k\" is empty");
        assertThat(run("((k, c))", file).rowsRejected()).isZero();
        assertThat(run(null, file).rowsRejected()).isZero();
    }

    @Test
    void takesTheTypesOfAColumnarFile() throws IOException {
        Path file = directory.resolve("x.arrow");
        try (InputStream in = Objects.requireNonNull(Read.class.getResourceAsStream("/arrow/types.arrow"))) {
            Files.copy(in, file);
        }
        LoadOptions options = LoadOptions.of(List.of(InputFile.of(file))).build();
        try (FileProfiler profiler =
                FileProfiler.open(options, Map.of("struct", "tuple<int, text>"), /* key */ null, /* top */ 1)) {
            Profile found = Objects.requireNonNull(profiler.run().profile());
            assertThat(found.columns().stream().map(column -> column.name() + " " + column.type()))
                    .contains("u64 varint", "map map<text, int>", "struct frozen<tuple<int, text>>", "nothing text");
        }
    }

    @Test
    void aKeyMustBeOfTheColumns() throws IOException {
        Path file = write("x.csv", "id,n\n1,2\n");
        assertThatThrownBy(() -> run("(id, day), at", file))
                .isInstanceOf(OverdriveException.class)
                .hasMessage("key names day, at, which the input does not have; its columns are id, n");
    }

    @Test
    void aFileWithoutRecordsIsRefused() throws IOException {
        Path file = write("x.csv", "id,n\n");
        assertThatThrownBy(() -> run("id", file)).hasMessage("the input has no record to derive the columns from");
    }

    @Test
    void withoutRowsNothingIsDivided() {
        Partitions none = new Partitions(0, 0, true, List.of(), List.of(), List.of(), 0, 0, 0, true);
        assertThat(none.oneRowShare()).isZero();
        assertThat(none.singleRowsShare()).isZero();
        assertThat(none.outOfOrderShare()).isZero();
    }

    @Test
    void manyPartitionsAreEstimatedFromASample() throws IOException {
        StringBuilder csv = new StringBuilder("p,c\n");
        for (int i = 0; i < 100_000; i++) {
            csv.append(i % 3 == 0 ? "big" : "p" + i % 50_000)
                    .append(',')
                    .append(i)
                    .append('\n');
        }
        Profile found = profile("p, c", write("x.csv", csv.toString()));
        Partitions partitions = Objects.requireNonNull(found.partitions());
        Set<String> distinct = new HashSet<>();
        for (int i = 0; i < 100_000; i++) {
            distinct.add(i % 3 == 0 ? "big" : "p" + i % 50_000);
        }
        assertThat(partitions.isExact()).isFalse();
        assertThat(partitions.count()).isBetween(0.97 * distinct.size(), 1.03 * distinct.size());
        assertThat(partitions.largest().get(0).key()).isEqualTo("{\"p\":\"big\"}");
        assertThat(partitions.largest().get(0).rows()).isLessThanOrEqualTo(33_334);
        assertThat(partitions.largest().get(0).rows() + partitions.largestError())
                .isGreaterThanOrEqualTo(33_334);
        assertThat(partitions.repeatedKeys()).isZero();
    }

    /** One partition with most of the rows is surely not in a sample of the others. */
    @Test
    void aPartitionWithMostOfTheRowsCounts() throws IOException {
        for (String hot : List.of("hot", "warm", "all", "x")) { // some may be in the sample
            StringBuilder csv = new StringBuilder("p,c\n");
            for (int i = 0; i < 150_000; i++) {
                csv.append(i % 5 == 0 ? "p" + i : hot).append(',').append(i).append('\n');
            }
            Profile found = profile("p, c", write("x.csv", csv.toString()));
            Partitions partitions = Objects.requireNonNull(found.partitions());
            assertThat(partitions.isExact()).isFalse();
            assertThat(partitions.singleRowsShare()).isBetween(0.19, 0.21);
            assertThat(partitions.outOfOrderShare()).isBetween(0.19, 0.21);
            assertThat(partitions.byRows().get(partitions.byRows().size() - 1).from())
                    .isEqualTo(100_000);
            assertThat(partitions.largest()).hasSize(1);
            assertThat(found.advice().get(0).inJava()).startsWith("about 1 partition has 100,000 rows or more");
        }
    }

    @Test
    void listsNoPartitionsByChance() throws IOException {
        StringBuilder csv = new StringBuilder("p,c\n");
        for (int i = 0; i < 150_000; i++) {
            csv.append(i / 3).append(',').append(i).append('\n');
        }
        Partitions partitions = partitions("p, c", write("x.csv", csv.toString()));
        assertThat(partitions.largest()).isEmpty();
        assertThat(partitions.largestError()).isBetween(3L, 150L);
        assertThat(partitions.outOfOrderShare()).isZero();
    }

    @Test
    void aSingleRowIsIdentifiedByAnyColumn() throws IOException {
        assertThat(profile(null, write("x.csv", "a,b\n1,2\n")).keys()).hasSize(2);
    }
}
