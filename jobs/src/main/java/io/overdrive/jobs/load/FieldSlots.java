package io.overdrive.jobs.load;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.ListType;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.TableSchema;
import io.overdrive.formats.columns.CellReader;
import io.overdrive.formats.columns.ColumnType;
import io.overdrive.formats.records.FileHeader;
import io.overdrive.formats.records.NullWords;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.formats.text.WritetimeText;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import io.overdrive.jobs.FieldNames;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.Mapping.Special;
import io.overdrive.jobs.Mapping.Target;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Where the fields of records go: the columns that they fill, and how their values are parsed. Confined to one worker; off
 * the hot path, since the mapper keeps what it gets from here for each file.
 */
final class FieldSlots {
    private static final int NO_INPUT = -1;

    /**
     * A target of a field, with the parser of its values.
     *
     * @param column -1 if it is none
     * @param input number of the input of expressions; -1 if it is none
     */
    record Slot(int column, String name, Special special, ValueText parser, NullWords nulls, int input) {
        boolean isInput() {
            return input >= 0;
        }
    }

    private final LoadOptions options;
    private final List<String> columns;
    private final List<DataType> types;
    private final Map<Target, List<Slot>> known = new HashMap<>();
    private final List<LossCount> lossCounts = new ArrayList<>();

    /** @param columns that the writer writes, with their types */
    FieldSlots(LoadOptions options, List<String> columns, List<DataType> types) {
        this.options = options;
        this.columns = columns;
        this.types = types;
    }

    Slot[] of(String where, List<Target> targets) {
        return targets.stream().flatMap(t -> of(where, t).stream()).toArray(Slot[]::new);
    }

    /** One slot, or several for a marker that a statement has more than once. */
    List<Slot> of(String where, Target target) {
        List<Slot> before = known.get(target);
        if (before != null) {
            return before;
        }
        List<Slot> found = new ArrayList<>();
        if (target.special() == Special.TTL || target.special() == Special.WRITETIME) {
            found.add(slot(target, -1));
        }
        int[] places = options.keepTimes() ? TimedRows.place(target, columns) : places(target);
        for (int column : places) {
            found.add(slot(target, column));
        }
        if (found.isEmpty()) {
            throw new OverdriveException(
                    Kind.INPUT,
                    where + ": field for column \"" + target.column() + "\", which the first file does"
                            + " not have; load files with different headers one by one");
        }
        known.put(target, found);
        return found;
    }

    private int[] places(Target target) {
        return IntStream.range(0, columns.size())
                .filter(column ->
                        target.special() == Special.NONE && columns.get(column).equals(target.column()))
                .toArray();
    }

    private Slot slot(Target target, int column) {
        if (target.special() == Special.CELL_WRITETIME || target.special() == Special.CELL_EXPIRY) {
            return new Slot(
                    column,
                    target.toString(),
                    Special.NONE,
                    ValueText.of(types.get(column), options.values()),
                    NullWords.forOthers(options.nullWords()),
                    NO_INPUT);
        }
        DataType type =
                switch (target.special()) {
                    case NONE, CELL_WRITETIME, CELL_EXPIRY -> types.get(column);
                    case TTL -> DataTypes.INT;
                    case WRITETIME -> DataTypes.TIMESTAMP;
                };
        boolean isText = type.equals(DataTypes.TEXT) || type.equals(DataTypes.ASCII);
        ValueText text =
                switch (target.special()) {
                    case NONE, CELL_WRITETIME, CELL_EXPIRY -> text(target.column(), type);
                    case TTL -> ValueText.of(type, options.values());
                    case WRITETIME -> new WritetimeText(options.values());
                };
        return new Slot(
                column,
                target.column(),
                target.special(),
                text,
                isText ? nullsOfText() : NullWords.forOthers(options.nullWords()),
                NO_INPUT);
    }

