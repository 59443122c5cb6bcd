package io.overdrive.jobs.sort;

import io.overdrive.RowBuffer;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.ring.RoutingKey;
import java.util.function.Consumer;

/** Makes entries of the rows that a load would write. Confined to one worker; on the hot path. */
public final class EntryWriter {
    private final EntryLayout layout;
    private final long baseTime;
    private final Consumer<Bytes> sink;
    private final RoutingKey routingKey = new RoutingKey();
    private final Bytes entry = new Bytes(512);
    /** Where the current row has the columns of the layout. */
    private int[] sources = {};

    /**
     * @param baseTime write time of the first record, for those without their own
     * @param sink receives each entry, which it must copy
     */
    public EntryWriter(EntryLayout layout, long baseTime, Consumer<Bytes> sink) {
        this.layout = layout;
        this.baseTime = baseTime;
        this.sink = sink;
    }

    public void add(RowBuffer row) {
        sources = layout.sources();
        long token = token(row);
        if (layout.hasRows()) {
            write(row, token, Entry.ROW);
        }
        for (int c : layout.values(/* ofStatics */ true)) {
            if (row.isSet(sources[c])) {
                write(row, token, layout.hasRows() ? Entry.STATICS : Entry.ONLY_STATICS);
                return;
            }
        }
    }

    /** Adds a row of the static columns of a partition. */
    public void addStatics(RowBuffer row) {
        sources = layout.staticSources();
        write(row, token(row), Entry.ONLY_STATICS);
    }

    private long token(RowBuffer row) {
        routingKey.start(layout.partitionColumns());
        for (int c = 0; c < layout.partitionColumns(); c++) {
            int source = sources[c];
            routingKey.add(row.array(), row.offset(source), row.length(source));
        }
        return routingKey.token();
    }

    private void write(RowBuffer row, long token, byte kind) {
        long time = layout.hasTimes() ? row.timestamp(baseTime + row.position()) : 0;
        Entry.begin(entry, token, kind, time, row.position());
        boolean ofStatics = kind != Entry.ROW;
        for (int c = 0; c < layout.keyColumns(ofStatics); c++) {
            cell(row, sources[c]);
        }
        for (int c : layout.values(ofStatics)) {
            cell(row, sources[c]);
        }
        Entry.end(entry);
        sink.accept(entry);
    }

    private void cell(RowBuffer row, int source) {
        if (!row.isSet(source)) {
            entry.putInt(Entry.UNSET);
            return;
        }
        int length = row.length(source);
        entry.putInt(length);
        if (length > 0) {
            entry.put(row.array(), row.offset(source), length);
        }
    }
}
