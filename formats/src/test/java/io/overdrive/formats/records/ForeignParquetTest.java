package io.overdrive.formats.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OneCaseIn;
import io.overdrive.OverdriveException;
import io.overdrive.formats.columns.ColumnType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that pyarrow and DuckDB have made, by {@code make.py} next to them. */
class ForeignParquetTest {
    private static final String FIRST =
            "{\"id\":1,\"u8\":255,\"u64\":18446744073709551615,\"i16\":-1,\"half\":1.5,\"single\":0.1,\"number\":0.1,\"yes\":true,"
                    + "\"nothing\":null,\"s\":\"2024-02-29T12:30:15Z\",\"us\":\"2024-02-29T12:30:15Z\","
                    + "\"ns\":\"2024-02-29T12:30:15.123Z\",\"date32\":\"2024-02-29\",\"date64\":\"2024-02-29\","
                    + "\"time32\":\"01:02:03\",\"time64\":\"01:02:03.000004\",\"elapsed\":1500,"
                    + "\"large\":\"größe\",\"view\":\"short\",\"blob\":\"0x00ff\","
                    + "\"bytes3\":\"0x616263\",\"word\":\"x\",\"d128\":1.50,\"d256\":100000000000000000000000000000000000000000000000000,"
                    + "\"list\":[1,2],\"words\":[\"x\",\"y\"],\"fixed\":[1.0,2.0],\"map\":{\"a\":1,\"b\":2},"
                    + "\"struct\":{\"x\":1,\"y\":\"a\"}}";

    private final Path directory;

    ForeignParquetTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private static Path file(String name) {
        return Path.of("src/test/resources/parquet", name);
    }

    /** The rows as JSON, as rejected ones are kept. */
    private static List<String> rows(Path file) {
        return Read.file(file, InputFormat.builder().build()).raws();
    }

