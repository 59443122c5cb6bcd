package io.overdrive.jobs.unload;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RowCursor;
import io.overdrive.Scan.SplitHandler;
import io.overdrive.ScanOptions;
import io.overdrive.ScanTotals;
import io.overdrive.Split;
import io.overdrive.formats.columns.ColumnBuilder.Decimals;
import io.overdrive.formats.columns.ColumnType;
import io.overdrive.formats.records.Block;
import io.overdrive.formats.records.InputFile;
import io.overdrive.formats.records.InputFormat;
import io.overdrive.formats.records.InputReader;
import io.overdrive.formats.records.OutputFormat;
import io.overdrive.formats.records.RecordParser;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.internal.flow.JobTimes;
import io.overdrive.internal.scan.Page;
import io.overdrive.jobs.Plan;
import io.overdrive.jobs.Workers;
import io.overdrive.jobs.sql.FirstRows;
import io.overdrive.jobs.sql.QueryRun;
import io.overdrive.jobs.sql.SqlEngine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The result of a query in SQL over the rows of a scan, which another unload writes for it. Rows are in no particular order, unless one thread
 * reads them. Thread-safe.
 */
final class QueriedRows implements RowFeed {
    private static final String RESULT = "the result of the query";
    private final Unloader source;
    private final QueryRun run;
    private final InputReader reader;
    private final List<ColumnType> columnTypes;
    private final List<String> columns;
    private final List<DataType> types;
    private final List<Split> splits;
    private final AtomicReference<@Nullable Block> first;
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
    private volatile boolean stopped;

    private QueriedRows(Unloader source, QueryRun run, InputReader reader, Block first, int threads) {
        this.source = source;
        this.run = run;
        this.reader = reader;
        this.first = new AtomicReference<>(first);
        this.columnTypes = first.header().columns();
        this.columns = columnTypes.stream().map(ColumnType::name).toList();
        this.types = columnTypes.stream().map(QueriedRows::type).toList();
        this.splits = IntStream.range(0, threads)
                .mapToObj(each -> new Split(List.of(Split.WHOLE_RING), List.of(), 0))
                .toList();
    }

    private static DataType type(ColumnType column) {
        return switch (column.metadata().getOrDefault(ColumnType.CQL_TYPE, "")) {
            case "uuid" -> DataTypes.UUID;
            case "list<uuid>" -> DataTypes.listOf(DataTypes.UUID);
            default -> column.natural();
        };
    }

    /**
     * Begins to execute a query, and waits for the columns of its result.
     *
     * @param options of the unload
     * @param watched the wait
     * @throws OverdriveException of kind INPUT if the query is wrong; or as the scan throws it
     */
    static QueriedRows open(
            Overdrive overdrive,
            ScanOptions read,
            UnloadOptions options,
            SqlEngine engine,
            Sql sql,
            FirstRows watched) {
        Outlet outlet = new Outlet();
        Unloader source = Unloader.open(overdrive, read, rows(options, outlet));
        QueryRun run = null;
        try {
            run = QueryRun.start(
                    engine,
                    sql.query(),
                    Sql.INPUT,
                    sql.directory(),
                    options.values().zone(),
                    new Feed(source, outlet));
            watched.await(() -> source.progress().reads().rowsRead(), run::cancel);
            InputReader reader = new InputReader(
                    List.of(InputFile.ofStream(RESULT, run.result())),
                    InputFormat.builder().kind(InputFormat.Kind.ARROW).build());
            Block first = reader.next();
            if (first == null) {
                throw new IllegalStateException("a stream has at least one block, for its columns");
            }
            return new QueriedRows(source, run, reader, first, options.threads());
        } catch (RuntimeException e) {
            if (run != null) {
                run.close();
            }
            source.close();
            throw e;
        }
    }

    /** The options of the unload that writes the rows for the query. */
    private static UnloadOptions rows(UnloadOptions options, OutputStream to) {
        return new UnloadOptions(
                /* directory */ null,
                /* file */ null,
                new PrintStream(to, /* autoFlush */ false, StandardCharsets.UTF_8),
                OutputFormat.arrowStream(options.format().batches().decimals()),
                ValueFormat.DEFAULT,
                "none",
                options.threads());
    }

    /** The format with decimals of the sizes that the columns have. */
    OutputFormat format(OutputFormat format) {
        return format.withBatches(format.batches().withDecimals(Decimals.of(columnTypes)));
    }

