package io.overdrive.spark.write;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.VectorType;
import io.overdrive.internal.codec.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/**
 * Whether text in the bytes of a value is what its type says. Spark's strings may hold any bytes, of which the server takes only valid
 * ones. Immutable; on the hot path.
 */
sealed interface TextCheck {
    /** Whether all text from an index up to another is valid. The value itself is well-formed. */
    boolean isValid(byte[] array, int from, int to);

    /** Null if values of the type have no text. */
    static @Nullable TextCheck of(DataType type) {
        if (type.equals(DataTypes.TEXT)) {
            return new Utf8();
        } else if (type.equals(DataTypes.ASCII)) {
            return new Ascii();
        } else if (type instanceof ListType list) {
            return elements(of(list.getElementType()));
        } else if (type instanceof SetType set) {
            return elements(of(set.getElementType()));
        } else if (type instanceof MapType map) {
            return elements(of(map.getKeyType()), of(map.getValueType()));
        } else if (type instanceof TupleType tuple) {
            return fields(tuple.getComponentTypes());
        } else if (type instanceof UserDefinedType udt) {
            return fields(udt.getFieldTypes());
        }
        if (type instanceof VectorType vector) {
            TextCheck element = of(vector.getElementType());
            return element == null ? null : new Elements(element);
        }
        return null;
    }

    private static @Nullable TextCheck elements(@Nullable TextCheck... inTurns) {
        return Arrays.stream(inTurns).allMatch(each -> each == null)
                ? null
                : new Parts(new ArrayList<>(Arrays.asList(inTurns)), /* isCounted */ true);
    }

    private static @Nullable TextCheck fields(List<DataType> types) {
        List<@Nullable TextCheck> checks = new ArrayList<>();
        types.forEach(type -> checks.add(of(type)));
        return checks.stream().allMatch(each -> each == null) ? null : new Parts(checks, /* isCounted */ false);
    }

    /** Text. */
    record Utf8() implements TextCheck {
        @Override
        public boolean isValid(byte[] array, int from, int to) {
            return UTF8String.fromBytes(array, from, to - from).isValid();
        }
    }

    /** Text of 7 bits. */
    record Ascii() implements TextCheck {
        @Override
        public boolean isValid(byte[] array, int from, int to) {
            for (int i = from; i < to; i++) {
                if (array[i] < 0) {
                    return false;
                }
            }
            return true;
        }
    }

    /**
     * Parts with their lengths.
     *
     * @param checks of the parts, in turns
     * @param isCounted whether the number of elements comes first
     */
    record Parts(List<@Nullable TextCheck> checks, boolean isCounted) implements TextCheck {
        @Override
        public boolean isValid(byte[] array, int from, int to) {
            int at = isCounted ? from + Integer.BYTES : from;
            for (int i = 0; at < to; i++) {
                int start = at + Integer.BYTES;
                int end = start + Math.max(0, Bytes.getInt(array, at));
                TextCheck check = checks.get(i % checks.size());
                if (check != null && end > start && !check.isValid(array, start, end)) {
                    return false;
                }
                at = end;
            }
            return true;
        }
    }

    /** Those of a vector, which have lengths as none of them has a fixed one. */
    record Elements(TextCheck check) implements TextCheck {
        @Override
        public boolean isValid(byte[] array, int from, int to) {
            int at = from;
            while (at < to) {
                int start = at + Bytes.vintBytes(array[at]);
                int end = start + Math.toIntExact(Bytes.getUnsignedVint(array, at));
                if (end > start && !check.isValid(array, start, end)) {
                    return false;
                }
                at = end;
            }
            return true;
        }
    }
}
