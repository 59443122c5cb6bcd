package io.overdrive.formats.records;

import io.overdrive.formats.columns.ColumnBatch;
import io.overdrive.internal.names.MessageText;
import org.jspecify.annotations.Nullable;

/** Parses blocks of any format. Confined to one thread; reused for many blocks. On the hot path. */
public final class RecordParser {
    private @Nullable CsvRecords csv;
    private @Nullable JsonRecords json;
    private @Nullable ColumnRecords columnar;
    private FileHeader.@Nullable Layout layout;

    /** Calls the handler for each record of the block. */
    public void parse(Block block, RecordHandler handler) {
        layout = block.header().layout();
        ColumnBatch batch = block.batch;
        if (batch != null) {
            columnsFor(block.header()).parse(block, batch, handler);
        } else if (layout == FileHeader.Layout.COLUMNS) {
            return; // a file without rows
        } else if (layout == FileHeader.Layout.CSV) {
            csvFor(block.header()).parse(block, handler);
        } else {
            if (json == null) {
                json = new JsonRecords();
            }
            json.parse(block, handler);
        }
    }

    /**
     * The current record as in the file, without its line end, or as JSON if the file is columnar. Called by the handler, from {@code
     * begin} to {@code end}. Costs about as much as parsing the record.
     */
    public byte[] raw() {
        if (layout == FileHeader.Layout.COLUMNS && columnar != null) {
            return columnar.raw();
        }
        if (layout == FileHeader.Layout.CSV && csv != null) {
            return csv.raw();
        }
        if (json != null) {
            return json.raw();
        }
        throw new IllegalStateException("no record is being parsed");
    }

    /**
     * The end of a message about the number of fields of the current record, which names an option by which it may be read;
     * empty if there is none. Called as {@link #raw}; off the hot path.
     */
    public MessageText hint() {
        return layout == FileHeader.Layout.CSV && csv != null
                ? EscapeHint.of(csv.header(), csv.raw())
                : MessageText.EMPTY;
    }

    private ColumnRecords columnsFor(FileHeader header) {
        ColumnRecords known = columnar;
        if (known == null || known.header() != header) {
            known = new ColumnRecords(header);
            columnar = known;
        }
        return known;
    }

    private CsvRecords csvFor(FileHeader header) {
        CsvRecords known = csv;
        if (known == null || known.header() != header) {
            known = new CsvRecords(header);
            csv = known;
        }
        return known;
    }
}
