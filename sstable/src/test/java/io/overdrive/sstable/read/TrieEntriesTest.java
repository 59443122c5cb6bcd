package io.overdrive.sstable.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.ring.Murmur3;
import io.overdrive.sstable.format.FileHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tries that are made here; {@link TrieSstableTest} reads those of a node. */
class TrieEntriesTest {
    private static final int PAGE_BYTES = 4096;
    private static final int ROWS_AT = 100;

    private final Path data;

    TrieEntriesTest(@TempDir Path directory) {
        data = directory.resolve("da-1-bti-Data.db");
    }

    /** Nodes of a file, children before their parents. */
    private static final class Trie {
        private static final int[] BITS = {0, 4, 8, 12, 16, 8, 12, 16, 24, 40, 12, 16, 24, 32, 40, 64};
        final Bytes out = new Bytes(PAGE_BYTES);

        long leaf(int hash, long position, int bytes) {
            long at = begin(12);
            out.putByte(hash < 0 ? bytes : 8 + bytes - 1);
            if (hash >= 0) {
                out.putByte(hash);
            }
            for (int i = bytes - 1; i >= 0; i--) {
                out.putByte((int) (position >> 8 * i));
            }
            return at;
        }

        /** A node with a child for each edge, in their order. */
        long node(int type, int[] edges, long[] children) {
            int last = edges[edges.length - 1];
            int first = type < 10 ? 0 : edges[0];
            long at = begin(3 + 8 * (type < 10 ? 2 * edges.length : last - first + 1));
            int bits = BITS[type];
            if (bits == 4 || type == 3) {
                long distance = at - children[0];
                out.putByte(type << 4 | (int) (distance >> bits - 4));
                if (type == 3) {
                    out.putByte((int) distance);
                }
                out.putByte(edges[0]);
                return at;
            }
            out.putByte(type << 4);
            if (type >= 10) {
                out.putByte(first);
                out.putByte(last - first);
            } else {
                if (type >= 5) {
                    out.putByte(edges.length);
                }
                for (int edge : edges) {
                    out.putByte(edge);
                }
            }
            StringBuilder distances = new StringBuilder();
            for (int i = 0, place = first; i < edges.length; i++, place++) {
                for (; type >= 10 && place < edges[i]; place++) {
                    distances.append("0".repeat(bits));
                }
                String distance = Long.toBinaryString(at - children[i]);
                distances.append("0".repeat(bits - distance.length())).append(distance);
            }
            distances.append("0".repeat((8 - distances.length() % 8) % 8));
            for (int i = 0; i < distances.length(); i += 8) {
                out.putByte(Integer.parseInt(distances.substring(i, i + 8), 2));
            }
            return at;
        }

        /** Returns where a node begins that is not on two pages. */
        private long begin(int maxBytes) {
            while (out.length() % PAGE_BYTES + maxBytes > PAGE_BYTES) {
                out.putByte(0);
            }
            return out.length();
        }

        byte[] file(byte[] firstKey, byte[] lastKey, long keys, long root) {
            long at = out.length();
            for (byte[] key : List.of(firstKey, lastKey)) {
                out.putShort(key.length);
                out.put(key);
            }
            out.putLong(at);
            out.putLong(keys);
            out.putLong(root);
            return out.toByteArray();
        }
    }

    private static byte[] key(int value) {
        return ByteBuffer.allocate(4).putInt(value).array();
    }

    private static int edge(long token) {
        return (int) (token >>> 56 ^ 0x80);
    }

    /** Keys by their tokens, of which no two begin with the same byte. */
    private static TreeMap<Long, byte[]> keys(int count) {
        TreeMap<Long, byte[]> keys = new TreeMap<>();
        boolean[] used = new boolean[256];
        for (int i = 0; keys.size() < count; i++) {
            long token = Murmur3.token(key(i), 0, 4);
            if (!used[edge(token)]) {
                used[edge(token)] = true;
                keys.put(token, key(i));
            }
        }
        return keys;
    }

    private TrieEntries open(byte[] partitions) throws IOException, FileHeader.Problem {
        Files.write(SstableFile.component(data, "Partitions.db"), partitions);
        return new TrieEntries(data);
    }

