package io.overdrive.formats.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.internal.codec.Bytes;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CheckedTextTest {
    private final List<String> lost = new ArrayList<>();

    /** The values that the types report as lost. */
    private List<String> lost(DataType type, ValueFormat format, String... values) {
        lost.clear();
        ValueText text = ValueText.checked(type, format, (value, kept) -> lost.add(value + " -> " + kept));
        for (String value : values) {
            Bytes out = new Bytes(16);
            out.putByte('x'); // as values before it in a row
            text.parse(("," + value + ",").toCharArray(), 1, 1 + value.length(), out);
        }
        return lost;
    }

    private List<String> lost(DataType type, String... values) {
        return lost(type, ValueFormat.DEFAULT, values);
    }

    @Test
    void wholeNumbersKeepNeitherLeadingZerosNorAPlusSign() {
        for (DataType type : List.of(DataTypes.INT, DataTypes.BIGINT, DataTypes.VARINT, DataTypes.SMALLINT)) {
            assertThat(lost(type, "00501", "+7", " -01 ", "0", "-7", " 10 ", "-0"))
                    .as("%s", type)
                    .containsExactly("00501 -> 501", "+7 -> 7", " -01  -> -1", "-0 -> 0");
        }
    }

    @Test
    void decimalsKeepEveryDigitButTheSignOfZero() {
        assertThat(lost(DataTypes.DECIMAL, "1.50", "-0.5", "1e3", "+1.5", "00.5", "-0.00", "12345678901234567890.5"))
                .containsExactly("+1.5 -> 1.5", "00.5 -> 0.5", "-0.00 -> 0.00");
    }

    @Test
    void doublesKeepFifteenDigitsAndWhatTheyAreWrittenAs() {
        assertThat(lost(DataTypes.DOUBLE, "1.50", "-0", "nan", "-Infinity", "123456789012345", "0.1e-10", "1E22"))
                .isEmpty();
        assertThat(lost(DataTypes.DOUBLE, "0.12345678901234567890123", "9007199254740993", "+inf", "1e-400"))
                .containsExactly(
                        "0.12345678901234567890123 -> 0.12345678901234568",
                        "9007199254740993 -> 9.007199254740992E15",
                        "+inf -> Infinity",
                        "1e-400 -> 0.0");
    }

    @Test
    void doublesAndFloatsKeepTheirOwnTextWithAnyNumberOfDigits() {
        for (float value : new float[] {0.1f, 1 / 3f, -2.5e-7f, 16777216f, 1e-40f, 3.4e38f}) {
            for (MathContext digits : List.of(new MathContext(9), new MathContext(17), new MathContext(25))) {
                String exact = new BigDecimal(value).round(digits).toString();
                assertThat(lost(DataTypes.FLOAT, Float.toString(value), exact.contains(".") ? exact : "1"))
                        .isEmpty();
                assertThat(lost(DataTypes.DOUBLE, Double.toString(value))).isEmpty();
            }
        }
        assertThat(lost(DataTypes.FLOAT, "0.12345678901", "16777217", "1.23456"))
                .containsExactly("0.12345678901 -> 0.12345679", "16777217 -> 1.6777216E7");
    }

    @Test
    void booleansKeepWordsOfFourCharacters() {
        assertThat(lost(DataTypes.BOOLEAN, "true", "FALSE", "1", "t", "yes"))
                .containsExactly("1 -> true", "t -> true", "yes -> true");
    }

    @Test
    void timestampsKeepMillisecondsOfUtc() {
        assertThat(lost(
                        DataTypes.TIMESTAMP,
                        "2020-01-01T00:00:00.123Z",
                        "2020-01-01T00:00:00.123000Z",
                        "2020-01-01",
                        "2020-01-01 10:00 UTC",
                        "2020-01-01T10:00+00:00",
                        "2020-01-01T00:00:00.123456Z",
                        "2020-01-01",
                        "2020-01-01T00:00:00+01:00",
                        "2020-01-01 00:00 Europe/Berlin",
                        "1577836800000"))
                .containsExactly(
                        "2020-01-01T00:00:00.123456Z -> 2020-01-01T00:00:00.123Z",
                        "2020-01-01T00:00:00+01:00 -> 2019-12-31T23:00:00Z",
                        "2020-01-01 00:00 Europe/Berlin -> 2019-12-31T23:00:00Z",
                        "1577836800000 -> 2020-01-01T00:00:00Z");
    }

    @Test
    void datesAndTimestampsKeepTheDigitsWithWhichTheyAreWritten() {
        assertThat(lost(
                        DataTypes.DATE,
                        "2024-01-05",
                        " 2024-12-15 ",
                        "-0044-03-15",
                        "+12024-01-05",
                        "2024-1-05",
                        "2024-01-5",
                        "+2024-01-05",
                        "12024-01-05",
                        "-0000-01-05",
                        "02024-01-05"))
                .containsExactly(
                        "2024-1-05 -> 2024-01-05",
                        "2024-01-5 -> 2024-01-05",
                        "+2024-01-05 -> 2024-01-05",
                        "12024-01-05 -> +12024-01-05",
                        "-0000-01-05 -> 0000-01-05",
                        "02024-01-05 -> 2024-01-05");
        assertThat(lost(DataTypes.TIMESTAMP, "2024-01-05 09:05", "2024-1-5", "2024-01-05 9:05", "2024-01-05T09:5:00Z"))
                .containsExactly(
                        "2024-1-5 -> 2024-01-05T00:00:00Z",
                        "2024-01-05 9:05 -> 2024-01-05T09:05:00Z",
                        "2024-01-05T09:5:00Z -> 2024-01-05T09:05:00Z");
    }

    @Test
    void numbersAreTimestampsIfTheirUnitIsGiven() {
        ValueFormat seconds = ValueFormat.builder().epochUnit(TimeUnit.SECONDS).build();
        assertThat(lost(DataTypes.TIMESTAMP, seconds, "0", "1577836800")).isEmpty();
        ValueFormat micros =
                ValueFormat.builder().epochUnit(TimeUnit.MICROSECONDS).build();
        assertThat(lost(DataTypes.TIMESTAMP, micros, "0", "1577836800000000", "1577836800000001", "7"))
                .containsExactly("1577836800000001 -> 2020-01-01T00:00:00Z", "7 -> 1970-01-01T00:00:00Z");
    }

    @Test
    void timestampsByAPatternKeepMilliseconds() {
        ValueFormat format = ValueFormat.builder()
                .timestampPattern("dd.MM.yyyy HH:mm:ss[.SSSSSS][XXX]")
                .build();
        assertThat(lost(
                        DataTypes.TIMESTAMP,
                        format,
                        "01.02.2020 10:11:12",
                        "01.02.2020 10:11:12.123000Z",
                        "01.02.2020 10:11:12.123456",
                        "01.02.2020 10:11:12+01:00"))
                .hasSize(2);
    }

    @Test
    void partsOfCollectionsAreReportedAndSeparatedNumbers() {
        assertThat(lost(DataTypes.listOf(DataTypes.INT), "[1, 02, 3]")).containsExactly("02 -> 2");
        assertThat(lost(DataTypes.mapOf(DataTypes.TEXT, DataTypes.INT), "{'01': 2, 'a': +1}"))
                .containsExactly("+1 -> 1");
        ValueFormat comma = ValueFormat.builder()
                .decimalSeparator(',')
                .groupingSeparator('.')
                .build();
        assertThat(lost(DataTypes.DOUBLE, comma, "1.234,5", "01,5")).containsExactly("01.5 -> 1.5");
    }

    @Test
    void timestampsKeepNoOddNumbersAndNoLocalTimesThatDoNotExist() {
        ValueFormat seconds = ValueFormat.builder().epochUnit(TimeUnit.SECONDS).build();
        assertThat(lost(DataTypes.TIMESTAMP, seconds, "1700000000", "0")).isEmpty();
        assertThat(lost(DataTypes.TIMESTAMP, seconds, "00501", "+7")).hasSize(2);
        ValueFormat brazil =
                ValueFormat.builder().zone(ZoneId.of("America/Sao_Paulo")).build();
        assertThat(lost(DataTypes.TIMESTAMP, brazil, "2018-11-03 23:59:59", "2018-11-04 01:00", "2018-02-17 23:30"))
                .isEmpty();
        assertThat(lost(DataTypes.TIMESTAMP, brazil, "2018-11-04"))
                .containsExactly("2018-11-04 -> 2018-11-04T03:00:00Z");
    }
}
