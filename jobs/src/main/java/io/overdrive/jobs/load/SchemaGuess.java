package io.overdrive.jobs.load;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.formats.columns.Column;
import io.overdrive.formats.columns.ColumnJson;
import io.overdrive.formats.columns.ColumnType;
import io.overdrive.formats.records.Block;
import io.overdrive.formats.records.FileHeader;
import io.overdrive.formats.records.InputReader;
import io.overdrive.formats.records.NullWords;
import io.overdrive.formats.records.RecordHandler;
import io.overdrive.formats.records.RecordParser;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.Mapping.Special;
import io.overdrive.jobs.Mapping.Target;
import io.overdrive.jobs.load.GuessedField.Shape;
import io.overdrive.jobs.load.GuessedField.Type;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Derives the columns of a table and their CQL types from the first records of the input. Confined to one thread; off
 * the hot path.
 *
 * <p>A field gets the first type that represents all its values without loss, in this order: boolean, int (if no value
 * is above a sixteenth of its range), bigint, varint, double, decimal, uuid, date, timestamp, text; in JSON also lists
 * of these. {@link ValueText#checked} says what a type does not keep: numbers with a leading zero (postal codes) or a plus sign
 * (dialling codes), dates without a leading zero (2024-1-5), and times finer than a timestamp's milliseconds or with an offset, are text, too. A
 * columnar file says the types of its fields.
 */
public final class SchemaGuess implements RecordHandler {
    private static final int SAMPLE_RECORDS = 20_000;
    /** Size of a sample. The sample of a pipe is kept in memory. */
    private static final int SAMPLE_BYTES = 8 << 20;
    /** Maximum number of columns without a type that a message names; others are counted. */
    private static final int NAMED_TROUBLES = 10;
    /** Doubles for which JSON has no numbers. */
    private static final Set<String> NOT_FINITE = Set.of("NaN", "Infinity", "-Infinity");
    /** Receives the values of fields that go to no column. */
    private static final GuessedField IGNORED = new GuessedField(null);

    private final LoadOptions options;
    private final Set<String> spelled;
    private final Set<String> keyColumns;
    /** Fields by the columns that they fill. */
    private final Map<List<String>, GuessedField> fields = new LinkedHashMap<>();

    private final Map<String, GuessedField> byName = new HashMap<>();
    private final Map<String, String> columns = new LinkedHashMap<>();
    private final Map<Integer, String> generatedNames = new TreeMap<>();
    private final Set<List<String>> keys = new HashSet<>();
    private final List<GuessedField> keyFields = new ArrayList<>();
    private long repeatedKeys;
    private final List<String> userTypes = new ArrayList<>();
    private final FittingTypes types;
    private final NullWords nulls;
    private final List<FileHeader> headers = new ArrayList<>();
    private @Nullable FileHeader header;
    private @Nullable ColumnJson json;
    private GuessedField[] byIndex = {};
    private long records;
    private long good;
    private long malformed;
    private MessageText firstMalformed = MessageText.EMPTY;
    /** Whether the proposed types need the option. */
    private boolean needsJsonText;

    private SchemaGuess(LoadOptions options, Set<String> spelled, Collection<String> keyColumns) {
        this.options = options;
        this.spelled = spelled;
        this.keyColumns = Set.copyOf(keyColumns);
        this.nulls = NullWords.forOthers(options.nullWords());
        this.types = new FittingTypes(options.values());
    }

    /**
     * Reads a sample of the input and derives the columns of a table for it, by the mapping. The input can then be read
     * from its start, even if it is a pipe.
     *
     * @param known types that the user gives, by column
     * @param keyColumns columns of the primary key of the table, whose values are counted
     * @throws OverdriveException of kind INPUT if two fields go to one column, the sample does not determine the types of all columns, or
     *     has objects or lists for a column of a simple type: names these and the way out; if most records of the sample cannot be read, or
     *     an expression does not match the types
     */
    public static SchemaGuess read(LoadOptions options, Map<String, String> known, Collection<String> keyColumns) {
        return read(options, known, Map.of(), keyColumns);
    }

    /** @param fallback types of columns, for those whose type the sample does not determine */
    static SchemaGuess read(
            LoadOptions options,
            Map<String, String> known,
            Map<String, String> fallback,
            Collection<String> keyColumns) {
        SchemaGuess guess = new SchemaGuess(options, known.keySet(), keyColumns);
        RecordParser parser = new RecordParser();
        try (InputReader reader = InputReader.sample(options.files(), options.format())) {
            while (guess.records < SAMPLE_RECORDS && reader.bytesRead() < SAMPLE_BYTES) {
                Block block = reader.next();
                if (block == null) {
                    break;
                }
                guess.parse(block, parser);
                reader.recycle(block);
            }
        }
        guess.finish(known, fallback);
        return guess;
    }

    /** The columns that the first records would fill, without their types. */
    public static List<String> columnNames(LoadOptions options) {
        SchemaGuess guess = new SchemaGuess(options, Set.of(), List.of());
        try (InputReader reader = new InputReader(options.files(), options.format())) {
            Block block = reader.next();
            if (block != null) {
                guess.parse(block, new RecordParser());
            }
        }
        return guess.fields.keySet().stream().flatMap(List::stream).toList();
    }

    /** A columnar file says its columns even if it has no row. */
    private void parse(Block block, RecordParser parser) {
        if (block.header().isColumnar()) {
            open(block.header());
        }
        parser.parse(block, this);
    }

    /**
     * Each column with its CQL type, in the order of the input; then those filled only by constants, or only in {@code
     * known}.
     */
    public Map<String, String> columns() {
        return columns;
    }

    /** The columns that the input fills, of those. */
    Set<String> filled() {
        return fields.keySet().stream().flatMap(List::stream).collect(Collectors.toSet());
    }

    /** The user-defined types that a columnar file notes for the columns, each after the types that it depends on. */
    public List<String> userTypes() {
        return userTypes.stream().distinct().toList();
    }

    /** The names generated for unnamed fields, by their number from 1. */
    public Map<Integer, String> generatedNames() {
        return generatedNames;
    }

    /** The columns without a value in the sample, which are text unless the user gives another type. */
    public List<String> emptyColumns() {
        return fields.entrySet().stream()
                .filter(e -> e.getValue().hasNoValue() && !e.getValue().isUnnamed)
                .flatMap(e -> e.getKey().stream())
                .filter(column -> !spelled.contains(column))
                .toList();
    }

    /** The number of records in the sample. */
    public long records() {
        return records;
    }

    /** How many of them have the key of an earlier one. */
    public long repeatedKeys() {
        return repeatedKeys;
    }

    private void finish(Map<String, String> known, Map<String, String> fallback) {
        if (malformed > good) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> (good == 0
                                    ? "no record of the sample"
                                    : "most records of the sample, " + malformed + " of " + (malformed + good) + ",")
                            + " can" + (good == 0 ? "" : "not") + " be read: " + firstMalformed.in(words));
        }
        if (fields.isEmpty()) {
            throw new OverdriveException(Kind.INPUT, "the input has no record to derive the columns from");
        }
        options.mapping().constants().keySet().stream()
                .filter(target -> target.special() == Special.NONE)
                .forEach(target ->
                        fields.computeIfAbsent(List.of(target.column()), c -> new GuessedField("is a constant")));
        options.assignments()
                .columns()
                .forEach(column -> fields.computeIfAbsent(List.of(column), c -> new GuessedField("is computed")));
        Map<String, String> trouble = new LinkedHashMap<>();
        Map<String, String> proposal = new LinkedHashMap<>(known);
        fields.forEach((targets, field) -> targets.forEach(column -> {
            String type = known.get(column);
            String why = type == null ? field.trouble(options.values().jsonText()) : null;
            if (why != null && fallback.containsKey(column)) {
                columns.putIfAbsent(column, fallback.getOrDefault(column, "text"));
                return;
            }
            if (why != null) {
                trouble.put(column, why);
                String example = field.example();
                proposal.putIfAbsent(column, example == null ? "text" : example);
                needsJsonText |= example == null && !options.values().jsonText();
            }
            if (type != null) {
                field.checkNested(column, type, options.values().jsonText());
            }
            columns.putIfAbsent(column, type != null ? type : why != null ? "" : field.type());
        }));
        if (!trouble.isEmpty()) {
            throw open(trouble, proposal);
        }
        known.forEach(columns::putIfAbsent);
        ComputedColumns.check(options, columns, headers);
    }

    private OverdriveException open(Map<String, String> trouble, Map<String, String> proposal) {
        StringBuilder message = new StringBuilder(
                        records == 0
                                ? "the input does"
                                : records == 1 ? "the first record does" : "the first " + records + " records do")
                .append(" not show the type of ")
                .append(trouble.size() == 1 ? "this column:" : "these " + trouble.size() + " columns:");
        trouble.entrySet().stream().limit(NAMED_TROUBLES).forEach(e -> message.append("\n  ")
                .append(Mapping.spelt(e.getKey()))
                .append(' ')
                .append(e.getValue()));
        if (trouble.size() > NAMED_TROUBLES) {
            message.append("\n  and ").append(trouble.size() - NAMED_TROUBLES).append(" more");
        }
        if (malformed > 0) {
            message.append("\n").append(malformed == 1 ? "one record" : malformed + " records");
            message.append(" cannot be read: ");
        }
        if (trouble.size() > NAMED_TROUBLES) {
            String first = trouble.keySet().iterator().next();
            return new OverdriveException(
                    Kind.INPUT,
                    words -> message + firstMalformed.in(words) + "\ngive their types with " + words.of(JobOption.TYPES)
                            + ", for example for"
                            + " the first of them with "
                            + example(Mapping.spelt(first) + " " + proposal.get(first))
                                    .in(words)
                            + (records == 1
                                    ? "; if these columns are really records, write each as a separate object"
                                    : ""));
        }
        String types = proposal.entrySet().stream()
                .map(e -> Mapping.spelt(e.getKey()) + " " + e.getValue())
                .collect(Collectors.joining(", "));
        return new OverdriveException(
                Kind.INPUT,
                words -> message + firstMalformed.in(words) + "\ngive "
                        + (proposal.size() == 1 ? "its type" : "their types") + ", for example" + " with "
                        + example(types).in(words) + wrapperHint());
    }

    private MessageText example(String types) {
        String quoted = Problems.inShell(types);
        return needsJsonText
                ? words -> words.of(JobOption.JSON_TEXT) + " " + words.of(JobOption.TYPES) + " " + quoted + "; "
                        + words.of(JobOption.JSON_TEXT) + " keeps objects and lists of text columns as their JSON"
                : words -> words.of(JobOption.TYPES) + " " + quoted;
    }

    /** The hint for an object around the list of the records. */
    private String wrapperHint() {
        if (good != 1 || byName.size() != 1 || header == null) {
            return "";
        }
        String name = byName.keySet().iterator().next();
        GuessedField field = byName.get(name);
        return field == null || !field.hasOnly(Shape.LIST_OF_OBJECTS)
                ? ""
                : "; if the elements of this list are the records, take them out, for example with: jq -c " + "'.[\""
                        + name + "\"][]' " + header.file().name() + " > records.jsonl";
    }

    @Override
    public void begin(Block block, long line, long position) {
        open(block.header());
        records++;
        keyFields.forEach(field -> field.value = null);
    }

    private void open(FileHeader next) {
        if (next == header) {
            return;
        }
        header = next;
        headers.add(next);
        List<String> names = FieldSlots.names(next, options);
        if (names != null && names.isEmpty()) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> next.file().name()
                            + (next.isColumnar()
                                    ? ": the file has no columns"
                                    : ": the file has no header to name the columns after; name them with "
                                            + words.of(JobOption.FIELD_NAMES) + " a,b,c"));
        }
        if (names != null) {
            open(next, names);
        }
    }

    private void open(FileHeader of, List<String> names) {
        String where = of.file().name();
        List<List<Target>> targets = options.mapping().resolveNew(FieldSlots.fields(of, names), spelled);
        byIndex = targets.stream().map(this::filled).toArray(GuessedField[]::new);
        List<String> named = Mapping.named(names);
        for (int i = 0; i < byIndex.length; i++) {
            if (names.get(i).isBlank() && targets.get(i).contains(Target.column(named.get(i)))) {
                byIndex[i].isUnnamed = true;
                generatedNames.put(i + 1, named.get(i));
            }
        }
        List<ColumnType> types = of.columns();
        for (int i = 0; i < types.size(); i++) {
            if (!spelled.containsAll(columnsOf(targets.get(i)))) {
                byIndex[i].take(types.get(i), where);
                userTypes.addAll(types.get(i).userTypes());
            }
        }
        json = null;
    }

    private static List<String> columnsOf(List<Target> targets) {
        return targets.stream()
                .filter(target -> target.special() == Special.NONE)
                .map(Target::column)
                .toList();
    }

    private GuessedField filled(List<Target> targets) {
        List<String> filled = columnsOf(targets);
        if (filled.isEmpty()) {
            return IGNORED;
        }
        GuessedField field = fields.computeIfAbsent(filled, columns -> new GuessedField(null));
        if (!field.isKey && filled.stream().anyMatch(keyColumns::contains)) {
            field.isKey = true;
            keyFields.add(field);
        }
        return field;
    }

    @Override
    public void field(int index, Column column, int row) {
        GuessedField field = byIndex[index];
        if (field.isKey && !column.isNull(row)) {
            json = json != null
                    ? json
                    : new ColumnJson(Objects.requireNonNull(header).columns());
            field.value = json.value(index, column, row);
        }
    }

    @Override
    public void field(int index, char[] chars, int from, int to, boolean quoted) {
        if (index < byIndex.length && byIndex[index] != IGNORED && !nulls.matches(chars, from, to, quoted)) {
            GuessedField field = byIndex[index];
            field.shapes.add(Shape.SCALAR);
            field.value = field.isKey ? new String(chars, from, to - from) : null;
            types.narrow(field, chars, from, to);
        }
    }

    @Override
    public void field(String name, JsonParser json) throws IOException {
        GuessedField field =
                byName.computeIfAbsent(name, n -> filled(options.mapping().resolveNew(n, spelled)));
        if (field == IGNORED) {
            json.skipChildren();
            return;
        }
        switch (json.currentToken()) {
            case VALUE_NULL -> {}
            case START_OBJECT -> object(Shape.OBJECT, field, json);
            case START_ARRAY -> list(field, json);
            default -> {
                field.shapes.add(Shape.SCALAR);
                field.value = field.isKey ? json.getText() : null;
                scalar(field, json);
            }
        }
    }

    private void list(GuessedField field, JsonParser json) throws IOException {
        int elements = 0;
        for (JsonToken t = json.nextToken(); t != JsonToken.END_ARRAY; t = json.nextToken()) {
            elements++;
            switch (t) {
                case START_OBJECT -> object(Shape.LIST_OF_OBJECTS, field, json);
                case START_ARRAY -> {
                    field.shapes.add(Shape.LIST_OF_LISTS);
                    json.skipChildren();
                }
                default -> {
                    field.shapes.add(Shape.LIST_OF_SCALARS);
                    scalar(field, json);
                }
            }
        }
        if (elements == 0) {
            field.shapes.add(Shape.EMPTY_LIST);
        }
    }

    private void object(Shape shape, GuessedField field, JsonParser json) throws IOException {
        field.shapes.add(shape);
        GuessedField members = field.members();
        while (json.nextToken() != JsonToken.END_OBJECT) {
            JsonToken member = json.nextToken();
            if (member.isStructStart() || member == JsonToken.VALUE_NULL) {
                members.isDeep = true;
                json.skipChildren();
            } else {
                scalar(members, json);
            }
        }
    }

    /** A JSON number or boolean has that type; a string may be anything else. */
    private void scalar(GuessedField field, JsonParser json) throws IOException {
        switch (json.currentToken()) {
            case VALUE_TRUE, VALUE_FALSE -> field.possible.retainAll(EnumSet.of(Type.BOOLEAN));
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> {
                field.possible.retainAll(GuessedField.NUMBERS);
                text(field, json);
            }
            case VALUE_STRING -> {
                if (options.nullWords().contains(json.getText())) {
                    return;
                }
                if (NOT_FINITE.contains(json.getText())) { // as unloads write them
                    field.possible.retainAll(EnumSet.of(Type.DOUBLE, Type.TEXT));
                    return;
                }
                field.possible.removeAll(GuessedField.NUMBERS);
                field.possible.remove(Type.BOOLEAN);
                text(field, json);
            }
            default -> {} // a null in a list is refused by the load
        }
    }

    private void text(GuessedField field, JsonParser json) throws IOException {
        int from = json.getTextOffset();
        types.narrow(field, json.getTextCharacters(), from, from + json.getTextLength());
    }

    @Override
    public void end(int fieldCount) {
        good++;
        if (!keyFields.isEmpty() && keyFields.size() == keyColumns.size()) {
            List<String> key = new ArrayList<>();
            for (GuessedField field : keyFields) {
                String value = field.value;
                if (value == null) {
                    return; // such a record is rejected
                }
                key.add(value);
            }
            repeatedKeys += keys.add(key) ? 0 : 1;
        }
    }

    @Override
    public void malformed(Block block, long line, long position, byte[] raw, MessageText reason) {
        malformed++;
        if (malformed == 1) {
            String file = block.header().file().name();
            firstMalformed = words -> file + " line " + line + ": " + reason.in(words);
        }
    }
}
