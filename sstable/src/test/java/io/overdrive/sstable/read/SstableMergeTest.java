package io.overdrive.sstable.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.internal.core.type.UserDefinedTypeBuilder;
import io.overdrive.OneCaseIn;
import io.overdrive.OverdriveException;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.CanonicalForm;
import io.overdrive.internal.codec.ClusteringOrder;
import io.overdrive.internal.ring.Murmur3;
import io.overdrive.sstable.RandomTable;
import io.overdrive.sstable.SnapshotIT;
import io.overdrive.sstable.format.SstableSchema;
import io.overdrive.sstable.format.SstableSchema.Column;
import io.overdrive.sstable.format.SstableSchema.Compression;
import io.overdrive.sstable.format.SstableSchema.Kind;
import io.overdrive.sstable.format.TypeNames;
import io.overdrive.sstable.write.RowEncoder;
import io.overdrive.sstable.write.SstableWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * SSTables of {@link SstableWriter} against a model that has the latest write of each cell; {@link SnapshotIT} has what only Cassandra
 * writes.
 */
class SstableMergeTest {
    private static final int WRITTEN_SECONDS = 1_790_000_000;
    /** When rows are read: some TTLs have expired. */
    private static final int NOW_SECONDS = WRITTEN_SECONDS + 1000;

    private static final int[] TTLS = {0, 0, 500, 1000, 1001, 300_000};

    private static final List<Compression> COMPRESSIONS = List.of(
            Compression.NONE,
            new Compression("LZ4Compressor", 1 << 14, 0, Map.of()),
            new Compression("LZ4Compressor", 1 << 12, 1.3, Map.of()),
            new Compression("SnappyCompressor", 1 << 16, 0, Map.of()),
            new Compression("DeflateCompressor", 1 << 13, 1.1, Map.of()),
            new Compression("ZstdCompressor", 1 << 14, 0, Map.of()),
            new Compression("NoopCompressor", 1 << 14, 0, Map.of()));

    private static final byte[] UNSET = {};
    private static final byte[] NULL = {};

    private final Path directory;

    SstableMergeTest(@TempDir Path directory) {
        this.directory = directory;
    }

    /** A write of one value. */
    private record Written(byte[] value, long time, int ttl) {
        boolean isLive() {
            return value != NULL && (ttl == 0 || NOW_SECONDS < WRITTEN_SECONDS + ttl);
        }
    }

    /** The cells of a row, by columns; the row marker is at the end. */
    private static final class Cells {
        final @Nullable Written[] latest;

        Cells(int columns) {
            latest = new Written[columns + 1];
        }

        void write(int column, byte[] value, long time, int ttl) {
            Written before = latest[column];
            if (before == null || time > before.time) {
                latest[column] = new Written(value, time, ttl);
            }
        }
    }

    /** A partition: its static row, and rows by their key columns. */
    private record Partition(byte[] key, Cells statics, TreeMap<byte[][], Cells> rows) {}

    /** A table, and what was written to it. */
    private static final class Table {
        final Random random;
        final RandomTable values;
        final SstableSchema schema;
        final List<Column> columns;
        final TreeMap<byte[], Partition> partitions =
                new TreeMap<>(Comparator.<byte[]>comparingLong(key -> Murmur3.token(key, 0, key.length))
                        .thenComparing(Arrays::compareUnsigned));
        long clock = WRITTEN_SECONDS * 1_000_000L;

        Table(long seed) {
            random = new Random(seed);
            values = new RandomTable(random, /* hasVectors */ true);
            columns = randomColumns();
            schema = new SstableSchema(
                    columns, COMPRESSIONS.get((int) (seed % COMPRESSIONS.size())), 0.01, /* minIndexInterval */ 128);
        }

        private List<Column> randomColumns() {
            List<Column> made = new ArrayList<>();
            int keys = 1 + random.nextInt(3);
            for (int i = 0; i < keys; i++) {
                made.add(new Column("p" + i, keyType(), Kind.PARTITION_KEY, i));
            }
            int clusterings = random.nextInt(4);
            for (int i = 0; i < clusterings; i++) {
                Kind kind = random.nextBoolean() ? Kind.CLUSTERING : Kind.CLUSTERING_DESCENDING;
                made.add(new Column("k" + i, keyType(), kind, i));
            }
            for (int i = clusterings == 0 ? 9 : random.nextInt(3); i < 3; i++) {
                made.add(new Column("s" + i, type(), Kind.STATIC, 0));
            }
            int regulars = random.nextInt(5) == 0 ? 70 : random.nextInt(7);
            for (int i = 0; i < regulars; i++) {
                made.add(new Column("r" + i, type(), Kind.REGULAR, 0));
            }
            return values.shuffled(made);
        }

