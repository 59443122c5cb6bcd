package io.overdrive.formats.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import io.overdrive.OverdriveException;
import io.overdrive.Seeds;
import io.overdrive.TypeZoo;
import io.overdrive.TypeZoo.Sample;
import io.overdrive.TypeZoo.TypeSamples;
import io.overdrive.formats.columns.Column;
import io.overdrive.formats.columns.ColumnBatch;
import io.overdrive.formats.columns.ColumnBuilder.Decimals;
import io.overdrive.formats.columns.ColumnType;
import io.overdrive.formats.parquet.ParquetReader;
import io.overdrive.formats.records.OutputFormat.Batches;
import io.overdrive.formats.records.OutputFormat.Kind;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.formats.text.RandomCells;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.IllegalOptionException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Values of CQL through files of Parquet. */
class ParquetRoundTripTest {
    private final Path directory;

    ParquetRoundTripTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private static OutputFormat format(Compression packing, Decimals decimals) {
        return OutputFormat.builder(Kind.PARQUET)
                .batches(new Batches(/* isStream */ false, packing, decimals))
                .build();
    }

    private Path write(
            String name, Compression packing, List<String> names, List<DataType> types, List<byte @Nullable []> cells)
            throws IOException {
        Path file = directory.resolve(name);
        ColumnFiles.write(file, format(packing, Decimals.TEXT), names, types, cells);
        return file;
    }

    @ParameterizedTest
    @EnumSource(
            value = Compression.class,
            names = {"NONE", "ZSTD", "SNAPPY", "GZIP", "LZ4"})
    void everyTypeComesBackAsItWas(Compression packing) throws IOException {
        for (TypeSamples type : TypeZoo.all()) {
            List<byte @Nullable []> cells = new ArrayList<>();
            for (Sample sample : type.samples()) {
                cells.add(Bytes.copyOf(Objects.requireNonNull(CodecRegistry.DEFAULT
                        .codecFor(type.type(), sample.value())
                        .encode(sample.value(), ProtocolVersion.V5))));
                cells.add(null);
            }
            Path file = write("zoo.parquet", packing, List.of("a"), List.of(type.type()), cells);
            ColumnFiles.assertSame(ColumnFiles.read(file, List.of(type.type())), cells);
        }
    }

    @Test
    void randomSchemasComeBackAsTheyWere() {
        Seeds.times(60, random -> {
            RandomCells cells = new RandomCells(random);
            int columns = 1 + random.nextInt(4);
            List<DataType> types = new ArrayList<>();
            List<String> names = new ArrayList<>();
            for (int i = 0; i < columns; i++) {
                types.add(cells.type(3));
                names.add("c" + i);
            }
            List<byte @Nullable []> written = new ArrayList<>();
            int rows = random.nextInt(40);
            for (int i = 0; i < rows * columns; i++) {
                written.add(
                        random.nextInt(5) == 0
                                ? null
                                : cells.cell(types.get(i % columns)).bytes());
            }
            Compression packing = random.nextBoolean() ? Compression.NONE : Compression.ZSTD;
            Path file = write("random.parquet", packing, names, types, written);
            ColumnFiles.assertSame(ColumnFiles.read(file, types), written);
        });
    }

    /** A page refers to texts that are few by their numbers, and the next one has its texts if they are not. */
    @Test
    void textsComeBackFromPagesWithAndWithoutNumbersForThem() throws IOException {
        List<byte @Nullable []> cells = new ArrayList<>();
        for (int i = 0; i < 200_000; i++) {
            int distinct = i < 70_000 ? 3 : i < 140_000 ? 40_000 : 200_000;
            cells.add(i % 10 == 0 ? null : ("text " + i % distinct).getBytes(StandardCharsets.UTF_8));
            cells.add(("other " + i).getBytes(StandardCharsets.UTF_8));
        }
        List<DataType> types = List.of(DataTypes.TEXT, DataTypes.TEXT);
        Path file = write("words.parquet", Compression.NONE, List.of("a", "b"), types, cells);
        ColumnFiles.assertSame(ColumnFiles.read(file, types), cells);
        assertThat(Files.size(file)).isLessThan(6_000_000);
    }

