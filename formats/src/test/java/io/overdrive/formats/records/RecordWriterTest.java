package io.overdrive.formats.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.OverdriveException;
import io.overdrive.Seeds;
import io.overdrive.formats.records.OutputFormat.Kind;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.formats.text.RandomCells;
import io.overdrive.formats.text.RandomCells.Cell;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueFormat.BlobEncoding;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.MessageText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordWriterTest {
    private static final String NULL = "null";
    private static final ValueFormat BASE64 =
            ValueFormat.builder().blobEncoding(BlobEncoding.BASE64).build();

    private final Path directory;

    RecordWriterTest(@TempDir Path directory) {
        this.directory = directory;
    }

    @Test
    void quotesOnlyIfNecessary() {
        OutputFormat format = csv().comment('#').build();
        assertThat(texts(format, "a", "b c", "'e'", "#f")).isEqualTo("a,b c,'e',#f\n");
        assertThat(texts(format, "#a", "b,c", "d\"e", "f\ng", "h\ri"))
                .isEqualTo("\"#a\",\"b,c\",\"d\"\"e\",\"f\ng\",\"h\ri\"\n");
        assertThat(texts(format, "\ufeffa", "\ufeffb", "\uff21")).isEqualTo("\"\ufeffa\",\ufeffb,\uff21\n");
        assertThat(texts(csv().delimiter("::").build(), "a:b", "c")).isEqualTo("\"a:b\"::c\n");
        assertThat(texts(csv().delimiter("\\t").build(), "a,b", "c\t")).isEqualTo("a,b\t\"c\t\"\n");
    }

    /** A reader may leave out spaces of any width that are not in quotes. */
    @Test
    void quotesTextWithSpacesAtItsEnds() {
        assertThat(texts(csv().build(), " a", "b ", "   ", "c\t", "d e", "é"))
                .isEqualTo("\" a\",\"b \",\"   \",\"c\t\",d e,é\n");
        for (char c = 1; c < Character.MIN_SURROGATE; c++) {
            String text = texts(csv().build(), c + "x", "x" + c, "y");
            if (ValueText.isAnySpace(c)) {
                assertThat(text).isEqualTo("\"" + c + "x\",\"x" + c + "\",y\n");
            }
        }
        String others = "\u00e9x,x\u00e9,\ud83d\ude00";
        assertThat(texts(csv().build(), others.split(","))).isEqualTo(others + "\n");
        assertThat(texts(csv().quote(null).build(), " a ")).isEqualTo(" a \n");
    }

    @Test
    void distinguishesEmptyTextFromMissingText() {
        assertThat(texts(csv().build(), "", null, "NULL", "x")).isEqualTo("\"\",,NULL,x\n");
        assertThat(texts(csv().nullWord("NULL").build(), "", null, "NULL", "NULLS"))
                .isEqualTo("\"\",NULL,\"NULL\",NULLS\n");
    }

    /** Readers take some words for null in other columns than text, even in quotes. */
    @Test
    void putsASpaceBehindValuesThatLookLikeNull() {
        Bytes out = new Bytes(64);
        List<DataType> types = List.of(DataTypes.BLOB, DataTypes.BLOB, DataTypes.INT, DataTypes.INT);
        OutputFormat format = csv().nullWord("0").build();
        RecordWriter writer = RecordWriter.of(format, names(4), types, BASE64);
        byte[][] cells = {{(byte) 0x9e, (byte) 0xe9, 0x65}, {}, {0, 0, 0, 0}, {0, 0, 0, 10}};
        write(writer, Arrays.asList(cells), out);
        assertThat(string(out)).isEqualTo("null , ,0 ,10\n");
    }

    @Test
    void escapesIfThereIsAnEscapeCharacter() {
        assertThat(texts(csv().escape('\\').build(), "a\\b", "c\"d", "e\nf", "g"))
                .isEqualTo("\"a\\\\b\",\"c\\\"d\",\"e\nf\",g\n");
        OutputFormat bare = csv().quote(null).escape('\\').comment('#').build();
        assertThat(texts(bare, "#a\\b", "c\"d", "e\nf\rg", "h,i", "#")).isEqualTo("\\#a\\\\b,c\"d,e\\nf\\rg,h\\,i,#\n");
        assertThat(texts(csv().quote(null).escape('\\').delimiter("\u00e9").build(), "\u00e8\u00e9", "x"))
                .isEqualTo("\u00e8\\\u00e9\u00e9x\n");
        assertThatThrownBy(() -> texts(bare, ""))
                .hasMessage(
                        "column \"a\" is text, but \"\" needs quotes," + " and there is no quote character; give one");
    }

    @Test
    void refusesValuesThatNeedQuotesIfThereAreNone() {
        OutputFormat format = csv().quote(null).nullWord("-").build();
        assertThat(texts(format, "a", "\"b\"", null, "#")).isEqualTo("a,\"b\",-,#\n");
        for (String bad : List.of("a,b", "a\nb", "\r", "-", "")) {
            assertThatThrownBy(() -> texts(format, "x", bad))
                    .isInstanceOf(BadValueException.class)
                    .hasMessageStartingWith("column \"b\" is text, but \"")
                    .hasMessageEndingWith("\" needs quotes, and there is no quote character; give one");
        }
        RecordWriter writer = RecordWriter.of(
                csv().header(true).quote(null).build(), List.of("a,b"), List.of(DataTypes.TEXT), ValueFormat.DEFAULT);
        assertThatThrownBy(() -> writer.header(new Bytes(8)))
                .isInstanceOf(OverdriveException.class)
                .hasMessage("the name of column \"a,b\" is text, but \"a,b\" needs quotes,"
                        + " and there is no quote character; give one");
    }

    @Test
    void writesAHeaderThatIsReadBackAsTheNames() {
        List<String> names = List.of("plain", "Latin Name", "say \"hi\"", "a,b", "#");
        List<DataType> types = List.of(DataTypes.INT, DataTypes.INT, DataTypes.INT, DataTypes.INT, DataTypes.INT);
        Bytes out = new Bytes(8);
        RecordWriter.of(csv().header(true).build(), names, types, ValueFormat.DEFAULT)
                .header(out);
        assertThat(string(out)).isEqualTo("plain,Latin Name,\"say \"\"hi\"\"\",\"a,b\",#\n");
        out.clear();
        RecordWriter.of(csv().build(), names, types, ValueFormat.DEFAULT).header(out);
        assertThat(string(out)).isEmpty();
    }

    @Test
    void writesJsonLines() {
        List<String> names = List.of("id", "say \"hi\"", "n");
        List<DataType> types = List.of(DataTypes.INT, DataTypes.TEXT, DataTypes.DOUBLE);
        Bytes out = new Bytes(8);
        RecordWriter writer =
                RecordWriter.of(OutputFormat.builder(Kind.JSON).build(), names, types, ValueFormat.DEFAULT);
        writer.header(out);
        write(writer, Arrays.asList(new byte[] {0, 0, 0, 1}, utf8("a\nb"), null), out);
        write(writer, Arrays.asList(null, utf8(""), new byte[8]), out);
        write(writer, Arrays.asList(null, null, null), out);
        assertThat(string(out))
                .isEqualTo("{\"id\":1,\"say \\\"hi\\\"\":\"a\\nb\"}\n{\"say \\\"hi\\\"\":\"\",\"n\":0.0}\n{}\n");
        out.clear();
        RecordWriter withNulls = RecordWriter.of(
                OutputFormat.builder(Kind.JSON).writeNulls(true).build(), names, types, ValueFormat.DEFAULT);
        write(withNulls, Arrays.asList(null, null, new byte[8]), out);
        assertThat(string(out)).isEqualTo("{\"id\":null,\"say \\\"hi\\\"\":null,\"n\":0.0}\n");
        assertThatThrownBy(() -> write(writer, Arrays.asList(new byte[3], null, null), out))
                .isInstanceOf(BadValueException.class)
                .hasMessage("column \"id\" is int, got 3 bytes");
    }

    @Test
    void refusesFormatsThatCannotBeRead() {
        assertThatThrownBy(() -> csv().quote(',').build()).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> csv().nullWord("a,b").build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("nullWord is \"a,b\", must not need quotes");
        assertThatThrownBy(() -> csv().escape('n').build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "escape is \"n\", must not be one of the letters r, n, t, b, f, which have a meaning after an"
                                + " escape character");
        assertThatThrownBy(() -> csv().quote(null).delimiter("::").build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("delimiter is \"::\", must be one character if there is no quote character");
        assertThat(csv().escape('"').build().escape()).isNull();
    }

    @Test
    void writesCsvThatIsReadBackAsTheSameRows() {
        Seeds.times(600, random -> {
            OutputFormat format = randomFormat(random);
            if (format != null) {
                assertRoundTrip(format, random.nextInt(4) == 0 ? BASE64 : ValueFormat.DEFAULT, random);
            }
        });
    }

    @Test
    void writesJsonThatIsReadBackAsTheSameRows() {
        Seeds.times(200, random -> {
            OutputFormat format = OutputFormat.builder(Kind.JSON)
                    .writeNulls(random.nextBoolean())
                    .build();
            assertRoundTrip(format, random.nextInt(4) == 0 ? BASE64 : ValueFormat.DEFAULT, random);
        });
    }

    /** Keys of a map are names, of which Jackson reads 50,000 characters by default. */
    @Test
    void writesLongKeysOfMapsThatCanBeRead() throws IOException {
        DataType type = DataTypes.mapOf(DataTypes.TEXT, DataTypes.INT);
        Bytes map = new Bytes(64);
        map.putInt(1);
        map.putInt(100_000);
        map.put(utf8("x".repeat(100_000)));
        map.putInt(4);
        map.putInt(7);
        assertRoundTrip(
                OutputFormat.builder(Kind.JSON).build(),
                ValueFormat.DEFAULT,
                List.of(type),
                List.of(List.of(map.toByteArray())));
    }

    /** Null where the characters drawn do not go together. */
    private static @Nullable OutputFormat randomFormat(Random random) {
        try {
            return csv().header(random.nextBoolean())
                    .delimiter(one(random, ",", ",", ";", "\t", "::", "\u00e9", " ", "|", "1", "-", "'"))
                    .quote(character(random, "\"\"'1~"))
                    .escape(character(random, "~~\\!"))
                    .escaping(random.nextBoolean() ? InputFormat.Escaping.ANYWHERE : InputFormat.Escaping.IN_QUOTES)
                    .nesting(random.nextBoolean() ? OutputFormat.Nesting.CQL : OutputFormat.Nesting.JSON)
                    .comment(character(random, "~#-0"))
                    .nullWord(one(random, "", "", "NULL", "-", "0", "\\N"))
                    .build();
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static String one(Random random, String... choices) {
        return choices[random.nextInt(choices.length)];
    }

    /** One of the characters, where ~ is none. */
    private static @Nullable Character character(Random random, String choices) {
        char c = choices.charAt(random.nextInt(choices.length()));
        return c == '~' ? null : c;
    }

    private void assertRoundTrip(OutputFormat format, ValueFormat values, Random random) throws IOException {
        RandomCells cells = new RandomCells(random);
        List<DataType> types = new ArrayList<>();
        for (int i = random.nextInt(6); i >= 0; i--) {
            types.add(cells.type(random.nextInt(3)));
        }
        List<List<byte @Nullable []>> rows = new ArrayList<>();
        for (int i = random.nextInt(20); i >= 0; i--) {
            List<byte @Nullable []> row = new ArrayList<>();
            for (DataType type : types) {
                Cell cell = cells.cellOrNull(type);
                row.add(cell == null ? null : cell.bytes());
            }
            if (types.size() > 1 || row.get(0) != null) {
                rows.add(row);
            }
        }
        assertRoundTrip(format, values, types, rows);
    }

    private void assertRoundTrip(
            OutputFormat format, ValueFormat values, List<DataType> types, List<List<byte @Nullable []>> rows)
            throws IOException {
        RecordWriter writer = RecordWriter.of(format, names(types.size()), types, values);
        Bytes out = new Bytes(1);
        writer.header(out);
        List<List<String>> expected = new ArrayList<>();
        for (List<byte @Nullable []> row : rows) {
            int start = out.length();
            try {
                write(writer, row, out);
                expected.add(row.stream().map(RecordWriterTest::shown).toList());
            } catch (BadValueException e) {
                assertThat(format.quote()).as(e.getMessage()).isNull();
                out.truncate(start);
            }
        }
        Path file = Files.write(directory.resolve("records"), out.toByteArray());
        Cells read = new Cells(format, values, types);
        RecordParser parser = new RecordParser();
        try (InputReader reader = new InputReader(List.of(InputFile.of(file)), format.reader(), 4096)) {
            for (Block block = reader.next(); block != null; block = reader.next()) {
                parser.parse(block, read);
                if (format.header() && format.kind() == Kind.CSV) {
                    assertThat(block.header().names()).isEqualTo(names(types.size()));
                }
            }
        }
        assertThat(read.rows).as("%s %s: %s", format, types, string(out)).isEqualTo(expected);
    }

    private static String shown(byte @Nullable [] cell) {
        return cell == null ? NULL : HexFormat.of().formatHex(cell);
    }

    /** Reads as a load does. */
    private static final class Cells implements RecordHandler {
        private final List<List<String>> rows = new ArrayList<>();
        private final List<ValueText> parsers;
        private final List<NullWords> nulls;
        private final Bytes bytes = new Bytes(64);
        private final String[] row;

        Cells(OutputFormat format, ValueFormat values, List<DataType> types) {
            List<String> words = format.nullWord().isEmpty() ? List.of() : List.of(format.nullWord());
            parsers = types.stream().map(type -> ValueText.of(type, values)).toList();
            Set<DataType> texts = Set.of(DataTypes.TEXT, DataTypes.ASCII);
            nulls = types.stream()
                    .map(type -> texts.contains(type) ? NullWords.forText(words) : NullWords.forOthers(words))
                    .toList();
            row = new String[types.size()];
        }

        @Override
        public void begin(Block block, long line, long position) {
            Arrays.fill(row, NULL);
        }

        @Override
        public void field(int index, char[] chars, int from, int to, boolean quoted) {
            if (!nulls.get(index).matches(chars, from, to, quoted)) {
                bytes.clear();
                parsers.get(index).parse(chars, from, to, bytes);
                row[index] = shown(bytes.toByteArray());
            }
        }

        @Override
        public void field(String name, JsonParser json) throws IOException {
            if (json.currentToken() != JsonToken.VALUE_NULL) {
                int index = name.charAt(0) - 'a';
                bytes.clear();
                parsers.get(index).parse(json, bytes);
                row[index] = shown(bytes.toByteArray());
            }
        }

        @Override
        public void end(int fieldCount) {
            rows.add(List.of(row));
        }

        @Override
        public void malformed(Block block, long line, long position, byte[] raw, MessageText reason) {
            throw new AssertionError(
                    "line " + line + ": " + reason.inJava() + ": " + new String(raw, StandardCharsets.UTF_8));
        }
    }

    private static OutputFormat.Builder csv() {
        return OutputFormat.builder(Kind.CSV).header(false);
    }

    private static List<String> names(int count) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            names.add(String.valueOf((char) ('a' + i)));
        }
        return names;
    }

    private static String texts(OutputFormat format, @Nullable String... texts) {
        List<DataType> types = new ArrayList<>();
        List<byte @Nullable []> cells = new ArrayList<>();
        for (String text : texts) {
            types.add(DataTypes.TEXT);
            cells.add(text == null ? null : utf8(text));
        }
        Bytes out = new Bytes(1);
        write(RecordWriter.of(format, names(texts.length), types, ValueFormat.DEFAULT), cells, out);
        return string(out);
    }

    private static void write(RecordWriter writer, List<byte @Nullable []> cells, Bytes out) {
        byte[] none = {};
        writer.begin(out);
        for (int i = 0; i < cells.size(); i++) {
            byte[] cell = cells.get(i);
            writer.cell(i, cell == null ? none : cell, 0, cell == null ? -1 : cell.length, out);
        }
        writer.end(out);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String string(Bytes out) {
        return new String(out.toByteArray(), StandardCharsets.UTF_8);
    }
}