        private DataType simple() {
            List<DataType> simple = List.of(
                    DataTypes.ASCII,
                    DataTypes.BIGINT,
                    DataTypes.BLOB,
                    DataTypes.BOOLEAN,
                    DataTypes.DATE,
                    DataTypes.DECIMAL,
                    DataTypes.DOUBLE,
                    DataTypes.FLOAT,
                    DataTypes.INET,
                    DataTypes.INT,
                    DataTypes.SMALLINT,
                    DataTypes.TEXT,
                    DataTypes.TIME,
                    DataTypes.TIMESTAMP,
                    DataTypes.TIMEUUID,
                    DataTypes.TINYINT,
                    DataTypes.UUID,
                    DataTypes.VARINT);
            return simple.get(random.nextInt(simple.size()));
        }

        private DataType keyType() {
            return switch (random.nextInt(6)) {
                case 0 -> DataTypes.frozenSetOf(simple());
                case 1 -> DataTypes.tupleOf(simple(), simple());
                case 2 -> DataTypes.vectorOf(simple(), 2);
                default -> simple();
            };
        }

        private DataType type() {
            return switch (random.nextInt(12)) {
                case 0 -> DataTypes.listOf(simple());
                case 1 -> DataTypes.setOf(simple());
                case 2 -> DataTypes.mapOf(simple(), DataTypes.frozenListOf(simple()));
                case 3 -> udt();
                case 4 -> udt().copy(/* newFrozen */ true);
                case 5 -> DataTypes.DURATION;
                case 6 -> DataTypes.vectorOf(simple(), 3);
                default -> simple();
            };
        }

        private UserDefinedType udt() {
            return new UserDefinedTypeBuilder(CqlIdentifier.fromInternal("ks"), CqlIdentifier.fromInternal("u"))
                    .withField("\"Left\"", simple())
                    .withField("\"right side\"", DataTypes.frozenSetOf(simple()))
                    .withField("rest", simple())
                    .build();
        }

        private boolean isKey(int column) {
            return columns.get(column).kind() == Kind.PARTITION_KEY
                    || columns.get(column).isClustering();
        }

        byte[][] randomRow() {
            byte[][] row = new byte[columns.size()][];
            for (int i = 0; i < row.length; i++) {
                DataType type = columns.get(i).type();
                byte[] value = values.value(type);
                int kind = random.nextInt(8);
                if (isKey(i)) {
                    row[i] = canonical(type, value);
                } else if (kind > 1 && type.equals(DataTypes.TEXT) && random.nextInt(4) == 0) {
                    row[i] = values.text(random.nextInt(20_000)).getBytes(StandardCharsets.US_ASCII);
                } else {
                    row[i] = kind == 0 ? UNSET : kind == 1 ? NULL : value;
                }
            }
            return row;
        }

        byte[] key(byte[][] row) {
            int[] parts = IntStream.range(0, row.length)
                    .filter(i -> columns.get(i).kind() == Kind.PARTITION_KEY)
                    .boxed()
                    .sorted(Comparator.comparingInt(i -> columns.get(i).position()))
                    .mapToInt(i -> i)
                    .toArray();
            if (parts.length == 1) {
                return row[parts[0]];
            }
            Bytes key = new Bytes(64);
            for (int part : parts) {
                key.putShort(row[part].length);
                key.put(row[part]);
                key.putByte(0);
            }
            return key.toByteArray();
        }

        Comparator<byte[][]> clusteringOrder() {
            List<Integer> parts = IntStream.range(0, columns.size())
                    .filter(i -> columns.get(i).isClustering())
                    .boxed()
                    .sorted(Comparator.comparingInt(i -> columns.get(i).position()))
                    .toList();
            return (a, b) -> {
                for (int part : parts) {
                    ClusteringOrder order = ClusteringOrder.of(columns.get(part).type());
                    int result = order.compare(a[part], 0, a[part].length, b[part], 0, b[part].length);
                    if (result != 0) {
                        return columns.get(part).kind() == Kind.CLUSTERING ? result : -result;
                    }
                }
                return 0;
            };
        }

