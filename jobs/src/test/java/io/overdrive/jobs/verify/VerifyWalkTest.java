package io.overdrive.jobs.verify;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.MessageText;
import io.overdrive.internal.ring.RoutingKey;
import io.overdrive.jobs.diff.Difference;
import io.overdrive.jobs.sort.Entry;
import io.overdrive.jobs.sort.EntryLayout;
import io.overdrive.jobs.sort.EntryMerge;
import io.overdrive.jobs.sort.KeyOrder;
import io.overdrive.jobs.sort.SortedEntries;
import io.overdrive.jobs.sort.SpillPlace;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random records and tables, compared with a plain model; without a cluster. */
class VerifyWalkTest {
    /** A row, or with a null clustering column the static columns of a partition. */
    private record Key(String p, @Nullable Integer c) {}

    /**
     * Values by column; a null value is a null, and a missing one says nothing.
     *
     * @param counts whether it is a row, or all that its record has
     */
    private record Rec(Key key, long time, Map<String, @Nullable Integer> values, boolean counts) {
        Rec(Key key, long time, Map<String, @Nullable Integer> values) {
            this(key, time, values, /* counts */ true);
        }
    }

    private static final TableSchema TABLE = new TableSchema(
            "ks",
            "t",
            List.of(
                    new Column("p", DataTypes.TEXT, Role.PARTITION_KEY),
                    new Column("c", DataTypes.INT, Role.CLUSTERING),
                    new Column("s", DataTypes.INT, Role.STATIC),
                    new Column("a", DataTypes.INT, Role.REGULAR),
                    new Column("b", DataTypes.INT, Role.REGULAR)));
    private static final KeyOrder ORDER = KeyOrder.of(TABLE, List.of(true));

    /** The order of the server's rows: by token, and the clustering column in descending order. */
    private static final Comparator<Key> AS_THE_TABLE = Comparator.comparingLong((Key k) -> tokenOf(k.p()))
            .thenComparing(Key::p)
            .thenComparing(k -> k.c() == null ? Integer.MIN_VALUE : -k.c());

    private final Path directory;

    VerifyWalkTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static long tokenOf(String p) {
        RoutingKey key = new RoutingKey();
        key.start(1);
        key.add(text(p), 0, text(p).length);
        return key.token();
    }

    private static EntryLayout layout(boolean hasTimes, String... filled) {
        return new EntryLayout(TABLE, ORDER, List.of(filled), /* filledStatics */ List.of(), hasTimes);
    }

    private static void put(Bytes out, @Nullable Integer value) {
        if (value == null) {
            out.putNull();
        } else {
            out.putInt(4);
            out.putInt(value);
        }
    }

    private static Bytes entry(EntryLayout layout, Rec record, long position) {
        Bytes out = new Bytes(64);
        Integer c = record.key().c();
        byte kind = c != null ? Entry.ROW : record.counts() ? Entry.ONLY_STATICS : Entry.STATICS;
        Entry.begin(out, tokenOf(record.key().p()), kind, record.time(), position);
        out.putInt(text(record.key().p()).length);
        out.put(text(record.key().p()));
        if (c != null) {
            put(out, c);
        }
        for (int column : layout.values(c == null)) {
            if (record.values().containsKey(layout.name(column))) {
                put(out, record.values().get(layout.name(column)));
            } else {
                out.putInt(Entry.UNSET);
            }
        }
        Entry.end(out);
        return out;
    }

    /** Rows of a model as a scan gives them: the static columns in each row, or alone if the partition has no rows. */
    private static final class ModelRows implements TableRows {
        private final List<Bytes> rows = new ArrayList<>();
        private final List<Long> tokens = new ArrayList<>();
        private final int[] offsets;
        private final int[] lengths;
        private int next;

        ModelRows(EntryLayout layout, Map<Key, Map<String, @Nullable Integer>> table, long after, long upTo) {
            offsets = new int[layout.columns()];
            lengths = new int[layout.columns()];
            TreeSet<String> withRows = new TreeSet<>();
            table.keySet().stream().filter(k -> k.c() != null).forEach(k -> withRows.add(k.p()));
            table.forEach((key, values) -> {
                long token = tokenOf(key.p());
                if (token <= after || token > upTo || (key.c() == null && withRows.contains(key.p()))) {
                    return;
                }
                Bytes row = new Bytes(64);
                row.putInt(text(key.p()).length);
                row.put(text(key.p()));
                put(row, key.c());
                Map<String, @Nullable Integer> statics = table.getOrDefault(new Key(key.p(), null), Map.of());
                for (int c = layout.keyColumns(); c < layout.columns(); c++) {
                    put(row, (layout.name(c).equals("s") ? statics : values).get(layout.name(c)));
                }
                rows.add(row);
                tokens.add(token);
            });
        }

        @Override
        public boolean next() {
            if (next == rows.size()) {
                return false;
            }
            int i = 0;
            for (int c = 0; c < offsets.length; c++) {
                lengths[c] = Bytes.getInt(rows.get(next).array(), i);
                offsets[c] = i + 4;
                i += 4 + Math.max(0, lengths[c]);
            }
            next++;
            return true;
        }

