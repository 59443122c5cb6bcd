package io.overdrive.formats.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.data.CqlDuration;
import com.datastax.oss.driver.api.core.data.CqlVector;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import com.datastax.oss.driver.api.core.type.codec.TypeCodecs;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.TypeZoo;
import io.overdrive.TypeZoo.Sample;
import io.overdrive.TypeZoo.TypeSamples;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

public class ParseValuesTest {
    private static final JsonFactory JSON = new JsonFactory();

    static List<TypeSamples> zoo() {
        return TypeZoo.all();
    }

    /** The JDK would take hours for the last ones of these. */
    @Test
    void numbersOfTooManyDigitsAreRefused() {
        for (DataType type : List.of(DataTypes.VARINT, DataTypes.DECIMAL)) {
            ValueText parser = ValueText.of(type, ValueFormat.DEFAULT);
            for (int digits : new int[] {100_000, 100_001, 10_000_000}) {
                char[] chars = "7".repeat(digits).toCharArray();
                Bytes out = new Bytes(16);
                if (digits == 100_000) {
                    parser.parse(chars, 0, digits, out);
                } else {
                    assertThatExceptionOfType(BadValueException.class)
                            .isThrownBy(() -> parser.parse(chars, 0, digits, out))
                            .withMessageStartingWith("is " + type.asCql(false, true) + ", but 777")
                            .withMessageEndingWith("… has " + digits + " digits, more than 100000");
                }
            }
        }
    }

    @Test
    void aLongBadNumberGetsNoHint() {
        String value = "1" + ",234".repeat(1_000_000) + "x";
        for (DataType type : List.of(DataTypes.INT, DataTypes.VARINT, DataTypes.DOUBLE, DataTypes.DECIMAL)) {
            assertThat(ValueText.of(type, ValueFormat.DEFAULT).hint(value).inJava())
                    .isEqualTo("");
        }
    }

    @ParameterizedTest
    @MethodSource("zoo")
    void parsesTextAsTheDriverEncodesTheValue(TypeSamples samples) {
        ValueText parser = parser(samples.type());
        for (Sample sample : samples.samples()) {
            assertThat(text(parser, sample.text()))
                    .as(sample.text())
                    .isEqualTo(encoded(samples.type(), sample.value()));
        }
    }

    @ParameterizedTest
    @MethodSource("zoo")
    void parsesJsonAsTheDriverEncodesTheValue(TypeSamples samples) {
        ValueText parser = parser(samples.type());
        for (Sample sample : samples.samples()) {
            assertThat(json(parser, sample.json()))
                    .as(sample.json())
                    .isEqualTo(encoded(samples.type(), sample.value()));
        }
    }

    /** The whole JSON value in a CSV cell, or a JSON string with the text form. */
    @ParameterizedTest
    @MethodSource("zoo")
    void parsesNestedJsonInText(TypeSamples samples) {
        ValueText parser = parser(samples.type());
        if (!parser.isNested()) {
            return;
        }
        for (Sample sample : samples.samples()) {
            assertThat(text(parser, sample.json()))
                    .as(sample.json())
                    .isEqualTo(encoded(samples.type(), sample.value()));
        }
    }

    /** Elements are written with their lengths in a list and differently in a vector, and quoted or not. */
    @ParameterizedTest
    @MethodSource("zoo")
    void parsesEveryTypeInsideOfOthers(TypeSamples samples) {
        if (samples.type().equals(DataTypes.COUNTER)) {
            return;
        }
        DataType list = DataTypes.listOf(samples.type());
        DataType vector = DataTypes.vectorOf(samples.type(), 1);
        for (Sample sample : samples.samples()) {
            Bytes listBytes = new Bytes(16);
            listBytes.putInt(1);
            int begin = listBytes.beginValue();
            listBytes.put(encoded(samples.type(), sample.value()));
            listBytes.endValue(begin);
            byte[] expected = listBytes.toByteArray();
            assertThat(text(parser(list), "[" + sample.json() + "]")).isEqualTo(expected);
            assertThat(text(parser(list), "['" + sample.text().replace("'", "''") + "']"))
                    .isEqualTo(expected);
            assertThat(json(parser(list), "[" + sample.json() + "]")).isEqualTo(expected);
            if (!samples.name().equals("udt") && !samples.name().equals("list_udt")) {
                byte[] inVector = encodedVector(samples.type(), sample.value());
                assertThat(json(parser(vector), "[" + sample.json() + "]")).isEqualTo(inVector);
            }
        }
    }

    @Test
    void leavesJsonOnTheLastTokenOfTheValue() throws IOException {
        for (TypeSamples samples : TypeZoo.all()) {
            ValueText parser = parser(samples.type());
            for (Sample sample : samples.samples()) {
                try (JsonParser json = JSON.createParser("[" + sample.json() + ", 42]")) {
                    json.nextToken();
                    json.nextToken();
                    parser.parse(json, new Bytes(16));
                    assertThat(json.nextToken()).as(sample.json()).isEqualTo(JsonToken.VALUE_NUMBER_INT);
                    assertThat(json.getIntValue()).isEqualTo(42);
                }
            }
        }
    }

    @Test
    void skipsSpacesAroundAllButText() {
        assertThat(text(parser(DataTypes.INT), " 7\t")).isEqualTo(bytes(0, 0, 0, 7));
        assertThat(text(parser(DataTypes.BOOLEAN), " t ")).isEqualTo(bytes(1));
        assertThat(text(parser(DataTypes.TEXT), " t ")).isEqualTo(bytes(' ', 't', ' '));
    }

    @Test
    void readsOnlyTheSliceItIsGiven() {
        char[] chars = "99,-12,55".toCharArray();
        for (DataType type : List.of(DataTypes.INT, DataTypes.VARINT, DataTypes.DECIMAL, DataTypes.DOUBLE)) {
            Bytes out = new Bytes(8);
            parser(type).parse(chars, 3, 6, out);
            assertThat(out.toByteArray()).isEqualTo(text(parser(type), "-12"));
        }
    }

    @Test
    void readsTimestampsInCqlAndIsoForms() {
        Instant ten = Instant.parse("2013-01-01T10:00:00Z");
        assertTimestamp("2013-01-01T10:00:00Z", ten);
        assertTimestamp("2013-01-01 10:00", ten);
        assertTimestamp("2013-01-01 10:00:00", ten);
        assertTimestamp("2013-01-01 11:00+0100", ten);
        assertTimestamp("2013-01-01 11:00:00 +01:00", ten);
        assertTimestamp("2013-01-01T09:00:00.000-01", ten);
        assertTimestamp("2013-01-01 11:00:00 CET", ten);
        assertTimestamp("2013-01-01 11:00:00 Europe/Paris", ten);
        assertTimestamp("2013-01-01 10:00:00 UTC", ten);
        assertTimestamp("2013-1-1", Instant.parse("2013-01-01T00:00:00Z"));
        assertTimestamp("2013-01-01+0100", Instant.parse("2012-12-31T23:00:00Z"));
        assertTimestamp("2013-01-01 CET", Instant.parse("2012-12-31T23:00:00Z"));
        assertTimestamp("2013-01-01 10:00:00.1", ten.plusMillis(100));
        assertTimestamp("2013-01-01 10:00:00.123999999Z", ten.plusMillis(123));
        assertTimestamp("1969-12-31T23:59:59.9999Z", Instant.ofEpochMilli(-1));
    }

