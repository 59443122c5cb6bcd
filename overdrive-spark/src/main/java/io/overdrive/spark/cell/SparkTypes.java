package io.overdrive.spark.cell;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.VectorType;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** What each CQL type is in Spark. Stateless. */
public final class SparkTypes {
    /** Digits that Spark's decimals have at most. */
    private static final int MAX_DIGITS = DecimalType.MAX_PRECISION();

    /** Of a decimal, after the point. */
    public static final int DECIMAL_SCALE = 18;

    private SparkTypes() {}

    /**
     * The columns of a table as Spark names and types them. Key columns cannot be null, apart from clustering columns of a
     * partition that has nothing but static columns.
     *
     * @param asText names of columns of varint and decimal that are text in Spark
     */
    public static StructType schema(TableSchema table, Set<String> asText) {
        List<StructField> fields = new ArrayList<>();
        boolean hasStatic = table.columns().stream().anyMatch(column -> column.role() == Role.STATIC);
        for (TableSchema.Column column : table.columns()) {
            var type = asText.contains(column.name()) ? DataTypes.StringType : type(column.type());
            boolean nullable = !column.isKey() || (hasStatic && column.role() == Role.CLUSTERING);
            fields.add(DataTypes.createStructField(column.name(), type, nullable));
        }
        return DataTypes.createStructType(fields);
    }

    /** A column's name as it stands where Spark would otherwise take it apart at dots, or for a number. */
    public static String quoted(String column) {
        return "`" + column.replace("`", "``") + "`";
    }

    /** Whether Cassandra orders a type's values as Spark orders what they are there. */
    public static boolean haveSameOrder(DataType cql) {
        return switch (cql.getProtocolCode()) {
            case ProtocolConstants.DataType.UUID,
                    ProtocolConstants.DataType.TIMEUUID,
                    ProtocolConstants.DataType.INET,
                    ProtocolConstants.DataType.DURATION,
                    ProtocolConstants.DataType.COUNTER,
                    ProtocolConstants.DataType.LIST,
                    ProtocolConstants.DataType.SET,
                    ProtocolConstants.DataType.MAP,
                    ProtocolConstants.DataType.UDT,
                    ProtocolConstants.DataType.TUPLE,
                    ProtocolConstants.DataType.CUSTOM -> false;
            default -> true;
        };
    }

    public static org.apache.spark.sql.types.DataType type(DataType cql) {
        return switch (cql.getProtocolCode()) {
            case ProtocolConstants.DataType.ASCII,
                    ProtocolConstants.DataType.VARCHAR,
                    ProtocolConstants.DataType.INET,
                    ProtocolConstants.DataType.UUID,
                    ProtocolConstants.DataType.TIMEUUID,
                    ProtocolConstants.DataType.DURATION -> DataTypes.StringType;
            case ProtocolConstants.DataType.BOOLEAN -> DataTypes.BooleanType;
            case ProtocolConstants.DataType.TINYINT -> DataTypes.ByteType;
            case ProtocolConstants.DataType.SMALLINT -> DataTypes.ShortType;
            case ProtocolConstants.DataType.INT -> DataTypes.IntegerType;
            case ProtocolConstants.DataType.BIGINT,
                    ProtocolConstants.DataType.COUNTER,
                    ProtocolConstants.DataType.TIME -> DataTypes.LongType;
            case ProtocolConstants.DataType.FLOAT -> DataTypes.FloatType;
            case ProtocolConstants.DataType.DOUBLE -> DataTypes.DoubleType;
            case ProtocolConstants.DataType.VARINT -> DataTypes.createDecimalType(MAX_DIGITS, 0);
            case ProtocolConstants.DataType.DECIMAL -> DataTypes.createDecimalType(MAX_DIGITS, DECIMAL_SCALE);
            case ProtocolConstants.DataType.TIMESTAMP -> DataTypes.TimestampType;
            case ProtocolConstants.DataType.DATE -> DataTypes.DateType;
            case ProtocolConstants.DataType.LIST -> DataTypes.createArrayType(type(((ListType) cql).getElementType()));
            case ProtocolConstants.DataType.SET -> DataTypes.createArrayType(type(((SetType) cql).getElementType()));
            case ProtocolConstants.DataType.MAP -> {
                MapType map = (MapType) cql;
                yield DataTypes.createMapType(type(map.getKeyType()), type(map.getValueType()));
            }
            case ProtocolConstants.DataType.UDT -> udt((UserDefinedType) cql);
            case ProtocolConstants.DataType.TUPLE -> tuple((TupleType) cql);
            default ->
                cql instanceof VectorType vector
                        ? DataTypes.createArrayType(type(vector.getElementType()))
                        : DataTypes.BinaryType;
        };
    }

    private static StructType udt(UserDefinedType udt) {
        List<StructField> fields = new ArrayList<>();
        for (int i = 0; i < udt.getFieldTypes().size(); i++) {
            String name = udt.getFieldNames().get(i).asInternal();
            fields.add(
                    DataTypes.createStructField(name, type(udt.getFieldTypes().get(i)), /* nullable */ true));
        }
        return DataTypes.createStructType(fields);
    }

    private static StructType tuple(TupleType tuple) {
        List<StructField> fields = new ArrayList<>();
        for (DataType component : tuple.getComponentTypes()) {
            fields.add(
                    DataTypes.createStructField(String.valueOf(fields.size()), type(component), /* nullable */ true));
        }
        return DataTypes.createStructType(fields);
    }
}
