package io.overdrive.formats.records;

import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.CommentStrategy;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import de.siegmar.fastcsv.writer.QuoteStrategies;
import io.overdrive.Seeds;
import io.overdrive.formats.records.Read.Rec;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Cutting into blocks and parsing these gives the same as parsing the whole, wherever the cuts are. */
class CsvPropertyTest {
    private static final InputFormat PLAIN = csv().build();
    private static final int WHOLE = 1 << 16;

    private final Path directory;

    CsvPropertyTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private static InputFormat.Builder csv() {
        return InputFormat.builder().kind(InputFormat.Kind.CSV).header(false);
    }

    @Test
    void readsWhatAWriterWrote() {
        Seeds.times(400, random -> {
            String delimiter = List.of(",", ";", "\t", "é").get(random.nextInt(4));
            boolean comments = random.nextInt(4) == 0;
            List<List<String>> rows = new ArrayList<>();
            StringWriter text = new StringWriter();
            CsvWriter writer = CsvWriter.builder()
                    .fieldSeparator(delimiter.charAt(0))
                    .quoteStrategy(List.of(QuoteStrategies.ALWAYS, QuoteStrategies.REQUIRED, QuoteStrategies.NON_EMPTY)
                            .get(random.nextInt(3)))
                    .lineDelimiter(List.of(LineDelimiter.LF, LineDelimiter.CRLF, LineDelimiter.CR)
                            .get(random.nextInt(3)))
                    .build(text);
            for (int i = random.nextInt(30); i > 0; i--) {
                List<String> row = new ArrayList<>();
                for (int j = random.nextInt(5); j >= 0; j--) {
                    row.add(randomText(random, "abé\",;\t\n\r# 🐎"));
                }
                // an empty line is not a record
                row.set(0, "x" + row.get(0));
                rows.add(row);
                writer.writeRecord(row);
            }
            writer.close();
            InputFormat format =
                    csv().delimiter(delimiter).comment(comments ? '#' : null).build();

            Read read = Read.text(directory, text.toString(), format, 1 + random.nextInt(64));

            assertThat(read.fields()).isEqualTo(rows);
            assertThat(read.malformed()).isEmpty();
            assertRawsCover(text.toString(), format, read);
        });
    }

    @Test
    void readsNonsenseTheSameWhereverItIsCut() {
        Seeds.times(1000, random -> {
            String alphabet =
                    List.of("a,\"\n", "ab,\"\n\r", "ab,\"\"\"\n\r#é", "a,,\"\r").get(random.nextInt(4));
            String text = randomText(random, alphabet, random.nextInt(120));
            InputFormat format = csv().comment(random.nextInt(3) == 0 ? '#' : null)
                    .quote(random.nextInt(8) == 0 ? null : '"')
                    .build();
            assertCutsDoNotMatter(text, format, random);
        });
    }

    @Test
    void readsNonsenseWithLongDelimitersTheSameWhereverItIsCut() {
        Seeds.times(500, random -> {
            String text = randomText(random, "a:::\"\n\r#", random.nextInt(120));
            InputFormat format = csv().delimiter("::")
                    .comment(random.nextInt(3) == 0 ? '#' : null)
                    .build();
            assertCutsDoNotMatter(text, format, random);
        });
    }

    @Test
    void readsNonsenseWithSpacesTheSameWhereverItIsCut() {
        Seeds.times(1000, random -> {
            String alphabet =
                    List.of("a, \"\n", "a, \t\"\n\r#é", "a;; \"\"\r\u0001").get(random.nextInt(3));
            String text = randomText(random, alphabet, random.nextInt(120));
            InputFormat format = csv().trim(true)
                    .delimiter(List.of(",", "\t", ";;").get(random.nextInt(3)))
                    .comment(random.nextInt(3) == 0 ? '#' : null)
                    .quote(random.nextInt(8) == 0 ? null : '"')
                    .build();
            assertCutsDoNotMatter(text, format, random);
        });
    }