        /** Writes some new rows, and some existing rows again. @return what was written, or null for nothing */
        @Nullable Path write(Path directory, int generation) throws IOException {
            TreeMap<byte[], Partition> now = new TreeMap<>(partitions.comparator());
            for (int i = random.nextInt(40); i >= 0; i--) {
                byte[][] row = randomRow();
                if (!partitions.isEmpty() && random.nextInt(3) > 0) {
                    Partition some = new ArrayList<>(partitions.values()).get(random.nextInt(partitions.size()));
                    byte[][] other = new ArrayList<>(some.rows.keySet()).get(random.nextInt(some.rows.size()));
                    boolean isSameRow = random.nextBoolean();
                    for (int column = 0; column < row.length; column++) {
                        if (isKey(column) && (isSameRow || columns.get(column).kind() == Kind.PARTITION_KEY)) {
                            row[column] = other[column];
                        }
                    }
                }
                byte[] key = key(row);
                if (key.length > 0 && key.length <= 0xFFFF) {
                    now.computeIfAbsent(key, k -> partition(k)).rows.putIfAbsent(row, new Cells(0));
                }
            }
            if (now.isEmpty()) {
                return null;
            }
            SstableWriter.Options options = new SstableWriter.Options(
                    directory, generation, now.size(), WRITTEN_SECONDS * 1_000_000L, WRITTEN_SECONDS);
            try (SstableWriter writer = SstableWriter.open(schema, options)) {
                for (Partition partition : now.values()) {
                    write(partition, writer);
                }
                return writer.finish().files().stream()
                        .filter(file -> file.toString().endsWith("-Data.db"))
                        .findFirst()
                        .orElseThrow();
            }
        }

        private Partition partition(byte[] key) {
            return new Partition(key, new Cells(columns.size()), new TreeMap<>(clusteringOrder()));
        }

        private void write(Partition written, SstableWriter writer) throws IOException {
            Partition model = partitions.computeIfAbsent(written.key, k -> partition(k));
            writer.partition(written.key, 0, written.key.length);
            boolean isFirst = true;
            for (byte[][] row : written.rows.keySet()) {
                long time = clock += 1 + random.nextInt(10); // a later file may also have earlier writes
                int ttl = TTLS[random.nextInt(TTLS.length)];
                if (random.nextInt(3) == 0) {
                    time -= random.nextInt(1000) * 1_000_000L;
                    time += random.nextInt(1000);
                }
                boolean setsStatic = IntStream.range(0, row.length)
                        .anyMatch(i -> columns.get(i).kind() == Kind.STATIC && row[i] != UNSET);
                if (isFirst && setsStatic) {
                    writer.statics(wire(row), 0, time, ttl);
                    write(model.statics, Kind.STATIC, row, time, ttl);
                }
                isFirst = false;
                boolean setsRegular = IntStream.range(0, row.length)
                        .anyMatch(i -> columns.get(i).kind() == Kind.REGULAR && row[i] != UNSET);
                boolean isUpdate = setsRegular && random.nextInt(3) == 0;
                writer.row(wire(row), 0, time, ttl, /* times */ null, /* hasMarker */ !isUpdate);
                Cells cells = model.rows.computeIfAbsent(row, r -> new Cells(columns.size()));
                write(cells, Kind.REGULAR, row, time, ttl);
                if (!isUpdate) {
                    cells.write(columns.size(), UNSET.clone(), time, ttl);
                }
            }
        }

        private void write(Cells cells, Kind kind, byte[][] row, long time, int ttl) {
            for (int i = 0; i < row.length; i++) {
                if (columns.get(i).kind() == kind && row[i] != UNSET) {
                    cells.write(i, row[i], time, ttl);
                }
            }
        }

        /** The rows that a SELECT shows. */
        List<String> expected() {
            List<String> rows = new ArrayList<>();
            for (Partition partition : partitions.values()) {
                boolean hasRow = false;
                for (Map.Entry<byte[][], Cells> row : partition.rows.entrySet()) {
                    boolean isLive = Arrays.stream(row.getValue().latest)
                            .anyMatch(cell -> cell != null
                                    && cell.isLive()
                                    && (cell == row.getValue().latest[columns.size()]
                                            || !isEmpty(row.getValue(), cell)));
                    if (isLive) {
                        hasRow = true;
                        rows.add(shown(partition, row.getKey(), row.getValue()));
                    }
                }
                boolean hasStatic =
                        IntStream.range(0, columns.size()).anyMatch(i -> value(partition.statics, i) != null);
                if (!hasRow && hasStatic) {
                    byte[][] keyOnly = partition.rows.firstKey().clone();
                    for (int i = 0; i < keyOnly.length; i++) {
                        keyOnly[i] = columns.get(i).isClustering() ? NULL : keyOnly[i];
                    }
                    rows.add(shown(partition, keyOnly, new Cells(columns.size())));
                }
            }
            return rows;
        }

        private boolean isEmpty(Cells cells, Written cell) {
            return IntStream.range(0, columns.size()).anyMatch(i -> cells.latest[i] == cell && value(cells, i) == null);
        }

