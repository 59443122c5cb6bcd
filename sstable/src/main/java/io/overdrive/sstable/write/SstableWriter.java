package io.overdrive.sstable.write;

import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.ClusteringOrder;
import io.overdrive.internal.ring.Murmur3;
import io.overdrive.sstable.format.CellTimes;
import io.overdrive.sstable.format.ClusteringValues;
import io.overdrive.sstable.format.EncodingBase;
import io.overdrive.sstable.format.Layout;
import io.overdrive.sstable.format.SstableSchema;
import io.overdrive.sstable.format.Statistics;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes one SSTable, from partitions in the order of tokens and rows in clustering order, as Cassandra's INSERT would have written
 * them. Confined to one thread; on the hot path.
 *
 * <pre>{@code
 * try (SstableWriter writer = SstableWriter.open(schema, options)) {
 *     writer.partition(key, 0, key.length);
 *     writer.row(values, 0, writeTimeMicros, 0);
 *     Sstable sstable = writer.finish();
 * }
 * }</pre>
 *
 * <p>A row is the values of all columns of the schema, in their order; each is its length as four bytes, and so many bytes in wire
 * form. The length -1 is a null, which deletes the cell, and -2 a missing value. Elements of sets and maps may be in any order.
 * Values of the partition key are ignored, as it is given with the partition.
 * Values are not parsed: that text is UTF-8, for instance, is up to the caller. If a method throws, the SSTable cannot be finished.
 */
public final class SstableWriter implements Closeable {
    /** Cassandra's maximum. */
    public static final int MAX_TTL_SECONDS = 20 * 365 * 24 * 60 * 60;

    private static final int MAX_KEY_BYTES = 0xFFFF;
    private static final int END_OF_PARTITION = 0x01;

    /**
     * Where an SSTable is written, and the facts known of it before.
     *
     * @param directory where its files are created; it exists
     * @param generation the number in the names of the files, at least 1, and unique in the directory
     * @param expectedPartitions number that the filter is sized for, at least 1: with more partitions it is less exact
     * @param firstWriteTimeMicros about the first write time of the rows, since 1970: the closer it is, and not later, the smaller
     *     are the files
     * @param nowSeconds the time from which TTLs count, and at which cells are deleted, since 1970
     */
    public record Options(
            Path directory, int generation, long expectedPartitions, long firstWriteTimeMicros, int nowSeconds) {
        /** @throws IllegalArgumentException if a number is out of its range; times before 22 September 2015 are */
        public Options {
            if (generation < 1) {
                throw new IllegalArgumentException("generation " + generation + "; 1 is the minimum");
            }
            if (expectedPartitions < 1) {
                throw new IllegalArgumentException(expectedPartitions + " partitions are expected; 1 is the minimum");
            }
            if (nowSeconds < Statistics.EXPIRY_EPOCH) {
                throw new IllegalArgumentException(
                        "the time is " + nowSeconds + " s after 1970; " + Statistics.EXPIRY_EPOCH + " is the minimum");
            }
        }
    }

    private final SstableSchema schema;
    private final Options options;
    private final EncodingBase base;
    private final List<Path> files = new ArrayList<>();
    private final List<String> components = new ArrayList<>();
    private final boolean hasStatics;
    private final ClusteringOrder[] orders;
    private final WriterBuffers buffers;
    /** Whether no other SSTable has its buffers. */
    private final boolean ownsBuffers;

    private @Nullable KeyFilter filter;
    private final Statistics statistics;
    private final DataFile data;
    private final IndexFile index;
    private final RowEncoder encoder;

    private final ClusteringValues first;
    private ClusteringValues current;
    private ClusteringValues previous;
    private final Bytes blockFirst = new Bytes(64);

    private byte[] firstKey = {};
    private final Bytes key = new Bytes(64);
    private boolean isOpen;
    private boolean hasHeader;
    private boolean isInBlock;
    private boolean isFinished;
    private boolean isClosed;
    private boolean isBroken;
    private long rows;
    private long firstToken;
    private long token;
    private long partitionStart;
    private long headerBytes;
    private long rowsOfPartition;
    private long rowStart;
    private long blockStart;

