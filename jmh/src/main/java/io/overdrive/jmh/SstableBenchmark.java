package io.overdrive.jmh;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.ring.Murmur3;
import io.overdrive.sstable.format.SstableSchema;
import io.overdrive.sstable.format.SstableSchema.Column;
import io.overdrive.sstable.format.SstableSchema.Compression;
import io.overdrive.sstable.format.SstableSchema.Kind;
import io.overdrive.sstable.write.Sstable;
import io.overdrive.sstable.write.SstableWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Writes rows in wire form and in order to the files of one SSTable, in time for each row: the rows of W1 in PERFORMANCE.md, 100 in a partition.
 * Opening, syncing and all components are included.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(2)
public class SstableBenchmark {
    private static final int PARTITIONS = 5_000;
    private static final int ROWS_OF_A_PARTITION = 100;
    private static final int ROWS = PARTITIONS * ROWS_OF_A_PARTITION;
    private static final int NOW_SECONDS = 1_790_000_000;
    private static final long WRITE_TIME = NOW_SECONDS * 1_000_000L;

    /** The compressor of the table, or {@code none}. */
    @Param({"LZ4Compressor", "none"})
    public String compressor = "none";

    private SstableSchema schema = schema(Compression.NONE);
    private Path directory = Path.of("");
    private byte[][] keys = {};
    private byte[] rows = {};
    /** Where each row begins. */
    private int[] starts = {};

    private static SstableSchema schema(Compression compression) {
        return new SstableSchema(
                List.of(
                        column("host", DataTypes.TEXT, Kind.PARTITION_KEY, 0),
                        column("bucket_time", DataTypes.TIMESTAMP, Kind.PARTITION_KEY, 1),
                        column("service", DataTypes.TEXT, Kind.PARTITION_KEY, 2),
                        column("time", DataTypes.TIMESTAMP, Kind.CLUSTERING_DESCENDING, 0),
                        column("metric", DataTypes.DOUBLE, Kind.REGULAR, 0),
                        column("state", DataTypes.TEXT, Kind.REGULAR, 0)),
                compression,
                0.01,
                128);
    }

    private static Column column(String name, DataType type, Kind kind, int position) {
        return new Column(name, type, kind, position);
    }

    @Setup
    public void makeRows() throws IOException {
        directory = Files.createTempDirectory("overdrive-jmh");
        schema = schema(
                compressor.equals("none") ? Compression.NONE : new Compression(compressor, 16 << 10, 0, Map.of()));
        List<Partition> partitions = new ArrayList<>();
        for (int i = 0; i < PARTITIONS; i++) {
            partitions.add(new Partition("host-" + i % 500 + ".example.org", i / 500 * 3_600_000L, "service-" + i % 7));
        }
        partitions.sort(Comparator.comparingLong(partition -> token(partition.key())));
        keys = partitions.stream().map(Partition::key).toArray(byte[][]::new);
        Random random = new Random(1);
        Bytes out = new Bytes(ROWS * 100);
        starts = new int[ROWS];
        for (int row = 0; row < ROWS; row++) {
            starts[row] = out.length();
            Partition partition = partitions.get(row / ROWS_OF_A_PARTITION);
            putText(partition.host, out);
            putLong(partition.bucket, out);
            putText(partition.service, out);
            putLong(partition.bucket + 36_000L * (ROWS_OF_A_PARTITION - row % ROWS_OF_A_PARTITION), out);
            putLong(Double.doubleToLongBits(random.nextInt(100_000_000) / 1e6), out);
            putText(random.nextInt(20) == 0 ? "WARNING" : "OK", out);
        }
        rows = out.toByteArray();
    }

    private record Partition(String host, long bucket, String service) {
        byte[] key() {
            Bytes key = new Bytes(64);
            putPart(key, host.getBytes(StandardCharsets.UTF_8));
            Bytes time = new Bytes(8);
            time.putLong(bucket);
            putPart(key, time.toByteArray());
            putPart(key, service.getBytes(StandardCharsets.UTF_8));
            return key.toByteArray();
        }

        private static void putPart(Bytes key, byte[] value) {
            key.putShort(value.length);
            key.put(value);
            key.putByte(0);
        }
    }

    private static long token(byte[] key) {
        return Murmur3.token(key, 0, key.length);
    }

    private static void putText(String text, Bytes out) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        out.putInt(utf8.length);
        out.put(utf8);
    }

    private static void putLong(long value, Bytes out) {
        out.putInt(8);
        out.putLong(value);
    }

    @Benchmark
    @OperationsPerInvocation(ROWS)
    public Sstable write() throws IOException {
        SstableWriter.Options options = new SstableWriter.Options(directory, 1, PARTITIONS, WRITE_TIME, NOW_SECONDS);
        Sstable sstable;
        try (SstableWriter writer = SstableWriter.open(schema, options)) {
            int row = 0;
            for (byte[] key : keys) {
                writer.partition(key, 0, key.length);
                for (int end = row + ROWS_OF_A_PARTITION; row < end; row++) {
                    writer.row(rows, starts[row], WRITE_TIME + row, 0);
                }
            }
            sstable = writer.finish();
        }
        for (Path file : sstable.files()) {
            Files.delete(file);
        }
        return sstable;
    }

    @TearDown(Level.Trial)
    public void deleteDirectory() throws IOException {
        Files.delete(directory);
    }
}
