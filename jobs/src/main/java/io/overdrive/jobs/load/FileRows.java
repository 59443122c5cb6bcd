package io.overdrive.jobs.load;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RowBuffer;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.formats.records.Block;
import io.overdrive.formats.records.FileHeader;
import io.overdrive.formats.records.InputReader;
import io.overdrive.formats.records.InputReader.RawRecord;
import io.overdrive.formats.records.RecordParser;
import io.overdrive.internal.flow.JobTimes;
import io.overdrive.internal.flow.WaitTime;
import io.overdrive.internal.names.JobOption;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.RowSink;
import io.overdrive.jobs.Workers;
import io.overdrive.jobs.load.MappingListener.StopReading;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rows that files would have in a table that a load creates for them, without a cluster: with types from a sample, and with the same
 * records rejected. Any thread may stop it and read its figures, the other methods are for one thread.
 */
public final class FileRows implements AutoCloseable {
    /** Number of rejected records whose reasons are kept. */
    private static final int MAX_REASONS = 5;

    private final LoadOptions options;
    private final TableSchema table;
    private final List<String> columns;
    private final InputReader reader;
    private final BlockSource blocks;
    private final List<RowMapper> mappers = new CopyOnWriteArrayList<>();
    private final LongAdder rejected = new LongAdder();
    /** The first rejected records by their positions. */
    private final ConcurrentSkipListMap<Long, String> reasons = new ConcurrentSkipListMap<>();

    private final WaitTime working = new WaitTime();
    private final WaitTime input = new WaitTime();
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
    private volatile boolean stopping;

    /** Takes the rows of one thread. */
    public interface Rows {
        /** Begins a block of records that follow each other in the input, which starts at this position. */
        void begin(long position);

        /** Takes a row. The buffer is only valid during the call. */
        void row(RowBuffer row);

        /** Ends a block, which the block at this position follows. */
        void end(long endPosition);

        /** Called after the last row of the thread, unless reading was stopped. */
        default void complete() {}
    }

    /** Keeps rejected records; null if only the first reasons are kept. */
    private final @Nullable LoadRejects rejects;

    private FileRows(
            LoadOptions options, Collection<String> columns, List<Column> table, @Nullable LoadRejects rejects) {
        this.options = options;
        this.rejects = rejects;
        this.table = new TableSchema(/* keyspace */ "", /* table */ "", table);
        this.columns = List.copyOf(columns);
        this.reader = new InputReader(options.files(), options.format());
        this.blocks = new BlockSource(reader, /* first */ null, this::fail);
    }

