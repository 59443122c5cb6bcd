package io.overdrive.formats.parquet;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import java.util.zip.CRC32;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DataPageHeaderV2;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.jspecify.annotations.Nullable;

/**
 * Reads the pages of a column in a row group, one at a time: levels, which say where values are missing and where lists begin, and
 * values. Confined to one thread; on the hot path.
 */
final class ChunkReader {
    private static final int BUFFER_BYTES = 8 << 10;
    /** How much larger than its column a page may say that it is, as some writers do not count all of it. */
    private static final int TOLERATED_BYTES = 1 << 20;
    /** Bytes after the end that the file says: old versions of a writer leave the header of the dictionary out. */
    private static final int HEADER_BYTES = 100;

    final Leaf leaf;
    private final CompressionCodec codec;
    private final long maxPageBytes;
    private final FileBytes in;
    private final PageMemory memory;
    private long pageBytes;
    /** Entries on pages that were not begun. */
    private long left;

    private @Nullable Values dictionary;
    private @Nullable PageHeader waiting;

    private int page;
    private @Nullable PageValues values;
    private @Nullable RunLengths definition;
    /** Repetition levels of the page. */
    private int[] pageRepetition = {};

    private int entriesOfPage;
    private int entryOfPage;

    /** Where the rows of the batch have their values, and their lists; empty if they have none. */
    int[] definitions = {};

    int[] repetitions = {};
    int entries;
    Values read;

    /** Opens the column, and reads its dictionary. */
    ChunkReader(Leaf leaf, ColumnMetaData about, FileChannel file, PageMemory memory) throws IOException {
        this.leaf = leaf;
        this.memory = memory;
        codec = about.getCodec();
        left = about.getNum_values();
        maxPageBytes = about.getTotal_uncompressed_size() + TOLERATED_BYTES;
        long start = about.getData_page_offset();
        if (about.isSetDictionary_page_offset() && about.getDictionary_page_offset() > 0) {
            start = Math.min(start, about.getDictionary_page_offset());
        }
        in = new FileBytes(file, start, start + about.getTotal_compressed_size() + HEADER_BYTES);
        read = new Values(leaf.width(), 0);
        if (left > 0) {
            readDictionary();
        }
    }

    /** Bytes of a value; of a text that its dictionary has, at most. */
    int valueBytes() {
        Values known = dictionary;
        return leaf.width() > 0 || known == null ? leaf.width() : known.longest();
    }

    private void readDictionary() throws IOException {
        PageHeader header = Metadata.ofPage(in);
        if (header.getType() != PageType.DICTIONARY_PAGE) {
            waiting = header;
            return;
        }
        int count = header.isSetDictionary_page_header()
                ? header.getDictionary_page_header().getNum_values()
                : 0;
        byte[] packed = body(header);
        memory.replace(0, 2L * header.getUncompressed_page_size());
        byte[] content = PageCodec.unpack(codec, packed, 0, packed.length, header.getUncompressed_page_size());
        Values known = new Values(leaf.width(), Math.max(0, Math.min(count, content.length)));
        PageValues plain = PageValues.of(Encoding.PLAIN, leaf, content, 0, content.length - Page.PADDING, count, null);
        plain.read(Math.max(0, count), known);
        dictionary = known;
    }

    /** Begins a batch of at most that many rows, which replaces the one before. */
    void beginBatch(int rows) {
        entries = 0;
        read = new Values(leaf.width(), rows);
    }

    /** The rows that can be read into the memory of one more page; at most those wanted. */
    int rowsAtHand(int wanted) throws IOException {
        if (leaf.width() > 0 && leaf.maxRepetition() == 0) {
            return wanted;
        }
        while (entryOfPage == entriesOfPage) {
            nextPage();
        }
        if (leaf.maxRepetition() == 0) {
            return Math.min(wanted, entriesOfPage - entryOfPage);
        }
        if (pageRepetition[entryOfPage] != 0) {
            throw new IOException("page " + page + " continues a row that has not begun");
        }
        int begun = 0;
        for (int i = entryOfPage; i < entriesOfPage && begun < wanted; i++) {
            begun += pageRepetition[i] == 0 ? 1 : 0;
        }
        return begun;
    }

    /** Adds the next rows to the batch. */
    void read(int rows) throws IOException {
        try {
            if (leaf.maxRepetition() == 0) {
                readFlat(entries + rows);
            } else {
                readLists(rows);
            }
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            throw new IOException("page " + page + " is damaged: " + e.getMessage(), e);
        } catch (EOFException e) {
            throw new EOFException("it ends inside page " + page);
        }
    }

    private void readFlat(int upTo) throws IOException {
        room(upTo);
        while (entries < upTo) {
            if (entryOfPage == entriesOfPage) {
                nextPage();
            }
            take(Math.min(upTo - entries, entriesOfPage - entryOfPage));
        }
    }

