package io.overdrive.formats.columns;

import java.util.ArrayList;
import java.util.List;

/** Tuples and user-defined types; fields that are missing at the end were added to the type later. Confined to one thread; on the hot path. */
final class StructBuilder extends ColumnBuilder {
    private final String cql;
    private final List<ColumnBuilder> fields;

    StructBuilder(ColumnType type, String cql, List<ColumnBuilder> fields) {
        super(type, /* mayBeEmpty */ false, /* hasFields */ true, fields);
        this.cql = cql;
        this.fields = fields;
    }

    @Override
    ColumnBuilder with(ColumnType other) {
        return new StructBuilder(other, cql, fields);
    }

    @Override
    void value(byte[] from, int offset, int length) {
        int end = offset + length;
        int at = offset;
        for (ColumnBuilder field : fields) {
            int partLength = -1;
            if (at < end) {
                partLength = partLength(cql, from, at, end);
                at += 4;
            }
            field.addPart(from, at, partLength);
            at += Math.max(partLength, 0);
        }
    }

    @Override
    void missing() {
        fields.forEach(field -> field.add(NOTHING, 0, -1));
    }

    @Override
    public Column column() {
        List<Column> columns = new ArrayList<>();
        fields.forEach(field -> columns.add(field.column()));
        return new Column(type(), rows(), validity(), Column.none(), Column.none(), List.of(), columns, null);
    }
}