    private SstableWriter(
            SstableSchema schema, Options options, EncodingBase base, WriterBuffers buffers, boolean ownsBuffers)
            throws IOException {
        this.schema = schema;
        this.options = options;
        this.base = base;
        this.buffers = buffers;
        this.ownsBuffers = ownsBuffers;
        Layout layout = Layout.of(schema);
        hasStatics = !layout.statics().isEmpty();
        orders = Layout.orders(layout.clustering());
        first = new ClusteringValues(orders.length);
        current = new ClusteringValues(orders.length);
        previous = new ClusteringValues(orders.length);
        filter = hasFilter() && !buffers.filtersComeLast()
                ? new KeyFilter(options.expectedPartitions(), schema.bloomFilterFpChance())
                : null;
        statistics = new Statistics(layout);
        OutFile dataFile = create("Data.db", buffers.keepsFilesOpen());
        try {
            data = new DataFile(dataFile, schema.compression(), buffers);
            index = new IndexFile(
                    create("Index.db", buffers.keepsFilesOpen()), schema.minIndexInterval(), buffers.drainBytes());
        } catch (IOException | RuntimeException e) {
            dataFile.close();
            deleteFiles();
            throw e;
        }
        encoder = new RowEncoder(layout, base, options.nowSeconds(), statistics, data.bytes());
    }

    /**
     * Creates the files.
     *
     * @throws IOException if that is not possible, also if they exist
     * @throws IllegalArgumentException if the table's compression cannot be written, or the filter would be too large
     * @throws IllegalStateException if the library for the table's compression is not on the class path
     */
    public static SstableWriter open(SstableSchema schema, Options options) throws IOException {
        return open(schema, options, new EncodingBase(options.firstWriteTimeMicros(), options.nowSeconds()));
    }

    public static SstableWriter open(SstableSchema schema, Options options, EncodingBase base) throws IOException {
        WriterBuffers buffers = WriterBuffers.of(schema, Long.MAX_VALUE, 1, options.expectedPartitions());
        try {
            return new SstableWriter(schema, options, base, buffers, /* ownsBuffers */ true);
        } catch (IOException | RuntimeException e) {
            buffers.close();
            throw e;
        }
    }

    /** @param buffers of the thread, which stay open */
    public static SstableWriter open(SstableSchema schema, Options options, WriterBuffers buffers) throws IOException {
        EncodingBase base = new EncodingBase(options.firstWriteTimeMicros(), options.nowSeconds());
        return new SstableWriter(schema, options, base, buffers, /* ownsBuffers */ false);
    }

    /**
     * Starts a partition, which must get a row or static values.
     *
     * @param bytes contains the key in the form of the routing key: the value of its column, or of several columns, each preceded by
     *     its length as two bytes and followed by a zero byte
     * @throws IllegalArgumentException if it has no bytes or more than 65535, or is not behind the last one in the order of tokens
     */
    public void partition(byte[] bytes, int from, int length) throws IOException {
        checkOpen();
        if (length < 1 || length > MAX_KEY_BYTES) {
            throw failure("a partition key of " + length + " bytes; 1 to " + MAX_KEY_BYTES + " are possible");
        }
        endPartition();
        long newToken = Murmur3.token(bytes, from, from + length);
        if (firstKey.length == 0) {
            firstKey = Arrays.copyOfRange(bytes, from, from + length);
            firstToken = newToken;
        } else if (newToken < token
                || (newToken == token
                        && Arrays.compareUnsigned(bytes, from, from + length, key.array(), 0, key.length()) <= 0)) {
            throw failure(
                    "the partition with token " + newToken + " is not behind that with token " + token
                            + "; partitions must come in the order of tokens, and partitions with the same token in the order of their keys");
        }
        token = newToken;
        key.clear();
        key.put(bytes, from, length);
        partitionStart = data.position();
        Bytes out = data.bytes();
        out.putShort(length);
        out.put(bytes, from, length);
        out.putInt(Integer.MAX_VALUE); // not deleted
        out.putLong(Long.MIN_VALUE);
        isOpen = true;
        hasHeader = false;
        rowsOfPartition = 0;
        rowStart = 0;
    }

