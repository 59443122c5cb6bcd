package io.overdrive.spark.read;

import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.Lookup;
import io.overdrive.Overdrive;
import io.overdrive.RowBuffer;
import io.overdrive.TableSchema;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.ring.Ring;
import io.overdrive.internal.ring.RoutingKey;
import io.overdrive.spark.cell.SparkTypes;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.connector.read.InputPartition;
import org.jspecify.annotations.Nullable;

/**
 * Keys that one task looks up, and their replicas. Plans (on the driver) and travels to an executor. Immutable.
 *
 * @param keys the columns of each key, each as an int for its length and the bytes
 * @param types of these columns in CQL, of which the keys are values
 * @param range conditions in place of the task's, if this is a part of one partition; null if it is not
 */
record KeysPartition(byte[] keys, List<String> types, @Nullable String range, List<String> hosts)
        implements InputPartition {
    private static final long serialVersionUID = 1;

    /** Minimum number of keys that is worth another task. */
    private static final int MIN_KEYS = 1000;

    /**
     * All combinations of the columns' values, grouped by replicas, or by bucket if Spark expects buckets: it accepts at
     * most one partition of each.
     *
     * @param values for each column of the partition key, without duplicates
     * @param wide large partitions, of which each is read by several tasks; null if there are none
     */
    static List<InputPartition> of(
            Overdrive overdrive,
            TableSchema table,
            List<List<Object>> values,
            int parallelism,
            Hosts hosts,
            @Nullable TokenBuckets buckets,
            @Nullable WidePartitions wide) {
        long keys = PushDown.keys(values);
        long each = Math.max(MIN_KEYS, keys / (1 + 2L * parallelism) + 1);
        return of(overdrive, table, new PossibleKeys(table, values)::next, keys, each, hosts, buckets, wide);
    }

    /** All partitions of a table with few: one task reads each of them, or several do. */
    static List<InputPartition> ofEach(
            Overdrive overdrive, TableSchema table, List<byte[][]> keys, Hosts hosts, WidePartitions wide) {
        Iterator<byte[][]> left = keys.iterator();
        Keys next = key -> {
            if (!left.hasNext()) {
                return false;
            }
            System.arraycopy(left.next(), 0, key, 0, key.length);
            return true;
        };
        return of(overdrive, table, next, keys.size(), /* each */ 1, hosts, /* buckets */ null, wide);
    }

    /** Stores the columns of the next key in the array; false after the last key. */
    private interface Keys {
        boolean next(byte[][] key);
    }

    /** @param each maximum number of keys of a task */
    private static List<InputPartition> of(
            Overdrive overdrive,
            TableSchema table,
            Keys all,
            long keys,
            long each,
            Hosts hosts,
            @Nullable TokenBuckets buckets,
            @Nullable WidePartitions wide) {
        List<String> types = table.partitionKey().stream()
                .map(column -> SparkTypes.cql(column.type()))
                .toList();
        int columns = types.size();
        Ring ring = overdrive.ring(table.keyspace());
        List<InputPartition> partitions = new ArrayList<>();
        Map<Object, Pile> piles = new HashMap<>();
        RoutingKey routingKey = new RoutingKey();
        byte[][] key = new byte[columns][];
        while (all.next(key)) {
            routingKey.start(columns);
            for (byte[] value : key) {
                routingKey.add(value, 0, value.length);
            }
            long token = routingKey.token();
            List<Node> replicas = ring.replicas(token).nodes();
            List<String> ranges = wide == null ? List.of() : wide.ranges(key);
            if (!ranges.isEmpty()) {
                Pile one = new Pile();
                one.add(key, replicas);
                KeysPartition whole = one.take(types, hosts);
                ranges.forEach(range -> partitions.add(whole.within(range)));
                continue;
            }
            // A short list goes to one task, whatever its replicas.
            Object where = buckets != null ? buckets.bucket(token) : keys <= each ? "" : replicas;
            Pile pile = piles.computeIfAbsent(where, any -> new Pile());
            pile.add(key, replicas);
            if (buckets == null && pile.count == each) {
                partitions.add(pile.take(types, hosts));
            }
        }
        piles.forEach((where, pile) -> {
            if (pile.count > 0) {
                KeysPartition taken = pile.take(types, hosts);
                partitions.add(buckets == null ? taken : buckets.partition(taken, (int) where));
            }
        });
        return partitions;
    }

    /** Keys that go to one partition. */
    private static final class Pile {
        private Bytes keys = new Bytes(1024);
        private long count;
        private List<Node> replicas = List.of();

        void add(byte[][] key, List<Node> nodes) {
            for (byte[] value : key) {
                keys.putInt(value.length);
                keys.put(value, 0, value.length);
            }
            // They are given as preference only if all keys share them.
            replicas = count == 0 || replicas.equals(nodes) ? nodes : List.of();
            count++;
        }

        KeysPartition take(List<String> types, Hosts hosts) {
            List<String> names = hosts.names(replicas.stream()
                    .map(node ->
                            node.getEndPoint().resolve() instanceof InetSocketAddress address && !address.isUnresolved()
                                    ? address.getAddress().getHostAddress()
                                    : node.getEndPoint().toString())
                    .toList());
            KeysPartition taken = new KeysPartition(keys.toByteArray(), types, /* range */ null, names);
            keys = new Bytes(1024);
            count = 0;
            return taken;
        }
    }

    private KeysPartition within(String conditions) {
        return new KeysPartition(keys, types, conditions, hosts);
    }

    @Override
    public String[] preferredLocations() {
        return hosts.toArray(new String[0]);
    }

    /** @throws IllegalArgumentException if the key columns of the table have other types than those of the keys */
    Reader reader(String tableName, Lookup lookup) {
        SparkTypes.requireSame(tableName, lookup.keyColumns(), types, lookup.keyTypes());
        return new Reader();
    }

    /** Iterates over the keys. Confined to one thread. */
    final class Reader {
        private int at;

        boolean hasNext() {
            return at < keys.length;
        }

        void next(RowBuffer key) {
            for (int c = 0; c < types.size(); c++) {
                int length = Bytes.getInt(keys, at);
                key.setBytes(c, keys, at + 4, length);
                at += 4 + length;
            }
        }
    }
}
