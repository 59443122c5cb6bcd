package io.overdrive.internal.write;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import io.overdrive.Grouping;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.cql.PreparedCql;
import io.overdrive.internal.ring.Murmur3;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The cost of grouping rows by partition and building requests: 200,000 rows shaped like W1 (a key of 52 bytes, values of 32), partitions
 * of 100 rows, on one thread and one shard. The results are {@code rows} a second and {@code requests}. Each run checks that all rows are
 * emitted. In this package because {@code Shard} is package-private.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(2)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 6, time = 1)
public class GroupingBenchmark {
    private static final int PARTITIONS = 2_000;
    private static final int ROWS_EACH = 100;
    private static final int KEY_BYTES = 52;
    private static final int VALUE_BYTES = 32;
    private static final int HEADER_BYTES = 12;
    private static final long BASE_TIMESTAMP = 1_700_000_000_000_000L;

    /** The order in which the rows come. */
    public enum Order {
        IN_ORDER,
        SHUFFLED
    }

    /** Counts rows and requests. */
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    @State(Scope.Thread)
    public static class Counters {
        public long rows;
        public long requests;
    }

    @Param
    Order order = Order.IN_ORDER;

    /** 64 MiB hold all rows; a tenth of the rows' size makes the shuffled ones spill. */
    @Param({"67108864", "1700000"})
    long budget;

    private final byte[][] keys = new byte[PARTITIONS][];
    private final long[] tokens = new long[PARTITIONS];
    private final int[] partitions = new int[PARTITIONS * ROWS_EACH];
    private final byte[] record = new byte[HEADER_BYTES + VALUE_BYTES];
    private final WriteLayout layout = layout();
    private final List<WriteRequest> ready = new ArrayList<>();
    private final Path directory = Path.of(System.getProperty("java.io.tmpdir"));

    /** Seven blobs, of which three are the partition key and the last is the write time. */
    private static WriteLayout layout() {
        int[] key = {0, 1, 2};
        return new WriteLayout(
                new PreparedCql(
                        "",
                        new byte[16],
                        new byte[16],
                        Collections.nCopies(7, "c"),
                        Collections.nCopies(7, DataTypes.BLOB),
                        /* hasCollectionKey */ false,
                        key,
                        CodecRegistry.DEFAULT,
                        ProtocolVersion.V5),
                CqlIdentifier.fromInternal("ks"),
                CqlIdentifier.fromInternal("t"),
                new RowMarkers(
                        new int[] {0, 1, 2, 3, 4, 5}, key, /* prefix */ key.length, /* ttl */ -1, /* timestamp */ -1),
                new WriteRules(
                        Grouping.PARTITION,
                        /* gathersSingles */ false,
                        WriteRules.Timestamp.LAST_MARKER,
                        new RetryRule(
                                /* idempotent */ true,
                                /* needsNewTime */ false,
                                /* conditional */ false,
                                /* severalPartitions */ false,
                                /* severalPartitionsARow */ false,
                                /* maxAttempts */ 10),
                        /* ifNotExists */ false,
                        /* replacesRows */ true,
                        /* isRepeatable */ true,
                        /* isCounter */ false),
                HiddenValues.none(),
                /* minWriteTimeStep */ 1,
                DefaultConsistencyLevel.LOCAL_QUORUM);
    }

    @Setup(Level.Trial)
    public void makeRows() {
        Random random = new Random(42);
        for (int i = 0; i < PARTITIONS; i++) {
            keys[i] = new byte[KEY_BYTES];
            random.nextBytes(keys[i]);
            tokens[i] = Murmur3.token(keys[i], 0, KEY_BYTES) & Long.MAX_VALUE >>> 2; // of the first shard
        }
        for (int i = 0; i < partitions.length; i++) {
            partitions[i] = i / ROWS_EACH;
        }
        for (int i = partitions.length - 1; order == Order.SHUFFLED && i > 0; i--) {
            int other = random.nextInt(i + 1);
            int swap = partitions[i];
            partitions[i] = partitions[other];
            partitions[other] = swap;
        }
        Bytes.setInt(record, 0, VALUE_BYTES);
    }

    @Benchmark
    public void group(Counters counters) {
        Shard shard = new Shard(
                new GroupRequests.Form(layout, /* keyIsPrefix */ true, /* attachments */ false, BASE_TIMESTAMP),
                new BatchLimit(64 << 10),
                /* batchRows */ 1000,
                budget,
                new Spill.Place(directory, Spill::temporaryFile, /* shard */ 0),
                failure -> {
                    throw failure;
                });
        long rowsOut = 0;
        for (int i = 0; i < partitions.length; i++) {
            int p = partitions[i];
            Bytes.setLong(record, 4, i);
            shard.add(tokens[p], tokens[p], keys[p], KEY_BYTES, record, record.length, /* callback */ null, ready);
            rowsOut += take(counters);
        }
        boolean more = true;
        while (more) {
            more = shard.emitSome(ready);
            rowsOut += take(counters);
        }
        more = true;
        while (more) {
            more = shard.unspill(ready);
            rowsOut += take(counters);
        }
        if (rowsOut != partitions.length) {
            throw new IllegalStateException(rowsOut + " rows came out of " + partitions.length);
        }
        counters.rows += rowsOut;
    }

    private long take(Counters counters) {
        long rows = 0;
        for (int i = 0; i < ready.size(); i++) {
            rows += ready.get(i).rows();
        }
        counters.requests += ready.size();
        ready.clear();
        return rows;
    }
}
