package io.overdrive.sstable.read;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.sstable.format.FileHeader;
import io.overdrive.sstable.format.SstableSchema;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An SSTable that {@link SstableMerge} reads: in the format BIG, of version {@code nb}, which Cassandra 4.0 to 5.0 write, or {@code oa} of
 * 5.0; or in the format BTI, of version {@code da} of 5.0, whose rows are as in {@code oa}. Its Data.db, Statistics.db, Index.db or
 * Partitions.db and Rows.db, and CompressionInfo.db or CRC.db must be in one directory, and not change while it is open. Thread-safe, as what it has does not change but for volatile flags.
 */
public final class SstableFile implements Closeable {
    private static final Pattern NAME = Pattern.compile("([a-z]{2})-(.+)-([a-z]+)-Data\\.db");
    private static final String DATA = "Data.db";
    private static final String STATISTICS = "Statistics.db";
    private final Path path;
    private final String version;
    private final SstableSchema schema;
    private final FileChannel channel;
    private final FileHeader header;
    private final DataChunks chunks;
    private final SstableIndex index;
    /** Whether the first and the last partition, of which the index says so, have been found. */
    private volatile boolean isFirstConfirmed;

    private volatile boolean isLastConfirmed;

    private SstableFile(
            Path path,
            String version,
            SstableSchema schema,
            FileChannel channel,
            FileHeader header,
            DataChunks chunks,
            SstableIndex index) {
        this.path = path;
        this.version = version;
        this.schema = schema;
        this.channel = channel;
        this.header = header;
        this.chunks = chunks;
        this.index = index;
    }

    /**
     * Opens the files, and reads all but the rows.
     *
     * @param data the file that ends in {@code -Data.db}
     * @param schema with all columns of the table
     * @param dropped when columns of these names were last dropped, in microseconds since 1970 ({@code system_schema.dropped_columns}):
     *     cells that are not later do not count. Other columns than those of the table must be among them
     * @throws OverdriveException of kind INPUT if one is missing, damaged, not of the table, or of a kind that cannot be read; of kind
     *     DISK if one cannot be read
     */
    public static SstableFile open(Path data, SstableSchema schema, Map<String, Long> dropped) {
        return open(data, schema, dropped, DataChunks.MAX_IN_MEMORY, SstableIndex.MAX_PLACES);
    }

    /**
     * Used by tests, whose files are small.
     *
     * @param maxChunks chunks whose places are all in memory
     * @param maxPlaces partitions whose places are in memory
     */
    static SstableFile open(Path data, SstableSchema schema, Map<String, Long> dropped, int maxChunks, int maxPlaces) {
        String name = data.getFileName().toString();
        Matcher matcher = NAME.matcher(name);
        String version = matcher.matches() ? matcher.group(1) : "";
        String format = matcher.matches() ? matcher.group(3) : "";
        boolean isTrie = format.equals("bti");
        if (!(isTrie
                ? version.equals("da")
                : format.equals("big") && List.of("nb", "oa").contains(version))) {
            throw new OverdriveException(
                    Kind.INPUT,
                    data
                            + ": the SSTable is not of version nb or oa in the format BIG, or da in BTI, which alone can be"
                            + " read; " + wayOut(version, format));
        }
        FileChannel channel = null;
        DataChunks chunks = null;
        try {
            FileHeader header = FileHeader.read(Files.readAllBytes(component(data, STATISTICS)), schema, dropped);
            channel = FileChannel.open(data, StandardOpenOption.READ);
            chunks = DataChunks.open(data, channel.size(), maxChunks);
            SstableIndex index = SstableIndex.open(data, isTrie, chunks.dataBytes(), maxPlaces);
            if (index.partitions() != header.partitions()) {
                throw index.damaged();
            }
            SstableFile file = new SstableFile(data, version, schema, channel, header, chunks, index);
            channel = null;
            chunks = null;
            return file;
        } catch (NoSuchFileException e) {
            throw missing(data, e);
        } catch (FileHeader.Problem | EOFException e) {
            throw new OverdriveException(Kind.INPUT, data + ": " + e.getMessage(), e);
        } catch (IOException e) {
            throw new OverdriveException(Kind.DISK, data + " cannot be read: " + e, e);
        } finally {
            closeQuietly(channel);
            closeQuietly(chunks);
        }
    }

    /**
     * The bytes of the largest partition of an SSTable without compression, as its statistics have them: a fifth too many at most. Nothing else
     * of it is read.
     *
     * @param data the file that ends in {@code -Data.db}
     * @throws OverdriveException of kind INPUT or DISK if they cannot be read
     */
    public static long largestPartition(Path data) {
        try {
            return FileHeader.largestPartition(Files.readAllBytes(component(data, STATISTICS)));
        } catch (FileHeader.Problem e) {
            throw new OverdriveException(Kind.INPUT, data + ": " + e.getMessage(), e);
        } catch (NoSuchFileException e) {
            throw missing(data, e);
        } catch (IOException e) {
            throw new OverdriveException(Kind.DISK, data + " cannot be read: " + e, e);
        }
    }

    private static OverdriveException missing(Path data, NoSuchFileException e) {
        return new OverdriveException(
                Kind.INPUT,
                data + ": " + Path.of(e.getFile()).getFileName() + " is missing; copy all files of the SSTable",
                e);
    }

