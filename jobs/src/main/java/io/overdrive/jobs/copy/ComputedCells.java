package io.overdrive.jobs.copy;

import io.overdrive.RowCursor;
import io.overdrive.TableSchema.Column;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.jobs.expression.Computation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The cells of a row that a copy computes from the others. Confined to one thread. */
final class ComputedCells {
    private final Computation computation;
    /** The column that is read, of each input. */
    private final int[] inputs;

    private final List<Column> columns;
    private boolean keyFailed;

    private ComputedCells(Computation computation, CopyPlan plan) {
        this.computation = computation;
        inputs = plan.inputs(computation);
        columns = plan.computedColumns();
    }

    /** Null if there are none. */
    static @Nullable ComputedCells of(CopyPlan plan) {
        Computation computation = plan.computation();
        return computation == null ? null : new ComputedCells(computation, plan);
    }

    /**
     * Computes the cells, whose bytes are appended.
     *
     * @param first number of the first cell
     * @param offsets receives where they are
     * @param lengths receives their lengths, -1 for null
     * @return why one cannot be computed; null if all can be
     */
    @Nullable String compute(RowCursor row, int first, int[] offsets, int[] lengths, Bytes to) {
        keyFailed = false;
        for (int i = 0; i < inputs.length; i++) {
            computation.set(i, row.array(), row.offset(inputs[i]), row.length(inputs[i]));
        }
        String problem = null;
        for (int i = 0; i < columns.size(); i++) {
            int start = to.length();
            offsets[first + i] = start;
            lengths[first + i] = -1;
            try {
                lengths[first + i] = computation.compute(i, to) ? to.length() - start : -1;
            } catch (BadValueException e) {
                to.truncate(start);
                keyFailed |= columns.get(i).isKey();
                problem = problem == null ? "column \"" + columns.get(i).name() + "\" " + e.getMessage() : problem;
            }
        }
        return problem;
    }

    /** Whether a column of the key could not be computed. */
    boolean keyFailed() {
        return keyFailed;
    }
}
