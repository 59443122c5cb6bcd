package io.overdrive.sstable.sort;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.OverdriveException;
import io.overdrive.RowBuffer;
import io.overdrive.RowBuffers;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.ring.Murmur3;
import io.overdrive.sstable.format.CellTimes;
import io.overdrive.sstable.format.KeyCount;
import io.overdrive.sstable.format.SstableSchema;
import io.overdrive.sstable.format.SstableSchema.Column;
import io.overdrive.sstable.format.SstableSchema.Compression;
import io.overdrive.sstable.format.SstableSchema.Kind;
import io.overdrive.sstable.sort.SstableSorter.Written;
import io.overdrive.sstable.write.Sstable;
import io.overdrive.sstable.write.SstableWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows in any order against a model that keeps all in memory; the files of both have the same bytes. */
class SstableSorterTest {
    private static final TokenSpan ALL_TOKENS = new TokenSpan(Long.MIN_VALUE, Long.MAX_VALUE);

    private static final int NOW_SECONDS = 1_790_000_000;
    private static final long WRITE_TIME = NOW_SECONDS * 1_000_000L;
    /** Columns in the order of the given rows, which is not the order of the records. */
    private static final List<Column> COLUMNS = List.of(
            new Column("r", DataTypes.TEXT, Kind.REGULAR, 0),
            new Column("c", DataTypes.INT, Kind.CLUSTERING_DESCENDING, 0),
            new Column("t", DataTypes.setOf(DataTypes.INT), Kind.REGULAR, 0),
            new Column("p", DataTypes.INT, Kind.PARTITION_KEY, 0),
            new Column("q", DataTypes.TEXT, Kind.PARTITION_KEY, 1),
            new Column("s", DataTypes.INT, Kind.STATIC, 0));
    /** The model's, as {@link SstableWriter} takes them. */
    private static final int[] STORED = {3, 4, 1, 5, 0, 2};

    private static final int C = 1;
    private static final int P = 3;
    private static final int Q = 4;
    private static final int S = 5;
    private static final byte[] NULL = {};

    private final Path directory;

    SstableSorterTest(@TempDir Path directory) {
        this.directory = directory;
    }

    /**
     * @param values null if missing, {@link #NULL} for a null
     * @param cellsOnly without the row marker
     */
    private record Input(byte[] @Nullable [] values, long writeTime, int ttl, boolean cellsOnly) {
        Input(byte[] @Nullable [] values, long writeTime, int ttl) {
            this(values, writeTime, ttl, /* cellsOnly */ false);
        }
    }

    /** A value of the model, or with a value of null, the row marker. */
    private record Cell(byte[] value, long writeTime, int ttl) {
        /** The later one wins; of equal times a null, then what expires, then what expires later, then the greater one. */
        static final Comparator<Cell> ORDER = Comparator.comparingLong(Cell::writeTime)
                .thenComparing(cell -> cell.value == NULL || cell.ttl > 0)
                .thenComparing(cell -> cell.value == NULL)
                .thenComparing(cell -> cell.value == NULL ? 0 : cell.ttl)
                .thenComparing(Cell::value, Arrays::compareUnsigned);
    }

    private static SstableSchema schema() {
        return new SstableSchema(COLUMNS, Compression.NONE, 1, 128);
    }

    private static byte[] integer(int value) {
        return ByteBuffer.allocate(4).putInt(value).array();
    }

    private static byte[] set(int... values) {
        ByteBuffer set = ByteBuffer.allocate(4 + 8 * values.length).putInt(values.length);
        for (int value : values) {
            set.putInt(4).putInt(value);
        }
        return set.array();
    }