    private void assertCutsDoNotMatter(String text, InputFormat format, Random random) {
        Read whole = Read.text(directory, text, format, WHOLE);
        Read cut = Read.text(directory, text, format, 1 + random.nextInt(32));

        assertThat(withoutPosition(cut.records)).as(text).isEqualTo(withoutPosition(whole.records));
        assertRawsCover(text, format, cut);
        List<List<String>> expected = fastCsv(text, format);
        if (expected != null && format.trims()) {
            assertThat(stripped(cut.fields())).as(text).isEqualTo(stripped(expected));
        } else if (expected != null) {
            assertThat(cut.fields()).as(text).isEqualTo(expected);
        } else {
            assertThat(cut.malformed()).as(text).isNotEmpty();
        }
    }

    @Test
    void readsEscapedNonsenseAsCommonsCsvDoes() {
        Seeds.times(700, random -> {
            String text =
                    randomText(random, List.of("aN,\"\\\n", "a,\"\\\n\r# ").get(random.nextInt(2)), random.nextInt(80));
            InputFormat format = csv().escape('\\')
                    .comment(random.nextInt(3) == 0 ? '#' : null)
                    .build();

            Read whole = Read.text(directory, text, format, WHOLE);
            Read cut = Read.text(directory, text, format, 1 + random.nextInt(32));

            assertThat(withoutPosition(cut.records)).as(text).isEqualTo(withoutPosition(whole.records));
            assertRawsCover(text, format, cut);
            CSVFormat commons = CSVFormat.DEFAULT
                    .builder()
                    .setEscape('\\')
                    .setCommentMarker(format.comment())
                    .get();
            try (CSVParser parser = CSVParser.parse(text, commons)) {
                List<List<String>> expected =
                        parser.stream().map(each -> each.toList()).toList();
                boolean isEscapedEnd = !cut.malformed().isEmpty()
                        && String.valueOf(cut.malformed().get(0).reason())
                                .startsWith("The line end after the last record");
                if (isEscapedEnd) {
                    assertThat(text).containsPattern("\\\\[\n\r]$");
                    expected = expected.subList(0, expected.size() - 1);
                }
                assertThat(cut.records.stream()
                                .filter(each -> each.reason() == null)
                                .map(Rec::fields))
                        .as(text)
                        .isEqualTo(expected);
            } catch (UncheckedIOException e) {
                assertThat(cut.malformed()).as(text).isNotEmpty();
            }
        });
    }

    @Test
    void readsEscapesInQuotesWhereverItIsCut() {
        Seeds.times(700, random -> {
            String text =
                    randomText(random, List.of("a,\"\\\n", "a,\"\\\n\r# ").get(random.nextInt(2)), random.nextInt(80));
            InputFormat format = csv().escape('\\')
                    .escaping(InputFormat.Escaping.IN_QUOTES)
                    .comment(random.nextInt(3) == 0 ? '#' : null)
                    .build();
            Read whole = Read.text(directory, text, format, WHOLE);
            Read cut = Read.text(directory, text, format, 1 + random.nextInt(32));

            assertThat(withoutPosition(cut.records)).as(text).isEqualTo(withoutPosition(whole.records));
            assertRawsCover(text, format, cut);
        });
    }

    @Test
    void findsFieldsOfTooManyLinesWhereverItIsCut() {
        Seeds.times(500, random -> {
            boolean escapes = random.nextInt(4) == 0;
            String text = randomText(random, "a,\"\n\n\r" + (escapes ? "\\" : "\"é#"), random.nextInt(120));
            InputFormat format = csv().maxFieldLines(1 + random.nextInt(3))
                    .escape(escapes ? '\\' : null)
                    .comment(random.nextInt(3) == 0 ? '#' : null)
                    .maxRecords(random.nextInt(4) == 0 ? random.nextInt(10) : Long.MAX_VALUE)
                    .build();
            Read whole = Read.text(directory, text, format, WHOLE);
            Read cut = Read.text(directory, text, format, 1 + random.nextInt(32));

            assertThat(withoutPosition(cut.records)).as(text).isEqualTo(withoutPosition(whole.records));
            assertThat(cut.records)
                    .extracting(Rec::line)
                    .isEqualTo(whole.records.stream().map(Rec::line).toList());
            if (format.maxRecords() == Long.MAX_VALUE) {
                assertRawsCover(text, format, cut);
            }
        });
    }

