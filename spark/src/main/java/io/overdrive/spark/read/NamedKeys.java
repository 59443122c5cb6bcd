package io.overdrive.spark.read;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import io.overdrive.TableSchema;
import io.overdrive.internal.codec.CqlType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Keys that conditions in CQL name by lists: {@code =} or {@code IN} for each column of the partition key. A server would read
 * them in sequence for one request; lookups read them concurrently. Plans (on the driver). Immutable.
 *
 * @param values for each column of the partition key, without duplicates
 * @param where other conditions; empty for none
 */
public record NamedKeys(List<List<Object>> values, String where) {
    /** A part of a condition; quoted text is one part. */
    private static final Pattern PART = Pattern.compile(
            "\\s+|(?<part>'(?:[^']|'')*+'|\"(?:[^\"]|\"\")*+\"|[(),]|[<>=!]+|[^\\s'\"(),<>=!]+)", Pattern.DOTALL);

    /** A comment hides what follows it, and text in dollars is not quoted as other text is. */
    private static final Pattern NOT_UNDERSTOOD = Pattern.compile("--|//|/\\*|\\$\\$|(?i:^allow$)");

    /** Times as text may be in the zone of the server, or in another calendar. */
    private static final Pattern MILLISECONDS = Pattern.compile("-?\\d+");

    /** The words of a condition, and where it is. */
    private record Condition(List<String> words, int start, int end) {
        boolean isOn(TableSchema.Column column) {
            return words.stream().anyMatch(word -> column.name().equals(name(word)));
        }
    }

    /**
     * The keys, if there are several and not too many.
     *
     * @param conditions as after WHERE, without markers
     * @param maxKeys maximum number of keys
     */
    public static Optional<NamedKeys> of(TableSchema table, String conditions, long maxKeys) {
        List<Condition> all = conditions(conditions);
        Map<String, List<Object>> values = new HashMap<>();
        Set<Condition> used = new HashSet<>();
        for (TableSchema.Column column : table.partitionKey()) {
            List<Condition> own = all.stream().filter(each -> each.isOn(column)).toList();
            List<Object> wanted = own.size() == 1 ? values(own.get(0).words, column.type()) : null;
            if (wanted == null || !column.name().equals(name(own.get(0).words.get(0)))) {
                return Optional.empty();
            }
            used.add(own.get(0));
            values.put(column.name(), wanted);
        }
        List<List<Object>> inOrder = table.partitionKey().stream()
                .map(column -> values.getOrDefault(column.name(), List.of()))
                .toList();
        long keys = PushDown.keys(inOrder);
        if (keys <= 1 || keys > maxKeys) {
            return Optional.empty();
        }
        List<String> others = all.stream()
                .filter(condition -> !used.contains(condition))
                .map(condition ->
                        conditions.substring(condition.start, condition.end).strip())
                .toList();
        return Optional.of(new NamedKeys(inOrder, String.join(" AND ", others)));
    }

    /** Empty if they are not understood. */
    private static List<Condition> conditions(String text) {
        List<Condition> all = new ArrayList<>();
        List<String> words = new ArrayList<>();
        Matcher matcher = PART.matcher(text);
        int start = 0;
        int at = 0;
        int depth = 0;
        while (at < text.length()) {
            if (!matcher.find(at) || matcher.start() != at) {
                return List.of();
            }
            String word = matcher.group("part");
            if (word != null) {
                boolean isQuoted = word.startsWith("'") || word.startsWith("\"");
                if (!isQuoted && NOT_UNDERSTOOD.matcher(word).find()) {
                    return List.of();
                }
                depth += word.equals("(") ? 1 : word.equals(")") ? -1 : 0;
                if (depth == 0 && word.equalsIgnoreCase("and")) {
                    all.add(new Condition(List.copyOf(words), start, at));
                    words.clear();
                    start = matcher.end();
                } else {
                    words.add(word);
                }
            }
            at = matcher.end();
        }
        all.add(new Condition(List.copyOf(words), start, at));
        return depth == 0 && all.stream().noneMatch(condition -> condition.words.isEmpty()) ? all : List.of();
    }

    /** The column that a word names, if it names one. */
    private static String name(String word) {
        return word.startsWith("\"")
                ? word.substring(1, word.length() - 1).replace("\"\"", "\"")
                : word.toLowerCase(Locale.ROOT);
    }

    /** The values in the second half of a condition; null if it is no list of literals. */
    private static @Nullable List<Object> values(List<String> words, DataType type) {
        Set<Object> values = new LinkedHashSet<>();
        if (words.size() == 3 && words.get(1).equals("=")) {
            return add(values, words.get(2), type) ? List.copyOf(values) : null;
        }
        boolean isList = words.size() >= 5
                && words.size() % 2 == 1
                && words.get(1).equalsIgnoreCase("in")
                && words.get(2).equals("(")
                && words.get(words.size() - 1).equals(")");
        if (!isList) {
            return null;
        }
        for (int i = 3; i < words.size() - 1; i++) {
            boolean isComma = i % 2 == 0;
            if (isComma ? !words.get(i).equals(",") : !add(values, words.get(i), type)) {
                return null;
            }
        }
        return List.copyOf(values);
    }

    /** False if the literal may mean another value to the server than to the driver. */
    private static boolean add(Set<Object> values, String literal, DataType type) {
        boolean isExact =
                switch (CqlType.of(type)) {
                    case ASCII,
                            BIGINT,
                            BLOB,
                            BOOLEAN,
                            DATE,
                            INT,
                            SMALLINT,
                            TEXT,
                            TIME,
                            TIMEUUID,
                            TINYINT,
                            UUID,
                            VARINT -> true;
                    case TIMESTAMP -> MILLISECONDS.matcher(literal).matches();
                    case COUNTER, CUSTOM, DECIMAL, DOUBLE, DURATION, FLOAT, INET, LIST, MAP, SET, TUPLE, UDT, VECTOR ->
                        false;
                };
        if (!isExact) {
            return false;
        }
        try {
            Object value = CodecRegistry.DEFAULT.codecFor(type).parse(literal);
            if (value == null) {
                return false;
            }
            values.add(value);
            return true;
        } catch (IllegalArgumentException e) {
            return false; // the server says what is wrong with it
        }
    }
}
