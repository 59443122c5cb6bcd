package io.overdrive.jobs.verify;

import io.overdrive.RowBuffer;
import io.overdrive.RowWriter;
import io.overdrive.TableSchema;
import io.overdrive.jobs.DryTarget;
import io.overdrive.jobs.RowTarget;
import io.overdrive.jobs.load.LoadOptions;
import io.overdrive.jobs.load.LoadWriters;
import io.overdrive.jobs.sort.EntryLayout;
import io.overdrive.jobs.sort.EntryWriter;
import io.overdrive.jobs.sort.KeyOrder;
import io.overdrive.jobs.sort.SortedEntries;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sorts the rows that a load would write, as the files are read: the rows that the table should have. */
final class Expected {
    private final TableSchema schema;
    private final KeyOrder order;
    private final VerifyOptions options;
    private final LoadOptions input;
    private @Nullable EntryLayout layout;
    private @Nullable SortedEntries entries;

    Expected(TableSchema schema, KeyOrder order, VerifyOptions options, LoadOptions input) {
        this.schema = schema;
        this.order = order;
        this.options = options;
        this.input = input;
    }

    /** Opens it, once it is known which columns the files have. */
    RowTarget open(LoadWriters writers) {
        RowWriter statics = writers.statics();
        EntryLayout opened = new EntryLayout(
                schema,
                order,
                writers.rows().columns(),
                statics == null ? List.of() : statics.columns(),
                input.mapping().usesWritetime());
        SortedEntries sorted = new SortedEntries(opened, options.spills(), options.sortMemory(), input.threads());
        layout = opened;
        entries = sorted;
        long baseTime = System.currentTimeMillis() * 1000;
        // rows and static columns of a thread go to one part, which has its share of the memory
        ThreadLocal<EntryWriter> ofThread =
                ThreadLocal.withInitial(() -> new EntryWriter(opened, baseTime, sorted.part()::add));
        return new DryTarget(writer -> next(ofThread.get(), writer.equals(statics)));
    }

    private static Consumer<RowBuffer> next(EntryWriter to, boolean ofStatics) {
        return ofStatics ? to::addStatics : to::add;
    }

    /** Once it is open. */
    EntryLayout layout() {
        return Objects.requireNonNull(layout);
    }

    /** Once it is open. */
    SortedEntries entries() {
        return Objects.requireNonNull(entries);
    }
}
