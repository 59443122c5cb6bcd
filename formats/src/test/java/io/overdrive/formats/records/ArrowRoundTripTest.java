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
import io.overdrive.formats.columns.ColumnBuilder.Decimals;
import io.overdrive.formats.records.OutputFormat.Batches;
import io.overdrive.formats.records.OutputFormat.Kind;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.formats.text.RandomCells;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.MessageText;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Values of CQL through files and streams of Arrow. */
class ArrowRoundTripTest {
    private static final Batches FILE = new Batches(/* isStream */ false, Compression.NONE, Decimals.TEXT);

    private final Path directory;

    ArrowRoundTripTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private static OutputFormat format(Batches batches) {
        return OutputFormat.builder(Kind.ARROW).batches(batches).build();
    }

    /** Writes rows of cells in one batch; null is a missing value. */
    private Path write(
            String name, Batches batches, List<String> names, List<DataType> types, List<byte @Nullable []> cells)
            throws IOException {
        return write(name, batches, names, types, cells, Integer.MAX_VALUE);
    }

    private Path write(
            String name,
            Batches batches,
            List<String> names,
            List<DataType> types,
            List<byte @Nullable []> cells,
            int cellsOfBatch)
            throws IOException {
        Path file = directory.resolve(name);
        ColumnFiles.write(file, format(batches), names, types, cells, cellsOfBatch);
        return file;
    }