    /** The offset counts, and the zone beside it only has to exist. */
    @Test
    void readsTimestampsAsJavaPrintsThem() {
        Instant ten = Instant.parse("2013-01-01T10:00:00Z");
        assertTimestamp("2013-01-01T11:00:00.000+01:00[Europe/Paris]", ten);
        assertTimestamp("2013-01-01T11:00+01:00[Europe/Paris]", ten);
        assertTimestamp("2013-01-01T10:00:00Z[UTC]", ten);
        for (String bad :
                List.of("2013-01-01T11:00+01:00[", "2013-01-01T11:00+01:00[Nowhere]", "2013-01-01T11:00[UTC]")) {
            assertBad(DataTypes.TIMESTAMP, bad).hasMessage("is timestamp, got \"" + bad + "\"");
        }
    }

    @Test
    void readsFractionsOfTheUnitOfTimestamps() {
        ValueText seconds = ValueText.of(
                DataTypes.TIMESTAMP,
                ValueFormat.builder().epochUnit(TimeUnit.SECONDS).build());
        assertThat(text(seconds, "1521547952.123"))
                .isEqualTo(encoded(DataTypes.TIMESTAMP, Instant.ofEpochMilli(1_521_547_952_123L)));
        assertThat(text(seconds, "1521547952.1239999"))
                .isEqualTo(encoded(DataTypes.TIMESTAMP, Instant.ofEpochMilli(1_521_547_952_123L)));
        assertThat(text(seconds, "-0.0005")).isEqualTo(encoded(DataTypes.TIMESTAMP, Instant.ofEpochMilli(-1)));
        assertBad(seconds, "1.").hasMessage("is timestamp, got \"1.\"");
        assertBad(seconds, "99999999999999999999.5")
                .hasMessage("is timestamp, but 99999999999999999999.5 is out of range (-9223372036854775808 to"
                        + " 9223372036854775807 milliseconds from 1970-01-01)");
        assertHint(DataTypes.TIMESTAMP, "1521547952.123", "; if it is a number of seconds, give epochUnit seconds");
    }

    @Test
    void readsDurationsAsJavaPrintsThem() {
        assertDuration("PT0.5S", 0, 0, 500_000_000);
        assertDuration("PT8H6M12.345S", 0, 0, 29_172_345_000_000L);
        assertDuration("PT-1H-0.000000001S", 0, 0, -3_600_000_000_001L);
        assertDuration("-PT1H-30M", 0, 0, -1_800_000_000_000L);
        assertDuration("PT0S", 0, 0, 0);
        assertDuration("0", 0, 0, 0);
        for (String bad :
                List.of("PT0.S", "PT0.0000000001S", "PT0.5M", "P0.5D", "P1DT-1H", "PT--1S", "PT-", "00", "-")) {
            assertBad(DataTypes.DURATION, bad).hasMessage("is duration, got \"" + bad + "\"");
            assertThat(parser(DataTypes.DURATION).hint(bad).inJava())
                    .contains("written like 1y2mo3d4h5m6s or P1Y2M3DT4H5M6S");
        }
    }

    @Test
    void badValuesOfCustomTypesGetTheFormOfTheirType() {
        DataType custom = DataTypes.custom("org.example.Odd");
        assertBad(custom, "foo").hasMessage("is 'org.example.Odd', got \"foo\"");
        assertThat(parser(custom).hint("foo").inJava())
                .isEqualTo("; its values are in hexadecimal, for example 0xcafe");
    }

    private static void assertDuration(String text, int months, int days, long nanos) {
        assertThat(text(parser(DataTypes.DURATION), text))
                .as(text)
                .isEqualTo(encoded(DataTypes.DURATION, CqlDuration.newInstance(months, days, nanos)));
    }

