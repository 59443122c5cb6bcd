package io.overdrive.sstable.read;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import io.overdrive.internal.codec.ClusteringOrder;
import io.overdrive.sstable.format.Layout;
import org.jspecify.annotations.Nullable;

/** A column of the rows of a {@link SstableMerge} that is not of the partition key. Immutable. */
final class MergedColumn {
    final int index;
    final Layout.Cells cells;
    /** Order of the paths of the column's cells; null if it has one cell. */
    final @Nullable ClusteringOrder paths;
    /** The number of fields of a UDT. */
    final int fields;

    MergedColumn(Layout.Part of) {
        index = of.index();
        cells = of.cells();
        DataType path =
                switch (cells) {
                    case ONE -> null;
                    case LIST -> DataTypes.TIMEUUID;
                    case SET -> ((SetType) of.type()).getElementType();
                    case MAP -> ((MapType) of.type()).getKeyType();
                    case UDT -> DataTypes.SMALLINT;
                };
        paths = path == null ? null : ClusteringOrder.of(path);
        fields = cells == Layout.Cells.UDT
                ? ((UserDefinedType) of.type()).getFieldNames().size()
                : 0;
    }
}