    /**
     * Reads a sample of the input.
     *
     * @param types that the user gives, by column
     * @param partitionKey columns of the partition key, which rows must have; empty if no key is known
     * @param clustering clustering columns, which rows must have
     * @throws OverdriveException of kind INPUT if the input cannot be read, or the sample does not determine the types of all columns, or the
     *     key is not of the input's columns
     */
    public static FileRows open(
            LoadOptions options, Map<String, String> types, List<String> partitionKey, List<String> clustering) {
        List<String> key =
                Stream.concat(partitionKey.stream(), clustering.stream()).toList();
        Map<String, String> sample = SchemaGuess.read(options, types, key).columns();
        List<String> names = new ArrayList<>(sample.keySet());
        List<String> missing =
                key.stream().filter(column -> !names.contains(column)).toList();
        if (!missing.isEmpty()) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> words.of(JobOption.KEY) + " names " + spelt(missing)
                            + ", which the input does not have; its columns are " + spelt(names));
        }
        names.removeAll(key);
        names.addAll(0, key);
        List<Column> table = names.stream()
                .map(name -> new Column(
                        name,
                        TypeText.parse(name, sample.getOrDefault(name, "text")),
                        partitionKey.contains(name)
                                ? Role.PARTITION_KEY
                                : clustering.contains(name) ? Role.CLUSTERING : Role.REGULAR))
                .toList();
        return new FileRows(options, sample.keySet(), table, /* rejects */ null);
    }

    /**
     * Opens files whose columns are known, and whose rejected records are kept as those of a load.
     *
     * @param types of the columns, in the order of the input
     * @param structs types that no text says, in place of those
     */
    static FileRows open(
            LoadOptions options, Map<String, String> types, Map<String, DataType> structs, LoadRejects rejects) {
        List<Column> table = new ArrayList<>();
        types.forEach((name, type) -> {
            DataType struct = structs.get(name);
            table.add(new Column(name, struct == null ? TypeText.parse(name, type) : struct, Role.REGULAR));
        });
        return new FileRows(options, types.keySet(), table, rejects);
    }

    private static String spelt(List<String> names) {
        return names.stream().map(Mapping::spelt).collect(Collectors.joining(", "));
    }

    /** The table that a load would create: the key first, then the others in the order of the input. It has no name. */
    public TableSchema table() {
        return table;
    }

    /** The names of the columns in the order of the input. */
    public List<String> columns() {
        return columns;
    }

    /**
     * Reads all of the input on several threads. Returns when that is done, it was stopped or it failed.
     *
     * @param rows creates the receiver of a thread's rows; called by that thread
     */
    public void run(Function<TableSchema, Rows> rows) {
        if (Workers.runAll("overdrive-rows", options.threads(), () -> work(rows), this::stop)) {
            Thread.currentThread().interrupt();
        }
    }

    private void work(Function<TableSchema, Rows> rows) {
        working.begin(System.nanoTime());
        try {
            Workers.guard("these records", this::fail, () -> read(new Reading(rows.apply(table))));
        } finally {
            working.end(System.nanoTime());
        }
    }

    private void read(Reading reading) {
        RecordParser parser = new RecordParser();
        ComputedColumns computed = ComputedColumns.of(options, reading.columns(), reading.types());
        RowMapper mapper = new RowMapper(
                options,
                reading,
                /* statics */ null,
                reading.columns(),
                computed == null ? null : computed.into(reading.columns()),
                parser,
                /* attachRecords */ false,
                reading);
        mappers.add(mapper);
        try {
            for (Block block = next(); block != null; block = next()) {
                try {
                    mapper.start(block);
                    reading.rows.begin(block.position());
                    parser.parse(block, mapper);
                    reading.rows.end(block.endPosition());
                    reader.recycle(block);
                } finally {
                    mapper.releaseRow();
                    blocks.done(block);
                }
            }
            if (!stopping) {
                reading.rows.complete();
            }
        } catch (StopReading e) {
            // rows that were taken until now remain in the figures
        }
    }

    private @Nullable Block next() {
        input.begin(System.nanoTime());
        try {
            return stopping ? null : blocks.next();
        } finally {
            input.end(System.nanoTime());
        }
    }

    /** Ends {@link #run} early by a failure. */
    void fail(RuntimeException e) {
        failure.compareAndSet(null, e);
        stopping = true;
    }

    /** Ends {@link #run} early. */
    public void stop() {
        stopping = true;
    }

    /** The failure that has ended the reading early; null if there was none. */
    public @Nullable RuntimeException failure() {
        return failure.get();
    }

    /** Whether it was stopped, or has failed. */
    public boolean isStopped() {
        return stopping;
    }

    /** The number of records that were read. */
    public long rowsRead() {
        return mappers.stream().mapToLong(RowMapper::rowsRead).sum();
    }

    /** The number of them that a load would reject. */
    public long rowsRejected() {
        return rejected.sum();
    }

    /** Where the first rejected records are, each with its reason. */
    public List<String> reasons() {
        return List.copyOf(reasons.values());
    }

    /** The number of bytes that were read, as stored. */
    public long bytesRead() {
        return reader.bytesRead();
    }

    /** The size of all files as stored; empty if it is unknown for one of them. */
    public OptionalLong bytesTotal() {
        return reader.totalBytes();
    }

    /** The number of files that were read completely. */
    public int filesRead() {
        return reader.filesRead();
    }

    /** Where the threads have spent their time. */
    public JobTimes times() {
        long now = System.nanoTime();
        return new JobTimes(working.nanos(now), input.nanos(now), /* outputNanos */ 0, List.of());
    }

    @Override
    public void close() {
        reader.close();
    }

    /** Passes the rows of a thread on, and collects its rejected records. Confined to that thread. */
    private final class Reading extends RowSink implements MappingListener {
        private final Rows rows;
        private final int onlyKey = table.partitionKey().size() == 1 ? 0 : -1;

        Reading(Rows rows) {
            super(table);
            this.rows = rows;
        }

        @Override
        public @Nullable String problem() {
            String empty = emptyKey(onlyKey);
            return empty == null ? super.problem() : empty;
        }

        @Override
        public void take() {
            rows.row(buffer);
        }

        @Override
        public boolean isStopping() {
            return stopping;
        }

        @Override
        public void unread(FileHeader header, long line, long position) {
            // nothing depends on where reading stopped
        }

        @Override
        public void rejected(RawRecord record, Problem problem) {
            rejected.increment();
            if (rejects != null) {
                rejects.rejectInput(record, problem);
                return;
            }
            if (reasons.size() < MAX_REASONS || record.position() < reasons.lastKey()) {
                reasons.put(
                        record.position(),
                        record.header().place(record.line(), record.position()) + ": "
                                + problem.reason().in(options.words()));
                while (reasons.size() > MAX_REASONS) {
                    reasons.pollLastEntry();
                }
            }
        }

        @Override
        public int numberOf(FileHeader header) {
            return 0;
        }

        @Override
        public void failed(RuntimeException e) {
            fail(e);
        }
    }
}
