package io.overdrive.spark.write;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.data.CqlVector;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import com.datastax.oss.driver.api.core.uuid.Uuids;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ValueCheckTest {
    private static byte[] bytes(DataType type, @Nullable Object value) {
        ByteBuffer encoded = CodecRegistry.DEFAULT.codecFor(type).encode(value, ProtocolVersion.DEFAULT);
        byte[] bytes = new byte[encoded.remaining()];
        encoded.get(bytes);
        return bytes;
    }

    private static boolean isValid(DataType type, byte[] bytes) {
        byte[] among = new byte[bytes.length + 2]; // of a row, whose other bytes do not matter
        Arrays.fill(among, (byte) 0xFF);
        System.arraycopy(bytes, 0, among, 1, bytes.length);
        ValueCheck check = Objects.requireNonNull(ValueCheck.of(type));
        return check.problem(among, 1, 1 + bytes.length) == null;
    }

    /** The bytes with the letter Q, which stands for the place, replaced by one that no text has. */
    private static byte[] damaged(byte[] bytes) {
        byte[] damaged = bytes.clone();
        for (int i = 0; i < damaged.length; i++) {
            damaged[i] = damaged[i] == 'Q' ? (byte) 0xFF : damaged[i];
        }
        assertThat(damaged).isNotEqualTo(bytes);
        return damaged;
    }

    private static void assertChecked(DataType type, Object value) {
        byte[] bytes = bytes(type, value);
        assertThat(isValid(type, bytes)).as(type.asCql(true, true)).isTrue();
        assertThat(isValid(type, damaged(bytes))).as(type.asCql(true, true)).isFalse();
    }

    @Test
    void findsBytesThatAreNotTextInEachPartOfAValue() {
        assertChecked(DataTypes.TEXT, "é€Q");
        assertChecked(DataTypes.ASCII, "aQ");
        assertChecked(DataTypes.listOf(DataTypes.TEXT), List.of("a", "", "Q"));
        assertChecked(DataTypes.setOf(DataTypes.TEXT), Set.of("a", "Q"));
        assertChecked(DataTypes.mapOf(DataTypes.TEXT, DataTypes.INT), Map.of("Q", 1));
        assertChecked(DataTypes.mapOf(DataTypes.BIGINT, DataTypes.TEXT), Map.of(1L, "a", 2L, "Q"));
        assertChecked(
                DataTypes.listOf(DataTypes.mapOf(DataTypes.INT, DataTypes.listOf(DataTypes.TEXT))),
                List.of(Map.of(1, List.of("a")), Map.of(2, List.of("b", "Q"))));
        var tuple = DataTypes.tupleOf(DataTypes.INT, DataTypes.TEXT, DataTypes.TEXT);
        assertChecked(tuple, tuple.newValue(1, null, "Q"));
        assertChecked(DataTypes.vectorOf(DataTypes.TEXT, 3), CqlVector.newInstance("a", "b".repeat(200), "cQ"));
    }

    @Test
    void takesTextForUtf8AndAsciiForSevenBits() {
        byte[] text = "é".getBytes(StandardCharsets.UTF_8);
        assertThat(isValid(DataTypes.TEXT, text)).isTrue();
        assertThat(isValid(DataTypes.ASCII, text)).isFalse();
        assertThat(isValid(DataTypes.TEXT, new byte[0])).isTrue();
    }

    @Test
    void takesTimeuuidsOfVersionOneOnly() {
        UUID time = Uuids.timeBased();
        UUID random = new UUID(0x123456781234_4abcL, Long.MIN_VALUE);
        assertThat(isValid(DataTypes.TIMEUUID, bytes(DataTypes.UUID, time))).isTrue();
        byte[] bytes = bytes(DataTypes.UUID, random);
        assertThat(Objects.requireNonNull(ValueCheck.of(DataTypes.TIMEUUID)).problem(bytes, 0, 16))
                .isEqualTo("a timeuuid of version 4, not 1: write it to a column of type uuid");
        DataType list = DataTypes.listOf(DataTypes.TIMEUUID);
        assertThat(isValid(list, bytes(DataTypes.listOf(DataTypes.UUID), List.of(time))))
                .isTrue();
        assertThat(isValid(list, bytes(DataTypes.listOf(DataTypes.UUID), List.of(time, random))))
                .isFalse();
        DataType vector = DataTypes.vectorOf(DataTypes.TIMEUUID, 2);
        DataType ofAny = DataTypes.vectorOf(DataTypes.UUID, 2);
        assertThat(isValid(vector, bytes(ofAny, CqlVector.newInstance(time, time))))
                .isTrue();
        assertThat(isValid(vector, bytes(ofAny, CqlVector.newInstance(time, random))))
                .isFalse();
    }

    @Test
    void doesNotLookAtTypesWhoseValuesAreAllTaken() {
        List<DataType> types = new ArrayList<>(List.of(DataTypes.INT, DataTypes.BLOB, DataTypes.UUID));
        types.add(DataTypes.listOf(DataTypes.BLOB));
        types.add(DataTypes.mapOf(DataTypes.INT, DataTypes.INT));
        types.add(DataTypes.tupleOf(DataTypes.INT, DataTypes.BLOB));
        types.add(DataTypes.vectorOf(DataTypes.FLOAT, 3));
        assertThat(types).allSatisfy(type -> assertThat(ValueCheck.of(type)).isNull());
    }
}
