package io.overdrive.jobs.load;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RowBuffer;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.formats.columns.ColumnBuilder.Decimals;
import io.overdrive.formats.columns.ColumnType;
import io.overdrive.formats.records.Block;
import io.overdrive.formats.records.InputFile;
import io.overdrive.formats.records.InputFormat;
import io.overdrive.formats.records.InputReader;
import io.overdrive.formats.records.OutputFormat;
import io.overdrive.formats.records.RecordWriter;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.expression.Assignments;
import io.overdrive.jobs.sql.FirstRows;
import io.overdrive.jobs.sql.QueryRun;
import io.overdrive.jobs.sql.SqlEngine;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Files whose records a query in SQL reads, and whose result a load takes in place of them: as it does files by itself, with types from a sample. Rows
 * are in no particular order. Any thread may read its figures; other methods are for one thread.
 */
public final class QueriedFiles implements AutoCloseable {
    /** The table that the query reads. */
    public static final String INPUT = "input";

    private static final String RESULT = "the result of the query";
    private static final int BATCH_BYTES = 1 << 20;

    private final FileRows files;
    private final LoadRejects rejects;
    private final int filesTotal;
    private final LoadOptions options;
    private final QueryRun run;

    private QueriedFiles(FileRows files, LoadRejects rejects, LoadOptions of, QueryRun run) {
        this.files = files;
        this.rejects = rejects;
        this.filesTotal = of.files().size();
        this.run = run;
        this.options = of.toBuilder()
                .files(List.of(InputFile.ofStream(RESULT, run.result())))
                .format(InputFormat.builder().kind(InputFormat.Kind.ARROW).build())
                .fieldNames(List.of())
                .nullWords(List.of())
                .queried(this)
                .build();
    }

    /**
     * Reads a sample of the files, and begins to execute the query.
     *
     * @param directory for rows that do not fit into memory
     * @param first watches the query until it has its first rows
     * @param options of the load, with the files
     * @param types that the user gives, by field
     * @param table the types of the table's columns, by name; empty if it does not exist. Numbers and the like that would lose digits or
     *     zeros on the way to a text or float are read as such
     * @throws OverdriveException of kind INPUT if the files cannot be read, or the sample does not determine the types of all fields
     */
    public static QueriedFiles open(
            SqlEngine engine,
            String query,
            Path directory,
            FirstRows first,
            LoadOptions options,
            Map<String, String> types,
            Map<String, String> table) {
        LoadOptions read = options.toBuilder()
                .mapping(Mapping.BY_NAME)
                .set(Assignments.NONE)
                .values(options.values().toBuilder().jsonText(true).build())
                .rejectLosses(types.keySet())
                .build();
        Feed feed = new Feed();
        LoadRejects rejects = LoadRejects.ofQuery(options, feed::rowsRead, feed::fail);
        FileRows files = null;
        try {
            List<ColumnType> columns = columns(read);
            Map<String, DataType> structs = structs(columns, types);
            files = FileRows.open(
                    read, fields(read, types, structs, columns.isEmpty() ? table : Map.of()), structs, rejects);
            feed.files = files;
            feed.sizes = Decimals.of(columns);
            QueryRun run = QueryRun.start(
                    engine, query, INPUT, directory, options.values().zone(), feed);
            first.await(feed::rowsRead, run::cancel);
            return new QueriedFiles(files, rejects, options, run);
        } catch (RuntimeException e) {
            rejects.close();
            if (files != null) {
                files.close();
            }
            throw e;
        }
    }

    /** The columns of the first file; none if it is text. */
    private static List<ColumnType> columns(LoadOptions options) {
        try (InputReader reader = InputReader.sample(options.files(), options.format())) {
            Block first = reader.next();
            return first == null ? List.of() : first.header().columns();
        }
    }

    /** The types of columns with structs, which the query reads as such, unless the user gives another one. */
    private static Map<String, DataType> structs(List<ColumnType> columns, Map<String, String> types) {
        return columns.stream()
                .filter(column -> column.hasFields()
                        && !TypeText.isKnown(
                                types.getOrDefault(column.name(), column.isUserDefined() ? "struct" : column.cql())))
                .collect(Collectors.toMap(ColumnType::name, ColumnType::natural, (one, other) -> one));
    }

    /** The fields of the files, with their types. */
    private static Map<String, String> fields(
            LoadOptions options, Map<String, String> types, Map<String, DataType> structs, Map<String, String> table) {
        Map<String, String> known = new HashMap<>(types);
        known.values().removeIf(type -> !TypeText.isKnown(type)); // a type of the table
        structs.keySet().forEach(field -> known.put(field, "text"));
        Map<String, String> fallback = new HashMap<>(table);
        fallback.values().removeIf(type -> !TypeText.isKnown(type));
        SchemaGuess sample = SchemaGuess.read(options, known, fallback, List.of());
        Map<String, String> fields = new LinkedHashMap<>(sample.columns());
        fields.keySet().retainAll(sample.filled()); // other types are of columns that the query makes
        fields.replaceAll((field, type) -> known.containsKey(field) ? type : kept(type, table.get(field)));
        return fields;
    }

