package io.overdrive.formats.columns;

import io.overdrive.internal.codec.Bytes;
import java.util.List;

/** Vectors as lists of a fixed size. Confined to one thread; on the hot path. */
final class VectorBuilder extends ColumnBuilder {
    private final String cql;
    private final ColumnBuilder element;
    /** The length of an element; -1 if each is preceded by its length. */
    private final int elementBytes;

    VectorBuilder(ColumnType type, String cql, ColumnBuilder element, int elementBytes) {
        super(type, /* mayBeEmpty */ false, /* hasFields */ false, List.of(element));
        this.cql = cql;
        this.element = element;
        this.elementBytes = elementBytes;
    }

    @Override
    ColumnBuilder with(ColumnType other) {
        return new VectorBuilder(other, cql, element, elementBytes);
    }

    @Override
    void value(byte[] from, int offset, int length) {
        int end = offset + length;
        int at = offset;
        for (int i = 0; i < type().width(); i++) {
            long partLength = elementBytes;
            if (elementBytes < 0) {
                if (at >= end || Bytes.vintBytes(from[at]) > end - at) {
                    throw badLength(cql, length);
                }
                partLength = Bytes.getUnsignedVint(from, at);
                at += Bytes.vintBytes(from[at]);
            }
            if (partLength < 0 || partLength > end - at) {
                throw badLength(cql, length);
            }
            element.addPart(from, at, (int) partLength);
            at += (int) partLength;
        }
        if (at != end) {
            throw badLength(cql, length);
        }
    }

    @Override
    void missing() {
        for (int i = 0; i < type().width(); i++) {
            element.add(NOTHING, 0, -1);
        }
    }

    @Override
    public Column column() {
        return new Column(
                type(), rows(), validity(), Column.none(), Column.none(), List.of(), List.of(element.column()), null);
    }
}