    @ParameterizedTest
    @EnumSource(
            value = Compression.class,
            names = {"NONE", "LZ4", "ZSTD"})
    void everyTypeComesBackAsItWas(Compression packing) throws IOException {
        for (boolean isStream : new boolean[] {true, false}) {
            for (TypeSamples type : TypeZoo.all()) {
                List<byte @Nullable []> cells = new ArrayList<>();
                for (Sample sample : type.samples()) {
                    cells.add(Bytes.copyOf(Objects.requireNonNull(CodecRegistry.DEFAULT
                            .codecFor(type.type(), sample.value())
                            .encode(sample.value(), ProtocolVersion.V5))));
                    cells.add(null);
                }
                Batches batches = new Batches(isStream, packing, Decimals.TEXT);
                Path file = write("zoo.arrow", batches, List.of("a"), List.of(type.type()), cells);
                ColumnFiles.assertSame(ColumnFiles.read(file, List.of(type.type())), cells);
            }
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
            Batches batches = new Batches(random.nextBoolean(), packing, Decimals.TEXT);
            Path file = write("random.arrow", batches, names, types, written);
            ColumnFiles.assertSame(ColumnFiles.read(file, types), written);
        });
    }

    @Test
    void batchesEndAtTheirSize() throws IOException {
        List<byte @Nullable []> cells = new ArrayList<>();
        for (int i = 0; i < 70_000; i++) {
            cells.add(new byte[] {0, (byte) (i >> 16), (byte) (i >> 8), (byte) i});
        }
        Path file = write("many.arrow", FILE, List.of("a"), List.of(DataTypes.INT), cells);
        ColumnFiles.assertSame(ColumnFiles.read(file, List.of(DataTypes.INT)), cells);
        List<Long> lines = new ArrayList<>();
        RecordParser parser = new RecordParser();
        try (InputReader reader = new InputReader(
                List.of(InputFile.of(file)),
                InputFormat.builder().skipRecords(65_530).maxRecords(10).build())) {
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
        assertThat(lines).containsExactly(1L, 1L, 1L, 1L, 1L, 1L, 2L, 2L, 2L, 2L);
    }

    /** Larger ones are mapped instead of copied. */
    @Test
    void largeBatchesComeBackAsTheyWere() throws IOException {
        byte[] large = new byte[17 << 20];
        new Random(3).nextBytes(large);
        List<DataType> types = List.of(DataTypes.BLOB);
        List<byte @Nullable []> cells = Arrays.asList(large, null, new byte[] {1}, large, large, null);
        for (boolean isStream : new boolean[] {true, false}) {
            Batches batches = new Batches(isStream, Compression.NONE, Decimals.TEXT);
            Path file = write("large.arrow", batches, List.of("a"), types, cells, /* cellsOfBatch */ 2);
            List<byte @Nullable []> twice = new ArrayList<>(cells);
            twice.addAll(cells);
            ColumnFiles.assertSame(ColumnFiles.read(List.of(file, file), types), twice);
        }
    }

    @Test
    void decimalsOfAFixedSizeAreExactOrRefused() throws IOException {
        List<DataType> types = List.of(DataTypes.DECIMAL, DataTypes.VARINT);
        Batches batches = new Batches(/* isStream */ true, Compression.NONE, new Decimals(5, 2));
        List<byte @Nullable []> cells = new ArrayList<>();
        cells.add(decimal("1.5"));
        cells.add(new byte[] {(byte) 0x80});
        cells.add(decimal("-999.99"));
        cells.add(new byte[] {1, (byte) 0x86, (byte) 0x9f}); // 99999
        Path file = write("d.arrow", batches, List.of("a", "b"), types, cells);
        cells.set(0, decimal("1.50"));
        ColumnFiles.assertSame(ColumnFiles.read(file, types), cells);
        for (String tooLarge : List.of("1000", "0.001", "1E+2000000000", "1E-2000000000")) {
            assertThatThrownBy(() ->
                            write("d.arrow", batches, List.of("a", "b"), types, Arrays.asList(decimal(tooLarge), null)))
                    .isInstanceOf(BadValueException.class)
                    .hasMessageStartingWith("column \"a\" is decimal, and " + new BigDecimal(tooLarge))
                    .hasMessageEndingWith(" does not fit into 5 digits, 2 of them after the point")
                    .satisfies(e -> assertThat(MessageText.of(e).inJava())
                            .isEqualTo(e.getMessage() + "; without decimals it is written as text"));
        }
    }

    private static byte[] decimal(String text) {
        Bytes out = new Bytes(16);
        ValueText.of(DataTypes.DECIMAL, ValueFormat.DEFAULT).parse(text.toCharArray(), 0, text.length(), out);
        return out.toByteArray();
    }

    @Test
    void aTruncatedFileIsAnError() throws IOException {
        List<byte @Nullable []> cells = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            cells.add(i % 3 == 0 ? null : new byte[] {'a', (byte) i});
        }
        List<DataType> types = List.of(DataTypes.TEXT);
        for (boolean isStream : new boolean[] {true, false}) {
            Batches batches = new Batches(isStream, Compression.NONE, Decimals.TEXT);
            byte[] whole = Files.readAllBytes(write("whole.arrow", batches, List.of("a"), types, cells));
            Path file = directory.resolve("part.arrow");
            for (int length = 0; length < whole.length; length += 7) {
                Files.write(file, Arrays.copyOf(whole, length));
                assertThatThrownBy(() -> ColumnFiles.read(file, types))
                        .as(length + " bytes")
                        .isInstanceOf(OverdriveException.class)
                        .hasMessageStartingWith(file.toString());
            }
        }
    }

    /** A damaged file is refused, or read as other values; it never leads out of its buffers, nor takes much memory. */
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
        Path file = directory.resolve("damaged.arrow");
        for (Compression packing : List.of(Compression.NONE, Compression.ZSTD, Compression.LZ4)) {
            Batches batches = new Batches(/* isStream */ false, packing, Decimals.TEXT);
            byte[] whole = Files.readAllBytes(write("whole.arrow", batches, List.of("a", "b", "c"), types, rows));
            int refused = 0;
            for (int i = 0; i < 300; i++) {
                byte[] damaged = whole.clone();
                damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
                Files.write(file, damaged);
                try {
                    ColumnFiles.read(file, types);
                } catch (OverdriveException e) {
                    refused++;
                } catch (BadValueException e) {
                    // the value of another type, if the schema is damaged
                }
            }
            assertThat(refused).isGreaterThan(50);
        }
    }

    /** A column that has nulls, and does not say where, is damaged. */
    @Test
    void nullsWithoutTheirPlacesAreRefused() throws IOException {
        List<byte @Nullable []> cells = new ArrayList<>();
        for (int i = 0; i < 77; i++) {
            cells.add(new byte[] {0, 0, 0, 1});
        }
        List<DataType> types = List.of(DataTypes.INT);
        Path file = write("nulls.arrow", FILE, List.of("a"), types, cells);
        byte[] bytes = Files.readAllBytes(file);
        ByteBuffer longs = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int at = 0;
        while (longs.getLong(at) != 77 || longs.getLong(at + 8) != 0) {
            at++; // the length of the column, and the number of its nulls
        }
        longs.putLong(at + 8, 1);
        Files.write(file, bytes);
        assertThatThrownBy(() -> ColumnFiles.read(file, types))
                .hasMessage(file + " batch 1: cannot be read: column \"a\" does not say which of its values are null;"
                        + " the file is damaged. Records of other batches were read");
    }

    @Test
    void columnsOfTheSameNameAreRefused() {
        assertThatThrownBy(() -> RecordWriter.of(
                        format(FILE), List.of("a", "a"), List.of(DataTypes.INT, DataTypes.INT), ValueFormat.DEFAULT))
                .isInstanceOf(OverdriveException.class)
                .hasMessage(
                        "two columns have the name \"a\", which readers of Arrow cannot distinguish: give one of them"
                                + " another name in the query, with AS");
    }
}
