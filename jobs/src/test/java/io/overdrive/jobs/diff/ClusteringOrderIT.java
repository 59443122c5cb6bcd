package io.overdrive.jobs.diff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.VectorType;
import io.overdrive.OneCaseIn;
import io.overdrive.Overdrive;
import io.overdrive.RowCursor;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.Split;
import io.overdrive.TestCluster;
import io.overdrive.TypeZoo;
import io.overdrive.TypeZoo.Sample;
import io.overdrive.TypeZoo.TypeSamples;
import io.overdrive.internal.codec.ClusteringOrder;
import io.overdrive.internal.codec.CqlType;
import io.overdrive.jobs.sort.KeyOrder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The server's order of clustering columns and of partitions: rows are read back from real tables. */
@Timeout(300)
class ClusteringOrderIT {
    private static final String KEYSPACE = "orders";
    private static final int RANDOM_VALUES = 300;
    private static final Overdrive OVERDRIVE = TestCluster.overdrive(KEYSPACE);

    @BeforeAll
    static void createType() {
        OVERDRIVE.session().execute(TypeZoo.udtDdl(KEYSPACE));
    }

    /** All types that a clustering column may have; collections and UDTs frozen. */
    static Stream<TypeSamples> types() {
        return TypeZoo.all(KEYSPACE).stream()
                .filter(t -> !t.cql().equals("counter") && !t.cql().equals("duration"))
                .map(t -> new TypeSamples(
                        t.name(), isFrozen(t) ? t.cql() : "frozen<" + t.cql() + ">", t.type(), t.samples()));
    }

    private static boolean isFrozen(TypeSamples t) {
        return t.cql().startsWith("frozen") || !t.cql().contains("<") || t.cql().startsWith("vector");
    }

    @ParameterizedTest
    @MethodSource("types")
    @OneCaseIn(4)
    void sortsAsTheServerDoes(TypeSamples type) {
        String cql = type.cql().replace("creature", KEYSPACE + ".creature");
        for (String direction : List.of("ASC", "DESC")) {
            String table = KEYSPACE + ".t_" + type.name() + "_" + direction;
            CqlSession session = OVERDRIVE.session();
            session.execute("CREATE TABLE " + table + " (p int, c " + cql + ", PRIMARY KEY (p, c)) WITH CLUSTERING"
                    + " ORDER BY (c " + direction + ")");
            PreparedStatement insert = session.prepare("INSERT INTO " + table + " (p, c) VALUES (0, ?)");
            DataType column = insert.getVariableDefinitions().get(0).getType();
            for (Sample sample : type.samples()) {
                session.execute(insert.bind(sample.value()));
            }
            Random random = new Random(11);
            for (int i = 0; i < RANDOM_VALUES; i++) {
                session.execute(insert.bind().setBytesUnsafe(0, ByteBuffer.wrap(bytes(column, random))));
            }
            ClusteringOrder ascending = ClusteringOrder.of(column);
            ClusteringOrder order = direction.equals("ASC") ? ascending : ascending.reversed();
            byte[] last = null;
            int rows = 0;
            for (Row row : session.execute("SELECT c FROM " + table + " WHERE p = 0")) {
                ByteBuffer value = row.getBytesUnsafe(0);
                assertThat(value).isNotNull();
                byte[] bytes = new byte[value.remaining()];
                value.get(bytes);
                if (last != null) {
                    assertThat(order.compare(last, 0, last.length, bytes, 0, bytes.length))
                            .as("%s %s: %s before %s", cql, direction, hex(last), hex(bytes))
                            .isNegative();
                    assertThat(order.compare(bytes, 0, bytes.length, last, 0, last.length))
                            .isPositive();
                }
                last = bytes;
                rows++;
            }
            assertThat(rows).isGreaterThan(1);
        }
    }

    /** A value of the type that is likely to have a common prefix with others. */
    private static byte[] bytes(DataType type, Random random) {
        return RandomBytes.of(type, random);
    }

    private static String hex(byte[] bytes) {
        return com.datastax.oss.protocol.internal.util.Bytes.toHexString(bytes);
    }

    @Test
    void durationHasNoOrder() {
        assertThatThrownBy(() -> ClusteringOrder.of(DataTypes.DURATION)).hasMessageContaining("duration");
    }

