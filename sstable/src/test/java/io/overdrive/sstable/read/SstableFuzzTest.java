package io.overdrive.sstable.read;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.internal.core.type.UserDefinedTypeBuilder;
import io.overdrive.OverdriveException;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.sstable.format.SstableSchema;
import io.overdrive.sstable.format.SstableSchema.Column;
import io.overdrive.sstable.format.SstableSchema.Compression;
import io.overdrive.sstable.format.SstableSchema.Kind;
import io.overdrive.sstable.format.Strings;
import io.overdrive.sstable.write.SstableWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * SSTables of which one file has arbitrary bytes, with checksums that match them. The others are those of a node ({@code
 * sstables-of-a-node/table.cql} in the resources). The build runs the stored inputs; scripts/fuzz.sh searches for others.
 */
class SstableFuzzTest {
    private static final String RESOURCES = "sstables-of-a-node/";
    private static final List<String> VERSIONS = List.of("nb", "oa", "da");
    private static final List<String> COMPONENTS =
            List.of("Data.db", "Index.db", "Partitions.db", "Statistics.db", "CRC.db");
    /** When some of the rows have expired, and others have not. */
    private static final long NOW_SECONDS = 1_800_000_000;

    private static final SstableSchema SCHEMA = new SstableSchema(
            List.of(
                    new Column("p", DataTypes.INT, Kind.PARTITION_KEY, 0),
                    new Column("k", DataTypes.DECIMAL, Kind.CLUSTERING, 0),
                    new Column("c", DataTypes.INT, Kind.CLUSTERING_DESCENDING, 1),
                    new Column("s", DataTypes.TEXT, Kind.STATIC, 0),
                    new Column("ss", DataTypes.setOf(DataTypes.INT), Kind.STATIC, 0),
                    new Column("r", DataTypes.INT, Kind.REGULAR, 0),
                    new Column("x", DataTypes.TEXT, Kind.REGULAR, 0),
                    new Column("l", DataTypes.listOf(DataTypes.INT), Kind.REGULAR, 0),
                    new Column(
                            "m",
                            DataTypes.mapOf(DataTypes.frozenListOf(DataTypes.TEXT), DataTypes.INT),
                            Kind.REGULAR,
                            0),
                    new Column(
                            "u",
                            new UserDefinedTypeBuilder(
                                            CqlIdentifier.fromInternal("ks"), CqlIdentifier.fromInternal("u"))
                                    .withField("a", DataTypes.INT)
                                    .withField("b", DataTypes.TEXT)
                                    .build(),
                            Kind.REGULAR,
                            0)),
            Compression.NONE,
            0.01,
            128);

    @TempDir
    static Path directory = Path.of("");

    private static final Map<String, byte[]> RESOURCES_READ = new HashMap<>();
    /** Files that have the content of the node's. */
    private static final Set<Path> UNCHANGED = new HashSet<>();

