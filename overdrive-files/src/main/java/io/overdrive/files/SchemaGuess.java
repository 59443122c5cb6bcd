package io.overdrive.files;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds a CQL type for each field from the first records of the input. Confined to one thread; off the hot path.
 *
 * <p>The first type that all values of a field fit is taken, in this order: boolean, int (where there is room to grow),
 * bigint, double, uuid, date, timestamp, text; in JSON also lists of these. A number with a leading zero is text, as
 * postal codes are.
 */
public final class SchemaGuess implements RecordHandler {
    private static final int SAMPLE_RECORDS = 20_000;
    /** An int column must hold sixteen times the largest value seen. */
    private static final int INT_WITH_ROOM = Integer.MAX_VALUE / 16;

    private enum Type {
        BOOLEAN(DataTypes.BOOLEAN),
        INT(DataTypes.INT),
        BIGINT(DataTypes.BIGINT),
        DOUBLE(DataTypes.DOUBLE),
        UUID(DataTypes.UUID),
        DATE(DataTypes.DATE),
        TIMESTAMP(DataTypes.TIMESTAMP),
        TEXT(DataTypes.TEXT);

        final DataType type;

        Type(DataType type) {
            this.type = type;
        }
    }

    private static final Set<Type> NUMBERS = EnumSet.of(Type.INT, Type.BIGINT, Type.DOUBLE);

    /** What is known of a field. */
    private static final class Field {
        final Set<Type> possible = EnumSet.allOf(Type.class);
        boolean hasScalars;
        boolean hasLists;
        boolean hasObjects;
    }

    private final LoadOptions options;
    private final Map<String, Field> fields = new LinkedHashMap<>();
    private final Map<Type, ValueParser> parsers = new EnumMap<>(Type.class);
    private final NullWords nulls;
    private final Bytes scratch = new Bytes(64);
    private @Nullable FileHeader header;
    private Field[] byIndex = {};
    private long records;

    private SchemaGuess(LoadOptions options) {
        this.options = options;
        this.nulls = NullWords.forOthers(options.nullWords());
        for (Type type : Type.values()) {
            parsers.put(type, ValueParser.of(type.type, options.values()));
        }
    }

    /**
     * Reads a sample of the input and returns each field's CQL type, in the order of the input.
     *
     * @param known types that the user gives, by field or column name; such fields are not looked at
     * @throws InputException where the sample leaves a field's type open, with its name and the way out
     */
    public static Map<String, String> types(LoadOptions options, Map<String, String> known) {
        SchemaGuess guess = new SchemaGuess(options);
        RecordParser parser = new RecordParser();
        try (InputReader reader = new InputReader(options.files(), options.format())) {
            Block block = reader.next();
            while (block != null && guess.records < SAMPLE_RECORDS) {
                parser.parse(block, guess);
                reader.recycle(block);
                block = reader.next();
            }
        }
        return guess.result(known);
    }

    private Map<String, String> result(Map<String, String> known) {
        if (fields.isEmpty()) {
            throw new InputException("the input holds no record to find the columns from");
        }
        Map<String, String> types = new LinkedHashMap<>();
        fields.forEach((name, field) -> {
            String column = Mapping.columnFor(name, List.copyOf(known.keySet()));
            types.put(name, column != null ? String.valueOf(known.get(column)) : type(name, field));
        });
        return types;
    }

    private String type(String name, Field field) {
        String trouble = null;
        String example = "text";
        if (field.hasObjects) {
            trouble = "holds objects, which may be a map or a user-defined type";
            example = field.hasLists ? "list<frozen<map<text, text>>>" : "map<text, text>";
        } else if (field.hasScalars && field.hasLists) {
            trouble = "holds lists and single values";
            example = "list<text>";
        } else if (field.possible.size() == Type.values().length) {
            trouble = "has no value in the first " + (records == 1 ? "record" : records + " records");
        } else if (field.possible.isEmpty()) {
            trouble = "holds values of different types";
        }
        if (trouble != null) {
            String spelt = Mapping.spelt(name.strip());
            String quote = spelt.startsWith("\"") ? "'" : "\"";
            throw new InputException("the type of field \"" + name + "\" cannot be told: it " + trouble
                    + "; give it with --types " + quote + spelt + " " + example + quote);
        }
        String type = field.possible.iterator().next().type.asCql(false, false);
        return field.hasLists ? "list<" + type + ">" : type;
    }

