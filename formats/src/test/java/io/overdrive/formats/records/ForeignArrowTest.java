package io.overdrive.formats.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.OneCaseIn;
import io.overdrive.OverdriveException;
import io.overdrive.formats.columns.CellReader;
import io.overdrive.formats.columns.Column;
import io.overdrive.formats.columns.ColumnType;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that pyarrow has made, by {@code make.py} next to them. */
class ForeignArrowTest {
    private static final String FIRST =
            "{\"id\":1,\"u8\":255,\"u64\":18446744073709551615,\"i16\":-1,\"half\":1.5,\"single\":0.1,\"number\":0.1,\"yes\":true,"
                    + "\"nothing\":null,\"s\":\"2024-02-29T12:30:15Z\",\"us\":\"2024-02-29T12:30:15Z\","
                    + "\"ns\":\"2024-02-29T12:30:15.123Z\",\"date32\":\"2024-02-29\",\"date64\":\"2024-02-29\","
                    + "\"time32\":\"01:02:03\",\"time64\":\"01:02:03.000004\",\"elapsed\":\"1s500ms\","
                    + "\"months\":\"1y2mo3d5ns\",\"large\":\"größe\",\"view\":\"short\",\"blob\":\"0x00ff\","
                    + "\"bytes3\":\"0x616263\",\"word\":\"x\",\"d128\":1.50,\"d256\":100000000000000000000000000000000000000000000000000,"
                    + "\"list\":[1,2],\"words\":[\"x\",\"y\"],\"fixed\":[1.0,2.0],\"map\":{\"a\":1,\"b\":2},"
                    + "\"struct\":{\"x\":1,\"y\":\"a\"}}";

    private final Path directory;

    ForeignArrowTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private static Path file(String name) {
        return Path.of("src/test/resources/arrow", name);
    }

    /** The rows as JSON, as rejected ones are kept. */
    private static List<String> rows(String name) {
        return rows(file(name));
    }

    private static List<String> rows(Path file) {
        return Read.file(file, InputFormat.builder().build()).raws();
    }

    private List<String> rows(String name, byte[] bytes) {
        return Read.bytes(directory, name, bytes, InputFormat.builder().build(), BlockReader.BLOCK_BYTES)
                .raws();
    }

    @ParameterizedTest
    @ValueSource(strings = {"types.arrow", "types.arrows", "lz4.arrow", "zstd.arrow"})
    void everyTypeIsRead(String name) {
        List<String> rows = rows(name);
        assertThat(rows).hasSize(3);
        assertThat(rows.get(0)).isEqualTo(FIRST);
        assertThat(rows.get(1)).matches("\\{\"id\":2(,\"[a-z0-9]+\":null)+}");
        assertThat(rows.get(2))
                .contains("\"us\":\"2024-02-29T12:30:15.123456Z\"")
                .contains("\"ns\":\"2024-02-29T12:30:15.123456789Z\"")
                .contains("\"half\":-0.25")
                .contains("\"date32\":\"0001-01-01\",\"date64\":\"1969-12-31\"")
                .contains("\"view\":\"longer than twelve bytes\"")
                .contains("\"d128\":-0.01,\"d256\":-1,\"list\":[],\"words\":[\"x\"]")
                .endsWith("\"struct\":{\"y\":\"b\"}}");
    }

    @Test
    void otherToolsNamesAndFilesWithoutRowsAreRead() {
        assertThat(rows("default.feather"))
                .containsExactly(
                        "{\"id\":1,\"view\":\"short\"}",
                        "{\"id\":2,\"view\":null}",
                        "{\"id\":3,\"view\":\"longer than twelve bytes\"}");
        assertThat(rows("empty.arrow")).isEmpty();
        assertThatThrownBy(() -> rows("union.arrow"))
                .isInstanceOf(OverdriveException.class)
                .hasMessage(file("union.arrow")
                        + ": cannot be read: the column \"u\" is of a type that is not read (Union): leave it out, or"
                        + " write the file with another type for it");
    }

