package io.overdrive.formats.parquet;

import io.overdrive.formats.columns.Column;
import io.overdrive.internal.codec.Bytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.Statistics;
import org.apache.parquet.format.Util;
import org.jspecify.annotations.Nullable;

/**
 * Writes the pages of a column of the file in a row group, compressed, and keeps them until the row group is complete. Confined to one
 * thread; on the hot path.
 */
final class ChunkWriter {
    /** Longer values are not in the statistics, which are in the footer. */
    private static final int MAX_BOUND_BYTES = 64;

    private final Leaf leaf;
    private final LeafValues values;
    private final CompressionCodec codec;

    private int[] definitions = new int[64];
    private int[] repetitions = new int[64];
    private int entries;
    private int present;
    private final Bytes content = new Bytes(1 << 12);
    private @Nullable Words words;

    private final List<byte[]> pages = new ArrayList<>();
    private boolean hasIndices;
    private boolean hasPlain;
    private long keptBytes;
    private long unpackedBytes;
    private long allEntries;
    private long allPresent;

    ChunkWriter(Leaf leaf, LeafValues values, CompressionCodec codec) {
        this.leaf = leaf;
        this.values = values;
        this.codec = codec;
        words = values.isText() ? new Words() : null;
    }

    Leaf leaf() {
        return leaf;
    }

    /** Memory that its pages take. */
    long keptBytes() {
        Words known = words;
        return keptBytes + (known == null ? 0 : known.bytes());
    }

    long unpackedBytes() {
        return unpackedBytes;
    }

    /** Adds the value of a row, which is there. */
    void add(Column column, int row, int repetition) {
        level(repetition, leaf.maxDefinition());
        put(column, row);
    }

    /** Adds all values of a column without lists around it. */
    void addAll(Column column) {
        for (int row = 0; row < column.rows(); row++) {
            boolean isThere = !column.isNull(row);
            level(0, isThere ? leaf.maxDefinition() : leaf.maxDefinition() - 1);
            if (isThere) {
                put(column, row);
            }
        }
    }

    private void put(Column column, int row) {
        present++;
        int start = values.put(column, row);
        Words known = words;
        if (known != null) {
            known.add(values.plain(), start);
        }
    }

    /** Adds a place without a value. */
    void addMissing(int repetition, int definition) {
        level(repetition, definition);
    }

    private void level(int repetition, int definition) {
        if (entries == definitions.length) {
            definitions = Arrays.copyOf(definitions, entries * 2);
            repetitions = Arrays.copyOf(repetitions, entries * 2);
        }
        definitions[entries] = definition;
        repetitions[entries++] = repetition;
    }

    /** Ends the page. */
    void endPage() {
        if (entries == 0) {
            return;
        }
        content.clear();
        if (leaf.maxRepetition() > 0) {
            levels(repetitions, leaf.maxRepetition());
        }
        if (leaf.maxDefinition() > 0) {
            levels(definitions, leaf.maxDefinition());
        }
        Words known = words;
        boolean isIndexed = known != null && known.isWorthwhile(present, hasIndices);
        if (known != null && isIndexed) {
            known.putIndices(present, content);
            hasIndices = true;
        } else {
            values.putPage(content);
            hasPlain = true;
            if (!hasIndices) {
                words = null;
            }
        }
        DataPageHeader about = new DataPageHeader(
                entries, isIndexed ? Encoding.RLE_DICTIONARY : Encoding.PLAIN, Encoding.RLE, Encoding.RLE);
        pages.add(page(new PageHeader(PageType.DATA_PAGE, content.length(), 0).setData_page_header(about), content));
        if (known != null) {
            known.endPage();
        }
        allEntries += entries;
        allPresent += present;
        entries = 0;
        present = 0;
        values.clearPage();
    }

    private void levels(int[] numbers, int maximum) {
        int start = content.length();
        content.putInt(0);
        RunLengthWriter.write(numbers, entries, RunLengthWriter.bits(maximum), content);
        content.setInt(start, Integer.reverseBytes(content.length() - start - Integer.BYTES));
    }

    private byte[] page(PageHeader header, Bytes unpacked) {
        try {
            byte[] packed = PageCodec.pack(codec, unpacked.array(), unpacked.length());
            CRC32 sum = new CRC32();
            sum.update(packed);
            header.setCompressed_page_size(packed.length).setCrc((int) sum.getValue());
            ByteArrayOutputStream page = new ByteArrayOutputStream(packed.length + 64);
            Util.writePageHeader(header, page);
            unpackedBytes += page.size() + unpacked.length();
            page.write(packed);
            keptBytes += page.size();
            return page.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // in memory
        }
    }

    /** Writes the pages of the row group, and begins the next one. */
    ColumnChunk complete(Bytes out) {
        Words known = words;
        ColumnMetaData about = new ColumnMetaData();
        long start = out.length();
        if (known != null && hasIndices) {
            DictionaryPageHeader header = new DictionaryPageHeader(known.count(), Encoding.PLAIN);
            Bytes plain = known.plain();
            byte[] page = page(
                    new PageHeader(PageType.DICTIONARY_PAGE, plain.length(), 0).setDictionary_page_header(header),
                    plain);
            about.setDictionary_page_offset(start);
            out.put(page);
        }
        about.setData_page_offset(out.length());
        pages.forEach(out::put);
        List<Encoding> encodings = new ArrayList<>(List.of(Encoding.RLE));
        if (hasPlain || hasIndices) {
            encodings.add(Encoding.PLAIN);
        }
        if (hasIndices) {
            encodings.add(Encoding.RLE_DICTIONARY);
        }
        about.setType(leaf.type())
                .setEncodings(encodings)
                .setPath_in_schema(leaf.names())
                .setCodec(codec)
                .setNum_values(allEntries)
                .setTotal_uncompressed_size(unpackedBytes)
                .setTotal_compressed_size(out.length() - start)
                .setStatistics(statistics());
        begin();
        return new ColumnChunk(0).setMeta_data(about);
    }

    private Statistics statistics() {
        Statistics statistics = new Statistics().setNull_count(allEntries - allPresent);
        byte[] min = values.min();
        byte[] max = values.max();
        if (min != null && max != null && min.length <= MAX_BOUND_BYTES && max.length <= MAX_BOUND_BYTES) {
            statistics.setMin_value(ByteBuffer.wrap(min)).setMax_value(ByteBuffer.wrap(max));
        }
        return statistics;
    }

    private void begin() {
        pages.clear();
        words = values.isText() ? new Words() : null;
        hasIndices = false;
        hasPlain = false;
        keptBytes = 0;
        unpackedBytes = 0;
        allEntries = 0;
        allPresent = 0;
        values.begin();
    }
}
