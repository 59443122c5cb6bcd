package io.overdrive;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.internal.scan.ScanLayouts;
import java.util.List;

/** Rows without a server. Stateless. */
public final class RowBuffers {
    private RowBuffers() {}

    public static RowBuffer of(List<String> names, List<DataType> types) {
        return new RowBuffer(ScanLayouts.key(names, types));
    }

    /** Starts the next row. */
    public static void clear(RowBuffer row) {
        row.clear();
    }
}
