package io.overdrive.formats.records;

import io.overdrive.formats.columns.Column;
import io.overdrive.formats.columns.ColumnBatch;
import io.overdrive.formats.columns.ColumnJson;
import java.util.List;

/** The rows of blocks of columnar files, as records. Confined to one thread; on the hot path. */
final class ColumnRecords {
    private final FileHeader header;
    private final ColumnJson json;
    private List<Column> columns = List.of();
    private int row;

    ColumnRecords(FileHeader header) {
        this.header = header;
        this.json = new ColumnJson(header.columns());
    }

    FileHeader header() {
        return header;
    }

    void parse(Block block, ColumnBatch batch, RecordHandler handler) {
        try {
            parseAll(block, batch, handler);
        } finally {
            columns = List.of(); // a batch may be large
        }
    }

    private void parseAll(Block block, ColumnBatch batch, RecordHandler handler) {
        columns = batch.columns();
        Column[] all = columns.toArray(Column[]::new);
        long line = block.line();
        long position = block.position();
        int end = block.firstRow + (int) (block.endPosition() - position);
        for (row = block.firstRow; row < end; row++) {
            handler.begin(block, line, position++);
            for (int i = 0; i < all.length; i++) {
                handler.field(i, all[i], row);
            }
            handler.end(all.length);
        }
    }

    /** The current row as JSON, since no part of the file has it by itself. */
    byte[] raw() {
        return json.row(columns, row);
    }
}
