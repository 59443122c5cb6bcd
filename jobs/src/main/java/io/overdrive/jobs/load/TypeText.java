package io.overdrive.jobs.load;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.internal.codec.CqlType;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Reads CQL types without a cluster, which would know those that users define. Stateless. */
final class TypeText {
    private static final Map<CqlType, DataType> NATIVE = new EnumMap<>(CqlType.class);

    static {
        List<DataType> types = List.of(
                DataTypes.ASCII,
                DataTypes.BIGINT,
                DataTypes.BLOB,
                DataTypes.BOOLEAN,
                DataTypes.DATE,
                DataTypes.DECIMAL,
                DataTypes.DOUBLE,
                DataTypes.DURATION,
                DataTypes.FLOAT,
                DataTypes.INET,
                DataTypes.INT,
                DataTypes.SMALLINT,
                DataTypes.TEXT,
                DataTypes.TIME,
                DataTypes.TIMESTAMP,
                DataTypes.TIMEUUID,
                DataTypes.TINYINT,
                DataTypes.UUID,
                DataTypes.VARINT);
        types.forEach(type -> NATIVE.put(CqlType.of(type), type));
    }

    private TypeText() {}

    /**
     * Reads a type, which may be followed by STATIC.
     *
     * @param column that has it, for messages
     * @throws IllegalArgumentException if it is no type, or one that a user has defined
     */
    static DataType parse(String column, String text) {
        String type = text.strip().replaceFirst("(?i)\\s+static$", "");
        try {
            return parse(type, /* isFrozen */ false);
        } catch (IllegalArgumentException e) {
            throw new IllegalOptionException(
                    words -> "column \"" + column + "\": " + type + " is not a type that is known without a cluster;"
                            + " give another one with " + words.of(JobOption.TYPES)
                            + ", such as text, or frozen<tuple<int, text>>",
                    e);
        }
    }

    /** Whether {@link #parse} reads it. */
    static boolean isKnown(String text) {
        try {
            parse(/* column */ "", text);
            return true;
        } catch (IllegalOptionException e) {
            return false;
        }
    }

    private static DataType parse(String text, boolean isFrozen) {
        int open = text.indexOf('<');
        String name = (open < 0 ? text : text.substring(0, open)).strip().toLowerCase(Locale.ROOT);
        if (open < 0) {
            return nativeType(name.equals("varchar") ? "text" : name);
        }
        if (!text.endsWith(">")) {
            throw new IllegalArgumentException(text);
        }
        List<String> parts = parts(text.substring(open + 1, text.length() - 1));
        return switch (name + parts.size()) {
            case "frozen1" -> parse(parts.get(0), /* isFrozen */ true);
            case "list1" -> DataTypes.listOf(part(parts, 0), isFrozen);
            case "set1" -> DataTypes.setOf(part(parts, 0), isFrozen);
            case "map2" -> DataTypes.mapOf(part(parts, 0), part(parts, 1), isFrozen);
            case "vector2" -> DataTypes.vectorOf(part(parts, 0), Integer.parseInt(parts.get(1)));
            default -> {
                if (!name.equals("tuple")) {
                    throw new IllegalArgumentException(text);
                }
                yield DataTypes.tupleOf(parts.stream()
                        .map(each -> parse(each, /* isFrozen */ false))
                        .toArray(DataType[]::new));
            }
        };
    }

    private static DataType part(List<String> parts, int index) {
        return parse(parts.get(index), /* isFrozen */ false);
    }

    private static DataType nativeType(String name) {
        return Arrays.stream(CqlType.values())
                .filter(type -> type.name().equalsIgnoreCase(name) && NATIVE.containsKey(type))
                .findFirst()
                .map(NATIVE::get)
                .orElseThrow(() -> new IllegalArgumentException(name));
    }

    private static List<String> parts(String text) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int start = 0;
        for (int i = 0; i <= text.length(); i++) {
            char c = i == text.length() ? ',' : text.charAt(i);
            depth += c == '<' ? 1 : c == '>' ? -1 : 0;
            if (c == ',' && (depth == 0 || i == text.length())) {
                parts.add(text.substring(start, i).strip());
                start = i + 1;
            }
        }
        return parts;
    }
}