        private byte @Nullable [] value(Cells cells, int column) {
            Written cell = cells.latest[column];
            if (cell == null || !cell.isLive()) {
                return null;
            }
            DataType type = columns.get(column).type();
            byte[] value = canonical(type, cell.value);
            if (!TypeNames.hasCells(TypeNames.column(type))) {
                return value;
            }
            boolean isEmpty = type instanceof UserDefinedType ? hasNoField(value) : Bytes.getInt(value, 0) == 0;
            return isEmpty ? null : value;
        }

        private static boolean hasNoField(byte[] udt) {
            for (int i = 0; i < udt.length; i++) {
                if (udt[i] != -1) {
                    return false;
                }
            }
            return true;
        }

        private String shown(Partition partition, byte[][] key, Cells cells) {
            StringBuilder shown = new StringBuilder();
            for (int i = 0; i < key.length; i++) {
                Column column = columns.get(i);
                Cells of = column.kind() == Kind.STATIC ? partition.statics : cells;
                byte[] value = isKey(i) ? (key[i] == NULL ? null : key[i]) : value(of, i);
                Written cell = of.latest.length > i ? of.latest[i] : null;
                boolean isOne = !TypeNames.hasCells(TypeNames.column(column.type()));
                SstableMergeTest.show(
                        shown,
                        column.name(),
                        value,
                        !isKey(i) && value != null && cell != null && isOne ? cell.time : SstableRow.NO_TIME,
                        !isKey(i) && value != null && cell != null && isOne ? cell.ttl : 0);
            }
            Written marker = cells.latest[columns.size()];
            return marker == null || !marker.isLive()
                    ? shown.toString()
                    : shown + "marker@" + marker.time + "/" + marker.ttl;
        }
    }

    private static void show(StringBuilder to, String name, byte @Nullable [] value, long time, int ttl) {
        to.append(name)
                .append('=')
                .append(value == null ? "null" : HexFormat.of().formatHex(value));
        if (time != SstableRow.NO_TIME) {
            to.append('@').append(time).append('/').append(ttl);
        }
        to.append(' ');
    }

    private static byte[] canonical(DataType type, byte[] value) {
        CanonicalForm form = CanonicalForm.of(type);
        if (form == null || value.length == 0) {
            return value;
        }
        Bytes out = new Bytes(64);
        form.append(value, 0, value.length, out);
        return out.toByteArray();
    }

    private static byte[] wire(byte[][] row) {
        Bytes wire = new Bytes(256);
        for (byte[] value : row) {
            if (value == NULL || value == UNSET) {
                wire.putInt(value == NULL ? RowEncoder.NULL : RowEncoder.UNSET);
            } else {
                wire.putInt(value.length);
                wire.put(value);
            }
        }
        return wire.toByteArray();
    }

    private static List<String> read(List<Path> files, SstableSchema schema, long... bounds) throws IOException {
        List<String> rows = new ArrayList<>();
        List<SstableFile> open = new ArrayList<>();
        int chunks = bounds.length == 2 ? DataChunks.MAX_IN_MEMORY : 0;
        try {
            for (Path file : files) {
                open.add(SstableFile.open(file, schema, Map.of(), chunks, SstableIndex.MAX_PLACES));
            }
            try (SstableMerge merge = SstableMerge.of(schema, open, NOW_SECONDS)) {
                for (int i = 0; i + 1 < bounds.length; i++) {
                    long from = bounds[i];
                    long to = bounds[i + 1];
                    merge.open(from, to);
                    while (merge.next()) {
                        assertThat(merge.row().token()).isGreaterThan(from).isLessThanOrEqualTo(to);
                        rows.add(shown(schema, merge.row()));
                    }
                }
            }
        } finally {
            open.forEach(SstableFile::close);
        }
        return rows;
    }

    private static String shown(SstableSchema schema, SstableRow row) {
        StringBuilder shown = new StringBuilder();
        Bytes wire = new Bytes(64);
        int at = 0;
        for (int i = 0; i < schema.columns().size(); i++) {
            row.append(i, wire);
            int length = Bytes.getInt(wire.array(), at);
            assertThat(length).isEqualTo(row.length(i));
            byte[] value = length < 0 ? null : Arrays.copyOfRange(wire.array(), at + 4, at + 4 + length);
            at += 4 + Math.max(0, length);
            assertThat(row.expiry(i))
                    .isEqualTo(row.ttlSeconds(i) == 0 ? SstableRow.NEVER : WRITTEN_SECONDS + row.ttlSeconds(i));
            show(shown, schema.columns().get(i).name(), value, row.writeTime(i), row.ttlSeconds(i));
        }
        assertThat(at).isEqualTo(wire.length());
        if (row.markerTime() != SstableRow.NO_TIME) {
            long ttl = row.markerExpiry() == SstableRow.NEVER ? 0 : row.markerExpiry() - WRITTEN_SECONDS;
            shown.append("marker@").append(row.markerTime()).append('/').append(ttl);
        } else {
            assertThat(row.markerExpiry()).isEqualTo(SstableRow.NEVER);
        }
        return shown.toString();
    }

