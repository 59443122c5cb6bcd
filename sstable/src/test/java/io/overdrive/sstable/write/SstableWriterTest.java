package io.overdrive.sstable.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.ring.Murmur3;
import io.overdrive.sstable.OracleIT;
import io.overdrive.sstable.format.SstableSchema;
import io.overdrive.sstable.format.SstableSchema.Column;
import io.overdrive.sstable.format.SstableSchema.Compression;
import io.overdrive.sstable.format.SstableSchema.Kind;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Refusals of {@link SstableWriter}, and the files that remain then; {@link OracleIT} has the bytes. */
class SstableWriterTest {
    private static final int NOW_SECONDS = 1_790_000_000;
    private static final long WRITE_TIME = NOW_SECONDS * 1_000_000L;
    private static final List<Column> COLUMNS = List.of(
            new Column("p", DataTypes.INT, Kind.PARTITION_KEY, 0),
            new Column("c", DataTypes.INT, Kind.CLUSTERING, 0),
            new Column("s", DataTypes.INT, Kind.STATIC, 0),
            new Column("r", DataTypes.setOf(DataTypes.INT), Kind.REGULAR, 0));
    /** Keys in the order of their tokens: -7509452495886106294 and -4069959284402364209. */
    private static final byte[] FIVE = integer(5);

    private static final byte[] ONE = integer(1);

    private final Path directory;
    private final SstableWriter writer;

    SstableWriterTest(@TempDir Path directory) throws IOException {
        this.directory = directory;
        writer = open(schema(Compression.NONE));
    }

    private static SstableSchema schema(Compression compression) {
        return new SstableSchema(COLUMNS, compression, 0.01, 128);
    }

    private SstableWriter open(SstableSchema schema) throws IOException {
        return SstableWriter.open(schema, new SstableWriter.Options(directory, 1, 10, WRITE_TIME, NOW_SECONDS));
    }

    @BeforeEach
    void startPartition() throws IOException {
        writer.partition(FIVE, 0, 4);
    }

    @AfterEach
    void close() throws IOException {
        writer.close();
    }

    private static byte[] integer(int value) {
        byte[] bytes = new byte[4];
        Bytes.setInt(bytes, 0, value);
        return bytes;
    }

    /** A row of the partition of 5 without static value. */
    private static byte[] row(int clustering) {
        return row(clustering, /* elements */ -1);
    }

    /** @param elements of the set; negative if it has no value */
    private static byte[] row(int clustering, int elements) {
        Bytes row = new Bytes(64);
        row.putInt(4);
        row.put(FIVE);
        row.putInt(4);
        row.putInt(clustering);
        row.putInt(-2);
        if (elements < 0) {
            row.putInt(-2);
        } else {
            int set = row.beginValue();
            row.putInt(elements);
            for (int i = 0; i < elements; i++) {
                row.putInt(4);
                row.putInt(i);
            }
            row.endValue(set);
        }
        return row.toByteArray();
    }

    private void write(int clustering) throws IOException {
        writer.row(row(clustering), 0, WRITE_TIME, 0);
    }