    /**
     * Writes the static values of the partition, before its rows. Values of other columns are ignored.
     *
     * @param values contains a row
     * @param from where its first length is
     * @param ttlSeconds 0 for none
     * @throws IllegalArgumentException if a value has a wrong length, or the TTL is out of its range or ends after 2038
     * @throws IllegalStateException if there is no partition, or rows or static values of it were written before
     */
    public void statics(byte[] values, int from, long writeTimeMicros, int ttlSeconds) {
        statics(values, from, writeTimeMicros, ttlSeconds, /* times */ null);
    }

    /** @param times the times of each value; null if all have the same */
    public void statics(byte[] values, int from, long writeTimeMicros, int ttlSeconds, @Nullable CellTimes times) {
        checkPartition();
        if (hasHeader) {
            throw new IllegalStateException("static values come once in a partition, before its rows");
        }
        if (!hasStatics) {
            throw new IllegalStateException("the schema has no static column");
        }
        isBroken = true;
        checkTtl(ttlSeconds);
        encoder.locate(values, from);
        if (!encoder.hasStatics()) {
            throw new IllegalArgumentException("all static values are missing");
        }
        encoder.staticRow(/* isEmpty */ false, writeTimeMicros, ttlSeconds, times);
        isBroken = false;
        endHeader();
    }

    /**
     * Writes a row of the partition. Values of static columns are ignored.
     *
     * @param values contains the row
     * @param from where its first length is
     * @param ttlSeconds 0 for none
     * @throws IllegalArgumentException if the row is not behind the last one in clustering order, a value has a wrong length, or the
     *     TTL is out of its range or ends after 2038
     * @throws IllegalStateException if there is no partition
     */
    public void row(byte[] values, int from, long writeTimeMicros, int ttlSeconds) throws IOException {
        row(values, from, writeTimeMicros, ttlSeconds, /* times */ null, /* hasMarker */ true);
    }

    /**
     * @param times the times of each value; null if all have the row's
     * @param hasMarker whether it has the row marker that an INSERT writes; without, it has a value
     */
    public void row(
            byte[] values, int from, long writeTimeMicros, int ttlSeconds, @Nullable CellTimes times, boolean hasMarker)
            throws IOException {
        checkPartition();
        isBroken = true;
        checkTtl(ttlSeconds);
        if (!hasHeader) {
            if (hasStatics) {
                encoder.staticRow(/* isEmpty */ true, 0, 0, /* times */ null);
            }
            endHeader();
        }
        data.drain();
        encoder.locate(values, from);
        encoder.copyClustering(current);
        if (rowsOfPartition == 0) {
            first.copy(current);
        } else if (current.compareTo(previous, orders) <= 0) {
            throw failure("a row is not behind the last one in the partition with token " + token
                    + "; rows must come in clustering order, and equal ones be merged before");
        }
        long start = data.position() - partitionStart;
        encoder.row(current, writeTimeMicros, ttlSeconds, times, hasMarker, start - rowStart);
        rowStart = start;
        rowsOfPartition++;
        ClusteringValues swap = previous;
        previous = current;
        current = swap;
        if (!isInBlock) {
            isInBlock = true;
            blockStart = start;
            blockFirst.clear();
            blockFirst.put(
                    data.bytes().array(), encoder.clusteringFrom(), encoder.clusteringTo() - encoder.clusteringFrom());
        }
        if (data.position() - partitionStart - blockStart >= IndexFile.BLOCK_BYTES) {
            endBlock();
        }
        isBroken = false;
    }

    private void endBlock() {
        index.block(
                blockFirst,
                data.bytes().array(),
                encoder.clusteringFrom(),
                encoder.clusteringTo() - encoder.clusteringFrom(),
                blockStart,
                data.position() - partitionStart - blockStart);
        isInBlock = false;
    }

    private void endHeader() {
        headerBytes = data.position() - partitionStart;
        hasHeader = true;
    }

    private void endPartition() throws IOException {
        if (!isOpen) {
            return;
        }
        if (!hasHeader) {
            throw failure("the partition with token " + token + " has no row and no static value");
        }
        data.bytes().putByte(END_OF_PARTITION); // in the last block, too
        if (isInBlock && index.hasBlocks()) {
            endBlock();
        }
        isInBlock = false;
        byte[] array = key.array();
        index.partition(array, 0, key.length(), partitionStart, headerBytes);
        statistics.partition(array, 0, key.length(), data.position() - partitionStart);
        if (rowsOfPartition > 0) {
            statistics.clusterings(first, previous);
        }
        if (filter != null) {
            filter.add(array, 0, key.length());
        }
        rows += rowsOfPartition;
        isOpen = false;
        data.drain();
    }

