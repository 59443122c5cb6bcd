package io.overdrive.formats.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.data.CqlDuration;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.fasterxml.jackson.core.io.NumberOutput;
import io.overdrive.Seeds;
import io.overdrive.TypeZoo;
import io.overdrive.TypeZoo.Sample;
import io.overdrive.TypeZoo.TypeSamples;
import io.overdrive.formats.records.Read;
import io.overdrive.formats.text.RandomCells.Cell;
import io.overdrive.formats.text.ValueFormat.BlobEncoding;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class WriteValuesTest {
    private static final ValueFormat OTHER = ValueFormat.builder()
            .decimalSeparator(',')
            .groupingSeparator('.')
            .blobEncoding(BlobEncoding.BASE64)
            .booleanWords(List.of("oui", "1"), List.of("non, vraiment", "0"))
            .timestampPattern("dd/MM/uuuu 'um \"'HH:mm:ss.SSSXXXXX")
            .datePattern("dd.MM.uuuu")
            .timePattern("HH 'o''clock' mm:ss.SSSSSSSSS")
            .zone(ZoneId.of("Europe/Paris"))
            .build();

    static List<TypeSamples> zoo() {
        return TypeZoo.all();
    }

    @ParameterizedTest
    @MethodSource("zoo")
    void writesTextThatIsReadBackAsTheSameBytes(TypeSamples samples) {
        for (Sample sample : samples.samples()) {
            byte[] bytes = ParseValuesTest.encoded(samples.type(), sample.value());
            assertRoundTrip(samples.type(), ValueFormat.DEFAULT, bytes);
            assertRoundTrip(samples.type(), OTHER, bytes);
            if (!samples.type().equals(DataTypes.COUNTER)) {
                Bytes list = new Bytes(64);
                list.putInt(1);
                list.putInt(bytes.length);
                list.put(bytes);
                assertRoundTrip(DataTypes.listOf(samples.type()), ValueFormat.DEFAULT, list.toByteArray());
                assertRoundTrip(DataTypes.listOf(samples.type()), OTHER, list.toByteArray());
            }
        }
    }

    @Test
    void writesRandomValuesOfRandomTypes() {
        Seeds.times(800, random -> {
            RandomCells cells = new RandomCells(random);
            DataType type = cells.type(3);
            for (int i = 0; i < 5; i++) {
                Cell cell = cells.cell(type);
                assertRoundTrip(type, ValueFormat.DEFAULT, cell.bytes());
                assertRoundTrip(type, OTHER, cell.bytes());
                String json = json(type, ValueFormat.DEFAULT, cell.bytes());
                assertThat(Read.MAPPER.readTree(json)).as(json).isEqualTo(Read.MAPPER.readTree(cell.json()));
                if (!cell.text().isEmpty()) {
                    assertThat(text(type, ValueFormat.DEFAULT, cell.bytes())).isEqualTo(cell.text());
                }
            }
        });
    }

    @Test
    void writesDoublesAsJacksonDoes() {
        Seeds.times(20, random -> {
            for (int i = 0; i < 5_000; i++) {
                double value = number(random);
                String expected = NumberOutput.toString(value, /* useFastWriter */ true);
                assertThat(text(DataTypes.DOUBLE, value)).isEqualTo(expected);
                assertThat(Double.parseDouble(expected)).isEqualTo(value);
            }
        });
    }

    /** Also those at the limits of what is written without Jackson. */
    private static double number(Random random) {
        double value = random.nextInt(1 << (1 + random.nextInt(30))) / Math.pow(10, random.nextInt(11));
        double sign = random.nextBoolean() ? 1 : -1;
        return switch (random.nextInt(5)) {
            case 0 -> sign * Math.nextUp(value);
            case 1 -> sign * Math.nextDown(value);
            case 2 ->
                sign * List.of(0.001, 1e7, 1e-3 - 1e-9, 9999999.99999999, 0.0).get(random.nextInt(5));
            default -> sign * value;
        };
    }

    @Test
    void writesTimesInIsoForm() throws IOException {
        assertThat(text(DataTypes.TIMESTAMP, Instant.parse("2013-01-01T05:00:00Z")))
                .isEqualTo("2013-01-01T05:00:00Z");
        assertThat(text(DataTypes.TIMESTAMP, Instant.parse("2013-01-01T05:00:00.120Z")))
                .isEqualTo("2013-01-01T05:00:00.120Z");
        for (long millis :
                List.of(0L, -1L, Long.MIN_VALUE, Long.MAX_VALUE, -62_167_219_200_001L, 253_402_300_800_000L)) {
            Instant instant = Instant.ofEpochMilli(millis);
            assertThat(text(DataTypes.TIMESTAMP, instant)).isEqualTo(instant.toString());
        }
        assertThat(text(DataTypes.DATE, LocalDate.of(2000, 2, 29))).isEqualTo("2000-02-29");
        for (LocalDate date = LocalDate.of(-401, 1, 1); date.getYear() < 2401; date = date.plusDays(13)) {
            assertThat(text(DataTypes.DATE, date)).isEqualTo(date.toString());
        }
        assertThat(text(DataTypes.TIME, LocalTime.of(1, 2))).isEqualTo("01:02:00");
        assertThat(text(DataTypes.TIME, LocalTime.of(1, 2, 3, 4_000_000))).isEqualTo("01:02:03.004");
        assertThat(text(DataTypes.TIME, LocalTime.of(23, 59, 59, 999_999_999))).isEqualTo("23:59:59.999999999");
        assertThat(text(DataTypes.DURATION, CqlDuration.newInstance(14, 3, 14_706_000_000_001L)))
                .isEqualTo("1y2mo3d4h5m6s1ns");
        assertThat(text(DataTypes.DURATION, CqlDuration.newInstance(-1, 0, 0))).isEqualTo("-1mo");
        assertThat(text(DataTypes.DURATION, CqlDuration.newInstance(0, 0, 0))).isEqualTo("0s");
        assertRoundTrip(
                DataTypes.DURATION,
                ValueFormat.DEFAULT,
                ParseValuesTest.encoded(
                        DataTypes.DURATION,
                        CqlDuration.newInstance(Integer.MIN_VALUE, Integer.MIN_VALUE, Long.MIN_VALUE)));
    }

    @Test
    void writesAddressesInTheirShortForm() throws IOException {
        assertThat(text(DataTypes.INET, InetAddress.getByName("10.0.255.1"))).isEqualTo("10.0.255.1");
        for (String address :
                List.of("::", "::1", "1::", "2001:db8::1:0:0:1", "2001:db8:0:1:1:1:1:1", "fe80:1:2:3:4:5:6:7")) {
            assertThat(text(DataTypes.INET, InetAddress.getByName(address))).isEqualTo(address);
        }
    }

    @Test
    void writesNumbersExactly() {
        for (String decimal : List.of("0", "0.00", "-1.50", "0.000001", "1E-7", "-1.2E-7", "0E+3", "1E+3", "-123E+5")) {
            BigDecimal value = new BigDecimal(decimal);
            assertThat(text(DataTypes.DECIMAL, value)).isEqualTo(value.toString());
        }
        for (int scale : List.of(Integer.MIN_VALUE, Integer.MIN_VALUE + 1, Integer.MAX_VALUE)) {
            Bytes bytes = new Bytes(8);
            bytes.putInt(scale);
            bytes.putVarint(-12);
            assertRoundTrip(DataTypes.DECIMAL, ValueFormat.DEFAULT, bytes.toByteArray());
        }
        for (int bit = 0; bit < 64; bit++) {
            for (long step = -1; step <= 1; step++) {
                long value = (1L << bit) + step;
                assertThat(text(DataTypes.BIGINT, value)).isEqualTo(Long.toString(value));
                assertThat(text(DataTypes.BIGINT, -value)).isEqualTo(Long.toString(-value));
            }
        }
        for (long power = 1; power < 1_000_000_000_000_000_000L; power *= 10) {
            assertThat(text(DataTypes.BIGINT, power)).isEqualTo(Long.toString(power));
            assertThat(text(DataTypes.BIGINT, power - 1)).isEqualTo(Long.toString(power - 1));
        }
        BigInteger thousand = BigInteger.TEN.pow(999);
        assertThat(json(DataTypes.VARINT, thousand)).isEqualTo(thousand.toString());
        assertThat(json(DataTypes.VARINT, thousand.multiply(BigInteger.TEN)))
                .isEqualTo("\"" + thousand.multiply(BigInteger.TEN) + "\"");
        assertThat(json(DataTypes.DOUBLE, Double.NaN)).isEqualTo("\"NaN\"");
        assertThat(json(DataTypes.FLOAT, Float.NEGATIVE_INFINITY)).isEqualTo("\"-Infinity\"");
    }

    @Test
    void writesNestedValuesAsCqlDoes() {
        assertThat(text(DataTypes.listOf(DataTypes.TEXT), List.of("a", "it's", "null")))
                .isEqualTo("['a', 'it''s', 'null']");
        assertThat(text(
                        DataTypes.mapOf(DataTypes.TIMESTAMP, DataTypes.BLOB),
                        Map.of(Instant.EPOCH, ByteBuffer.allocate(1))))
                .isEqualTo("{'1970-01-01T00:00:00Z': 0x00}");
        UserDefinedType udt = TypeZoo.udt("zoo").copy(/* newFrozen */ true);
        byte[] bytes =
                ParseValuesTest.encoded(udt, udt.newValue("O'Malley", 4, null, "\"", Set.of("a"), Instant.EPOCH));
        assertThat(text(udt, ValueFormat.DEFAULT, bytes))
                .isEqualTo(
                        "{name: 'O''Malley', legs: 4, \"Latin Name\": null, \"say \"\"hi\"\"\": '\"', colours: {'a'},"
                                + " seen: '1970-01-01T00:00:00Z'}");
        assertThat(json(udt, ValueFormat.DEFAULT, bytes))
                .isEqualTo("{\"name\":\"O'Malley\",\"legs\":4,\"Latin Name\":null,\"say \\\"hi\\\"\":\"\\\"\","
                        + "\"colours\":[\"a\"],\"seen\":\"1970-01-01T00:00:00Z\"}");
        assertThat(json(DataTypes.mapOf(DataTypes.INT, DataTypes.INT), Map.of(1, 2)))
                .isEqualTo("{\"1\":2}");
        assertThat(json(DataTypes.mapOf(DataTypes.listOf(DataTypes.INT), DataTypes.INT), Map.of(List.of(1), 2)))
                .isEqualTo("[[[1],2]]");
    }

    @Test
    void escapesInJsonOnlyWhatMustBe() {
        assertThat(json(DataTypes.TEXT, "a\"\\/\b\f\n\r\t\u0000\u001f\u007f\u2028\u00eb\ud83d\udc0e"))
                .isEqualTo("\"a\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u007f\u2028\u00eb\ud83d\udc0e\"");
    }

    @Test
    void writesInTheGivenFormat() {
        assertThat(text(DataTypes.DOUBLE, OTHER, ParseValuesTest.encoded(DataTypes.DOUBLE, -1234.5)))
                .isEqualTo("-1234,5");
        assertThat(json(DataTypes.DOUBLE, OTHER, ParseValuesTest.encoded(DataTypes.DOUBLE, -1234.5)))
                .isEqualTo("-1234.5");
        assertThat(text(DataTypes.BLOB, OTHER, new byte[] {0, 1, 2, -1})).isEqualTo("AAEC/w==");
        assertThat(text(DataTypes.BOOLEAN, OTHER, new byte[] {1})).isEqualTo("oui");
        assertThat(json(DataTypes.BOOLEAN, OTHER, new byte[] {1})).isEqualTo("true");
        Instant summer = Instant.parse("2013-07-01T10:00:00Z");
        assertThat(text(DataTypes.TIMESTAMP, OTHER, ParseValuesTest.encoded(DataTypes.TIMESTAMP, summer)))
                .isEqualTo("01/07/2013 um \"12:00:00.000+02:00");
    }

    @Test
    void writesIntegersWithoutSeparators() {
        for (DataType type : List.of(DataTypes.INT, DataTypes.VARINT)) {
            byte[] bytes = ParseValuesTest.text(ValueText.of(type, OTHER), "-1.234.567");
            assertThat(text(type, OTHER, bytes)).isEqualTo("-1234567");
            assertThat(json(type, OTHER, bytes)).isEqualTo("-1234567");
            assertRoundTrip(type, OTHER, bytes);
        }
    }

    @Test
    void quotesTextInAListThatCouldBeSomethingElse() {
        for (String plain : List.of("a", "a b", "12", "NULL")) {
            assertThat(inList(DataTypes.TEXT, plain.getBytes(StandardCharsets.UTF_8)))
                    .isEqualTo(plain);
        }
        for (String other : List.of("", "null", "a,b", " a", "a ")) {
            assertThat(inList(DataTypes.TEXT, other.getBytes(StandardCharsets.UTF_8)))
                    .isEqualTo("'" + other + "'");
        }
        assertThat(inList(DataTypes.ASCII, new byte[] {'\''})).isEqualTo("''''");
        assertThat(inList(DataTypes.INT, new byte[0])).isEqualTo("null");
        assertThat(inList(DataTypes.BLOB, new byte[0])).isEqualTo("0x");
    }

    private static String inList(DataType type, byte[] bytes) {
        Bytes out = new Bytes(1);
        ValueText.of(type, ValueFormat.DEFAULT).writeInList(bytes, 0, bytes.length, out);
        return new String(out.array(), 0, out.length(), StandardCharsets.UTF_8);
    }

    @Test
    void writesWriteTimesAsMicroseconds() {
        WritetimeText writetime = new WritetimeText(ValueFormat.DEFAULT);
        byte[] micros = ParseValuesTest.text(writetime, "2013-01-01T05:00:00Z");
        Bytes out = new Bytes(1);
        writetime.write(micros, 0, micros.length, out);
        String text = new String(out.array(), 0, out.length(), StandardCharsets.UTF_8);
        assertThat(text).isEqualTo("1357016400000000");
        assertThat(ParseValuesTest.text(writetime, text)).isEqualTo(micros);
    }

    @Test
    void refusesYearsThatAPatternWouldChange() {
        ValueFormat format = ValueFormat.builder().datePattern("yyyy-MM-dd").build();
        byte[] before = ParseValuesTest.encoded(DataTypes.DATE, LocalDate.of(-1, 1, 1));
        assertThatThrownBy(() -> text(DataTypes.DATE, format, before))
                .isInstanceOf(BadValueException.class)
                .hasMessage("is date, but -0001-01-01 cannot be written by the pattern yyyy-MM-dd");
        assertRoundTrip(DataTypes.DATE, format, ParseValuesTest.encoded(DataTypes.DATE, LocalDate.of(1, 1, 1)));
        ValueFormat twoDigits = ValueFormat.builder()
                .datePattern("dd-MMM-yy")
                .timestampPattern("ddMMuu HH:mm")
                .build();
        byte[] birthday = ParseValuesTest.encoded(DataTypes.DATE, LocalDate.of(1935, 5, 1));
        assertThatThrownBy(() -> text(DataTypes.DATE, twoDigits, birthday))
                .as("35 is read as 2035")
                .isInstanceOf(BadValueException.class)
                .hasMessage("is date, but 1935-05-01 cannot be written by the pattern dd-MMM-yy");
        byte[] far = ParseValuesTest.encoded(DataTypes.TIMESTAMP, Instant.parse("2070-01-01T00:00:00Z"));
        assertThatThrownBy(() -> text(DataTypes.TIMESTAMP, twoDigits, far)).isInstanceOf(BadValueException.class);
        for (int year : List.of(1970, 2069)) {
            assertRoundTrip(
                    DataTypes.DATE, twoDigits, ParseValuesTest.encoded(DataTypes.DATE, LocalDate.of(year, 1, 1)));
        }
        assertBad(DataTypes.TIME, ValueFormat.builder().timePattern("dd").build(), new byte[8])
                .hasMessage("is time, but 00:00 cannot be written by the pattern dd");
    }

    @Test
    void countsEmptyPartsThatAreNullInText() {
        byte[] emptyAndFive = {0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 5};
        DataType ints = DataTypes.listOf(DataTypes.INT);
        assertThat(emptyParts(ints, emptyAndFive)).isEqualTo("1 elements, 1 in all");
        assertThat(emptyParts(DataTypes.setOf(DataTypes.INT), emptyAndFive)).isEqualTo("1 elements, 1 in all");
        assertThat(emptyParts(DataTypes.listOf(DataTypes.TEXT), emptyAndFive)).isEqualTo("0 elements, 0 in all");
        byte[] emptyToEmpty = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0};
        assertThat(emptyParts(DataTypes.mapOf(DataTypes.INT, DataTypes.TEXT), emptyToEmpty))
                .isEqualTo("1 elements, 1 in all");
        assertThat(emptyParts(DataTypes.mapOf(DataTypes.TEXT, DataTypes.INT), emptyToEmpty))
                .isEqualTo("1 elements, 1 in all");
        byte[] emptyAndNull = {0, 0, 0, 0, -1, -1, -1, -1};
        assertThat(emptyParts(DataTypes.tupleOf(DataTypes.INT, DataTypes.INT), emptyAndNull))
                .isEqualTo("0 elements, 1 in all");
        byte[] listInTuple = ByteBuffer.allocate(4 + emptyAndFive.length)
                .putInt(emptyAndFive.length)
                .put(emptyAndFive)
                .array();
        assertThat(emptyParts(DataTypes.tupleOf(ints), listInTuple)).isEqualTo("1 elements, 1 in all");
    }

    private static String emptyParts(DataType type, byte[] bytes) {
        ValueText text = ValueText.of(type, ValueFormat.DEFAULT);
        text.write(bytes, 0, bytes.length, new Bytes(64));
        String literal = text.emptyElements() + " elements, " + text.emptyParts() + " in all";
        ValueText json = ValueText.of(type, ValueFormat.DEFAULT);
        json.writeJson(bytes, 0, bytes.length, new Bytes(64));
        assertThat(json.emptyElements() + " elements, " + json.emptyParts() + " in all")
                .isEqualTo(literal);
        return literal;
    }

    /** Clocks show an hour twice when they are set back. */
    @ParameterizedTest
    @CsvSource({
        "yyyy-MM-dd HH:mm, 1",
        "yyyy-MM-dd HH:mm VV, 1",
        "yyyy-MM-dd HH:mm v, 1",
        "yyyy-MM-dd HH:mm z, 0",
        "yyyy-MM-dd HH:mm zzzz, 0",
        "yyyy-MM-dd HH:mmXXX, 0",
        "yyyy-MM-dd HH:mm O, 0",
        "yyyy-MM-dd, 0"
    })
    void countsTimesWhoseTextIsThatOfAnEarlierOne(String pattern, long repeated) {
        ValueFormat format = ValueFormat.builder()
                .timestampPattern(pattern)
                .zone(ZoneId.of("Europe/Berlin"))
                .build();
        ValueText list = ValueText.of(DataTypes.listOf(DataTypes.TIMESTAMP), format);
        ValueText timestamp = ValueText.of(DataTypes.TIMESTAMP, format);
        for (String time : List.of("2024-10-27T00:30:00Z", "2024-10-27T01:30:00Z", "2024-10-27T02:30:00Z")) {
            byte[] bytes = ParseValuesTest.encoded(DataTypes.TIMESTAMP, Instant.parse(time));
            Bytes text = new Bytes(64);
            timestamp.write(bytes, 0, bytes.length, text);
            char[] chars = new String(text.toByteArray(), StandardCharsets.UTF_8).toCharArray();
            boolean isSame = Arrays.equals(ParseValuesTest.text(timestamp, new String(chars)), bytes);
            assertThat(isSame || pattern.equals("yyyy-MM-dd") || (repeated == 1 && time.contains("T01:")))
                    .as(time)
                    .isTrue();
            byte[] one = ParseValuesTest.encoded(DataTypes.listOf(DataTypes.TIMESTAMP), List.of(Instant.parse(time)));
            list.write(one, 0, one.length, new Bytes(64));
        }
        assertThat(timestamp.repeatedTimes()).isEqualTo(repeated);
        assertThat(list.repeatedTimes()).isEqualTo(repeated);
    }

    @Test
    void writesEmptyValuesAsNullIfDriversReadThemSo() {
        for (DataType type : List.of(DataTypes.TEXT, DataTypes.ASCII, DataTypes.BLOB)) {
            assertThat(ValueText.of(type, ValueFormat.DEFAULT).isNull(0)).isFalse();
        }
        for (DataType type : List.of(DataTypes.INT, DataTypes.UUID, DataTypes.listOf(DataTypes.INT))) {
            assertThat(ValueText.of(type, ValueFormat.DEFAULT).isNull(0)).isTrue();
            assertThat(ValueText.of(type, ValueFormat.DEFAULT).isNull(-1)).isTrue();
        }
        byte[] listOfEmpty = {0, 0, 0, 1, 0, 0, 0, 0};
        assertThat(text(DataTypes.listOf(DataTypes.INT), ValueFormat.DEFAULT, listOfEmpty))
                .isEqualTo("[null]");
        assertThat(json(DataTypes.listOf(DataTypes.TEXT), ValueFormat.DEFAULT, listOfEmpty))
                .isEqualTo("[\"\"]");
    }

    @Test
    void takesFieldsThatWereAddedLaterForNull() {
        byte[] oneField = {0, 0, 0, 1, 'x'};
        assertThat(text(DataTypes.tupleOf(DataTypes.TEXT, DataTypes.INT), ValueFormat.DEFAULT, oneField))
                .isEqualTo("('x', null)");
    }

    @Test
    void saysWhatIsWrongWithBytes() {
        assertBad(DataTypes.INT, new byte[3]).hasMessage("is int, got 3 bytes");
        assertBad(DataTypes.BOOLEAN, new byte[2]).hasMessage("is boolean, got 2 bytes");
        assertBad(DataTypes.UUID, new byte[1]).hasMessage("is uuid, got 1 byte");
        assertBad(DataTypes.INET, new byte[5]).hasMessage("is inet, got 5 bytes");
        assertBad(DataTypes.DECIMAL, new byte[4]).hasMessage("is decimal, got 4 bytes");
        assertBad(DataTypes.DURATION, new byte[2]).hasMessage("is duration, but its bytes end inside a part");
        assertBad(DataTypes.DURATION, new byte[4]).hasMessage("is duration, got 4 bytes");
        assertBad(DataTypes.DURATION, new byte[] {1, 2, 0})
                .hasMessage("is duration, but -1 months, 1 days and 0 nanoseconds have different signs");
        byte[] late = ByteBuffer.allocate(8).putLong(86_400_000_000_000L).array();
        assertBad(DataTypes.TIME, late).hasMessage("is time, but 86400000000000 nanoseconds are not within a day");
        DataType list = DataTypes.listOf(DataTypes.INT);
        assertBad(list, new byte[3]).hasMessage("is list<int>, got 3 bytes");
        assertBad(list, new byte[] {0, 0, 0, 1, 0, 0, 0, 4, 1, 2, 3})
                .hasMessage("is list<int>, but its bytes end inside a part");
        assertBad(list, new byte[] {0, 0, 0, 1}).hasMessage("is list<int>, but its bytes end inside a part");
        assertBad(DataTypes.vectorOf(DataTypes.FLOAT, 2), new byte[9]).hasMessage("is vector<float, 2>, got 9 bytes");
        assertBad(DataTypes.vectorOf(DataTypes.TEXT, 2), new byte[] {1, 'x', 2, 'y'})
                .hasMessage("is vector<text, 2>, got 4 bytes");
    }

    /** Only the server knows what they mean. */
    @Test
    void writesValuesOfCustomTypesAsTheirBytes() {
        ValueText odd = ValueText.of(DataTypes.custom("org.example.Odd"), ValueFormat.DEFAULT);
        Bytes out = new Bytes(8);
        odd.write(new byte[] {0, (byte) 0xFF}, 0, 2, out);
        assertThat(new String(out.toByteArray(), StandardCharsets.US_ASCII)).isEqualTo("0x00ff");
        Bytes read = new Bytes(8);
        odd.parse("0x00ff".toCharArray(), 0, 6, read);
        assertThat(read.toByteArray()).containsExactly(0, 0xFF);
        assertThatThrownBy(() -> odd.parse("x".toCharArray(), 0, 1, read))
                .hasMessage("is 'org.example.Odd', got \"x\"");
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertBad(DataType type, byte[] bytes) {
        return assertBad(type, ValueFormat.DEFAULT, bytes);
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertBad(
            DataType type, ValueFormat format, byte[] bytes) {
        return assertThatThrownBy(() -> text(type, format, bytes)).isInstanceOf(BadValueException.class);
    }

    /** Writes and parses the field of a CSV record, and a JSON value. */
    private static void assertRoundTrip(DataType type, ValueFormat format, byte[] bytes) {
        ValueText parser = ValueText.of(type, format);
        String text = text(type, format, bytes);
        assertThat(ParseValuesTest.text(parser, text)).as(text).isEqualTo(bytes);
        String json = json(type, format, bytes);
        assertThat(ParseValuesTest.json(parser, json)).as(json).isEqualTo(bytes);
    }

    private static String text(DataType type, Object value) {
        return text(type, ValueFormat.DEFAULT, ParseValuesTest.encoded(type, value));
    }

    private static String json(DataType type, Object value) {
        return json(type, ValueFormat.DEFAULT, ParseValuesTest.encoded(type, value));
    }

    /** The bytes are surrounded by others, to detect reading too far. */
    private static String text(DataType type, ValueFormat format, byte[] bytes) {
        Bytes out = new Bytes(1);
        out.putByte('<');
        ValueText.of(type, format).write(among(bytes), 3, bytes.length, out);
        return new String(out.array(), 1, out.length() - 1, StandardCharsets.UTF_8);
    }

    private static String json(DataType type, ValueFormat format, byte[] bytes) {
        Bytes out = new Bytes(1);
        out.putByte('<');
        ValueText.of(type, format).writeJson(among(bytes), 3, bytes.length, out);
        return new String(out.array(), 1, out.length() - 1, StandardCharsets.UTF_8);
    }

    private static byte[] among(byte[] bytes) {
        byte[] more = new byte[bytes.length + 20];
        Arrays.fill(more, (byte) 0x55);
        System.arraycopy(bytes, 0, more, 3, bytes.length);
        return more;
    }
}