    @Test
    void namesOfMonthsAreEnglishWhateverTheLocale() {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.GERMANY);
        try {
            ValueText oracle = ValueText.of(
                    DataTypes.DATE,
                    ValueFormat.builder().datePattern("dd-MMM-yy").build());
            assertThat(text(oracle, "31-DEC-99")).isEqualTo(encoded(DataTypes.DATE, LocalDate.of(1999, 12, 31)));
            assertThatThrownBy(() -> text(oracle, "31-DEZ-99")).hasMessageContaining("got \"31-DEZ-99\"");
        } finally {
            Locale.setDefault(before);
        }
    }

    /** A century of two-digit years begins in 1970. */
    @Test
    void readsYearsOfTwoDigits() {
        ValueText oracle = ValueText.of(
                DataTypes.DATE, ValueFormat.builder().datePattern("dd-MMM-yy").build());
        assertThat(text(oracle, "31-DEC-99")).isEqualTo(encoded(DataTypes.DATE, LocalDate.of(1999, 12, 31)));
        assertThat(text(oracle, "01-JAN-70")).isEqualTo(encoded(DataTypes.DATE, LocalDate.of(1970, 1, 1)));
        assertThat(text(oracle, "31-dec-69")).isEqualTo(encoded(DataTypes.DATE, LocalDate.of(2069, 12, 31)));
        ValueText digits = ValueText.of(
                DataTypes.DATE,
                ValueFormat.builder().datePattern("uuMMdd['yy']").build());
        assertThat(text(digits, "991231")).isEqualTo(encoded(DataTypes.DATE, LocalDate.of(1999, 12, 31)));
        assertThat(text(digits, "000101yy")).isEqualTo(encoded(DataTypes.DATE, LocalDate.of(2000, 1, 1)));
    }

    /** Empty fields are written by cqlsh for null. */
    @Test
    void readsEmptyFieldsAsNull() {
        DataType tuple = DataTypes.tupleOf(DataTypes.INT, DataTypes.TEXT);
        assertThat(text(parser(tuple), "(1, )")).isEqualTo(text(parser(tuple), "(1, null)"));
        assertThat(text(parser(tuple), "(, 'a')")).isEqualTo(text(parser(tuple), "(null, 'a')"));
        DataType udt = TypeZoo.udt("zoo").copy(true);
        assertThat(text(parser(udt), "{legs: }")).isEqualTo(text(parser(udt), "{legs: null}"));
        assertBad(DataTypes.listOf(DataTypes.INT), "[1, ]").hasMessage("is list<int>, got \"[1, ]\"");
    }

    @Test
    void ignoresFieldsThatAUserDefinedTypeDoesNotHave() throws IOException {
        DataType list = DataTypes.listOf(TypeZoo.udt("zoo").copy(true));
        ValueText lenient =
                ValueText.of(list, ValueFormat.builder().ignoreExtraFields(true).build());
        byte[] expected = text(parser(list), "[{legs: 4}]");
        assertThat(text(lenient, "[{wings: {a: [1, 2]}, legs: 4, tail: 'x'}]")).isEqualTo(expected);
        assertThat(json(lenient, "[{\"wings\": [{\"a\": [1]}], \"legs\": 4}]")).isEqualTo(expected);
    }

    /** Java takes BST for Bangladesh's time, and PST in summer for one that is an hour away from it. */
    @Test
    void refusesAbbreviationsThatMeanSeveralZones() {
        for (String zone : List.of("BST", "PST", "IST", "Europe/Atlantis")) {
            assertThatThrownBy(() ->
                            text(ValueText.of(DataTypes.TIMESTAMP, ValueFormat.DEFAULT), "2013-07-01 11:00 " + zone))
                    .as(zone)
                    .hasMessageContaining(
                            zone + " names no zone of the time zone database; write an offset like -08:00");
        }
        for (String zone : List.of("CET", "EET", "MET", "WET")) {
            assertThatThrownBy(() ->
                            text(ValueText.of(DataTypes.TIMESTAMP, ValueFormat.DEFAULT), "2013-07-01 11:00 " + zone))
                    .as(zone)
                    .hasMessageContaining("is in summer, when " + zone + " may mean standard or daylight time");
        }
        assertTimestamp("2013-07-01 11:00 Europe/Paris", Instant.parse("2013-07-01T09:00:00Z"));
        assertThatThrownBy(() -> text(ValueText.of(DataTypes.TIMESTAMP, ValueFormat.DEFAULT), "2013-07-01 11:00 AM"))
                .hasMessage("is timestamp, got \"2013-07-01 11:00 AM\"");
    }

    @Test
    void takesTimestampsWithoutZoneInTheZoneOfTheFormat() {
        ValueText paris = ValueText.of(
                DataTypes.TIMESTAMP,
                ValueFormat.builder().zone(ZoneId.of("Europe/Paris")).build());
        assertThat(text(paris, "2013-07-01 12:00"))
                .isEqualTo(encoded(DataTypes.TIMESTAMP, Instant.parse("2013-07-01T10:00:00Z")));
        assertThat(text(paris, "2013-01-01 12:00"))
                .isEqualTo(encoded(DataTypes.TIMESTAMP, Instant.parse("2013-01-01T11:00:00Z")));
        assertThat(text(paris, "2013-01-01 12:00Z"))
                .isEqualTo(encoded(DataTypes.TIMESTAMP, Instant.parse("2013-01-01T12:00:00Z")));
    }

    @Test
    void countsTimestampsInTheUnitAndFromTheEpochOfTheFormat() {
        Instant epoch = Instant.parse("2000-01-01T00:00:00Z");
        for (TimeUnit unit : TimeUnit.values()) {
            ValueText parser = ValueText.of(
                    DataTypes.TIMESTAMP,
                    ValueFormat.builder().epochUnit(unit).epoch(epoch).build());
            assertThat(text(parser, "1000000"))
                    .isEqualTo(encoded(DataTypes.TIMESTAMP, epoch.plus(1_000_000, unit.toChronoUnit())));
        }
        ValueText nanos = ValueText.of(
                DataTypes.TIMESTAMP,
                ValueFormat.builder().epochUnit(TimeUnit.NANOSECONDS).build());
        assertThat(text(nanos, "-1")).isEqualTo(encoded(DataTypes.TIMESTAMP, Instant.ofEpochMilli(-1)));
    }

    @Test
    void readsTimesAndDatesByPattern() {
        ValueFormat format = ValueFormat.builder()
                .timestampPattern("dd/MM/yyyy[ HH:mm]")
                .datePattern("yyyyMMdd")
                .timePattern("hh:mm a")
                .zone(ZoneId.of("Europe/Paris"))
                .build();
        ValueText timestamp = ValueText.of(DataTypes.TIMESTAMP, format);
        assertThat(text(timestamp, "31/01/2013 11:00"))
                .isEqualTo(encoded(DataTypes.TIMESTAMP, Instant.parse("2013-01-31T10:00:00Z")));
        assertThat(text(timestamp, "31/01/2013"))
                .isEqualTo(encoded(DataTypes.TIMESTAMP, Instant.parse("2013-01-30T23:00:00Z")));
        assertBad(timestamp, "30/02/2013 11:00")
                .hasMessage(
                        "is timestamp, got \"30/02/2013 11:00\", which does not match the pattern dd/MM/yyyy[ HH:mm]");
        ValueText date = ValueText.of(DataTypes.DATE, format);
        assertThat(text(date, "20130131")).isEqualTo(encoded(DataTypes.DATE, LocalDate.of(2013, 1, 31)));
        assertBad(date, "20130229").hasMessage("is date, got \"20130229\", which does not match the pattern yyyyMMdd");
        ValueText time = ValueText.of(DataTypes.TIME, format);
        assertThat(text(time, "01:30 pm")).isEqualTo(encoded(DataTypes.TIME, LocalTime.of(13, 30)));
    }

    /** java.time takes the date, and leaves out parts that make no whole time. */
    @ParameterizedTest
    @CsvSource({
        "yyyy-MM-dd mm:ss, 2020-12-24 15:30",
        "dd.MM.yyyy SSS, 24.12.2020 123",
        "yyyy-MM-ddXXX, 2020-12-24+02:00"
    })
    void refusesTimestampsWhoseTimeIsNotWhole(String pattern, String text) {
        ValueText timestamp = ValueText.of(
                DataTypes.TIMESTAMP,
                ValueFormat.builder().timestampPattern(pattern).build());
        assertBad(timestamp, text).hasMessageEndingWith("which does not match the pattern " + pattern);
    }

    @Test
    void refusesTimesThatClocksLeaveOut() {
        ValueFormat.Builder berlin = ValueFormat.builder().zone(ZoneId.of("Europe/Berlin"));
        ValueText plain = ValueText.of(DataTypes.TIMESTAMP, berlin.build());
        ValueText pattern = ValueText.of(
                DataTypes.TIMESTAMP,
                berlin.timestampPattern("yyyy-MM-dd HH:mm[XXX]").build());
        for (ValueText parser : List.of(plain, pattern)) {
            assertBad(parser, "2024-03-31 02:30")
                    .hasMessage(
                            "is timestamp, but 2024-03-31 02:30 is a time that the clocks of Europe/Berlin have left"
                                    + " out when they were set forward");
            assertThat(text(parser, "2024-03-31 03:00"))
                    .isEqualTo(encoded(DataTypes.TIMESTAMP, Instant.parse("2024-03-31T01:00:00Z")));
            assertThat(text(parser, "2024-03-31 02:30+01:00"))
                    .isEqualTo(encoded(DataTypes.TIMESTAMP, Instant.parse("2024-03-31T01:30:00Z")));
            assertThat(text(parser, "2024-10-27 02:30"))
                    .as("the first of two")
                    .isEqualTo(encoded(DataTypes.TIMESTAMP, Instant.parse("2024-10-27T00:30:00Z")));
        }
        assertBad(ValueText.of(DataTypes.TIMESTAMP, ValueFormat.DEFAULT), "2024-03-10 02:30 America/New_York")
                .hasMessageContaining("the clocks of America/New_York have left out");
    }

    /** Java takes any zone that has such a name, and the time of that zone, whatever the name says of its clocks. */
    @Test
    void namesOfZonesInAPatternAreThoseOfTheFormatsZone() {
        ValueFormat.Builder format = ValueFormat.builder().timestampPattern("yyyy-MM-dd HH:mm z");
        ValueText berlin = ValueText.of(
                DataTypes.TIMESTAMP, format.zone(ZoneId.of("Europe/Berlin")).build());
        assertThat(text(berlin, "2024-10-27 02:30 CEST"))
                .isEqualTo(encoded(DataTypes.TIMESTAMP, Instant.parse("2024-10-27T00:30:00Z")));
        assertThat(text(berlin, "2024-10-27 02:30 CET"))
                .isEqualTo(encoded(DataTypes.TIMESTAMP, Instant.parse("2024-10-27T01:30:00Z")));
        assertThat(text(berlin, "2024-07-01 12:00 cest"))
                .isEqualTo(encoded(DataTypes.TIMESTAMP, Instant.parse("2024-07-01T10:00:00Z")));
        assertBad(berlin, "2024-07-01 12:00 CET")
                .hasMessage(
                        "is timestamp, but \"2024-07-01 12:00 CET\" has a name that Europe/Berlin does not have at that"
                                + " time, when it is CEST; write an offset like +02:00");
        assertBad(berlin, "2024-07-01 12:00 PDT")
                .hasMessage("is timestamp, but \"2024-07-01 12:00 PDT\" names a zone by letters that may mean several")
                .isInstanceOfSatisfying(
                        BadValueException.class, bad -> assertThat(bad.hint().inJava())
                                .isEqualTo("; give the zone that is meant as zone, such as America/Los_Angeles"));
        for (String certain : List.of("UTC", "GMT", "Europe/London")) {
            assertThat(text(berlin, "2024-01-01 12:00 " + certain))
                    .as(certain)
                    .isEqualTo(encoded(DataTypes.TIMESTAMP, Instant.parse("2024-01-01T12:00:00Z")));
        }
        ValueText shanghai = ValueText.of(
                DataTypes.TIMESTAMP, format.zone(ZoneId.of("Asia/Shanghai")).build());
        assertThat(text(shanghai, "2024-01-01 12:00 CST"))
                .as("not that of Chicago")
                .isEqualTo(encoded(DataTypes.TIMESTAMP, Instant.parse("2024-01-01T04:00:00Z")));
        ValueText day = ValueText.of(
                DataTypes.TIMESTAMP,
                format.timestampPattern("yyyy-MM-dd VV").zone(ZoneId.of("UTC")).build());
        assertThat(text(day, "2024-01-01 Asia/Tokyo"))
                .isEqualTo(encoded(DataTypes.TIMESTAMP, Instant.parse("2023-12-31T15:00:00Z")));
    }

    /** There clocks are set forward at midnight. */
    @Test
    void aDayMayBeginAtOne() {
        ValueFormat.Builder brazil = ValueFormat.builder().zone(ZoneId.of("America/Sao_Paulo"));
        for (ValueText parser : List.of(
                ValueText.of(DataTypes.TIMESTAMP, brazil.build()),
                ValueText.of(
                        DataTypes.TIMESTAMP,
                        brazil.timestampPattern("yyyy-MM-dd[ HH:mm]").build()))) {
            for (String day : List.of("2018-11-04", "2018-11-04 00:00")) {
                assertThat(text(parser, day))
                        .isEqualTo(encoded(DataTypes.TIMESTAMP, Instant.parse("2018-11-04T03:00:00Z")));
            }
            assertBad(parser, "2018-11-04 00:30").hasMessageContaining("have left out");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "YYYY-MM-dd, Y is the year of a week: use yyyy",
        "dd.MM.YY HH:mm, Y is the year of a week: use yyyy",
        "yyyy-MM-DD, D is the day of the year: use dd",
        "yyyy-mm-dd, m is the minute: use MM for the month",
        "yyyy-mm-dd HH:mm, m is the minute: use MM for the month",
        "yyyy-MM-dd HH:MM, second M is the month: use mm for the minute",
        "yyyy-MM-dd HH:MM:ss, second M is the month: use mm for the minute",
        "yyyy-MM-dd HH:mm:SS, S is a fraction of a second: use ss"
    })
    void refusesPatternsThatWriteOtherTimesThanTheyShow(String pattern, String mistake) {
        assertThatThrownBy(() -> ValueFormat.builder().timestampPattern(pattern).build())
                .hasMessage("timestampPattern is \"" + pattern + "\", whose " + mistake);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "YYYY-'W'ww-e",
                "yyyy-DDD",
                "d MMM yyyy",
                "EEE, dd MMM yyyy HH:mm:ss.SSS",
                "yyyyMMddHHmmssSSS",
                "dd.MM.yyyy 'um' HH 'Uhr' mm",
                "[dd/MM/yyyy][yyyy-MM-dd] HH:mm[:ss]",
                "[dd/MM/yyyy HH][yyyy-MM-dd HH][yyyy-DDD]",
                "yyyy-MM-dd HH"
            })
    void takesPatternsThatMeanWhatTheyShow(String pattern) {
        assertThat(ValueFormat.builder().timestampPattern(pattern).build().timestampPattern())
                .isEqualTo(pattern);
    }

    @Test
    void refusesPatternsWhoseHoursMayBeOfEitherHalfOfTheDay() {
        assertThatThrownBy(() -> ValueFormat.builder()
                        .timestampPattern("dd.MM.yyyy hh:mm")
                        .build())
                .hasMessage(
                        "timestampPattern is \"dd.MM.yyyy hh:mm\", whose h or K is an hour of half a day: use HH, or"
                                + " add a for AM and PM");
        assertThatThrownBy(() -> ValueFormat.builder().timePattern("K:mm").build())
                .hasMessageStartingWith("timePattern is \"K:mm\"");
        assertThat(ValueFormat.builder().timePattern("HH'h'mm").build().timePattern())
                .isEqualTo("HH'h'mm");
        assertThat(ValueFormat.builder().timePattern("h B").build().timePattern())
                .isEqualTo("h B");
    }

    @Test
    void writeTimesWithTheDigitsOfADateAreDatesByThePatternOrRefused() {
        WritetimeText microseconds = new WritetimeText(ValueFormat.DEFAULT);
        for (String date : List.of("20201224", "202012241015", "20201224101500")) {
            assertBad(microseconds, date).hasMessageContaining("has the digits of a date: a number is in microseconds");
        }
        assertThat(text(microseconds, "1")).isEqualTo(encoded(DataTypes.BIGINT, 1L));
        WritetimeText dates = new WritetimeText(
                ValueFormat.builder().timestampPattern("yyyyMMddHHmmss").build());
        assertThat(text(dates, "20201224101500")).isEqualTo(encoded(DataTypes.BIGINT, 1_608_804_900_000_000L));
        assertThat(text(dates, "1608804900000000")).isEqualTo(encoded(DataTypes.BIGINT, 1_608_804_900_000_000L));
    }

    @Test
    void writeTimesKeepMicrosecondsAndAreNotFiner() {
        WritetimeText plain = new WritetimeText(ValueFormat.DEFAULT);
        assertThat(text(plain, "2020-12-24T10:15:00.123456Z"))
                .isEqualTo(encoded(DataTypes.BIGINT, 1_608_804_900_123_456L));
        assertThat(text(plain, "2020-12-24 11:15:00.000001+01:00"))
                .isEqualTo(encoded(DataTypes.BIGINT, 1_608_804_900_000_001L));
        assertThat(text(plain, "2020-12-24")).isEqualTo(encoded(DataTypes.BIGINT, 1_608_768_000_000_000L));
        assertThat(text(plain, "1969-12-31T23:59:59.999999Z")).isEqualTo(encoded(DataTypes.BIGINT, -1L));
        assertThat(text(plain, "2020-12-24T10:15:00.123456000Z"))
                .isEqualTo(encoded(DataTypes.BIGINT, 1_608_804_900_123_456L));
        assertBad(plain, "2020-12-24T10:15:00.1234567Z")
                .hasMessage(
                        "is a write time, but 2020-12-24T10:15:00.1234567Z has a fraction of a microsecond, which no"
                                + " write time has");
        WritetimeText pattern = new WritetimeText(ValueFormat.builder()
                .timestampPattern("dd.MM.yyyy[ HH:mm:ss.SSSSSSSSS]")
                .build());
        assertThat(text(pattern, "24.12.2020 10:15:00.123456000"))
                .isEqualTo(encoded(DataTypes.BIGINT, 1_608_804_900_123_456L));
        assertBad(pattern, "24.12.2020 10:15:00.123456001").hasMessageContaining("has a fraction of a microsecond");
        assertThat(text(pattern, "24.12.2020")).isEqualTo(encoded(DataTypes.BIGINT, 1_608_768_000_000_000L));
    }

    /** A number is in microseconds, with spaces or a sign, too, whatever the unit of timestamps. */
    @Test
    void writeTimesMayHaveSpacesAndASign() {
        WritetimeText writetime = new WritetimeText(
                ValueFormat.builder().epochUnit(TimeUnit.MILLISECONDS).build());
        for (String number : List.of(" 1608804900000000", "1608804900000000 ", "+1608804900000000")) {
            assertThat(text(writetime, number)).isEqualTo(encoded(DataTypes.BIGINT, 1_608_804_900_000_000L));
        }
        assertBad(writetime, " 1608804900000").hasMessageContaining("a number is in microseconds");
        assertThat(text(writetime, " 2020-12-24T10:15:00Z "))
                .isEqualTo(encoded(DataTypes.BIGINT, 1_608_804_900_000_000L));
    }

    /** A unit of timestamps is not that of write times, and a cut one would let the wrong record win. */
    @Test
    void writeTimesAreNoFractions() {
        WritetimeText seconds = new WritetimeText(
                ValueFormat.builder().epochUnit(TimeUnit.SECONDS).build());
        for (String fraction : List.of("1700000000.123456", "1700000000123456.0", "-1.5")) {
            assertBad(seconds, fraction).hasMessageContaining("has a fraction: a number is in microseconds");
        }
    }

    @Test
    void readsNumbersWithSeparators() {
        ValueFormat german = ValueFormat.builder()
                .decimalSeparator(',')
                .groupingSeparator('.')
                .build();
        ValueText real = ValueText.of(DataTypes.DOUBLE, german);
        assertThat(text(real, "-1.234.567,5")).isEqualTo(encoded(DataTypes.DOUBLE, -1_234_567.5));
        assertThat(json(real, "1.5")).isEqualTo(encoded(DataTypes.DOUBLE, 1.5));
        assertThat(json(real, "\"1,5\"")).isEqualTo(encoded(DataTypes.DOUBLE, 1.5));
        assertBad(real, "1.5").hasMessage("is double, got \"1.5\"");
        assertBad(real, "1,234.567").hasMessage("is double, got \"1,234.567\"");
        for (String number : List.of("0.125", "-0.125", "1234.567", "00.125", "12345.678.901")) {
            assertBad(real, number).hasMessage("is double, got \"" + number + "\"");
        }
        assertThat(text(real, " +123.456")).isEqualTo(encoded(DataTypes.DOUBLE, 123_456.0));
        assertThat(text(ValueText.of(DataTypes.BIGINT, german), "12.34.567"))
                .isEqualTo(encoded(DataTypes.BIGINT, 1_234_567L));
        assertThat(text(ValueText.of(DataTypes.listOf(DataTypes.DOUBLE), german), "[1.5, 2]"))
                .isEqualTo(encoded(DataTypes.listOf(DataTypes.DOUBLE), List.of(1.5, 2.0)));
    }

    @Test
    void readsBooleansByTheWordsOfTheFormat() {
        ValueText parser = ValueText.of(
                DataTypes.BOOLEAN,
                ValueFormat.builder()
                        .booleanWords(List.of("Oui"), List.of("Non"))
                        .build());
        assertThat(text(parser, "OUI")).isEqualTo(bytes(1));
        assertThat(json(parser, "\"non\"")).isEqualTo(bytes(0));
        assertThat(json(parser, "true")).isEqualTo(bytes(1));
        assertBad(parser, "true").hasMessage("is boolean, got \"true\"");
    }

    @Test
    void readsBlobsInTheEncodingOfTheFormat() {
        ValueText hex = ValueText.of(
                DataTypes.BLOB,
                ValueFormat.builder().blobEncoding(ValueFormat.BlobEncoding.HEX).build());
        assertThat(text(hex, "cafe")).isEqualTo(bytes(0xca, 0xfe));
        assertThat(text(hex, "0xCAFE")).isEqualTo(bytes(0xca, 0xfe));
        ValueText base64 = ValueText.of(
                DataTypes.BLOB,
                ValueFormat.builder()
                        .blobEncoding(ValueFormat.BlobEncoding.BASE64)
                        .build());
        assertThat(text(base64, "0xAB")).isEqualTo(bytes(0xd3, 0x10, 0x01));
        assertThat(text(base64, "_-8=")).isEqualTo(bytes(0xff, 0xef));
        assertThat(text(base64, "")).isEmpty();
        for (String bad : List.of("A", "AA=A", "AA=", "A===", "AAAA=", "AA\u00e9A", "AAA!")) {
            assertBad(base64, bad).hasMessage("is blob, got \"" + bad + "\"");
        }
    }

    @Test
    void takesNumbersAndBooleansOfJsonForText() {
        ValueText parser = parser(DataTypes.TEXT);
        assertThat(json(parser, "1.50")).isEqualTo("1.50".getBytes(StandardCharsets.UTF_8));
        assertThat(json(parser, "true")).isEqualTo("true".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void saysWhatIsWrongWithNumbers() {
        assertBad(DataTypes.INT, "4o").hasMessage("is int, got \"4o\"");
        assertBad(DataTypes.INT, "").hasMessage("is int, got \"\"");
        assertBad(DataTypes.INT, "-").hasMessage("is int, got \"-\"");
        assertBad(DataTypes.INT, "1e3").hasMessage("is int, got \"1e3\"");
        assertBad(DataTypes.INT, "1.0").hasMessage("is int, got \"1.0\"");
        assertBad(DataTypes.INT, "1 2").hasMessage("is int, got \"1 2\"");
        assertBad(DataTypes.INT, "\u0661").hasMessage("is int, got \"\u0661\"");
        assertBad(DataTypes.INT, "4294967296")
                .hasMessage("is int, but 4294967296 is out of range (-2147483648 to 2147483647)");
        assertBad(DataTypes.TINYINT, "128").hasMessage("is tinyint, but 128 is out of range (-128 to 127)");
        assertBad(DataTypes.SMALLINT, "-32769").hasMessage("is smallint, but -32769 is out of range (-32768 to 32767)");
        for (String big :
                List.of("9223372036854775808", "-9223372036854775809", "10000000000000000000", "1".repeat(30))) {
            assertBad(DataTypes.BIGINT, big)
                    .hasMessage(
                            "is bigint, but " + big + " is out of range (-9223372036854775808 to 9223372036854775807)");
        }
        assertBad(DataTypes.COUNTER, "x").hasMessage("is counter, got \"x\"");
        assertBad(DataTypes.VARINT, "0x10").hasMessage("is varint, got \"0x10\"");
        assertBad(DataTypes.DECIMAL, "1,5").hasMessage("is decimal, got \"1,5\"");
        assertBad(DataTypes.DECIMAL, "1e2147483649")
                .hasMessage("is decimal, but 1e2147483649 has a scale out of range (-2147483648 to 2147483647)");
        for (String bad :
                List.of("", ".", "+", "1e", "1e+", "e5", "1.5f", "1d", "0x1p3", "1_0", "--1", "1.2.3", "nano")) {
            assertBad(DataTypes.DOUBLE, bad).hasMessage("is double, got \"" + bad + "\"");
            assertBad(DataTypes.FLOAT, bad).hasMessage("is float, got \"" + bad + "\"");
        }
        assertBad(DataTypes.DOUBLE, "1e309")
                .hasMessage("is double, but 1e309 is out of range (-1.7976931348623157E308 to 1.7976931348623157E308)");
        assertBad(DataTypes.FLOAT, "-3.5e38")
                .hasMessage("is float, but -3.5e38 is out of range (-3.4028235E38 to 3.4028235E38)");
    }

    @Test
    void saysWhatIsWrongWithTimes() {
        for (String bad : List.of(
                "",
                "2013-02-29",
                "1900-02-29",
                "2013-13-01",
                "2013-00-01",
                "2013-04-31",
                "13-01-01",
                "2013-01",
                "2013-01-01x")) {
            assertBad(DataTypes.DATE, bad).hasMessage("is date, got \"" + bad + "\"");
            assertBad(DataTypes.TIMESTAMP, bad).hasMessage("is timestamp, got \"" + bad + "\"");
        }
        assertBad(DataTypes.DATE, "+5881580-07-12")
                .hasMessage("is date, but +5881580-07-12 is out of range (-5877641-06-23 to +5881580-07-11)");
        for (String bad : List.of("", "24:00", "1:60", "00:00:60", "00:00:00.", "00:00:00.1234567890", "12:00Z")) {
            assertBad(DataTypes.TIME, bad).hasMessage("is time, got \"" + bad + "\"");
        }
        for (String bad :
                List.of("now", "2013-01-01 25:00", "2013-01-01T", "2013-01-01 10:00+1", "2013-01-01 10:00+19:00")) {
            assertBad(DataTypes.TIMESTAMP, bad).hasMessage("is timestamp, got \"" + bad + "\"");
        }
        for (String bad :
                List.of("-292275055-05-16T16:47:04.191Z", "+292278994-08-17T07:12:55.808Z", "+999999999-01-01")) {
            assertBad(DataTypes.TIMESTAMP, bad)
                    .hasMessage("is timestamp, but " + bad
                            + " is out of range (-292275055-05-16T16:47:04.192Z to +292278994-08-17T07:12:55.807Z)");
        }
        assertBad(DataTypes.TIMESTAMP, "9223372036854775808")
                .hasMessage("is timestamp, but 9223372036854775808 is out of range (-9223372036854775808 to"
                        + " 9223372036854775807 milliseconds from 1970-01-01)");
        for (String bad : List.of(
                "",
                "-",
                "1",
                "1x",
                "1d1y",
                "1d1d",
                "P",
                "PT",
                "P1DT",
                "P1S",
                "P1W1D",
                "1y 2d",
                "P0001-02-03T04:05",
                "--1d",
                "1u")) {
            assertBad(DataTypes.DURATION, bad).hasMessage("is duration, got \"" + bad + "\"");
        }
        assertBad(DataTypes.DURATION, "2147483648d")
                .hasMessage("is duration, but 2147483648d is too long: months and days are 32-bit numbers, nanoseconds"
                        + " a 64-bit number");
    }

    @Test
    void saysWhatIsWrongWithOtherScalars() {
        assertBad(DataTypes.ASCII, "Zo\u00eb").hasMessage("is ascii, but \"Zo\u00eb\" holds other characters");
        assertBad(DataTypes.TEXT, "a\ud800").hasMessage("is text, but \"a\ud800\" holds half a surrogate pair");
        assertBad(DataTypes.BOOLEAN, "maybe").hasMessage("is boolean, got \"maybe\"");
        assertBad(DataTypes.BLOB, "0xabc").hasMessage("is blob, got \"0xabc\"");
        assertBad(DataTypes.BLOB, "0xgg").hasMessage("is blob, got \"0xgg\"");
        assertBad(DataTypes.BLOB, "ab!")
                .hasMessage("is blob, got \"ab!\", which is neither hexadecimal after 0x nor Base64");
        assertBad(DataTypes.UUID, "f81d4fae-7dec-11d0-a765-00a0c91e6bf")
                .hasMessage("is uuid, got \"f81d4fae-7dec-11d0-a765-00a0c91e6bf\"");
        assertBad(DataTypes.UUID, "g81d4fae-7dec-11d0-a765-00a0c91e6bf6")
                .hasMessage("is uuid, got \"g81d4fae-7dec-11d0-a765-00a0c91e6bf6\"");
        assertBad(DataTypes.TIMEUUID, "f81d4fae-7dec-41d0-a765-00a0c91e6bf6")
                .hasMessage("is timeuuid, but f81d4fae-7dec-41d0-a765-00a0c91e6bf6 is a UUID of version 4, not 1");
        for (String bad : List.of(
                "",
                "localhost",
                "1.2.3",
                "1.2.3.256",
                "1.2.3.4.5",
                "1.2.3.4 5",
                "0001.2.3.4",
                ":",
                ":::",
                "1::2::3",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:8:9",
                "12345::",
                "::1%eth0",
                "1:2:3:4:5:6:7:1.2.3.4",
                "1:",
                "::1.2.3",
                "::1:2:3:4:5:6:7:8")) {
            assertBad(DataTypes.INET, bad).hasMessage("is inet, got \"" + bad + "\"");
        }
        assertBad(DataTypes.INT, "a\n\t\u0000" + "x".repeat(100))
                .hasMessage("is int, got \"a\\n\\t\\u0000" + "x".repeat(55) + "…\"");
    }

    @Test
    void saysWhatIsWrongInsideOfCollections() {
        DataType list = DataTypes.listOf(DataTypes.INT);
        for (String bad : List.of(
                "", "1", "[", "[1", "1]", "{1}", "(1)", "[1,]", "[,]", "[1,,2]", "[1}", "[[1]", "[']", "['a'b]")) {
            assertBad(list, bad).hasMessage("is list<int>, got \"" + bad + "\"");
        }
        assertBad(list, "[1, 4o]").hasMessage("element 2 is int, got \"4o\"");
        assertBad(list, "[1, [2]]").hasMessage("element 2 is int, got \"[2]\"");
        assertBad(list, "[null]").hasMessage("element 1 is null, which a list<int> cannot hold");
        assertBadJson(list, "[1, null]").hasMessage("element 2 is null, which a list<int> cannot hold");
        assertBadJson(list, "[1, [2]]").hasMessage("element 2 is int, got a JSON array");
        assertBadJson(list, "{}").hasMessage("is list<int>, got a JSON object");
        assertBadJson(list, "1").hasMessage("is list<int>, got a JSON number");
        assertBadJson(DataTypes.TEXT, "{\"a\": 1}")
                .hasMessage("is text, got a JSON object")
                .isInstanceOfSatisfying(
                        BadValueException.class,
                        bad -> assertThat(bad.hint().inJava()).isEqualTo("; jsonText keeps it as its JSON"));
        assertBad(DataTypes.listOf(DataTypes.TEXT), "[{'a': 1}]")
                .hasMessage("element 1 is text, got \"{'a': 1}\" without quotes around it");
        assertBad(DataTypes.listOf(DataTypes.TEXT), "[\"\\q\"]").hasMessage("element 1 is text, got \"\"\\q\"\"");

        DataType map = DataTypes.mapOf(DataTypes.TEXT, DataTypes.listOf(DataTypes.INT));
        for (String bad : List.of("{a}", "{a:}", "{:[]}", "{a: [], }", "{a: [] b: []}", "(a, [])")) {
            assertBad(map, bad).isInstanceOf(BadValueException.class);
        }
        assertBad(map, "{a: [], b: [x]}").hasMessage("value of entry 2 element 1 is int, got \"x\"");
        assertBad(map, "[[a, []], [b]]")
                .hasMessage("entry 2 of a map<text, list<int>> is not a pair of a key and a value");
        assertBadJson(map, "[[\"a\", [], 1]]")
                .hasMessage("entry 1 of a map<text, list<int>> is not a pair of a key and a value");
        assertBadJson(map, "{\"a\": null}")
                .hasMessage("value of entry 1 is null, which a map<text, list<int>> cannot hold");

        assertBad(DataTypes.setOf(DataTypes.TEXT), "{'a': 1}").hasMessage("is set<text>, got \"{'a': 1}\"");
        assertBad(DataTypes.setOf(DataTypes.TEXT), "{a: 1}")
                .hasMessage("element 1 is text, got \"a: 1\" without quotes around it");
        assertBad(DataTypes.mapOf(DataTypes.TEXT, DataTypes.INT), "{'a', 'b': 1}")
                .hasMessage("is map<text, int>, got \"{'a', 'b': 1}\"");

        DataType tuple = DataTypes.tupleOf(DataTypes.INT, DataTypes.TEXT);
        assertBad(tuple, "(1)").hasMessage("is tuple<int, text> with 2 fields, got 1");
        assertBadJson(tuple, "[1, \"a\", [2, 3]]").hasMessage("is tuple<int, text> with 2 fields, got 3");
        assertBad(tuple, "(x, 'a')").hasMessage("field 1 is int, got \"x\"");
        assertBad(tuple, "x1, 'a'\0").hasMessage("is tuple<int, text>, got \"x1, 'a'\\u0000\"");

        DataType udt = TypeZoo.udt("zoo").copy(true);
        assertBad(udt, "{wings: 2}").hasMessageEndingWith("creature, which has no field \"wings\"");
        assertBad(DataTypes.listOf(udt), "[{wings: 2}]")
                .isInstanceOfSatisfying(
                        BadValueException.class,
                        bad -> assertThat(bad.hint().inJava()).isEqualTo("; allowExtraFields ignores it"));
        assertBadJson(udt, "{\"legs\": \"many\"}").hasMessage("field \"legs\" is int, got \"many\"");
        assertBad(udt, "{legs: 2, name: 'x', Legs: 4}").hasMessageEndingWith("creature, but has field \"legs\" twice");
        assertBadJson(udt, "{\"name\":\"A\",\"Name\":\"B\"}")
                .hasMessageEndingWith("creature, but has field \"name\" twice");
        assertBadJson(udt, "{\"name\":null,\"name\":\"B\"}")
                .hasMessageEndingWith("creature, but has field \"name\" twice");
        assertBadJson(DataTypes.listOf(udt), "[{\"legs\":2},{\"legs\":2,\"legs\":2}]")
                .hasMessageStartingWith("element 2 is ")
                .hasMessageEndingWith("creature, but has field \"legs\" twice");

        DataType vector = DataTypes.vectorOf(DataTypes.FLOAT, 3);
        assertBad(vector, "[1, 2]").hasMessage("is vector<float, 3>, got 2 elements");
        assertBadJson(vector, "[1, 2, 3, 4]").hasMessage("is vector<float, 3>, got 4 elements");
        assertBadJson(vector, "[1, null, 3]").hasMessage("element 2 is null, which a vector<float, 3> cannot hold");
    }

    /** CQL accepts the number of a day or of nanoseconds; in a file it nearly always means something else. */
    @Test
    void refusesNumbersForDatesAndTimes() {
        for (String number : List.of("20201224", "2020", "0", "2147483648", "-1", "+18620")) {
            assertBad(DataTypes.DATE, number).hasMessage("is date, got \"" + number + "\"");
            assertBad(DataTypes.TIME, number).hasMessage("is time, got \"" + number + "\"");
        }
        assertBadJson(DataTypes.DATE, "20201224").hasMessage("is date, got \"20201224\"");
        assertBadJson(DataTypes.TIME, "1015").hasMessage("is time, got \"1015\"");
        assertBadJson(DataTypes.DATE, "true").hasMessage("is date, got \"true\"");
        ValueText nanos = ValueText.of(
                DataTypes.TIME, ValueFormat.builder().timePattern("N").build());
        assertThat(text(nanos, "1000000000")).isEqualTo(encoded(DataTypes.TIME, LocalTime.of(0, 0, 1)));
    }

    @Test
    void acceptsNumbersAsTimestampsOnlyIfTheyCanBeMilliseconds() {
        assertTimestamp("0", Instant.EPOCH);
        assertTimestamp("1608834600000", Instant.parse("2020-12-24T18:30:00Z"));
        assertTimestamp("-157766400000", Instant.parse("1965-01-01T00:00:00Z"));
        assertTimestamp("31536000000", Instant.parse("1971-01-01T00:00:00Z"));
        assertTimestamp("16725225599999", Instant.parse("2499-12-31T23:59:59.999Z"));
        assertNoMillis("1", "; give the unit of such numbers, for example epochUnit seconds");
        assertNoMillis("20201224", "; if it is a date, give timestampPattern yyyyMMdd");
        assertNoMillis("1608834600", "; give the unit of such numbers, for example epochUnit seconds");
        assertNoMillis("-157766400", "; give the unit of such numbers, for example epochUnit seconds");
        assertNoMillis("31535999999", "; give the unit of such numbers, for example epochUnit seconds");
        assertNoMillis(
                "202012241830",
                "; if it is a date, give timestampPattern yyyyMMddHHmm, or else epochUnit milliseconds");
        assertNoMillis("20201224183000", "; if it is a date, give timestampPattern yyyyMMddHHmmss");
        assertNoMillis("1608834600000000", "; give the unit of such numbers, for example epochUnit microseconds");
        assertNoMillis("1608834600000000000", "; give the unit of such numbers, for example epochUnit nanoseconds");
        ValueText explicit = ValueText.of(
                DataTypes.TIMESTAMP,
                ValueFormat.builder().epochUnit(TimeUnit.MILLISECONDS).build());
        assertThat(text(explicit, "20201224")).isEqualTo(encoded(DataTypes.TIMESTAMP, Instant.ofEpochMilli(20201224)));
        assertThat(text(explicit, "-9223372036854775808"))
                .isEqualTo(encoded(DataTypes.TIMESTAMP, Instant.ofEpochMilli(Long.MIN_VALUE)));
    }

    private static void assertNoMillis(String number, String hint) {
        assertBad(DataTypes.TIMESTAMP, number)
                .hasMessage("is timestamp, but " + number + " as milliseconds would be "
                        + Instant.ofEpochMilli(Long.parseLong(number)));
        assertBadJson(DataTypes.TIMESTAMP, number).isInstanceOf(BadValueException.class);
        assertThat(parser(DataTypes.TIMESTAMP).hint(number).inJava()).isEqualTo(hint);
    }

    @Test
    void controlCharactersAreNotWhiteSpace() {
        for (TypeSamples samples : TypeZoo.all()) {
            ValueText parser = parser(samples.type());
            if (parser.isText()) {
                continue;
            }
            String good = samples.samples().get(0).text();
            for (char c = 0; c < ' '; c++) {
                if (Character.isWhitespace(c) && c < 0x1C) {
                    assertThat(text(parser, c + good + c)).isEqualTo(text(parser, good));
                } else {
                    assertBad(parser, good + c);
                    assertBad(parser, c + good);
                }
            }
        }
        assertBad(DataTypes.INT, "1\u0000").hasMessage("is int, got \"1\\u0000\"");
    }

    /** MD5 sums and the like are valid Base64 by accident. */
    @Test
    void refusesBlobsThatMayBeHexadecimalOrBase64() {
        String md5 = "d41d8cd98f00b204e9800998ecf8427e";
        for (String either : List.of(md5, "cafe", "00", " CAFEBABE ")) {
            assertBad(DataTypes.BLOB, either)
                    .hasMessage("is blob, got \"" + either + "\", which may be hexadecimal without 0x or Base64");
        }
        assertThat(parser(DataTypes.BLOB).hint(md5).inJava()).isEqualTo("; give blobEncoding hex or base64");
        assertThat(text(parser(DataTypes.BLOB), "cafebab=")).hasSize(5);
        for (String json : List.of("1234", "true", "12.5")) {
            assertBadJson(DataTypes.BLOB, json).hasMessageStartingWith("is blob, got a JSON ");
        }
    }

    @Test
    void namesTheOptionThatWouldTakeTheValue() {
        assertHint(DataTypes.INT, "1,234", "; if \",\" separates thousands, give groupingSeparator ,");
        assertHint(DataTypes.BIGINT, "-1.234.567", "; if \".\" separates thousands, give groupingSeparator .");
        assertHint(DataTypes.VARINT, "1 234", "; if \" \" separates thousands, give groupingSeparator \" \"");
        assertHint(DataTypes.INT, "1'234", "; if \"'\" separates thousands, give groupingSeparator \"'\"");
        assertHint(
                DataTypes.INT,
                "1.0",
                "; a number with a point or an exponent needs a column of type double or decimal");
        assertHint(
                DataTypes.INT,
                "1e3",
                "; a number with a point or an exponent needs a column of type double or decimal");
        assertHint(DataTypes.INT, "4o", "");
        assertHint(DataTypes.INT, "4294967296", "");
        assertHint(DataTypes.DOUBLE, "1,5", "; if the comma is a decimal point, give decimalSeparator ,");
        assertHint(
                DataTypes.DECIMAL,
                "1,234",
                "; if the comma is a decimal point, give decimalSeparator ,, and if it separates thousands,"
                        + " groupingSeparator ,");
        assertHint(
                DataTypes.FLOAT,
                "1.234.567,5",
                "; if the comma is a decimal point, give decimalSeparator , groupingSeparator .");
        assertHint(DataTypes.DOUBLE, "1,234.5", "; if \",\" separates thousands, give groupingSeparator ,");
        assertHint(DataTypes.DOUBLE, "abc", "");
        assertHint(DataTypes.BOOLEAN, "ja", "; if it means true or false, give trueWords and falseWords");
        assertHint(DataTypes.DATE, "20201224", "; if it is a date, give datePattern yyyyMMdd");
        assertHint(
                DataTypes.DATE,
                "24.12.2020",
                "; give the pattern of such values with datePattern, for example \"dd.MM.yyyy\"");
        assertHint(
                DataTypes.TIMESTAMP,
                "24.12.2020 10:15",
                "; give the pattern of such values with timestampPattern, for example \"dd.MM.yyyy HH:mm\"");
        assertHint(DataTypes.DATE, "soon", "");
        assertHint(DataTypes.TIME, "1015", "; if it means hours and minutes, give timePattern HHmm");
        assertHint(DataTypes.TIME, "101530", "; if it means hours, minutes and seconds, give timePattern HHmmss");
        assertHint(DataTypes.TIME, "36900000000000", "; if it is nanoseconds since midnight, give timePattern N");
        assertHint(
                DataTypes.TIME,
                "10:15 am",
                "; give the pattern of such values with timePattern, for example \"hh:mm a\"");
    }

    @Test
    void hintsSayWhichDaysAndTimesDoNotExist() {
        String noDay = "; the calendar has no such day";
        String nextDay = "; the hours of a day are 0 to 23: 24:00 is 00:00 of the next one";
        String noTime = "; hours are 0 to 23, minutes and seconds 0 to 59";
        assertHint(DataTypes.DATE, "2018-02-30", noDay);
        assertHint(DataTypes.TIMESTAMP, "2018-02-30", noDay);
        assertHint(DataTypes.TIMESTAMP, "2018-02-30T10:00:00Z", noDay);
        assertHint(DataTypes.TIMESTAMP, "1900-02-29 10:00", noDay);
        assertHint(
                DataTypes.DATE,
                "0000-00-00",
                noDay + ": if it stands for a missing value, give nullWords \"0000-00-00\"");
        assertHint(
                DataTypes.TIMESTAMP,
                "0000-00-00 00:00:00",
                noDay + ": if it stands for a missing value, give nullWords \"0000-00-00 00:00:00\"");
        assertHint(DataTypes.TIMESTAMP, "2018-01-01T24:00:00Z", nextDay);
        assertHint(DataTypes.TIME, "24:00", nextDay);
        assertHint(DataTypes.TIMESTAMP, "2018-01-01 25:00", noTime);
        assertHint(DataTypes.TIMESTAMP, "2018-01-01T10:00:60Z", noTime);
        assertHint(DataTypes.TIME, "10:60:00", noTime);
        // the reason says it
        assertHint(DataTypes.TIMESTAMP, "2024-07-01 10:00 CET", "");
        assertHint(DataTypes.TIMESTAMP, "2024-03-31T02:30:00 Europe/Berlin", "");
        assertHint(DataTypes.DATE, "+9999999-01-01", "");
        // another pattern
        String date = "; give the pattern of such values with datePattern, for example \"dd.MM.yyyy\"";
        String timestamp = "; give the pattern of such values with timestampPattern, for example \"dd.MM.yyyy HH:mm\"";
        assertHint(DataTypes.DATE, "2018-31-12", date);
        assertHint(DataTypes.DATE, "2018-01-01T10:00:00Z", date);
        assertHint(DataTypes.TIMESTAMP, "2018-31-12 10:00", timestamp);
        assertHint(DataTypes.TIMESTAMP, "2018-12-31 10:00 PM", timestamp);
        assertHint(DataTypes.TIMESTAMP, "2018-12-31 at ten", timestamp);
    }

    private static void assertHint(DataType type, String value, String hint) {
        assertBad(type, value);
        assertThat(parser(type).hint(value).inJava()).as(value).isEqualTo(hint);
    }

    @Test
    void badValuesHaveNoStackTrace() {
        assertBad(DataTypes.INT, "x")
                .satisfies(e -> assertThat(e.getStackTrace()).isEmpty());
    }

    private static void assertTimestamp(String text, Instant expected) {
        assertThat(text(parser(DataTypes.TIMESTAMP), text)).as(text).isEqualTo(encoded(DataTypes.TIMESTAMP, expected));
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertBad(DataType type, String text) {
        return assertBad(parser(type), text);
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertBad(ValueText parser, String text) {
        return assertThatThrownBy(() -> text(parser, text)).as(text).isInstanceOf(BadValueException.class);
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertBadJson(DataType type, String json) {
        return assertThatThrownBy(() -> json(parser(type), json)).as(json).isInstanceOf(BadValueException.class);
    }

    private static ValueText parser(DataType type) {
        return ValueText.of(type, ValueFormat.DEFAULT);
    }

    /** The text is surrounded by other text, to detect reading too far. */
    public static byte[] text(ValueText parser, String text) {
        Bytes out = new Bytes(1);
        parser.parse(("7" + text + "7").toCharArray(), 1, 1 + text.length(), out);
        return out.toByteArray();
    }

    /** Parses bytes and characters, since Jackson has a parser for each. */
    public static byte[] json(ValueText parser, String text) {
        try (JsonParser bytes = JSON.createParser(text.getBytes(StandardCharsets.UTF_8));
                JsonParser chars = JSON.createParser(text)) {
            byte[] parsed = json(parser, bytes);
            assertThat(json(parser, chars)).isEqualTo(parsed);
            return parsed;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] json(ValueText parser, JsonParser json) throws IOException {
        Bytes out = new Bytes(1);
        json.nextToken();
        parser.parse(json, out);
        assertThat(json.nextToken()).isNull();
        return out.toByteArray();
    }

    public static byte[] encoded(DataType type, Object value) {
        TypeCodec<Object> codec = CodecRegistry.DEFAULT.codecFor(type);
        return array(Objects.requireNonNull(codec.encode(value, ProtocolVersion.DEFAULT)));
    }

    private static byte[] encodedVector(DataType element, Object value) {
        TypeCodec<Object> codec = CodecRegistry.DEFAULT.codecFor(element);
        return array(Objects.requireNonNull(
                TypeCodecs.vectorOf(1, codec).encode(CqlVector.newInstance(value), ProtocolVersion.DEFAULT)));
    }

    private static byte[] array(ByteBuffer buffer) {
        byte[] array = new byte[buffer.remaining()];
        buffer.duplicate().get(array);
        return array;
    }

    private static byte[] bytes(int... values) {
        byte[] array = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            array[i] = (byte) values[i];
        }
        return array;
    }
}
