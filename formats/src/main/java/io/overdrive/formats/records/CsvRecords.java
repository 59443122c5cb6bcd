package io.overdrive.formats.records;

import com.fasterxml.jackson.core.JsonParser;
import de.siegmar.fastcsv.reader.AbstractBaseCsvCallbackHandler;
import de.siegmar.fastcsv.reader.CommentStrategy;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.RecordType;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;

/**
 * The records of CSV blocks of one file. Confined to one thread; on the hot path, where FastCSV hands over fields without an
 * object for each. FastCSV does not support an escape character: text in which it counts only in quotes is converted before
 * ({@link EscapesInQuotes}); text in which it counts anywhere is parsed by commons-csv, several times slower.
 *
 * <p>A block is parsed in ranges: the whole block in one, unless a record is malformed. That record is rejected, and
 * the next range starts after it, small at first, because everything before the next malformed record is decoded a
 * second time.
 *
 * <p>A record's location in the block is only needed when it is rejected. It is then found by its number in the range,
 * with the scanner that also cuts blocks.
 */
final class CsvRecords {
    private static final int SMALL_RANGE_BYTES = 2048;
    private static final byte[] NOTHING = {};
    /** Maximum names in a header; a request has at most as many values. */
    private static final int MAX_NAMES = 65_535;

    /** Noncharacters: one of them stands for "no quote". */
    private static final String NEVER_IN_TEXT = "\uFFFF\uFFFE\uFDD0";

    private static final Pattern LINE_IN_MESSAGE = Pattern.compile(
            " \\(record starting at line \\d+\\)|^\\(startline \\d+\\) | at line: \\d+, position: \\d+");

    private final FileHeader header;
    private final InputFormat format;
    private final CsvScanner scanner;
    private final CsvScanner rawScanner;

    private @Nullable Block block;
    private @Nullable RecordHandler handler;
    private byte[] bytes = NOTHING;
    private int rangeTo;
    private long rangeLine;
    private long position;
    /** Number of the current item in the range; -1 before the first. */
    private int item;

    private long itemLine;
    private boolean begun;
    /** Where the current item, or one before it, starts. */
    private int markedItem;

    private int markedFrom;

    CsvRecords(FileHeader header) {
        this.header = header;
        format = header.format();
        scanner = header.csvScanner();
        rawScanner = header.csvScanner();
    }

    FileHeader header() {
        return header;
    }

    void parse(Block parsed, RecordHandler to) {
        try {
            parseRanges(parsed, to);
        } finally {
            bytes = NOTHING; // a block may be large
            block = null;
        }
    }

    private void parseRanges(Block parsed, RecordHandler to) {
        block = parsed;
        handler = to;
        bytes = parsed.bytes;
        position = parsed.position();
        rangeLine = parsed.line();
        int from = 0;
        int length = parsed.length;
        int range = length;
        Iterator<CsvScanner.Overlong> overlong = parsed.overlong.iterator();
        CsvScanner.Overlong bad = overlong.hasNext() ? overlong.next() : null;
        while (from < length) {
            if (bad != null && from == bad.start()) {
                rejectOverlong(parsed, to, bad);
                from = bad.end();
                bad = overlong.hasNext() ? overlong.next() : null;
                continue;
            }
            int limit = bad == null ? length : bad.start();
            rangeTo = rangeEnd(from, range, limit);
            String text = Encodings.decode(bytes, from, rangeTo, header.encoding());
            if (text == null) {
                range = SMALL_RANGE_BYTES;
                rangeTo = firstUndecodable(from, rangeTo);
                if (rangeTo == from) {
                    from = rejectUndecodable(parsed, to, from, limit);
                    continue;
                }
                text = Encodings.decode(bytes, from, rangeTo, header.encoding());
            }
            item = -1;
            markedItem = 0;
            markedFrom = from;
            String reason = text == null ? null : parse(text);
            int next = rangeTo;
            if (reason == null) {
                range = (int) Math.min(4L * range, length);
            } else {
                next = reject(parsed, to, reason);
                range = SMALL_RANGE_BYTES;
            }
            if (next < length) {
                rangeLine += ByteScan.countLineEnds(bytes, from, next);
            }
            from = next;
        }
        if (position > parsed.endPosition()) {
            throw new IllegalStateException(header.file().name() + " line " + parsed.line()
                    + ": the block has more records than were counted when it was cut");
        }
    }

    /** The current record, without its line end. */
    byte[] raw() {
        markItem();
        int end = rawScanner.next(bytes, markedFrom, rangeTo, true);
        return Arrays.copyOfRange(bytes, markedFrom, withoutLineEnd(bytes, markedFrom, end));
    }

    static int withoutLineEnd(byte[] bytes, int from, int to) {
        int end = to;
        if (end > from && bytes[end - 1] == '\n') {
            end--;
        }
        if (end > from && bytes[end - 1] == '\r') {
            end--;
        }
        return end;
    }

