package io.overdrive.formats.records;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds record ends of CSV as the parsers in {@link CsvRecords} do. A quote is special only at the start of a field;
 * anything but a delimiter or a line end after a closing quote makes the record malformed, and the record then ends
 * with that line. So does the record of a quote that is not closed within the maximum number of lines: it ends with the
 * line on which that quote opens. If fields are trimmed, spaces may surround the quotes. Confined to one thread.
 */
final class CsvScanner implements RecordScanner {
    /**
     * A record with a quoted field of too many lines.
     *
     * @param quote where that field's quote opens
     */
    record Overlong(int start, int quote, int end) {}

    /** No byte; -1 would be the byte 0xFF. */
    private static final int NONE = Integer.MIN_VALUE;

    private static final int NOT_CLOSED = -1;
    private static final int OVERLONG = -2;

    private final byte[] delimiter;
    private final int quote;
    /** The escape character within quotes. */
    private final int escape;
    /** Outside of quotes. */
    private final int bareEscape;

    private final boolean trims;
    private final int comment;
    private final int maxFieldLines;
    private final boolean hops;
    private final BitSet quotedFields = new BitSet();
    private final List<Overlong> overlong = new ArrayList<>(0);
    private int overlongQuote;
    private boolean blank;
    private boolean endsEscaped;
    private int count;

    CsvScanner(InputFormat format, byte[] delimiter) {
        this.delimiter = delimiter;
        quote = orNone(format.quote());
        escape = orNone(format.escape());
        bareEscape = format.escaping() == InputFormat.Escaping.ANYWHERE ? escape : NONE;
        trims = format.trims();
        comment = orNone(format.comment());
        maxFieldLines = format.maxFieldLines();
        // With a delimiter of several characters, "::" before a quote may also be the tail of ":::".
        hops = !trims
                && bareEscape == NONE
                && comment == NONE
                && String.valueOf(format.delimiter()).length() == 1;
    }

    private static int orNone(@Nullable Character c) {
        return c == null ? NONE : c;
    }

    /** Whether the field of the record that {@link #next} found was in quotes. */
    boolean isQuoted(int field) {
        return quotedFields.get(field);
    }

    /** Whether the input ends with the record that {@link #next} found, and its line end was escaped: none is left to end it. */
    boolean endsEscaped() {
        return endsEscaped;
    }

    @Override
    public boolean isBlank() {
        return blank;
    }

    @Override
    public int countLineEnds(byte[] bytes, int from, int to) {
        return ByteScan.countLineEnds(bytes, from, to);
    }

    @Override
    public int count() {
        return count;
    }

    /** The records with a field of too many lines before the end that {@link #cut} returned, in order. */
    List<Overlong> overlong() {
        return overlong.isEmpty() ? List.of() : List.copyOf(overlong);
    }

    @Override
    public int cut(byte[] bytes, int to) {
        count = 0;
        overlong.clear();
        if (hops) {
            return hop(bytes, to);
        }
        int cut = 0;
        for (int end = next(bytes, 0, to, false); end >= 0; end = next(bytes, end, to, false)) {
            if (overlongQuote >= 0) {
                overlong.add(new Overlong(cut, overlongQuote, end));
            }
            cut = end;
            count++;
        }
        return cut;
    }

    /**
     * Jumps from quote to quote: outside of quotes a line end is a record end. The byte before a quote shows whether it
     * opens a field, so the bytes in between are only searched for line ends.
     */
    private int hop(byte[] bytes, int to) {
        int cut = 0;
        int pos = 0; // not within quotes
        while (true) {
            int open = quote == NONE ? -1 : ByteScan.indexOf(bytes, pos, to, quote);
            int end = lastLineEnd(bytes, pos, open < 0 ? to : open, to);
            if (end > 0) {
                count += ByteScan.countLineEnds(bytes, pos, end);
                cut = end;
            }
            if (open < 0) {
                return cut;
            }
            if (!startsField(bytes, open)) {
                pos = open + 1;
                continue;
            }
            int after = endOfQuoted(bytes, open + 1, to);
            if (after == OVERLONG) {
                pos = ByteScan.indexOfLineEnd(bytes, open, to);
                overlong.add(new Overlong(cut, open, ByteScan.afterLineEnd(bytes, pos, to, false)));
                continue;
            }
            if (after == NOT_CLOSED || after == to) {
                return cut;
            }
            pos = after;
            if (!isLineEnd(bytes[after]) && !isDelimiter(bytes, after, to)) {
                pos = ByteScan.indexOfLineEnd(bytes, after, to);
                if (pos < 0) {
                    return cut;
                }
            }
        }
    }

    private boolean startsField(byte[] bytes, int i) {
        if (i == 0 || isLineEnd(bytes[i - 1])) {
            return true;
        }
        int start = i - delimiter.length;
        return start >= 0 && isDelimiter(bytes, start, i);
    }

