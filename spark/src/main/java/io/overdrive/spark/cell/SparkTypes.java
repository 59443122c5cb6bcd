package io.overdrive.spark.cell;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.VectorType;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Role;
import io.overdrive.internal.codec.CqlType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.CharType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.sql.types.VarcharType;
import org.jspecify.annotations.Nullable;

/** The Spark type of each CQL type, and the CQL types of new columns. Plans (on the driver). Stateless. */
public final class SparkTypes {
    /** Maximum precision of Spark's decimals. */
    private static final int MAX_DIGITS = DecimalType.MAX_PRECISION();

    /** Digits after the decimal point in the Spark type of a decimal. */
    public static final int DECIMAL_SCALE = 18;

    private SparkTypes() {}

    /**
     * The schema of a table in Spark. Key columns are not nullable, except for clustering columns of a table with
     * static columns: a partition may have only those.
     *
     * @param asText names of varint and decimal columns that are text in Spark; columns of other types stay as they are
     */
    public static StructType schema(TableSchema table, Set<String> asText) {
        List<StructField> fields = new ArrayList<>();
        boolean hasStatic = table.columns().stream().anyMatch(column -> column.role() == Role.STATIC);
        for (TableSchema.Column column : table.columns()) {
            boolean isText = asText.contains(column.name()) && canBeText(column.type());
            var type = isText ? DataTypes.StringType : type(column.type());
            boolean nullable = !column.isKey() || (hasStatic && column.role() == Role.CLUSTERING);
            fields.add(DataTypes.createStructField(column.name(), type, nullable));
        }
        return DataTypes.createStructType(fields);
    }

    /** Whether the values of a type may have more digits than Spark's numbers, so that they can be read as text. */
    public static boolean canBeText(DataType cql) {
        CqlType type = CqlType.of(cql);
        return type == CqlType.VARINT || type == CqlType.DECIMAL;
    }

    /** The type in CQL, without "frozen", which changes no value; a user-defined type by its name. */
    public static String cql(DataType type) {
        return type.asCql(/* includeFrozen */ false, /* pretty */ true);
    }

    /**
     * Checks that columns have the types of which values were made: as values of other types they would find other rows, or none.
     *
     * @param was types in CQL when Spark read the table's schema
     * @throws IllegalArgumentException if one has changed
     */
    public static void requireSame(String table, List<String> columns, List<String> was, List<DataType> now) {
        for (int i = 0; i < was.size(); i++) {
            String type = cql(now.get(i));
            if (!type.equals(was.get(i))) {
                throw new IllegalArgumentException("[" + table + "] column \"" + columns.get(i) + "\" was "
                        + was.get(i) + " when Spark read the table's schema, and is " + type
                        + " now: read the table again");
            }
        }
    }

    /** A column's name in backquotes, so that Spark does not split it at dots or take it for a number. */
    public static String quoted(String column) {
        return "`" + column.replace("`", "``") + "`";
    }

    /** Whether Cassandra and Spark order values of a type in the same way. */
    public static boolean haveSameOrder(DataType cql) {
        return switch (CqlType.of(cql)) {
            case UUID, TIMEUUID, INET, DURATION, COUNTER, LIST, SET, MAP, UDT, TUPLE, CUSTOM, VECTOR -> false;
            case ASCII,
                    BIGINT,
                    BLOB,
                    BOOLEAN,
                    DATE,
                    DECIMAL,
                    DOUBLE,
                    FLOAT,
                    INT,
                    SMALLINT,
                    TEXT,
                    TIME,
                    TIMESTAMP,
                    TINYINT,
                    VARINT -> true;
        };
    }

    public static org.apache.spark.sql.types.DataType type(DataType cql) {
        return switch (CqlType.of(cql)) {
            case ASCII, TEXT, INET, UUID, TIMEUUID, DURATION -> DataTypes.StringType;
            case BOOLEAN -> DataTypes.BooleanType;
            case TINYINT -> DataTypes.ByteType;
            case SMALLINT -> DataTypes.ShortType;
            case INT -> DataTypes.IntegerType;
            case BIGINT, COUNTER, TIME -> DataTypes.LongType;
            case FLOAT -> DataTypes.FloatType;
            case DOUBLE -> DataTypes.DoubleType;
            case VARINT -> DataTypes.createDecimalType(MAX_DIGITS, 0);
            case DECIMAL -> DataTypes.createDecimalType(MAX_DIGITS, DECIMAL_SCALE);
            case TIMESTAMP -> DataTypes.TimestampType;
            case DATE -> DataTypes.DateType;
            case LIST -> DataTypes.createArrayType(type(((ListType) cql).getElementType()));
            case SET -> DataTypes.createArrayType(type(((SetType) cql).getElementType()));
            case MAP -> {
                MapType map = (MapType) cql;
                yield DataTypes.createMapType(type(map.getKeyType()), type(map.getValueType()));
            }
            case UDT -> udt((UserDefinedType) cql);
            case TUPLE -> tuple((TupleType) cql);
            case VECTOR -> DataTypes.createArrayType(type(((VectorType) cql).getElementType()));
            case BLOB, CUSTOM -> DataTypes.BinaryType;
        };
    }

