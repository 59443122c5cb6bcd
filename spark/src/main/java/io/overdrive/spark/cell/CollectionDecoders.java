package io.overdrive.spark.cell;

import com.datastax.oss.driver.api.core.type.VectorType;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.CqlType;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeArrayWriter;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeWriter;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.Platform;

/**
 * Decoders of values that contain others: lists, sets, vectors, maps, UDTs, tuples. Execute (on the executors). Each is
 * confined to one thread; on the hot path.
 */
final class CollectionDecoders {
    private CollectionDecoders() {}

    /** Lists and sets: the number of elements, then each element after its length. */
    static final class ArrayCell extends CellDecoder {
        private final CellDecoder element;

        ArrayCell(CellDecoder element) {
            this(element, /* minBytes */ 0);
        }

        ArrayCell(CellDecoder element, int minBytes) {
            super(POINTER_BYTES, minBytes);
            this.element = element;
        }

        @Override
        CellDecoder withEmptyForNull() {
            return new ArrayCell(element, NEVER_NULL);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            int start = to.cursor();
            UnsafeArrayWriter array = new UnsafeArrayWriter(to, element.slotBytes);
            int count = length <= 0 ? 0 : Bytes.getInt(from, offset);
            array.initialize(count);
            int at = offset + 4;
            for (int i = 0; i < count; i++) {
                int size = Bytes.getInt(from, at);
                at += 4;
                element.putOrNull(from, at, size, array, i);
                at += Math.max(0, size);
            }
            to.setOffsetAndSizeFromPreviousCursor(ordinal, start);
        }
    }

    static final class VectorCell extends CellDecoder {
        private final CellDecoder element;
        private final int dimensions;
        private final int fixedBytes;

        VectorCell(VectorType vector, CellDecoder element) {
            super(POINTER_BYTES);
            this.element = element;
            dimensions = vector.getDimensions();
            fixedBytes = CqlType.elementBytes(vector.getElementType());
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            int start = to.cursor();
            UnsafeArrayWriter array = new UnsafeArrayWriter(to, element.slotBytes);
            array.initialize(dimensions);
            int at = offset;
            for (int i = 0; i < dimensions; i++) {
                int size = fixedBytes;
                if (size < 0) {
                    size = Math.toIntExact(Bytes.getUnsignedVint(from, at));
                    at += Bytes.vintBytes(from[at]);
                }
                element.putOrNull(from, at, size, array, i);
                at += size;
            }
            to.setOffsetAndSizeFromPreviousCursor(ordinal, start);
        }
    }

    /** Maps. In Spark's form: the size of the array of keys, that array, and the array of values. */
    static final class MapCell extends CellDecoder {
        private final CellDecoder key;
        private final CellDecoder value;

        MapCell(CellDecoder key, CellDecoder value) {
            this(key, value, /* minBytes */ 0);
        }

        MapCell(CellDecoder key, CellDecoder value, int minBytes) {
            super(POINTER_BYTES, minBytes);
            this.key = key;
            this.value = value;
        }

        @Override
        CellDecoder withEmptyForNull() {
            return new MapCell(key, value, NEVER_NULL);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            int start = to.cursor();
            to.grow(8);
            to.increaseCursor(8);
            int count = length <= 0 ? 0 : Bytes.getInt(from, offset);
            putHalf(key, 0, count, from, offset + 4, to);
            // The buffer may have been replaced meanwhile; offsets stay valid.
            Platform.putLong(to.getBuffer(), start, to.cursor() - start - 8L);
            putHalf(value, 1, count, from, offset + 4, to);
            to.setOffsetAndSizeFromPreviousCursor(ordinal, start);
        }

        private static void putHalf(CellDecoder part, int half, int count, byte[] from, int start, UnsafeWriter to) {
            UnsafeArrayWriter array = new UnsafeArrayWriter(to, part.slotBytes);
            array.initialize(count);
            int at = start;
            for (int i = 0; i < 2 * count; i++) {
                int size = Bytes.getInt(from, at);
                at += 4;
                if ((i & 1) == half) {
                    part.putOrNull(from, at, size, array, i >> 1);
                }
                at += Math.max(0, size);
            }
        }
    }

    /** UDTs and tuples. Values written before fields were added to the type lack these fields, which are null. */
    static final class StructCell extends CellDecoder {
        /** Index in Spark's struct of each field of the value; -1 if it is not read. */
        private final int[] targets;

        private final CellDecoder[] fields;

        StructCell(List<String> names, List<com.datastax.oss.driver.api.core.type.DataType> types, StructType wanted) {
            super(POINTER_BYTES, /* minBytes */ 0);
            fields = new CellDecoder[wanted.length()];
            targets = new int[types.size()];
            for (int i = 0; i < types.size(); i++) {
                targets[i] = List.of(wanted.fieldNames()).indexOf(names.get(i));
                if (targets[i] >= 0) {
                    fields[targets[i]] = CellDecoder.of(types.get(i), wanted.fields()[targets[i]].dataType());
                }
            }
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            int start = to.cursor();
            UnsafeRowWriter row = new UnsafeRowWriter(to, fields.length);
            row.resetRowWriter();
            int end = offset + length;
            int at = offset;
            for (int i = 0; i < targets.length; i++) {
                int size = -1;
                if (at < end) {
                    size = Bytes.getInt(from, at);
                    at += 4;
                }
                int target = targets[i];
                if (target >= 0) {
                    fields[target].putOrNull(from, at, size, row, target);
                }
                at += Math.max(0, size);
            }
            to.setOffsetAndSizeFromPreviousCursor(ordinal, start);
        }
    }
}
