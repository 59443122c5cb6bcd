package io.overdrive.jobs;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.VectorType;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.ClusteringOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether the bytes of a value that was written and of one that was read are the same value of a column. The server sorts sets
 * and maps, and keeps one of equal elements; fields at the end of a tuple or UDT may be missing instead of null; and if such
 * a value is not frozen, it is null if it is empty. Other values are compared by their bytes. Stateless.
 */
public final class ValueForm {
    /** Writes a value as the server stores it. */
    private interface Form {
        void write(byte[] in, int from, int length, Bytes out);
    }

    private static final Form BYTES = (in, from, length, out) -> out.put(in, from, length);

    private final Form form;
    private final boolean isMultiCell;
    private final boolean isCollection;

    private ValueForm(DataType type) {
        form = form(type);
        isMultiCell = CellConverter.isMultiCell(type);
        isCollection = isMultiCell && !(type instanceof UserDefinedType);
    }

    public static ValueForm of(DataType type) {
        return new ValueForm(type);
    }

    /** Whether the column is null after this value was written; the length is negative for null. */
    public boolean isNull(byte[] bytes, int from, int length) {
        if (length < 0) {
            return true;
        }
        if (isCollection) {
            return length < 4 || Bytes.getInt(bytes, from) == 0;
        }
        if (isMultiCell) {
            Bytes fields = new Bytes(64);
            form.write(bytes, from, length, fields);
            return fields.length() == 0;
        }
        return false;
    }

    /** Whether the value that was read, or written, is the same; the length is negative for null. */
    public boolean isSame(byte[] a, int aFrom, int aLength, byte[] b, int bFrom, int bLength) {
        if (aLength == bLength
                && (aLength < 0 || Arrays.equals(a, aFrom, aFrom + aLength, b, bFrom, bFrom + bLength))) {
            return true;
        }
        boolean aIsNull = isNull(a, aFrom, aLength);
        if (form == BYTES || aIsNull || isNull(b, bFrom, bLength)) {
            return aIsNull && isNull(b, bFrom, bLength);
        }
        Bytes first = new Bytes(2 * aLength);
        Bytes second = new Bytes(2 * bLength);
        form.write(a, aFrom, aLength, first);
        form.write(b, bFrom, bLength, second);
        return Arrays.equals(first.array(), 0, first.length(), second.array(), 0, second.length());
    }

    private static Form form(DataType type) {
        if (type instanceof ListType list) {
            Form element = form(list.getElementType());
            return element == BYTES ? BYTES : sequence(element);
        }
        if (type instanceof SetType set) {
            return sorted(set.getElementType(), null);
        }
        if (type instanceof MapType map) {
            return sorted(map.getKeyType(), form(map.getValueType()));
        }
        if (type instanceof TupleType tuple) {
            return fields(tuple.getComponentTypes());
        }
        if (type instanceof UserDefinedType udt) {
            return fields(udt.getFieldTypes());
        }
        if (type instanceof VectorType vector) {
            Form element = form(vector.getElementType());
            return element == BYTES ? BYTES : vector(element, vector.getDimensions());
        }
        return BYTES;
    }

    private static Form sequence(Form element) {
        return (in, from, length, out) -> {
            if (length < 4) {
                out.put(in, from, length);
                return;
            }
            int count = Bytes.getInt(in, from);
            out.putInt(count);
            int i = from + 4;
            for (int n = 0; n < count; n++) {
                i = part(element, in, i, out);
            }
        };
    }

    /** Writes a part with its length, and returns where the next one starts. */
    private static int part(Form form, byte[] in, int at, Bytes out) {
        int length = Bytes.getInt(in, at);
        if (length < 0) {
            out.putNull();
            return at + 4;
        }
        int begin = out.beginValue();
        form.write(in, at + 4, length, out);
        out.endValue(begin);
        return at + 4 + length;
    }

    /** An element of a set, or an entry of a map; each part with its length. */
    private static final class Element {
        final byte[] key;
        byte[] value;

        Element(byte[] key, byte[] value) {
            this.key = key;
            this.value = value;
        }
    }

    /**
     * The form of sets and maps: of equal elements the first one stays; of equal keys the first key with the last
     * value.
     *
     * @param valueForm null for sets
     */
    private static Form sorted(DataType keyType, @Nullable Form valueForm) {
        Form keyForm = form(keyType);
        ClusteringOrder order = order(keyType);
        return (in, from, length, out) -> {
            if (length < 4) {
                out.put(in, from, length);
                return;
            }
            List<Element> elements = new ArrayList<>();
            int i = from + 4;
            Bytes bytes = new Bytes(64);
            for (int n = Bytes.getInt(in, from); n > 0; n--) {
                bytes.clear();
                i = part(keyForm, in, i, bytes);
                byte[] key = bytes.toByteArray();
                bytes.clear();
                if (valueForm != null) {
                    i = part(valueForm, in, i, bytes);
                }
                elements.add(new Element(key, bytes.toByteArray()));
            }
            elements.sort((a, b) -> compare(order, a, b));
            List<Element> distinct = new ArrayList<>();
            for (Element element : elements) {
                Element last = distinct.isEmpty() ? null : distinct.get(distinct.size() - 1);
                if (last != null && compare(order, last, element) == 0) {
                    last.value = element.value;
                } else {
                    distinct.add(element);
                }
            }
            out.putInt(distinct.size());
            for (Element element : distinct) {
                out.put(element.key);
                out.put(element.value);
            }
        };
    }

    private static int compare(ClusteringOrder order, Element a, Element b) {
        return order.compare(a.key, 4, a.key.length - 4, b.key, 4, b.key.length - 4);
    }

    private static ClusteringOrder order(DataType type) {
        try {
            return ClusteringOrder.of(type);
        } catch (IllegalArgumentException e) {
            // a custom type, whose order only the server knows: any order will do, if both sides are sorted by it
            return (a, aFrom, aLength, b, bFrom, bLength) ->
                    Arrays.compareUnsigned(a, aFrom, aFrom + aLength, b, bFrom, bFrom + bLength);
        }
    }

    /** The form of fields, without null fields at the end. */
    private static Form fields(List<DataType> types) {
        Form[] forms = types.stream().map(ValueForm::form).toArray(Form[]::new);
        return (in, from, length, out) -> {
            int i = from;
            int end = out.length();
            for (int f = 0; f < forms.length && i < from + length; f++) {
                boolean isNull = Bytes.getInt(in, i) < 0;
                i = part(forms[f], in, i, out);
                end = isNull ? end : out.length();
            }
            out.truncate(end);
        };
    }

    private static Form vector(Form element, int dimensions) {
        return (in, from, length, out) -> {
            int i = from;
            Bytes bytes = new Bytes(64);
            for (int n = 0; n < dimensions; n++) {
                int size = Math.toIntExact(Bytes.getUnsignedVint(in, i));
                i += Bytes.vintBytes(in[i]);
                bytes.clear();
                element.write(in, i, size, bytes);
                out.putInt(bytes.length());
                out.put(bytes.array(), 0, bytes.length());
                i += size;
            }
        };
    }
}
