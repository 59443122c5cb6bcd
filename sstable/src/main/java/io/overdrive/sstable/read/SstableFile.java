package io.overdrive.sstable.read;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.ring.Murmur3;
import io.overdrive.sstable.format.FileHeader;
import io.overdrive.sstable.format.SstableSchema;
import io.overdrive.sstable.format.Vints;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UTFDataFormatException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An SSTable that {@link SstableMerge} reads, in the format BIG: version {@code nb}, which Cassandra 4.0 to 5.0 write, or {@code oa}
 * of 5.0. Its Data.db, Index.db, Statistics.db, and CompressionInfo.db or CRC.db must be in one directory, and not change while it is
 * open. Thread-safe, as what it has does not change but for volatile flags.
 */
public final class SstableFile implements Closeable {
    private static final Pattern NAME = Pattern.compile("([a-z]{2})-(.+)-([a-z]+)-Data\\.db");
    private static final String DATA = "Data.db";
    /** Partitions that begin closer than this behind one whose place is kept are found by reading on from there. */
    private static final int SAMPLE_BYTES = 1 << 18;

    private static final int MIN_CHUNK_BYTES = 1 << 10;
    /** So that a damaged file does not take all memory; the default of the server is 16 KiB. */
    private static final int MAX_CHUNK_BYTES = 1 << 26;

    private final Path path;
    private final String version;
    private final SstableSchema schema;
    private final FileChannel channel;
    private final FileHeader header;
    private final Chunks chunks;
    private final Places places;
    /** Whether the first and the last partition, of which the index says so, have been found. */
    private volatile boolean isFirstConfirmed;

    private volatile boolean isLastConfirmed;

    /**
     * How the bytes of Data.db are divided. Immutable.
     *
     * @param compressor empty for none
     * @param dataBytes the length before compression
     * @param starts of compressed chunks, and the end of the last one; empty without compression
     * @param checksums without compression; otherwise each is behind its chunk
     */
    record Chunks(
            String compressor, int chunkBytes, int maxCompressedBytes, long dataBytes, long[] starts, int[] checksums) {
        int count() {
            return compressor.isEmpty() ? checksums.length : starts.length - 1;
        }

        long start(int chunk) {
            return compressor.isEmpty() ? Math.min(dataBytes, (long) chunk * chunkBytes) : starts[chunk];
        }

        int checksum(int chunk) {
            return checksums[chunk];
        }

        @Nullable ChunkDecompressor decompressor() {
            return compressor.isEmpty() ? null : ChunkDecompressor.of(compressor);
        }
    }

    /**
     * Where some partitions begin. Immutable.
     *
     * @param numbers of these partitions in the file, from 0
     * @param partitions the number of all
     */
    record Places(long[] tokens, long[] positions, long[] numbers, long partitions, long lastToken) {
        /** The place to start at for partitions with greater tokens. */
        int before(long token) {
            int next = after(token);
            return next == 0 || (next < tokens.length && numbers[next] - numbers[next - 1] == 1) ? next : next - 1;
        }

        /** The first place with a greater token, or the number of places. */
        int after(long token) {
            int low = 0;
            int high = tokens.length;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (tokens[middle] > token) {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            return low;
        }
    }

    private SstableFile(
            Path path,
            String version,
            SstableSchema schema,
            FileChannel channel,
            FileHeader header,
            Chunks chunks,
            Places places) {
        this.path = path;
        this.version = version;
        this.schema = schema;
        this.channel = channel;
        this.header = header;
        this.chunks = chunks;
        this.places = places;
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
        String name = data.getFileName().toString();
        Matcher matcher = NAME.matcher(name);
        String version = matcher.matches() ? matcher.group(1) : "";
        boolean isBig = matcher.matches() && matcher.group(3).equals("big");
        if (!isBig || !(version.equals("nb") || version.equals("oa"))) {
            throw new OverdriveException(
                    Kind.INPUT,
                    data + ": the SSTable is not of version nb or oa in the format BIG, which alone can be read; "
                            + wayOut(version, isBig));
        }
        FileChannel channel = null;
        try {
            FileHeader header = FileHeader.read(Files.readAllBytes(component(data, "Statistics.db")), schema, dropped);
            channel = FileChannel.open(data, StandardOpenOption.READ);
            Chunks chunks = chunks(data, channel.size());
            Places places = places(data, chunks.dataBytes());
            if (places.partitions() != header.partitions()) {
                throw damagedIndex();
            }
            SstableFile file = new SstableFile(data, version, schema, channel, header, chunks, places);
            channel = null;
            return file;
        } catch (NoSuchFileException e) {
            throw new OverdriveException(
                    Kind.INPUT,
                    data + ": " + Path.of(e.getFile()).getFileName() + " is missing; copy all files of the SSTable",
                    e);
        } catch (FileHeader.Problem | EOFException e) {
            throw new OverdriveException(Kind.INPUT, data + ": " + e.getMessage(), e);
        } catch (IOException e) {
            throw new OverdriveException(Kind.DISK, data + " cannot be read: " + e, e);
        } finally {
            if (channel != null) {
                closeQuietly(channel);
            }
        }
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

    private static void closeQuietly(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // what has failed before says more
        }
    }