    /** The type of the table if the one of the sample would lose what that keeps: digits, zeros, and elements of different types. */
    private static String kept(String type, @Nullable String ofTable) {
        if (ofTable == null || type.equals("text")) {
            return type;
        }
        boolean isText = ofTable.equals("text") || ofTable.equals("ascii");
        boolean isTuple = ofTable.contains("tuple<") && TypeText.isKnown(ofTable);
        return isText ? "text" : isTuple || ofTable.equals("float") ? ofTable : type;
    }

    /** The options of the load, whose input is the result of the query. */
    public LoadOptions options() {
        return options;
    }

    /** The result, as a stream of Arrow IPC: either this is read, or the options are used. */
    public InputStream result() {
        return run.result();
    }

    /**
     * Rejects of the files and of the load, which closes them.
     *
     * @param rows the rows of the result that were read until now
     * @param fail receives the failure that ends the load
     */
    LoadRejects rejects(LongSupplier rows, Consumer<RuntimeException> fail) {
        rejects.reportTo(() -> Math.max(files.rowsRead(), rows.getAsLong() + files.rowsRejected()), fail);
        return rejects;
    }

    long rowsRead() {
        return files.rowsRead();
    }

    long rowsRejected() {
        return files.rowsRejected();
    }

    long bytesRead() {
        return files.bytesRead();
    }

    OptionalLong bytesTotal() {
        return files.bytesTotal();
    }

    int filesRead() {
        return files.filesRead();
    }

    int filesTotal() {
        return filesTotal;
    }

    /** Ends the query. */
    @Override
    public void close() {
        run.close();
        if (!run.isLeftBehind()) {
            files.close(); // else closing would wait for that read
        }
        rejects.close();
    }

    /** Gives the rows of the files to the query, in batches. */
    private static final class Feed implements QueryRun.Rows {
        private volatile @Nullable FileRows files;
        /** The sizes of decimals of columnar files, by column. */
        private volatile Map<String, Decimals> sizes = Map.of();

        long rowsRead() {
            FileRows known = files;
            return known == null ? 0 : known.rowsRead();
        }

        void fail(RuntimeException e) {
            FileRows known = files;
            if (known != null) {
                known.fail(e);
            }
        }

        @Override
        public void write(OutputStream to) {
            FileRows known = files;
            if (known == null) {
                throw new IllegalStateException("there are no files");
            }
            RecordWriter writer = writer(known.table(), sizes);
            Bytes end = new Bytes(256);
            writer.header(end);
            put(end, to);
            known.run(table -> new Batches(writer(table, sizes), to));
            RuntimeException failure = known.failure();
            if (failure != null) {
                throw failure;
            }
            if (known.isStopped()) {
                throw new OverdriveException(Kind.INTERRUPTED, "reading was stopped");
            }
            try {
                writer.footer(/* file */ null, 0, end);
            } catch (IOException e) {
                throw new IllegalStateException(e); // a stream has no file
            }
            put(end, to);
        }

        @Override
        public void stop() {
            FileRows known = files;
            if (known != null) {
                known.stop();
            }
        }
    }

    private static RecordWriter writer(TableSchema table, Map<String, Decimals> sizes) {
        List<String> names = table.columns().stream().map(Column::name).toList();
        List<DataType> types = table.columns().stream().map(Column::type).toList();
        OutputFormat format = OutputFormat.arrowStream(Decimals.TEXT);
        RecordWriter writer = RecordWriter.of(
                format.withBatches(format.batches().withDecimals(sizes)), names, types, ValueFormat.DEFAULT);
        writer.limitBatch(BATCH_BYTES);
        return writer;
    }

    private static void put(Bytes bytes, OutputStream to) {
        try {
            to.write(bytes.array(), 0, bytes.length());
        } catch (IOException e) {
            throw new OverdriveException(Kind.INTERRUPTED, "the query reads no more rows", e);
        }
        bytes.clear();
    }

    /** The rows of one thread. */
    private static final class Batches implements FileRows.Rows {
        private final RecordWriter writer;
        private final OutputStream to;
        private final Bytes out = new Bytes(1 << 16);

        Batches(RecordWriter writer, OutputStream to) {
            this.writer = writer;
            this.to = to;
        }

        @Override
        public void begin(long position) {
            // a batch has rows of several blocks
        }

        @Override
        public void row(RowBuffer row) {
            writer.begin(out);
            int columns = row.columns();
            for (int c = 0; c < columns; c++) {
                writer.cell(c, row.array(), row.offset(c), row.isSet(c) ? row.length(c) : -1, out);
            }
            writer.end(out);
            if (out.length() > 0) {
                put(out, to);
            }
        }

        @Override
        public void end(long endPosition) {
            // rows wait for others
        }

        @Override
        public void complete() {
            writer.complete(out);
            if (out.length() > 0) {
                put(out, to);
            }
        }
    }
}
