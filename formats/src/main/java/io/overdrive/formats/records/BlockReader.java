package io.overdrive.formats.records;

import io.overdrive.OverdriveException;
import io.overdrive.formats.records.FileHeader.Layout;
import io.overdrive.internal.disk.WritableDirectory;
import io.overdrive.internal.names.JobOption;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Cuts one file into blocks. Used by one thread at a time; on the hot path of reading, which examines bytes only to
 * find record ends.
 *
 * <p>A buffer is filled before it is cut. The same file thus gives the same blocks and positions each time, which
 * {@link RecordLookup} relies on. A pipe, which can be read only once, is cut whenever it has no more data for now:
 * records need not wait for others that may come much later.
 *
 * <p>No buffer is larger than the maximum size of a record, so a record that does not fit into one is too long.
 */
final class BlockReader extends FileBlocks {
    static final int BLOCK_BYTES = 256 * 1024;

    /** The first line of files for Excel, which sets the delimiter. */
    private static final Pattern DELIMITER_LINE = Pattern.compile("sep=([^\\p{Alnum}\"'])", Pattern.CASE_INSENSITIVE);

    private final Pool pool;
    /** The delimiter that the user has given; null if the file's name decides. */
    private final @Nullable String givenDelimiter;

    private RecordScanner scanner = new JsonLines();
    private @Nullable InputStream stream;
    private byte[] buffer;
    private int start;
    private int end;
    private boolean ended;
    private @Nullable Exception damage;
    private boolean arrayIsOpen;
    private long line = 1;
    private long uncompressedBytes;
    private long recordsLeft;

    BlockReader(InputFile file, InputFormat format, Pool pool, RawBytes rawBytes, long firstPosition, boolean sample) {
        super(file, format, rawBytes, firstPosition, sample);
        this.pool = pool;
        givenDelimiter = format.delimiter();
        recordsLeft = format.maxRecords();
        buffer = pool.take();
    }

    @Override
    @Nullable Block next() {
        if (finished) {
            return end();
        }
        try {
            FileHeader known = header == null ? open() : header;
            while (!finished) {
                Block block = cut(known);
                if (block != null) {
                    gaveBlock = true;
                    return block;
                }
            }
            if (!gaveBlock && known.names() != null && !arrayIsOpen) {
                gaveBlock = true;
                return new Block(known, new byte[0], 0, /* inArray */ false, List.of(), line, position, position);
            }
        } catch (OverdriveException e) {
            close();
            throw e;
        }
        return end();
    }

    private @Nullable Block end() {
        if (arrayIsOpen) {
            arrayIsOpen = false;
            throw new OverdriveException(
                    OverdriveException.Kind.INPUT,
                    file.name() + " line " + line + ": the input ends inside the array of records: its ]"
                            + " is missing; the file is probably incomplete. Records before this line were read");
        }
        return null;
    }

    @Override
    long storedBytes() {
        if (finished || uncompressedBytes == 0) {
            return rawBytes.count() - rawBytesBefore;
        }
        double waiting = (double) (end - start) / uncompressedBytes;
        return Math.round((rawBytes.taken() - rawBytesBefore) * (1 - waiting));
    }

    private @Nullable Block cut(FileHeader known) {
        compact();
        boolean inArray = scanner instanceof JsonScanner json && json.inArray();
        int cut = file.isRereadable() ? 0 : scanner.cut(buffer, end); // a pipe may have no more data for long
        if (cut == 0) {
            fill();
            cut = scanner.cut(buffer, end);
        }
        int records = scanner.count();
        if (ended && damage == null) {
            arrayIsOpen = scanner instanceof JsonScanner json && json.isArrayOpen(buffer, cut, end);
            records += cut < end ? 1 : 0; // the rest is one record, complete or not
            cut = end;
        }
        if (cut == 0) {
            if (damage != null) {
                throw damaged(damage);
            }
            if (ended) {
                close();
            } else if (end == buffer.length) {
                grow();
            }
            return null;
        }
        long endPosition = position + records;
        if (format.maxRecords() < Long.MAX_VALUE) {
            cut = cutAfterLastWanted(known.scanner(inArray), cut);
            if (cut == 0) {
                return null;
            }
        }
        Block block = new Block(known, buffer, cut, inArray, overlong(cut), line, position, endPosition);
        line += scanner.countLineEnds(buffer, 0, cut);
        position = endPosition;
        if (recordsLeft == 0 || (ended && damage == null)) {
            close();
        } else {
            int rest = end - cut;
            byte[] next = rest < pool.blockBytes() ? pool.take() : new byte[twice(rest)];
            System.arraycopy(buffer, cut, next, 0, rest);
            buffer = next;
            end = rest;
        }
        return block;
    }

    private List<CsvScanner.Overlong> overlong(int cut) {
        return scanner instanceof CsvScanner csv
                ? csv.overlong().stream().filter(each -> each.end() <= cut).toList()
                : List.of();
    }