    private static List<SstableIndex.Place> rest(TrieEntries entries) throws IOException, FileHeader.Problem {
        List<SstableIndex.Place> places = new ArrayList<>();
        try (entries) {
            while (entries.next()) {
                places.add(entries.place());
            }
        }
        return places;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
    void readsEachTypeOfNode(int type) throws Exception {
        for (int count : type < 5 ? new int[] {1} : new int[] {1, 2, 3, 10, 13}) {
            TreeMap<Long, byte[]> keys = keys(count);
            List<SstableIndex.Place> expected = new ArrayList<>();
            Trie trie = new Trie();
            int[] edges = new int[count];
            long[] leaves = new long[count];
            int i = 0;
            for (long token : keys.keySet()) {
                long min = token & 0xFFL << 56;
                boolean isExact = i == 0 || i == count - 1; // by the keys at the end of the file
                expected.add(new SstableIndex.Place(
                        isExact ? token : min, isExact ? token : min | -1L >>> 8, i % 3 == 2 ? -1 : i, 1000L * i));
                edges[i] = edge(token);
                leaves[i] = trie.leaf(i % 3 == 2 ? -1 : i, ~(1000L * i), 2 + i % 7);
                i++;
            }
            long root = trie.node(3, new int[] {0x40}, new long[] {trie.node(type, edges, leaves)});
            byte[] file =
                    trie.file(keys.firstEntry().getValue(), keys.lastEntry().getValue(), count, root);
            assertThat(rest(open(file))).isEqualTo(expected);
            for (int from = 0; from < count; from++) {
                TrieEntries entries = open(file);
                entries.seek(expected.get(from).minToken());
                assertThat(rest(entries)).isEqualTo(expected.subList(from, count));
            }
        }
    }

    /** Partitions that have one token are distinguished by their keys. */
    @Test
    void readsPathsThatAreLongerThanTheToken() throws Exception {
        byte[] key = key(7);
        long token = Murmur3.token(key, 0, 4);
        Trie trie = new Trie();
        long node = trie.node(5, new int[] {3, 8}, new long[] {trie.leaf(1, ~0, 1), trie.leaf(2, ~50, 1)});
        for (int i = 0; i < 5000; i++) {
            node = trie.node(i % 2 == 0 ? 4 : 2, new int[] {i % 256}, new long[] {node});
        }
        node = trie.node(4, new int[] {0x40}, new long[] {node});
        for (int i = 0; i < 8; i++) {
            node = trie.node(4, new int[] {(int) ((token ^ Long.MIN_VALUE) >>> 8 * i) & 0xFF}, new long[] {node});
        }
        byte[] file = trie.file(key, key, 2, trie.node(4, new int[] {0x40}, new long[] {node}));
        List<SstableIndex.Place> expected =
                List.of(new SstableIndex.Place(token, token, 1, 0), new SstableIndex.Place(token, token, 2, 50));
        assertThat(rest(open(file))).isEqualTo(expected);
        TrieEntries entries = open(file);
        entries.seek(token);
        assertThat(rest(entries)).isEqualTo(expected);
    }

    /** Rows.db has the key of a large partition, so the token is known. */
    @Test
    void readsPlacesInRowsDb() throws Exception {
        TreeMap<Long, byte[]> keys = keys(3);
        Trie trie = new Trie();
        long[] leaves = {trie.leaf(1, ~0, 1), trie.leaf(2, ROWS_AT, 1), trie.leaf(3, ~900_000, 3)};
        int[] edges = keys.keySet().stream().mapToInt(TrieEntriesTest::edge).toArray();
        long root = trie.node(1, new int[] {0x40}, new long[] {trie.node(8, edges, leaves)});
        byte[] file = trie.file(keys.firstEntry().getValue(), keys.lastEntry().getValue(), 3, root);
        assertThatThrownBy(() -> rest(open(file))).hasMessageContaining("Rows.db"); // which is missing
        long middle = new ArrayList<>(keys.keySet()).get(1);
        Bytes rows = new Bytes(200);
        rows.put(new byte[ROWS_AT]);
        rows.putShort(4);
        rows.put(Objects.requireNonNull(keys.get(middle)));
        rows.putUnsignedVint(300_000);
        Path rowsFile = SstableFile.component(data, "Rows.db");
        Files.write(rowsFile, rows.toByteArray());
        assertThat(rest(open(file)).get(1)).isEqualTo(new SstableIndex.Place(middle, middle, 2, 300_000));
        byte[] cut = Arrays.copyOf(rows.toByteArray(), ROWS_AT + 5);
        Files.write(rowsFile, cut);
        assertThatThrownBy(() -> rest(open(file))).hasMessageStartingWith("its Rows.db is damaged");
        byte[] other = rows.toByteArray();
        System.arraycopy(keys.firstEntry().getValue(), 0, other, ROWS_AT + 2, 4);
        Files.write(rowsFile, other);
        assertThatThrownBy(() -> rest(open(file))).isInstanceOf(FileHeader.Problem.class);
    }

    @Test
    void refusesNodesThatNoTrieHas() throws Exception {
        TreeMap<Long, byte[]> keys = keys(2);
        int[] edges = keys.keySet().stream().mapToInt(TrieEntriesTest::edge).toArray();
        byte[] first = keys.firstEntry().getValue();
        byte[] last = keys.lastEntry().getValue();
        for (String problem : List.of("order", "nothing", "prefix", "key", "itself", "short")) {
            Trie trie = new Trie();
            long[] leaves = {trie.leaf(1, ~0, 1), problem.equals("nothing") ? trie.leaf(-1, 0, 0) : trie.leaf(2, ~9, 1)
            };
            int[] used = problem.equals("order") ? new int[] {edges[1], edges[0]} : edges;
            long node = trie.node(5, used, leaves);
            long root = trie.node(1, new int[] {problem.equals("prefix") ? 0x41 : 0x40}, new long[] {node});
            byte[] file =
                    trie.file(first, problem.equals("key") ? first : last, 2, problem.equals("itself") ? 3 : root);
            if (problem.equals("itself")) {
                file[3] = 0x10; // a child at a distance of 0
            }
            byte[] content = problem.equals("short") ? new byte[20] : file;
            assertThatThrownBy(() -> rest(open(content)))
                    .as(problem)
                    .isInstanceOf(FileHeader.Problem.class)
                    .hasMessageStartingWith("its Partitions.db is damaged");
        }
    }

    /** Bytes that are no trie end with a message, too. */
    @Test
    void endsWithAnyBytes() throws Exception {
        Files.createFile(SstableFile.component(data, "Rows.db"));
        Random random = new Random(1);
        int problems = 0;
        for (int i = 0; i < 3000; i++) {
            Trie trie = new Trie();
            byte[] bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            trie.out.put(bytes);
            byte[] file = trie.file(key(1), key(2), 2, Math.max(0, bytes.length - 1 - random.nextInt(40)));
            try {
                rest(open(file));
            } catch (FileHeader.Problem e) {
                problems++;
            }
        }
        assertThat(problems).isGreaterThan(2900);
    }
}