    @ParameterizedTest
    @ValueSource(
            longs = {
                0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
            })
    void readsTheLatestWrites(long seed) throws IOException {
        Table table = new Table(seed);
        List<Path> files = new ArrayList<>();
        for (int i = 1; i <= 1 + seed % 5; i++) {
            Path file = table.write(directory, i);
            if (file != null) {
                files.add(file);
            }
        }
        List<String> expected = table.expected();
        assertThat(read(files, table.schema, Long.MIN_VALUE, Long.MAX_VALUE)).isEqualTo(expected);
        long[] bounds = table.random.longs(20).sorted().toArray();
        bounds[0] = Long.MIN_VALUE;
        bounds[10] = table.partitions.isEmpty() ? bounds[10] : someToken(table);
        bounds[19] = Long.MAX_VALUE;
        Arrays.sort(bounds);
        assertThat(read(files, table.schema, bounds)).isEqualTo(expected);
    }

    private static long someToken(Table table) {
        byte[] key = new ArrayList<>(table.partitions.keySet()).get(table.random.nextInt(table.partitions.size()));
        return Murmur3.token(key, 0, key.length);
    }

    /** Partitions that are more than those whose places are kept, and greater than what is read at once; chunks that are more, too. */
    @ParameterizedTest
    @CsvSource({"10000, 10000, LZ4", "100, 2, LZ4", "0, 9, none"})
    void findsEachPartitionOfALargeFile(int maxChunks, int maxPlaces, String compression) throws IOException {
        List<Column> columns = List.of(
                new Column("p", DataTypes.INT, Kind.PARTITION_KEY, 0),
                new Column("c", DataTypes.INT, Kind.CLUSTERING, 0),
                new Column("r", DataTypes.BLOB, Kind.REGULAR, 0));
        SstableSchema schema =
                new SstableSchema(columns, COMPRESSIONS.get(compression.equals("none") ? 0 : 1), 0.01, 128);
        Random random = new Random(1);
        TreeMap<Long, Integer> keys = new TreeMap<>();
        for (int key = 0; key < 3000; key++) {
            keys.put(Murmur3.token(integer(key), 0, 4), key);
        }
        SstableWriter.Options options =
                new SstableWriter.Options(directory, 1, 3000, WRITTEN_SECONDS * 1_000_000L, WRITTEN_SECONDS);
        List<String> expected = new ArrayList<>();
        try (SstableWriter writer = SstableWriter.open(schema, options)) {
            for (int key : keys.values()) {
                writer.partition(integer(key), 0, 4);
                for (int row = random.nextInt(100) == 0 ? 40 : 1; row > 0; row--) {
                    byte[] blob = new byte[random.nextInt(row > 1 ? 40_000 : 1000)];
                    random.nextBytes(blob);
                    writer.row(
                            wire(new byte[][] {integer(key), integer(-row), blob}), 0, WRITTEN_SECONDS * 1_000_000L, 0);
                    expected.add(key + " " + -row + " " + Arrays.hashCode(blob));
                }
            }
            writer.finish();
        }
        try (SstableFile file = SstableFile.open(
                        SstableDirectories.list(List.of(directory), "ks", "t").get(0),
                        schema,
                        Map.of(),
                        maxChunks,
                        maxPlaces);
                SstableMerge merge = SstableMerge.of(schema, List.of(file), NOW_SECONDS)) {
            assertThat(file.partitions()).isEqualTo(3000);
            assertThat(file.firstToken()).isEqualTo(keys.firstKey());
            assertThat(file.lastToken()).isEqualTo(keys.lastKey());
            assertThat(file.dataBytes(Long.MIN_VALUE, Long.MAX_VALUE)).isEqualTo(file.dataBytes());
            List<String> found = new ArrayList<>();
            long from = Long.MIN_VALUE;
            for (long token : keys.keySet()) {
                if (random.nextInt(10) == 0) {
                    readInto(merge, from, token, found);
                    from = token;
                }
            }
            readInto(merge, from, Long.MAX_VALUE, found);
            assertThat(found).isEqualTo(expected);
            assertThat(IntStream.range(0, 8)
                            .parallel()
                            .mapToObj(eighth -> eighth(file, eighth))
                            .flatMap(List::stream)
                            .toList())
                    .isEqualTo(expected);
        }
    }

