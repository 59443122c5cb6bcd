package io.overdrive.formats.columns;

import io.overdrive.internal.codec.Bytes;
import java.util.List;

/** Layouts whose values are in one array, of the same size for each row. Confined to one thread; on the hot path. */
abstract class DataBuilder extends ColumnBuilder {
    final Bytes data = new Bytes(256);

    DataBuilder(ColumnType type) {
        super(type, /* mayBeEmpty */ false, /* hasFields */ false, List.of());
    }

    @Override
    public final Column column() {
        return Column.of(type(), rows(), validity(), Column.none(), written(data));
    }

    @Override
    public final void clear() {
        super.clear();
        data.clear();
    }
}