    @Test
    void partitionsOfOneTokenComeInTheOrderOfTheirKeys() {
        CqlSession session = OVERDRIVE.session();
        session.execute("CREATE TABLE orders.twins (k blob PRIMARY KEY)");
        PreparedStatement insert = session.prepare("INSERT INTO orders.twins (k) VALUES (?)");
        Random random = new Random(3);
        for (int token = 0; token < 20; token++) {
            for (int twin = 0; twin < 10; twin++) {
                session.execute(insert.bind(ByteBuffer.wrap(Twins.keyOfToken(token * 1_000_003L, random.nextLong()))));
            }
        }
        KeyOrder order = KeyOrder.of(OVERDRIVE, OVERDRIVE.table(KEYSPACE, "twins"));
        try (Scan scan = OVERDRIVE.scan(ScanOptions.from(KEYSPACE, "twins").build())) {
            Split all = new Split(List.of(Split.WHOLE_RING), List.of(), 0);
            List<Long> tokens = new ArrayList<>();
            try (RowCursor ahead = scan.open(all);
                    RowCursor behind = scan.open(all)) {
                ahead.next();
                tokens.add(ahead.token());
                while (ahead.next()) {
                    behind.next();
                    tokens.add(ahead.token());
                    assertThat(order.comparePartitions(behind, ahead)).isNegative();
                    assertThat(order.comparePartitions(ahead, behind)).isPositive();
                }
            }
            assertThat(tokens).hasSize(200);
            assertThat(tokens.stream().distinct()).hasSize(20);
        }
    }

    /** Random bytes that are values of a type, for types nested to any depth. */
    private static final class RandomBytes {
        static byte[] of(DataType type, Random random) {
            io.overdrive.internal.codec.Bytes out = new io.overdrive.internal.codec.Bytes(64);
            put(type, random, out);
            return out.toByteArray();
        }

        private static void put(DataType type, Random random, io.overdrive.internal.codec.Bytes out) {
            if (type instanceof VectorType vector) {
                for (int i = 0; i < vector.getDimensions(); i++) {
                    byte[] part = of(vector.getElementType(), random);
                    if (CqlType.elementBytes(vector.getElementType()) < 0) {
                        out.putUnsignedVint(part.length);
                    }
                    out.put(part);
                }
                return;
            }
            switch (type.getProtocolCode()) {
                case 0x01, 0x0D -> text(random, out); // ascii, text
                case 0x03 -> few(random, out, 1 + random.nextInt(4)); // blob
                case 0x04 -> out.putByte(random.nextInt(2));
                case 0x14 -> out.putByte(random.nextInt());
                case 0x13 -> out.putShort(random.nextInt());
                case 0x09, 0x08, 0x11 -> out.putInt(random.nextInt()); // int, float, date
                case 0x02, 0x07, 0x0B -> out.putLong(random.nextLong()); // bigint, double, timestamp
                case 0x12 -> out.putLong(random.nextLong(86_400_000_000_000L)); // time
                case 0x0E ->
                    out.put(new java.math.BigInteger(1 + random.nextInt(80), random)
                            .subtract(new java.math.BigInteger(1 + random.nextInt(80), random))
                            .toByteArray());
                case 0x06 -> {
                    out.putInt(random.nextInt(12) - 4);
                    out.put(new java.math.BigInteger(1 + random.nextInt(30), random)
                            .subtract(new java.math.BigInteger(1 + random.nextInt(30), random))
                            .toByteArray());
                }
                case 0x0C, 0x0F -> uuid(type.equals(DataTypes.TIMEUUID), random, out);
                case 0x10 -> few(random, out, random.nextBoolean() ? 4 : 16); // inet
                case 0x20 ->
                    parts(random, out, ((com.datastax.oss.driver.api.core.type.ListType) type).getElementType());
                case 0x22 -> {
                    // one element at most: more would have to be sorted
                    boolean any = random.nextInt(8) > 0;
                    out.putInt(any ? 1 : 0);
                    if (any) {
                        part(((com.datastax.oss.driver.api.core.type.SetType) type).getElementType(), random, out);
                    }
                }
                case 0x21 -> {
                    var map = (com.datastax.oss.driver.api.core.type.MapType) type;
                    boolean any = random.nextInt(8) > 0;
                    out.putInt(any ? 1 : 0);
                    if (any) {
                        part(map.getKeyType(), random, out);
                        part(map.getValueType(), random, out);
                    }
                }
                case 0x31 ->
                    fields(((com.datastax.oss.driver.api.core.type.TupleType) type).getComponentTypes(), random, out);
                case 0x30 ->
                    fields(((com.datastax.oss.driver.api.core.type.UserDefinedType) type).getFieldTypes(), random, out);
                default -> throw new IllegalArgumentException(type.toString());
            }
        }

