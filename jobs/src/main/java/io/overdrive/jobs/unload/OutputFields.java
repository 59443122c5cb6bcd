package io.overdrive.jobs.unload;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RowCursor;
import io.overdrive.ScanOptions;
import io.overdrive.TableSchema;
import io.overdrive.formats.records.RecordWriter;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.JobOption;
import io.overdrive.jobs.CellTimes;
import io.overdrive.jobs.KeyJson;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.OutputMapping;
import io.overdrive.jobs.TimeField;
import io.overdrive.jobs.WrittenAfter;
import io.overdrive.jobs.expression.Assignments;
import io.overdrive.jobs.expression.Computation;
import io.overdrive.jobs.expression.Name;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The fields of the records of an unload: columns that are read, perhaps with other names, computed ones, and the times of cells. Immutable. */
final class OutputFields {
    /**
     * A field.
     *
     * @param column number of its column, or of the column whose times it has; negative if it is computed
     * @param output number of the computed value; negative if it is a column
     * @param time the time that it has; null if it has a value
     */
    private record Field(String name, DataType type, int column, int output, TimeField.@Nullable Kind time) {
        boolean isValue() {
            return time == null;
        }
    }

    /** The table that is read, whose types are frozen or not, unlike those of its rows; null if it is a query. */
    private final @Nullable TableSchema table;

    private final List<Field> fields = new ArrayList<>();
    private final Assignments assignments;
    private final List<String> columns;
    private final List<DataType> types;
    private final UnloadScan read;
    private final boolean isEachColumn;
    /** Cells that were not written after this time are left out. */
    private final long afterMicros;

    /**
     * @param table that is read; null if it is a query
     * @param read the columns that are read
     * @throws OverdriveException of kind INPUT if the mapping or an expression does not match them
     */
    private OutputFields(UnloadOptions options, @Nullable TableSchema table, UnloadScan read) {
        this.table = table;
        this.columns = read.columns();
        this.types = read.types();
        this.read = read;
        assignments = options.assignments();
        afterMicros = options.afterMicros();
        List<OutputMapping.Field> mapped = options.mapping().toOutput().fields(columns);
        List<String> names = mapped.stream().map(OutputMapping.Field::name).toList();
        for (OutputMapping.Field field : mapped) {
            fields.add(new Field(
                    field.name(), types.get(field.column()), field.column(), /* output */ -1, /* time */ null));
            if (read.timesOf(field.column()) >= 0) {
                addTimes(field.name(), field.column(), names);
            }
        }
        if (read.markerTimes() >= 0) {
            addTimes(/* field */ "", columns.size(), names);
        }
        if (!assignments.isEmpty()) {
            Computation computation = computation();
            for (int i = 0; i < computation.outputs().size(); i++) {
                put(
                        new Field(
                                computation.outputs().get(i),
                                computation.outputType(i), /* column */
                                -1,
                                i, /* time */
                                null),
                        options.mapping());
            }
        }
        options.format().partitionBy().forEach(this::requireAsRead);
        isEachColumn = fields.size() == columns.size()
                && IntStream.range(0, columns.size()).allMatch(i -> fields.get(i).column == i);
    }

    /**
     * The fields of what is read.
     *
     * @throws OverdriveException of kind INPUT if the mapping or an expression does not match the columns
     */
    static OutputFields of(UnloadOptions options, Overdrive overdrive, ScanOptions read, UnloadScan from) {
        String keyspace = read.keyspace();
        String name = read.table();
        TableSchema table = keyspace == null || name == null ? null : overdrive.table(keyspace, name);
        return new OutputFields(options, table, from);
    }

    /** @param others names of the fields with values */
    private void addTimes(String field, int column, List<String> others) {
        for (TimeField.Kind kind : TimeField.Kind.values()) {
            String name = new TimeField(kind, field).name();
            if (others.contains(name)) {
                throw new OverdriveException(
                        Kind.INPUT,
                        words -> "column \"" + name + "\" has the name of the field with times of \"" + field
                                + "\" that " + words.of(JobOption.KEEP_TIMES) + " adds; give it another one by "
                                + words.of(JobOption.MAPPING) + " \"other = " + Mapping.spelt(name) + ", * = *\"");
            }
            fields.add(new Field(name, DataTypes.BIGINT, column, /* output */ -1, kind));
        }
    }