        @Override
        public long token() {
            return tokens.get(next - 1);
        }

        @Override
        public byte[] array() {
            return rows.get(next - 1).array();
        }

        @Override
        public int offset(int column) {
            return offsets[column];
        }

        @Override
        public int length(int column) {
            return lengths[column];
        }
    }

    private Findings verify(
            EntryLayout layout,
            List<Rec> records,
            Map<Key, Map<String, @Nullable Integer>> table,
            long memory,
            List<Long> cuts,
            List<String> found) {
        Findings findings = new Findings(Long.MAX_VALUE, d -> found.add(d.toJson()));
        SpillPlace place = new SpillPlace(directory, "rows", MessageText.EMPTY);
        try (SortedEntries entries = new SortedEntries(
                layout, place, memory, /* workers */ 2, /* maxRuns */ 3, /* bytesBetweenMarks */ 100)) {
            SortedEntries.Part first = entries.part();
            SortedEntries.Part second = entries.part();
            for (int i = 0; i < records.size(); i++) {
                (i % 5 == 0 ? first : second).add(entry(layout, records.get(i), i));
            }
            entries.finish();
            VerifyWalk walk = new VerifyWalk(layout, findings);
            long after = Long.MIN_VALUE;
            for (long upTo : cuts) {
                Optional<EntryMerge> expected = entries.open(after, upTo);
                if (expected.isPresent()) {
                    assertThat(walk.compare(
                                    new ExpectedRows(layout, expected.get()),
                                    new ModelRows(layout, table, after, upTo)))
                            .isTrue();
                }
                after = upTo;
            }
            assertThat(directory.toFile().list())
                    .as("spill files are deleted when opened")
                    .isEmpty();
        }
        return findings;
    }

    /** The rows that a load of the records leaves in an empty table. */
    private static Map<Key, Map<String, @Nullable Integer>> loaded(List<Rec> records, boolean hasTimes) {
        TreeMap<Key, Map<String, @Nullable Integer>> rows = new TreeMap<>(AS_THE_TABLE);
        Map<Key, Map<String, Long>> times = new HashMap<>();
        for (Rec record : records) {
            Map<String, @Nullable Integer> row = rows.computeIfAbsent(record.key(), k -> new HashMap<>());
            Map<String, Long> before = times.computeIfAbsent(record.key(), k -> new HashMap<>());
            record.values().forEach((column, value) -> {
                Long time = before.get(column);
                Integer old = row.get(column);
                boolean wins = !hasTimes
                        || time == null
                        || record.time() > time
                        || (record.time() == time && old != null && (value == null || value > old));
                if (wins) {
                    row.put(column, value);
                    before.put(column, record.time());
                }
            });
        }
        return rows;
    }

    private static Map<String, @Nullable Integer> values(Random random, String... columns) {
        Map<String, @Nullable Integer> values = new HashMap<>();
        for (String column : columns) {
            switch (random.nextInt(6)) {
                case 0 -> {}
                case 1 -> values.put(column, null);
                default -> values.put(column, random.nextInt(3));
            }
        }
        return values;
    }