    private static byte[] resource(String name) {
        return RESOURCES_READ
                .computeIfAbsent(name, n -> {
                    try (InputStream in = SstableFuzzTest.class.getResourceAsStream(RESOURCES + n)) {
                        return Objects.requireNonNull(in, n).readAllBytes();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                })
                .clone();
    }

    /** The name of a file, such as {@code nb-1-big-Data.db}. */
    private static String name(String sstable, String component) {
        return sstable + (isTrie(sstable) ? "-bti-" : "-big-") + component;
    }

    private static boolean isTrie(String sstable) {
        return sstable.startsWith("da");
    }

    /** Writes the files of an SSTable, one of them with other content. */
    private static Path write(String sstable, @Nullable String changed, byte[] content) throws IOException {
        for (String component : COMPONENTS) {
            Path file = directory.resolve(name(sstable, component));
            if (component.equals(changed)) {
                change(file, content);
            } else if (!component.equals(isTrie(sstable) ? "Index.db" : "Partitions.db") && UNCHANGED.add(file)) {
                Files.write(file, resource(name(sstable, component)));
            }
        }
        return directory.resolve(name(sstable, "Data.db"));
    }

    private static void change(Path file, byte[] content) throws IOException {
        UNCHANGED.remove(file);
        Files.write(file, content);
    }

    /** The rows, or null if it is an error, which has to name one of the files. */
    private static @Nullable List<String> read(List<Path> data, long... bounds) {
        return read(SCHEMA, data, bounds);
    }

    private static @Nullable List<String> read(SstableSchema schema, List<Path> data, long... bounds) {
        List<SstableFile> files = new ArrayList<>();
        List<String> rows = new ArrayList<>();
        try {
            for (Path each : data) {
                files.add(SstableFile.open(each, schema, Map.of()));
            }
            try (SstableMerge merge = SstableMerge.of(schema, files, NOW_SECONDS)) {
                for (int i = 0; i + 1 < bounds.length; i++) {
                    merge.open(bounds[i], bounds[i + 1]);
                    while (merge.next()) {
                        Bytes row = new Bytes(64);
                        for (int column = 0; column < schema.columns().size(); column++) {
                            merge.row().append(column, row);
                        }
                        rows.add(HexFormat.of().formatHex(row.toByteArray()));
                    }
                }
            }
            return rows;
        } catch (OverdriveException e) {
            assertThat(e.kind()).isEqualTo(OverdriveException.Kind.INPUT);
            assertThat(data.stream()
                            .anyMatch(path -> String.valueOf(e.getMessage()).contains(path.toString())))
                    .as(e.getMessage())
                    .isTrue();
            return null;
        } finally {
            files.forEach(SstableFile::close);
        }
    }

    private static @Nullable List<String> read(Path data) {
        return read(List.of(data), Long.MIN_VALUE, Long.MAX_VALUE);
    }

    private static int crc(byte[] content, int from, int to) {
        CRC32 crc = new CRC32();
        crc.update(content, from, to - from);
        return (int) crc.getValue();
    }

    private static byte[] checksums(byte[] data) {
        Bytes out = new Bytes(64);
        int chunk = 1 << 16;
        out.putInt(chunk);
        for (int from = 0; from < data.length; from += chunk) {
            out.putInt(crc(data, from, Math.min(data.length, from + chunk)));
        }
        return out.toByteArray();
    }

    /** The rows of a table, as its Data.db has them. */
    @FuzzTest
    void rows(byte[] rows) throws IOException {
        for (String version : VERSIONS) {
            Path data = write(version + "-1", "Data.db", rows);
            change(directory.resolve(name(version + "-1", "CRC.db")), checksums(rows));
            if (rows.length >= 6 && !isTrie(version)) {
                byte[] index = resource(version + "-1-big-Index.db");
                System.arraycopy(rows, 2, index, 2, 4); // the key of the first partition
                change(directory.resolve(version + "-1-big-Index.db"), index);
            }
            List<String> whole = read(data);
            List<String> parts = read(List.of(data), Long.MIN_VALUE, 0, Long.MAX_VALUE);
            if (whole != null && parts != null) {
                assertThat(parts).isEqualTo(whole);
            }
            read(List.of(data, write(version + "-2", null, rows)), Long.MIN_VALUE, Long.MAX_VALUE);
        }
    }

    @FuzzTest
    void index(byte[] index) throws IOException {
        readsTheSameRowsOrNone("nb-1", "Index.db", index);
    }

    @FuzzTest
    void trie(byte[] partitions) throws IOException {
        readsTheSameRowsOrNone("da-1", "Partitions.db", partitions);
    }

    private static void readsTheSameRowsOrNone(String sstable, String component, byte[] content) throws IOException {
        List<String> expected = read(write(sstable, null, content));
        Path data = write(sstable, component, content);
        for (long middle : new long[] {Long.MIN_VALUE + 1, -(1L << 62), 0, 1L << 62}) {
            List<String> rows = read(List.of(data), Long.MIN_VALUE, middle, Long.MAX_VALUE);
            assertThat(rows == null || rows.equals(expected)).isTrue();
        }
    }

    /** The section of Statistics.db that has types and columns. */
    @FuzzTest
    void header(byte[] header) throws IOException {
        for (String version : VERSIONS) {
            read(write(
                    version + "-1",
                    "Statistics.db",
                    withHeader(resource(name(version + "-1", "Statistics.db")), header)));
        }
    }

    /** The header is the last section. */
    private static byte[] withHeader(byte[] statistics, byte[] header) {
        int sections = Bytes.getInt(statistics, 0);
        int at = Bytes.getInt(statistics, 8 * sections + 4);
        assertThat(Bytes.getInt(statistics, 8 * sections)).isEqualTo(3);
        byte[] changed = Arrays.copyOf(statistics, at + header.length + 4);
        System.arraycopy(header, 0, changed, at, header.length);
        Bytes.setInt(changed, at + header.length, crc(changed, at, at + header.length));
        return changed;
    }

    private static byte[] info(Compression compression, long bytes, Bytes starts) {
        Bytes info = new Bytes(64);
        Strings.putUtf(info, compression.compressor());
        info.putInt(0); // options
        info.putInt(compression.chunkBytes());
        info.putInt(compression.maxCompressedBytes());
        info.putLong(bytes);
        info.putInt(starts.length() / 8);
        info.put(starts.array(), 0, starts.length());
        return info.toByteArray();
    }

    private static @Nullable List<String> readCompressed(byte[] data, byte[] info) throws IOException {
        Path file = write("nb-1", "Data.db", data);
        Path infoFile = directory.resolve("nb-1-big-CompressionInfo.db");
        Files.write(infoFile, info);
        try {
            return read(file);
        } finally {
            Files.delete(infoFile);
        }
    }

    /** The input has several chunks. */
    @FuzzTest
    void compressionInfo(byte[] info) throws IOException {
        List<Column> columns = List.of(
                new Column("p", DataTypes.INT, Kind.PARTITION_KEY, 0),
                new Column("r", DataTypes.TEXT, Kind.REGULAR, 0));
        SstableSchema schema =
                new SstableSchema(columns, new Compression("LZ4Compressor", 1 << 10, 0, Map.of()), 0.01, 128);
        Path data = directory.resolve("nb-9-big-Data.db");
        if (!Files.exists(data)) {
            try (SstableWriter writer =
                    SstableWriter.open(schema, new SstableWriter.Options(directory, 9, 1, 1, (int) NOW_SECONDS))) {
                byte[] key = {0, 0, 0, 1};
                byte[] row = new byte[4 + 4 + 4 + 5000];
                System.arraycopy(new byte[] {0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 5000 >> 8, (byte) 5000}, 0, row, 0, 12);
                writer.partition(key, 0, 4);
                writer.row(row, 0, 1, 0);
                writer.finish();
            }
        }
        Files.write(directory.resolve("nb-9-big-CompressionInfo.db"), info);
        List<String> rows = read(schema, List.of(data), Long.MIN_VALUE, Long.MAX_VALUE);
        assertThat(rows == null || (rows.size() == 1 && rows.get(0).length() == 2 * (8 + 4 + 5000)))
                .isTrue();
    }

    /** A chunk as it is compressed. */
    @FuzzTest
    void chunk(byte[] chunk) throws IOException {
        Bytes data = new Bytes(64);
        data.put(chunk);
        data.putInt(crc(chunk, 0, chunk.length));
        Bytes start = new Bytes(8);
        start.putLong(0);
        for (String compressor :
                List.of("LZ4Compressor", "ZstdCompressor", "SnappyCompressor", "DeflateCompressor", "NoopCompressor")) {
            Compression compression = new Compression(compressor, 1 << 14, 0, Map.of());
            readCompressed(data.toByteArray(), info(compression, resource("nb-1-big-Data.db").length, start));
        }
    }

    /** Needs no node: the rows are those of its SELECT. */
    @Test
    void readsWhatANodeHasWritten() throws IOException {
        List<String> selected = new String(resource("selected.txt"), StandardCharsets.UTF_8)
                .lines()
                .toList();
        for (String version : VERSIONS) {
            for (String second : List.of(version, "da")) { // versions may be mixed
                assertThat(read(
                                List.of(
                                        write(version + "-1", null, new byte[0]),
                                        write(second + "-2", null, new byte[0])),
                                Long.MIN_VALUE,
                                Long.MAX_VALUE))
                        .isEqualTo(selected);
            }
        }
    }
}