    /** The latest write time of all that is in it, in microseconds since 1970. */
    public long lastWriteTime() {
        return header.lastWriteTime();
    }

    /** Columns of the table that may have values here that do not count, since a column of the name was dropped after they were written. */
    public List<String> hiddenColumns() {
        return columns(column -> column.part() >= 0 && header.base().writeTime() <= column.droppedMicros());
    }

    /** Its columns that the table has no longer. */
    public List<String> goneColumns() {
        return columns(column -> column.part() < 0);
    }

    private List<String> columns(Predicate<FileHeader.FileColumn> which) {
        return Stream.concat(header.statics().stream(), header.regulars().stream())
                .filter(which)
                .map(FileHeader.FileColumn::name)
                .toList();
    }

    private static void closeQuietly(@Nullable Closeable closeable) {
        try {
            if (closeable != null) {
                closeable.close();
            }
        } catch (IOException e) {
            // what has failed before says more
        }
    }

    static Path component(Path data, String name) {
        String file = data.getFileName().toString();
        return data.resolveSibling(file.substring(0, file.length() - DATA.length()) + name);
    }

    /** The file that ends in {@code -Data.db}. */
    public Path path() {
        return path;
    }

    /** {@code nb}, {@code oa} or {@code da}. */
    public String version() {
        return version;
    }

    /** The number of its partitions, at least 1, of which none needs to have a row that is live. */
    public long partitions() {
        return index.partitions();
    }

    /** The length of its Data.db. */
    public long bytes() {
        return chunks.end();
    }

    /** The length of its rows before compression, at least 1. */
    public long dataBytes() {
        return chunks.dataBytes();
    }

    /**
     * Estimate of the bytes before compression that the partitions of a range have.
     *
     * @param fromToken exclusive
     * @param toToken inclusive
     */
    public long dataBytes(long fromToken, long toToken) {
        return Math.max(0, end(toToken) - index.startAfter(fromToken));
    }

    /** Not before the end of the partitions up to a token, as the index has them. */
    long end(long token) {
        return index.endUpTo(token);
    }

    /** The partitions before and behind the place of a token, as the index has them. */
    SstableIndex.Neighbours neighbours(long token) {
        try {
            return index.neighbours(token);
        } catch (FileHeader.Problem e) {
            throw new OverdriveException(Kind.INPUT, path + ": " + e.getMessage(), e);
        } catch (IOException e) {
            throw unreadable("its " + index.name(), e);
        }
    }

    /** Token of the first partition. */
    public long firstToken() {
        return index.firstToken();
    }

    /** Token of the last partition. */
    public long lastToken() {
        return index.lastToken();
    }

    /** Whether it is certain that it has no partition in a range: an index has no checksum, so what it says is not. */
    boolean isKnownToMiss(long fromToken, long toToken) {
        return (isFirstConfirmed && toToken < firstToken()) || (isLastConfirmed && fromToken >= lastToken());
    }

    void confirmFirst() {
        isFirstConfirmed = true;
    }

    void confirmLast() {
        isLastConfirmed = true;
    }

    SstableSchema schema() {
        return schema;
    }

    FileChannel channel() {
        return channel;
    }

    FileHeader header() {
        return header;
    }

    DataChunks chunks() {
        return chunks;
    }

    boolean hasShortDeletions() {
        return !version.equals("nb");
    }

    /** @param problem of the file of the index, in words that follow its name */
    OverdriveException damagedIndex(String problem) {
        return damaged("its " + index.name() + " " + problem, null);
    }

    OverdriveException damaged(String problem, @Nullable Throwable cause) {
        return new OverdriveException(
                Kind.INPUT, path + " is damaged: " + problem + "; " + FileHeader.OTHER_COPY, cause);
    }

    OverdriveException unreadable(String what, IOException cause) {
        return new OverdriveException(Kind.DISK, path + ": cannot read " + what + ": " + cause.getMessage(), cause);
    }

    /** How SSTables of another version can be read. */
    private static String wayOut(String version, String format) {
        boolean isBig = format.equals("big");
        if (version.compareTo(isBig ? "oa" : "da") > 0) {
            return "it is newer, and no command makes it older: read the table over CQL";
        }
        return (isBig
                        ? "run nodetool upgradesstables, and take another snapshot, or "
                        : "it is not of Apache Cassandra: ")
                + "read the table over CQL";
    }

    /** @param column the number of a clustering column that has no value, which a damaged file may seem to have */
    OverdriveException lacksClustering(int column) {
        List<String> names = schema.columns().stream()
                .filter(SstableSchema.Column::isClustering)
                .sorted(Comparator.comparingInt(SstableSchema.Column::position))
                .map(SstableSchema.Column::name)
                .toList();
        return new OverdriveException(
                Kind.INPUT,
                path + " has a row without a value of clustering column \"" + names.get(column)
                        + "\", as tables have that were created WITH COMPACT STORAGE, also after it was dropped: read"
                        + " the table over CQL; if it never was such a table, the file is"
                        + " damaged: " + FileHeader.OTHER_COPY);
    }

    @Override
    public void close() {
        closeQuietly(channel);
        closeQuietly(chunks);
    }
}