    @ParameterizedTest
    @ValueSource(strings = {"types.arrow", "types.arrows", "zstd.arrow"})
    void aTruncatedFileIsAnError(String name) throws IOException {
        byte[] whole = Files.readAllBytes(file(name));
        Path part = directory.resolve(name);
        for (int length = 0; length < whole.length; length += length < whole.length - 32 ? 127 : 1) {
            byte[] bytes = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> rows(name, bytes))
                    .as(length + " bytes")
                    .isInstanceOf(OverdriveException.class)
                    .hasMessageStartingWith(part.toString());
        }
    }

    /** Values of a damaged file may be others, but no row is missing. */
    @ParameterizedTest
    @ValueSource(strings = {"types.arrow", "types.arrows", "zstd.arrow"})
    @OneCaseIn(3)
    void aWrongByteIsAnErrorOrAnotherValue(String name) throws IOException {
        byte[] whole = Files.readAllBytes(file(name));
        Path damaged = directory.resolve(name);
        int refused = 0;
        for (int at = 0; at < whole.length; at += 29) {
            byte[] bytes = whole.clone();
            bytes[at] ^= (byte) (1 << at % 8);
            try {
                assertThat(rows(name, bytes)).as("byte " + at).hasSize(3);
            } catch (OverdriveException e) {
                assertThat(e.kind()).isEqualTo(OverdriveException.Kind.INPUT);
                assertThat(e).hasMessageStartingWith(damaged.toString());
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(50);
    }

    @Test
    void streamsInSequenceAreRefusedInsteadOfTheFirstOneRead() throws IOException {
        byte[] stream = Files.readAllBytes(file("types.arrows"));
        Path both = Files.write(directory.resolve("both.arrows"), stream);
        Files.write(both, stream, StandardOpenOption.APPEND);
        assertThatThrownBy(() -> rows(both))
                .hasMessage(both + " after batch 1: cannot be read: bytes follow its end mark: give each of several"
                        + " streams a separate file; the file is truncated or damaged. Records before this place were"
                        + " read");
    }

    @Test
    void continuedDictionariesAreRefused() {
        assertThatThrownBy(() -> rows("delta.arrows"))
                .hasMessageStartingWith(file("delta.arrows")
                        + " after batch 1: cannot be read: it has a dictionary that is continued, which is not read:"
                        + " write the file with whole dictionaries");
    }

    @Test
    void aTableGetsTheTypesOfTheFile() {
        Map<String, String> types = new TreeMap<>();
        for (ColumnType type : header("types.arrow").columns()) {
            types.put(type.name(), type.cql());
        }
        assertThat(types)
                .containsEntry("u8", "smallint")
                .containsEntry("u64", "varint")
                .containsEntry("half", "float")
                .containsEntry("number", "double")
                .containsEntry("s", "timestamp")
                .containsEntry("months", "duration")
                .containsEntry("word", "text")
                .containsEntry("d128", "decimal")
                .containsEntry("words", "list<text>")
                .containsEntry("fixed", "vector<float, 2>")
                .containsEntry("map", "map<text, int>");
        assertThat(header("types.arrow").columns().stream()
                        .filter(ColumnType::isUserDefined)
                        .map(ColumnType::name))
                .containsExactly("struct");
    }

    private static FileHeader header(String name) {
        try (InputReader reader = new InputReader(
                List.of(InputFile.of(file(name))), InputFormat.builder().build())) {
            Block block = reader.next();
            return block == null ? fail() : block.header();
        }
    }

    private static FileHeader fail() {
        throw new AssertionError("no block");
    }

    /** The text of the first row's value in a column of another type, or why there is none. */
    private static String as(String column, int row, DataType type) {
        List<String> results = new ArrayList<>();
        List<ColumnType> columns = header("types.arrow").columns();
        int wanted = columns.stream().map(ColumnType::name).toList().indexOf(column);
        ValueText text = ValueText.of(type, ValueFormat.DEFAULT);
        CellReader cells = CellReader.of(columns.get(wanted), type, text, ValueFormat.DEFAULT);
        RecordParser parser = new RecordParser();
        try (InputReader reader = new InputReader(
                List.of(InputFile.of(file("types.arrow"))),
                InputFormat.builder().build())) {
            for (Block block = reader.next(); block != null; block = reader.next()) {
                parser.parse(block, new IgnoringHandler() {
                    @Override
                    public void field(int index, Column values, int at) {
                        if (index == wanted) {
                            results.add(values.isNull(at) ? "null" : read(cells, text, values, at));
                        }
                    }
                });
            }
        }
        return results.get(row);
    }

    private static String read(CellReader cells, ValueText text, Column values, int row) {
        Bytes value = new Bytes(16);
        try {
            cells.read(values, row, value);
        } catch (BadValueException e) {
            return String.valueOf(e.getMessage());
        }
        Bytes out = new Bytes(16);
        text.write(value.array(), 0, value.length(), out);
        return new String(out.toByteArray(), StandardCharsets.UTF_8);
    }

    @Test
    void valuesAreConvertedIfNothingIsLost() {
        assertThat(as("id", 0, DataTypes.BIGINT)).isEqualTo("1");
        assertThat(as("id", 0, DataTypes.TEXT)).isEqualTo("1");
        assertThat(as("id", 0, DataTypes.DECIMAL)).isEqualTo("1");
        assertThat(as("id", 0, DataTypes.DOUBLE)).isEqualTo("1.0");
        assertThat(as("number", 2, DataTypes.INT)).isEqualTo("3");
        assertThat(as("number", 0, DataTypes.DECIMAL)).isEqualTo("0.1");
        assertThat(as("single", 0, DataTypes.DOUBLE)).isEqualTo("0.10000000149011612");
        assertThat(as("u64", 0, DataTypes.VARINT)).isEqualTo("18446744073709551615");
        assertThat(as("d128", 0, DataTypes.DOUBLE)).isEqualTo("1.5");
        assertThat(as("date32", 0, DataTypes.TIMESTAMP)).isEqualTo("2024-02-29T00:00:00Z");
        assertThat(as("s", 0, DataTypes.TEXT)).isEqualTo("2024-02-29T12:30:15Z");
        assertThat(as("us", 0, DataTypes.TEXT)).isEqualTo("2024-02-29T12:30:15Z");
        assertThat(as("us", 2, DataTypes.TEXT)).isEqualTo("2024-02-29T12:30:15.123456Z");
        assertThat(as("ns", 2, DataTypes.ASCII)).isEqualTo("2024-02-29T12:30:15.123456789Z");
        assertThat(as("word", 0, DataTypes.ASCII)).isEqualTo("x");
        assertThat(as("large", 0, DataTypes.BLOB)).startsWith("is blob");
        assertThat(as("list", 0, DataTypes.setOf(DataTypes.TEXT))).isEqualTo("{'1', '2'}");
        assertThat(as("list", 0, DataTypes.vectorOf(DataTypes.INT, 2))).isEqualTo("[1, 2]");
        assertThat(as("fixed", 0, DataTypes.listOf(DataTypes.DOUBLE))).isEqualTo("[1.0, 2.0]");
        assertThat(as("map", 0, DataTypes.mapOf(DataTypes.ASCII, DataTypes.BIGINT)))
                .isEqualTo("{'a': 1, 'b': 2}");
        assertThat(as("struct", 0, DataTypes.tupleOf(DataTypes.INT, DataTypes.TEXT)))
                .isEqualTo("(1, 'a')");
        assertThat(as("struct", 0, DataTypes.mapOf(DataTypes.TEXT, DataTypes.TEXT)))
                .isEqualTo("{'x': '1', 'y': 'a'}");
    }

    @Test
    void valuesAreRefusedIfSomethingWouldBeLost() {
        assertThat(as("us", 2, DataTypes.TIMESTAMP))
                .isEqualTo(
                        "is timestamp, which has milliseconds, and 2024-02-29T12:30:15.123456Z is finer; text keeps it");
        assertThat(as("us", 0, DataTypes.DATE)).isEqualTo("is date, got a time that is not the start of a day in UTC");
        assertThat(as("u64", 0, DataTypes.BIGINT))
                .isEqualTo("is bigint, but 18446744073709551615 is out of range (-9223372036854775808 to"
                        + " 9223372036854775807)");
        assertThat(as("u64", 0, DataTypes.DOUBLE))
                .isEqualTo("is double, which does not hold all digits of 18446744073709551615");
        assertThat(as("u64", 0, DataTypes.FLOAT))
                .isEqualTo("is float, which does not hold all digits of 18446744073709551615");
        assertThat(as("u8", 0, DataTypes.TINYINT)).isEqualTo("is tinyint, but 255 is out of range (-128 to 127)");
        assertThat(as("number", 0, DataTypes.FLOAT)).isEqualTo("is float, which does not hold all digits of 0.1");
        assertThat(as("number", 0, DataTypes.INT)).isEqualTo("is int, got 0.1");
        assertThat(as("d128", 0, DataTypes.INT)).isEqualTo("is int, got 1.50");
        assertThat(as("large", 0, DataTypes.ASCII)).isEqualTo("is ascii, but \"größe\" holds other characters");
        assertThat(as("bytes3", 0, DataTypes.UUID)).isEqualTo("is uuid, got 3 bytes");
        assertThat(as("list", 0, DataTypes.vectorOf(DataTypes.INT, 3))).isEqualTo("is vector<int, 3>, got 2 elements");
    }
}
