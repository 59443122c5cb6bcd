package io.overdrive.sstable.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.OverdriveException;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.ring.Murmur3;
import io.overdrive.sstable.format.SstableSchema;
import io.overdrive.sstable.format.SstableSchema.Column;
import io.overdrive.sstable.format.SstableSchema.Compression;
import io.overdrive.sstable.format.SstableSchema.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An SSTable of the format BTI that a node has written, with small and large partitions ({@code sstables-of-a-node/table.cql} in the resources). */
class TrieSstableTest {
    private static final String PREFIX = "da-3-bti-";
    private static final int PARTITIONS = 2000;
    private static final SstableSchema SCHEMA = new SstableSchema(
            List.of(
                    new Column("p", DataTypes.INT, Kind.PARTITION_KEY, 0),
                    new Column("c", DataTypes.INT, Kind.CLUSTERING, 0),
                    new Column("v", DataTypes.TEXT, Kind.REGULAR, 0)),
            new Compression("LZ4Compressor", 1 << 14, 0, Map.of()),
            0.01,
            128);
    /** The keys of the partitions by their tokens. */
    private static final TreeMap<Long, Integer> KEYS = new TreeMap<>();

    static {
        for (int key = 0; key < PARTITIONS; key++) {
            KEYS.put(Murmur3.token(ByteBuffer.allocate(4).putInt(key).array(), 0, 4), key);
        }
    }

    private final Path directory;
    private final Path data;

    TrieSstableTest(@TempDir Path directory) {
        this.directory = directory;
        data = directory.resolve(PREFIX + "Data.db");
    }

    @BeforeEach
    void copy() throws IOException {
        for (String component : List.of("Data.db", "Partitions.db", "Rows.db", "Statistics.db", "CompressionInfo.db")) {
            try (InputStream in = getClass().getResourceAsStream("sstables-of-a-node/" + PREFIX + component)) {
                Files.write(
                        directory.resolve(PREFIX + component),
                        Objects.requireNonNull(in).readAllBytes());
            }
        }
    }

    private static List<Long> expected(long from, long to) {
        List<Long> rows = new ArrayList<>();
        for (int key : KEYS.subMap(from, false, to, true).values()) {
            for (int row = 0; row < (key % 500 == 1 ? 800 : 1); row++) {
                rows.add((long) key << 32 | row);
            }
        }
        return rows;
    }

    private static List<Long> read(SstableFile file, long... bounds) {
        List<Long> rows = new ArrayList<>();
        try (SstableMerge merge = SstableMerge.of(SCHEMA, List.of(file), /* nowSeconds */ 1)) {
            for (int i = 0; i + 1 < bounds.length; i++) {
                merge.open(bounds[i], bounds[i + 1]);
                while (merge.next()) {
                    SstableRow row = merge.row();
                    long key = Bytes.getInt(row.array(0), row.start(0));
                    rows.add(key << 32 | Bytes.getInt(row.array(1), row.start(1)));
                    assertThat(row.length(2)).isEqualTo(key % 500 == 1 ? 60 : 0);
                }
            }
        }
        return rows;
    }

