package io.overdrive.jobs;

import io.overdrive.RowBuffer;
import io.overdrive.RowWriter;
import io.overdrive.WriteTimes;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Writes nothing: checks rows, counts the keys that repeat, and passes the rows on. Immutable. */
public final class DryTarget implements RowTarget {
    /** Only checks the rows. */
    public static final RowTarget CHECK = new DryTarget(writer -> row -> {});

    private final Function<RowWriter, Consumer<RowBuffer>> next;
    private final Function<RowBuffer, @Nullable String> problem;

    /**
     * @param next creates the receiver of a writer's rows in one thread, which copies values to keep them; called by that thread
     */
    public DryTarget(Function<RowWriter, Consumer<RowBuffer>> next) {
        this(next, RowBuffer::hiddenValue);
    }

    /**
     * The same, but refuses rows.
     *
     * @param problem as {@link RowSink#problem}; called by any thread
     */
    public DryTarget(Function<RowWriter, Consumer<RowBuffer>> next, Function<RowBuffer, @Nullable String> problem) {
        this.next = next;
        this.problem = problem;
    }

    private static final class Sink extends RowSink {
        private final RowWriter writer;
        private final Consumer<RowBuffer> next;
        private final Function<RowBuffer, @Nullable String> problem;

        Sink(RowWriter writer, Consumer<RowBuffer> next, Function<RowBuffer, @Nullable String> problem) {
            super(writer);
            this.writer = writer;
            this.next = next;
            this.problem = problem;
        }

        @Override
        public @Nullable String problem() {
            return problem.apply(buffer);
        }

        @Override
        public void take() {
            next.accept(buffer);
            writer.countKey();
        }
    }

    @Override
    public RowSink sink(RowWriter writer) {
        return new Sink(writer.fork(), next.apply(writer), problem);
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
