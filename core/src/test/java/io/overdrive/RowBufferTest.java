package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import io.overdrive.TypeZoo.Sample;
import io.overdrive.TypeZoo.TypeSamples;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.ring.RoutingKey;
import io.overdrive.internal.scan.ScanLayouts;
import io.overdrive.internal.write.WriteLayout;
import io.overdrive.internal.write.WriteLayouts;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Values of all types, as bytes of the driver's codecs. */
class RowBufferTest {
    private static RowBuffer of(DataType... types) {
        List<String> names = Arrays.stream(types).map(type -> "a column").toList();
        return new RowBuffer(ScanLayouts.key(names, List.of(types)));
    }

    /** The bytes of a column's value; null if it is null, or not set. */
    private static byte @Nullable [] value(RowBuffer row, int column) {
        int start = row.starts[column];
        if (start < 0) {
            return null;
        }
        int length = Bytes.getInt(row.values.array(), start);
        assertThat(row.ends[column]).isEqualTo(start + 4 + Math.max(0, length));
        return length < 0 ? null : Arrays.copyOfRange(row.values.array(), start + 4, start + 4 + length);
    }

    private static byte[] encoded(DataType type, Object value) {
        ByteBuffer bytes = CodecRegistry.DEFAULT.codecFor(type, value).encode(value, ProtocolVersion.V5);
        assertThat(bytes).isNotNull();
        byte[] array = new byte[bytes.remaining()];
        bytes.get(array);
        return array;
    }

    /** Calls the setter for values of this class; false if only {@link RowBuffer#set} takes them. */
    static boolean setTyped(RowBuffer row, int column, Object value) {
        if (value instanceof Boolean v) {
            row.setBoolean(column, v);
        } else if (value instanceof Byte v) {
            row.setByte(column, v);
        } else if (value instanceof Short v) {
            row.setShort(column, v);
        } else if (value instanceof Integer v) {
            row.setInt(column, v);
        } else if (value instanceof Long v) {
            row.setLong(column, v);
        } else if (value instanceof Float v) {
            row.setFloat(column, v);
        } else if (value instanceof Double v) {
            row.setDouble(column, v);
        } else if (value instanceof String v) {
            row.setText(column, v);
        } else if (value instanceof UUID v) {
            row.setUuid(column, v);
        } else if (value instanceof InetAddress v) {
            row.setInet(column, v);
        } else if (value instanceof BigInteger v) {
            row.setVarint(column, v);
        } else if (value instanceof ByteBuffer v) {
            row.setBytes(column, v);
        } else if (value instanceof LocalDate v) {
            row.setInt(column, (int) (v.toEpochDay() + Integer.MIN_VALUE));
        } else if (value instanceof LocalTime v) {
            row.setLong(column, v.toNanoOfDay());
        } else if (value instanceof Instant v) {
            row.setLong(column, v.toEpochMilli());
        } else {
            return false;
        }
        return true;
    }

    private static List<TypeSamples> zoo() {
        return TypeZoo.all();
    }

    @ParameterizedTest
    @MethodSource("zoo")
    void writesTheBytesOfTheDriversCodec(TypeSamples type) {
        RowBuffer row = of(type.type());
        for (Sample sample : type.samples()) {
            byte[] expected = encoded(type.type(), sample.value());
            row.clear();
            row.set(0, sample.value());
            assertThat(value(row, 0)).as("set %s", sample.text()).isEqualTo(expected);
            row.clear();
            if (setTyped(row, 0, sample.value())) {
                assertThat(value(row, 0)).as("typed %s", sample.text()).isEqualTo(expected);
            }
            row.clear();
            row.setBytes(0, ByteBuffer.wrap(expected));
            assertThat(value(row, 0)).as("bytes %s", sample.text()).isEqualTo(expected);
        }
    }