    private static String json(Difference.Kind kind, Key key, List<String> columns) {
        String c = key.c() == null ? "" : ",\"c\":" + key.c();
        return new Difference(kind, "{\"p\":\"" + key.p() + "\"" + c + "}", columns).toJson();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void findsWhatAPlainComparisonFinds(int seed) {
        Random random = new Random(seed);
        boolean hasTimes = random.nextBoolean();
        EntryLayout layout = layout(hasTimes, "p", "c", "s", "a", "b");
        int partitions = 1 + random.nextInt(60);
        List<Rec> records = new ArrayList<>();
        for (int i = random.nextInt(4000); i > 0; i--) {
            String p = "p" + random.nextInt(partitions);
            long time = hasTimes ? random.nextInt(4) : 0;
            records.add(new Rec(new Key(p, random.nextInt(40)), time, values(random, "a", "b")));
            Map<String, @Nullable Integer> statics = values(random, "s");
            if (!statics.isEmpty()) {
                records.add(new Rec(new Key(p, null), time, statics, /* counts */ false));
            }
            if (random.nextInt(10) == 0) {
                Key withoutRow = new Key("p" + random.nextInt(2 * partitions), null);
                records.add(new Rec(withoutRow, time, Map.of("s", random.nextInt(3))));
            }
        }
        Map<Key, Map<String, @Nullable Integer>> expected = loaded(records, hasTimes);
        TreeMap<Key, Map<String, @Nullable Integer>> table = new TreeMap<>(AS_THE_TABLE);
        expected.forEach((key, values) -> {
            if (random.nextInt(20) > 0) {
                Map<String, @Nullable Integer> changed = new HashMap<>(values);
                if (random.nextInt(10) == 0) {
                    changed.putAll(values(random, key.c() == null ? "s" : "a"));
                }
                table.put(key, changed);
            }
        });
        for (int i = 0; i < 50; i++) {
            table.put(new Key("p" + random.nextInt(2 * partitions), 40 + random.nextInt(40)), Map.of());
        }
        TreeSet<Long> cuts = new TreeSet<>(List.of(Long.MAX_VALUE));
        for (int i = 0; i < 8; i++) {
            cuts.add(random.nextBoolean() ? tokenOf("p" + random.nextInt(partitions)) : random.nextLong());
        }
        List<String> found = new ArrayList<>();
        long memory = random.nextBoolean() ? 40_000 : 10_000_000;
        Findings findings = verify(layout, records, table, memory, List.copyOf(cuts), found);

        List<String> differences = new ArrayList<>();
        TreeSet<String> inTable = new TreeSet<>();
        table.keySet().forEach(key -> inTable.add(key.p()));
        Set<Key> counted = records.stream().filter(Rec::counts).map(Rec::key).collect(Collectors.toSet());
        expected.forEach((key, values) -> {
            Map<String, @Nullable Integer> has = table.get(key);
            boolean isGone = !inTable.contains(key.p())
                    && counted.contains(key)
                    && values.values().stream().anyMatch(Objects::nonNull);
            if (key.c() == null ? isGone : has == null) {
                differences.add(json(Difference.Kind.MISSING_RIGHT, key, List.of()));
                return;
            }
            List<String> names = new ArrayList<>();
            new TreeMap<>(values).forEach((column, value) -> {
                Integer now = has == null ? null : has.get(column);
                if (value == null ? now != null : !value.equals(now)) {
                    names.add(column);
                }
            });
            if (!names.isEmpty() && inTable.contains(key.p())) {
                differences.add(json(Difference.Kind.DIFFERENT, key, names));
            }
        });
        assertThat(found).containsExactlyInAnyOrderElementsOf(differences);
        assertThat(findings.compared.sum()).isEqualTo(counted.size());
        assertThat(findings.compared.sum() + findings.repeated.sum())
                .isEqualTo(records.stream().filter(Rec::counts).count());
        assertThat(findings.different.sum() + findings.missing.sum()).isEqualTo(differences.size());
    }

    @Test
    void staticColumnsWithoutRowsAreMissingIfTheyHaveValues() {
        EntryLayout layout = layout(/* hasTimes */ false, "p", "s");
        assertThat(layout.hasRows()).isFalse();
        Map<String, @Nullable Integer> isNull = new HashMap<>();
        isNull.put("s", null);
        List<Rec> records = List.of(
                new Rec(new Key("there", null), 0, Map.of("s", 1)),
                new Rec(new Key("other", null), 0, Map.of("s", 1)),
                new Rec(new Key("gone", null), 0, Map.of("s", 1)),
                new Rec(new Key("null", null), 0, isNull));
        TreeMap<Key, Map<String, @Nullable Integer>> table = new TreeMap<>(AS_THE_TABLE);
        table.put(new Key("there", null), Map.of("s", 1));
        table.put(new Key("there", 1), Map.of());
        table.put(new Key("other", null), Map.of("s", 2));
        List<String> found = new ArrayList<>();
        Findings findings = verify(layout, records, table, 100_000, List.of(Long.MAX_VALUE), found);
        assertThat(found)
                .containsExactlyInAnyOrder(
                        "{\"kind\":\"different\",\"key\":{\"p\":\"other\"},\"columns\":[\"s\"]}",
                        "{\"kind\":\"missing-right\",\"key\":{\"p\":\"gone\"}}");
        assertThat(findings.compared.sum()).isEqualTo(4);
        assertThat(findings.same.sum()).isEqualTo(2);
    }

    @Test
    void aKeyThatComesManyTimesTakesNoMoreMemoryThanItsLastValues() {
        EntryLayout layout = layout(/* hasTimes */ false, "p", "c", "a", "b");
        List<Rec> records = new ArrayList<>();
        for (int i = 0; i < 200_000; i++) {
            records.add(new Rec(new Key("p", 1), 0, i == 0 ? Map.of("b", 7) : Map.of("a", i)));
        }
        TreeMap<Key, Map<String, @Nullable Integer>> table = new TreeMap<>(AS_THE_TABLE);
        table.put(new Key("p", 1), Map.of("a", 199_999, "b", 7));
        List<String> found = new ArrayList<>();
        Findings findings = verify(layout, records, table, 1_000_000, List.of(Long.MAX_VALUE), found);
        assertThat(found).isEmpty();
        assertThat(findings.same.sum()).isEqualTo(1);
    }

    @Test
    void theMaximumNumberOfDifferencesEndsTheComparison() {
        List<String> found = new ArrayList<>();
        Findings findings = new Findings(2, d -> found.add(d.key()));
        for (int i = 0; i < 4; i++) {
            findings.report(new Difference(Difference.Kind.MISSING_RIGHT, "k" + i, List.of()));
        }
        assertThat(found).containsExactly("k0", "k1");
        assertThat(findings.missing.sum()).isEqualTo(2);
        assertThat(findings.stopping).isTrue();
    }
}
