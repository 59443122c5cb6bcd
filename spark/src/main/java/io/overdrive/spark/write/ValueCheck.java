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
import io.overdrive.internal.codec.CqlType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/**
 * Why the server would refuse a value of a type, though its bytes have the right form: Spark's strings may hold any bytes and any UUID.
 * Immutable; on the hot path.
 */
sealed interface ValueCheck {
    /**
     * The problem of the value between two indexes, in words that follow "has"; null if there is none. The value is
     * well-formed.
     */
    @Nullable String problem(byte[] array, int from, int to);

    /** Null if all values of the type are taken. */
    static @Nullable ValueCheck of(DataType type) {
        if (type.equals(DataTypes.TEXT)) {
            return new Utf8();
        } else if (type.equals(DataTypes.ASCII)) {
            return new Ascii();
        } else if (type.equals(DataTypes.TIMEUUID)) {
            return new TimeUuid();
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
        } else if (type instanceof VectorType vector) {
            ValueCheck element = of(vector.getElementType());
            int bytes = CqlType.elementBytes(vector.getElementType());
            return element == null ? null : bytes < 0 ? new Elements(element) : new FixedElements(element, bytes);
        }
        return null;
    }

    private static @Nullable ValueCheck elements(@Nullable ValueCheck... inTurns) {
        return Arrays.stream(inTurns).allMatch(each -> each == null)
                ? null
                : new Parts(new ArrayList<>(Arrays.asList(inTurns)), /* isCounted */ true);
    }

    private static @Nullable ValueCheck fields(List<DataType> types) {
        List<@Nullable ValueCheck> checks = new ArrayList<>();
        types.forEach(type -> checks.add(of(type)));
        return checks.stream().allMatch(each -> each == null) ? null : new Parts(checks, /* isCounted */ false);
    }

    /** Text. */
    record Utf8() implements ValueCheck {
        @Override
        public @Nullable String problem(byte[] array, int from, int to) {
            return UTF8String.fromBytes(array, from, to - from).isValid()
                    ? null
                    : "text that is not valid UTF-8: decode it, or write it to a column of type blob";
        }
    }

    /** Text of 7 bits. */
    record Ascii() implements ValueCheck {
        @Override
        public @Nullable String problem(byte[] array, int from, int to) {
            for (int i = from; i < to; i++) {
                if (array[i] < 0) {
                    return "text that is not ASCII: decode it, or write it to a column of type text or blob";
                }
            }
            return null;
        }
    }

    /** A UUID of version 1. */
    record TimeUuid() implements ValueCheck {
        private static final int VERSION_AT = 6;

        @Override
        public @Nullable String problem(byte[] array, int from, int to) {
            int version = array[from + VERSION_AT] >> 4 & 0xF;
            return version == 1
                    ? null
                    : "a timeuuid of version " + version + ", not 1: write it to a column of type uuid";
        }
    }

    /**
     * Parts with their lengths.
     *
     * @param checks of the parts, in turns
     * @param isCounted whether the number of elements comes first
     */
    record Parts(List<@Nullable ValueCheck> checks, boolean isCounted) implements ValueCheck {
        @Override
        public @Nullable String problem(byte[] array, int from, int to) {
            int at = isCounted ? from + Integer.BYTES : from;
            for (int i = 0; at < to; i++) {
                int start = at + Integer.BYTES;
                int end = start + Math.max(0, Bytes.getInt(array, at));
                ValueCheck check = checks.get(i % checks.size());
                String problem = check == null || end == start ? null : check.problem(array, start, end);
                if (problem != null) {
                    return problem;
                }
                at = end;
            }
            return null;
        }
    }

    /** Elements of a vector that have lengths, because their type has no fixed one. */
    record Elements(ValueCheck check) implements ValueCheck {
        @Override
        public @Nullable String problem(byte[] array, int from, int to) {
            int at = from;
            while (at < to) {
                int start = at + Bytes.vintBytes(array[at]);
                int end = start + Math.toIntExact(Bytes.getUnsignedVint(array, at));
                String problem = end == start ? null : check.problem(array, start, end);
                if (problem != null) {
                    return problem;
                }
                at = end;
            }
            return null;
        }
    }

    /** Elements of a vector that all have the same number of bytes. */
    record FixedElements(ValueCheck check, int bytes) implements ValueCheck {
        @Override
        public @Nullable String problem(byte[] array, int from, int to) {
            String problem = null;
            for (int at = from; at < to && problem == null; at += bytes) {
                problem = check.problem(array, at, at + bytes);
            }
            return problem;
        }
    }
}