    private static List<String> eighth(SstableFile file, int number) {
        List<String> rows = new ArrayList<>();
        try (SstableMerge merge = SstableMerge.of(file.schema(), List.of(file), NOW_SECONDS)) {
            long from = Long.MIN_VALUE + number * (1L << 61);
            readInto(merge, from, number == 7 ? Long.MAX_VALUE : from + (1L << 61), rows);
        }
        return rows;
    }

    private static void readInto(SstableMerge merge, long from, long to, List<String> rows) {
        merge.open(from, to);
        while (merge.next()) {
            SstableRow row = merge.row();
            byte[] blob = Arrays.copyOfRange(row.array(2), row.start(2), row.start(2) + row.length(2));
            rows.add(Bytes.getInt(row.array(0), row.start(0)) + " " + Bytes.getInt(row.array(1), row.start(1)) + " "
                    + Arrays.hashCode(blob));
        }
    }

    private static byte[] integer(int value) {
        return ByteBuffer.allocate(4).putInt(value).array();
    }

    /** Any byte changed, and any end missing, of any file: an error, or the same rows. */
    @ParameterizedTest
    @ValueSource(longs = {1, 7, 9, 10, 11, 12, 13})
    @OneCaseIn(4)
    void readsNoWrongRowsFromDamagedFiles(long seed) throws IOException {
        Table table = new Table(seed);
        Path data = table.write(directory, 1);
        for (int generation = 2; data == null; generation++) {
            data = table.write(directory, generation);
        }
        List<String> expected = table.expected();
        String prefix = data.getFileName().toString().replace("Data.db", "");
        List<Path> components = new ArrayList<>();
        for (String name : List.of("Data.db", "Index.db", "Statistics.db", "CompressionInfo.db", "CRC.db")) {
            Path file = data.resolveSibling(prefix + name);
            if (Files.exists(file)) {
                components.add(file);
            }
        }
        int errors = 0;
        for (Path file : components) {
            byte[] good = Files.readAllBytes(file);
            for (int i = 0; i < 60; i++) {
                byte[] bad = good.clone();
                bad[table.random.nextInt(bad.length)] ^= (byte) (1 << table.random.nextInt(8));
                errors += readDamaged(data, file, bad, table.schema, expected);
                byte[] cut = Arrays.copyOf(good, table.random.nextInt(good.length));
                errors += readDamaged(data, file, cut, table.schema, expected);
            }
            Files.write(file, good);
        }
        assertThat(errors).isGreaterThan(50 * components.size());
        assertThat(read(List.of(data), table.schema, Long.MIN_VALUE, Long.MAX_VALUE))
                .isEqualTo(expected);
    }

    /** @return 1 if it was an error, which names the file */
    private static int readDamaged(Path data, Path file, byte[] content, SstableSchema schema, List<String> expected)
            throws IOException {
        return readDamaged(
                data, file, content, schema, expected, Long.MIN_VALUE, -(1L << 60), 1L << 61, Long.MAX_VALUE);
    }

    private static int readDamaged(
            Path data, Path file, byte[] content, SstableSchema schema, List<String> expected, long... bounds)
            throws IOException {
        Files.write(file, content);
        try {
            List<String> rows = read(List.of(data), schema, Long.MIN_VALUE, Long.MAX_VALUE);
            assertThat(rows).as("%s", file).isEqualTo(expected);
            rows = read(List.of(data), schema, bounds);
            assertThat(rows).as("%s", file).isEqualTo(expected);
            return 0;
        } catch (OverdriveException e) {
            assertThat(e).hasMessageContaining(data.toString());
            assertThat(e.kind()).isEqualTo(OverdriveException.Kind.INPUT);
            return 1;
        }
    }

