package io.overdrive.formats.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.Seeds;
import io.overdrive.internal.codec.Bytes;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values as spreadsheets write them. */
class SpreadsheetValuesTest {
    private static final ValueFormat SERIAL = ValueFormat.builder()
            .datePattern("excel")
            .timePattern("excel")
            .timestampPattern("excel")
            .build();

    private static ValueFormat separators(char decimal, char grouping) {
        return ValueFormat.builder()
                .decimalSeparator(decimal)
                .groupingSeparator(grouping)
                .build();
    }

    private static byte[] parse(DataType type, ValueFormat format, String text) {
        Bytes out = new Bytes(64);
        ValueText.of(type, format).parse(text.toCharArray(), 0, text.length(), out);
        return out.toByteArray();
    }

    private static byte[] plain(DataType type, String text) {
        return parse(type, ValueFormat.DEFAULT, text);
    }

    private static String write(DataType type, ValueFormat format, byte[] value) {
        Bytes out = new Bytes(64);
        ValueText.of(type, format).write(value, 0, value.length, out);
        return new String(out.toByteArray(), StandardCharsets.UTF_8);
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertBad(
            DataType type, ValueFormat format, String text) {
        return assertThatThrownBy(() -> parse(type, format, text)).as(text).isInstanceOf(BadValueException.class);
    }

    private static void assertHint(DataType type, ValueFormat format, String value, String hint) {
        assertBad(type, format, value);
        assertThat(ValueText.of(type, format).hint(value).inJava()).as(value).isEqualTo(hint);
    }

    private static void assertHint(DataType type, String value, String hint) {
        assertHint(type, ValueFormat.DEFAULT, value, hint);
    }

    /** Numbers in the form of German, French, Swiss and American spreadsheets, with the option that a keyboard has. */
    @Test
    void readsNumbersOfAllCountriesAsTheSameBytes() {
        List<char[]> countries = List.of(
                new char[] {',', '.', '.'},
                new char[] {',', '\u202F', ' '},
                new char[] {',', '\u00A0', ' '},
                new char[] {'.', '\u2019', '\''},
                new char[] {'.', ',', ','});
        Seeds.times(2000, random -> {
            char[] country = countries.get(random.nextInt(countries.size()));
            DecimalFormatSymbols symbols = DecimalFormatSymbols.getInstance(Locale.ROOT);
            symbols.setDecimalSeparator(country[0]);
            symbols.setGroupingSeparator(country[1]);
            ValueFormat format = separators(country[0], country[2]);
            int digits = random.nextInt(6);
            BigDecimal number = BigDecimal.valueOf(random.nextLong() >> random.nextInt(64), digits);
            String pattern = "#,##0" + (digits == 0 ? "" : "." + "0".repeat(digits));
            String text = new DecimalFormat(pattern, symbols).format(number);
            String spaces = List.of("", " ", "\u00A0").get(random.nextInt(3));

            assertThat(parse(DataTypes.DECIMAL, format, spaces + text + spaces))
                    .as(text)
                    .isEqualTo(plain(DataTypes.DECIMAL, number.toPlainString()));
            assertThat(parse(DataTypes.DOUBLE, format, text))
                    .as(text)
                    .isEqualTo(plain(DataTypes.DOUBLE, number.toPlainString()));
            if (digits == 0) {
                assertThat(parse(DataTypes.BIGINT, format, text)).isEqualTo(plain(DataTypes.BIGINT, number.toString()));
            }
            byte[] value = plain(DataTypes.DECIMAL, number.toPlainString());
            assertThat(parse(DataTypes.DECIMAL, format, write(DataTypes.DECIMAL, format, value)))
                    .isEqualTo(value);
        });
    }

    /** Spreadsheets keep a time as a double, and write 15 digits of it. */
    @Test
    void readsDaysAsTheSameTimes() {
        Seeds.times(2000, random -> {
            LocalDateTime time = LocalDate.of(1900, 3, 1)
                    .plusDays(random.nextInt(100_000))
                    .atTime(LocalTime.ofSecondOfDay(random.nextInt(86_400)));
            if (random.nextBoolean()) {
                time = time.plus(random.nextInt(1000), ChronoUnit.MILLIS);
            }
            long day = ChronoUnit.DAYS.between(LocalDate.of(1899, 12, 30), time.toLocalDate());
            long millis = time.toLocalTime().toNanoOfDay() / 1_000_000;
            byte[] expected = plain(DataTypes.TIMESTAMP, time.toInstant(ZoneOffset.UTC) + "");
            String serial = serial(day + millis / 86_400_000.0, random);

            assertThat(parse(DataTypes.TIMESTAMP, SERIAL, serial)).as(serial).isEqualTo(expected);
            String written = write(DataTypes.TIMESTAMP, SERIAL, expected);
            assertThat(parse(DataTypes.TIMESTAMP, SERIAL, written)).as(written).isEqualTo(expected);
            byte[] date = plain(DataTypes.DATE, time.toLocalDate().toString());
            assertThat(write(DataTypes.DATE, SERIAL, date)).isEqualTo("" + day);
            assertThat(parse(DataTypes.DATE, SERIAL, "" + day)).isEqualTo(date);
            byte[] ofDay = plain(DataTypes.TIME, time.toLocalTime().toString());
            assertThat(parse(DataTypes.TIME, SERIAL, serial(millis / 86_400_000.0, random)))
                    .isEqualTo(ofDay);
            assertThat(parse(DataTypes.TIME, SERIAL, write(DataTypes.TIME, SERIAL, ofDay)))
                    .isEqualTo(ofDay);
        });
    }

    private static String serial(double value, Random random) {
        BigDecimal exact = new BigDecimal(value);
        return (random.nextBoolean()
                        ? exact.round(new MathContext(15, RoundingMode.HALF_UP))
                        : exact.setScale(14, RoundingMode.HALF_UP))
                .toPlainString();
    }

    @ParameterizedTest
    @CsvSource({
        "45292, 2024-01-01",
        "45292.5, 2024-01-01T12:00:00",
        "' 45292.25 ', 2024-01-01T06:00:00",
        "45292.54542, 2024-01-01T13:05:24",
        "45292.545138888891, 2024-01-01T13:05:00",
        "45292.3333333333, 2024-01-01T08:00:00",
        "45292.00000289352, 2024-01-01T00:00:00.250",
        "61, 1900-03-01",
        "2958465, 9999-12-31"
    })
    void readsDays(String serial, String time) {
        assertThat(parse(DataTypes.TIMESTAMP, SERIAL, serial)).isEqualTo(plain(DataTypes.TIMESTAMP, time));
    }

    @Test
    void readsDaysInTheZoneAndWithADecimalComma() {
        ValueFormat german = SERIAL.toBuilder()
                .zone(ZoneId.of("Europe/Berlin"))
                .decimalSeparator(',')
                .build();

        byte[] noon = plain(DataTypes.TIMESTAMP, "2024-07-01T10:00Z");
        assertThat(parse(DataTypes.TIMESTAMP, german, "45474,5")).isEqualTo(noon);
        assertThat(write(DataTypes.TIMESTAMP, german, noon)).isEqualTo("45474,500000000000");
        // 31 March 2024, 02:30
        assertBad(DataTypes.TIMESTAMP, german, "45382,1041666667")
                .hasMessageContaining("is a time that the clocks of Europe/Berlin have left out");
    }

    @Test
    void refusesDaysThatMayMeanSeveralTimes() {
        assertBad(DataTypes.DATE, SERIAL, "60")
                .hasMessage("is date, but 60 is out of range (61, 1900-03-01 to 2958465, 9999-12-31)");
        assertBad(DataTypes.DATE, SERIAL, "99999999999999999999").hasMessageContaining("is out of range");
        assertBad(DataTypes.DATE, SERIAL, "45292.5").hasMessage("is date, but 45292.5 has a time of day");
        assertBad(DataTypes.TIMESTAMP, SERIAL, "45292.54")
                .hasMessage("is timestamp, but 45292.54 has too few digits to say the second: format the cells as date"
                        + " and time");
        assertBad(DataTypes.TIME, SERIAL, "1")
                .hasMessage("is time, but 1 is out of range (0 to a day, which is 1, without its end)");
        assertBad(DataTypes.TIME, SERIAL, "0.999999999999").hasMessageContaining("is out of range");
        for (String text : List.of("2024-01-01", "-45292", "4e4", "45.292.5", ".5", "45292.", "", "x")) {
            assertBad(DataTypes.TIMESTAMP, SERIAL, text)
                    .hasMessage("is timestamp as a number of days (\"excel\"), got \"" + text + "\"");
        }
        assertThatThrownBy(() -> write(DataTypes.DATE, SERIAL, plain(DataTypes.DATE, "1900-02-28")))
                .hasMessageContaining("a day before 1900-03-01 or after 9999-12-31 cannot be written");
    }

    @Test
    void showsANumberWithSeparatorsAsItIsInTheFile() {
        ValueFormat german = separators(',', ValueFormat.NO_GROUPING);
        assertBad(DataTypes.INT, german, "5,5").hasMessage("is int, got \"5,5\"");
        assertBad(DataTypes.DOUBLE, german, "1.234,5").hasMessage("is double, got \"1.234,5\"");
        assertHint(DataTypes.DOUBLE, german, "1.234,5", "; if \".\" separates thousands, give groupingSeparator .");
        assertHint(DataTypes.DOUBLE, german, "1.5", "; it has a point, and decimalSeparator is ,");
        assertHint(
                DataTypes.DOUBLE,
                separators('.', ','),
                "1\u00A0234",
                "; if \" \" separates thousands, give groupingSeparator \" \"");
        assertBad(DataTypes.DOUBLE, separators(',', ' '), "1 234\u00A0567");
    }

    @Test
    void suggestsWhatToDoAboutCells() {
        String trim = "; it has a no-break space at its end, or before it: give trim";
        assertHint(DataTypes.INT, "\u00A05", trim);
        assertHint(DataTypes.DOUBLE, "5\u202F", trim);
        assertHint(DataTypes.DECIMAL, " ", "; if blank fields are missing values, give trim");
        String end = ": format the cells as plain numbers, or compute the column with set";
        assertHint(DataTypes.INT, "'5", "; it has an apostrophe, by which spreadsheets mark text" + end);
        assertHint(DataTypes.INT, "(5)", "; it has brackets, which may mean that it is negative" + end);
        assertHint(DataTypes.DOUBLE, "12 %", "; it has a percent sign" + end);
        assertHint(DataTypes.DOUBLE, "$5.00", "; it has a currency sign" + end);
        assertHint(DataTypes.DOUBLE, separators(',', '.'), "5,00 €", "; it has a currency sign" + end);
        assertHint(DataTypes.DOUBLE, "\u22125", "; it has a minus sign that is no hyphen" + end);
        assertHint(DataTypes.DOUBLE, "5-", "; it has its sign at the end" + end);
        assertHint(
                DataTypes.BIGINT,
                "1.23E+05",
                "; a spreadsheet has rounded it: format the cells as numbers without decimals, and export them again");
        for (DataType type :
                List.of(DataTypes.INT, DataTypes.DOUBLE, DataTypes.DATE, DataTypes.TIMESTAMP, DataTypes.BOOLEAN)) {
            assertHint(
                    type,
                    "#N/A",
                    "; it is an error of a formula in a spreadsheet: mend the cell, or if it stands for a missing"
                            + " value, give nullWords \"#N/A\"");
        }
        assertHint(
                DataTypes.BOOLEAN, "Falsch", "; if it means true or false, give trueWords WAHR and falseWords FALSCH");
    }

    @Test
    void suggestsPatternsByTheOrderOfDayAndMonth() {
        assertHint(
                DataTypes.DATE,
                "03/04/2024",
                "; if the day comes first, give datePattern \"dd/MM/yyyy\", and if the month does, \"MM/dd/yyyy\"");
        assertHint(
                DataTypes.TIMESTAMP,
                "1/2/24 1:05 PM",
                "; if the day comes first, give timestampPattern \"d/M/yy h:mm a\", and if the month does,"
                        + " \"M/d/yy h:mm a\"");
        assertHint(
                DataTypes.TIMESTAMP,
                "1/13/2024 13:05",
                "; give the pattern of such values with timestampPattern, for example \"M/dd/yyyy HH:mm\"");
        assertHint(
                DataTypes.DATE,
                "2.1.2024",
                "; give the pattern of such values with datePattern, for example \"d.M.yyyy\"");
        assertHint(DataTypes.DATE, "45292", "; if it counts days as spreadsheets do, give datePattern excel");
        assertHint(
                DataTypes.TIMESTAMP,
                "45292.5",
                "; if it counts days as spreadsheets do, give timestampPattern excel; if seconds, epochUnit seconds");
        assertHint(DataTypes.TIME, "0,5", "; if it is a part of a day, as in spreadsheets, give timePattern excel");
    }
}
