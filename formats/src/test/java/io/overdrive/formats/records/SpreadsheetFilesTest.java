package io.overdrive.formats.records;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * The same rows in files of several programs and countries, each with the options of docs/guides/loading.md. The files of LibreOffice are
 * its own; the others were written by hand in the form of theirs.
 */
class SpreadsheetFilesTest {
    private static final List<String> NAMES =
            List.of("id", "name", "active", "count", "price", "born", "seen", "opens");
    private static final List<DataType> TYPES = List.of(
            DataTypes.INT,
            DataTypes.TEXT,
            DataTypes.BOOLEAN,
            DataTypes.BIGINT,
            DataTypes.DOUBLE,
            DataTypes.DATE,
            DataTypes.TIMESTAMP,
            DataTypes.TIME);
    private static final List<List<String>> ROWS = List.of(
            List.of("1", "Müller", "true", "1234567", "1234.5", "2024-03-04", "2024-03-04T13:05:00Z", "13:05"),
            List.of("2", " B, \"C\" ", "false", "-12", "-0.25", "1999-12-31", "1999-12-31T23:59:59Z", "00:00:01"),
            List.of("3", "=x", "true", "0", "1000000", "2024-01-13", "2024-01-13T01:02:00Z", "06:00"));

    private static InputFormat.Builder csv() {
        return InputFormat.builder().kind(InputFormat.Kind.CSV);
    }

    private static ValueFormat.Builder german() {
        return ValueFormat.builder()
                .decimalSeparator(',')
                .groupingSeparator('.')
                .datePattern("dd.MM.yyyy")
                .timestampPattern("dd.MM.yyyy HH:mm:ss")
                .booleanWords(List.of("WAHR"), List.of("FALSCH"));
    }

    private static ValueFormat.Builder french() {
        return ValueFormat.builder()
                .decimalSeparator(',')
                .groupingSeparator(' ')
                .datePattern("dd/MM/yyyy")
                .timestampPattern("dd/MM/yyyy HH:mm:ss")
                .booleanWords(List.of("VRAI"), List.of("FAUX"));
    }

    private static ValueFormat.Builder american() {
        return ValueFormat.builder()
                .groupingSeparator(',')
                .datePattern("M/d/yyyy")
                .timestampPattern("M/d/yyyy H:mm:ss")
                .timePattern("h:mm:ss a");
    }

    private static void assertSameRows(String name, InputFormat format, ValueFormat values) throws Exception {
        Path file = Path.of(Objects.requireNonNull(SpreadsheetFilesTest.class.getResource("/spreadsheets/" + name))
                .toURI());
        Read read = Read.file(file, format);
        assertThat(read.headers).as(name).containsOnly(NAMES);
        assertThat(bytes(read.fields(), values)).as(name).isEqualTo(bytes(ROWS, ValueFormat.DEFAULT));
    }

    private static List<List<String>> bytes(List<List<String>> rows, ValueFormat values) {
        List<List<String>> all = new ArrayList<>();
        for (List<String> row : rows) {
            List<String> cells = new ArrayList<>();
            for (int i = 0; i < row.size(); i++) {
                Bytes out = new Bytes(64);
                char[] chars = row.get(i).toCharArray();
                ValueText.of(TYPES.get(i), values).parse(chars, 0, chars.length, out);
                cells.add(HexFormat.of().formatHex(out.toByteArray()));
            }
            all.add(cells);
        }
        return all;
    }

    @Test
    void readsFilesOfLibreOffice() throws Exception {
        assertSameRows("libreoffice-de.csv", csv().delimiter(";").build(), german().build());
        assertSameRows("libreoffice-fr.csv", csv().delimiter(";").build(), french().build());
        assertSameRows("libreoffice-us.csv", csv().build(), american().build());
    }

    @Test
    void readsFilesOfExcel() throws Exception {
        assertSameRows(
                "excel-de.csv",
                csv().encoding(Charset.forName("windows-1252")).trim(true).build(),
                german().build());
        assertSameRows("excel-de-unicode.txt", csv().delimiter("\t").build(), german().build());
        assertSameRows("excel-fr-utf8.csv", csv().delimiter(";").build(), french().build());
        assertSameRows(
                "excel-us-numbers.csv",
                csv().build(),
                ValueFormat.builder()
                        .datePattern("excel")
                        .timePattern("excel")
                        .timestampPattern("excel")
                        .build());
    }

    @Test
    void readsFilesOfGoogleSheets() throws Exception {
        assertSameRows("google-us.csv", csv().build(), american().build());
    }
}