    /**
     * Whether values of a CQL type are decoded as values of a Spark type: the type of {@link #type}, maybe with fewer fields in its structs, or
     * text.
     */
    static boolean fits(DataType cql, org.apache.spark.sql.types.DataType wanted) {
        if (cql instanceof ListType list) {
            return wanted instanceof ArrayType array && fits(list.getElementType(), array.elementType());
        } else if (cql instanceof SetType set) {
            return wanted instanceof ArrayType array && fits(set.getElementType(), array.elementType());
        } else if (cql instanceof VectorType vector) {
            return wanted instanceof ArrayType array && fits(vector.getElementType(), array.elementType());
        } else if (cql instanceof MapType map) {
            return wanted instanceof org.apache.spark.sql.types.MapType to
                    && fits(map.getKeyType(), to.keyType())
                    && fits(map.getValueType(), to.valueType());
        } else if (cql instanceof UserDefinedType udt) {
            return fieldsFit(udt(udt), udt.getFieldTypes(), wanted);
        } else if (cql instanceof TupleType tuple) {
            return fieldsFit(tuple(tuple), tuple.getComponentTypes(), wanted);
        }
        return wanted.equals(type(cql)) || (wanted instanceof StringType && canBeText(cql));
    }

    private static boolean fieldsFit(StructType all, List<DataType> types, org.apache.spark.sql.types.DataType wanted) {
        List<String> names = List.of(all.fieldNames());
        return wanted instanceof StructType struct
                && Arrays.stream(struct.fields()).allMatch(field -> {
                    int source = names.indexOf(field.name());
                    return source >= 0 && fits(types.get(source), field.dataType());
                });
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

    /** The CQL type, as a statement names it, in which a column of a Spark type is created; null if there is none. */
    public static @Nullable String cqlType(org.apache.spark.sql.types.DataType type) {
        if (type instanceof ArrayType array) {
            String element = frozen(array.elementType());
            return element == null ? null : "list<" + element + ">";
        }
        if (type instanceof org.apache.spark.sql.types.MapType map) {
            String key = frozen(map.keyType());
            String value = frozen(map.valueType());
            return key == null || value == null ? null : "map<" + key + ", " + value + ">";
        }
        if (type instanceof DecimalType decimal) {
            // A varint is read back with all of its digits; of a decimal, Spark reads 20 digits before the point.
            int digits = MAX_DIGITS - DECIMAL_SCALE;
            return decimal.scale() == 0 && decimal.precision() > digits ? "varint" : "decimal";
        }
        return type instanceof StringType ? "text" : scalarType(type);
    }

    /** Whether values are text, or have text in them, that is not compared byte by byte. */
    public static boolean hasCollation(org.apache.spark.sql.types.DataType type) {
        return type.existsRecursively(part -> part instanceof StringType text && !text.isUTF8BinaryCollation());
    }

    /** Whether values are text, or have text in them, of a length that Spark would check. */
    public static boolean hasLength(org.apache.spark.sql.types.DataType type) {
        return type.existsRecursively(part -> part instanceof CharType || part instanceof VarcharType);
    }

    private static @Nullable String scalarType(org.apache.spark.sql.types.DataType type) {
        if (type instanceof BooleanType) {
            return "boolean";
        } else if (type instanceof ByteType) {
            return "tinyint";
        } else if (type instanceof ShortType) {
            return "smallint";
        } else if (type instanceof IntegerType) {
            return "int";
        } else if (type instanceof LongType) {
            return "bigint";
        } else if (type instanceof FloatType) {
            return "float";
        } else if (type instanceof DoubleType) {
            return "double";
        } else if (type instanceof TimestampType) {
            return "timestamp";
        } else if (type instanceof DateType) {
            return "date";
        } else if (type instanceof BinaryType) {
            return "blob";
        }
        return null;
    }

    /** Nested collections must be frozen. */
    private static @Nullable String frozen(org.apache.spark.sql.types.DataType type) {
        String cql = cqlType(type);
        return cql == null || !(type instanceof ArrayType || type instanceof org.apache.spark.sql.types.MapType)
                ? cql
                : "frozen<" + cql + ">";
    }
}
