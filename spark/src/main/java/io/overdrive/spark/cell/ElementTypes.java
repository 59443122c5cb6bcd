package io.overdrive.spark.cell;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;

/**
 * Types of which Cassandra stores each element or field by itself, so that it stores nothing of a value without any. Plans (on the
 * driver), as only the schema says what is frozen: answers do not. Stateless.
 */
public final class ElementTypes {
    private ElementTypes() {}

    /** Whether it is a list, set or map that is not frozen. */
    public static boolean isCollection(DataType type) {
        return (type instanceof ListType list && !list.isFrozen())
                || (type instanceof SetType set && !set.isFrozen())
                || (type instanceof MapType map && !map.isFrozen());
    }

    /** Whether it is one of these, or a UDT that is not frozen. */
    public static boolean hasElements(DataType type) {
        return isCollection(type) || (type instanceof UserDefinedType udt && !udt.isFrozen());
    }
}