    /** An index has no checksum: a key in it that is another one, and one that is not in it. */
    @Test
    void missesNoPartitionThatTheIndexHidesBetweenOthers() throws IOException {
        SstableSchema schema = schema(List.of(
                new Column("p", DataTypes.INT, Kind.PARTITION_KEY, 0),
                new Column("r", DataTypes.BLOB, Kind.REGULAR, 0)));
        TreeMap<Long, Integer> keys = new TreeMap<>();
        for (int key = 0; key < 5; key++) {
            keys.put(Murmur3.token(integer(key), 0, 4), key);
        }
        SstableWriter.Options options =
                new SstableWriter.Options(directory, 1, 3, WRITTEN_SECONDS * 1_000_000L, WRITTEN_SECONDS);
        List<Map.Entry<Long, Integer>> inOrder = List.copyOf(keys.entrySet());
        List<Integer> written = List.of(0, 3, 4); // places in the order of tokens
        try (SstableWriter writer = SstableWriter.open(schema, options)) {
            for (int place : written) {
                byte[] key = integer(inOrder.get(place).getValue());
                writer.partition(key, 0, 4);
                writer.row(wire(new byte[][] {key, new byte[300_000]}), 0, WRITTEN_SECONDS * 1_000_000L, 0);
            }
            writer.finish();
        }
        Path data = directory.resolve("nb-1-big-Data.db");
        long[] bounds = {Long.MIN_VALUE, inOrder.get(2).getKey(), Long.MAX_VALUE};
        List<String> expected = read(List.of(data), schema, bounds);
        assertThat(expected).hasSize(3);
        Path index = directory.resolve("nb-1-big-Index.db");
        byte[] good = Files.readAllBytes(index);
        int first = 2 + 4 + 1 + 1; // the position of the first one is 0
        byte[] other = good.clone();
        System.arraycopy(integer(inOrder.get(1).getValue()), 0, other, first + 2, 4);
        assertThat(readDamaged(data, index, other, schema, expected, bounds)).isEqualTo(1);
        int second = (good.length - first) / 2;
        byte[] without = Arrays.copyOf(good, good.length - second);
        System.arraycopy(good, first + second, without, first, good.length - first - second);
        assertThat(readDamaged(data, index, without, schema, expected, bounds)).isEqualTo(1);
        assertThat(readDamaged(data, index, good, schema, expected, bounds)).isZero();
    }

    /** TOC.txt only shows whether CompressionInfo.db is missing. */
    @Test
    void readsRowsBesideAListOfFilesThatIsNoText() throws IOException {
        Table table = new Table(7);
        Path data = Objects.requireNonNull(table.write(directory, 1));
        Files.write(data.resolveSibling("nb-1-big-TOC.txt"), new byte[] {'D', (byte) 0xC3, 'x'});
        assertThat(read(List.of(data), table.schema, Long.MIN_VALUE, Long.MAX_VALUE))
                .isEqualTo(table.expected());
    }

    @Test
    void ofNoFileThereAreNoRows() throws IOException {
        Table table = new Table(2);
        try (SstableMerge merge = SstableMerge.of(table.schema, List.of(), NOW_SECONDS)) {
            merge.open(Long.MIN_VALUE, Long.MAX_VALUE);
            assertThat(merge.next()).isFalse();
        }
    }

    @Test
    void refusesWhatItCannotRead() throws IOException {
        Table table = new Table(2);
        Path data = Objects.requireNonNull(table.write(directory, 1));
        assertThatThrownBy(() -> SstableFile.open(Path.of("x", "me-1-big-Data.db"), table.schema, Map.of()))
                .hasMessage(
                        "x/me-1-big-Data.db: the SSTable is not of version nb or oa in the format BIG, or da in BTI, which"
                                + " alone can be read; run nodetool upgradesstables, and take another snapshot, or read the"
                                + " table over CQL");
        for (String other : List.of("bb-3-bti-Data.db", "da-3-big-Data.db")) {
            assertThatThrownBy(() -> SstableFile.open(Path.of(other), table.schema, Map.of()))
                    .hasMessageStartingWith(
                            other + ": the SSTable is not of version nb or oa in the format BIG, or da");
        }
        assertThatThrownBy(() -> SstableFile.open(Path.of("bb-3-bti-Data.db"), table.schema, Map.of()))
                .hasMessageEndingWith("; it is not of Apache Cassandra: read the table over CQL");
        for (String newer : List.of("pa-3-big-Data.db", "ea-3-bti-Data.db")) {
            assertThatThrownBy(() -> SstableFile.open(Path.of(newer), table.schema, Map.of()))
                    .hasMessageEndingWith("; it is newer, and no command makes it older: read the table over CQL");
        }
        Files.delete(data.resolveSibling("nb-1-big-Statistics.db"));
        assertThatThrownBy(() -> SstableFile.open(data, table.schema, Map.of()))
                .hasMessage(data + ": nb-1-big-Statistics.db is missing; copy all files of the SSTable");
    }

