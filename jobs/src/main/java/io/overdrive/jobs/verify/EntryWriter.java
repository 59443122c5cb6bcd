package io.overdrive.jobs.verify;

import io.overdrive.RowBuffer;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.ring.RoutingKey;
import java.util.function.Consumer;

/** Makes entries of the rows that a load would write. Confined to one worker; on the hot path. */
final class EntryWriter {
    private final VerifyPlan plan;
    private final long baseTime;
    private final Consumer<Bytes> sink;
    private final RoutingKey routingKey = new RoutingKey();
    private final Bytes entry = new Bytes(512);
    /** Where the current row has the columns of the plan. */
    private int[] sources = {};

    /**
     * @param baseTime write time of the first record, for those without their own
     * @param sink receives each entry, which it must copy
     */
    EntryWriter(VerifyPlan plan, long baseTime, Consumer<Bytes> sink) {
        this.plan = plan;
        this.baseTime = baseTime;
        this.sink = sink;
    }

    void add(RowBuffer row) {
        sources = plan.sources();
        long token = token(row);
        if (plan.hasRows()) {
            write(row, token, Entry.ROW);
        }
        for (int c : plan.values(/* ofStatics */ true)) {
            if (row.isSet(sources[c])) {
                write(row, token, plan.hasRows() ? Entry.STATICS : Entry.ONLY_STATICS);
                return;
            }
        }
    }

    /** Adds a row of the static columns of a partition. */
    void addStatics(RowBuffer row) {
        sources = plan.staticSources();
        write(row, token(row), Entry.ONLY_STATICS);
    }

    private long token(RowBuffer row) {
        routingKey.start(plan.partitionColumns());
        for (int c = 0; c < plan.partitionColumns(); c++) {
            int source = sources[c];
            routingKey.add(row.array(), row.offset(source), row.length(source));
        }
        return routingKey.token();
    }

    private void write(RowBuffer row, long token, byte kind) {
        long time = plan.hasTimes() ? row.timestamp(baseTime + row.position()) : 0;
        Entry.begin(entry, token, kind, time, row.position());
        boolean ofStatics = kind != Entry.ROW;
        for (int c = 0; c < plan.keyColumns(ofStatics); c++) {
            cell(row, sources[c]);
        }
        for (int c : plan.values(ofStatics)) {
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