    private int cutAfterLastWanted(RecordScanner walker, int cut) {
        int at = 0;
        while (at < cut && recordsLeft > 0) {
            // up to the end, as for the cut: the lines of a field may extend beyond the cut
            int next = walker.next(buffer, at, end, true);
            if (next < 0) {
                return cut;
            }
            at = next;
            if (!walker.isBlank()) {
                recordsLeft--;
            }
        }
        if (recordsLeft == 0) {
            close();
            arrayIsOpen = false; // whatever follows
        }
        return at;
    }

    private FileHeader open() {
        try {
            InputStream content = openStream();
            byte[] head = content.readNBytes(Encodings.MAX_MARK_LENGTH);
            Encodings.Mark mark = Encodings.mark(head, head.length);
            Charset encoding = mark == null ? format.encoding() : mark.encoding();
            boolean csv = format.kind() == InputFormat.Kind.CSV;
            boolean transcoded = csv ? !Encodings.canCutBytes(encoding) : !encoding.equals(StandardCharsets.UTF_8);
            boolean mayBeUtf16 = mark == null && Encodings.canCutBytes(encoding);
            int skip = mark == null ? 0 : mark.length();
            InputStream headStream = new ByteArrayInputStream(head, skip, head.length - skip);
            stream = new SequenceInputStream(headStream, content);
            if (transcoded) {
                stream = new Utf8Transcoder(stream, encoding);
                encoding = StandardCharsets.UTF_8;
            }
            fill();
            if (end <= head.length) {
                fill(); // a pipe returns only the head
            }
            if (mayBeUtf16) {
                refuseUtf16(
                        Encodings.unmarkedUtf16(Arrays.copyOf(buffer, Math.min(end, Encodings.HEAD_LENGTH))), encoding);
            }
            FileHeader opened = csv ? openCsv(encoding, transcoded) : openJson(transcoded);
            header = opened;
            skipRecords();
            return opened;
        } catch (IOException e) {
            throw damaged(e);
        }
    }

    private void refuseUtf16(@Nullable Charset found, Charset expected) {
        if (found != null) {
            throw new OverdriveException(
                    OverdriveException.Kind.INPUT,
                    words -> file.name() + " is not " + expected + ": it begins as " + found + " does, without a byte"
                            + " order mark; give " + words.of(JobOption.ENCODING) + " " + found);
        }
    }

    private FileHeader openCsv(Charset encoding, boolean transcoded) {
        String first = takeDelimiterLine(encoding);
        InputFormat in = first == null ? format : format.withDelimiter(first.substring(first.length() - 1));
        byte[] head = first == null ? new byte[0] : first.getBytes(encoding);
        String delimiter = String.valueOf(in.delimiter());
        if (!encoding.newEncoder().canEncode(delimiter)) {
            throw new OverdriveException(
                    OverdriveException.Kind.INPUT,
                    file.name() + ": the delimiter '" + delimiter + "' cannot be written in the encoding " + encoding);
        }
        FileHeader bare = new FileHeader(file, in, Layout.CSV, encoding, transcoded, null, head, position);
        skipLines(bare);
        scanner = bare.csvScanner();
        if (!in.header()) {
            return bare;
        }
        for (int to = nextItem(); to >= 0; to = nextItem()) {
            int from = start;
            long headerLine = line;
            boolean blank = scanner.isBlank();
            take(to);
            if (!blank) {
                byte[] raw = Arrays.copyOfRange(buffer, from, CsvRecords.withoutLineEnd(buffer, from, to));
                List<String> names = CsvRecords.parseHeader(bare, raw, headerLine);
                return new FileHeader(file, in, Layout.CSV, encoding, transcoded, names, lines(head, raw), position);
            }
        }
        return bare;
    }

    /** Takes the first line of a file if it sets the delimiter, as in {@code sep=;}; null if it is another one. */
    private @Nullable String takeDelimiterLine(Charset encoding) {
        if (format.skipLines() > 0 || (end > start && buffer[start] != 's' && buffer[start] != 'S')) {
            return null;
        }
        scanner = lineScanner(encoding);
        int to = nextItem();
        if (to < 0) {
            return null;
        }
        String first = new String(buffer, start, CsvRecords.withoutLineEnd(buffer, start, to) - start, encoding);
        Matcher found = DELIMITER_LINE.matcher(first);
        if (!found.matches()) {
            return null;
        }
        String given = givenDelimiter;
        if (given != null && !given.equals(found.group(1))) {
            throw new OverdriveException(
                    OverdriveException.Kind.INPUT,
                    words -> file.name() + " line 1: the file sets its delimiter by \"" + first + "\", and "
                            + words.of(JobOption.DELIMITER) + " is \"" + given + "\": leave the option out, or skip the"
                            + " line with " + words.of(ReadingSetting.SKIP_LINES) + " 1");
        }
        take(to);
        return first;
    }