    private List<String> files() throws IOException {
        try (var files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void writesAllComponents() throws IOException {
        write(1);
        Sstable sstable = writer.finish();
        assertThat(files())
                .containsExactly(
                        "nb-1-big-CRC.db",
                        "nb-1-big-Data.db",
                        "nb-1-big-Digest.crc32",
                        "nb-1-big-Filter.db",
                        "nb-1-big-Index.db",
                        "nb-1-big-Statistics.db",
                        "nb-1-big-Summary.db",
                        "nb-1-big-TOC.txt");
        assertThat(sstable.files()).hasSize(8).allSatisfy(file -> assertThat(file)
                .exists());
        assertThat(sstable.firstToken()).isEqualTo(-7509452495886106294L).isEqualTo(sstable.lastToken());
    }

    /** A process has little memory for each of many SSTables. One of the partitions has blocks. */
    @Test
    void writesTheSameWithSmallBuffers(@TempDir Path other) throws IOException {
        TreeMap<Long, Integer> partitions = new TreeMap<>();
        IntStream.range(0, 3000).forEach(i -> partitions.put(Murmur3.token(integer(i), 0, 4), i));
        for (Compression compression : List.of(
                Compression.NONE,
                new Compression("LZ4Compressor", 16 << 10, 0, Map.of()),
                new Compression("DeflateCompressor", 4 << 10, 0, Map.of()))) {
            SstableSchema schema = schema(compression);
            Path large = Files.createDirectory(other.resolve("large" + compression.compressor()));
            Path small = Files.createDirectory(other.resolve("small" + compression.compressor()));
            try (WriterBuffers buffers = WriterBuffers.of(schema, 0, 1000, 3000);
                    SstableWriter expected = SstableWriter.open(schema, options(large));
                    SstableWriter first = SstableWriter.open(schema, options(small), buffers)) {
                assertThat(buffers.keepsFilesOpen()).isFalse();
                assertThat(buffers.filtersComeLast()).isTrue();
                for (int partition : partitions.values()) {
                    for (SstableWriter each : List.of(expected, first)) {
                        each.partition(integer(partition), 0, 4);
                        for (int row = 0; row < (partition == 77 ? 2000 : 3); row++) {
                            each.row(row(row, partition % 50), 0, WRITE_TIME, 0);
                        }
                    }
                }
                Sstable of = expected.finish();
                assertThat(first.finish().bytes()).isEqualTo(of.bytes());
                for (Path file : of.files()) {
                    assertThat(small.resolve(file.getFileName())).hasSameBinaryContentAs(file);
                }
            }
        }
    }

    private static SstableWriter.Options options(Path directory) {
        return new SstableWriter.Options(directory, 1, 3000, WRITE_TIME, NOW_SECONDS);
    }

    @Test
    void keepsNothingOfWhatIsNotFinished() throws IOException {
        write(1);
        writer.close();
        assertThat(files()).isEmpty();
        assertThatThrownBy(writer::finish).hasMessage("the SSTable is finished, or closed");
    }

    @Test
    void replacesNoFile() throws IOException {
        assertThatThrownBy(() -> open(schema(Compression.NONE))).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(files()).containsExactly("nb-1-big-Data.db", "nb-1-big-Index.db");
    }

    @Test
    void refusesRowsOutOfOrder() throws IOException {
        write(2);
        assertThatThrownBy(() -> write(2))
                .hasMessage("a row is not behind the last one in the partition with token -7509452495886106294;"
                        + " rows must come in clustering order, and equal ones be merged before");
        assertThatThrownBy(writer::finish).hasMessage("the SSTable is incomplete because of an earlier failure");
    }

    @Test
    void refusesPartitionsOutOfOrder() throws IOException {
        write(1);
        writer.partition(ONE, 0, 4);
        write(1);
        assertThatThrownBy(() -> writer.partition(FIVE, 0, 4))
                .hasMessageStartingWith("the partition with token -7509452495886106294 is not behind that with token"
                        + " -4069959284402364209; ");
    }

    @Test
    void refusesPartitionWithoutRows() {
        assertThatThrownBy(() -> writer.partition(ONE, 0, 4))
                .hasMessage("the partition with token -7509452495886106294 has no row and no static value");
    }

    @Test
    void refusesKeysOfAWrongLength() throws IOException {
        write(1);
        assertThatThrownBy(() -> writer.partition(new byte[70_000], 0, 65_536))
                .hasMessage("a partition key of 65536 bytes; 1 to 65535 are possible");
    }

    @Test
    void refusesValuesOfAWrongLength() {
        Bytes row = new Bytes(32);
        row.putInt(4);
        row.put(FIVE);
        row.putInt(3);
        row.put(FIVE, 1, 3);
        row.putInt(-2);
        row.putInt(-2);
        assertThatThrownBy(() -> writer.row(row.array(), 0, WRITE_TIME, 0))
                .hasMessageStartingWith("column c of type int has a value of 3 bytes; 4 are needed");
    }

    @Test
    void refusesMissingClustering() {
        Bytes row = new Bytes(32);
        row.putInt(4);
        row.put(FIVE);
        row.putInt(-2);
        row.putInt(-2);
        row.putInt(-2);
        assertThatThrownBy(() -> writer.row(row.array(), 0, WRITE_TIME, 0))
                .hasMessage("clustering column c has no value");
    }

    @Test
    void refusesNullInACollection() {
        Bytes row = new Bytes(64);
        row.put(row(1), 0, 20);
        int begin = row.beginValue();
        row.putInt(1);
        row.putNull();
        row.endValue(begin);
        assertThatThrownBy(() -> writer.row(row.array(), 0, WRITE_TIME, 0))
                .hasMessage("an element of a collection is null");
    }

    @Test
    void refusesTtlsThatEndAfter2038() {
        assertThatThrownBy(() -> writer.row(row(1), 0, WRITE_TIME, 400_000_000))
                .hasMessage("a TTL of 400000000 s ends after 2038, the last year in files of version nb");
        assertThat(SstableWriter.MAX_TTL_SECONDS).isEqualTo(630_720_000);
    }

    @Test
    void refusesStaticsBehindRows() throws IOException {
        write(1);
        assertThatThrownBy(() -> writer.statics(row(1), 0, WRITE_TIME, 0))
                .hasMessage("static values come once in a partition, before its rows");
    }

    @Test
    void writesStaticsWithoutRows() throws IOException {
        byte[] statics = row(1);
        Bytes values = new Bytes(64);
        values.put(statics, 0, 16);
        values.putInt(4);
        values.putInt(7);
        values.putInt(-2);
        writer.statics(values.array(), 0, WRITE_TIME, 0);
        assertThat(writer.finish().rows()).isZero();
    }

    /** Which has no cell, and so no TTL; Cassandra then writes zeros. */
    @Test
    void hasNoTtlIfCollectionsWereDeletedOnly() throws IOException {
        writer.close();
        List<Column> columns = List.of(
                COLUMNS.get(0), COLUMNS.get(1), new Column("s", DataTypes.setOf(DataTypes.INT), Kind.STATIC, 0));
        try (SstableWriter sets = open(new SstableSchema(columns, Compression.NONE, 0.01, 128))) {
            sets.partition(FIVE, 0, 4);
            Bytes values = new Bytes(64);
            values.put(row(1), 0, 16);
            values.putNull();
            sets.statics(values.array(), 0, WRITE_TIME, 1000);
            sets.finish();
        }
        byte[] file = Files.readAllBytes(directory.resolve("nb-1-big-Statistics.db"));
        int stats = Bytes.getInt(file, 8 + 8 * 2 + 4);
        int histograms = 4 + 156 * 16 + 4 + 119 * 16;
        int ttls = stats + histograms + /* commit log */ 12 + /* write times */ 16 + /* expiries */ 8;
        assertThat(Bytes.getLong(file, ttls - 24)).isEqualTo(WRITE_TIME - 1);
        assertThat(List.of(Bytes.getInt(file, ttls), Bytes.getInt(file, ttls + 4)))
                .containsExactly(0, 0);
    }

    @Test
    void refusesUnknownCompressors() throws IOException {
        writer.close();
        Compression own = Compression.of(Map.of("class", "com.example.MyCompressor"));
        assertThatThrownBy(() -> open(schema(own))).hasMessageStartingWith("the table is compressed by MyCompressor; ");
        Compression unknown = Compression.of(Map.of("class", "LZ4Compressor", "colour", "red"));
        assertThatThrownBy(() -> open(schema(unknown))).hasMessage("unknown options of LZ4Compressor: colour");
        assertThat(files()).isEmpty();
    }

    @Test
    void refusesSchemasThatFilesCannotHave() {
        List<Column> counter = List.of(COLUMNS.get(0), new Column("n", DataTypes.COUNTER, Kind.REGULAR, 0));
        assertThatThrownBy(() -> new SstableSchema(counter, Compression.NONE, 0.01, 128))
                .hasMessage("column n is a counter, which is neither written to files nor read from them; use CQL");
        List<Column> custom = List.of(COLUMNS.get(0), new Column("x", DataTypes.custom("a.B"), Kind.REGULAR, 0));
        assertThatThrownBy(() -> new SstableSchema(custom, Compression.NONE, 0.01, 128))
                .hasMessageContaining("whose form in files is not known");
        assertThatThrownBy(() -> new SstableSchema(COLUMNS.subList(1, 4), Compression.NONE, 0.01, 128))
                .hasMessage("no column of the partition key");
    }
}
