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
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The statements of a server that create a keyspace, each after those that it depends on. Immutable.
 *
 * @param elements the keyspace itself is the first
 */
public record KeyspaceSchema(CqlIdentifier keyspace, List<SchemaElement> elements) {
    private static final Pattern HEAD = Pattern.compile("-- (\\w+) (.+)");
    /** The last line of a script, by which one that was cut is known. */
    private static final String END = "-- end of the schema";

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
}