        private static void text(Random random, io.overdrive.internal.codec.Bytes out) {
            for (int i = random.nextInt(4); i >= 0; i--) {
                out.putByte("aAb~ ".charAt(random.nextInt(5)));
            }
        }

        private static void few(Random random, io.overdrive.internal.codec.Bytes out, int count) {
            for (int i = 0; i < count; i++) {
                out.putByte(new int[] {0, 1, 127, 128, 255}[random.nextInt(5)]);
            }
        }

        private static void uuid(boolean time, Random random, io.overdrive.internal.codec.Bytes out) {
            // few bits, so that times are often equal; version 4 or 1 (or 7 for uuid), any lower half
            long high = random.nextLong() & 0x80000001_8001_0801L;
            int version = time ? 1 : new int[] {1, 4, 7}[random.nextInt(3)];
            UUID uuid = new UUID(high | (long) version << 12, random.nextLong() & 0x3FFFFFFFFFFFFFFFL | Long.MIN_VALUE);
            out.putLong(uuid.getMostSignificantBits());
            out.putLong(uuid.getLeastSignificantBits());
        }

        private static void part(DataType type, Random random, io.overdrive.internal.codec.Bytes out) {
            byte[] part = of(type, random);
            out.putInt(part.length);
            out.put(part);
        }

        private static void parts(Random random, io.overdrive.internal.codec.Bytes out, DataType type) {
            int count = random.nextInt(4);
            out.putInt(count);
            for (int i = 0; i < count; i++) {
                part(type, random, out);
            }
        }

        private static void fields(List<DataType> types, Random random, io.overdrive.internal.codec.Bytes out) {
            int count = 1 + random.nextInt(types.size());
            for (int i = 0; i < count; i++) {
                if (random.nextInt(3) == 0) {
                    out.putInt(-1);
                } else {
                    part(types.get(i), random, out);
                }
            }
        }
    }

    /** Keys of one token: MurmurHash3 of 16 bytes, backwards. */
    private static final class Twins {
        private static final long C1 = 0x87c37b91114253d5L;
        private static final long C2 = 0x4cf5ad432745937fL;

        /** The only key of 16 bytes whose hash is the token and, in its second half, {@code second}. */
        static byte[] keyOfToken(long token, long second) {
            // h1 += h2; h2 += h1 at the end
            long b = second - token;
            long h1 = unfinished(token - b);
            long h2 = unfinished(b);
            h2 -= h1;
            h1 -= h2;
            h1 ^= 16;
            h2 ^= 16;
            long fifth = inverse(5);
            h2 = Long.rotateRight((h2 - 0x38495ab5) * fifth - h1, 31);
            h1 = Long.rotateRight((h1 - 0x52dce729) * fifth, 27);
            long k1 = Long.rotateRight(h1 * inverse(C2), 31) * inverse(C1);
            long k2 = Long.rotateRight(h2 * inverse(C1), 33) * inverse(C2);
            return ByteBuffer.allocate(16)
                    .order(java.nio.ByteOrder.LITTLE_ENDIAN)
                    .putLong(k1)
                    .putLong(k2)
                    .array();
        }

        private static long unfinished(long h) {
            h ^= h >>> 33;
            h *= inverse(0xc4ceb9fe1a85ec53L);
            h ^= h >>> 33;
            h *= inverse(0xff51afd7ed558ccdL);
            return h ^ h >>> 33;
        }

        /** The inverse of an odd number, modulo 2^64, by Newton's iteration. */
        private static long inverse(long odd) {
            long x = odd;
            for (int i = 0; i < 6; i++) {
                x *= 2 - odd * x;
            }
            return x;
        }
    }
}
