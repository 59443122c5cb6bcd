package io.overdrive.jobs.create;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.internal.cql.CqlText;
import io.overdrive.internal.cql.TableDescription;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
    private static final String INDEX = "index";
    private static final String VIEW = "materialized_view";
    private static final Set<String> FUNCTIONS = Set.of("function", "aggregate");

    private static final String NAME = "(\\w+|\"(?:[^\"]|\"\")+\")";
    /** The table of an index, or of a view. */
    private static final Pattern BASE = Pattern.compile("\\s(?:ON|FROM)\\s+" + NAME + "\\." + NAME);

    boolean isFunction() {
        return FUNCTIONS.contains(type);
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
        Matcher base = BASE.matcher(cql);
        if (!base.find()) {
            throw new IllegalStateException("names no table: " + cql);
        }
        return identifier(base.group(2));
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
            case TABLE -> TableDescription.withOptions(cql, Map.of()).replaceAll("\\s+", " ");
            default -> text;
        };
    }
}
