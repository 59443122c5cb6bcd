package io.overdrive.files.unload;

import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RowCursor;
import io.overdrive.RowDigest;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.files.Summary.Outcome;
import io.overdrive.files.records.RecordWriter;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.flow.JavaHeap;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Writes the rows of a table or a query to files: several splits at once, cells directly from the page to text. {@link
 * #run} is called once; {@link #progress} and {@link #stop} from any thread.
 */
public final class Unloader implements AutoCloseable {
    /** Size of buffered text at which it is written out. */
    private static final int CHUNK_BYTES = 256 << 10;

    private final UnloadOptions options;
    private final Scan scan;
    private final Output output;
    private final Queue<Encoder> encoders = new ConcurrentLinkedQueue<>();
    private final RowDigest digest = new RowDigest();
    private final LongAdder rowsWritten = new LongAdder();
    private final LongAdder rowsOfEndedSplits = new LongAdder();
    private final LongAdder bytesWritten = new LongAdder();
    private final AtomicInteger overlongFieldLines = new AtomicInteger();
    private final long startNanos = System.nanoTime();
    private volatile Outcome outcome = Outcome.RUNNING;
    private volatile @Nullable RuntimeException failure;

    private Unloader(UnloadOptions options, Scan scan, Output output) {
        this.options = options;
        this.scan = scan;
        this.output = output;
    }

    /**
     * Plans the scan and prepares the output.
     *
     * @throws OverdriveException of kind INPUT if the output cannot be written
     * @throws OverdriveException if the table or the query is invalid
     */
    public static Unloader open(Overdrive overdrive, ScanOptions read, UnloadOptions options) {
        Scan scan = overdrive.scan(read);
        try {
            RecordWriter records = RecordWriter.of(options.format(), scan.columns(), scan.types(), options.values());
            Bytes header = new Bytes(256);
            records.header(header);
            return new Unloader(options, scan, output(options, scan, header.toByteArray()));
        } catch (RuntimeException e) {
            scan.close();
            throw e;
        }
    }

    private static Output output(UnloadOptions options, Scan scan, byte[] header) {
        Path directory = options.directory();
        Path file = options.file();
        PrintStream stream = options.stream();
        if (directory != null) {
            String extension = options.format().extension();
            return Output.directory(directory, scan.table() + extension, options.packing(), header);
        }
        if (file != null) {
            return Output.file(file, options.packing(), header);
        }
        return Output.stream(Objects.requireNonNull(stream), options.packing(), header);
    }

    /** The scan that reads the rows. */
    public Scan scan() {
        return scan;
    }

    /** Writes everything and returns how it ended; failures are reported in the result, not thrown. */
    public UnloadSummary run() {
        AtomicInteger numbers = new AtomicInteger();
        try {
            scan.forEachSplit(options.threads(), split -> new SplitWriter(output.split(numbers.getAndIncrement())));
            output.finish();
            outcome = Outcome.DONE;
        } catch (OverdriveException e) {
            boolean stopped = e.kind() == OverdriveException.Kind.INTERRUPTED;
            failure = stopped ? null : e;
            outcome = stopped ? Outcome.STOPPED : Outcome.FAILED;
        } catch (IOException e) {
            fail(new OverdriveException(Kind.INPUT, "the output cannot be written: " + e.getMessage(), e));
        } catch (RuntimeException e) {
            fail(e);
        } catch (OutOfMemoryError e) {
            fail(new IllegalStateException(JavaHeap.tooSmallFor("these rows"), e));
        } finally {
            output.close();
        }
        return progress();
    }

    private void fail(RuntimeException e) {
        failure = e;
        outcome = Outcome.FAILED;
    }

    /** Stops reading; {@link #run} then deletes incomplete files and returns. */
    public void stop() {
        scan.stop();
    }

    public UnloadSummary progress() {
        long given = rowsWritten.sum();
        return new UnloadSummary(
                outcome == Outcome.RUNNING ? given : output.rowsKept(given, rowsOfEndedSplits.sum()),
                bytesWritten.sum(),
                output.storedBytes.sum(),
                Duration.ofNanos(System.nanoTime() - startNanos),
                scan.totals(),
                List.copyOf(output.files()),
                overlongFieldLines.get(),
                digest.toString(),
                outcome,
                failure);
    }

    @Override
    public void close() {
        scan.close();
    }

    /** Converts rows to text, for one thread at a time. */
    private final class Encoder {
        final RecordWriter records = RecordWriter.of(options.format(), scan.columns(), scan.types(), options.values());
        final Bytes text = new Bytes(CHUNK_BYTES + (CHUNK_BYTES >> 2));
        final RowDigest.Part part = digest.part();

        long write(RowCursor rows, Output.Sink to) throws IOException {
            int columns = rows.columns();
            long count = 0;
            text.clear();
            while (rows.next()) {
                part.add(rows);
                records.begin(text);
                for (int c = 0; c < columns; c++) {
                    records.cell(c, rows.array(), rows.offset(c), rows.length(c), text);
                }
                records.end(text);
                count++;
                if (text.length() >= CHUNK_BYTES) {
                    flush(to);
                }
            }
            flush(to);
            part.finish();
            rowsWritten.add(count);
            overlongFieldLines.accumulateAndGet(records.overlongFieldLines(), Math::max);
            return count;
        }

        private void flush(Output.Sink to) throws IOException {
            if (text.length() > 0) {
                to.write(text);
                bytesWritten.add(text.length());
                text.clear();
            }
        }
    }

    private final class SplitWriter implements Scan.SplitHandler {
        private final Output.Sink to;
        /** For one thread at a time, as the sink is. */
        private long rows;

        SplitWriter(Output.Sink to) {
            this.to = to;
        }

        @Override
        public void page(RowCursor page) {
            Encoder known = encoders.poll();
            Encoder encoder = known != null ? known : new Encoder();
            try {
                rows += encoder.write(page, to);
            } catch (IOException e) {
                throw new OverdriveException(Kind.INPUT, "the output cannot be written: " + e.getMessage(), e);
            }
            encoders.add(encoder);
        }

        @Override
        public void end() {
            try {
                to.end();
                rowsOfEndedSplits.add(rows);
            } catch (IOException e) {
                throw new OverdriveException(Kind.INPUT, "the output cannot be written: " + e.getMessage(), e);
            }
        }
    }
}