    /** The end of the last line that ends in {@code [from, to)}; 0 if there is none. May read one byte beyond. */
    private static int lastLineEnd(byte[] bytes, int from, int to, int limit) {
        for (int i = to - 1; i >= from; i--) {
            if (bytes[i] == '\n' || (bytes[i] == '\r' && i + 1 < limit)) {
                return i + 1;
            }
        }
        return 0;
    }

    @Override
    public int next(byte[] bytes, int from, int to, boolean last) {
        blank = false;
        endsEscaped = false;
        quotedFields.clear();
        overlongQuote = -1;
        if (from == to) {
            return -1;
        }
        int first = bytes[from];
        if (isLineEnd(first)) {
            blank = true;
            return ByteScan.afterLineEnd(bytes, from, to, last);
        }
        if (first == comment) {
            blank = true;
            return endOfLine(bytes, from, to, last);
        }
        int atEnd = last ? to : -1;
        int field = 0;
        boolean fieldStart = true;
        int i = from;
        while (i < to) {
            int b = bytes[i];
            if (fieldStart && trims && isTrimmed(b) && !isDelimiter(bytes, i, to)) {
                i++;
                continue;
            }
            if (fieldStart && b == quote) {
                quotedFields.set(field);
                int open = i;
                i = endOfQuoted(bytes, open + 1, to);
                if (i == OVERLONG) {
                    overlongQuote = open;
                    return endOfLine(bytes, open, to, last);
                }
                i = afterSpaces(bytes, i, to);
                if (i < 0 || i == to) {
                    return atEnd;
                }
                b = bytes[i];
                if (!isLineEnd(b) && !isDelimiter(bytes, i, to)) {
                    return endOfLine(bytes, i, to, last);
                }
            }
            if (isLineEnd(b)) {
                return ByteScan.afterLineEnd(bytes, i, to, last);
            }
            fieldStart = isDelimiter(bytes, i, to);
            if (fieldStart) {
                i += delimiter.length;
                field++;
            } else {
                i += b == bareEscape ? 2 : 1;
            }
        }
        endsEscaped = i == to && bareEscape != NONE && isLineEnd(bytes[to - 1]);
        return atEnd;
    }

    /** Where a record continues after a quoted field; or NOT_CLOSED or OVERLONG. */
    private int endOfQuoted(byte[] bytes, int from, int to) {
        int after = afterClosingQuote(bytes, from, to);
        int end = after == NOT_CLOSED ? to : after;
        // most fields are too short for that many lines
        boolean isOverlong = end - from > maxFieldLines && ByteScan.countLineEnds(bytes, from, end) > maxFieldLines;
        return isOverlong ? OVERLONG : after;
    }

    private int afterClosingQuote(byte[] bytes, int from, int to) {
        int i = from;
        while (true) {
            int close = escape == NONE ? ByteScan.indexOf(bytes, i, to, quote) : unescapedQuote(bytes, i, to);
            if (close < 0) {
                return NOT_CLOSED;
            }
            if (close + 1 == to || bytes[close + 1] != quote) {
                return close + 1;
            }
            i = close + 2;
        }
    }

    private int unescapedQuote(byte[] bytes, int from, int to) {
        int i = from;
        while (i < to && bytes[i] != quote) {
            i += bytes[i] == escape ? 2 : 1;
        }
        return i < to ? i : -1;
    }

    private boolean isDelimiter(byte[] bytes, int from, int to) {
        if (bytes[from] != delimiter[0] || from + delimiter.length > to) {
            return false;
        }
        for (int i = 1; i < delimiter.length; i++) {
            if (bytes[from + i] != delimiter[i]) {
                return false;
            }
        }
        return true;
    }

    private static int endOfLine(byte[] bytes, int from, int to, boolean last) {
        int lineEnd = ByteScan.indexOfLineEnd(bytes, from, to);
        if (lineEnd < 0) {
            return last ? to : -1;
        }
        return ByteScan.afterLineEnd(bytes, lineEnd, to, last);
    }

    private static boolean isLineEnd(int b) {
        return b == '\n' || b == '\r';
    }

    /** Skips what the parsers skip after a closing quote: commons-csv with an escape character, and FastCSV if fields are trimmed. */
    private int afterSpaces(byte[] bytes, int from, int to) {
        int i = from;
        while (i >= 0
                && i < to
                && ((bareEscape != NONE && isBlank(bytes[i])) || (trims && isTrimmed(bytes[i])))
                && !isDelimiter(bytes, i, to)) {
            i++;
        }
        return i;
    }

    /** Whether FastCSV skips the character around quotes. */
    private static boolean isTrimmed(int b) {
        return b >= 0 && b <= ' ' && !isLineEnd(b);
    }

    private static boolean isBlank(int b) {
        return b == ' ' || b == '\t' || b == '\f' || b == 0x0B || (b >= 0x1C && b <= 0x1F);
    }
}