    /** Lists that are longer than a page of the reader's batch. */
    @Test
    void listsComeBackAcrossBatchesAndRowGroups() throws IOException {
        DataType type = DataTypes.listOf(DataTypes.listOf(DataTypes.INT));
        ValueText text = ValueText.of(type, ValueFormat.DEFAULT);
        List<byte @Nullable []> cells = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            char[] chars = ("[" + "[1,2],[],".repeat(i % 700) + "[" + i + "]]").toCharArray();
            Bytes cell = new Bytes(16);
            text.parse(chars, 0, chars.length, cell);
            cells.add(i % 11 == 0 ? null : cell.toByteArray());
        }
        Path file = directory.resolve("lists.parquet");
        RecordWriter writer = RecordWriter.of(
                format(Compression.NONE, Decimals.TEXT), List.of("a"), List.of(type), ValueFormat.DEFAULT);
        writer.limitBatch(300_000);
        ColumnFiles.write(file, writer, /* isStream */ false, 1, cells, Integer.MAX_VALUE);
        ColumnFiles.assertSame(ColumnFiles.read(file, List.of(type)), cells);
        assertThat(lines(file, InputFormat.builder().build()).stream()
                        .distinct()
                        .count())
                .isGreaterThan(3);
    }

    /** The number of the row group of each row. */
    private static List<Long> lines(Path file, InputFormat format) {
        List<Long> lines = new ArrayList<>();
        RecordParser parser = new RecordParser();
        try (InputReader reader = new InputReader(List.of(InputFile.of(file)), format)) {
            for (Block block = reader.next(); block != null; block = reader.next()) {
                parser.parse(block, new IgnoringHandler() {
                    @Override
                    public void begin(Block of, long line, long position) {
                        lines.add(line);
                    }

                    @Override
                    public void field(int index, Column column, int row) {}
                });
            }
        }
        return lines;
    }

    @Test
    void rowGroupsEndAtTheirSize() throws IOException {
        List<byte @Nullable []> cells = new ArrayList<>();
        for (int i = 0; i < (1 << 20) + 20; i++) {
            cells.add(new byte[] {0, (byte) (i >> 16), (byte) (i >> 8), (byte) i});
        }
        List<DataType> types = List.of(DataTypes.INT);
        Path file = write("many.parquet", Compression.ZSTD, List.of("a"), types, cells);
        ColumnFiles.assertSame(ColumnFiles.read(file, types), cells);
        InputFormat some =
                InputFormat.builder().skipRecords((1 << 20) - 5).maxRecords(10).build();
        assertThat(lines(file, some)).containsExactly(1L, 1L, 1L, 1L, 1L, 2L, 2L, 2L, 2L, 2L);
        InputFormat last = InputFormat.builder().skipRecords((1 << 20) + 19).build();
        assertThat(lines(file, last)).containsExactly(2L);
    }

    /** The pages of columns that are left out are not read: they may even be damaged. */
    @Test
    void columnsThatAreLeftOutAreNotRead() throws IOException {
        List<byte @Nullable []> cells = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            cells.add(new byte[] {0, 0, 0, (byte) i});
            cells.add("needle".getBytes(StandardCharsets.UTF_8));
        }
        List<DataType> types = List.of(DataTypes.INT, DataTypes.TEXT);
        Path file = write("two.parquet", Compression.NONE, List.of("a", "b"), types, cells);
        byte[] bytes = Files.readAllBytes(file);
        int dictionary = new String(bytes, StandardCharsets.ISO_8859_1).lastIndexOf("\6\0\0\0needle");
        bytes[dictionary + 3] = 1;
        Files.write(file, bytes);
        List<Boolean> missing = new ArrayList<>();
        RecordParser parser = new RecordParser();
        try (InputReader reader = new InputReader(
                List.of(InputFile.of(file)), InputFormat.builder().build())) {
            assertThatThrownBy(reader::next).hasMessageContaining("column \"b\" in row group 1");
        }
        try (InputReader reader = new InputReader(
                List.of(InputFile.of(file)), InputFormat.builder().build())) {
            reader.restrict(header -> BitSet.valueOf(new long[] {1}));
            for (Block block = reader.next(); block != null; block = reader.next()) {
                parser.parse(block, new IgnoringHandler() {
                    @Override
                    public void field(int index, Column column, int row) {
                        missing.add(column.isNull(row));
                    }
                });
            }
        }
        assertThat(missing).hasSize(400);
        assertThat(missing.subList(0, 2)).containsExactly(false, true);
    }

    /** A checkpoint does not end a row group that is small. */
    @Test
    void smallRowGroupsAreNotEndedBeforeTheirTime() {
        RecordWriter writer = RecordWriter.of(
                format(Compression.ZSTD, Decimals.TEXT), List.of("a"), List.of(DataTypes.BLOB), ValueFormat.DEFAULT);
        Bytes out = new Bytes(64);
        assertThat(writer.isFilling()).isFalse();
        for (int i = 0; i < 17; i++) {
            writer.begin(out);
            writer.cell(0, new byte[1 << 20], 0, 1 << 20, out);
            writer.end(out);
            assertThat(writer.isFilling()).isEqualTo(i < 15);
        }
        writer.complete(out);
        assertThat(writer.isFilling()).isFalse();
    }

    @Test
    void decimalsOfAFixedSizeAreExact() throws IOException {
        List<DataType> types = List.of(DataTypes.DECIMAL, DataTypes.VARINT);
        for (int digits : new int[] {5, 9, 10, 18, 19, 38}) {
            List<byte @Nullable []> cells = Arrays.asList(
                    decimal("-1.50"), new byte[] {(byte) 0x80}, decimal("999.99"), new byte[] {1, 2}, null, null);
            Path file = directory.resolve("decimals.parquet");
            ColumnFiles.write(file, format(Compression.ZSTD, new Decimals(digits, 2)), List.of("a", "b"), types, cells);
            ColumnFiles.assertSame(ColumnFiles.read(file, types), cells);
        }
    }

    private static byte[] decimal(String text) {
        Bytes out = new Bytes(16);
        ValueText.of(DataTypes.DECIMAL, ValueFormat.DEFAULT).parse(text.toCharArray(), 0, text.length(), out);
        return out.toByteArray();
    }

    @Test
    void aTableGetsTheTypesThatWereWritten() throws IOException {
        List<DataType> types = List.of(
                DataTypes.TIMEUUID,
                DataTypes.setOf(DataTypes.INT),
                DataTypes.vectorOf(DataTypes.FLOAT, 3),
                DataTypes.DURATION,
                DataTypes.COUNTER);
        Path file = write("types.parquet", Compression.ZSTD, List.of("a", "b", "c", "d", "e"), types, List.of());
        try (InputReader reader = new InputReader(
                List.of(InputFile.of(file)), InputFormat.builder().build())) {
            Block block = Objects.requireNonNull(reader.next());
            assertThat(block.header().columns().stream().map(ColumnType::cql))
                    .containsExactly("timeuuid", "set<int>", "vector<float, 3>", "duration", "bigint");
            assertThat(reader.next()).isNull();
        }
    }

    /** A batch by the average of the row group would have all of the large ones. */
    @Test
    void largeRowsAfterManySmallOnesAreReadInBatchesOfTheUsualSize() throws IOException {
        List<byte @Nullable []> cells = new ArrayList<>(Collections.nCopies(4000, new byte[] {1}));
        for (int i = 0; i < 40; i++) {
            byte[] large = new byte[500_000];
            Arrays.fill(large, (byte) i);
            cells.add(large);
        }
        Path file = write("large.parquet", Compression.ZSTD, List.of("a"), List.of(DataTypes.BLOB), cells);
        long largest = 0;
        long rows = 0;
        try (FileChannel channel = FileChannel.open(file)) {
            ParquetReader reader = new ParquetReader(channel, at -> {});
            for (ColumnBatch batch = reader.next(); batch != null; batch = reader.next()) {
                largest = Math.max(largest, batch.bytes());
                rows += batch.rows();
            }
        }
        assertThat(rows).isEqualTo(cells.size());
        assertThat(largest).isLessThan(9 << 20);
        ColumnFiles.assertSame(ColumnFiles.read(file, List.of(DataTypes.BLOB)), cells);
    }

    @Test
    void aTruncatedFileIsAnErrorBeforeAnythingIsRead() throws IOException {
        List<byte @Nullable []> cells = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            cells.add(i % 3 == 0 ? null : new byte[] {'a', (byte) i});
        }
        List<DataType> types = List.of(DataTypes.TEXT);
        byte[] whole = Files.readAllBytes(write("whole.parquet", Compression.NONE, List.of("a"), types, cells));
        Path file = directory.resolve("part.parquet");
        for (int length = 0; length < whole.length; length += 3) {
            Files.write(file, Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> ColumnFiles.read(file, types))
                    .as(length + " bytes")
                    .isInstanceOf(OverdriveException.class)
                    .hasMessageStartingWith(file.toString());
        }
    }

    @Test
    void aListThatContinuesARowBeforeTheFirstIsRefused() throws IOException {
        DataType type = DataTypes.listOf(DataTypes.INT);
        Path file = directory.resolve("list.parquet");
        byte[] bytes =
                Files.readAllBytes(Path.of(Objects.requireNonNull(getClass().getResource("/parquet/list.parquet"))
                        .getPath())); // of pyarrow, without a checksum
        int at = 0;
        byte[] levels = {2, 0, 0, 0, 3, 2}; // the length, a group of 8 numbers of a bit, and these: 0, 1
        while (!Arrays.equals(bytes, at, at + levels.length, levels, 0, levels.length)) {
            at++;
        }
        bytes[at + levels.length - 1] = 3;
        Files.write(file, bytes);
        assertThatThrownBy(() -> ColumnFiles.read(file, List.of(type)))
                .hasMessage(
                        file + ": cannot be read: column \"a.list.element\" in row group 1: page 1 continues a row that"
                                + " has not begun; the file is truncated or damaged. Records before this place were read");
    }

    @Test
    void aChangedValueInAPageIsNoticed() throws IOException {
        List<byte @Nullable []> rows = List.of(("x".repeat(5000) + "needle").getBytes(StandardCharsets.UTF_8));
        Path file = write("sum.parquet", Compression.NONE, List.of("a"), List.of(DataTypes.TEXT), rows);
        String text = Files.readString(file, StandardCharsets.ISO_8859_1);
        Path changed = Files.writeString(
                directory.resolve("changed.parquet"),
                text.substring(0, text.indexOf("needle")) + "n3edle" + text.substring(text.indexOf("needle") + 6),
                StandardCharsets.ISO_8859_1);
        assertThatThrownBy(() -> ColumnFiles.read(changed, List.of(DataTypes.TEXT)))
                .hasMessageContaining("has another checksum than it says");
    }

    /** A damaged file is refused, or read as other values; it never leads out of its pages, nor takes much memory. */
    @Test
    void aDamagedFileIsRefusedOrReadAsOtherValues() throws IOException {
        List<DataType> types = List.of(
                DataTypes.TEXT, DataTypes.listOf(DataTypes.INT), DataTypes.mapOf(DataTypes.TEXT, DataTypes.BOOLEAN));
        Random random = new Random(7);
        RandomCells cells = new RandomCells(random);
        List<byte @Nullable []> rows = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            rows.add(i % 7 == 0 ? null : cells.cell(types.get(i % 3)).bytes());
        }
        Path file = directory.resolve("damaged.parquet");
        for (Compression packing : List.of(Compression.NONE, Compression.ZSTD, Compression.LZ4)) {
            byte[] whole = Files.readAllBytes(write("whole.parquet", packing, List.of("a", "b", "c"), types, rows));
            int refused = 0;
            for (int i = 0; i < 500; i++) {
                byte[] damaged = whole.clone();
                damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
                Files.write(file, damaged);
                try {
                    ColumnFiles.read(file, types);
                } catch (OverdriveException e) {
                    refused++;
                } catch (BadValueException | IndexOutOfBoundsException e) {
                    // the value of another type, if the schema is damaged; the test's reader has three columns
                }
            }
            assertThat(refused).isGreaterThan(50);
        }
    }

    @Test
    void aStreamIsRefused() {
        assertThatThrownBy(() -> OutputFormat.builder(Kind.PARQUET)
                        .batches(new Batches(/* isStream */ true, Compression.ZSTD, Decimals.TEXT))
                        .build())
                .isInstanceOf(IllegalOptionException.class)
                .hasMessage("Parquet is written to files only, as its end says where its rows are: name a file or a"
                        + " directory");
    }
}
