package io.overdrive.jobs;

import io.overdrive.RowBuffer;
import io.overdrive.RowWriter;
import io.overdrive.TableSchema;
import io.overdrive.WriteOptions;
import io.overdrive.WriteTimes;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Writes nothing: checks rows, counts the keys that repeat, and passes the rows on. Immutable. */
public final class DryTarget implements RowTarget {
    private final Function<RowWriter, Consumer<RowBuffer>> next;
    private final Function<RowBuffer, @Nullable String> problem;
    /** The name of the only column of the partition key if it is checked; else null. */
    private final @Nullable String onlyKey;
    /** Null if the rows are not counted. */
    private final @Nullable EncodedRows encoded;

    /**
     * @param next creates the receiver of a writer's rows in one thread, which copies values to keep them; called by that thread
     */
    public DryTarget(Function<RowWriter, Consumer<RowBuffer>> next) {
        this(next, RowBuffer::hiddenValue);
    }

    /**
     * Only checks the rows, as nodes would, and counts them for the plan.
     *
     * @param table in which they would be written; null if a statement would
     */
    public static DryTarget check(@Nullable TableSchema table) {
        String onlyKey = table == null || table.partitionKey().size() > 1
                ? null
                : table.partitionKey().get(0).name();
        return new DryTarget(writer -> row -> {}, RowBuffer::hiddenValue, onlyKey, new EncodedRows());
    }

    /**
     * The same, but refuses rows.
     *
     * @param problem as {@link RowSink#problem}; called by any thread
     */
    public DryTarget(Function<RowWriter, Consumer<RowBuffer>> next, Function<RowBuffer, @Nullable String> problem) {
        this(next, problem, /* onlyKey */ null, /* encoded */ null);
    }

    private DryTarget(
            Function<RowWriter, Consumer<RowBuffer>> next,
            Function<RowBuffer, @Nullable String> problem,
            @Nullable String onlyKey,
            @Nullable EncodedRows encoded) {
        this.next = next;
        this.problem = problem;
        this.onlyKey = onlyKey;
        this.encoded = encoded;
    }

    private static final class Sink extends RowSink {
        private final RowWriter writer;
        private final Consumer<RowBuffer> next;
        private final Function<RowBuffer, @Nullable String> problem;
        private final int onlyKey;
        private final EncodedRows.@Nullable Part encoded;

        Sink(
                RowWriter writer,
                Consumer<RowBuffer> next,
                Function<RowBuffer, @Nullable String> problem,
                @Nullable String onlyKey,
                EncodedRows.@Nullable Part encoded) {
            super(writer);
            this.encoded = encoded;
            this.onlyKey = onlyKey == null ? -1 : columns().indexOf(onlyKey);
            this.writer = writer;
            this.next = next;
            this.problem = problem;
        }

        @Override
        public @Nullable String problem() {
            String empty = emptyKey(onlyKey);
            return empty == null ? problem.apply(buffer) : empty;
        }

        @Override
        public boolean mayRefuse() {
            return onlyKey >= 0 || super.mayRefuse();
        }

        @Override
        public void take() {
            next.accept(buffer);
            writer.countKey();
            if (encoded != null) {
                encoded.add(writer);
            }
        }
    }

    @Override
    public RowSink sink(RowWriter writer) {
        return new Sink(writer.fork(), next.apply(writer), problem, onlyKey, encoded == null ? null : encoded.part());
    }

    @Override
    public Plan.Part plan(RowWriter rows, WriteOptions options) {
        return Plan.Writes.of(rows, options, encoded == null ? null : encoded.total(rows, options));
    }

    @Override
    public boolean isAllOrNothing() {
        return true;
    }

    @Override
    public long rowsWritten(long taken, long acknowledged, boolean isDone) {
        return taken;
    }

    @Override
    public @Nullable WriteTimes writeTimes(List<RowWriter> writers, long position) {
        return null;
    }
}
