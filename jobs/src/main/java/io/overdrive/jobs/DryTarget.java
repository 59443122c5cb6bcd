package io.overdrive.jobs;

import com.datastax.oss.driver.api.core.type.DataType;
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

    /**
     * @param next creates the receiver of a writer's rows in one thread, which copies values to keep them; called by that thread
     */
    public DryTarget(Function<RowWriter, Consumer<RowBuffer>> next) {
        this.next = next;
    }

    private record Sink(RowWriter writer, RowBuffer buffer, Consumer<RowBuffer> next) implements RowSink {
        @Override
        public List<String> columns() {
            return writer.columns();
        }

        @Override
        public List<DataType> types() {
            return writer.types();
        }

        @Override
        public RowBuffer row() {
            return writer.row();
        }

        @Override
        public @Nullable String problem() {
            return buffer.hiddenValue();
        }

        @Override
        public boolean mayRefuse() {
            return writer.mayHideValues();
        }

        @Override
        public void take() {
            next.accept(buffer);
            writer.countKey();
        }
    }

    @Override
    public RowSink sink(RowWriter writer) {
        RowWriter fork = writer.fork();
        return new Sink(fork, fork.row(), next.apply(writer));
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
