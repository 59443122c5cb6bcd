package io.overdrive.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import io.overdrive.Seeds;
import io.overdrive.internal.codec.ClusteringOrder;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class PositionsTest {
    /** Random values of each type of which values can be made. */
    private static byte[] random(DataType type, Random random) {
        if (type.equals(DataTypes.VARINT)) {
            return new BigInteger(1 + random.nextInt(100), random)
                    .subtract(BigInteger.valueOf(random.nextInt(1000)))
                    .toByteArray();
        } else if (type.equals(DataTypes.TEXT)) {
            return text(random, random.nextBoolean() ? 0x7E : 0x1_FFFF);
        } else if (type.equals(DataTypes.ASCII)) {
            return text(random, 0x7E);
        } else if (type.equals(DataTypes.UUID)) {
            byte[] bytes = bytes(random, 16);
            bytes[6] = (byte) (0x40 | bytes[6] & 0xF);
            return bytes;
        } else if (type.equals(DataTypes.TIMEUUID)) {
            byte[] bytes = bytes(random, 16);
            bytes[6] = (byte) (0x10 | bytes[6] & 0xF);
            return bytes;
        } else if (type.equals(DataTypes.TIME)) {
            return ByteBuffer.allocate(8)
                    .putLong(random.nextLong(86_400_000_000_000L))
                    .array();
        }
        int width = type.equals(DataTypes.BLOB)
                ? random.nextInt(20)
                : type.equals(DataTypes.TINYINT)
                        ? 1
                        : type.equals(DataTypes.SMALLINT)
                                ? 2
                                : type.equals(DataTypes.INT) || type.equals(DataTypes.DATE) ? 4 : 8;
        return bytes(random, width);
    }

    private static byte[] bytes(Random random, int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] text(Random random, int maxCodePoint) {
        StringBuilder text = new StringBuilder(random.nextBoolean() ? "user:" : "");
        for (int i = random.nextInt(12); i > 0; i--) {
            int codePoint = random.nextInt(1, maxCodePoint);
            text.appendCodePoint(codePoint >= 0xD800 && codePoint < 0xE000 ? 'x' : codePoint);
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static final List<DataType> TYPES = List.of(
            DataTypes.TINYINT,
            DataTypes.SMALLINT,
            DataTypes.INT,
            DataTypes.BIGINT,
            DataTypes.VARINT,
            DataTypes.TIMESTAMP,
            DataTypes.DATE,
            DataTypes.TIME,
            DataTypes.TEXT,
            DataTypes.ASCII,
            DataTypes.BLOB,
            DataTypes.UUID,
            DataTypes.TIMEUUID);

    @Test
    void keepsTheOrderOfTheServer() {
        Seeds.times(20, random -> {
            for (DataType type : TYPES) {
                List<byte[]> values = sorted(type, random, 30);
                Positions positions = between(type, values);
                for (int i = 1; i < values.size(); i++) {
                    assertThat(positions.of(values.get(i)))
                            .as(type.toString())
                            .isGreaterThanOrEqualTo(positions.of(values.get(i - 1)));
                }
            }
        });
    }

    @Test
    void makesValuesInBetween() {
        Seeds.times(20, random -> {
            for (DataType type : TYPES) {
                List<byte[]> values = sorted(type, random, 2);
                Positions positions = between(type, values);
                BigInteger min = positions.of(values.get(0));
                BigInteger length = positions.of(values.get(1)).subtract(min).add(BigInteger.ONE);
                for (int i = 0; i < 20; i++) {
                    BigInteger wanted = min.add(new BigInteger(80, random).mod(length));
                    byte[] value = positions.value(wanted);
                    assertThat(PossibleKeys.isPossible(type, value, 0, value.length))
                            .isTrue();
                    BigInteger position = positions.of(value);
                    assertThat(position).as(type.toString()).isLessThanOrEqualTo(wanted);
                    boolean isText = type.equals(DataTypes.TEXT) || type.equals(DataTypes.ASCII);
                    if (!isText) {
                        assertThat(position).as(type.toString()).isEqualTo(wanted);
                    }
                    Object read = CodecRegistry.DEFAULT
                            .codecFor(type)
                            .decode(ByteBuffer.wrap(value), ProtocolVersion.DEFAULT);
                    if (!type.equals(DataTypes.TIMESTAMP) && !type.equals(DataTypes.DATE)) {
                        assertThat(CodecRegistry.DEFAULT.codecFor(type).parse(positions.literal(value)))
                                .as(type.toString())
                                .isEqualTo(read);
                    }
                }
            }
        });
    }

    @Test
    void writesTimesAndDatesAsNumbers() {
        byte[] min = {0, 0, 0, 0, 0, 0, 0, 0};
        byte[] max = {1, 0, 0, 0, 0, 0, 0, 0};
        Positions times = between(DataTypes.TIMESTAMP, List.of(min, max));
        assertThat(times.literal(times.value(BigInteger.valueOf(-5)))).isEqualTo("-5");
        Positions dates = between(DataTypes.DATE, List.of(new byte[] {0, 0, 0, 1}, new byte[] {-1, 0, 0, 0}));
        assertThat(dates.literal(new byte[] {(byte) 0x80, 0, 0, 0})).isEqualTo("2147483648");
    }

    @Test
    void takesOnlyTypesWhoseValuesCanBeMade() {
        byte[] min = new byte[8];
        byte[] max = {1, 0, 0, 0, 0, 0, 0, 0};
        for (DataType type : List.of(DataTypes.DOUBLE, DataTypes.DECIMAL, DataTypes.INET, DataTypes.BOOLEAN)) {
            assertThat(Positions.between(type, min, max)).as(type.toString()).isNull();
        }
        byte[] random = bytes(UUID.fromString("f81d4fae-7dec-41d0-a765-00a0c91e6bf6"));
        byte[] ofTime = bytes(UUID.fromString("f81d4fae-7dec-11d0-a765-00a0c91e6bf6"));
        assertThat(Positions.between(DataTypes.UUID, ofTime, random)).isNull();
        assertThat(Positions.between(DataTypes.UUID, ofTime, ofTime)).isNotNull();
    }

    private static byte[] bytes(UUID uuid) {
        return ByteBuffer.allocate(16)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array();
    }

    private static Positions between(DataType type, List<byte[]> values) {
        return Objects.requireNonNull(Positions.between(type, values.get(0), values.get(values.size() - 1)));
    }

    /** Random values, all different. */
    private static List<byte[]> sorted(DataType type, Random random, int count) {
        ClusteringOrder order = ClusteringOrder.of(type);
        List<byte[]> values = new ArrayList<>();
        Function<byte[], Boolean> isNew = value ->
                values.stream().noneMatch(known -> order.compare(known, 0, known.length, value, 0, value.length) == 0);
        while (values.size() < count) {
            byte[] value = random(type, random);
            if (isNew.apply(value)) {
                values.add(value);
            }
        }
        values.sort((a, b) -> order.compare(a, 0, a.length, b, 0, b.length));
        return values;
    }
}
