package io.overdrive.jobs.load;

import io.overdrive.formats.text.BadValueException;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.jobs.load.GuessedField.Type;
import java.util.EnumMap;
import java.util.Map;

/** Finds which types represent a text without loss, for a {@link SchemaGuess}. Confined to one thread. */
final class FittingTypes {
    /** Largest value for an int column: it must have room for sixteen times the largest value of the sample. */
    private static final int INT_WITH_ROOM = Integer.MAX_VALUE / 16;

    private final ValueFormat values;
    private final Map<Type, ValueText> parsers = new EnumMap<>(Type.class);
    private final Bytes scratch = new Bytes(64);

    FittingTypes(ValueFormat values) {
        this.values = values;
        for (Type type : Type.values()) {
            parsers.put(type, ValueText.checked(type.type, values, FittingTypes::refuse));
        }
    }

    private static void refuse(String text, String kept) {
        throw new BadValueException("is not kept");
    }

    /** Leaves the types of a field that represent this text, too. */
    void narrow(GuessedField field, char[] chars, int from, int to) {
        field.possible.removeIf(type -> !fits(type, chars, from, to));
    }

    private boolean fits(Type type, char[] chars, int begin, int end) {
        int from = begin;
        int to = end;
        while (from < to && chars[from] == ' ') {
            from++; // as the parsers of all types but text do
        }
        while (from < to && chars[to - 1] == ' ') {
            to--;
        }
        if (from == to || type == Type.TEXT) {
            return type == Type.TEXT;
        }
        if (type == Type.TIMESTAMP && isCount(chars, from, to)) {
            return false; // an id, a code or a telephone number as likely as a time
        }
        scratch.clear();
        try {
            ValueText parser = parsers.get(type);
            if (parser == null) {
                return false;
            }
            parser.parse(chars, from, to, scratch);
        } catch (BadValueException e) {
            return false;
        }
        return type != Type.INT || Math.abs((long) Bytes.getInt(scratch.array(), 0)) <= INT_WITH_ROOM;
    }

    /** A number that would be a time only by its unit. */
    private boolean isCount(char[] chars, int from, int to) {
        if (values.epochUnit() == null) {
            return false;
        }
        int points = ValueText.points(chars, from, to);
        return points == 0 || points == 1;
    }
}