    @Override
    public List<String> columns() {
        return columns;
    }

    @Override
    public List<DataType> types() {
        return types;
    }

    @Override
    public String table() {
        return source.rows.table();
    }

    /** One for each thread. */
    @Override
    public List<Split> splits() {
        return splits;
    }

    @Override
    public boolean hasTokens() {
        return false;
    }

    @Override
    public void forEachSplit(int threads, Function<Split, SplitHandler> handlers) {
        Iterator<Split> next = new ConcurrentLinkedQueue<>(splits).iterator();
        boolean interrupted = Workers.runAll(
                "overdrive-result",
                splits.size(),
                () -> Workers.guard("these rows", this::fail, () -> read(handlers.apply(take(next)))),
                this::stop);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (stopped) {
            throw new OverdriveException(Kind.INTERRUPTED, "the query was stopped");
        }
        RuntimeException why = failure.get();
        if (why != null) {
            throw why;
        }
    }

    private static Split take(Iterator<Split> splits) {
        synchronized (splits) {
            return splits.next();
        }
    }

    private void fail(RuntimeException e) {
        failure.compareAndSet(null, e);
        run.cancel();
    }

    private void read(SplitHandler handler) {
        RecordParser parser = new RecordParser();
        ResultPages pages = new ResultPages(columnTypes, types);
        RowCursor cursor = RowCursor.ofRows(columns, types);
        for (Block block = next(); block != null && !stopped && failure.get() == null; block = next()) {
            parser.parse(block, pages);
            reader.recycle(block);
            Page page = pages.take();
            if (page.rows() > 0) {
                cursor.read(page);
                handler.page(cursor);
            }
        }
        handler.end();
    }

    private @Nullable Block next() {
        Block known = first.getAndSet(null);
        return known != null ? known : reader.next();
    }

    @Override
    public void stop() {
        stopped = true;
        source.stop();
        run.cancel();
    }

    @Override
    public ScanTotals totals() {
        return source.progress().reads();
    }

    @Override
    public long startNanos() {
        return source.startNanos;
    }

    /** The threads of the scan; what they write waits for the query, or for the output behind it. */
    @Override
    public JobTimes times(long outputNanos) {
        JobTimes ofScan = source.times();
        long output = Math.min(outputNanos, ofScan.outputNanos());
        return new JobTimes(ofScan.threadNanos(), /* inputNanos */ 0, output, ofScan.waits())
                .withQuery(ofScan.outputNanos() - output);
    }

    @Override
    public long pageMemory() {
        return source.pageMemory();
    }

    @Override
    public Plan.Part plan() {
        return source.rows.plan();
    }

    @Override
    public List<String> warnings() {
        return source.warnings();
    }

    @Override
    public void close() {
        run.close();
        reader.close();
        source.close();
    }

    /** Has what is written before it is known where it goes: the beginning of a stream. */
    private static final class Outlet extends OutputStream {
        private OutputStream to = new ByteArrayOutputStream();

        synchronized void connect(OutputStream next) throws IOException {
            next.write(((ByteArrayOutputStream) to).toByteArray());
            to = next;
        }

        private synchronized OutputStream to() {
            return to;
        }

        @Override
        public void write(int b) throws IOException {
            to().write(b);
        }

        @Override
        public void write(byte[] from, int offset, int length) throws IOException {
            to().write(from, offset, length);
        }
    }

    /** The rows of the scan. */
    private record Feed(Unloader source, Outlet outlet) implements QueryRun.Rows {
        @Override
        public void write(OutputStream to) {
            try {
                outlet.connect(to);
            } catch (IOException e) {
                throw new OverdriveException(Kind.INTERRUPTED, "the query reads no rows", e);
            }
            UnloadSummary end = source.run();
            RuntimeException why = end.failure();
            switch (end.outcome()) {
                case DONE -> {}
                case FAILED -> throw why == null ? new IllegalStateException("failed without a reason") : why;
                case STOPPED, RUNNING -> throw new OverdriveException(Kind.INTERRUPTED, "reading was stopped");
            }
        }

        @Override
        public void stop() {
            source.stop();
        }
    }

    /**
     * A query.
     *
     * @param directory for rows that do not fit into memory
     */
    record Sql(String query, Path directory) {
        /** The table that it reads. */
        static final String INPUT = "rows";
    }
}