    private void readLists(int rows) throws IOException {
        int begun = 0;
        while (true) {
            if (entryOfPage == entriesOfPage) {
                if (left == 0) {
                    break;
                }
                nextPage();
            }
            int at = entryOfPage;
            for (; at < entriesOfPage; at++) {
                if (pageRepetition[at] == 0 && ++begun > rows) {
                    break;
                }
            }
            int count = at - entryOfPage;
            room(entries + count);
            System.arraycopy(pageRepetition, entryOfPage, repetitions, entries, count);
            take(count);
            if (begun > rows) {
                return;
            }
        }
        if (begun < rows) {
            throw new IOException("it has fewer rows than the row group");
        }
    }

    private void room(int wanted) {
        if (leaf.maxDefinition() > 0 && definitions.length < wanted) {
            definitions = Arrays.copyOf(definitions, Math.max(wanted, definitions.length * 2));
        }
        if (leaf.maxRepetition() > 0 && repetitions.length < wanted) {
            repetitions = Arrays.copyOf(repetitions, Math.max(wanted, repetitions.length * 2));
        }
    }

    /** Takes entries of the page. */
    private void take(int count) throws IOException {
        int there = count;
        RunLengths levels = definition;
        if (levels != null) {
            levels.read(definitions, entries, count);
            there = 0;
            for (int i = entries; i < entries + count; i++) {
                if (definitions[i] == leaf.maxDefinition()) {
                    there++;
                } else if (definitions[i] > leaf.maxDefinition()) {
                    throw new IOException("page " + page + " has the level " + definitions[i] + ", the maximum is "
                            + leaf.maxDefinition());
                }
            }
        }
        PageValues from = values;
        if (from == null) {
            throw new IllegalStateException("no page");
        }
        if (there > 0) {
            from.read(there, read);
        }
        entryOfPage += count;
        entries += count;
    }

    private void nextPage() throws IOException {
        if (left == 0) {
            throw new IOException("it has fewer values than the row group has rows");
        }
        page++;
        PageHeader header = waiting;
        waiting = null;
        if (header == null) {
            header = Metadata.ofPage(in);
        }
        while (header.getType() == PageType.INDEX_PAGE) {
            body(header);
            header = Metadata.ofPage(in);
        }
        byte[] packed = body(header);
        switch (header.getType()) {
            case DATA_PAGE -> open(header.getData_page_header(), header, packed);
            case DATA_PAGE_V2 -> open(header.getData_page_header_v2(), header, packed);
            case DICTIONARY_PAGE, INDEX_PAGE ->
                throw new IOException("page " + page + " is a dictionary after the first values");
        }
        entryOfPage = 0;
        left -= entriesOfPage;
    }

    private byte[] body(PageHeader header) throws IOException {
        int packed = header.getCompressed_page_size();
        int size = header.getUncompressed_page_size();
        if (packed < 0 || size < 0 || size > Integer.MAX_VALUE - 64 || size > maxPageBytes) {
            throw new IOException("page " + page + " has " + packed + " bytes, " + size + " unpacked, in a column of "
                    + maxPageBytes);
        }
        long needed = packed + (long) size;
        memory.replace(pageBytes, needed);
        pageBytes = needed;
        byte[] body = in.body(packed);
        if (header.isSetCrc()) {
            CRC32 sum = new CRC32();
            sum.update(body);
            if ((int) sum.getValue() != header.getCrc()) {
                throw new IOException("page " + page + " has another checksum than it says");
            }
        }
        return body;
    }

    private void open(@Nullable DataPageHeader about, PageHeader header, byte[] packed) throws IOException {
        if (about == null) {
            throw new IOException("page " + page + " has no header");
        }
        int count = about.getNum_values();
        requireEntries(count);
        byte[] content = PageCodec.unpack(codec, packed, 0, packed.length, header.getUncompressed_page_size());
        int end = content.length - Page.PADDING;
        int at = 0;
        if (leaf.maxRepetition() > 0) {
            int next = levelsEnd(content, at, end, about.getRepetition_level_encoding());
            openRepetition(content, at + Integer.BYTES, next, count);
            at = next;
        }
        if (leaf.maxDefinition() > 0) {
            int next = levelsEnd(content, at, end, about.getDefinition_level_encoding());
            definition = new RunLengths(content, at + Integer.BYTES, next, bits(leaf.maxDefinition()));
            at = next;
        }
        values = PageValues.of(about.getEncoding(), leaf, content, at, end, count, dictionary);
    }

