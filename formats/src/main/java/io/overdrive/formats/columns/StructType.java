package io.overdrive.formats.columns;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.data.UdtValue;
import com.datastax.oss.driver.api.core.detach.AttachmentPoint;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import java.util.List;

/**
 * The user-defined type that values with fields of a file would have: no table has it, it leads to their JSON. The driver's own class has no
 * public builder. Immutable.
 */
final class StructType implements UserDefinedType {
    private static final CqlIdentifier KEYSPACE = CqlIdentifier.fromInternal("arrow");
    private static final CqlIdentifier NAME = CqlIdentifier.fromInternal("struct");

    private final List<CqlIdentifier> names;
    private final List<DataType> types;

    StructType(List<CqlIdentifier> names, List<DataType> types) {
        this.names = List.copyOf(names);
        this.types = List.copyOf(types);
    }

    /** The names of the fields. CQL has no empty name. */
    static List<String> names(ColumnType struct) {
        return struct.children().stream()
                .map(child -> child.name().isEmpty() ? " " : child.name())
                .toList();
    }

    @Override
    public CqlIdentifier getKeyspace() {
        return KEYSPACE;
    }

    @Override
    public CqlIdentifier getName() {
        return NAME;
    }

    @Override
    public boolean isFrozen() {
        return true;
    }

    @Override
    public List<CqlIdentifier> getFieldNames() {
        return names;
    }

    @Override
    public List<DataType> getFieldTypes() {
        return types;
    }

    @Override
    public int firstIndexOf(CqlIdentifier name) {
        return names.indexOf(name);
    }

    @Override
    public int firstIndexOf(String name) {
        return firstIndexOf(CqlIdentifier.fromCql(name));
    }

    @Override
    public UserDefinedType copy(boolean isFrozen) {
        return this;
    }

    @Override
    public UdtValue newValue() {
        throw new UnsupportedOperationException("no table has this type");
    }

    @Override
    public UdtValue newValue(Object... fields) {
        throw new UnsupportedOperationException("no table has this type");
    }

    @Override
    public AttachmentPoint getAttachmentPoint() {
        return AttachmentPoint.NONE;
    }

    @Override
    public boolean isDetached() {
        return true;
    }

    @Override
    public void attach(AttachmentPoint point) {
        // values are never created
    }
}