    private void markItem() {
        while (markedItem < item) {
            markedFrom = rawScanner.next(bytes, markedFrom, rangeTo, true);
            markedItem++;
        }
    }

    private int rangeEnd(int from, int range, int length) {
        int to = from;
        while (to < length && to - from < range) {
            to = length - from <= range ? length : scanner.next(bytes, to, length, true);
        }
        return to;
    }

    private int firstUndecodable(int from, int to) {
        int itemFrom = from;
        while (itemFrom < to) {
            int itemTo = scanner.next(bytes, itemFrom, to, true);
            if (Encodings.decode(bytes, itemFrom, itemTo, header.encoding()) == null) {
                break;
            }
            itemFrom = itemTo;
        }
        return itemFrom;
    }

    private int rejectUndecodable(Block rejected, RecordHandler to, int from, int length) {
        int end = scanner.next(bytes, from, length, true);
        if (!scanner.isBlank()) {
            rejectWhole(
                    rejected,
                    to,
                    from,
                    end,
                    header.isTranscoded()
                            ? words -> "contains bytes that are not valid text in the file's encoding"
                            : words -> "contains bytes that are not valid " + header.encoding() + "; give the file's"
                                    + " encoding with " + words.of(JobOption.ENCODING));
        }
        rangeLine += ByteScan.countLineEnds(bytes, from, end);
        return end;
    }

    private void rejectOverlong(Block rejected, RecordHandler to, CsvScanner.Overlong record) {
        long quoteLine = rangeLine + ByteScan.countLineEnds(bytes, record.start(), record.quote());
        rejectWhole(
                rejected,
                to,
                record.start(),
                record.end(),
                words -> "the quote that opens on line " + quoteLine + " is not closed within "
                        + format.maxFieldLines() + " lines, so reading resumed at line " + (quoteLine + 1) + "; if the"
                        + " field really has more lines, raise " + words.of(ReadingSetting.MAX_FIELD_LINES)
                        + "; if quotes are not special in this file, load it with " + words.of(JobOption.QUOTE)
                        + " ''");
        rangeLine = quoteLine + 1;
    }

    private void rejectWhole(Block rejected, RecordHandler to, int from, int end, MessageText reason) {
        item = 0;
        markedItem = 0;
        markedFrom = from;
        rangeTo = end;
        to.begin(rejected, rangeLine, position);
        to.malformed(rejected, rangeLine, position++, raw(), reason);
    }

    /** Rejects the current item. */
    private int reject(Block rejected, RecordHandler to, String reason) {
        if (!begun) {
            to.begin(rejected, itemLine, position);
        }
        byte[] raw = raw();
        int lineEnds = ByteScan.countLineEnds(raw, 0, raw.length);
        String extent = lineEnds == 0 ? "" : "; the record goes from line " + itemLine + " to " + (itemLine + lineEnds);
        MessageText hint = EscapeHint.of(header, raw);
        to.malformed(rejected, itemLine, position++, raw, words -> reason + extent + hint.in(words));
        return rawScanner.next(bytes, markedFrom, rangeTo, true);
    }

    /** Returns why the current item is malformed, or null. */
    private @Nullable String parse(String text) {
        if (format.escape() == null) {
            return parseFast(text);
        }
        return switch (format.escaping()) {
            case ANYWHERE -> parseEscaped(text);
            case IN_QUOTES -> parseFast(EscapesInQuotes.toDoubledQuotes(text, format));
        };
    }

    private @Nullable String parseFast(String text) {
        boolean comments = format.comment() != null;
        Iterator<Object> records = CsvReader.builder()
                .fieldSeparator(String.valueOf(format.delimiter()))
                .quoteCharacter(quote(text))
                .commentStrategy(comments ? CommentStrategy.SKIP : CommentStrategy.NONE)
                .commentCharacter(comments ? format.comment() : '#')
                .allowUnclosedQuote(false)
                .trimWhitespacesAroundQuotes(format.trims())
                .maxBufferSize(Integer.MAX_VALUE)
                .build(format.trims() ? new TrimmedFields() : new Fields(), text)
                .iterator();
        try {
            // one call parses all, as no record is ever built
            boolean none = !records.hasNext();
            assert none;
            return null;
        } catch (CsvParseException e) {
            // FastCSV wraps exceptions of a handler
            if (e.getCause() instanceof RuntimeException thrownByHandler) {
                throw thrownByHandler;
            }
            if (e.getCause() instanceof Error thrownByHandler) {
                throw thrownByHandler;
            }
            return reason(e.getMessage());
        }
    }

    private char quote(String text) {
        if (format.quote() != null) {
            return format.quote();
        }
        int i = 0;
        while (i < NEVER_IN_TEXT.length() - 1 && text.indexOf(NEVER_IN_TEXT.charAt(i)) >= 0) {
            i++;
        }
        return NEVER_IN_TEXT.charAt(i);
    }

    /** The parser's message without its line numbers, which count from the start of the range. */
    private static String reason(@Nullable String message) {
        return LINE_IN_MESSAGE.matcher(String.valueOf(message)).replaceAll("");
    }