    /** The directories have the values of columns as they are read. */
    private void requireAsRead(String partition) {
        int column = columns.indexOf(partition);
        boolean isNamed = column >= 0 || fields.stream().anyMatch(field -> field.name.equals(partition));
        boolean isAsRead = fields.stream()
                .anyMatch(field -> field.output < 0 && field.column == column && field.name.equals(partition));
        if (isNamed && !isAsRead) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> words.of(JobOption.PARTITION_BY) + " names directories by "
                            + (column < 0
                                    ? "columns as they are read, and \"" + partition + "\" is none"
                                    : "column \"" + partition + "\" as it is read")
                            + ": neither " + words.of(JobOption.MAPPING) + " nor " + words.of(JobOption.SET) + " can "
                            + (column < 0 ? "make one" : "rename, compute or leave out this column"));
        }
    }

    private Computation computation() {
        return assignments.bind(new Columns(columns, types), field -> null);
    }

    /** Adds a field in place of the field of its name, or else as the last one. */
    private void put(Field computed, Mapping mapping) {
        for (int i = 0; i < fields.size(); i++) {
            Field field = fields.get(i);
            if (field.name.equals(computed.name)) {
                if (!columns.get(field.column).equals(field.name)) {
                    throw new OverdriveException(
                            Kind.INPUT,
                            words -> words.of(JobOption.MAPPING) + " \"" + mapping + "\" and "
                                    + assignments.shown(field.name).in(words) + " both give field \"" + field.name
                                    + "\" a value; leave one of them out");
                }
                fields.set(i, computed);
                return;
            }
        }
        fields.add(computed);
    }

    List<String> names() {
        return fields.stream().map(Field::name).toList();
    }

    /** The number of the field of a column that is written as it is; negative if there is none. */
    int fieldOf(int column) {
        return IntStream.range(0, fields.size())
                .filter(i -> fields.get(i).column == column && fields.get(i).isValue())
                .findFirst()
                .orElse(-1);
    }

    int count() {
        return fields.size();
    }

    /** Writers of records with these fields. */
    RecordWriter writer(UnloadOptions options) {
        List<DataType> written = new ArrayList<>();
        Set<String> statics = new HashSet<>();
        for (Field field : fields) {
            Optional<TableSchema.Column> column = table == null || field.column < 0 || !field.isValue()
                    ? Optional.empty()
                    : table.column(columns.get(field.column));
            written.add(column.map(TableSchema.Column::type).orElse(field.type));
            if (column.isPresent() && column.get().role() == TableSchema.Role.STATIC) {
                statics.add(field.name);
            }
        }
        return RecordWriter.of(options.format(), names(), written, statics, options.values());
    }

    /** Makes a writer of the fields of rows, for one thread; null if they are the columns in their order. */
    @Nullable Row row() {
        return isEachColumn ? null : new Row(this);
    }

    /** The columns of rows by name. */
    private record Columns(List<String> columns, List<DataType> types) implements Assignments.Names {
        @Override
        public @Nullable DataType type(Name name) {
            if (name.isRaw()) {
                throw new IllegalArgumentException("raw() is for fields of a load; text() makes text of a column");
            }
            int column = columns.indexOf(name.text());
            return column < 0 ? null : types.get(column);
        }

        @Override
        public List<String> known() {
            return columns;
        }
    }

    /** Writes the fields of a row. Confined to one thread; on the hot path. */
    static final class Row {
        private static final int MAX_SHOWN = 200;

        private final OutputFields of;
        private final Field[] fields;
        private final @Nullable Computation computation;
        /** The column of each input. */
        private final int[] inputs;

        private final Bytes cell = new Bytes(64);
        private final UnloadScan read;
        /** The times by column; the row marker has the last ones. */
        private final CellTimes times;
        /** Null if all cells are taken. */
        private final @Nullable NewerCells newer;

        private long elementTimes;

        private Row(OutputFields of) {
            this.of = of;
            read = of.read;
            times = new CellTimes(of.columns.size() + 1);
            newer = of.table == null || of.afterMicros == WrittenAfter.ANY_TIME
                    ? null
                    : new NewerCells(of.table, read, of.afterMicros);
            fields = of.fields.toArray(Field[]::new);
            computation = of.assignments.isEmpty() ? null : of.computation();
            inputs = computation == null
                    ? new int[0]
                    : computation.inputs().stream()
                            .mapToInt(name -> of.columns.indexOf(name.text()))
                            .toArray();
        }

        /** Whether the row gets a record, as {@link NewerCells#take} says. Called before {@link #write}. */
        boolean take(RowCursor row, Bytes last) {
            return newer == null || newer.take(row, last);
        }

        /** Whether the record of the row lacks the value of a column, because it is older than those that are taken. */
        boolean leavesOut(int column) {
            return newer != null && newer.leavesOut(column);
        }

        void write(RowCursor row, RecordWriter records, Bytes text) {
            Computation computes = computation;
            for (int i = 0; i < inputs.length && computes != null; i++) {
                computes.set(i, row.array(), row.offset(inputs[i]), row.length(inputs[i]));
            }
            for (int i = 0; i < fields.length; i++) {
                Field field = fields[i];
                if (field.time != null) {
                    cell.clear();
                    int length = time(row, field.column, field.time) ? cell.length() : -1;
                    records.cell(i, cell.array(), 0, length, text);
                } else if (computes == null || field.output < 0) {
                    int length = leavesOut(field.column) ? -1 : row.length(field.column);
                    records.cell(i, row.array(), row.offset(field.column), length, text);
                } else {
                    cell.clear();
                    int length = compute(computes, field, row) ? cell.length() : -1;
                    records.cell(i, cell.array(), 0, length, text);
                }
            }
        }

        /** The number of values whose elements have several times, so that the fields of their times are empty. */
        long elementTimes() {
            return elementTimes;
        }

        /** Writes a time of a cell; false if it has none. The field of the write time comes first. */
        private boolean time(RowCursor row, int column, TimeField.Kind kind) {
            if (kind == TimeField.Kind.WRITE_TIME) {
                times.clear(column);
                boolean isMarker = column == read.columns().size();
                int from = isMarker ? read.markerTimes() : read.timesOf(column);
                boolean isNull = isMarker
                        ? row.isNull(from) || newer != null && !newer.hasMarker()
                        : row.isNull(column) || leavesOut(column);
                if (isMarker && isNull) {
                    cell.putLong(TimeField.NO_MARKER);
                    return true;
                }
                if (!isNull && !times.read(column, row, from, read.areTimesOfElements(column))) {
                    times.clear(column);
                    elementTimes++;
                }
            }
            if (times.isOfJob(column)) {
                return false;
            }
            if (kind == TimeField.Kind.WRITE_TIME) {
                cell.putLong(times.writeTime(column));
                return true;
            }
            int seconds = times.timeToLive(column);
            if (seconds > 0) {
                cell.putLong(row.arrivedSeconds() + seconds);
            }
            return seconds > 0;
        }

        private boolean compute(Computation computes, Field field, RowCursor row) {
            try {
                return computes.compute(field.output, cell);
            } catch (BadValueException e) {
                throw new OverdriveException(
                        Kind.INPUT,
                        words -> "field \"" + field.name + "\" " + e.text().in(words) + "; the row is " + shown(row),
                        e);
            }
        }

        private String shown(RowCursor row) {
            String json = new KeyJson(of.columns, of.types).json(row);
            return json.length() <= MAX_SHOWN ? json : json.substring(0, MAX_SHOWN) + "…";
        }
    }
}