    @Test
    void rejectsRecordsThatAreNoTextAndNoOthers() {
        Seeds.times(300, random -> {
            StringBuilder latin = new StringBuilder();
            List<List<String>> good = new ArrayList<>();
            List<String> bad = new ArrayList<>();
            int goodFirst = random.nextInt(10);
            for (int i = 0; i < 100; i++) {
                String row = i + ",\"" + randomText(random, "ab\n,") + "\"";
                if (random.nextInt(10) < goodFirst) {
                    good.add(List.of(String.valueOf(i), row.substring(row.indexOf('"') + 1, row.length() - 1)));
                } else {
                    row += ",\u00E9";
                    bad.add(row);
                }
                latin.append(row).append('\n');
            }
            byte[] bytes = latin.toString().getBytes(StandardCharsets.ISO_8859_1);

            Read read = Read.bytes(directory, "latin", bytes, PLAIN, 1 + random.nextInt(3000));

            assertThat(read.records.stream()
                            .filter(each -> each.reason() == null)
                            .map(Rec::fields))
                    .isEqualTo(good);
            assertThat(read.malformed()).extracting(Rec::raw).isEqualTo(bad);
            assertThat(read.malformed()).allSatisfy(each -> assertThat(each.reason())
                    .isEqualTo("contains bytes that are not valid UTF-8; give the file's encoding with encoding"));
        });
    }

    private static @Nullable List<List<String>> fastCsv(String text, InputFormat format) {
        try {
            List<List<String>> rows = new ArrayList<>();
            CsvReader.builder()
                    .fieldSeparator(format.delimiter() == null ? "," : format.delimiter())
                    .quoteCharacter(format.quote() == null ? '\uFFFF' : format.quote())
                    .commentStrategy(format.comment() == null ? CommentStrategy.NONE : CommentStrategy.SKIP)
                    .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
                    .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
                    .allowUnclosedQuote(false)
                    .trimWhitespacesAroundQuotes(format.trims())
                    .ofCsvRecord(text)
                    .stream()
                    .map(CsvRecord::getFields)
                    .forEach(rows::add);
            return rows;
        } catch (CsvParseException e) {
            return null;
        }
    }

    /** FastCSV leaves spaces out around quotes only. */
    private static List<List<String>> stripped(List<List<String>> rows) {
        return rows.stream()
                .map(row -> row.stream().map(String::strip).toList())
                .toList();
    }

    private static List<Object> withoutPosition(List<Rec> records) {
        List<Object> all = new ArrayList<>();
        records.forEach(
                each -> all.add(List.of(each.fields(), each.quoted(), each.raw(), String.valueOf(each.reason()))));
        return all;
    }

    /** Raw records, with the line ends, empty lines and comments between them, are the input. */
    private static void assertRawsCover(String text, InputFormat format, Read read) {
        int at = 0;
        for (Rec each : read.records) {
            at = afterBlanks(text, at, format);
            assertThat(text.substring(at)).as(text).startsWith(each.raw());
            at += each.raw().length();
            assertThat(at == text.length() || "\r\n".indexOf(text.charAt(at)) >= 0)
                    .as("%s in %s", each, text)
                    .isTrue();
        }
        assertThat(afterBlanks(text, at, format)).as(text).isEqualTo(text.length());
    }

    private static int afterBlanks(String text, int from, InputFormat format) {
        int at = from;
        while (at < text.length()) {
            char c = text.charAt(at);
            boolean lineStart = at == 0 || "\r\n".indexOf(text.charAt(at - 1)) >= 0;
            if (lineStart && format.comment() != null && c == format.comment()) {
                while (at < text.length() && "\r\n".indexOf(text.charAt(at)) < 0) {
                    at++;
                }
            } else if (c == '\r' || c == '\n') {
                at++;
            } else {
                break;
            }
        }
        return at;
    }

    private static String randomText(Random random, String alphabet) {
        return randomText(random, alphabet, random.nextInt(6));
    }

    private static String randomText(Random random, String alphabet, int length) {
        int[] points = alphabet.codePoints().toArray();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.appendCodePoint(points[random.nextInt(points.length)]);
        }
        return text.toString();
    }
}
