package io.overdrive.jobs.create;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.internal.cql.CqlText;
import io.overdrive.internal.cql.TableDescription;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A statement of a server that creates a part of a keyspace, or the keyspace. Immutable.
 *
 * @param type as DESCRIBE names it
 * @param name of a function or an aggregate with the types of its arguments, of others in quotes if necessary
 * @param cql without a semicolon
 */
record SchemaElement(String type, String name, String cql) {
    static final String KEYSPACE = "keyspace";
    static final String TYPE = "type";
    static final String TABLE = "table";
    static final String INDEX = "index";
    static final String VIEW = "materialized_view";
    /** A change of a table's columns, which has the name of the table. */
    static final String CHANGE = "change";

    private static final Set<String> FUNCTIONS = Set.of("function", "aggregate");

    private static final String NAME = "(\\w+|\"(?:[^\"]|\"\")+\")";
    /** The table of an index, or of a view. */
    private static final Pattern BASE = Pattern.compile("\\s(?:ON|FROM)\\s+" + NAME + "\\." + NAME);

    private static final Pattern COLUMN = Pattern.compile(
            "ALTER\\s+TABLE\\s+" + NAME + "\\." + NAME + "\\s+(DROP|ADD)\\s+" + NAME + "(.*)",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    boolean isFunction() {
        return FUNCTIONS.contains(type);
    }

    boolean isChangeOf(SchemaElement table) {
        return type.equals(CHANGE) && name.equals(table.name);
    }

    /** A table with the columns that it has after changes of them. */
    SchemaElement after(List<SchemaElement> changes) {
        List<String> columns = new ArrayList<>(TableDescription.columns(cql));
        for (SchemaElement each : changes) {
            Matcher change = COLUMN.matcher(each.cql);
            if (change.matches() && change.group(3).equalsIgnoreCase("DROP")) {
                columns.removeIf(column -> column.startsWith(change.group(4) + " "));
            } else if (change.matches()) {
                columns.add(change.group(4) + change.group(5));
            }
        }
        return changes.isEmpty() ? this : new SchemaElement(type, name, TableDescription.withColumns(cql, columns));
    }

    /** Whether it is made faster from rows that are there than with each row. */
    boolean isDependent() {
        return type.equals(INDEX) || type.equals(VIEW);
    }

    /** The name of an element other than a function, whose name has types. */
    CqlIdentifier identifier() {
        return identifier(name);
    }

    private static CqlIdentifier identifier(String name) {
        return name.startsWith("\"") ? CqlIdentifier.fromCql(name) : CqlIdentifier.fromInternal(name);
    }

    /** The table of an index or a view. */
    CqlIdentifier base() {
        return identifier(baseName(2));
    }

    /** The keyspace of an index or a view. */
    CqlIdentifier baseKeyspace() {
        return identifier(baseName(1));
    }

    private String baseName(int part) {
        Matcher base = BASE.matcher(cql);
        if (!base.find()) {
            throw new IllegalStateException("names no table: " + cql);
        }
        return base.group(part);
    }

    /**
     * The types of the arguments of a function or an aggregate, as DESCRIBE has them after its name.
     *
     * @param named whether the arguments have names
     */
    static String types(String cql, boolean named) {
        return TableDescription.columns(cql).stream()
                .map(each -> named ? each.replaceFirst("^(?:\"[^\"]*\"|\\S+)\\s+", "") : each)
                .collect(Collectors.joining(", ", "(", ")"));
    }

    String described() {
        return described(name);
    }

    String described(String withName) {
        return (type.equals(VIEW) ? "materialized view" : type) + " " + withName;
    }

    /** The same in another keyspace. */
    SchemaElement in(CqlIdentifier from, CqlIdentifier to) {
        return from.equals(to)
                ? this
                : new SchemaElement(type, name, CqlText.withKeyspace(cql, from.asCql(true), to.asCql(true)));
    }

    /** Whether this is made by the same statement as an existing element, apart from options, which differ between releases. */
    boolean isLike(SchemaElement existing) {
        return definition().equals(existing.definition());
    }

    private String definition() {
        String text = cql.replaceAll("\\s+", " ");
        return switch (type) {
            case INDEX -> text.replaceFirst("^.*? ON ", "").replaceFirst(" ?\\(.*$", ""); // the table
            case VIEW -> text.replaceFirst(" WITH .*$", "");
            case TABLE ->
                TableDescription.withOptions(
                                TableDescription.withColumns(
                                        cql,
                                        TableDescription.columns(cql).stream()
                                                .sorted()
                                                .toList()),
                                Map.of())
                        .replaceAll("\\s+", " ");
            default -> text;
        };
    }
}
