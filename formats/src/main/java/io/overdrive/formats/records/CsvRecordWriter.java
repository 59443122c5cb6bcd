package io.overdrive.formats.records;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.formats.text.CellCounts;
import io.overdrive.formats.text.TextForms;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes CSV. Values are written unquoted and then checked; the few that need quotes are shifted. Confined to one
 * thread; on the hot path.
 *
 * <p>A value is quoted if it contains a delimiter, a quote, an escape character or a line end; if it is the first of
 * its record and looks like a comment or a byte order mark; and if it is text that is empty, equals the null word, or begins or ends with a
 * space, which readers may leave out.
 * Readers ignore quotes around values that are not text, and take words like NULL for missing even there (see {@link
 * NullWords}): if such a value looks like one, as Base64 and the booleans' words may, a space after it makes the
 * difference.
 *
 * <p>A record of a single column without a value is an empty line, which readers skip.
 */
final class CsvRecordWriter implements RecordWriter {
    /** A reader refuses fields with more lines, by default. */
    private static final int MAX_FIELD_LINES =
            ReadingSetting.MAX_FIELD_LINES.requireDefault().intValue();

    private static final int NONE = Integer.MIN_VALUE;

    /** Maximum of a character in UTF-8, of one UTF-16 unit. */
    private static final int MAX_CHAR_BYTES = 3;

    private final ValueText[] writers;
    private final String[] columns;
    private final String[] labels;
    private final boolean header;
    /** Whether each column's values are written as JSON. */
    private final boolean[] asJson;

    private final byte[] delimiter;
    private final int quote;
    private final int escape;
    private final int comment;
    private final byte[] nullWord;
    private final byte[][] nullTexts;
    private final byte[][] nullsOfOthers;
    private final int maxNullLength;
    private int overlongFieldLines;
    /** Bytes that need quotes around them; for a delimiter only its first byte is checked. */
    private final boolean[] special = new boolean[256];

    CsvRecordWriter(OutputFormat format, List<String> columns, ValueText[] writers) {
        this.writers = writers;
        this.columns = columns.toArray(String[]::new);
        labels = labels(columns);
        header = format.header();
        asJson = new boolean[writers.length];
        for (int i = 0; i < writers.length; i++) {
            asJson[i] = writers[i].isNested() && format.nesting() == OutputFormat.Nesting.JSON;
        }
        delimiter = TextForms.utf8(format.delimiter());
        quote = orNone(format.quote());
        escape = orNone(format.escape());
        comment = orNone(format.comment());
        nullWord = TextForms.utf8(format.nullWord());
        nullTexts = nullWord.length == 0 ? new byte[0][] : new byte[][] {nullWord};
        List<byte[]> words = new ArrayList<>(List.of(nullTexts));
        NullWords.USUAL.forEach(word -> words.add(TextForms.utf8(word)));
        nullsOfOthers = words.toArray(byte[][]::new);
        maxNullLength = words.stream().mapToInt(word -> word.length).max().orElse(0);
        special['\n'] = true;
        special['\r'] = true;
        special[delimiter[0] & 0xFF] = true;
        if (quote != NONE) {
            special[quote] = true;
        }
        if (escape != NONE) {
            special[escape] = true;
        }
    }

    private static int orNone(@Nullable Character c) {
        return c == null ? NONE : c;
    }

    /** How messages name the columns. */
    static String[] labels(List<String> columns) {
        return columns.stream().map(column -> "column \"" + column + '"').toArray(String[]::new);
    }

    @Override
    public void header(Bytes out) {
        if (!header) {
            return;
        }
        for (int i = 0; i < columns.length; i++) {
            if (i > 0) {
                out.put(delimiter);
            }
            int start = out.length();
            out.put(TextForms.utf8(columns[i]));
            try {
                protect(i, "text", /* isText */ true, start, out);
            } catch (BadValueException e) {
                throw new OverdriveException(Kind.INPUT, "the name of " + labels[i] + " " + e.getMessage(), e);
            }
        }
        end(out);
    }

    @Override
    public void begin(Bytes out) {
        // the first cell is the start
    }

    @Override
    public void cell(int index, byte[] from, int offset, int length, Bytes out) {
        if (index > 0) {
            out.put(delimiter);
        }
        ValueText writer = writers[index];
        if (writer.isNull(length)) {
            out.put(nullWord);
            return;
        }
        int start = out.length();
        try {
            if (asJson[index]) {
                writer.writeJson(from, offset, length, out);
            } else {
                writer.write(from, offset, length, out);
            }
            protect(index, writer.type, writer.isText(), start, out);
        } catch (BadValueException e) {
            throw e.inside(labels[index]);
        }
    }

    @Override
    public void end(Bytes out) {
        out.putByte('\n');
    }

    @Override
    public CellCounts counts(int column) {
        return writers[column];
    }

    @Override
    public int overlongFieldLines() {
        return overlongFieldLines;
    }