    private void requireEntries(int count) throws IOException {
        if (count < 0 || count > left) {
            throw new IOException("page " + page + " has " + count + " values where " + left + " are left");
        }
        entriesOfPage = count;
        long lists = leaf.maxRepetition() > 0 || leaf.width() == 0 ? (long) Integer.BYTES * count : 0;
        memory.replace(pageBytes, pageBytes + lists);
        pageBytes += lists;
    }

    /** Size of the batch in memory, about. */
    long batchBytes() {
        return read.length + (long) Integer.BYTES * entries;
    }

    private int levelsEnd(byte[] content, int at, int end, @Nullable Encoding encoding) throws IOException {
        if (encoding != Encoding.RLE) {
            throw new IOException("page " + page + " has levels in the encoding " + encoding + ", which is not read");
        }
        int length = end - at < Integer.BYTES ? -1 : Page.intAt(content, at);
        if (length < 0 || length > end - at - Integer.BYTES) {
            throw new IOException("page " + page + " has levels of " + length + " bytes");
        }
        return at + Integer.BYTES + length;
    }

    private void openRepetition(byte[] content, int from, int end, int count) throws IOException {
        if (pageRepetition.length < count) {
            pageRepetition = new int[count];
        }
        new RunLengths(content, from, end, bits(leaf.maxRepetition())).read(pageRepetition, 0, count);
        for (int i = 0; i < count; i++) {
            if (pageRepetition[i] > leaf.maxRepetition()) {
                throw new IOException("page " + page + " has the list level " + pageRepetition[i] + ", the maximum is "
                        + leaf.maxRepetition());
            }
        }
    }

    private void open(@Nullable DataPageHeaderV2 about, PageHeader header, byte[] packed) throws IOException {
        if (about == null) {
            throw new IOException("page " + page + " has no header");
        }
        int count = about.getNum_values();
        requireEntries(count);
        int repetitionBytes = about.getRepetition_levels_byte_length();
        int definitionBytes = about.getDefinition_levels_byte_length();
        int levels = repetitionBytes + definitionBytes;
        int size = header.getUncompressed_page_size() - levels;
        if (repetitionBytes < 0 || definitionBytes < 0 || levels < 0 || levels > packed.length || size < 0) {
            throw new IOException(
                    "page " + page + " has levels of " + repetitionBytes + " and " + definitionBytes + " bytes");
        }
        byte[] levelBytes = Arrays.copyOf(packed, levels + Page.PADDING);
        if (leaf.maxRepetition() > 0) {
            openRepetition(levelBytes, 0, repetitionBytes, count);
        }
        if (leaf.maxDefinition() > 0) {
            definition = new RunLengths(levelBytes, repetitionBytes, levels, bits(leaf.maxDefinition()));
        }
        CompressionCodec of =
                about.isSetIs_compressed() && !about.isIs_compressed() ? CompressionCodec.UNCOMPRESSED : codec;
        byte[] content = PageCodec.unpack(of, packed, levels, packed.length - levels, size);
        values = PageValues.of(about.getEncoding(), leaf, content, 0, size, count, dictionary);
    }

    private static int bits(int maximum) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(maximum);
    }

    /** @throws IOException if there are values after the last row */
    void requireEnd() throws IOException {
        if (left > 0 || entryOfPage < entriesOfPage) {
            throw new IOException("it has more values than the row group has rows");
        }
    }

    /** The bytes of a file from a position on. Confined to one thread. */
    private static final class FileBytes extends InputStream {
        private final FileChannel file;
        private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES).limit(0);
        private final long end;
        private long position;

        FileBytes(FileChannel file, long position, long end) throws IOException {
            if (position < 0 || position >= file.size() || end < position) {
                throw new IOException("it begins at the byte " + position + " and ends at the byte " + end);
            }
            this.file = file;
            this.position = position;
            this.end = Math.min(end, file.size());
        }

        @Override
        public int read() throws IOException {
            return fill() ? buffer.get() & 0xFF : -1;
        }

        @Override
        public int read(byte[] to, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            if (!fill()) {
                return -1;
            }
            int count = Math.min(length, buffer.remaining());
            buffer.get(to, offset, count);
            return count;
        }

        private boolean fill() throws IOException {
            if (buffer.hasRemaining()) {
                return true;
            }
            buffer.clear().limit((int) Math.min(buffer.capacity(), Math.max(0, end - position)));
            int count = file.read(buffer, position);
            buffer.flip();
            position += Math.max(0, count);
            return count > 0;
        }

        byte[] body(int length) throws IOException {
            if (length > buffer.remaining() + end - position) {
                throw new EOFException("a page of " + length + " bytes");
            }
            byte[] body = new byte[length];
            int buffered = Math.min(length, buffer.remaining());
            buffer.get(body, 0, buffered);
            ParquetReader.read(file, position, body, buffered);
            position += length - buffered;
            return body;
        }
    }
}
