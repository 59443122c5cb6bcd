package io.overdrive.spark;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import io.overdrive.TableSchema;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.types.DataTypes;

/**
 * The columns {@code ttl(c)} and {@code writetime(c)} of each column outside of the primary key. Collections and UDTs that
 * are not frozen have an array, with one for each element. Stateless.
 */
final class MetadataColumns {
    private MetadataColumns() {}

    /** Name of the metadata column. */
    static String name(String function, String column) {
        return function + "(" + column + ")";
    }

    static MetadataColumn[] of(TableSchema table) {
        List<MetadataColumn> columns = new ArrayList<>();
        if (!table.isCounter()) {
            for (TableSchema.Column column : table.columns()) {
                if (!column.isKey()) {
                    columns.add(new Times("ttl", column, DataTypes.IntegerType));
                    columns.add(new Times("writetime", column, DataTypes.LongType));
                }
            }
        }
        return columns.toArray(new MetadataColumn[0]);
    }

    private static boolean hasElements(DataType type) {
        return type instanceof ListType list && !list.isFrozen()
                || type instanceof SetType set && !set.isFrozen()
                || type instanceof MapType map && !map.isFrozen()
                || type instanceof UserDefinedType udt && !udt.isFrozen();
    }

    private record Times(String name, org.apache.spark.sql.types.DataType dataType) implements MetadataColumn {
        Times(String function, TableSchema.Column column, org.apache.spark.sql.types.DataType one) {
            this(
                    MetadataColumns.name(function, column.name()),
                    hasElements(column.type()) ? DataTypes.createArrayType(one) : one);
        }

        @Override
        public boolean isNullable() {
            return true;
        }
    }
}