    @Override
    public void begin(Block block, long line, long position) {
        if (block.header() != header) {
            header = block.header();
            List<String> names = RowMapper.names(block.header(), options);
            if (names != null && names.isEmpty()) {
                throw new InputException(header.file().name()
                        + ": the file has no header to name the columns after; name them with --fields a,b,c");
            }
            byIndex = names == null ? byIndex : names.stream().map(this::named).toArray(Field[]::new);
        }
        records++;
    }

    private Field named(String name) {
        return fields.computeIfAbsent(name, n -> new Field());
    }

    @Override
    public void field(int index, char[] chars, int from, int to, boolean quoted) {
        if (index < byIndex.length && !nulls.matches(chars, from, to, quoted)) {
            byIndex[index].hasScalars = true;
            narrow(byIndex[index], chars, from, to);
        }
    }

    @Override
    public void field(String name, JsonParser json) throws IOException {
        Field field = named(name);
        switch (json.currentToken()) {
            case VALUE_NULL -> {}
            case START_OBJECT -> field.hasObjects = true;
            case START_ARRAY -> {
                field.hasLists = true;
                for (JsonToken t = json.nextToken(); t != JsonToken.END_ARRAY; t = json.nextToken()) {
                    if (t.isScalarValue()) {
                        scalar(field, json);
                    } else {
                        field.hasObjects = true;
                        json.skipChildren();
                    }
                }
            }
            default -> {
                field.hasScalars = true;
                scalar(field, json);
            }
        }
    }

    /** A JSON number or boolean is one; a string may be anything else. */
    private void scalar(Field field, JsonParser json) throws IOException {
        switch (json.currentToken()) {
            case VALUE_TRUE, VALUE_FALSE -> field.possible.retainAll(EnumSet.of(Type.BOOLEAN));
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> {
                field.possible.retainAll(NUMBERS);
                text(field, json);
            }
            case VALUE_STRING -> {
                if (options.nullWords().contains(json.getText())) {
                    return;
                }
                field.possible.removeAll(NUMBERS);
                field.possible.remove(Type.BOOLEAN);
                text(field, json);
            }
            default -> {} // a null in a list is refused when it is loaded
        }
    }

    private void text(Field field, JsonParser json) throws IOException {
        int from = json.getTextOffset();
        narrow(field, json.getTextCharacters(), from, from + json.getTextLength());
    }

    private void narrow(Field field, char[] chars, int from, int to) {
        field.possible.removeIf(type -> !fits(type, chars, from, to));
    }

    private boolean fits(Type type, char[] chars, int from, int to) {
        if (from == to) {
            return type == Type.TEXT;
        }
        boolean digits = isNumber(chars[from], from + 1 < to ? chars[from + 1] : ' ');
        switch (type) {
            case BOOLEAN:
                if (digits || to - from < 4) {
                    return false; // 1, 0, t and f are something else more often
                }
                break;
            case INT, BIGINT, DOUBLE:
                int start = chars[from] == '-' ? from + 1 : from;
                if (start + 1 < to && chars[start] == '0' && Character.isDigit(chars[start + 1])) {
                    return false;
                }
                break;
            case DATE, TIMESTAMP:
                if (to - from < 8 || !hasDash(chars, from, to)) {
                    return false; // a plain number is a number
                }
                break;
            default:
                break;
        }
        scratch.clear();
        try {
            ValueParser parser = parsers.get(type);
            if (parser == null) {
                return false;
            }
            parser.parse(chars, from, to, scratch);
        } catch (BadValueException e) {
            return false;
        }
        return type != Type.INT || Math.abs((long) Bytes.getInt(scratch.array(), 0)) <= INT_WITH_ROOM;
    }

    private static boolean isNumber(char first, char second) {
        return Character.isDigit(first) || (first == '-' && Character.isDigit(second));
    }

    private static boolean hasDash(char[] chars, int from, int to) {
        for (int i = from + 1; i < to; i++) {
            if (chars[i] == '-') {
                return true;
            }
        }
        return false;
    }

    @Override
    public void end(int fieldCount) {}

    @Override
    public void malformed(Block block, long line, long position, byte[] raw, String reason) {}
}
