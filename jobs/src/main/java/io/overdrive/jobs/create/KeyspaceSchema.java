package io.overdrive.jobs.create;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.cql.CqlScript;
import io.overdrive.internal.cql.CqlText;
import io.overdrive.internal.cql.OwnQuery;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The statements of a server that create a keyspace, each after those that it depends on. Immutable.
 *
 * @param elements the keyspace itself is the first
 */
public record KeyspaceSchema(CqlIdentifier keyspace, List<SchemaElement> elements) {
    private static final Pattern HEAD = Pattern.compile("-- (\\w+) (.+)");
    /** The last line of a script, by which one that was cut is known. */
    private static final String END = "-- end of the schema";

    private static final String NAME = "(\\w+|\"(?:[^\"]|\"\")+\")";

    private static final Pattern CREATE = Pattern.compile(
            "CREATE\\s+(?:OR\\s+REPLACE\\s+)?(?:CUSTOM\\s+)?(KEYSPACE|TYPE|TABLE|FUNCTION|AGGREGATE|INDEX|MATERIALIZED\\s+VIEW)"
                    + "\\s+(IF\\s+NOT\\s+EXISTS\\s+)?" + NAME + "(?:\\." + NAME + ")?",
            Pattern.CASE_INSENSITIVE);
    /** A snapshot has the id of a table or view, which it would have in two keyspaces. */
    private static final Pattern ID = Pattern.compile("WITH\\s+ID\\s*=\\s*[0-9a-f-]{36}(\\s+AND\\s+)?");

    private static final Pattern ALTER =
            Pattern.compile("ALTER\\s+TABLE\\s+" + NAME + "\\." + NAME + "\\s", Pattern.CASE_INSENSITIVE);

    public KeyspaceSchema {
        elements = List.copyOf(elements);
    }

    /** Asks a cluster for a keyspace that exists. */
    public static KeyspaceSchema of(Overdrive overdrive, CqlIdentifier keyspace) {
        List<SchemaElement> elements = new ArrayList<>();
        for (Row row : overdrive.session().execute(OwnQuery.of("DESCRIBE KEYSPACE " + keyspace.asCql(true)))) {
            elements.add(new SchemaElement(
                    String.valueOf(row.getString("type")),
                    String.valueOf(row.getString("name")),
                    CqlText.bare(String.valueOf(row.getString("create_statement")))));
        }
        return new KeyspaceSchema(keyspace, elements);
    }

    /** A script of the statements, each after a comment with its type and name. */
    public String toCql() {
        return elements.stream()
                        .map(each -> "-- " + each.type() + " " + each.name() + "\n" + each.cql() + ";\n\n")
                        .collect(Collectors.joining())
                + END + "\n";
    }

    /**
     * The schema as it is now, with some of its tables as they are here.
     *
     * @param isKept whether a table stays as it is, also if it is no longer there
     */
    public KeyspaceSchema renewed(KeyspaceSchema now, Predicate<CqlIdentifier> isKept) {
        Map<CqlIdentifier, SchemaElement> kept = new LinkedHashMap<>();
        elements.stream()
                .filter(each -> each.type().equals(SchemaElement.TABLE) && isKept.test(each.identifier()))
                .forEach(each -> kept.put(each.identifier(), each));
        List<SchemaElement> renewed = new ArrayList<>();
        now.elements.stream().filter(each -> !each.isDependent()).forEach(each -> {
            SchemaElement before = each.type().equals(SchemaElement.TABLE) ? kept.remove(each.identifier()) : null;
            renewed.add(before == null ? each : before);
        });
        renewed.addAll(kept.values());
        now.elements.stream().filter(SchemaElement::isDependent).forEach(renewed::add);
        return new KeyspaceSchema(keyspace, renewed);
    }