    /** An input of expressions, with the name of its field. */
    Slot input(int number, String field, DataType type, boolean isRaw) {
        boolean isText = type.equals(DataTypes.TEXT) || type.equals(DataTypes.ASCII);
        ValueFormat values = isRaw ? options.values().toBuilder().jsonText(true).build() : options.values();
        return new Slot(
                -1,
                field,
                Special.NONE,
                ValueText.of(type, values),
                isText ? nullsOfText() : NullWords.forOthers(options.nullWords()),
                number);
    }

    private NullWords nullsOfText() {
        return options.emptyText()
                ? NullWords.forTextThatMayBeEmpty(options.nullWords())
                : NullWords.forText(options.nullWords());
    }

    private ValueText text(String column, DataType type) {
        if (options.rejectsLosses(column)) {
            String name = Mapping.spelt(column);
            String asText = type instanceof ListType ? "list<text>" : "text";
            MessageText end = words -> "; to keep such values, create the table with " + words.of(JobOption.TYPES) + " "
                    + Problems.inShell(name + " " + asText) + "; to take them so, give " + words.of(JobOption.TYPES)
                    + " " + Problems.inShell(name + " " + type.asCql(/* includeFrozen */ true, /* pretty */ true));
            return ValueText.checked(type, options.values(), (value, kept) -> {
                throw new BadValueException(
                                "is " + type.asCql(false, true) + ", but " + value + " would become " + kept)
                        .withHint(end);
            });
        }
        if (options.countsLosses()) {
            LossCount count = new LossCount(column, type.asCql(/* includeFrozen */ false, /* pretty */ true));
            lossCounts.add(count);
            return ValueText.checked(type, options.values(), count);
        }
        return ValueText.of(type, options.values());
    }

    /** The values that their column did not keep in full, if they are counted. */
    List<Loss> losses() {
        return lossCounts.stream()
                .filter(count -> count.values > 0)
                .map(count -> new Loss(count.column, count.type, count.values, count.text, count.kept))
                .toList();
    }

    /** Counts the slots of a column. */
    private static final class LossCount implements ValueText.LossListener {
        private final String column;
        private final String type;
        private long values;
        private String text = "";
        private String kept = "";

        LossCount(String column, String type) {
            this.column = column;
            this.type = type;
        }

        @Override
        public void lost(String lostText, String keptText) {
            if (values++ == 0) {
                text = lostText;
                kept = keptText;
            }
        }
    }

    /** The reader of a columnar file's values for the slot. */
    private CellReader reader(Slot slot, ColumnType from) {
        return slot.special == Special.WRITETIME
                ? CellReader.writeTime(from, slot.parser, options.values())
                : CellReader.of(from, type(slot), slot.parser, options.values());
    }

    /** The readers for the slots of each field of a columnar file. */
    CellReader[][] readers(Slot[][] slotsByField, List<ColumnType> columns, @Nullable ComputedColumns computed) {
        CellReader[][] readers = new CellReader[columns.size()][];
        for (int i = 0; i < readers.length; i++) {
            ColumnType from = columns.get(i);
            readers[i] = Arrays.stream(slotsByField[i])
                    .map(slot -> slot.isInput() && computed != null
                            ? CellReader.of(from, computed.type(slot.input()), slot.parser, options.values())
                            : reader(slot, from))
                    .toArray(CellReader[]::new);
        }
        return readers;
    }

    private DataType type(Slot slot) {
        return slot.special == Special.NONE ? types.get(slot.column) : DataTypes.INT;
    }

