package io.overdrive.formats.columns;

import io.overdrive.internal.codec.Bytes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lists and sets, and maps, whose parts alternate. Confined to one thread; on the hot path. */
final class SequenceBuilder extends ColumnBuilder {
    private final String cql;
    private final ColumnBuilder first;
    private final @Nullable ColumnBuilder second;
    private final Bytes offsets = new Bytes(256);

    SequenceBuilder(ColumnType type, String cql, ColumnBuilder first, @Nullable ColumnBuilder second) {
        super(
                type,
                /* mayBeEmpty */ false,
                /* hasFields */ false,
                second == null ? List.of(first) : List.of(first, second));
        this.cql = cql;
        this.first = first;
        this.second = second;
        putInt(0, offsets);
    }

    @Override
    ColumnBuilder with(ColumnType other) {
        return new SequenceBuilder(other, cql, first, second);
    }

    @Override
    void value(byte[] from, int offset, int length) {
        int end = offset + length;
        if (length < 4) {
            throw badLength(cql, length);
        }
        int count = Bytes.getInt(from, offset);
        int at = offset + 4;
        for (int i = 0; i < count; i++) {
            at = part(first, from, at, end);
            if (second != null) {
                at = part(second, from, at, end);
            }
        }
        missing();
    }

    private int part(ColumnBuilder builder, byte[] from, int at, int end) {
        int length = partLength(cql, from, at, end);
        builder.addPart(from, at + 4, length);
        return at + 4 + Math.max(length, 0);
    }

    @Override
    void missing() {
        putInt(first.rows(), offsets);
    }

    @Override
    public Column column() {
        Column child = first.column();
        if (second != null) {
            List<Column> pair = List.of(child, second.column());
            child = new Column(
                    type().children().get(0), first.rows(), null, Column.none(), Column.none(), List.of(), pair, null);
        }
        return new Column(type(), rows(), validity(), written(offsets), Column.none(), List.of(), List.of(child), null);
    }

    @Override
    public void clear() {
        super.clear();
        offsets.clear();
        putInt(0, offsets);
    }
}
