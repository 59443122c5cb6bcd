package io.overdrive.jobs;

import io.overdrive.RowWriter;
import io.overdrive.WriteTimes;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sends the rows with the writers. Stateless. */
public final class CqlTarget implements RowTarget {
    private static final class Sink extends RowSink {
        private final RowWriter writer;

        Sink(RowWriter writer) {
            super(writer);
            this.writer = writer;
        }

        @Override
        public void take() {
            writer.send();
        }
    }

    @Override
    public RowSink sink(RowWriter writer) {
        return new Sink(writer.fork());
    }

    @Override
    public boolean isAllOrNothing() {
        return false;
    }

    @Override
    public long rowsWritten(long taken, long acknowledged, boolean isDone) {
        return acknowledged;
    }

    @Override
    public @Nullable WriteTimes writeTimes(List<RowWriter> writers, long position) {
        Duration ahead = writers.stream()
                .flatMap(each -> each.writeTimes().stream())
                .map(WriteTimes::ahead)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
        return writers.get(0)
                .writeTimes()
                .map(times -> new WriteTimes(times.first(), ahead, times.repeatable()))
                .orElse(null);
    }
}
