package io.overdrive.jobs.load;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RowBuffer;
import io.overdrive.formats.records.FileHeader;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.DidYouMean;
import io.overdrive.jobs.FieldNames;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.Mapping.Special;
import io.overdrive.jobs.Mapping.Target;
import io.overdrive.jobs.expression.Assignments;
import io.overdrive.jobs.expression.Computation;
import io.overdrive.jobs.expression.Name;
import io.overdrive.jobs.load.FieldSlots.Slot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The columns that a load computes from the fields of a record: which fields these are, of what types, and where the values go. Confined to one
 * worker; per row only {@link #begin}, {@link #set} and {@link #fill} are called.
 */
final class ComputedColumns {
    private static final JsonFactory JSON = new JsonFactory();

    private final ValueText jsonText = ValueText.of(
            DataTypes.TEXT, ValueFormat.DEFAULT.toBuilder().jsonText(true).build());
    private final Bytes copy = new Bytes(256);
    private final Assignments assignments;
    /** The mapping by which a field of the file gets the type of its column, computed or not. */
    private final Mapping mapping;

    private final List<String> tableColumns;
    private final Map<String, DataType> types = new HashMap<>();
    /** The places of each computed column in the row; a statement may have several. */
    private final Map<String, int[]> places = new HashMap<>();

    private Computation computation;
    private List<Name> inputs = List.of();
    private List<String> outputs = List.of();
    private int[][] placesOfOutputs = {};
    /** The number of the field of each input, if the file has columns. */
    private int[] fields = {};

    /** @param tableTypes types of the table's columns, or of the markers of a statement */
    private ComputedColumns(LoadOptions options, List<String> tableColumns, List<DataType> tableTypes) {
        assignments = options.assignments();
        mapping = options.mapping().besides(Assignments.NONE);
        this.tableColumns = tableColumns;
        for (int i = 0; i < tableColumns.size(); i++) {
            types.putIfAbsent(tableColumns.get(i), tableTypes.get(i));
        }
        computation = Assignments.NONE.bind(new Fields("", List.of()), types::get);
    }

    /** Null if no column is computed. */
    static @Nullable ComputedColumns of(LoadOptions options, List<String> tableColumns, List<DataType> tableTypes) {
        return options.assignments().isEmpty() ? null : new ComputedColumns(options, tableColumns, tableTypes);
    }

    /**
     * Checks expressions for a table that is not there yet, if its types are known without a cluster.
     *
     * @param columns that the table will have, with their types
     * @param headers of files of a sample
     * @throws OverdriveException of kind INPUT if one is wrong
     */
    static void check(LoadOptions options, Map<String, String> columns, Collection<FileHeader> headers) {
        List<DataType> types = new ArrayList<>();
        try {
            columns.forEach((column, type) -> types.add(TypeText.parse(column, type)));
        } catch (IllegalArgumentException e) {
            return; // a type that a user has defined: the load checks its expressions when it has the table
        }
        ComputedColumns computed = of(options, List.copyOf(columns.keySet()), types);
        if (computed != null) {
            computed.check(headers, options);
        }
    }

    /**
     * Checks all names and types for the files with these headers.
     *
     * @throws OverdriveException of kind INPUT if one is wrong
     */
    void check(Collection<FileHeader> headers, LoadOptions options) {
        for (FileHeader header : headers) {
            List<String> names = FieldSlots.names(header, options);
            if (names == null) {
                openJson();
            } else {
                open(header.file().name(), names);
            }
        }
    }

    /** @param columns that the writer writes */
    ComputedColumns into(List<String> columns) {
        for (String column : assignments.columns()) {
            places.put(
                    column,
                    IntStream.range(0, columns.size())
                            .filter(i -> columns.get(i).equals(column))
                            .toArray());
        }
        return this;
    }

    /** The maximum number of inputs, whatever the file. */
    int maxInputs() {
        return assignments.names().size();
    }

    /** Begins a file of columns. */
    void open(String where, List<String> names) {
        List<String> named = Mapping.named(names);
        bind(new Fields(where, names));
        fields = inputs.stream()
                .mapToInt(name -> Mapping.find(where, name, named))
                .toArray();
    }

    /** Begins a file of JSON, whose records may have any fields. */
    void openJson() {
        bind(new Members());
        fields = new int[0];
    }

    private void bind(Assignments.Names names) {
        for (String column : assignments.columns()) {
            if (!types.containsKey(column)) {
                throw new OverdriveException(
                        Kind.INPUT,
                        words -> assignments.shown(column).in(words) + ": there is no column \"" + column + "\""
                                + suggestion(column));
            }
        }
        computation = assignments.bind(names, types::get);
        inputs = computation.inputs();
        outputs = computation.outputs();
        placesOfOutputs = outputs.stream()
                .map(column -> places.getOrDefault(column, new int[0]))
                .toArray(int[][]::new);
    }

    private String suggestion(String column) {
        String near = DidYouMean.suggestion(column, tableColumns);
        return near.isEmpty() ? "; the columns are " + String.join(", ", tableColumns) : near;
    }

    DataType type(int input) {
        return computation.inputType(input);
    }

    /** Adds inputs to the slots of the fields of a file with columns. */
    void addInputs(Slot[][] slotsByField, List<String> names, FieldSlots slots) {
        for (int field = 0; field < slotsByField.length; field++) {
            int number = field;
            slotsByField[field] = with(
                    slotsByField[field],
                    IntStream.range(0, fields.length)
                            .filter(i -> fields[i] == number)
                            .mapToObj(i -> slot(i, names.get(number), slots)));
        }
    }

    /** The slots of a member of a JSON record. */
    Slot[] with(Slot[] targets, String member, FieldSlots slots) {
        return with(
                targets,
                IntStream.range(0, inputs.size())
                        .filter(i -> inputs.get(i).matches(member))
                        .mapToObj(i -> slot(i, member, slots)));
    }

    private static Slot[] with(Slot[] targets, Stream<Slot> more) {
        return Stream.concat(Arrays.stream(targets), more).toArray(Slot[]::new);
    }

    /** A field without a column may be an object or array of JSON, whose text is then its JSON. */
    private Slot slot(int input, String field, FieldSlots slots) {
        List<Target> targets = fields.length > 0 ? null : mapping.resolve(field, tableColumns);
        boolean hasColumn = targets != null && !targets.isEmpty();
        return slots.input(input, field, type(input), inputs.get(input).isRaw() || !hasColumn);
    }

    /** An object or array as a text that can be read several times. */
    byte[] copy(JsonParser json) throws IOException {
        copy.clear();
        jsonText.parse(json, copy);
        return copy.toByteArray();
    }

    /** A parser at the beginning of such a text. */
    JsonParser parser(byte[] text) throws IOException {
        JsonParser parser = JSON.createParser(text);
        parser.nextToken();
        return parser;
    }

    /** Begins a record. */
    void begin() {
        computation.clear();
    }

    void set(int input, byte[] value) {
        computation.set(input, value, 0, value.length);
    }

    /** Computes the columns of the record; adds why one cannot be computed. */
    void fill(RowBuffer row, boolean writeNulls, Problems problems) {
        for (int output = 0; output < placesOfOutputs.length; output++) {
            for (int place : placesOfOutputs[output]) {
                try {
                    if (computation.compute(output, row.begin(place))) {
                        row.end(place);
                        continue;
                    }
                    row.undo(place);
                    if (writeNulls) {
                        row.setNull(place);
                    }
                } catch (BadValueException e) {
                    row.undo(place);
                    String column = outputs.get(output);
                    problems.add(
                            column,
                            null,
                            words -> "column \"" + column + "\" " + e.text().in(words));
                }
            }
        }
    }

    /** The fields of a file with columns: by their columns typed, else text. */
    private final class Fields implements Assignments.Names {
        private final String where;
        private final List<String> names;
        private final List<String> named;

        Fields(String where, List<String> names) {
            this.where = where;
            this.names = names;
            this.named = Mapping.named(names);
        }

        @Override
        public @Nullable DataType type(Name name) {
            int field = Mapping.find(where, name, named);
            if (field < 0) {
                return null;
            }
            FieldNames fields = new FieldNames(where, names, /* areLine */ false);
            return name.isRaw()
                    ? DataTypes.TEXT
                    : typeOf(mapping.resolve(fields, tableColumns, /* allowExtra */ true)
                            .get(field));
        }

        @Override
        public List<String> known() {
            return named;
        }
    }

    /** The members of JSON records, whose names are not known before: by their columns typed, else text. */
    private final class Members implements Assignments.Names {
        @Override
        public DataType type(Name name) {
            List<Target> targets = name.isRaw() ? null : mapping.resolve(name.text(), tableColumns);
            return targets == null ? DataTypes.TEXT : typeOf(targets);
        }

        @Override
        public List<String> known() {
            return new ArrayList<>(tableColumns);
        }
    }

    private DataType typeOf(List<Target> targets) {
        return targets.stream()
                .filter(target -> target.special() == Special.NONE)
                .map(target -> types.get(target.column()))
                .findFirst()
                .orElse(DataTypes.TEXT);
    }
}