    @Test
    void refusesFilesOfAnotherTable() throws IOException {
        List<Column> columns = List.of(
                new Column("p", DataTypes.INT, Kind.PARTITION_KEY, 0),
                new Column("c", DataTypes.INT, Kind.CLUSTERING, 0),
                new Column("s", DataTypes.INT, Kind.STATIC, 0),
                new Column("r", DataTypes.BLOB, Kind.REGULAR, 0));
        SstableSchema schema = new SstableSchema(columns, COMPRESSIONS.get(1), 0.01, 128);
        SstableWriter.Options options =
                new SstableWriter.Options(directory, 1, 1, WRITTEN_SECONDS * 1_000_000L, WRITTEN_SECONDS);
        try (SstableWriter writer = SstableWriter.open(schema, options)) {
            writer.partition(integer(1), 0, 4);
            writer.row(
                    wire(new byte[][] {integer(1), integer(2), UNSET, integer(3)}), 0, WRITTEN_SECONDS * 1_000_000L, 0);
            writer.finish();
        }
        Path data = directory.resolve("nb-1-big-Data.db");
        String marshal = "org.apache.cassandra.db.marshal.";
        assertThatThrownBy(() -> open(data, columns, 3, new Column("r", DataTypes.TEXT, Kind.REGULAR, 0)))
                .hasMessage(data + ": column r has the type " + marshal + "BytesType in it, and " + marshal
                        + "UTF8Type in the table: it is the file of another table, or the type was altered since; run"
                        + " nodetool upgradesstables -a on the node, and take another snapshot");
        SstableSchema retyped = schema(List.of(
                columns.get(0), columns.get(1), columns.get(2), new Column("r", DataTypes.TEXT, Kind.REGULAR, 0)));
        assertThatThrownBy(() -> SstableFile.open(data, retyped, Map.of("r", 1L)))
                .hasMessageContaining("column r has the type"); // which no server would have let it have again
        assertThatThrownBy(
                        () -> open(data, columns, 3, new Column("r", DataTypes.listOf(DataTypes.INT), Kind.REGULAR, 0)))
                .hasMessageContaining("column r has the type");
        assertThatThrownBy(() -> open(data, columns, 1, new Column("c", DataTypes.INT, Kind.CLUSTERING_DESCENDING, 0)))
                .hasMessageContaining("column c has the type " + marshal + "Int32Type in it, and " + marshal
                        + "ReversedType(" + marshal + "Int32Type) in the table");
        assertThatThrownBy(() -> open(data, columns, 0, new Column("p", DataTypes.TEXT, Kind.PARTITION_KEY, 0)))
                .hasMessageContaining("the partition key has the type");
        assertThatThrownBy(() -> open(data, columns, 2, new Column("s", DataTypes.INT, Kind.REGULAR, 0)))
                .hasMessage(
                        data + ": column s is STATIC in it, and REGULAR in the table: it is the file of another table");
        assertThatThrownBy(() -> open(data, columns, 1, new Column("c", DataTypes.INT, Kind.REGULAR, 0)))
                .hasMessage(data + ": it has 1 clustering columns, and the table 0: it is the file of another table");
        SstableSchema without = schema(columns.subList(0, 3));
        assertThatThrownBy(() -> SstableFile.open(data, without, Map.of("other", 1L)))
                .hasMessage(
                        data + ": it has the column r, which the table neither has nor had: it is the file of another"
                                + " table; or the table was recreated without the column, and needs it while this is read"
                                + " (ALTER TABLE … ADD); or it has COMPACT STORAGE and nothing but its key: read it over CQL");
        try (SstableFile file = SstableFile.open(data, without, Map.of("r", 1L));
                SstableMerge merge = SstableMerge.of(without, List.of(file), NOW_SECONDS)) {
            merge.open(Long.MIN_VALUE, Long.MAX_VALUE);
            assertThat(merge.next()).isTrue();
            assertThat(shown(without, merge.row())).isEqualTo("p=00000001 c=00000002 s=null marker@1790000000000000/0");
        }
        Path info = directory.resolve("nb-1-big-CompressionInfo.db");
        byte[] bytes = Files.readAllBytes(info);
        bytes[2] = 'X';
        Files.write(info, bytes);
        assertThatThrownBy(() -> open(data, columns, 0, columns.get(0)))
                .hasMessage(
                        data + ": it is compressed by XZ4Compressor; LZ4Compressor, ZstdCompressor, SnappyCompressor,"
                                + " DeflateCompressor, NoopCompressor and none can be read: read the table over CQL, or alter its"
                                + " compression and run nodetool upgradesstables -a");
    }

    private static SstableSchema schema(List<Column> columns) {
        return new SstableSchema(columns, Compression.NONE, 0.01, 128);
    }

    private static void open(Path data, List<Column> columns, int changed, Column to) {
        List<Column> others = new ArrayList<>(columns);
        others.set(changed, to);
        SstableFile.open(data, schema(others), Map.of()).close();
    }
}