    /**
     * Writes the rest, and syncs the files and their directory.
     *
     * @throws IllegalStateException if there was no partition, or a method has thrown
     * @throws IllegalArgumentException if the last partition has neither a row nor static values
     */
    public Sstable finish() throws IOException {
        checkOpen();
        endPartition();
        if (firstKey.length == 0) {
            throw new IllegalStateException("a SSTable needs a partition");
        }
        isBroken = true;
        data.finish();
        index.finish();
        write(schema.compression().isNone() ? "CRC.db" : "CompressionInfo.db", data.chunkInfo());
        write("Digest.crc32", text(Long.toString(data.digest())));
        write("Statistics.db", statistics.content(data.compressionRatio(), schema.bloomFilterFpChance(), base));
        if (hasFilter() && buffers.filtersComeLast()) {
            filter = new KeyFilter(index.partitions(), schema.bloomFilterFpChance());
            index.addKeysTo(filter);
        }
        if (filter != null) {
            write("Filter.db", filter.content());
            filter = null;
        }
        write("Summary.db", index.summary(firstKey, key.toByteArray()));
        String all = Stream.concat(components.stream(), Stream.of("TOC.txt"))
                .map(component -> component + "\n")
                .collect(Collectors.joining());
        write("TOC.txt", text(all));
        closeFiles();
        syncDirectory();
        long bytes = 0;
        for (Path file : files) {
            bytes += Files.size(file);
        }
        isFinished = true;
        return new Sstable(files, index.partitions(), rows, bytes, firstToken, token);
    }

    private boolean hasFilter() {
        return schema.bloomFilterFpChance() < 1;
    }

    private static Bytes text(String text) {
        Bytes bytes = new Bytes(text.length());
        bytes.put(text.getBytes(StandardCharsets.US_ASCII));
        return bytes;
    }

    private void write(String component, Bytes content) throws IOException {
        try (OutFile file = create(component, /* staysOpen */ true)) {
            file.write(content.array(), 0, content.length());
            file.sync();
        }
    }

    private OutFile create(String component, boolean staysOpen) throws IOException {
        OutFile file =
                new OutFile(options.directory().resolve("nb-" + options.generation() + "-big-" + component), staysOpen);
        files.add(file.path());
        components.add(component);
        return file;
    }

    /** Syncs the directory, so that the names of the files are on disk. */
    private void syncDirectory() throws IOException {
        try (FileChannel channel = FileChannel.open(options.directory(), StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Deletes the files, unless the SSTable was finished. */
    @Override
    public void close() throws IOException {
        if (!isFinished && !isClosed) {
            isClosed = true;
            closeFiles();
            deleteFiles();
        }
    }

    private void closeFiles() throws IOException {
        data.close();
        index.close();
        if (ownsBuffers) {
            buffers.close();
        }
    }

    private void deleteFiles() throws IOException {
        for (Path file : files) {
            Files.deleteIfExists(file);
        }
    }

    private void checkOpen() {
        if (isFinished || isClosed) {
            throw new IllegalStateException("the SSTable is finished, or closed");
        }
        if (isBroken) {
            throw new IllegalStateException("the SSTable is incomplete because of an earlier failure");
        }
    }

    private void checkPartition() {
        checkOpen();
        if (!isOpen) {
            throw new IllegalStateException("no partition was started");
        }
    }

    private void checkTtl(int ttlSeconds) {
        if (ttlSeconds < 0 || ttlSeconds > MAX_TTL_SECONDS) {
            throw failure("a TTL of " + ttlSeconds + " s; 0 to " + MAX_TTL_SECONDS + " are possible");
        }
        if (ttlSeconds >= Statistics.NEVER - options.nowSeconds()) {
            throw failure("a TTL of " + ttlSeconds + " s ends after 2038, the last year in files of version nb");
        }
    }

    /** A failure after which the SSTable cannot be finished. */
    private IllegalArgumentException failure(String message) {
        isBroken = true;
        return new IllegalArgumentException(message);
    }
}
