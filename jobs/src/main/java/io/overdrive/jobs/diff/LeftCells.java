package io.overdrive.jobs.diff;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.RowCursor;
import io.overdrive.TableSchema.Column;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.jobs.CellConverter;
import io.overdrive.jobs.ValueForm;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The cells of a row of the left table as the right table has them, in its types. Confined to one thread; on the hot path. */
final class LeftCells {
    private final @Nullable CellConverter[] converters;
    /** The forms of columns that are converted. */
    private final @Nullable ValueForm[] forms;

    private final boolean isConverted;
    private final boolean[] isFloat;
    private final boolean[] isDouble;
    private final double tolerance;
    private final byte[][] arrays;
    private final int[] offsets;
    private final int[] lengths;
    private final Bytes converted = new Bytes(256);

    LeftCells(DiffPlan plan, double tolerance) {
        List<Column> left = plan.columns();
        List<Column> right = plan.rightColumns();
        int count = left.size();
        converters = new CellConverter[count];
        forms = new ValueForm[count];
        isFloat = new boolean[count];
        isDouble = new boolean[count];
        for (int i = 0; i < count; i++) {
            DataType type = right.get(i).type();
            if (plan.isConverted(i)) {
                converters[i] = CellConverter.of(left.get(i).type(), type);
                forms[i] = ValueForm.of(type);
            }
            isFloat[i] = !right.get(i).isKey() && type.equals(DataTypes.FLOAT);
            isDouble[i] = !right.get(i).isKey() && type.equals(DataTypes.DOUBLE);
        }
        isConverted = plan.isConverted();
        this.tolerance = tolerance;
        arrays = new byte[count][];
        offsets = new int[count];
        lengths = new int[count];
    }

    /** Whether cells have other bytes than in the left table. */
    boolean areConverted() {
        return isConverted;
    }

    boolean isConverted(int column) {
        return converters[column] != null;
    }

    /** Begins another row. */
    void begin() {
        converted.clear();
    }

    /**
     * Takes a cell of the row.
     *
     * @return false if the right table cannot hold its value
     */
    boolean take(RowCursor row, int column) {
        arrays[column] = row.array();
        offsets[column] = row.offset(column);
        lengths[column] = row.length(column);
        CellConverter converter = converters[column];
        if (converter == null || lengths[column] < 0) {
            return true;
        }
        int start = converted.length();
        try {
            if (converter.isNull(lengths[column])) {
                lengths[column] = -1;
                return true;
            }
            converter.convert(row.array(), row.offset(column), row.length(column), converted);
        } catch (BadValueException e) {
            converted.truncate(start);
            return false;
        }
        offsets[column] = start;
        lengths[column] = converted.length() - start;
        return true;
    }

    byte[] array(int column) {
        return isConverted(column) && lengths[column] >= 0 ? converted.array() : arrays[column];
    }

    int offset(int column) {
        return offsets[column];
    }

    /** Negative for null. */
    int length(int column) {
        return lengths[column];
    }

    /** Whether a cell of the row is the same as a cell of the right table. */
    boolean isSame(RowCursor row, RowCursor right, int column) {
        ValueForm form = forms[column];
        if (form != null) {
            begin();
            return take(row, column) && isSameConverted(form, right, column);
        }
        int length = row.length(column);
        if (length != right.length(column)) {
            return false;
        }
        return length < 0
                || Arrays.equals(
                        row.array(),
                        row.offset(column),
                        row.offset(column) + length,
                        right.array(),
                        right.offset(column),
                        right.offset(column) + length)
                || isNear(row.array(), row.offset(column), length, right, column);
    }

    private boolean isSameConverted(ValueForm form, RowCursor right, int column) {
        byte[] array = array(column);
        return form.isSame(
                        array,
                        offsets[column],
                        lengths[column],
                        right.array(),
                        right.offset(column),
                        right.length(column))
                || isNear(array, offsets[column], lengths[column], right, column);
    }

    private boolean isNear(byte[] array, int offset, int length, RowCursor right, int column) {
        if (tolerance == 0 || length <= 0 || length != right.length(column)) {
            return false;
        }
        if (isFloat[column]) {
            return isNear(
                    Float.intBitsToFloat(Bytes.getInt(array, offset)),
                    Float.intBitsToFloat(Bytes.getInt(right.array(), right.offset(column))));
        }
        return isDouble[column]
                && isNear(
                        Double.longBitsToDouble(Bytes.getLong(array, offset)),
                        Double.longBitsToDouble(Bytes.getLong(right.array(), right.offset(column))));
    }

    /** Infinities and NaN are near themselves only. */
    private boolean isNear(double a, double b) {
        return a == b
                || Double.isNaN(a) && Double.isNaN(b)
                || Double.isFinite(a)
                        && Double.isFinite(b)
                        && Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b));
    }
}
