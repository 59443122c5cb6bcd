package io.overdrive.formats.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.overdrive.OverdriveException;
import io.overdrive.formats.records.InputFormat.Escaping;
import io.overdrive.formats.records.Read.Rec;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CsvInputTest {
    private static final InputFormat NO_HEADER = csv().header(false).build();

    private final Path directory;

    CsvInputTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private static InputFormat.Builder csv() {
        return InputFormat.builder().kind(InputFormat.Kind.CSV);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "comma_in_quotes",
                "empty",
                "empty_crlf",
                "escaped_quotes",
                "json",
                "newlines",
                "newlines_crlf",
                "quotes_and_newlines",
                "simple",
                "simple_crlf",
                "utf8"
            })
    void readsAwkwardFilesOfOthers(String name) throws Exception {
        Path spectrum = Path.of(
                Objects.requireNonNull(getClass().getResource("/csv-spectrum")).toURI());
        List<List<String>> expected = new ArrayList<>();
        for (JsonNode row : Read.MAPPER.readTree(
                spectrum.resolve("json").resolve(name + ".json").toFile())) {
            List<String> fields = new ArrayList<>();
            row.forEach(each -> fields.add(each.asText()));
            expected.add(fields);
        }
        for (int blockBytes : new int[] {1, 7, 64, BlockReader.BLOCK_BYTES}) {
            Path file = spectrum.resolve("csvs").resolve(name + ".csv");
            Read read =
                    Read.all(List.of(InputFile.of(file)), InputFormat.builder().build(), blockBytes);
            assertThat(read.fields()).isEqualTo(expected);
        }
    }

    /** Its JSON has a different phone number, so it cannot be compared. */
    @Test
    void readsTheAwkwardFileWhoseJsonIsWrong() throws Exception {
        Path file =
                Path.of(Objects.requireNonNull(getClass().getResource("/csv-spectrum/csvs/location_coordinates.csv"))
                        .toURI());
        assertThat(Read.file(file, InputFormat.builder().build()).fields())
                .containsExactly(
                        List.of("2095257564", "37\uFFFD36'37.8\"N 121\uFFFD2'17.9\"W", "Modesto", "Stanislaus"));
    }

    @Test
    void takesTheHeaderOfEachFile() throws IOException {
        Path a = Files.writeString(directory.resolve("a.csv"), "id,\"na\nme\"\r\n1,x\r\n");
        Path b = Files.writeString(directory.resolve("b.tsv"), "name\tid\ny\t2");
        Path c = Files.writeString(directory.resolve("c.csv"), "id,name");
        Path d = Files.writeString(directory.resolve("d.csv"), "");
        List<InputFile> files = InputFiles.expand(List.of(a.toString(), b.toString(), c.toString(), d.toString()));

        Read read = Read.all(files, InputFormat.builder().build(), 16);

        assertThat(read.fields()).containsExactly(List.of("1", "x"), List.of("y", "2"));
        assertThat(read.headers).containsExactly(List.of("id", "na\nme"), List.of("name", "id"), List.of("id", "name"));
        assertThat(read.records).extracting(Rec::line).containsExactly(3L, 2L);
    }

    @Test
    void findsTheHeaderAfterSkippedLinesEmptyLinesAndComments() {
        InputFormat format = csv().skipLines(2).comment('#').build();
        String text = "Report \"of today\nby hand\n\n# columns\na,b\n# x\n1,2\n";
        for (int blockBytes = 1; blockBytes < 60; blockBytes++) {
            Read read = Read.text(directory, text, format, blockBytes);
            assertThat(read.fields()).containsExactly(List.of("1", "2"));
            assertThat(read.headers).contains(List.of("a", "b"));
            assertThat(read.records).extracting(Rec::line).containsExactly(7L);
        }
    }

    @Test
    void skipsAndBoundsRecords() {
        InputFormat format = csv().skipRecords(2).maxRecords(2).build();
        String text = "a\n1\n\n\"2\n2\"\n3\n\n\"4\n4\"\n5\n";
        for (int blockBytes = 1; blockBytes < 40; blockBytes++) {
            Read read = Read.text(directory, text, format, blockBytes);
            assertThat(read.fields()).containsExactly(List.of("3"), List.of("4\n4"));
            assertThat(read.records).extracting(Rec::line).containsExactly(6L, 8L);
        }
        assertThat(Read.text(directory, text, csv().maxRecords(0).build(), 8).records)
                .isEmpty();
        assertThat(Read.text(directory, text, csv().skipRecords(9).build(), 8).records)
                .isEmpty();
    }

    @Test
    void rejectsOnlyTheBadRecordAndSaysWhere() {
        String text = "1,a\n2,\"b\" c\n3,\"x\ny\"z,\"\n4,d\n5,\"e\n6,f\n";
        Read read = Read.text(directory, text, NO_HEADER, 1 << 10);
        assertThat(read.malformed()).extracting(Rec::raw).containsExactly("2,\"b\" c", "3,\"x\ny\"z,\"", "5,\"e\n6,f");
        assertThat(read.malformed()).extracting(Rec::line).containsExactly(2L, 3L, 6L);
        assertThat(read.malformed())
                .extracting(Rec::reason)
                .containsExactly(
                        "Unexpected character after closing quote: ' ' (0x20)",
                        "Unexpected character after closing quote: 'z' (0x7a); the record goes from line 3 to 4",
                        "Unclosed quoted field at end of input; the record goes from line 6 to 7");
        assertThat(read.records).extracting(Rec::position).containsExactly(0L, 1L, 2L, 3L, 4L);
        assertThat(read.fields()).contains(List.of("1", "a"), List.of("4", "d"));
    }

    @Test
    void distinguishesQuotedFromBare() {
        Read read = Read.text(directory, ",\"\",x,\"x\"\n", NO_HEADER, 64);
        assertThat(read.records.get(0).quoted()).containsExactly(false, true, false, true);
        Read escaped = Read.text(
                directory,
                ",\"\",x\\,,\"x\"\n",
                csv().header(false).escape('\\').build(),
                64);
        assertThat(escaped.records.get(0).quoted()).containsExactly(false, true, false, true);
        assertThat(escaped.records.get(0).fields()).containsExactly("", "", "x,", "x");
    }

    /** Files are as DSBulk and Spark write them: the escape character is one as others outside of quotes. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 64, 1 << 16})
    void readsAnEscapeCharacterThatCountsOnlyInQuotes(int blockBytes) {
        InputFormat format =
                csv().header(false).escape('\\').escaping(Escaping.IN_QUOTES).build();
        Read read = Read.text(
                directory,
                """
                1,C:\\new\\table
                2,"say \\"hi\\""
                3,"a\\\\\\"b"
                4,"a\\\\,b"
                5,ends\\
                6,"ends,\\\\"
                7,"line
                break \\n"
                8,""
                9,
                10,"both "" and \\""
                11,a "b" \\"c
                12,\\""",
                format,
                blockBytes);
        assertThat(read.malformed()).isEmpty();
        assertThat(read.fields())
                .containsExactly(
                        List.of("1", "C:\\new\\table"),
                        List.of("2", "say \"hi\""),
                        List.of("3", "a\\\"b"),
                        List.of("4", "a\\,b"),
                        List.of("5", "ends\\"),
                        List.of("6", "ends,\\"),
                        List.of("7", "line\nbreak \\n"),
                        List.of("8", ""),
                        List.of("9", ""),
                        List.of("10", "both \" and \""),
                        List.of("11", "a \"b\" \\\"c"),
                        List.of("12", "\\"));
        assertThat(read.records.get(7).quoted()).containsExactly(false, true);
        assertThat(read.records.get(8).quoted()).containsExactly(false, false);
    }

    @Test
    void namesTheDialectWhereARecordLooksLikeOneOfIt() {
        Read plain = Read.text(directory, "1,\"say \\\"hi\\\"\"\n", NO_HEADER, 64);
        assertThat(plain.malformed())
                .extracting(Rec::reason)
                .containsExactly(
                        "Unexpected character after closing quote: 'h' (0x68); if \\\" stands for a quote in this file,"
                                + " give the escape and escaping of dsbulk, spark or cqlsh, by the tool that wrote it");
    }

    /** It is not known whether the field ends with it, or with the escape character. */
    @Test
    void rejectsALastRecordWhoseLineEndIsEscaped() {
        InputFormat format = csv().header(false).escape('\\').build();
        Read read = Read.text(directory, "1,a\\\nb\n2,\\\n", format, 4);
        assertThat(read.records.get(0).fields()).containsExactly("1", "a\nb");
        assertThat(read.malformed()).extracting(Rec::raw).containsExactly("2,\\");
        assertThat(read.malformed())
                .extracting(Rec::reason)
                .containsExactly(
                        "The line end after the last record is escaped, so it is part of its last field; if \\ counts"
                                + " only in quotes in this file, give the escape and escaping of dsbulk or spark in place"
                                + " of escape");
    }

    @Test
    void readsQuotesAsTextIfThereIsNoQuoteCharacter() {
        Read read = Read.text(
                directory,
                "\"a,b\"\n\uFFFF,\"\n",
                csv().header(false).quote(null).build(),
                4);
        assertThat(read.fields()).containsExactly(List.of("\"a", "b\""), List.of("\uFFFF", "\""));
    }

    @ParameterizedTest
    @CsvSource({
        "UTF-16LE,mark",
        "UTF-16BE,mark",
        "UTF-32LE,mark",
        "UTF-32BE,mark",
        "UTF-8,mark",
        "UTF-16,",
        "UTF-16LE,",
        "windows-1252,",
        "ISO-8859-1,",
        "Shift_JIS,",
        "GB18030,",
        "IBM037,"
    })
    void readsEncodings(String encoding, String mark) {
        Charset charset = Charset.forName(encoding);
        boolean japanese = charset.newEncoder().canEncode('表');
        String text = "a;" + (japanese ? "表\"" : "é\"") + "\n\"x\n\";y\n";
        byte[] bytes = ((mark == null ? "" : "\uFEFF") + text).getBytes(charset);
        InputFormat format = csv().header(false)
                .delimiter(";")
                .encoding(mark == null ? charset : StandardCharsets.UTF_8)
                .build();
        for (int blockBytes : new int[] {1, 3, 64}) {
            Read read = Read.bytes(directory, "encoded", bytes, format, blockBytes);
            assertThat(read.malformed()).isEmpty();
            assertThat(read.fields()).containsExactly(List.of("a", japanese ? "表\"" : "é\""), List.of("x\n", "y"));
        }
    }

    /** The text would be names and values with a NUL after each character without a mark. */
    @Test
    void refusesUtf16WithoutAByteOrderMark() {
        for (Charset utf16 : new Charset[] {StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE}) {
            assertThatThrownBy(() -> Read.bytes(directory, "utf16", "id,v\n1,x\n".getBytes(utf16), csv().build(), 64))
                    .hasMessageEndingWith("utf16 is not UTF-8: it begins as " + utf16
                            + " does, without a byte order mark; give encoding " + utf16);
        }
    }

    /** An unload writes such text if it has NULs. */
    @Test
    void readsTextWithNulsThatBeginsAsUtf16Does() {
        for (String text : new String[] {"1\0002\000", "\0001\0002"}) {
            Read read = Read.bytes(
                    directory,
                    "nuls",
                    (text + ",x\ny,z\n").getBytes(StandardCharsets.UTF_8),
                    csv().header(false).build(),
                    64);
            assertThat(read.fields()).containsExactly(List.of(text, "x"), List.of("y", "z"));
        }
    }

    @Test
    void rejectsBytesThatAreInvalidInTheFilesEncoding() {
        byte[] utf16 = "a,b\nc,d\ne,f\n".getBytes(StandardCharsets.UTF_16LE);
        utf16[9] = (byte) 0xDC; // c becomes a lone low surrogate
        Read read = Read.bytes(
                directory,
                "a",
                utf16,
                csv().header(false).encoding(StandardCharsets.UTF_16LE).build(),
                64);
        assertThat(read.fields()).containsExactly(List.of("a", "b"), List.of(), List.of("e", "f"));
        assertThat(read.malformed().get(0).reason())
                .isEqualTo("contains bytes that are not valid text in the file's encoding");

        byte[] ascii = "a\né\nb\n".getBytes(StandardCharsets.ISO_8859_1);
        Read asAscii = Read.bytes(
                directory,
                "b",
                ascii,
                csv().header(false).encoding(StandardCharsets.US_ASCII).build(),
                64);
        assertThat(asAscii.fields()).containsExactly(List.of("a"), List.of(), List.of("b"));
    }

    /** The character is the byte 0xFF in Latin-1, which is -1. */
    @Test
    void readsEveryByteOfASingleByteEncodingAsText() {
        byte[] latin = "\u00FFa,\u00FF\"\n\u00FF\n".getBytes(StandardCharsets.ISO_8859_1);
        for (Character escape : new Character[] {null, '\\'}) {
            InputFormat format = csv().header(false)
                    .escape(escape)
                    .encoding(StandardCharsets.ISO_8859_1)
                    .build();
            assertThat(Read.bytes(directory, "a", latin, format, 4).fields())
                    .containsExactly(List.of("\u00FFa", "\u00FF\""), List.of("\u00FF"));
        }
    }

    @Test
    void keepsAReplacementCharacterThatIsInTheFile() {
        assertThat(Read.text(directory, "\uFFFD,b\n", NO_HEADER, 64).fields()).containsExactly(List.of("\uFFFD", "b"));
    }

    @Test
    void ignoresBytesThatAreNoTextInComments() {
        byte[] latin = "a\n# é\nb\n".getBytes(StandardCharsets.ISO_8859_1);
        Read read = Read.bytes(
                directory, "a", latin, csv().header(false).comment('#').build(), 64);
        assertThat(read.fields()).containsExactly(List.of("a"), List.of("b"));
        assertThat(read.records).extracting(Rec::line).containsExactly(1L, 3L);
    }

    @Test
    void stopsAtARecordThatIsTooLong() {
        String text = "a,b\n1,\"x\n" + "2,y\n".repeat(50);
        assertThatThrownBy(() ->
                        Read.text(directory, text, csv().maxRecordBytes(64).build(), 32))
                .isInstanceOf(OverdriveException.class)
                .hasMessage(
                        "%s line 2: the record that starts here is longer than 64 bytes (maxRecordBytes); is a quote"
                                + " not closed? If quotes are not special in this file, load it with quote ''",
                        directory.resolve("input"));
    }

    /** Whatever the size of a block, a record of at most that many bytes with its line end is read, and no longer one. */
    @Test
    void takesNoRecordAboveTheMaximumSize() {
        for (int blockBytes : new int[] {1, 32, 90, BlockReader.BLOCK_BYTES}) {
            for (int length = 30; length <= 240; length++) {
                String text = "1\n2\n" + "x".repeat(length - 1) + "\n3\n";
                InputFormat format = csv().header(false).maxRecordBytes(100).build();
                if (length <= 100) {
                    assertThat(Read.text(directory, text, format, blockBytes).fields())
                            .hasSize(4);
                } else {
                    assertThatThrownBy(() -> Read.text(directory, text, format, blockBytes))
                            .as("%s bytes in blocks of %s", length, blockBytes)
                            .isInstanceOf(OverdriveException.class)
                            .hasMessageContaining("input line 3: the record that starts here is longer than 100 bytes"
                                    + " (maxRecordBytes)");
                }
            }
        }
    }

    @Test
    void saysWhichHeaderIsBad() {
        assertThatThrownBy(() -> Read.text(directory, "\n\"a\"b\n1\n", csv().build(), 32))
                .isInstanceOf(OverdriveException.class)
                .hasMessage(
                        "%s line 2: the header cannot be read: Unexpected character after closing quote: 'b' (0x62)",
                        directory.resolve("input"));
    }

    @Test
    void letsExceptionsOfTheHandlerThrough() throws IOException {
        Path file = Files.writeString(directory.resolve("a.csv"), "1\n2\n");
        try (InputReader reader = new InputReader(List.of(InputFile.of(file)), NO_HEADER)) {
            Block block = Objects.requireNonNull(reader.next());
            RuntimeException thrown = new IllegalStateException("by the handler");
            assertThatThrownBy(() -> new RecordParser().parse(block, new IgnoringHandler() {
                        @Override
                        public void end(int fieldCount) {
                            throw thrown;
                        }
                    }))
                    .isSameAs(thrown);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "2000,y\"\n"})
    void aStrayQuoteAffectsOnlyOneRecord(String closing) {
        StringBuilder text = new StringBuilder("id,t\n1,\"two\nlines\",\"oops\n");
        for (int i = 4; i < 2000; i++) {
            text.append(i).append(",x\n");
        }
        text.append(closing);
        for (int blockBytes : new int[] {64, 5_000, BlockReader.BLOCK_BYTES}) {
            Read read = Read.text(directory, text.toString(), csv().build(), blockBytes);
            assertThat(read.malformed()).hasSize(1);
            Rec bad = read.malformed().get(0);
            assertThat(bad.raw()).isEqualTo("1,\"two\nlines\",\"oops");
            assertThat(bad.line()).isEqualTo(2);
            assertThat(bad.reason())
                    .isEqualTo("the quote that opens on line 3 is not closed within 1000 lines, so reading resumed at"
                            + " line 4; if the field really has more lines, raise maxFieldLines; if quotes are not"
                            + " special in this file, load it with quote ''");
            assertThat(read.fields()).hasSize(closing.isEmpty() ? 1997 : 1998);
            assertThat(read.fields().get(1)).containsExactly("4", "x");
            assertThat(read.records.get(1).line()).isEqualTo(4);
            assertThat(read.records.get(1996).line()).isEqualTo(1999);
            assertThat(read.records.get(1996).position()).isEqualTo(1996);
        }
    }

    @Test
    void aFieldMayHaveAsManyLinesAsTheMaximum() {
        String text = "1,\"" + "x\n".repeat(1000) + "\"\n2,\"" + "x\n".repeat(1001) + "\"\n";
        Read read = Read.text(directory, text, NO_HEADER, BlockReader.BLOCK_BYTES);
        assertThat(read.fields().get(0)).containsExactly("1", "x\n".repeat(1000));
        assertThat(read.malformed().get(0).raw()).isEqualTo("2,\"x");
        read = Read.text(
                directory, text, csv().header(false).maxFieldLines(1001).build(), BlockReader.BLOCK_BYTES);
        assertThat(read.malformed()).isEmpty();
        assertThat(read.fields().get(1)).containsExactly("2", "x\n".repeat(1001));
    }

    @Test
    void saysHowManyLinesARejectedRecordTook() {
        Read read = Read.text(directory, "1,x\n2,\"y\n3,z\n4,z\n", NO_HEADER, BlockReader.BLOCK_BYTES);
        assertThat(read.malformed().get(0).reason()).endsWith("at end of input; the record goes from line 2 to 4");
    }

    /** A position is a microsecond of write time, so that line ends within records would push it into the future. */
    @ParameterizedTest
    @ValueSource(strings = {",", "::"})
    void positionsCountRecordsAndNotTheirLines(String delimiter) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 300; i++) {
            text.append(i)
                    .append(delimiter)
                    .append('"')
                    .append("line\r\n\n\r".repeat(50))
                    .append("\"\n");
        }
        InputFormat format = csv().header(false).delimiter(delimiter).build();
        for (int blockBytes : new int[] {64, 5_000, BlockReader.BLOCK_BYTES}) {
            Read read = Read.text(directory, text.toString(), format, blockBytes);
            assertThat(read.records).hasSize(300);
            assertThat(read.records.get(299).position()).isEqualTo(299);
            assertThat(read.records.get(299).line()).isEqualTo(299 * 151 + 1);
        }
    }

    @Test
    void countsLineEndsOfAllKinds() {
        for (String text :
                List.of("", "\n", "\r", "\r\n", "a\r\nb\rc\nd", "1234567\r\n", "\r\r\n\n\r\n\r\r\r\r\n\n\n\r\n")) {
            for (int pad = 0; pad < 17; pad++) {
                byte[] bytes = ("x".repeat(pad) + text + "y".repeat(pad)).getBytes(StandardCharsets.US_ASCII);
                int expected = ("x".repeat(pad) + text + "y").split("\r\n|\r|\n", -1).length - 1;
                assertThat(ByteScan.countLineEnds(bytes, 0, bytes.length)).isEqualTo(expected);
            }
        }
    }

    @Test
    void expectsTheRecordsOfAllFilesFromTheirFirstBlocks() throws IOException {
        List<InputFile> files = new ArrayList<>();
        for (String name : List.of("expected-a.csv", "expected-b.csv")) {
            Path file = directory.resolve(name);
            Files.writeString(file, "id,name\n" + "1234,some name of a person\n".repeat(2000));
            files.add(InputFile.of(file));
        }
        try (InputReader reader = Read.reader(files, InputFormat.builder().build(), 2048)) {
            assertThat(reader.expectedPositions()).isZero();
            while (reader.next() != null) {
                // far less than a file is cut, though all of it is read
                assertThat(reader.expectedPositions()).isBetween(3900L, 4100L);
            }
            assertThat(reader.expectedPositions()).isEqualTo(4000);
        }
    }
}