    @Test
    void refusesTheSettersOfOtherTypes() {
        Map<String, Consumer<RowBuffer>> setters = new LinkedHashMap<>();
        setters.put("setBoolean", row -> row.setBoolean(0, true));
        setters.put("setByte", row -> row.setByte(0, (byte) 1));
        setters.put("setShort", row -> row.setShort(0, (short) 1));
        setters.put("setInt", row -> row.setInt(0, 1));
        setters.put("setLong", row -> row.setLong(0, 1));
        setters.put("setFloat", row -> row.setFloat(0, 1));
        setters.put("setDouble", row -> row.setDouble(0, 1));
        setters.put("setText", row -> row.setText(0, "1"));
        setters.put("setUuid", row -> row.setUuid(0, new UUID(1, 1)));
        setters.put("setInet", row -> row.setInet(0, InetAddress.getLoopbackAddress()));
        setters.put("setVarint", row -> row.setVarint(0, BigInteger.ONE));
        Map<String, List<DataType>> typesOf = Map.ofEntries(
                Map.entry("setBoolean", List.of(DataTypes.BOOLEAN)),
                Map.entry("setByte", List.of(DataTypes.TINYINT)),
                Map.entry("setShort", List.of(DataTypes.SMALLINT)),
                Map.entry("setInt", List.of(DataTypes.INT, DataTypes.DATE)),
                Map.entry("setLong", List.of(DataTypes.BIGINT, DataTypes.COUNTER, DataTypes.TIME, DataTypes.TIMESTAMP)),
                Map.entry("setFloat", List.of(DataTypes.FLOAT)),
                Map.entry("setDouble", List.of(DataTypes.DOUBLE)),
                Map.entry("setText", List.of(DataTypes.TEXT, DataTypes.ASCII)),
                Map.entry("setUuid", List.of(DataTypes.UUID, DataTypes.TIMEUUID)),
                Map.entry("setInet", List.of(DataTypes.INET)),
                Map.entry("setVarint", List.of(DataTypes.VARINT)));
        for (TypeSamples type : zoo()) {
            RowBuffer row = of(type.type());
            setters.forEach((name, setter) -> {
                if (typesOf.getOrDefault(name, List.of()).contains(type.type())) {
                    setter.accept(row);
                } else {
                    assertThatIllegalArgumentException()
                            .isThrownBy(() -> setter.accept(row))
                            .withMessage("column \"a column\" is " + type.type().asCql(false, true) + ", which " + name
                                    + " cannot write");
                }
            });
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> of(DataTypes.INT).set(0, "1"))
                .withMessage("column \"a column\" is int, which the driver's codec for java.lang.String cannot write");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> of(DataTypes.listOf(DataTypes.INT)).set(0, List.of("1")))
                .withMessageContaining("is list<int>, which the driver's codec for ");
    }

    @Test
    void keepsTheLastValueOfAColumn() {
        RowBuffer row = of(DataTypes.INT, DataTypes.TEXT, DataTypes.TEXT);
        row.setText(1, "first")
                .setInt(0, 5)
                .setText(1, "second")
                .setText(2, "x")
                .unset(2);
        assertThat(value(row, 0)).containsExactly(0, 0, 0, 5);
        assertThat(value(row, 1)).asString().isEqualTo("second");
        assertThat(row.starts[2]).as("not set").isNegative();
        row.setNull(1);
        assertThat(row.starts[1]).as("null, and set").isNotNegative();
        assertThat(value(row, 1)).isNull();
        row.set(1, "third").set(1, null);
        assertThat(value(row, 1)).isNull();
    }

    @Test
    void discardsAValueThatWasNotEnded() {
        RowBuffer row = of(DataTypes.TEXT, DataTypes.INT);
        row.begin(0).put(new byte[] {1, 2, 3});
        row.undo(0);
        row.setInt(1, 7);
        assertThat(row.starts[0]).isNegative();
        assertThat(value(row, 1)).containsExactly(0, 0, 0, 7);
        row.begin(0).put(new byte[] {'o', 'k'});
        row.end(0);
        assertThat(value(row, 0)).asString().isEqualTo("ok");
    }

    @Test
    @SuppressWarnings("NullAway") // what the test is about
    void aSetterThatFailsLeavesTheColumnWithoutAValue() {
        Map<DataType, Consumer<RowBuffer>> setters = Map.of(
                DataTypes.UUID, row -> row.setUuid(0, null),
                DataTypes.INET, row -> row.setInet(0, null),
                DataTypes.VARINT, row -> row.setVarint(0, null),
                DataTypes.TEXT, row -> row.setText(0, null),
                DataTypes.BLOB, row -> row.setBytes(0, new byte[2], 1, 2));
        setters.forEach((type, setter) -> {
            RowBuffer row = of(type);
            assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> setter.accept(row));
            assertThat(row.starts[0]).as("%s", type).isNegative();
        });
    }

    @Test
    void namesTheFirstKeyColumnWithoutAValue() {
        RowBuffer row = of(DataTypes.INT, DataTypes.TEXT);
        assertThat(row.missingKeyColumn()).isZero();
        row.setInt(0, 1);
        assertThat(row.missingKeyColumn()).isEqualTo(1);
        row.setNull(1);
        assertThat(row.missingKeyColumn()).isEqualTo(1);
        row.setText(1, "");
        assertThat(row.missingKeyColumn()).isEqualTo(-1);
        row.clear();
        assertThat(row.missingKeyColumn()).isZero();
    }

    @Test
    void hasTheTokenOfItsKeyInAnyOrderOfSetting() {
        RowBuffer row = of(DataTypes.INT, DataTypes.TEXT);
        RoutingKey key = new RoutingKey();
        row.setInt(0, 1).setText(1, "x");
        long token = row.token(new int[] {0, 1}, key);
        row.clear();
        row.setText(1, "something else").setText(1, "x").setInt(0, 1);
        assertThat(row.token(new int[] {0, 1}, key)).isEqualTo(token);
        assertThat(row.token(new int[] {1, 0}, key)).isNotEqualTo(token);
    }

    @Test
    void refusesTtlAndWriteTimeOfRowsUnlessTheOptionsAllowThem() {
        RowBuffer row = of(DataTypes.INT);
        assertThatIllegalStateException()
                .isThrownBy(() -> row.setTtl(1))
                .withMessage("rows cannot have their own TTL: WriteOptions.Builder.rowTtl() is not set");
        assertThatIllegalStateException()
                .isThrownBy(() -> row.setTimestamp(1))
                .withMessage("rows cannot have their own write time: WriteOptions.Builder.rowTimestamp() is not set");
    }

    /** The write time of a higher one would be negative, so that the row is acknowledged and has no effect. */
    @Test
    void refusesPositionsWhoseWriteTimesDoNotFit() {
        for (boolean needsNewTime : new boolean[] {false, true}) {
            WriteLayout layout = WriteLayouts.of(3, 1, Grouping.PARTITION, /* idempotent */ true, needsNewTime);
            RowBuffer row = new RowBuffer(layout);
            long max = needsNewTime ? (1L << 62) / 11 - 1 : (1L << 62) - 1;
            assertThat(layout.lastWriteTime(1L << 62, row.position(max).position()))
                    .isPositive();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> row.position(max + 1))
                    .withMessage("position is " + (max + 1) + ", must be from 0 to " + max
                            + ": the row at position n is written n or more microseconds later than the first one");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> row.position(-1))
                    .withMessage("position is -1, must be from 0 to " + max);
        }
    }

    @Test
    void refusesHalfOfASurrogatePairWhichWouldBecomeAQuestionMark() {
        RowBuffer row = of(DataTypes.TEXT, DataTypes.mapOf(DataTypes.TEXT, DataTypes.listOf(DataTypes.TEXT)));
        String message =
                "column \"a column\": the text has half of a surrogate pair, which UTF-8 cannot hold: remove it, or replace it by U+FFFD";
        for (String half : List.of("\ud83d", "why?\ud83d", "\ude00\ud83d", "\ud83d\ude00\ude00")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> row.setText(0, half))
                    .withMessage(message);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> row.set(0, half))
                    .withMessage(message);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> row.set(1, Map.of("k", List.of("a", half))))
                    .withMessage(message);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> row.set(1, Map.of(half, List.of())))
                    .withMessage(message);
        }
        row.setText(0, "why? \ud83d\ude00");
        assertThat(value(row, 0)).isEqualTo("why? \ud83d\ude00".getBytes(StandardCharsets.UTF_8));
        row.set(1, Map.of("?", List.of("\ud83d\ude00?")));
    }

    /** The server does not do it for clustering columns whose order is DESC, and takes two orders for two keys. */
    @Test
    void putsElementsInOrderIfTheKeyOfTheTableHasSets() {
        DataType set = DataTypes.frozenSetOf(DataTypes.TEXT);
        DataType map = DataTypes.frozenMapOf(DataTypes.TEXT, DataTypes.INT);
        DataType list = DataTypes.frozenListOf(set);
        RowBuffer row = new RowBuffer(ScanLayouts.collectionKey(List.of("s", "m", "l"), List.of(set, map, list)));
        byte[] unsorted = {0, 0, 0, 3, 0, 0, 0, 1, 'b', 0, 0, 0, 1, 'a', 0, 0, 0, 1, 'b'};
        byte[] sorted = {0, 0, 0, 2, 0, 0, 0, 1, 'a', 0, 0, 0, 1, 'b'};
        row.begin(0).put(unsorted);
        row.end(0);
        Map<String, Integer> two = new LinkedHashMap<>();
        two.put("z", 1);
        two.put("y", 2);
        row.set(1, two);
        row.set(2, List.of(new LinkedHashSet<>(List.of("b", "a")), Set.of()));
        assertThat(value(row, 0)).isEqualTo(sorted);
        assertThat(value(row, 1)).isEqualTo(encoded(map, new TreeMap<>(two)));
        assertThat(value(row, 2)).isEqualTo(encoded(list, List.of(new TreeSet<>(List.of("a", "b")), Set.of())));
        row.begin(0);
        row.end(0);
        assertThat(value(row, 0)).isEmpty();
        row.setBytes(0, unsorted, 0, unsorted.length); // of a row that was read
        assertThat(value(row, 0)).isEqualTo(unsorted);
    }

    @Test
    void leavesElementsAsTheyAreIfTheKeyOfTheTableHasNoSets() {
        DataType set = DataTypes.frozenSetOf(DataTypes.TEXT);
        RowBuffer row = new RowBuffer(ScanLayouts.key(List.of("s"), List.of(set)));
        byte[] unsorted = {0, 0, 0, 2, 0, 0, 0, 1, 'b', 0, 0, 0, 1, 'a'};
        row.begin(0).put(unsorted);
        row.end(0);
        assertThat(value(row, 0)).isEqualTo(unsorted);
    }
}
