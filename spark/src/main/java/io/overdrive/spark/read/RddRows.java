package io.overdrive.spark.read;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.RowCursor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rows that a task of an RDD reads. Confined to one thread; on the hot path. */
public interface RddRows extends AutoCloseable {
    /** The next row, always the same object; null after the last one. */
    @Nullable RowCursor next();

    /** Types of the columns of the rows. */
    List<DataType> types();

    @Override
    void close();
}
