package io.overdrive.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.internal.core.type.UserDefinedTypeBuilder;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which bytes are the same value. */
class ValueFormTest {
    private static byte[] bytes(DataType type, String json) {
        Bytes out = new Bytes(64);
        char[] chars = json.toCharArray();
        ValueText.of(type, ValueFormat.DEFAULT).parse(chars, 0, chars.length, out);
        return out.toByteArray();
    }

    private static boolean isSame(DataType type, @Nullable String a, @Nullable String b) {
        return isSame(type, a == null ? null : bytes(type, a), b == null ? null : bytes(type, b));
    }

    private static boolean isSame(DataType type, byte @Nullable [] a, byte @Nullable [] b) {
        ValueForm form = ValueForm.of(type);
        boolean same = isSame(form, a, b);
        assertThat(isSame(form, b, a)).as("the other way round").isEqualTo(same);
        return same;
    }

    private static boolean isSame(ValueForm form, byte @Nullable [] a, byte @Nullable [] b) {
        byte[] none = {};
        return form.isSame(
                a == null ? none : a, 0, a == null ? -1 : a.length, b == null ? none : b, 0, b == null ? -1 : b.length);
    }

    @Test
    void setsAndMapsHaveNoOrderAndNoRepetitions() {
        DataType set = DataTypes.setOf(DataTypes.INT);
        assertThat(isSame(set, "[3, -1, 2]", "[-1, 2, 3]")).isTrue();
        assertThat(isSame(set, "[3, 3, 1]", "[1, 3]")).isTrue();
        assertThat(isSame(set, "[1, 2]", "[1, 3]")).isFalse();
        assertThat(isSame(set, "[1, 2]", "[1, 2, 3]")).isFalse();
        DataType map = DataTypes.mapOf(DataTypes.TEXT, DataTypes.INT, /* frozen */ true);
        assertThat(isSame(map, "{\"b\": 1, \"a\": 2}", "{\"a\": 2, \"b\": 1}")).isTrue();
        assertThat(isSame(map, "{\"b\": 1, \"a\": 2}", "{\"a\": 1, \"b\": 2}")).isFalse();
        DataType nested = DataTypes.listOf(DataTypes.frozenMapOf(DataTypes.INT, DataTypes.frozenSetOf(DataTypes.TEXT)));
        assertThat(isSame(nested, "[{\"2\": [\"b\", \"a\"], \"1\": []}]", "[{\"1\": [], \"2\": [\"a\", \"b\"]}]"))
                .isTrue();
        assertThat(isSame(nested, "[{\"2\": [\"b\", \"a\"]}]", "[{\"2\": [\"a\"]}]"))
                .isFalse();
        DataType vector = DataTypes.vectorOf(DataTypes.frozenSetOf(DataTypes.INT), 2);
        assertThat(isSame(vector, "[[2, 1], [3]]", "[[1, 2], [3]]")).isTrue();
        assertThat(isSame(vector, "[[2, 1], [3]]", "[[3], [1, 2]]")).isFalse();
    }

    @Test
    void listsHaveAnOrderAndRepetitions() {
        DataType list = DataTypes.listOf(DataTypes.INT);
        assertThat(isSame(list, "[1, 2]", "[2, 1]")).isFalse();
        assertThat(isSame(list, "[1, 1]", "[1]")).isFalse();
        assertThat(isSame(list, "[1, 2]", "[1, 2]")).isTrue();
    }

    @Test
    void whatIsNotFrozenIsNullIfItIsEmpty() {
        assertThat(isSame(DataTypes.setOf(DataTypes.INT), "[]", null)).isTrue();
        assertThat(isSame(DataTypes.listOf(DataTypes.INT), "[]", null)).isTrue();
        assertThat(isSame(DataTypes.mapOf(DataTypes.INT, DataTypes.INT), "{}", null))
                .isTrue();
        assertThat(isSame(DataTypes.setOf(DataTypes.INT), "[1]", null)).isFalse();
        assertThat(isSame(DataTypes.frozenSetOf(DataTypes.INT), "[]", null)).isFalse();
        assertThat(isSame(DataTypes.TEXT, "", null)).isFalse();
        assertThat(isSame(DataTypes.INT, (byte[]) null, null)).isTrue();
    }

    @Test
    void fieldsAtTheEndMayBeMissingInsteadOfNull() {
        UserDefinedTypeBuilder builder = new UserDefinedTypeBuilder("ks", "udt")
                .withField(CqlIdentifier.fromInternal("a"), DataTypes.INT)
                .withField(CqlIdentifier.fromInternal("b"), DataTypes.frozenSetOf(DataTypes.INT));
        byte[] whole = {0, 0, 0, 4, 0, 0, 0, 7, -1, -1, -1, -1};
        byte[] cut = {0, 0, 0, 4, 0, 0, 0, 7};
        byte[] nulls = {-1, -1, -1, -1, -1, -1, -1, -1};
        for (DataType type : new DataType[] {
            builder.build(),
            builder.frozen().build(),
            DataTypes.tupleOf(DataTypes.INT, DataTypes.frozenSetOf(DataTypes.INT))
        }) {
            assertThat(isSame(type, whole, cut)).isTrue();
            assertThat(isSame(type, whole, nulls)).isFalse();
        }
        assertThat(isSame(
                        new UserDefinedTypeBuilder("ks", "udt")
                                .withField(CqlIdentifier.fromInternal("a"), DataTypes.INT)
                                .build(),
                        nulls(1),
                        null))
                .isTrue();
        assertThat(isSame(builder.frozen().build(), nulls, null)).isFalse();
    }

    private static byte[] nulls(int fields) {
        Bytes out = new Bytes(16);
        for (int i = 0; i < fields; i++) {
            out.putNull();
        }
        return out.toByteArray();
    }

    @Test
    void numbersAreComparedByTheirBytes() {
        assertThat(isSame(DataTypes.DOUBLE, "0.0", "-0.0")).isFalse();
        assertThat(isSame(DataTypes.DOUBLE, "NaN", "NaN")).isTrue();
        assertThat(isSame(DataTypes.DECIMAL, "1.0", "1.00")).isFalse();
    }
}