    private class Fields extends AbstractBaseCsvCallbackHandler<Object> {
        private final RecordHandler to = requireNonNull(handler);
        private final Block from = requireNonNull(block);

        @Override
        protected void handleBegin(long line) {
            item++;
            begun = false;
            itemLine = rangeLine + line - 1;
        }

        @Override
        protected void handleField(int index, char[] chars, int offset, int length, boolean quoted) {
            if (index == 0) {
                begun = true;
                to.begin(from, itemLine, position);
            }
            to.field(index, chars, offset, offset + length, quoted);
        }

        @Override
        protected @Nullable Object buildRecord() {
            if (getRecordType() == RecordType.DATA) {
                to.end(getFieldCount());
                position++;
            }
            return null;
        }
    }

    /** Leaves out spaces around fields, except in quotes. */
    private final class TrimmedFields extends Fields {
        @Override
        protected void handleField(int index, char[] chars, int offset, int length, boolean quoted) {
            int from = offset;
            int to = offset + length;
            while (!quoted && from < to && ValueText.isAnySpace(chars[from])) {
                from++;
            }
            while (!quoted && from < to && ValueText.isAnySpace(chars[to - 1])) {
                to--;
            }
            super.handleField(index, chars, from, to - from, quoted);
        }
    }

    private @Nullable String parseEscaped(String text) {
        RecordHandler to = requireNonNull(handler);
        Block from = requireNonNull(block);
        itemLine = rangeLine;
        CSVFormat csv = CSVFormat.DEFAULT
                .builder()
                .setDelimiter(String.valueOf(format.delimiter()))
                .setQuote(format.quote())
                .setEscape(format.escape())
                .setCommentMarker(format.comment())
                .setIgnoreEmptyLines(true)
                .get();
        int itemTo = markedFrom;
        try (CSVParser parser = CSVParser.parse(text, csv)) {
            Iterator<CSVRecord> records = parser.iterator();
            while (true) {
                CSVRecord record;
                String malformed = null;
                try {
                    record = records.hasNext() ? records.next() : null;
                } catch (UncheckedIOException e) {
                    record = null;
                    malformed =
                            reason(e.getCause() == null ? null : e.getCause().getMessage());
                }
                if (record == null && malformed == null) {
                    return null;
                }
                itemTo = nextEscaped(itemTo);
                if (malformed == null && scanner.endsEscaped()) {
                    malformed = "The line end after the last record is escaped, so it is part of its last field";
                }
                begun = false;
                if (record == null || malformed != null) {
                    return malformed;
                }
                begun = true;
                to.begin(from, itemLine, position);
                for (int i = 0; i < record.size(); i++) {
                    char[] chars = record.get(i).toCharArray();
                    to.field(i, chars, 0, chars.length, scanner.isQuoted(i));
                }
                to.end(record.size());
                position++;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("a string cannot fail to be read", e);
        }
    }

    /** Moves on to the next record, which starts at or after {@code from}; returns its end. */
    private int nextEscaped(int from) {
        int start = from;
        int end;
        do {
            itemLine += ByteScan.countLineEnds(bytes, markedFrom, start);
            markedFrom = start;
            item++;
            markedItem = item;
            end = scanner.next(bytes, start, rangeTo, true);
            start = end;
        } while (scanner.isBlank() && end < rangeTo);
        return end;
    }

    /** The names in a header record. */
    static List<String> parseHeader(FileHeader header, byte[] raw, long line) {
        Names names = new Names(header, line);
        new CsvRecords(header).parse(new Block(header, raw, raw.length, false, List.of(), line, 0, 1), names);
        return List.copyOf(names.names);
    }

    private static final class Names implements RecordHandler {
        private final FileHeader header;
        private final long line;
        private final List<String> names = new ArrayList<>();

        Names(FileHeader header, long line) {
            this.header = header;
            this.line = line;
        }

        @Override
        public void begin(Block block, long line, long position) {}

        @Override
        public void field(int index, char[] chars, int from, int to, boolean quoted) {
            if (index == MAX_NAMES) {
                throw new OverdriveException(
                        Kind.INPUT,
                        words -> header.file().name() + " line " + line + ": the header has more than " + MAX_NAMES
                                + " fields, and no table has as many columns; is this the right "
                                + words.of(JobOption.DELIMITER) + ", and is it a header ("
                                + words.of(JobOption.NO_HEADER) + ")?");
            }
            names.add(new String(chars, from, to - from));
        }

        @Override
        public void field(String name, JsonParser json) {
            throw new IllegalStateException("a CSV header is not JSON");
        }

        @Override
        public void end(int fieldCount) {}

        @Override
        public void malformed(Block block, long ignored, long position, byte[] raw, MessageText reason) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> header.file().name() + " line " + line + ": the header cannot be read: "
                            + reason.in(words));
        }
    }

    private static <T> T requireNonNull(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("no block is being parsed");
        }
        return value;
    }
}
