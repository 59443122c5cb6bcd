package io.overdrive.jobs.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.OverdriveException;
import io.overdrive.formats.columns.ColumnBuilder.Decimals;
import io.overdrive.formats.records.Compression;
import io.overdrive.formats.records.InputFile;
import io.overdrive.formats.records.OutputFormat;
import io.overdrive.formats.records.Read;
import io.overdrive.formats.records.RecordWriter;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.jobs.expression.Assignments;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SchemaGuessTest {
    private final Path directory;

    SchemaGuessTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private Loads file(String name, String... lines) {
        return new Loads(directory).file(name, lines);
    }

    private Map<String, String> csv(String... lines) {
        return SchemaGuess.read(file("x.csv", lines).options(), Map.of(), List.of())
                .columns();
    }

    private Map<String, String> json(String... lines) {
        return SchemaGuess.read(file("x.jsonl", lines).options(), Map.of(), List.of())
                .columns();
    }

    /** The type of the one column that holds these values. */
    private String type(String... values) {
        return String.valueOf(
                csv(("x\n" + String.join("\n", values)).split("\n", -1)).get("x"));
    }

    /** The table would be created otherwise, and the load then fail. */
    @Test
    void checksExpressionsAgainstTheTypesOfTheNewTable() {
        LoadOptions.Builder load =
                LoadOptions.of(List.of(InputFile.of(new Loads(directory).write("set.csv", "id,n\n1,2\n"))));
        LoadOptions wrong = load.set(Assignments.parse(List.of("t = n + 1"))).build();
        assertThatThrownBy(() -> SchemaGuess.read(wrong, Map.of("t", "text"), List.of("id")))
                .hasMessage("set \"t = n + 1\": at position 7, column \"t\" is text, and the expression gives bigint:"
                        + " text(…) makes one of it");
        assertThat(SchemaGuess.read(wrong, Map.of("t", "bigint"), List.of("id")).columns())
                .containsEntry("t", "bigint");
        assertThat(SchemaGuess.read(wrong, Map.of("t", "frozen<mine>"), List.of("id"))
                        .columns())
                .containsEntry("t", "frozen<mine>");
        LoadOptions unknown =
                load.set(Assignments.parse(List.of("t = upper(m)"))).build();
        assertThatThrownBy(() -> SchemaGuess.read(unknown, Map.of("t", "text"), List.of("id")))
                .hasMessageContaining("there is no column \"m\"");
    }

    @Test
    void keepsTheOrderOfTheFields() {
        assertThat(csv("b,A,c d", "1,x,true"))
                .containsExactly(entry("b", "int"), entry("a", "text"), entry("c d", "boolean"));
    }

    @Test
    void columnarFilesSayTheirTypes() throws IOException {
        Path file = directory.resolve("x.arrow");
        try (InputStream in = Objects.requireNonNull(Read.class.getResourceAsStream("/arrow/types.arrow"))) {
            Files.copy(in, file);
        }
        Loads loads = new Loads(directory).file(file);
        assertThatThrownBy(() -> SchemaGuess.read(loads.options(), Map.of(), List.of()))
                .hasMessageContaining(
                        "struct contains values with fields, which need a user-defined type, a tuple or a map")
                .hasMessageContaining("types \"struct frozen<my_type>\"");
        SchemaGuess guess = SchemaGuess.read(loads.options(), Map.of("struct", "tuple<int, text>"), List.of("yes"));
        assertThat(guess.columns())
                .containsEntry("u64", "varint")
                .containsEntry("map", "map<text, int>")
                .containsEntry("struct", "tuple<int, text>")
                .containsEntry("nothing", "text");
        assertThat(guess.emptyColumns()).isEmpty();
        assertThat(guess.records()).isEqualTo(3);
    }

    @Test
    void aGivenTypeIsTakenWhereColumnarFilesDisagree() throws IOException {
        Loads loads = new Loads(directory)
                .file(withOneColumn("a.arrows", DataTypes.INT, 1))
                .file(withOneColumn("b.arrows", DataTypes.TEXT, 1));
        assertThatThrownBy(() -> SchemaGuess.read(loads.options(), Map.of(), List.of()))
                .hasMessage(directory.resolve("b.arrows")
                        + ": column \"x\" is text, and int in the files before: give its type with types");
        assertThat(SchemaGuess.read(loads.options(), Map.of("x", "text"), List.of())
                        .columns())
                .containsExactly(entry("x", "text"));
    }

    @Test
    void aColumnarFileHasTypesWithoutARow() throws IOException {
        Loads loads = new Loads(directory).file(withOneColumn("none.arrows", DataTypes.TIMESTAMP, 0));
        SchemaGuess guess = SchemaGuess.read(loads.options(), Map.of(), List.of("x"));
        assertThat(guess.columns()).containsExactly(entry("x", "timestamp"));
        assertThat(guess.records()).isZero();
        assertThat(SchemaGuess.columnNames(loads.options())).containsExactly("x");
    }

    /** A stream of Arrow with one column. */
    private Path withOneColumn(String name, DataType type, int rows) throws IOException {
        OutputFormat format = OutputFormat.builder(OutputFormat.Kind.ARROW)
                .batches(new OutputFormat.Batches(/* isStream */ true, Compression.NONE, Decimals.TEXT))
                .build();
        RecordWriter writer = RecordWriter.of(format, List.of("x"), List.of(type), ValueFormat.DEFAULT);
        Bytes out = new Bytes(256);
        writer.header(out);
        for (int i = 0; i < rows; i++) {
            writer.begin(out);
            writer.cell(0, "1234".getBytes(StandardCharsets.UTF_8), 0, 4, out);
            writer.end(out);
        }
        writer.complete(out);
        writer.footer(/* file */ null, 0, out);
        return Files.write(directory.resolve(name), out.toByteArray());
    }

    @Test
    void integersAreIntIfThereIsRoomToGrow() {
        assertThat(type("1", "-20", "0")).isEqualTo("int");
        assertThat(type("134217727")).isEqualTo("int");
        assertThat(type("134217728")).isEqualTo("bigint");
        assertThat(type("-134217728")).isEqualTo("bigint");
        assertThat(type("9223372036854775807")).isEqualTo("bigint");
        assertThat(type("1", "5000000000")).isEqualTo("bigint");
    }

    @Test
    void missingValuesDoNotCount() {
        assertThat(type("1", "NA", "", "NULL", "3")).isEqualTo("int");
        Loads loads = file("x.csv", "x", "1", "?", "2").nullWords("?");
        assertThat(SchemaGuess.read(loads.options(), Map.of(), List.of()).columns())
                .containsExactly(entry("x", "int"));
    }

    @Test
    void numbersWithAPointAreDouble() {
        assertThat(type("1", "2.5", "-1e10")).isEqualTo("double");
        assertThat(type("0.5")).isEqualTo("double");
    }

    /** The unit is that of other columns, whose type the user names. */
    @Test
    void numbersAreNoTimesWhateverTheirUnit() {
        ValueFormat seconds = ValueFormat.builder().epochUnit(TimeUnit.SECONDS).build();
        for (String number : List.of("01067", "+4930123456", "-007", "00.5", "1700000000")) {
            Loads loads = file("x.csv", "x", number, "1700000000").values(seconds);
            assertThat(SchemaGuess.read(loads.options(), Map.of(), List.of()).columns())
                    .as(number)
                    .containsExactly(entry("x", number.equals("1700000000") ? "bigint" : "text"));
        }
        Loads json = file("x.json", "{\"id\":\"12345\",\"at\":\"2024-01-05T10:00:00Z\"}")
                .values(seconds);
        assertThat(SchemaGuess.read(json.options(), Map.of(), List.of()).columns())
                .containsExactly(entry("id", "text"), entry("at", "timestamp"));
    }

    @Test
    void aLeadingZeroMakesText() {
        assertThat(type("01234", "99999")).isEqualTo("text");
        assertThat(type("-01")).isEqualTo("text");
        assertThat(type("0")).isEqualTo("int");
    }

    /** Header and values of such files are separated by a comma and a blank. */
    @Test
    void blanksBesideAValueMakeNoDifference() {
        assertThat(type(" 01234", " 99999")).isEqualTo("text");
        assertThat(type(" +4915112345678")).isEqualTo("text");
        assertThat(type("   1", "   0")).isEqualTo("int");
        assertThat(type(" 17 ")).isEqualTo("int");
        assertThat(type("     ", "1")).isEqualTo("text");
    }

    @Test
    void aPlusSignMakesText() {
        assertThat(type("+44", "+49")).isEqualTo("text");
        assertThat(type("+4915112345678", "1")).isEqualTo("text");
        assertThat(type("1e+10")).isEqualTo("double");
    }

    @Test
    void wholeNumbersThatBigintDoesNotHoldAreVarint() {
        assertThat(type("9223372036854775808", "1")).isEqualTo("varint");
        assertThat(type("18446744073709551615", "18446744073709551614")).isEqualTo("varint");
        assertThat(type("018446744073709551615")).isEqualTo("text");
    }

    @Test
    void numbersThatADoubleDoesNotKeepAreDecimalWithADecimalCommaToo() {
        for (String number : List.of("1,234567890123456789", "1.234.567,123456789012", "9007199254740993,5")) {
            Loads loads = file("x.csv", "x", '"' + number + '"', "\"1,5\"")
                    .values(ValueFormat.builder()
                            .decimalSeparator(',')
                            .groupingSeparator('.')
                            .build());
            assertThat(SchemaGuess.read(loads.options(), Map.of(), List.of()).columns())
                    .as(number)
                    .containsExactly(entry("x", "decimal"));
        }
        Loads loads = file("y.csv", "x", "\"1.234,5\"")
                .values(ValueFormat.builder()
                        .decimalSeparator(',')
                        .groupingSeparator('.')
                        .build());
        assertThat(SchemaGuess.read(loads.options(), Map.of(), List.of()).columns())
                .containsExactly(entry("x", "double"));
    }

    @Test
    void numbersThatADoubleDoesNotKeepAreDecimal() {
        assertThat(type("1.234567890123456789")).isEqualTo("decimal");
        assertThat(type("1.5", "9007199254740993")).isEqualTo("decimal");
        assertThat(type("1e400", "1")).isEqualTo("decimal");
        assertThat(type("1e-400", "1")).isEqualTo("decimal");
        assertThat(type("1.2345e-320", "1")).isEqualTo("decimal");
        assertThat(type("1.234567890123456789", "x")).isEqualTo("text");
    }

    @Test
    void aDoubleWithAnyNumberOfDigitsIsADouble() {
        for (double value : new double[] {0.1, 1 / 3.0, -2.5e-7, 123456.789, 1e22, 9007199254740991.0, 1e-300}) {
            assertThat(type(Double.toString(value), "1.5")).isEqualTo("double");
            for (int digits = 0; digits <= 25; digits++) {
                assertThat(type("%.{n}e".replace("{n}", digits + "").formatted(new BigDecimal(value)), "1.5"))
                        .isEqualTo("double");
            }
        }
    }

    @Test
    void timesFinerThanMillisecondsAreText() {
        assertThat(type("2013-01-31T10:11:12.123456Z")).isEqualTo("text");
        assertThat(type("2013-01-31 10:11:12.1231+01:00")).isEqualTo("text");
        assertThat(type("2013-01-31T10:11:12.123000Z", "2013-01-31 10:11:12.12"))
                .isEqualTo("timestamp");
    }

    @Test
    void timesWithAnOffsetAreText() {
        assertThat(type("2013-01-31T10:11:12+01:00")).isEqualTo("text");
        assertThat(type("2013-01-31 10:11:12 Europe/Berlin")).isEqualTo("text");
        assertThat(type("2013-01-31T10:11:12+00:00", "2013-01-31 10:11:12 UTC", "2013-01-31 10:11:12Z"))
                .isEqualTo("timestamp");
    }

    @Test
    void aWholeNumberWithTheSignOfZeroIsADouble() {
        assertThat(type("-0", "1")).isEqualTo("double");
    }

    @Test
    void timesByAPatternAreTimestamps() {
        Loads loads = file("x.csv", "x", "31.01.2013 10:11")
                .values(ValueFormat.builder()
                        .timestampPattern("dd.MM.yyyy HH:mm")
                        .build());
        assertThat(SchemaGuess.read(loads.options(), Map.of(), List.of()).columns())
                .containsExactly(entry("x", "timestamp"));
        Loads finer = file("y.csv", "x", "31.01.2013 10:11:12.1234")
                .values(ValueFormat.builder()
                        .timestampPattern("dd.MM.yyyy HH:mm:ss.SSSS")
                        .build());
        assertThat(SchemaGuess.read(finer.options(), Map.of(), List.of()).columns())
                .containsExactly(entry("x", "text"));
    }

    @Test
    void booleansAreWords() {
        assertThat(type("true", "FALSE")).isEqualTo("boolean");
        assertThat(type("0", "1")).isEqualTo("int");
        assertThat(type("t", "f")).isEqualTo("text");
    }

    @Test
    void datesTimestampsAndUuids() {
        assertThat(type("2013-01-31")).isEqualTo("date");
        assertThat(type("2013-01-31T10:11:12Z", "2013-01-31 10:11:12")).isEqualTo("timestamp");
        assertThat(type("2013-01-31", "2013-01-31T10:11:12Z")).isEqualTo("timestamp");
        assertThat(type("f81d4fae-7dec-11d0-a765-00a0c91e6bf6")).isEqualTo("uuid");
        assertThat(type("20130131")).isEqualTo("int");
        assertThat(type("2013-02-30")).isEqualTo("text");
        assertThat(type("2013-01-31", "2013-1-5")).isEqualTo("text");
        assertThat(type("2013-01-31 9:05:00")).isEqualTo("text");
    }

    @Test
    void mixedValuesAreText() {
        assertThat(type("1", "one")).isEqualTo("text");
        assertThat(type("true", "2013-01-01")).isEqualTo("text");
        assertThat(type("2013-01-01", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6")).isEqualTo("text");
    }

    @Test
    void aColumnWithoutAValueIsTextAndNamed() {
        SchemaGuess guess =
                SchemaGuess.read(file("x.csv", "id,Row Note,x", "1,,", "2,NA,7").options(), Map.of(), List.of());
        assertThat(guess.columns()).containsExactly(entry("id", "int"), entry("Row Note", "text"), entry("x", "int"));
        assertThat(guess.emptyColumns()).containsExactly("Row Note");
        SchemaGuess json = SchemaGuess.read(
                file("x.jsonl", "{\"id\": 1, \"note\": null, \"tags\": [], \"other\": null}")
                        .options(),
                Map.of("other", "int"),
                List.of());
        assertThat(json.columns())
                .containsExactly(
                        entry("id", "int"), entry("note", "text"), entry("tags", "list<text>"), entry("other", "int"));
        assertThat(json.emptyColumns()).containsExactly("note", "tags");
    }

    @Test
    void recordsWithTheKeyOfAnEarlierOneAreCounted() {
        Loads loads = file("x.csv", "a,b,c", "1,x,1", "1,y,2", "1,x,3", "2,x,4", "1,x,5", ",x,6", ",x,7");
        assertThat(SchemaGuess.read(loads.options(), Map.of(), List.of("a", "b"))
                        .repeatedKeys())
                .isEqualTo(2);
        assertThat(SchemaGuess.read(loads.options(), Map.of(), List.of("c")).repeatedKeys())
                .isZero();
        assertThat(SchemaGuess.read(loads.options(), Map.of(), List.of("a", "missing"))
                        .repeatedKeys())
                .isZero();
        Loads json = file("x.jsonl", "{\"a\": 1}", "{\"a\": 1}", "{\"b\": 2}", "{\"a\": null}");
        assertThat(SchemaGuess.read(json.options(), Map.of(), List.of("a")).repeatedKeys())
                .isEqualTo(1);
    }

    @Test
    void recordsThatCannotBeReadAreTheOneCause() throws IOException {
        Path file = directory.resolve("x.csv");
        String bad = "x.csv line 2: contains bytes that are not valid UTF-8; give the file's encoding with encoding";
        Files.writeString(file, "id,name\n1,Zo\u00eb\n2,M\u00fcller\n", StandardCharsets.ISO_8859_1);
        Loads loads = new Loads(directory).file(file);
        assertThatThrownBy(() -> SchemaGuess.read(loads.options(), Map.of(), List.of()))
                .hasMessageStartingWith("no record of the sample can be read: ")
                .hasMessageEndingWith(bad);
        Files.writeString(file, "id,name\n1,Zo\u00eb\n2,M\u00fcller\n3,x\n", StandardCharsets.ISO_8859_1);
        assertThatThrownBy(() -> SchemaGuess.read(loads.options(), Map.of(), List.of()))
                .hasMessageStartingWith("most records of the sample, 2 of 3, cannot be read: ")
                .hasMessageEndingWith(bad);
    }

    @Test
    void theProposedTypesHoldTheValuesSeen() {
        assertThatThrownBy(() -> json(
                        "{\"id\": 1, \"deep\": {\"x\": {\"y\": 1}}, \"n\": {\"x\": null}, \"mix\": {\"x\": 1, \"y\":"
                                + " \"z\"}, \"lists\": [[1]], \"either\": {\"x\": 1}, \"one\": [1]}",
                        "{\"id\": 2, \"either\": [{\"x\": 1}], \"one\": 1}"))
                .hasMessageEndingWith("give their types, for example with jsonText types \"deep text, n text, mix"
                        + " map<text, text>, lists text, either text, one text\"; jsonText keeps"
                        + " objects and lists of text columns as their JSON");
    }

    @Test
    void objectsAreTextIfTheirJsonIsKept() {
        Loads loads = file("x.jsonl", "{\"id\": 1, \"deep\": {\"x\": {\"y\": 1}}, \"lists\": [[1]], \"list\": [1]}")
                .values(ValueFormat.builder().jsonText(true).build());
        assertThat(SchemaGuess.read(loads.options(), Map.of(), List.of()).columns())
                .containsExactly(
                        entry("id", "int"), entry("deep", "text"), entry("lists", "text"), entry("list", "list<int>"));
    }

    @Test
    void aGivenTypeThatRejectsTheObjectsOfTheSampleIsRefused() {
        Loads loads = file("x.jsonl", "{\"id\": 1, \"tags\": {\"x\": 1}}");
        assertThatThrownBy(() -> SchemaGuess.read(loads.options(), Map.of("tags", "text static"), List.of()))
                .hasMessage(
                        "column tags is text static by types, but the sample has objects for it: jsonText keeps them"
                                + " as their JSON; or give it a map or a user-defined type");
        assertThatThrownBy(() -> SchemaGuess.read(loads.options(), Map.of("tags", "int"), List.of()))
                .hasMessageEndingWith("give it a map or a user-defined type, or text with jsonText");
        Loads kept = loads.values(ValueFormat.builder().jsonText(true).build());
        assertThat(SchemaGuess.read(kept.options(), Map.of("tags", "text"), List.of())
                        .columns())
                .containsEntry("tags", "text");
        assertThat(SchemaGuess.read(loads.options(), Map.of("tags", "frozen<u>"), List.of())
                        .columns())
                .containsEntry("tags", "frozen<u>");
    }

    @Test
    void anObjectAroundTheRecordsIsRecognized() {
        assertThatThrownBy(() -> json("{\"639-3\": [{\"a\": 1}, {\"a\": 2}]}"))
                .hasMessageContaining("; if the elements of this list are the records, take them out, for example with:"
                        + " jq -c '.[\"639-3\"][]' ");
    }

    @Test
    void doublesThatAreNotFiniteAreTextsInJson() {
        assertThat(json(
                        "{\"d\": \"NaN\", \"l\": [1, \"-Infinity\"], \"t\": \"NaN\"}",
                        "{\"d\": 1, \"l\": [], \"t\": \"x\"}"))
                .containsExactly(entry("d", "double"), entry("l", "list<double>"), entry("t", "text"));
    }

    @Test
    void undeterminedTypesAreThoseOfTheTableThatAQueryFeeds() {
        Loads loads = file("x.jsonl", "{\"id\": 1, \"t\": [1, \"x\"]}");
        Map<String, String> table = Map.of("id", "bigint", "t", "tuple<int, text>", "other", "int");
        assertThat(SchemaGuess.read(loads.options(), Map.of(), table, List.of()).columns())
                .containsExactly(entry("id", "int"), entry("t", "tuple<int, text>"));
    }

    @Test
    void allUndeterminedTypesAreReportedTogetherWithTheGivenOnes() {
        Loads loads = file(
                "x.jsonl",
                "{\"id\": 1, \"zip\": 1, \"tags\": {\"x\": 1}, \"o\": [{\"y\": 1}], \"m\": 1, \"e\": null}",
                "{\"id\": 2, \"m\": true}");
        assertThatThrownBy(() -> SchemaGuess.read(loads.options(), Map.of("zip", "text"), List.of()))
                .hasMessage("the first 2 records do not show the type of these 3 columns:\n"
                        + "  tags contains objects, which may be a map or a user-defined type\n"
                        + "  o contains objects, which may be a map or a user-defined type\n"
                        + "  m contains values of different types\n"
                        + "give their types, for example with types \"zip text, tags map<text, int>,"
                        + " o list<frozen<map<text, int>>>, m text\"");
    }

    @Test
    void anObjectOfObjectsIsNotARecord() {
        String members = IntStream.range(0, 1000)
                .mapToObj(i -> "\"m" + i + "\": {\"x\": 1}")
                .collect(Collectors.joining(", ", "{", "}"));
        assertThatThrownBy(() -> json(members))
                .hasMessage("the first record does not show the type of these 1000 columns:\n"
                        + IntStream.range(0, 10)
                                .mapToObj(i ->
                                        "  m" + i + " contains objects, which may be a map or a user-defined type\n")
                                .collect(Collectors.joining())
                        + "  and 990 more\n"
                        + "give their types with types, for example for the first of them with types \"m0"
                        + " map<text, int>\"; if these columns are really records, write each as a separate"
                        + " object");
    }

    @Test
    void unnamedFieldsGetAName() {
        SchemaGuess guess =
                SchemaGuess.read(file("x.csv", ",name,v,", "0,ab,1,", "1,cd,2,").options(), Map.of(), List.of());
        assertThat(guess.columns())
                .containsExactly(
                        entry("column_1", "int"), entry("name", "text"), entry("v", "int"), entry("column_4", "text"));
        assertThat(guess.generatedNames()).containsExactly(entry(1, "column_1"), entry(4, "column_4"));
        Loads mapped = file("x.csv", ",name,", "0,ab,1").map("0 = id, * = *");
        assertThat(SchemaGuess.read(mapped.options(), Map.of(), List.of()).generatedNames())
                .containsExactly(entry(3, "column_3"));
    }

    @Test
    void columnsAreThoseOfTheMapping() {
        Loads loads = file("x.csv", "User,Note,seen", "1,x,9")
                .map("user = id, 'web' = source, seen = writetime(), * = -note");
        assertThat(SchemaGuess.read(loads.options(), Map.of("source", "ascii"), List.of())
                        .columns())
                .containsExactly(entry("id", "int"), entry("source", "ascii"));
        assertThatThrownBy(() -> SchemaGuess.read(loads.options(), Map.of(), List.of()))
                .hasMessageContaining("\n  source is a constant\n")
                .hasMessageEndingWith("types \"source text\"");
    }

    @Test
    void fieldsThatWouldShareAColumnAreRefused() {
        assertThatThrownBy(() -> csv("id,a,a", "1,2,3"))
                .hasMessageEndingWith("fields \"a\" and \"a\" both go to column \"a\"; leave one of them out, or map it"
                        + " elsewhere, with mapping; the second one by its number: \"2 = NAME, * = *\"");
        assertThatThrownBy(() -> csv("id,a,A", "1,2,3")).hasMessageContaining("fields \"a\" and \"A\" both go to");
        Loads mapped = file("x.csv", "id,a,a", "1,2,x").map("2 = b, * = *");
        assertThat(SchemaGuess.read(mapped.options(), Map.of(), List.of()).columns())
                .containsExactly(entry("id", "int"), entry("a", "int"), entry("b", "text"));
    }

    @Test
    void aFileWithAnotherDelimiterIsNotATableOfOneColumn() {
        assertThatThrownBy(() -> csv("id;a;b", "1;2;3"))
                .hasMessageEndingWith(
                        "x.csv: the header is a single field, \"id;a;b\"; if its fields are separated by ';',"
                                + " give delimiter ';'");
    }

    @Test
    void givenTypesAreUsedUnchanged() {
        Loads loads = file("x.csv", "ID,note,Zip", "1,,2");
        assertThat(SchemaGuess.read(
                                loads.options(),
                                Map.of("note", "map<text, int>", "id", "bigint", "Zip", "text"),
                                List.of())
                        .columns())
                .containsExactly(entry("id", "bigint"), entry("note", "map<text, int>"), entry("Zip", "text"));
    }

    @Test
    void fieldsOfAFileWithoutHeaderNeedNames() {
        Loads loads = file("x.csv", "1,x");
        loads.format.header(false);
        assertThatThrownBy(() ->
                        SchemaGuess.read(loads.options(), Map.of(), List.of()).columns())
                .isInstanceOf(OverdriveException.class)
                .hasMessageEndingWith(
                        "x.csv: the file has no header to name the columns after; name them with fieldNames a,b,c");
        loads.fieldNames(List.of("a", "b"));
        assertThat(SchemaGuess.read(loads.options(), Map.of(), List.of()).columns())
                .containsExactly(entry("a", "int"), entry("b", "text"));
    }

    @Test
    void anInputWithoutRecordsIsAnError() {
        assertThatThrownBy(() -> csv("a,b"))
                .isInstanceOf(OverdriveException.class)
                .hasMessage("the input has no record to derive the columns from");
    }

    @Test
    void malformedRecordsAreLeftToTheLoad() {
        assertThat(json("{\"a\": 1}", "{\"a\": oops", "{\"a\": 2}")).containsExactly(entry("a", "int"));
    }

    @Test
    void jsonDistinguishesNumbersFromText() {
        assertThat(json("{\"n\": 1, \"s\": \"1\", \"d\": 1.5, \"b\": true, \"big\": 12345678901}"))
                .containsExactly(
                        entry("n", "int"),
                        entry("s", "text"),
                        entry("d", "double"),
                        entry("b", "boolean"),
                        entry("big", "bigint"));
        assertThat(json("{\"v\": 18446744073709551615, \"d\": 0.12345678901234567890123}"))
                .containsExactly(entry("v", "varint"), entry("d", "decimal"));
    }

    @Test
    void jsonStringsMayBeUuidsAndTimes() {
        assertThat(json("{\"u\": \"f81d4fae-7dec-11d0-a765-00a0c91e6bf6\", \"d\": \"2013-01-31\","
                        + " \"t\": \"2013-01-31T10:11:12Z\", \"b\": \"true\"}"))
                .containsExactly(entry("u", "uuid"), entry("d", "date"), entry("t", "timestamp"), entry("b", "text"));
    }

    @Test
    void jsonFieldsOfAllRecordsAreFound() {
        assertThat(json("{\"a\": 1, \"b\": null}", "{\"b\": 2, \"c\": \"x\"}"))
                .containsExactly(entry("a", "int"), entry("b", "int"), entry("c", "text"));
    }

    @Test
    void emptyJsonTextIsText() {
        assertThat(json("{\"a\": \"\"}")).containsExactly(entry("a", "text"));
        assertThat(json("{\"a\": \"2013-01-31\"}", "{\"a\": \"\"}")).containsExactly(entry("a", "text"));
    }

    @Test
    void givenNullWordsAreNoValueInJsonEither() {
        Loads loads = file("x.jsonl", "{\"a\": 1}", "{\"a\": \"NA\"}").nullWords("NA");
        assertThat(SchemaGuess.read(loads.options(), Map.of(), List.of()).columns())
                .containsExactly(entry("a", "int"));
    }

    @Test
    void jsonListsAreLists() {
        assertThat(json("{\"i\": [1, 2], \"s\": []}", "{\"i\": [3000000000], \"s\": [\"a\", \"b\"]}"))
                .containsExactly(entry("i", "list<bigint>"), entry("s", "list<text>"));
    }

    @Test
    void undeterminedJsonTypesAreAnErrorThatNamesTheWayOut() {
        assertThatThrownBy(() -> json("{\"a\": [1]}", "{\"a\": 1}"))
                .hasMessageContaining("\n  a contains lists and single values\n")
                .hasMessageContaining("for example with jsonText types \"a text\"; jsonText keeps");
    }
}