    private static byte[] lines(byte[] first, byte[] second) {
        if (first.length == 0) {
            return second;
        }
        byte[] both = Arrays.copyOf(first, first.length + 1 + second.length);
        both[first.length] = '\n';
        System.arraycopy(second, 0, both, first.length + 1, second.length);
        return both;
    }

    private FileHeader openJson(boolean transcoded) {
        skipLines(new FileHeader(
                file, format, Layout.JSON_LINES, StandardCharsets.UTF_8, transcoded, null, new byte[0], position));
        compact();
        do {
            fill(); // a pipe returns little at a time
        } while (!ended && end < buffer.length && !JsonScanner.hasLine(buffer, end));
        Layout layout = JsonScanner.isLines(buffer, end, ended) ? Layout.JSON_LINES : Layout.JSON_DOCUMENT;
        FileHeader opened =
                new FileHeader(file, format, layout, StandardCharsets.UTF_8, transcoded, null, new byte[0], position);
        scanner = opened.scanner(/* inArray */ false);
        return opened;
    }

    private void skipLines(FileHeader bare) {
        scanner = lineScanner(bare.encoding());
        for (long skipped = 0; skipped < format.skipLines(); skipped++) {
            int to = nextItem();
            if (to < 0) {
                return;
            }
            take(to);
        }
    }

    private static CsvScanner lineScanner(Charset encoding) {
        return new CsvScanner(InputFormat.builder().quote(null).delimiter("\t").build(), "\t".getBytes(encoding));
    }

    private void skipRecords() {
        long skipped = 0;
        while (skipped < format.skipRecords()) {
            int to = nextItem();
            if (to < 0) {
                return;
            }
            skipped += scanner.isBlank() ? 0 : 1;
            take(to);
        }
    }

    /** The end of the item at {@code start}, reading as needed; -1 at the end of the file. */
    private int nextItem() {
        while (true) {
            int to = scanner.next(buffer, start, end, ended && damage == null);
            if (to >= 0) {
                return to;
            }
            if (damage != null) {
                throw damaged(damage);
            }
            if (ended) {
                return -1;
            }
            compact();
            if (end == buffer.length) {
                grow();
            }
            fill();
        }
    }

    private void take(int to) {
        line += scanner.countLineEnds(buffer, start, to);
        start = to;
    }

    private void compact() {
        if (start > 0) {
            System.arraycopy(buffer, start, buffer, 0, end - start);
            end -= start;
            start = 0;
        }
    }

    private void grow() {
        if (buffer.length >= format.maxRecordBytes()) {
            long first = line;
            throw new OverdriveException(
                    OverdriveException.Kind.INPUT,
                    words -> file.name() + " line " + first + ": the record that starts here is longer than "
                            + format.maxRecordBytes() + " bytes (" + words.of(ReadingSetting.MAX_RECORD_BYTES) + "); "
                            + (format.kind() == InputFormat.Kind.JSON
                                    ? "is a quote or a bracket not closed?"
                                    : "is a quote not closed? If quotes are not special in this file, load it with "
                                            + words.of(JobOption.QUOTE) + " ''"));
        }
        buffer = Arrays.copyOf(buffer, twice(buffer.length));
    }

    private int twice(int bytes) {
        return (int) Math.min(2L * bytes, format.maxRecordBytes());
    }

    private void fill() {
        try {
            boolean pauses = false;
            while (end < buffer.length && !ended && !pauses) {
                InputStream from = stream;
                int read = from == null ? -1 : from.read(buffer, end, buffer.length - end);
                if (from == null || read < 0) {
                    ended = true;
                    file.checkVersion(version);
                } else {
                    end += read;
                    uncompressedBytes += read;
                    pauses = !file.isRereadable() && from.available() == 0;
                }
            }
        } catch (IOException | RuntimeException e) {
            // first return the complete records
            damage = e;
            ended = true;
        }
    }

    private OverdriveException damaged(Exception e) {
        if (e instanceof OverdriveException changed) {
            return changed;
        }
        return new OverdriveException(
                OverdriveException.Kind.INPUT,
                file.name() + " line " + line + ": cannot be read beyond " + (rawBytes.count() - rawBytesBefore)
                        + " bytes of input, " + uncompressedBytes + " uncompressed: " + reason(e)
                        + (e instanceof FileSystemException ? "" : "; the file is truncated or damaged")
                        + ". Records before this line were read",
                e);
    }

    /** Some libraries have no message for an unexpected end of the file. */
    private static String reason(Exception e) {
        String message = e instanceof FileSystemException known ? WritableDirectory.reason(known) : e.getMessage();
        if (message == null) {
            return e instanceof EOFException ? "it ends unexpectedly" : e.toString();
        }
        return message.endsWith(".") ? message.substring(0, message.length() - 1) : message;
    }
}
