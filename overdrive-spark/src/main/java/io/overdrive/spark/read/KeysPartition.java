package io.overdrive.spark.read;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.Overdrive;
import io.overdrive.RowBuffer;
import io.overdrive.TableSchema;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.ring.Ring;
import io.overdrive.internal.ring.RoutingKey;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.connector.read.InputPartition;

/**
 * Keys that one task looks up, and the nodes that have them. Immutable.
 *
 * @param keys for each key its columns, each as an int for its length and the bytes
 */
record KeysPartition(byte[] keys, int columns, List<String> hosts) implements InputPartition {
    private static final long serialVersionUID = 1;

    /** Fewer are not worth another task. */
    private static final int MIN_KEYS = 1000;

    /**
     * All keys that values of the columns make, those of one node together.
     *
     * @param values for each column of the partition key, without any twice
     */
    static List<KeysPartition> of(
            Overdrive overdrive,
            TableSchema table,
            List<List<Object>> values,
            int parallelism,
            CassandraScan.Hosts hosts) {
        int columns = values.size();
        long keys = PushDown.keys(values);
        long each = Math.max(MIN_KEYS, keys / (1 + 2L * parallelism) + 1);
        Ring ring = Ring.of(overdrive.session().getMetadata(), CqlIdentifier.fromInternal(table.keyspace()));
        List<KeysPartition> partitions = new ArrayList<>();
        Map<Object, Pile> piles = new HashMap<>();
        RoutingKey routingKey = new RoutingKey();
        PossibleKeys possible = new PossibleKeys(table, values);
        byte[][] key = new byte[columns][];
        while (possible.next(key)) {
            routingKey.start(columns);
            for (byte[] value : key) {
                routingKey.add(value, 0, value.length);
            }
            List<Node> replicas = ring.replicas(routingKey.token()).nodes();
            // A short list is one task's, wherever its keys are.
            Object where = keys <= each ? "" : replicas;
            Pile pile = piles.computeIfAbsent(where, any -> new Pile());
            pile.add(key, replicas);
            if (pile.count == each) {
                partitions.add(pile.take(columns, hosts));
            }
        }
        for (Pile pile : piles.values()) {
            if (pile.count > 0) {
                partitions.add(pile.take(columns, hosts));
            }
        }
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
            // They are told only if they are those of all keys.
            replicas = count == 0 || replicas.equals(nodes) ? nodes : List.of();
            count++;
        }

        KeysPartition take(int columns, CassandraScan.Hosts hosts) {
            List<String> names = hosts.names(replicas.stream()
                    .map(node -> node.getEndPoint().resolve() instanceof InetSocketAddress address
                            ? address.getHostString()
                            : node.getEndPoint().toString())
                    .toList());
            KeysPartition taken = new KeysPartition(keys.toByteArray(), columns, names);
            keys = new Bytes(1024);
            count = 0;
            return taken;
        }
    }

    @Override
    public String[] preferredLocations() {
        return hosts.toArray(new String[0]);
    }

    Reader reader() {
        return new Reader();
    }

    /** Gives one key after the other. Confined to one thread. */
    final class Reader {
        private int at;

        boolean hasNext() {
            return at < keys.length;
        }

        void next(RowBuffer key) {
            for (int c = 0; c < columns; c++) {
                int length = Bytes.getInt(keys, at);
                key.setBytes(c, keys, at + 4, length);
                at += 4 + length;
            }
        }
    }
}
