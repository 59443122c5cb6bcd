package io.overdrive.jobs.create;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.codec.TypeCql;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.load.SchemaGuess;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A table to create. Immutable.
 *
 * @param keyspace its keyspace
 * @param table its name
 * @param columns the CQL type of each column by its name, in the order of the statement; a type may end in {@code static}
 * @param key the primary key
 * @param descending names of the clustering columns in DESC order
 * @param options of the table, CQL literals by their names, in the order of the statement; others have the server's
 *     defaults
 * @param types user-defined types that the columns need, each after the types that it depends on
 */
public record TableDefinition(
        CqlIdentifier keyspace,
        CqlIdentifier table,
        Map<String, String> columns,
        Key key,
        Set<String> descending,
        Map<String, String> options,
        List<UserType> types) {
    private static final Pattern NAME = Pattern.compile("\\w{1,48}");
    private static final Pattern STATIC = Pattern.compile("\\s+static$", Pattern.CASE_INSENSITIVE);
    private static final Set<String> NATIVE = Set.of(
            "ascii",
            "bigint",
            "blob",
            "boolean",
            "counter",
            "date",
            "decimal",
            "double",
            "duration",
            "float",
            "inet",
            "int",
            "smallint",
            "text",
            "time",
            "timestamp",
            "timeuuid",
            "tinyint",
            "uuid",
            "varchar",
            "varint");
    private static final Set<String> NOT_FROZEN = Set.of("list", "set", "map");
    private static final Set<String> NEVER_IN_KEYS = Set.of("counter", "duration");
    private static final Pattern USER_TYPE = Pattern.compile("(\"(?:[^\"]|\"\")+\"|\\w+) \\((.*)\\)", Pattern.DOTALL);
    private static final Pattern COLUMN_AND_TYPE =
            Pattern.compile("(\"(?:[^\"]|\"\")+\"|[^\"\\s]+(?=\\s))\\s*(\\S.*)", Pattern.DOTALL);

    /**
     * A primary key.
     *
     * @param partition names of the columns of the partition key, at least one
     * @param clustering names of the clustering columns; may be empty
     */
    public record Key(List<String> partition, List<String> clustering) {
        public Key {
            partition = List.copyOf(partition);
            clustering = List.copyOf(clustering);
        }

        /**
         * Parses {@code a}, {@code a, b} (the partition key is a), {@code (a, b), c}, or the same in another pair of
         * parentheses, as after PRIMARY KEY. Names are spelled as in CQL.
         *
         * @throws IllegalArgumentException if the text is not a key
         */
        public static Key parse(String text) {
            String inner = text.strip();
            if (inner.isEmpty()) {
                throw bad(text);
            }
            if (inner.startsWith("(") && closing(inner, text) == inner.length() - 1) {
                String within = inner.substring(1, inner.length() - 1).strip();
                // (a, b) is a partition key of two columns, ((a, b), c) a complete key
                inner = within.startsWith("(") ? within : inner;
            }
            String partition;
            String rest;
            if (inner.startsWith("(")) {
                int end = closing(inner, text);
                partition = inner.substring(1, end);
                rest = inner.substring(end + 1).strip();
                if (!rest.isEmpty()) {
                    if (!rest.startsWith(",")) {
                        throw bad(text);
                    }
                    rest = rest.substring(1);
                    if (rest.isBlank()) {
                        throw bad(text);
                    }
                }
            } else {
                int comma = splitTopLevel(inner).get(0).length();
                partition = inner.substring(0, comma);
                rest = comma == inner.length() ? "" : inner.substring(comma + 1);
                if (comma < inner.length() && rest.isBlank()) {
                    throw bad(text);
                }
            }
            Key key = new Key(names(partition, text), rest.isEmpty() ? List.of() : names(rest, text));
            Set<String> all = new LinkedHashSet<>();
            key.columns().forEach(name -> {
                if (!all.add(name)) {
                    throw new IllegalOptionException(words -> words.of(JobOption.KEY) + " \"" + text + "\" has "
                            + Mapping.spelt(name) + " more than" + " once");
                }
            });
            return key;
        }

        private static int closing(String text, String all) {
            boolean quoted = false;
            int depth = 0;
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                quoted ^= c == '"';
                depth += quoted ? 0 : c == '(' ? 1 : c == ')' ? -1 : 0;
                if (depth == 0) {
                    return i;
                }
            }
            throw bad(all);
        }

        private static List<String> names(String text, String all) {
            List<String> names = new ArrayList<>();
            for (String part : splitTopLevel(text)) {
                String name = part.strip();
                if (!name.matches("\"([^\"]|\"\")+\"|\\w+")) {
                    throw bad(all);
                }
                names.add(Mapping.identifier(name));
            }
            if (names.isEmpty()) {
                throw bad(all);
            }
            return names;
        }

        private static IllegalArgumentException bad(String text) {
            return new IllegalOptionException(words ->
                    words.of(JobOption.KEY) + " \"" + text + "\" is not a primary key: write the columns as in CQL,"
                            + " for example \"id\", or \"(host, day), time\" for rows"
                            + " that are grouped by host and day and sorted by time,"
                            + " with double quotes around names with capitals or"
                            + " special characters");
        }

        /** All columns, beginning with the partition key. */
        public List<String> columns() {
            List<String> all = new ArrayList<>(partition);
            all.addAll(clustering);
            return all;
        }

        /** The text in the parentheses of PRIMARY KEY. */
        public String cql() {
            String first = spelt(partition);
            return (partition.size() > 1 ? "(" + first + ")" : first)
                    + (clustering.isEmpty() ? "" : ", " + spelt(clustering));
        }

        private static String spelt(List<String> names) {
            return names.stream().map(TableDefinition::spelt).collect(Collectors.joining(", "));
        }
    }

    /**
     * A user-defined type.
     *
     * @param fields the CQL type of each field by its name, in order
     */
    public record UserType(CqlIdentifier name, Map<String, String> fields) {
        public UserType {
            fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
        }

        /**
         * Parses a name and the fields in parentheses.
         *
         * @throws IllegalArgumentException if the text is something else
         */
        static UserType parse(String text) {
            Matcher m = USER_TYPE.matcher(text);
            if (!m.matches()) {
                throw new IllegalArgumentException("\"" + text + "\" is not a user-defined type");
            }
            return new UserType(CqlIdentifier.fromCql(m.group(1)), parseTypes(m.group(2)));
        }

        /** The statement that creates it, without a semicolon. */
        String cql(CqlIdentifier keyspace) {
            return "CREATE TYPE " + name(keyspace) + " (" + String.join(",", lines(fields)) + ")";
        }

        String name(CqlIdentifier keyspace) {
            return keyspace.asCql(true) + "." + TypeCql.name(name);
        }
    }

    public TableDefinition {
        columns = Collections.unmodifiableMap(new LinkedHashMap<>(columns));
        descending = Set.copyOf(descending);
        options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
        types = List.copyOf(types);
    }

    /** A table in default order, without options and user-defined types. */
    public TableDefinition(CqlIdentifier keyspace, CqlIdentifier table, Map<String, String> columns, Key key) {
        this(keyspace, table, columns, key, Set.of(), Map.of(), List.of());
    }

    /**
     * A table for the records of a sample. Types and static columns that a columnar file notes are taken as far as the key allows it.
     *
     * @param given names of the columns whose types the user gives
     */
    static TableDefinition of(
            CqlIdentifier keyspace, CqlIdentifier table, SchemaGuess sample, Key key, Set<String> given) {
        Map<String, String> columns = new LinkedHashMap<>();
        sample.columns().forEach((name, type) -> {
            boolean cannotBeStatic = key.clustering().isEmpty() || key.columns().contains(name);
            columns.put(name, cannotBeStatic && !given.contains(name) ? withoutStatic(type) : type);
        });
        return new TableDefinition(
                keyspace,
                table,
                columns,
                key,
                Set.of(),
                Map.of(),
                sample.userTypes().stream().map(UserType::parse).toList());
    }

    /**
     * Refuses existing user-defined types of the keyspace that differ from those that the table needs.
     *
     * @throws OverdriveException of kind INPUT with all problems
     */
    void checkTypes(Map<CqlIdentifier, UserDefinedType> existing) {
        String differences = types.stream()
                .filter(type -> existing.containsKey(type.name())
                        && !type.fields().equals(TypeCql.fields(existing.get(type.name()))))
                .map(type -> "\n  type " + type.name(keyspace) + " exists with other fields than ("
                        + spelt(type.fields()) + "), which the file notes")
                .collect(Collectors.joining());
        if (!differences.isEmpty()) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> "table " + name() + " cannot be created:" + differences + "\ngive a table of another"
                            + " keyspace, or other types of the columns with " + words.of(JobOption.TYPES));
        }
    }

    private static String spelt(Map<String, String> types) {
        return types.entrySet().stream()
                .map(each -> spelt(each.getKey()) + " " + each.getValue())
                .collect(Collectors.joining(", "));
    }

    /** The statement that creates the table, without a semicolon. */
    public String cql() {
        StringBuilder cql = new StringBuilder("CREATE TABLE ").append(name()).append(" (");
        lines(columns).forEach(line -> cql.append(line).append(','));
        cql.append("\n    PRIMARY KEY (").append(key.cql()).append("))");
        List<String> properties = new ArrayList<>();
        if (!descending.isEmpty()) {
            properties.add("CLUSTERING ORDER BY ("
                    + key.clustering().stream()
                            .map(name -> spelt(name) + (descending.contains(name) ? " DESC" : " ASC"))
                            .collect(Collectors.joining(", "))
                    + ")");
        }
        options.forEach((name, value) -> properties.add(name + " = " + value));
        return cql.append(properties.isEmpty() ? "" : " WITH " + String.join("\n    AND ", properties))
                .toString();
    }

    /** A line for each column or field with its type. */
    private static List<String> lines(Map<String, String> types) {
        return types.entrySet().stream()
                .map(each -> "\n    " + spelt(each.getKey()) + " " + each.getValue())
                .toList();
    }

    private static String spelt(String name) {
        return CqlIdentifier.fromInternal(name).asCql(true);
    }

    /** The qualified name of the table in CQL. */
    String name() {
        return keyspace.asCql(true) + "." + table.asCql(true);
    }

    /**
     * Finds everything that the server would refuse, as far as this can be known without it, before anything is
     * created.
     *
     * @param userTypes names of the user-defined types of the keyspace; empty if the keyspace does not exist yet
     * @throws OverdriveException of kind INPUT with all problems
     */
    void check(Set<String> userTypes) {
        Set<String> known = new HashSet<>(userTypes);
        types.forEach(type -> known.add(type.name().asInternal()));
        checkAll(known);
    }

    private void checkAll(Set<String> userTypes) {
        List<MessageText> problems = new ArrayList<>();
        for (CqlIdentifier name : List.of(keyspace, table)) {
            if (!NAME.matcher(name.asInternal()).matches()) {
                problems.add(
                        words -> "the name " + name.asCql(true) + " must be 1 to 48 letters, digits and underscores");
            }
        }
        columns.forEach((name, type) -> {
            if (name.isEmpty()) {
                problems.add(
                        words -> "a field has the empty name; map it to a column with " + words.of(JobOption.MAPPING));
            } else if (!isType(withoutStatic(type), userTypes)) {
                problems.add(words -> "column " + Mapping.spelt(name) + ": " + type
                        + " is neither a CQL type nor a user-defined" + " type of keyspace " + keyspace.asCql(true));
            }
        });
        List<String> missing = key.columns().stream()
                .filter(name -> !columns.containsKey(name))
                .toList();
        if (!missing.isEmpty()) {
            problems.add(words -> words.of(JobOption.KEY) + " names "
                    + missing.stream().map(Mapping::spelt).collect(Collectors.joining(", ")) + ", which the input does"
                    + " not have; its columns are "
                    + columns.keySet().stream().map(Mapping::spelt).collect(Collectors.joining(", "))
                    + missing.stream().map(this::otherCase).collect(Collectors.joining()));
        }
        for (String name : key.columns()) {
            String type = columns.getOrDefault(name, "text");
            boolean wantsFrozen = NOT_FROZEN.contains(typeName(type)) || isUserType(type, userTypes);
            if (wantsFrozen
                    || NEVER_IN_KEYS.contains(typeName(type))
                    || STATIC.matcher(type).find()) {
                problems.add(words -> "key column " + Mapping.spelt(name) + " cannot have the type " + type
                        + (wantsFrozen ? "; make it frozen<" + type + "> with " + words.of(JobOption.TYPES) : ""));
            }
        }
        if (!problems.isEmpty()) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> "table " + name() + " cannot be created: "
                            + problems.stream()
                                    .map(problem -> problem.in(words))
                                    .collect(Collectors.joining("\n  ")));
        }
    }

    /** The end of a message about a column that is missing, if one differs from it in the case of letters only. */
    private String otherCase(String missing) {
        return columns.keySet().stream()
                .filter(missing::equalsIgnoreCase)
                .findFirst()
                .map(column -> "; write " + Mapping.spelt(column) + " for " + Mapping.spelt(missing)
                        + ": a name that needs no quotes becomes lower case, as in CQL")
                .orElse("");
    }

    private static boolean isType(String type, Set<String> userTypes) {
        int open = type.indexOf('<');
        if (open < 0) {
            return NATIVE.contains(typeName(type)) || isUserType(type, userTypes) || type.matches("'[^']+'");
        }
        if (!type.endsWith(">")) {
            return false;
        }
        List<String> inner = splitTopLevel(type.substring(open + 1, type.length() - 1)).stream()
                .map(String::strip)
                .toList();
        return switch (typeName(type)) {
            case "frozen", "list", "set" -> inner.size() == 1 && isType(inner.get(0), userTypes);
            case "map" -> inner.size() == 2 && inner.stream().allMatch(t -> isType(t, userTypes));
            case "tuple" -> !inner.isEmpty() && inner.stream().allMatch(t -> isType(t, userTypes));
            case "vector" ->
                inner.size() == 2
                        && isType(inner.get(0), userTypes)
                        && inner.get(1).matches("\\d{1,5}");
            default -> false;
        };
    }

    private static boolean isUserType(String type, Set<String> userTypes) {
        return userTypes.contains(Mapping.identifier(type));
    }

    /** The part before the types of the elements. */
    private static String typeName(String type) {
        int open = type.indexOf('<');
        return (open < 0 ? type : type.substring(0, open)).strip().toLowerCase(Locale.ROOT);
    }

    static String withoutStatic(String type) {
        return STATIC.matcher(type.strip()).replaceFirst("");
    }

    /** A normal form, equal for all spellings of a type. */
    static String normal(String type) {
        return type.replaceAll("[\\s\"]", "").toLowerCase(Locale.ROOT).replaceAll("\\bvarchar\\b", "text");
    }

    /**
     * Parses the types of columns: {@code a int, "B" map<text, int>}.
     *
     * @throws IllegalArgumentException if the text is something else, or has a column twice
     */
    public static Map<String, String> parseTypes(String text) {
        Map<String, String> types = new LinkedHashMap<>();
        for (String part : splitTopLevel(text)) {
            String entry = part.strip();
            Matcher m = COLUMN_AND_TYPE.matcher(entry);
            if (!m.matches()) {
                throw new IllegalOptionException(words ->
                        words.of(JobOption.TYPES) + " \"" + text + "\": expected COLUMN TYPE, got \"" + entry + "\"");
            }
            String column = CqlIdentifier.fromCql(m.group(1)).asInternal();
            if (types.put(column, m.group(2)) != null) {
                throw new IllegalOptionException(words -> words.of(JobOption.TYPES) + " \"" + text + "\" has "
                        + Mapping.spelt(column) + " more than" + " once");
            }
        }
        return types;
    }

    private static List<String> splitTopLevel(String text) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        boolean quoted = false;
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            quoted ^= c == '"';
            depth += quoted ? 0 : c == '<' ? 1 : c == '>' ? -1 : 0;
            if (c == ',' && depth == 0 && !quoted) {
                parts.add(text.substring(start, i));
                start = i + 1;
            }
        }
        if (!text.isBlank()) {
            parts.add(text.substring(start));
        }
        return parts;
    }
}