    @Test
    void knowsTheSizeOfTheLargestPartition() throws IOException {
        try (SstableFile file = SstableFile.open(data, SCHEMA, Map.of())) {
            long bytes =
                    file.dataBytes(); // nearly all of them are those of four partitions with the same number of rows
            assertThat(4 * SstableFile.largestPartition(data)).isBetween(bytes * 3 / 4, bytes * 6 / 5);
        }
        Path statistics = SstableFile.component(data, "Statistics.db");
        Files.write(statistics, Arrays.copyOf(Files.readAllBytes(statistics), 2000));
        assertThatThrownBy(() -> SstableFile.largestPartition(data))
                .isInstanceOf(OverdriveException.class)
                .hasMessageContaining("Statistics.db");
        Files.delete(statistics);
        assertThatThrownBy(() -> SstableFile.largestPartition(data))
                .isInstanceOf(OverdriveException.class)
                .hasMessageContaining("Statistics.db is missing");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 8, SstableIndex.MAX_PLACES})
    void readsEachPartitionOnceWhereverRangesEnd(int maxPlaces) {
        Random random = new Random(maxPlaces);
        try (SstableFile file =
                SstableFile.open(data, SCHEMA, Map.of(), DataChunks.MAX_IN_MEMORY, Math.min(maxPlaces, 1 << 14))) {
            assertThat(file.version()).isEqualTo("da");
            assertThat(file.partitions()).isEqualTo(PARTITIONS);
            assertThat(file.firstToken()).isEqualTo(KEYS.firstKey());
            assertThat(file.lastToken()).isEqualTo(KEYS.lastKey());
            assertThat(file.dataBytes(Long.MIN_VALUE, Long.MAX_VALUE)).isEqualTo(file.dataBytes());
            List<Long> tokens = List.copyOf(KEYS.keySet());
            for (int trial = 0; trial < 20; trial++) {
                long[] bounds = new long[2 + random.nextInt(60)];
                for (int i = 1; i + 1 < bounds.length; i++) {
                    bounds[i] = random.nextBoolean()
                            ? random.nextLong()
                            : tokens.get(random.nextInt(PARTITIONS)) + random.nextInt(3) - 1;
                }
                bounds[0] = Long.MIN_VALUE;
                bounds[bounds.length - 1] = Long.MAX_VALUE;
                Arrays.sort(bounds);
                assertThat(read(file, bounds)).isEqualTo(expected(Long.MIN_VALUE, Long.MAX_VALUE));
            }
            for (int trial = 0; trial < 500; trial++) {
                long from = random.nextLong();
                long to = from + (random.nextLong() >>> 4);
                if (to > from) {
                    assertThat(read(file, from, to)).isEqualTo(expected(from, to));
                }
            }
        }
    }

    /** Any byte changed, and any end missing, of any file: an error that names it, or the same rows. */
    @ParameterizedTest
    @ValueSource(strings = {"Data.db", "Partitions.db", "Rows.db", "Statistics.db", "CompressionInfo.db"})
    void readsNoWrongRowsFromDamagedFiles(String component) throws IOException {
        Random random = new Random(component.hashCode());
        List<Long> expected = expected(Long.MIN_VALUE, Long.MAX_VALUE);
        Path file = directory.resolve(PREFIX + component);
        byte[] good = Files.readAllBytes(file);
        int errors = 0;
        for (int i = 0; i < 60; i++) {
            byte[] bad = good.clone();
            bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
            errors += readDamaged(file, bad, random, expected);
            errors += readDamaged(file, Arrays.copyOf(good, random.nextInt(good.length)), random, expected);
        }
        assertThat(errors).isGreaterThan(50);
        assertThat(readDamaged(file, good, random, expected)).isZero();
    }

    /** @return 1 if it was an error */
    private int readDamaged(Path changed, byte[] content, Random random, List<Long> expected) throws IOException {
        Files.write(changed, content);
        try (SstableFile file = SstableFile.open(data, SCHEMA, Map.of(), DataChunks.MAX_IN_MEMORY, 8)) {
            assertThat(read(file, Long.MIN_VALUE, Long.MAX_VALUE)).isEqualTo(expected);
            long[] bounds = random.longs(40).sorted().toArray();
            bounds[0] = Long.MIN_VALUE;
            bounds[bounds.length - 1] = Long.MAX_VALUE;
            assertThat(read(file, bounds)).isEqualTo(expected);
            return 0;
        } catch (OverdriveException e) {
            assertThat(e).hasMessageContaining(data.toString());
            assertThat(e.kind()).isEqualTo(OverdriveException.Kind.INPUT);
            return 1;
        }
    }

    @Test
    void needsRowsDbForItsLargePartitions() throws IOException {
        Files.delete(directory.resolve(PREFIX + "Rows.db"));
        assertThatThrownBy(() -> SstableFile.open(data, SCHEMA, Map.of()))
                .hasMessage(data + ": da-3-bti-Rows.db is missing; copy all files of the SSTable");
    }
}