    /** A constant of the mapping as a value of the slot. */
    byte[] encode(Slot slot, Target target, String text) {
        Bytes out = new Bytes(64);
        char[] chars = text.toCharArray();
        try {
            slot.parser.parse(chars, 0, chars.length, out);
        } catch (BadValueException e) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> words.of(JobOption.MAPPING) + " \"" + options.mapping() + "\": column \"" + target.column()
                            + "\" " + e.getMessage() + e.hint().in(words),
                    e);
        }
        return out.toByteArray();
    }

    /** The names of the fields of a file with columns, or their numbers if the mapping has only numbers; null for JSON. */
    static @Nullable List<String> names(FileHeader header, LoadOptions options) {
        List<String> names = header.names();
        if (names != null || !header.isCsv()) {
            return names;
        }
        return options.fieldNames().isEmpty() ? options.mapping().numberedFields() : options.fieldNames();
    }

    /** The fields of a file, with their names. */
    static FieldNames fields(FileHeader header, List<String> names) {
        return new FieldNames(header.file().name(), names, header.isCsv());
    }

    /** The numbers of the columns of a columnar file that have a target; of all if they do not match the table, which is reported elsewhere. */
    static BitSet wantedColumns(FileHeader header, LoadOptions options, List<String> tableColumns) {
        List<String> names = names(header, options);
        BitSet wanted = new BitSet();
        wanted.set(0, header.columns().size());
        if (names == null || !header.isColumnar()) {
            return wanted;
        }
        try {
            List<List<Target>> targets =
                    options.mapping().resolve(fields(header, names), tableColumns, options.allowExtraFields());
            for (int i = 0; i < targets.size(); i++) {
                wanted.set(i, !targets.get(i).isEmpty());
            }
        } catch (OverdriveException e) {
            wanted.set(0, names.size());
        }
        return wanted;
    }

    /** The columns that records with this header, or JSON, fill: only these are written. In the table's order. */
    static List<String> targetColumns(FileHeader first, LoadOptions options, List<String> tableColumns) {
        Mapping mapping = options.mapping();
        List<String> names = names(first, options);
        if (names != null && names.isEmpty()) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> first.isColumnar()
                            ? first.file().name() + ": there are no columns"
                            : first.file().name() + ": the file has no header; name its fields in their order with "
                                    + words.of(JobOption.FIELD_NAMES) + ", for example "
                                    + words.of(JobOption.FIELD_NAMES) + " "
                                    + String.join(",", tableColumns) + ", or map them by number with "
                                    + words.of(JobOption.MAPPING) + " \"" + numbered(tableColumns) + "\"");
        }
        List<Target> targets = new ArrayList<>(mapping.constants().keySet());
        options.assignments().columns().forEach(column -> targets.add(Target.column(column)));
        if (names != null) {
            mapping.resolve(fields(first, names), tableColumns, options.allowExtraFields())
                    .forEach(targets::addAll);
        } else {
            mapping.targets(tableColumns, targets);
        }
        List<String> wanted = targets.stream()
                .filter(t -> t.special() == Special.NONE)
                .map(Target::column)
                .toList();
        return tableColumns.stream().filter(wanted::contains).toList();
    }

    /** Refuses a file that has values and not their write times; only files with named fields can be refused before they are read. */
    static void requireTimes(FileHeader header, LoadOptions options, TableSchema table) {
        List<String> tableColumns =
                table.columns().stream().map(TableSchema.Column::name).toList();
        List<String> names = names(header, options);
        List<Target> targets = new ArrayList<>(options.mapping().constants().keySet());
        if (names != null) {
            options.mapping()
                    .resolve(fields(header, names), tableColumns, options.allowExtraFields())
                    .forEach(targets::addAll);
        }
        for (TableSchema.Column column : table.columns()) {
            if (!column.isKey()
                    && targets.contains(Target.column(column.name()))
                    && !targets.contains(new Target(column.name(), Special.CELL_WRITETIME))) {
                throw new OverdriveException(
                        Kind.INPUT,
                        words -> header.file().name() + ": there is no write time for column \"" + column.name()
                                + "\": " + words.of(JobOption.KEEP_TIMES)
                                + " needs a field writetime(field) for each field with values, as "
                                + words.of(JobOption.KEEP_TIMES)
                                + " of an unload writes them; leave out the column with "
                                + words.of(JobOption.MAPPING) + ", or load without " + words.of(JobOption.KEEP_TIMES));
            }
        }
    }

    private static String numbered(List<String> tableColumns) {
        return IntStream.range(0, tableColumns.size())
                .mapToObj(i -> i + " = " + Mapping.spelt(tableColumns.get(i)))
                .collect(Collectors.joining(", "));
    }
}