    private List<String> rows(String name, byte[] content) throws IOException {
        return rows(Files.write(directory.resolve(name), content));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "none.parquet",
                "snappy.parquet",
                "gzip.parquet",
                "lz4.parquet",
                "zstd.parquet",
                "brotli.parquet",
                "encodings.parquet",
                "int96.pq"
            })
    void everyTypeIsRead(String name) {
        List<String> rows = rows(file(name));
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

    /** Lists and texts on many pages, and texts whose dictionary became too large. */
    @ParameterizedTest
    @ValueSource(strings = {"pages-1.0.parquet", "pages-2.0.parquet"})
    void rowsOnManyPagesAreRead(String name) {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 4000; i++) {
            String list = IntStream.range(0, i % 6).mapToObj(String::valueOf).collect(Collectors.joining(","));
            String deep = IntStream.range(0, i % 3)
                    .mapToObj(
                            j -> "{\"x\":" + j + ",\"y\":[" + String.join(",", Collections.nCopies(j, "\"a\"")) + "]}")
                    .collect(Collectors.joining(","));
            expected.add("{\"id\":" + i + ",\"word\":" + (i % 9 == 0 ? "null" : "\"word " + i % 7 + '"')
                    + ",\"text\":\"text " + i * i % 4001 + "\",\"list\":" + (i % 11 == 0 ? "null" : "[" + list + "]")
                    + ",\"deep\":[" + deep + "]}");
        }
        assertThat(rows(file(name))).isEqualTo(expected);
    }

    @Test
    void duckDbIsRead() {
        assertThat(rows(file("duckdb.parquet")))
                .containsExactly(
                        "{\"small\":1,\"huge\":5.0,\"span\":\"1y2d3s\","
                                + "\"id\":\"00112233-4455-6677-8899-aabbccddeeff\",\"ns\":\"2024-02-29T12:30:15.123Z\","
                                + "\"time\":\"12:30:15.500\",\"d4\":1.5,\"d18\":1.500,\"d38\":-12345678901234567890.5,"
                                + "\"word\":\"x\",\"lists\":[[1,null],[]],\"struct\":{\"a\":1,\"b\":[{\"c\":\"d\"}]},\"map\":{\"k\":[1,2]},\"blob\":\"0x6162\"}");
    }

    @Test
    void aFileWithoutRowsHasItsTypes() {
        assertThat(rows(file("empty.parquet"))).isEmpty();
        Map<String, String> types = new TreeMap<>();
        try (InputReader reader = new InputReader(
                List.of(InputFile.of(file("empty.parquet"))),
                InputFormat.builder().build())) {
            Block block = reader.next();
            for (ColumnType type :
                    block == null ? List.<ColumnType>of() : block.header().columns()) {
                types.put(type.name(), type.isUserDefined() ? "user-defined" : type.cql());
            }
        }
        assertThat(types)
                .containsEntry("u8", "smallint")
                .containsEntry("u64", "varint")
                .containsEntry("half", "float")
                .containsEntry("s", "timestamp")
                .containsEntry("d128", "decimal")
                .containsEntry("words", "list<text>")
                .containsEntry("map", "map<text, int>")
                .containsEntry("struct", "user-defined");
    }

    /** A file without an extension that is known is recognized by its first bytes. */
    @Test
    void aFileIsRecognizedByItsContent() throws IOException {
        assertThat(rows("rows", Files.readAllBytes(file("zstd.parquet")))).hasSize(3);
    }

    @Test
    void otherFilesAreRefused() throws IOException {
        byte[] whole = Files.readAllBytes(file("none.parquet"));
        byte[] encrypted = whole.clone();
        encrypted[3] = 'E';
        assertThatThrownBy(() -> rows("a.parquet", encrypted))
                .hasMessage(directory.resolve("a.parquet") + ": cannot be read: it is encrypted, which is not read");
        assertThatThrownBy(() -> rows("a.parquet", "a,b\n1,2\n".getBytes(StandardCharsets.UTF_8)))
                .hasMessage(directory.resolve("a.parquet")
                        + ": cannot be read: it is not in the format of Parquet: it does not begin with PAR1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"none.parquet", "zstd.parquet"})
    void aTruncatedFileIsAnErrorBeforeAnythingIsRead(String name) throws IOException {
        byte[] whole = Files.readAllBytes(file(name));
        for (int length = 0; length < whole.length; length += length < whole.length - 32 ? 127 : 1) {
            byte[] bytes = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> rows(name, bytes))
                    .as(length + " bytes")
                    .isInstanceOf(OverdriveException.class)
                    .hasMessageStartingWith(directory.resolve(name).toString());
        }
    }

    /** Values of a damaged file may be others, but no row is missing. */
    @ParameterizedTest
    @ValueSource(strings = {"none.parquet", "zstd.parquet", "encodings.parquet", "lz4.parquet", "brotli.parquet"})
    @OneCaseIn(5)
    void aWrongByteIsAnErrorOrAnotherValue(String name) throws IOException {
        byte[] whole = Files.readAllBytes(file(name));
        int refused = 0;
        for (int at = 0; at < whole.length; at += 13) {
            byte[] bytes = whole.clone();
            bytes[at] ^= (byte) (1 << at % 8);
            try {
                assertThat(rows(name, bytes)).as("byte " + at).hasSize(3);
            } catch (OverdriveException e) {
                assertThat(e.kind()).isEqualTo(OverdriveException.Kind.INPUT);
                assertThat(e).hasMessageStartingWith(directory.resolve(name).toString());
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(50);
    }

    /** The checksums of pages show any damage of values. */
    @Test
    void aPageWithAnotherChecksumIsRefused() throws IOException {
        byte[] bytes = Files.readAllBytes(file("encodings.parquet"));
        bytes[new String(bytes, StandardCharsets.ISO_8859_1).indexOf("shortlonger")] ^= 1;
        assertThatThrownBy(() -> rows("a.parquet", bytes))
                .hasMessage(directory.resolve("a.parquet")
                        + ": cannot be read: column \"view\" in row group 1: page 1 has another checksum than it says; the"
                        + " file is truncated or damaged. Records before this place were read");
    }
}
