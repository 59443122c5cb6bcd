package io.overdrive.formats.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.OverdriveException;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.internal.codec.Bytes;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** CSV as spreadsheets write it. */
class SpreadsheetInputTest {
    private final Path directory;

    SpreadsheetInputTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private static InputFormat.Builder csv() {
        return InputFormat.builder().kind(InputFormat.Kind.CSV);
    }

    private Read read(String text, InputFormat format) {
        Read whole = Read.text(directory, text, format, BlockReader.BLOCK_BYTES);
        for (int blockBytes : new int[] {1, 5, 64}) {
            assertThat(Read.text(directory, text, format, blockBytes).records).isEqualTo(whole.records);
        }
        return whole;
    }

    @ParameterizedTest
    @ValueSource(strings = {"sep=;\r\n", "SEP=;\n", "\uFEFFsep=;\r", "Sep=;\n\n"})
    void takesTheDelimiterThatTheFirstLineSets(String line) {
        Read read = read(line + "id;name\r\n1;a,b\r\n", csv().build());

        assertThat(read.headers).containsOnly(List.of("id", "name"));
        assertThat(read.fields()).containsExactly(List.of("1", "a,b"));
    }

    @Test
    void takesTheDelimiterOfUtf16AndOfATab() {
        for (Charset encoding : List.of(StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE)) {
            byte[] bytes = "\uFEFFsep=\t\r\nid\tname\r\n1\tä\r\n".getBytes(encoding);
            Read read = Read.bytes(directory, "u.txt", bytes, csv().build(), 64);

            assertThat(read.headers).containsOnly(List.of("id", "name"));
            assertThat(read.fields()).containsExactly(List.of("1", "ä"));
        }
    }

    @Test
    void takesTheDelimiterOfAFileWithoutAHeader() {
        Read read = read("sep=;\n1;a\n2;b\n", csv().header(false).build());

        assertThat(read.fields()).containsExactly(List.of("1", "a"), List.of("2", "b"));
        assertThat(read.records.get(0).line()).isEqualTo(2);
    }

    @Test
    void refusesAnotherDelimiterThanTheFirstLineSets() {
        assertThat(read("sep=;\nid;a\n1;2\n", csv().delimiter(";").build()).fields())
                .containsExactly(List.of("1", "2"));
        assertThatThrownBy(() -> read("sep=;\nid,a\n1,2\n", csv().delimiter(",").build()))
                .isInstanceOf(OverdriveException.class)
                .hasMessageEndingWith("input line 1: the file sets its delimiter by \"sep=;\", and delimiter is \",\":"
                        + " leave the option out, or skip the line with skipLines 1");
        assertThat(read("sep=;\nid,a\n1,2\n", csv().delimiter(",").skipLines(1).build())
                        .fields())
                .containsExactly(List.of("1", "2"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"sep=;x\n1\n", "sep=\n1\n", "sep=a\n1\n", "sep\n1\n", "separate\n1\n", "s\n1\n", "x\nsep=;\n"})
    void leavesOtherFirstLinesAlone(String text) {
        Read read = read(text, csv().build());

        assertThat(read.headers).containsOnly(List.of(text.substring(0, text.indexOf('\n'))));
        assertThat(read.fields()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"sep=;", "sep=;\n", "s", ""})
    void readsFilesWithNothingBelowTheFirstLine(String text) {
        assertThat(read(text, csv().build()).records).isEmpty();
    }

    @Test
    void leavesOutSpacesAroundFields() {
        Read read = read(
                " id ; name\u00A0\r\n 1 ;\u202F a b\u00A0\r\n2; \" c ; \" \r\n3;\u00A0\r\n",
                csv().delimiter(";").trim(true).build());

        assertThat(read.headers).containsOnly(List.of("id", "name"));
        assertThat(read.fields()).containsExactly(List.of("1", "a b"), List.of("2", " c ; "), List.of("3", ""));
        assertThat(read.records.get(1).quoted()).containsExactly(false, true);
        assertThat(read.records.get(1).raw()).isEqualTo("2; \" c ; \" ");
        assertThat(read("a; \"b\"\n", csv().delimiter(";").header(false).build())
                        .fields())
                .containsExactly(List.of("a", " \"b\""));
    }

    @Test
    void doesNotTrimWhereAnEscapeCharacterMayStandBeforeASpace() {
        assertThatThrownBy(() -> csv().escape('\\').trim(true).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("trim is for files without an escape character, which may stand before a space: leave it"
                        + " out, or the escape character");
    }

    @Test
    void doesNotWriteALineThatSetsTheDelimiter() {
        for (List<String> record : List.of(List.of("sep=;"), List.of("Sep=", ""), List.of("sep=x"), List.of("a"))) {
            List<String> columns = record.size() == 1 ? List.of("a") : List.of("a", "b");
            RecordWriter writer = RecordWriter.of(
                    OutputFormat.builder(OutputFormat.Kind.CSV).header(false).build(),
                    columns,
                    columns.stream().map(column -> (DataType) DataTypes.TEXT).toList(),
                    ValueFormat.DEFAULT);
            Bytes out = new Bytes(64);
            writer.begin(out);
            for (int i = 0; i < record.size(); i++) {
                byte[] value = record.get(i).getBytes(StandardCharsets.UTF_8);
                writer.cell(i, value, 0, record.get(i).isEmpty() ? -1 : value.length, out);
            }
            writer.end(out);
            String written = new String(out.toByteArray(), StandardCharsets.UTF_8);

            assertThat(read(written, csv().header(false).build()).fields())
                    .as(written)
                    .containsExactly(record);
        }
    }
}
