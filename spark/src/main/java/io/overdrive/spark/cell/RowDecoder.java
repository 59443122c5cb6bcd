package io.overdrive.spark.cell;

import io.overdrive.RowCursor;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Decodes rows of a page into Spark's rows: from the bytes of the page straight into one {@link UnsafeRow}, which is
 * reused for every row. Executes (on the executors). Confined to one thread; on the hot path.
 */
public final class RowDecoder {
    private final UnsafeRowWriter writer;
    private final CellDecoder[] cells;
    private final boolean[] nullable;
    private final RowCursor rows;

    /**
     * @param schema of the decoded rows: the cursor's columns in this order, maybe with fewer fields in their structs
     * @param emptyForNull names of collections that are empty instead of null
     * @throws IllegalArgumentException if the type of a column does not fit, as the table has changed
     */
    public RowDecoder(
            RowCursor rows,
            StructType schema,
            List<com.datastax.oss.driver.api.core.type.DataType> types,
            Set<String> emptyForNull) {
        StructField[] fields = schema.fields();
        this.rows = rows;
        writer = new UnsafeRowWriter(fields.length);
        cells = new CellDecoder[fields.length];
        nullable = new boolean[fields.length];
        for (int i = 0; i < fields.length; i++) {
            try {
                CellDecoder cell = CellDecoder.of(types.get(i), fields[i].dataType());
                cells[i] = emptyForNull.contains(fields[i].name()) ? cell.withEmptyForNull() : cell;
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("column \"" + rows.name(i) + "\" " + e.getMessage(), e);
            }
            nullable[i] = fields[i].nullable();
        }
    }

    /** The row that the cursor is on; the same object each time. */
    public UnsafeRow row() {
        UnsafeRowWriter to = writer;
        to.reset();
        to.zeroOutNullBytes();
        byte[] bytes = rows.array();
        for (int i = 0; i < cells.length; i++) {
            try {
                if (!nullable[i] && cells[i].isNull(rows.length(i))) {
                    // Spark would not check for null
                    throw new IllegalArgumentException(
                            "has an empty value, which would be null, and Spark does not allow nulls in a key:"
                                    + " exclude the row by a range of this column, or delete it");
                }
                cells[i].putOrNull(bytes, rows.offset(i), rows.length(i), to, i);
            } catch (ArithmeticException | IllegalArgumentException e) {
                throw new IllegalArgumentException("column \"" + rows.name(i) + "\" " + e.getMessage(), e);
            }
        }
        return to.getRow();
    }
}