    /** Quotes or escapes the field written from {@code start} on as needed for it to be read as the same value. */
    private void protect(int index, String type, boolean isText, int start, Bytes out) {
        int length = out.length() - start;
        boolean looksNull = length <= maxNullLength && isNullWord(isText, out.array(), start, length);
        if (looksNull && !isText) {
            out.putByte(' ');
        }
        byte[] a = out.array();
        int end = out.length();
        boolean[] isSpecial = special;
        int i = start;
        while (i < end && !isSpecial[a[i] & 0xFF]) {
            i++;
        }
        boolean looksOther = (looksNull && isText)
                || (index == 0 && (startsWith(a, start, end, Encodings.UTF_8_MARK) || setsDelimiter(a, start, end)));
        boolean comments = index == 0 && start < end && a[start] == comment;
        boolean hasSpace = isText && quote != NONE && hasSpaceAtEnds(a, start, end);
        if (i == end && !looksOther && !comments && !hasSpace) {
            return;
        }
        if (quote != NONE) {
            putQuotes(start, out);
        } else if (looksOther) {
            throw needsQuotes(type, Arrays.copyOfRange(a, start, end));
        } else {
            escape(type, start, out);
        }
    }

    private static boolean hasSpaceAtEnds(byte[] a, int start, int end) {
        int last = end - 1;
        while (last > start && (a[last] & 0xC0) == 0x80) {
            last--;
        }
        return start < end && (isSpace(a, start, end) || isSpace(a, last, end));
    }

    /** Whether a character in UTF-8 is a space; of those below it, control characters count, too. */
    private static boolean isSpace(byte[] a, int at, int end) {
        byte lead = a[at];
        if (lead >= 0) {
            return lead <= ' ';
        }
        boolean isOfTwo = (lead & 0xE0) == 0xC0 && at + 1 < end;
        boolean isOfThree = (lead & 0xF0) == 0xE0 && at + 2 < end;
        return isOfTwo && ValueText.isAnySpace((char) ((lead & 0x1F) << 6 | (a[at + 1] & 0x3F)))
                || isOfThree
                        && ValueText.isAnySpace(
                                (char) ((lead & 0x0F) << 12 | (a[at + 1] & 0x3F) << 6 | (a[at + 2] & 0x3F)));
    }

    /** Whether the field, or it and a delimiter, would be the line that sets the delimiter if it were the first one of a file. */
    private static boolean setsDelimiter(byte[] a, int start, int end) {
        return end - start >= 4
                && end - start <= 4 + MAX_CHAR_BYTES
                && (a[start] | 0x20) == 's'
                && (a[start + 1] | 0x20) == 'e'
                && (a[start + 2] | 0x20) == 'p'
                && a[start + 3] == '=';
    }

    private boolean isNullWord(boolean isText, byte[] a, int start, int length) {
        if (length == 0) {
            return true;
        }
        for (byte[] word : isText ? nullTexts : nullsOfOthers) {
            if (word.length == length && startsWith(a, start, start + length, word)) {
                return true;
            }
        }
        return false;
    }

    private static boolean startsWith(byte[] a, int start, int end, byte[] word) {
        if (end - start < word.length) {
            return false;
        }
        for (int i = 0; i < word.length; i++) {
            if (a[start + i] != word[i]) {
                return false;
            }
        }
        return true;
    }

    /** Shifts the field, from its end backwards, to make room for the quotes. */
    private void putQuotes(int start, Bytes out) {
        int end = out.length();
        int added = 2;
        byte[] a = out.array();
        if (end - start > MAX_FIELD_LINES) {
            int lines = ByteScan.countLineEnds(a, start, end);
            if (lines > MAX_FIELD_LINES) {
                overlongFieldLines = Math.max(overlongFieldLines, lines);
            }
        }
        for (int i = start; i < end; i++) {
            added += a[i] == quote || a[i] == escape ? 1 : 0;
        }
        out.reserve(added);
        a = out.array();
        int mark = escape == NONE ? quote : escape;
        int to = end + added;
        a[--to] = (byte) quote;
        for (int i = end - 1; i >= start; i--) {
            byte b = a[i];
            a[--to] = b;
            if (b == quote || b == escape) {
                a[--to] = (byte) mark;
            }
        }
        a[start] = (byte) quote;
        out.advance(added);
    }

    /** Escapes special characters of a field without quotes, if there is an escape character. */
    private void escape(String type, int start, Bytes out) {
        byte[] field = Arrays.copyOfRange(out.array(), start, out.length());
        out.truncate(start);
        for (int i = 0; i < field.length; i++) {
            byte b = field[i];
            if (b == '\n'
                    || b == '\r'
                    || b == escape
                    || (i == 0 && b == comment)
                    || (b == delimiter[0] && startsWith(field, i, field.length, delimiter))) {
                if (escape == NONE) {
                    throw needsQuotes(type, field);
                }
                out.putByte(escape);
            }
            out.putByte(b == '\n' ? 'n' : b == '\r' ? 'r' : b);
        }
    }

    private static BadValueException needsQuotes(String type, byte[] field) {
        char[] shown = new String(field, StandardCharsets.UTF_8).toCharArray();
        return new BadValueException("is " + type + ", but \"" + BadValueException.shown(shown, 0, shown.length)
                + "\" needs quotes, and there is no quote character; give one");
    }
}
