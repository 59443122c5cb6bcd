package io.overdrive.sql;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import java.io.IOException;
import java.io.InputStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntervalMonthDayNanoVector;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.jspecify.annotations.Nullable;

/** Reads the rows for a query, and refuses durations that it would shorten without a word. Confined to one thread. */
final class InputBatches extends ArrowStreamReader {
    private static final int NANOS_OF_THE_FINEST = 1_000;

    private volatile @Nullable OverdriveException failure;

    InputBatches(InputStream input, BufferAllocator memory) {
        super(input, memory);
    }

    @Override
    public boolean loadNextBatch() throws IOException {
        boolean hasNext = super.loadNextBatch();
        if (hasNext) {
            for (FieldVector each : getVectorSchemaRoot().getFieldVectors()) {
                check(each, each.getName());
            }
        }
        return hasNext;
    }

    /** The reason for which rows were refused, which DuckDB wraps; null if none were. */
    @Nullable OverdriveException failure() {
        return failure;
    }

    private void check(FieldVector vector, String column) {
        if (vector instanceof IntervalMonthDayNanoVector durations) {
            for (int i = 0; i < durations.getValueCount(); i++) {
                if (!durations.isNull(i)
                        && IntervalMonthDayNanoVector.getNanoseconds(durations.getDataBuffer(), i) % NANOS_OF_THE_FINEST
                                != 0) {
                    OverdriveException refused = new OverdriveException(
                            Kind.INPUT,
                            "column \"" + column + "\" has the duration " + durations.getObject(i)
                                    + ", and a query keeps microseconds at most: leave the column out before the query");
                    failure = refused;
                    throw refused;
                }
            }
        }
        vector.getChildrenFromFields().forEach(part -> check(part, column));
    }
}
