package io.overdrive.formats.parquet;

import io.overdrive.formats.columns.Column;
import java.util.List;

/**
 * Takes the values of a column apart into those of the file's columns, with levels that say how they belong together. A class for each kind
 * of parts. Confined to one thread; on the hot path.
 */
abstract class Shredder {
    /** The definition level of a missing value's surroundings; of a value that is there, the next one. */
    final int missing;

    final boolean isNullable;

    Shredder(int missing, boolean isNullable) {
        this.missing = missing;
        this.isNullable = isNullable;
    }

    /** Adds the value of a row. */
    final void add(Column column, int row, int repetition) {
        if (isNullable && column.isNull(row)) {
            addMissing(repetition, missing);
        } else {
            addValue(column, row, repetition);
        }
    }

    abstract void addValue(Column column, int row, int repetition);

    /** Adds a place without a value to all columns of the file in it. */
    abstract void addMissing(int repetition, int definition);

    /** Adds all rows. */
    void addAll(Column column) {
        for (int row = 0; row < column.rows(); row++) {
            add(column, row, 0);
        }
    }

    /** A column of the file. */
    static final class Single extends Shredder {
        private final ChunkWriter chunk;

        Single(int missing, boolean isNullable, ChunkWriter chunk) {
            super(missing, isNullable);
            this.chunk = chunk;
        }

        @Override
        void addValue(Column column, int row, int repetition) {
            chunk.add(column, row, repetition);
        }

        @Override
        void addMissing(int repetition, int definition) {
            chunk.addMissing(repetition, definition);
        }

        @Override
        void addAll(Column column) {
            chunk.addAll(column);
        }
    }

    /** Fields. */
    static final class Struct extends Shredder {
        private final List<Shredder> fields;

        Struct(int missing, boolean isNullable, List<Shredder> fields) {
            super(missing, isNullable);
            this.fields = fields;
        }

        @Override
        void addValue(Column column, int row, int repetition) {
            for (int i = 0; i < fields.size(); i++) {
                fields.get(i).add(column.child(i), row, repetition);
            }
        }

        @Override
        void addMissing(int repetition, int definition) {
            for (Shredder field : fields) {
                field.addMissing(repetition, definition);
            }
        }
    }

    /** Elements of a list, or entries of a map. */
    static final class Elements extends Shredder {
        private final Shredder each;
        private final int lists;

        /** @param lists number of lists around an element */
        Elements(int missing, boolean isNullable, int lists, Shredder each) {
            super(missing, isNullable);
            this.lists = lists;
            this.each = each;
        }

        @Override
        void addValue(Column column, int row, int repetition) {
            int start = column.start(row);
            int end = column.end(row);
            if (start == end) {
                each.addMissing(repetition, missing + (isNullable ? 1 : 0));
                return;
            }
            Column elements = column.child(0);
            for (int i = start; i < end; i++) {
                each.add(elements, i, i == start ? repetition : lists);
            }
        }

        @Override
        void addMissing(int repetition, int definition) {
            each.addMissing(repetition, definition);
        }
    }
}