    /** @param ties whether rows of one key may have the same write time; then there are no sets */
    private static List<Input> random(int count, int textBytes, boolean ties, Random random) {
        List<Input> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] @Nullable [] values = new byte[COLUMNS.size()][];
            byte[] text = new byte[random.nextInt(textBytes)];
            Arrays.fill(text, (byte) ('a' + random.nextInt(26)));
            values[0] = text;
            values[C] = integer(random.nextInt(30) - 15);
            values[2] = ties ? null : set(random.nextInt(3), 5, random.nextInt(9));
            values[P] = integer(random.nextInt(20));
            values[Q] = random.nextInt(10) == 0 ? new byte[0] : new byte[] {'q'};
            values[S] = integer(random.nextInt());
            for (int c : new int[] {0, 2, S}) {
                int kind = random.nextInt(6);
                values[c] = kind == 0 ? null : kind == 1 && values[c] != null ? NULL : values[c];
            }
            long time = ties ? random.nextInt(4) : i;
            rows.add(new Input(values, WRITE_TIME + time, random.nextInt(3) * 1000));
        }
        return rows;
    }

    /** Some of the rows have no row marker. */
    private static List<Input> mixed(List<Input> rows) {
        return IntStream.range(0, rows.size())
                .mapToObj(i -> new Input(rows.get(i).values, rows.get(i).writeTime, rows.get(i).ttl, i % 3 > 0))
                .toList();
    }

    private static SstableSorter sorter(Path spills, long memory) {
        return SstableSorter.of(schema(), COLUMNS.stream().map(Column::name).toList(), spills, memory, 2, NOW_SECONDS);
    }

    private static void fill(RowBuffer row, Input input) {
        RowBuffers.clear(row);
        for (int i = 0; i < input.values.length; i++) {
            byte[] value = input.values[i];
            if (value == NULL) {
                row.setNull(i);
            } else if (value != null) {
                row.setBytes(i, value, 0, value.length);
            }
        }
    }

    private static RowBuffer row() {
        return RowBuffers.of(
                COLUMNS.stream().map(Column::name).toList(),
                COLUMNS.stream().map(Column::type).toList());
    }

    private static void add(SstableSorter sorter, List<Input> rows) {
        List<String> names = COLUMNS.stream().map(Column::name).toList();
        List<SorterPart> parts = List.of(
                sorter.part(),
                sorter.part(),
                sorter.part(names, /* cellsOnly */ true),
                sorter.part(names, /* cellsOnly */ true));
        RowBuffer row = row();
        for (int i = 0; i < rows.size(); i++) {
            fill(row, rows.get(i));
            SorterPart part = parts.get(i % 2 + (rows.get(i).cellsOnly ? 2 : 0));
            assertThat(part.problem(row, rows.get(i).writeTime, rows.get(i).ttl))
                    .isNull();
            part.add(row, rows.get(i).writeTime, rows.get(i).ttl);
        }
    }

    private static byte[] key(Input input) {
        Bytes key = new Bytes(16);
        for (int c : new int[] {P, Q}) {
            byte[] value = bytes(input.values[c]);
            key.putShort(value.length);
            key.put(value);
            key.putByte(0);
        }
        return key.toByteArray();
    }

    private static byte[] bytes(byte @Nullable [] value) {
        return value == null ? new byte[0] : value;
    }

    /**
     * The latest of each value, for each partition and clustering; static values are at a clustering that is before all
     * others.
     */
    private static TreeMap<Long, Map<Integer, Map<Integer, Cell>>> merged(List<Input> rows, Map<Long, byte[]> keys) {
        TreeMap<Long, Map<Integer, Map<Integer, Cell>>> partitions = new TreeMap<>();
        for (Input input : rows) {
            byte[] key = key(input);
            long token = Murmur3.token(key, 0, key.length);
            boolean hasCells = IntStream.of(0, 2, S).anyMatch(c -> input.values[c] != null);
            if (input.cellsOnly && !hasCells) {
                continue;
            }
            keys.put(token, key);
            Map<Integer, Map<Integer, Cell>> partition =
                    partitions.computeIfAbsent(token, t -> new TreeMap<>(Comparator.reverseOrder()));
            int clustering = ByteBuffer.wrap(bytes(input.values[C])).getInt();
            if (!input.cellsOnly) {
                merge(partition.computeIfAbsent(clustering, c -> new TreeMap<>()), -1, new byte[0], input);
            }
            for (int c : new int[] {0, 2, S}) {
                byte[] value = input.values[c];
                if (value != null) {
                    int at = c == S ? Integer.MAX_VALUE : clustering;
                    merge(partition.computeIfAbsent(at, each -> new TreeMap<>()), c, value, input);
                }
            }
        }
        return partitions;
    }

    private static void merge(Map<Integer, Cell> row, int column, byte[] value, Input input) {
        Cell cell = new Cell(value, input.writeTime, input.ttl);
        row.merge(column, cell, (a, b) -> Cell.ORDER.compare(a, b) >= 0 ? a : b);
    }

    /** Writes what the model has by the same writer, in order, with the times of each value. */
    private static void writeModel(List<Input> rows, Path to) throws IOException {
        Map<Long, byte[]> keys = new TreeMap<>();
        List<Column> stored = Arrays.stream(STORED).mapToObj(COLUMNS::get).toList();
        long first = rows.stream().mapToLong(Input::writeTime).min().orElseThrow();
        try (SstableWriter writer = SstableWriter.open(
                new SstableSchema(stored, Compression.NONE, 1, 128),
                new SstableWriter.Options(to, 1, 100, first, NOW_SECONDS))) {
            for (Map.Entry<Long, Map<Integer, Map<Integer, Cell>>> partition :
                    merged(rows, keys).entrySet()) {
                byte[] key = Objects.requireNonNull(keys.get(partition.getKey()));
                writer.partition(key, 0, key.length);
                for (Map.Entry<Integer, Map<Integer, Cell>> row :
                        partition.getValue().entrySet()) {
                    write(row.getKey(), row.getValue(), writer);
                }
            }
            writer.finish();
        }
    }

    private static void write(int clustering, Map<Integer, Cell> cells, SstableWriter writer) throws IOException {
        boolean isStatic = clustering == Integer.MAX_VALUE;
        CellTimes times = new CellTimes(STORED.length);
        Bytes values = new Bytes(64);
        for (int i = 0; i < STORED.length; i++) {
            Cell cell = cells.get(STORED[i]);
            if (STORED[i] == C) {
                values.putInt(4);
                values.putInt(isStatic ? 0 : clustering);
            } else if (cell == null) {
                values.putInt(-2);
            } else {
                times.set(i, cell.writeTime, cell.ttl);
                values.putInt(cell.value == NULL ? -1 : cell.value.length);
                values.put(cell.value);
            }
        }
        if (isStatic) {
            writer.statics(values.array(), 0, 0, 0, times);
        } else {
            Cell marker = cells.get(-1);
            writer.row(
                    values.array(),
                    0,
                    marker == null ? 0 : marker.writeTime,
                    marker == null ? 0 : marker.ttl,
                    times,
                    /* hasMarker */ marker != null);
        }
    }

    private static Path data(Path of) {
        return of.resolve("nb-1-big-Data.db");
    }

    @ParameterizedTest
    @CsvSource({
        // rows, maximum bytes of a text, whether write times are the same, whether some have no row marker, memory
        "1, 10, false, false, 1000000",
        "5000, 10, false, false, 100000000",
        "5000, 10, true, false, 100000000",
        "5000, 10, false, true, 100000000",
        "5000, 10, true, true, 100000000",
        "200, 10, false, true, 100000000",
        "5000, 10, false, false, 100000",
        "5000, 300, true, true, 100000",
        "2000, 300, false, false, 1024",
        "300, 20000, false, true, 8192",
    })
    void writesWhatAModelKeeps(int count, int textBytes, boolean ties, boolean mixed, long memory) throws IOException {
        Random random = new Random(count + memory);
        List<Input> inserted = random(count, textBytes, ties, random);
        List<Input> rows = mixed ? mixed(inserted) : inserted;
        Path model = Files.createDirectory(directory.resolve("model"));
        Path ours = Files.createDirectory(directory.resolve("ours"));
        Path spills = Files.createDirectory(directory.resolve("spills"));
        writeModel(rows, model);
        try (SstableSorter sorter = sorter(spills, memory)) {
            add(sorter, rows);
            Written written = sorter.write(TokenOwners.one(), List.of(ours), 2, Pass.WHOLE);
            assertThat(written.rows()).containsExactly(count);
            assertThat(sorter.rowsDone()).isEqualTo(count);
            assertThat(written.sstables().get(0)).hasSize(1);
            if (memory < 1_000_000) {
                assertThat(sorter.bytesSpilled()).isPositive();
            } else {
                assertThat(sorter.bytesSpilled()).isZero();
            }
        }
        assertThat(data(ours)).hasSameBinaryContentAs(data(model));
        for (String component : List.of("Index.db", "Statistics.db")) {
            assertThat(ours.resolve("nb-1-big-" + component))
                    .hasSameBinaryContentAs(model.resolve("nb-1-big-" + component));
        }
        assertThat(files(spills)).isEmpty();
    }

    @Test
    void takesRowsAndStaticColumnsApart() throws IOException {
        List<Input> rows = mixed(random(3000, 10, /* ties */ false, new Random(3)));
        Path model = Files.createDirectory(directory.resolve("model"));
        Path ours = Files.createDirectory(directory.resolve("ours"));
        writeModel(rows, model);
        try (SstableSorter sorter = sorter(directory, 1 << 20)) {
            add(sorter, rows, List.of(S, Q, P));
            add(sorter, rows, List.of(2, P, C, 0, Q));
            sorter.write(TokenOwners.one(), List.of(ours), 1, Pass.WHOLE);
        }
        for (String component : List.of("Data.db", "Index.db", "Statistics.db")) {
            assertThat(ours.resolve("nb-1-big-" + component))
                    .hasSameBinaryContentAs(model.resolve("nb-1-big-" + component));
        }
    }

    /** Only some of the columns, in this order. */
    private static void add(SstableSorter sorter, List<Input> rows, List<Integer> columns) {
        List<Column> chosen = columns.stream().map(COLUMNS::get).toList();
        List<String> names = chosen.stream().map(Column::name).toList();
        SorterPart inserts = sorter.part(names, /* cellsOnly */ false);
        SorterPart updates = sorter.part(names, /* cellsOnly */ true);
        RowBuffer row = RowBuffers.of(
                chosen.stream().map(Column::name).toList(),
                chosen.stream().map(Column::type).toList());
        for (Input input : rows) {
            byte[][] values =
                    columns.stream().map(column -> input.values[column]).toArray(byte[][]::new);
            fill(row, new Input(values, input.writeTime, input.ttl));
            (input.cellsOnly ? updates : inserts).add(row, input.writeTime, input.ttl);
        }
    }

    private static List<Path> files(Path of) throws IOException {
        try (Stream<Path> files = Files.list(of)) {
            return files.toList();
        }
    }

    @Test
    void givesEachOwnerItsTokens() throws IOException {
        List<Input> rows = random(3000, 10, false, new Random(1));
        List<Path> directories = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            directories.add(Files.createDirectory(directory.resolve("node" + i)));
        }
        long third = Long.MAX_VALUE / 3 * 2;
        TokenOwners owners = new TokenOwners(
                List.of(-third, 0L, third), List.of(new int[] {0, 1}, new int[] {1, 2}, new int[] {2, 0}));
        try (SstableSorter sorter = sorter(directory, 1 << 20)) {
            add(sorter, rows);
            Written written = sorter.write(owners, directories, 1, Pass.WHOLE);
            long[] expected = new long[3];
            for (Input input : rows) {
                byte[] key = key(input);
                long token = Murmur3.token(key, 0, key.length);
                expected[token <= -third || token > third ? 0 : token <= 0 ? 1 : 2]++;
            }
            assertThat(written.rows()).containsExactly(expected);
            for (int node = 0; node < 3; node++) {
                int of = node;
                Path alone = Files.createDirectory(directory.resolve("alone" + node));
                writeModel(
                        rows.stream()
                                .filter(input -> Arrays.stream(owners.owners(
                                                owners.rangeOf(Murmur3.token(key(input), 0, key(input).length))))
                                        .anyMatch(owner -> owner == of))
                                .toList(),
                        alone);
                assertThat(written.sstables().get(node)).hasSize(1);
                // other first write times, so not the same bytes
                assertThat(data(directories.get(node))).exists();
                assertThat(partitions(directories.get(node))).isEqualTo(partitions(alone));
            }
        }
    }

    /** The keys in Index.db. */
    private static List<String> partitions(Path of) throws IOException {
        byte[] index = Files.readAllBytes(of.resolve("nb-1-big-Index.db"));
        List<String> keys = new ArrayList<>();
        for (int at = 0; at < index.length; ) {
            int length = Bytes.getShort(index, at);
            keys.add(Arrays.toString(Arrays.copyOfRange(index, at + 2, at + 2 + length)));
            at += 2 + length;
            at += Bytes.vintBytes(index[at]); // position
            int promoted = (int) Bytes.getUnsignedVint(index, at);
            at += Bytes.vintBytes(index[at]) + promoted;
        }
        return keys;
    }

    /** More threads, or larger buffers, for the SSTables of so many nodes would not fit in the memory. */
    @Test
    void aThreadWritesTheSstablesOfManyOwners() throws IOException {
        List<Path> directories = new ArrayList<>();
        List<Long> ends = new ArrayList<>();
        List<int[]> owners = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            directories.add(Files.createDirectory(directory.resolve("node" + i)));
            ends.add(Long.MIN_VALUE + (i + 1) * (Long.MAX_VALUE / 150));
            owners.add(new int[] {i, (i + 1) % 300});
        }
        try (SstableSorter sorter = sorter(directory, 1 << 20)) {
            addMany(sorter);
            Written written = sorter.write(new TokenOwners(ends, owners), directories, 3, Pass.WHOLE);
            assertThat(Arrays.stream(written.rows()).sum()).isEqualTo(200_000);
            assertThat(written.sstables()).allSatisfy(each -> assertThat(each).hasSize(1));
            assertThat(written.sstables().stream()
                            .mapToLong(each -> each.get(0).rows())
                            .sum())
                    .isEqualTo(400_000);
        }
    }

    private static void addMany(SstableSorter sorter) {
        RowBuffer row = row();
        SorterPart part = sorter.part();
        for (int i = 0; i < 200_000; i++) {
            RowBuffers.clear(row);
            row.setInt(P, i)
                    .setText(Q, "a text that is long enough")
                    .setInt(C, 1)
                    .setText(0, "some text");
            part.add(row, WRITE_TIME + i, 0);
        }
    }

    /** A task of Spark has the rows of one range of tokens: filters are sized for these, and other owners get nothing. */
    @Test
    void ownersOfOtherTokensGetNothing() throws IOException {
        int nodes = 100;
        List<Long> ends = new ArrayList<>();
        List<int[]> owners = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            ends.add(Long.MIN_VALUE + (i + 1) * (Long.MAX_VALUE / (nodes / 2)));
            owners.add(new int[] {i, (i + 1) % nodes});
        }
        TokenOwners ring = new TokenOwners(ends, owners);
        Map<Integer, Path> created = new TreeMap<>();
        SstableSchema filtered = new SstableSchema(COLUMNS, Compression.NONE, 0.01, 128);
        List<String> names = COLUMNS.stream().map(Column::name).toList();
        try (SstableSorter sorter = SstableSorter.of(filtered, names, directory, 4 << 20, 1, NOW_SECONDS)) {
            RowBuffer row = row();
            SorterPart part = sorter.part();
            int rows = 0;
            for (int i = 0; rows < 5_000; i++) {
                RowBuffers.clear(row);
                row.setInt(P, i).setText(Q, "q").setInt(C, 1).setText(0, "some text");
                byte[][] values = new byte[Math.max(P, Q) + 1][];
                values[P] = ByteBuffer.allocate(Integer.BYTES).putInt(i).array();
                values[Q] = new byte[] {'q'};
                byte[] key = key(new Input(values, WRITE_TIME, 0));
                if (ring.rangeOf(Murmur3.token(key, 0, key.length)) == 40) {
                    part.add(row, WRITE_TIME, 0);
                    rows++;
                }
            }
            Written written = sorter.write(
                    ring,
                    nodes,
                    owner -> {
                        Path path = Files.createDirectory(directory.resolve("node" + owner));
                        created.put(owner, path);
                        return path;
                    },
                    1,
                    Pass.WHOLE);
            assertThat(created).containsOnlyKeys(40, 41);
            assertThat(written.sstables()).hasSize(nodes);
            for (Path path : created.values()) {
                // 10 bits for each partition
                assertThat(Files.size(path.resolve("nb-1-big-Filter.db"))).isBetween(5_000L, 7_500L);
            }
        }
    }

    @Test
    void severalThreadsWriteRangesOfTokens() throws IOException {
        Path ours = Files.createDirectory(directory.resolve("ours"));
        try (SstableSorter sorter = sorter(directory, 4 << 20)) {
            addMany(sorter);
            Written written = sorter.write(TokenOwners.one(), List.of(ours), 2, Pass.WHOLE);
            List<Sstable> sstables = written.sstables().get(0).stream()
                    .sorted(Comparator.comparingLong(Sstable::firstToken))
                    .toList();
            assertThat(sstables).hasSize(2);
            assertThat(sstables.get(0).lastToken()).isLessThan(sstables.get(1).firstToken());
            assertThat(sstables.stream().mapToLong(Sstable::rows).sum()).isEqualTo(200_000);
            assertThat(sstables.stream().mapToLong(Sstable::partitions).sum()).isEqualTo(200_000);
        }
    }

    @Test
    void aStoppedSorterLeavesNoSstable() throws IOException {
        Path ours = Files.createDirectory(directory.resolve("ours"));
        try (SstableSorter sorter = sorter(directory, 1 << 20)) {
            add(sorter, random(100, 10, false, new Random(1)));
            sorter.stop();
            assertThatThrownBy(() -> sorter.write(TokenOwners.one(), List.of(ours), 2, Pass.WHOLE))
                    .hasMessage("the writing of SSTables was stopped");
        }
        assertThat(files(ours)).isEmpty();
    }

    @Test
    void refusesCollectionsThatTheServerWouldMix() throws IOException {
        Path ours = Files.createDirectory(directory.resolve("ours"));
        byte[] @Nullable [] one = {null, integer(1), set(1), integer(1), {'q'}, null};
        byte[] @Nullable [] other = one.clone();
        other[2] = set(2);
        try (SstableSorter sorter = sorter(directory, 1 << 20)) {
            add(sorter, List.of(new Input(one, WRITE_TIME, 0), new Input(other, WRITE_TIME, 0)));
            assertThatThrownBy(() -> sorter.write(TokenOwners.one(), List.of(ours), 2, Pass.WHOLE))
                    .isInstanceOf(OverdriveException.class)
                    .hasMessageStartingWith("two rows of the same key have the write time " + WRITE_TIME
                            + ", and different values of column \"t\", which is not frozen");
        }
        assertThat(files(ours)).isEmpty();
    }

    @Test
    void equalCollectionsOfOneWriteTimeAreOne() throws IOException {
        Path ours = Files.createDirectory(directory.resolve("ours"));
        byte[] @Nullable [] one = {null, integer(1), set(2, 1), integer(1), {'q'}, null};
        byte[] @Nullable [] other = one.clone();
        other[2] = set(1, 2, 2);
        try (SstableSorter sorter = sorter(directory, 1 << 20)) {
            add(sorter, List.of(new Input(one, WRITE_TIME, 0), new Input(other, WRITE_TIME, 0)));
            Written written = sorter.write(TokenOwners.one(), List.of(ours), 2, Pass.WHOLE);
            assertThat(written.rows()).containsExactly(2);
            assertThat(written.sstables().get(0).get(0).rows()).isEqualTo(1);
        }
    }

    /** A copy that keeps times gives cells of other times, and the static columns, by further calls. */
    @Test
    void cellsThatAreAddedToARowDoNotCountAgain() throws IOException {
        Path ours = Files.createDirectory(directory.resolve("ours"));
        byte[] @Nullable [] cells = {null, integer(1), null, integer(1), {'q'}, null};
        try (SstableSorter sorter = sorter(directory, 1 << 20)) {
            SorterPart part = sorter.part();
            SorterPart ofStatics = sorter.part(List.of("p", "q", "s"), /* cellsOnly */ false);
            RowBuffer row = row();
            fill(row, new Input(cells, WRITE_TIME, 0));
            part.add(row, WRITE_TIME, 0);
            part.addMore(row, WRITE_TIME + 1, 0);
            RowBuffer key =
                    RowBuffers.of(List.of("p", "q", "s"), List.of(DataTypes.INT, DataTypes.TEXT, DataTypes.INT));
            RowBuffers.clear(key);
            ofStatics.addMore(key.setInt(0, 1).setText(1, "q").setInt(2, 7), WRITE_TIME, 0);
            Written written = sorter.write(TokenOwners.one(), List.of(ours), 2, Pass.WHOLE);
            assertThat(written.rows()).containsExactly(1);
            assertThat(written.sstables().get(0).get(0).rows()).isEqualTo(1);
            assertThat(sorter.rowsDone()).isEqualTo(1);
        }
    }

    @Test
    void saysWhatTheServerWouldRefuse() {
        SstableSorter sorter = sorter(directory, 1 << 20);
        SorterPart part = sorter.part();
        RowBuffer row = row();
        fill(row, new Input(new byte[][] {null, integer(1), null, integer(1), new byte[70_000], null}, 0, 0));
        assertThat(part.problem(row, WRITE_TIME, 0))
                .isEqualTo("key column \"q\" has 70000 bytes, 65535 is the maximum");
        fill(row, new Input(new byte[][] {null, integer(1), null, integer(1), new byte[65_530], null}, 0, 0));
        assertThat(part.problem(row, WRITE_TIME, 0))
                .isEqualTo("the partition key has 65540 bytes, 65535 is the maximum");
        fill(row, new Input(new byte[][] {null, integer(1), null, integer(1), new byte[0], null}, 0, 0));
        assertThat(part.problem(row, WRITE_TIME, 0)).isNull();
        assertThat(part.problem(row, WRITE_TIME, -1)).isEqualTo("the TTL is -1 s, must be 0 to 630720000");
        assertThat(part.problem(row, WRITE_TIME, 400_000_000))
                .isEqualTo(
                        "a TTL of 400000000 s ends after January 2038, the last time in files that Cassandra 4 can read");
        assertThat(part.problem(row, Long.MIN_VALUE, 0))
                .isEqualTo("the write time is -9223372036854775808, must be later");
        assertThat(part.problem(row, Long.MIN_VALUE + 1, 0)).isNull();
        SstableSchema single = new SstableSchema(
                List.of(new Column("p", DataTypes.TEXT, Kind.PARTITION_KEY, 0)), Compression.NONE, 1, 128);
        RowBuffer empty = RowBuffers.of(List.of("p"), List.of(DataTypes.TEXT));
        empty.setText(0, "");
        assertThat(SstableSorter.of(single, List.of("p"), directory, 1 << 20, 1, NOW_SECONDS)
                        .part()
                        .problem(empty, WRITE_TIME, 0))
                .isEqualTo("the partition key is empty");
    }

    @Test
    void keysAreCounted() {
        KeyCount all = new KeyCount();
        List<KeyCount> parts =
                IntStream.range(0, 3).mapToObj(i -> new KeyCount()).collect(Collectors.toList());
        Random random = new Random(1);
        for (int i = 0; i < 300_000; i++) {
            long token = random.nextLong();
            parts.get(i % 3).add(token);
            parts.get((i + 1) % 3).add(token);
        }
        parts.forEach(all::addAll);
        assertThat(all.estimate()).isBetween(280_000L, 320_000L);
        KeyCount few = new KeyCount();
        IntStream.range(1, 100).forEach(few::add);
        assertThat(few.estimate()).isEqualTo(99);
    }

    @Test
    void ownersOfTheRing() {
        TokenOwners owners =
                new TokenOwners(List.of(-100L, 0L, 100L), List.of(new int[] {0}, new int[] {1}, new int[] {2}));
        assertThat(List.of(-101L, -100L, -99L, 0L, 1L, 100L, 101L, Long.MAX_VALUE).stream()
                        .map(owners::rangeOf)
                        .toList())
                .containsExactly(0, 0, 1, 1, 2, 2, 0, 0);
        assertThat(TokenOwners.one().shares(1, ALL_TOKENS)).containsExactly(1);
        assertThat(owners.shares(3, ALL_TOKENS)).containsExactly(new double[] {1, 0, 0}, Offset.offset(1e-9));
        assertThat(owners.shares(4, new TokenSpan(-199, 100))).containsExactly(1 / 3.0, 1 / 3.0, 1 / 3.0, 0);
        assertThat(owners.shares(3, new TokenSpan(1, 200))).containsExactly(0.5, 0, 0.5);
        assertThat(owners.shares(3, new TokenSpan(0, 0))).containsExactly(0, 1, 0);
        assertThat(owners.shares(3, new TokenSpan(Long.MAX_VALUE, Long.MAX_VALUE)))
                .containsExactly(1, 0, 0);
        assertThat(owners.shares(3, TokenSpan.NONE)).containsExactly(0, 0, 0);
        assertThatThrownBy(() -> new TokenOwners(List.of(1L, 1L), List.of(new int[] {0}, new int[] {1})))
                .hasMessage("the ends of the ranges are not in order");
    }
}
