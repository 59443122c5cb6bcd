package io.overdrive.sstable;

import java.io.DataInputStream;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.io.sstable.CQLSSTableWriter;
import org.apache.cassandra.io.sstable.Descriptor;
import org.apache.cassandra.io.sstable.format.FilterComponent;
import org.apache.cassandra.io.sstable.metadata.CompactionMetadata;
import org.apache.cassandra.io.sstable.metadata.MetadataType;
import org.apache.cassandra.io.util.File;
import org.apache.cassandra.utils.Clock;
import org.apache.cassandra.utils.FBUtilities;
import org.apache.cassandra.utils.IFilter;
import org.jspecify.annotations.Nullable;

/**
 * Runs in a process with the class path of a node: writes the rows of each job with Cassandra's own {@code CQLSSTableWriter}, then
 * checks the components whose bytes may differ from ours with Cassandra's own classes. Prints each job that it has finished.
 */
public final class CassandraOracle {
    private static final int MISSING_KEYS = 20_000;

    private CassandraOracle() {}

    /** Stands still at the write time of the row, so that timeuuids of list elements are known. */
    public static final class RowClock implements Clock {
        static volatile long millis = 1_700_000_000_000L;

        @Override
        public long currentTimeMillis() {
            return millis;
        }

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }
    }

    public static void main(String[] args) throws Exception {
        DatabaseDescriptor.toolInitialization();
        byte[] address = FBUtilities.getBroadcastAddressAndPort().addressBytes;
        // The server combines it with the address, also in this mode.
        System.setProperty(
                "cassandra.unsafe.timeuuidnode", Long.toString(0x8080808080808080L ^ address[3] ^ (address[2] << 8)));
        try (DataInputStream in = new DataInputStream(Files.newInputStream(Path.of(args[0])))) {
            for (int jobs = in.readInt(); jobs > 0; jobs--) {
                write(in);
            }
        }
        System.exit(0); // threads of the server would keep it
    }

    private static void write(DataInputStream in) throws Exception {
        String keyspace = in.readUTF();
        String table = in.readUTF();
        Path ours = Path.of(in.readUTF());
        CQLSSTableWriter.Builder builder =
                CQLSSTableWriter.builder().inDirectory(in.readUTF()).sorted();
        for (int types = in.readInt(); types > 0; types--) {
            builder.withType(in.readUTF());
        }
        builder.forTable(in.readUTF()).using(in.readUTF());
        try (CQLSSTableWriter writer = builder.build()) {
            for (int rows = in.readInt(); rows > 0; rows--) {
                RowClock.millis = in.readLong();
                List<@Nullable ByteBuffer> values = new ArrayList<>();
                for (int count = in.readInt(); count > 0; count--) {
                    values.add(value(in));
                }
                writer.rawAddRow(values);
            }
        }
        boolean hasFilter = in.readBoolean();
        List<ByteBuffer> keys = new ArrayList<>();
        for (int count = in.readInt(); count > 0; count--) {
            keys.add(Objects.requireNonNull(value(in)));
        }
        check(Descriptor.fromFileWithComponent(new File(ours), keyspace, table).left, keys, hasFilter);
        System.out.println("finished " + keyspace + "." + table);
    }

    private static @Nullable ByteBuffer value(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0) {
            return length == -1 ? null : CQLSSTableWriter.UNSET_VALUE;
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return ByteBuffer.wrap(bytes);
    }

    private static void check(Descriptor ours, List<ByteBuffer> keys, boolean hasFilter) throws Exception {
        CompactionMetadata sketch = (CompactionMetadata) ours.getMetadataSerializer()
                .deserialize(ours, EnumSet.of(MetadataType.COMPACTION))
                .get(MetadataType.COMPACTION);
        Object estimator =
                CompactionMetadata.class.getField("cardinalityEstimator").get(sketch);
        Method cardinality = estimator.getClass().getMethod("cardinality");
        long estimated = (long) cardinality.invoke(estimator);
        if (Math.abs(estimated - keys.size()) > 1 + keys.size() / 20) {
            throw new AssertionError("estimated " + estimated + " keys of " + keys.size());
        }
        if (!hasFilter) {
            return;
        }
        try (IFilter filter = FilterComponent.load(ours)) {
            for (ByteBuffer key : keys) {
                if (!filter.isPresent(Murmur3Partitioner.instance.decorateKey(key))) {
                    throw new AssertionError("the filter does not know a key");
                }
            }
            Random random = new Random(1);
            int found = 0;
            for (int i = 0; i < MISSING_KEYS; i++) {
                byte[] key = new byte[20];
                random.nextBytes(key);
                found += filter.isPresent(Murmur3Partitioner.instance.decorateKey(ByteBuffer.wrap(key))) ? 1 : 0;
            }
            if (found > MISSING_KEYS / 25) {
                throw new AssertionError("the filter lets " + found + " of " + MISSING_KEYS + " keys through");
            }
        }
    }
}