    /**
     * Reads what {@link #toCql} has written.
     *
     * @param where the place of the text, for messages
     * @throws OverdriveException of kind INPUT if the text is another one, or was cut
     */
    public static KeyspaceSchema parse(String text, CqlIdentifier keyspace, String where) {
        if (!text.stripTrailing().endsWith(END)) {
            throw new OverdriveException(
                    Kind.INPUT, where + ": does not end with the line \"" + END + "\": it was cut, or changed");
        }
        List<String> lines = text.lines().toList();
        List<SchemaElement> elements = new ArrayList<>();
        try {
            CqlScript script = CqlScript.of(text);
            for (CqlScript.Statement each = script.next(); each != null; each = script.next()) {
                String above = each.line() < 2 ? "" : lines.get(each.line() - 2).strip();
                Matcher head = HEAD.matcher(above);
                if (!head.matches()) {
                    throw new OverdriveException(
                            Kind.INPUT,
                            "line " + each.line()
                                    + ": the line above the statement does not say what it creates, such as"
                                    + " \"-- table orders\"");
                }
                elements.add(new SchemaElement(head.group(1), head.group(2), each.cql()));
            }
        } catch (OverdriveException e) {
            throw new OverdriveException(Kind.INPUT, where + ": " + e.getMessage(), e);
        }
        return new KeyspaceSchema(keyspace, elements);
    }

    /**
     * Reads the statements of a keyspace in scripts that have no such comments: the {@code schema.cql} of snapshots, which has those of one
     * table, or of a whole cluster. What several scripts have is taken once.
     *
     * @param scripts their texts, by places for messages
     * @throws OverdriveException of kind INPUT if one of them is not closed
     */
    public static KeyspaceSchema ofScripts(Map<String, String> scripts, CqlIdentifier keyspace) {
        Map<String, SchemaElement> elements = new LinkedHashMap<>();
        scripts.forEach((where, text) -> {
            try {
                CqlScript script = CqlScript.of(text);
                for (CqlScript.Statement each = script.next(); each != null; each = script.next()) {
                    SchemaElement element = element(CqlText.bare(each.cql()), keyspace);
                    if (element != null) {
                        boolean isChange = element.type().equals(SchemaElement.CHANGE);
                        elements.putIfAbsent(isChange ? element.cql() : element.described(), element);
                    }
                }
            } catch (OverdriveException e) {
                throw new OverdriveException(Kind.INPUT, where + ": " + e.getMessage(), e);
            }
        });
        return new KeyspaceSchema(keyspace, List.copyOf(elements.values()));
    }

    /** The names of its tables. */
    public List<CqlIdentifier> tables() {
        return named(SchemaElement.TABLE);
    }

    /** The names of its materialized views. */
    public List<CqlIdentifier> views() {
        return named(SchemaElement.VIEW);
    }

    private List<CqlIdentifier> named(String type) {
        return elements.stream()
                .filter(each -> each.type().equals(type))
                .map(SchemaElement::identifier)
                .toList();
    }

    /** Null if the statement is about something else, or another keyspace. */
    private static @Nullable SchemaElement element(String cql, CqlIdentifier keyspace) {
        Matcher change = ALTER.matcher(cql);
        if (change.lookingAt()) {
            return isIn(keyspace, change.group(1))
                    ? new SchemaElement(SchemaElement.CHANGE, quoted(change.group(2)), cql)
                    : null;
        }
        Matcher create = CREATE.matcher(cql);
        if (!create.lookingAt()) {
            return null;
        }
        String type = create.group(1).toLowerCase(Locale.ROOT).replaceAll("\\s+", "_");
        String named = create.group(2) == null ? cql : cql.substring(0, create.start(2)) + cql.substring(create.end(2));
        String bare = ID.matcher(named).replaceFirst(found -> found.group(1) == null ? "" : "WITH ");
        if (type.equals(SchemaElement.INDEX)) {
            SchemaElement index = new SchemaElement(type, quoted(create.group(3)), bare);
            return index.baseKeyspace().equals(keyspace) ? index : null;
        }
        String name = type.equals(SchemaElement.KEYSPACE) ? create.group(3) : create.group(4);
        if (name == null || !isIn(keyspace, create.group(3))) {
            return null;
        }
        String arguments = type.equals("function") || type.equals("aggregate")
                ? SchemaElement.types(bare, type.equals("function"))
                : "";
        return new SchemaElement(type, quoted(name) + arguments, bare);
    }

    private static boolean isIn(CqlIdentifier keyspace, String name) {
        return CqlIdentifier.fromCql(name).equals(keyspace);
    }

    /** A name as DESCRIBE has it: in quotes if necessary. */
    private static String quoted(String name) {
        return CqlIdentifier.fromCql(name).asCql(/* pretty */ true);
    }
}