    private static Path component(Path data, String name) {
        String file = data.getFileName().toString();
        return data.resolveSibling(file.substring(0, file.length() - DATA.length()) + name);
    }

    private static Chunks chunks(Path data, long fileBytes) throws IOException, FileHeader.Problem {
        Path toc = component(data, "TOC.txt");
        Path info = component(data, "CompressionInfo.db");
        boolean isListed = Files.exists(toc)
                && Files.readAllLines(toc, StandardCharsets.UTF_8).contains("CompressionInfo.db");
        return isListed || Files.exists(info)
                ? compressed(Files.readAllBytes(info), fileBytes)
                : plain(Files.readAllBytes(component(data, "CRC.db")), fileBytes);
    }

    private static Chunks compressed(byte[] info, long fileBytes) throws IOException, FileHeader.Problem {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(info))) {
            String compressor = in.readUTF();
            for (int options = in.readInt(); options > 0; options--) {
                in.readUTF();
                in.readUTF();
            }
            int chunkBytes = in.readInt();
            int maxCompressedBytes = in.readInt();
            long dataBytes = in.readLong();
            int count = in.readInt();
            if (Integer.bitCount(chunkBytes) != 1 || chunkBytes < MIN_CHUNK_BYTES || dataBytes < 1) {
                throw damagedInfo();
            }
            if (chunkBytes > MAX_CHUNK_BYTES) {
                throw new FileHeader.Problem("it has chunks of " + chunkBytes + " bytes; at most " + MAX_CHUNK_BYTES
                        + " can be read: read the table over CQL");
            }
            // the server may have added a chunk without bytes
            long filled = (dataBytes - 1) / chunkBytes + 1;
            if ((count != filled && count != filled + 1) || in.available() != 8L * count) {
                throw damagedInfo();
            }
            long[] starts = new long[count + 1];
            for (int i = 0; i < count; i++) {
                starts[i] = in.readLong();
            }
            starts[count] = fileBytes;
            if (count > filled) {
                starts = Arrays.copyOf(starts, count--);
            }
            for (int i = 0; i < count; i++) {
                long bytes = starts[i + 1] - starts[i];
                if (starts[0] != 0 || bytes < 5 || bytes > 2L * chunkBytes) {
                    throw i + 1 == count && starts[0] == 0
                            ? new FileHeader.Problem(
                                    "its Data.db was cut short, or is damaged; " + FileHeader.OTHER_COPY)
                            : damagedInfo();
                }
            }
            try {
                ChunkDecompressor.of(compressor).close();
            } catch (IllegalArgumentException | IllegalStateException e) {
                throw new FileHeader.Problem(String.valueOf(e.getMessage()));
            }
            return new Chunks(compressor, chunkBytes, maxCompressedBytes, dataBytes, starts, new int[0]);
        } catch (EOFException | UTFDataFormatException e) {
            throw damagedInfo();
        }
    }

    private static FileHeader.Problem damagedInfo() {
        return new FileHeader.Problem(
                "its CompressionInfo.db is damaged or cut short, or of another SSTable; " + FileHeader.OTHER_COPY);
    }

    private static Chunks plain(byte[] crc, long fileBytes) throws FileHeader.Problem {
        int chunkBytes = crc.length < 4 ? 0 : Bytes.getInt(crc, 0);
        int count = crc.length / 4 - 1;
        long filled = chunkBytes < 1 ? -1 : (fileBytes + chunkBytes - 1) / chunkBytes;
        // the server may have added a chunk without bytes, whose checksum is 0
        boolean hasEmpty = count == filled + 1 && Bytes.getInt(crc, 4 * count) == 0;
        if (filled < 1 || crc.length % 4 != 0 || (count != filled && !hasEmpty)) {
            throw new FileHeader.Problem(
                    "its Data.db and CRC.db do not have the same length: one was cut short; " + FileHeader.OTHER_COPY);
        }
        int[] checksums = new int[(int) filled];
        for (int i = 0; i < checksums.length; i++) {
            checksums[i] = Bytes.getInt(crc, 4 + 4 * i);
        }
        return new Chunks("", chunkBytes, Integer.MAX_VALUE, fileBytes, new long[0], checksums);
    }

    /** Reads the index from its start to its end. */
    private static Places places(Path data, long dataBytes) throws IOException, FileHeader.Problem {
        long[] tokens = new long[64];
        long[] positions = new long[64];
        long[] numbers = new long[64];
        int count = 0;
        long partitions = 0;
        long last = -1;
        byte[] key = new byte[1 << 16];
        int keyBytes = 0;
        try (InputStream file = Files.newInputStream(component(data, "Index.db"));
                DataInputStream in = new DataInputStream(new BufferedInputStream(file, 1 << 16))) {
            for (int first = in.read(); first >= 0; first = in.read()) {
                keyBytes = first << 8 | in.readUnsignedByte();
                in.readFully(key, 0, keyBytes);
                long position = Vints.read(in);
                in.skipNBytes(Vints.read(in));
                if (position <= last || (partitions == 0 && position != 0) || position >= dataBytes) {
                    throw damagedIndex();
                }
                last = position;
                if (count == 0 || position - positions[count - 1] >= SAMPLE_BYTES) {
                    if (count == tokens.length) {
                        tokens = Arrays.copyOf(tokens, 2 * count);
                        positions = Arrays.copyOf(positions, 2 * count);
                        numbers = Arrays.copyOf(numbers, 2 * count);
                    }
                    tokens[count] = Murmur3.token(key, 0, keyBytes);
                    positions[count] = position;
                    numbers[count] = partitions;
                    if (count > 0 && tokens[count] < tokens[count - 1]) {
                        throw damagedIndex();
                    }
                    count++;
                }
                partitions++;
            }
        } catch (EOFException e) {
            throw damagedIndex();
        }
        if (count == 0) {
            throw damagedIndex();
        }
        return new Places(
                Arrays.copyOf(tokens, count),
                Arrays.copyOf(positions, count),
                Arrays.copyOf(numbers, count),
                partitions,
                Murmur3.token(key, 0, keyBytes));
    }

    private static FileHeader.Problem damagedIndex() {
        return new FileHeader.Problem(
                "its Index.db is damaged or cut short, or of another SSTable; " + FileHeader.OTHER_COPY);
    }

    /** The file that ends in {@code -Data.db}. */
    public Path path() {
        return path;
    }

    /** {@code nb} or {@code oa}. */
    public String version() {
        return version;
    }

    /** The number of its partitions, at least 1, of which none needs to have a row that is live. */
    public long partitions() {
        return places.partitions();
    }

    /** The length of its Data.db. */
    public long bytes() {
        return chunks.compressor().isEmpty() ? chunks.dataBytes() : chunks.start(chunks.count());
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
        return Math.max(0, end(toToken) - start(places.before(fromToken)));
    }

    private long start(int place) {
        return place == places.positions().length ? chunks.dataBytes() : places.positions()[place];
    }

    /** Not before the end of the partitions up to a token, as the index has them. */
    long end(long token) {
        return start(places.after(token));
    }

    /** Token of the first partition. */
    public long firstToken() {
        return places.tokens()[0];
    }

    /** Token of the last partition. */
    public long lastToken() {
        return places.lastToken();
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

    Chunks chunks() {
        return chunks;
    }

    Places places() {
        return places;
    }

    boolean hasShortDeletions() {
        return version.equals("oa");
    }

    OverdriveException damaged(String problem, @Nullable Throwable cause) {
        return new OverdriveException(
                Kind.INPUT, path + " is damaged: " + problem + "; " + FileHeader.OTHER_COPY, cause);
    }

    /** How SSTables of another version can be read. */
    private static String wayOut(String version, boolean isBig) {
        boolean isNewer = version.compareTo(isBig ? "oa" : "da") > 0;
        return isNewer
                ? "it is newer, and no command makes it older: read the table over CQL"
                : (isBig ? "" : "set the format of the node to big if it is bti, ")
                        + "run nodetool upgradesstables, and take another snapshot, or read the table over CQL";
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
    }
}
