package io.overdrive.jobs.create;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.ViewMetadata;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.TableSchema;
import io.overdrive.internal.cql.CqlText;
import io.overdrive.internal.cql.OwnQuery;
import io.overdrive.internal.names.MessageText;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.create.TableCreator.Step;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Creates a keyspace like another one, of the same cluster or another: types and functions first, then tables, and when the rows are
 * there, indexes and views, which are made faster from rows that are there than with each row. What exists is left as it is. Confined to
 * one thread.
 */
public final class KeyspaceCreator {
    private final Overdrive source;
    private final Overdrive target;
    private final CqlIdentifier from;
    private final CqlIdentifier to;
    private final TableCreator creator;
    private final boolean isDryRun;
    private final List<Element> elements;
    private final List<String> failures = new ArrayList<>();

    /** A statement of the source's server that creates a part of the keyspace. */
    private record Element(String type, String name, String cql) {
        private static final Set<String> FUNCTIONS = Set.of("function", "aggregate");
        private static final String VIEW = "materialized_view";

        /** The name of an element other than a function, whose name has types. */
        CqlIdentifier identifier() {
            return name.startsWith("\"") ? CqlIdentifier.fromCql(name) : CqlIdentifier.fromInternal(name);
        }

        String described() {
            return described(name);
        }

        private String described(String withName) {
            return (type.equals(VIEW) ? "materialized view" : type) + " " + withName;
        }

        /** Whether this is made by the same statement as an existing element, apart from options, which differ between releases. */
        boolean isLike(Element existing) {
            return definition().equals(existing.definition());
        }

        private String definition() {
            String text = cql.replaceAll("\\s+", " ");
            return switch (type) {
                case "index" -> text.replaceFirst("^.*? ON ", "").replaceFirst(" ?\\(.*$", ""); // the table
                case VIEW -> text.replaceFirst(" WITH .*$", "");
                default -> text;
            };
        }
    }

    /**
     * Asks the source for its keyspace.
     *
     * @param from a keyspace that exists
     * @param log receives lines for the user: names of what is created, or the statements of a dry run
     * @param isDryRun whether statements are shown and not executed
     */
    public KeyspaceCreator(
            Overdrive source,
            CqlIdentifier from,
            Overdrive target,
            CqlIdentifier to,
            Consumer<MessageText> log,
            boolean isDryRun) {
        this.source = source;
        this.from = from;
        this.target = target;
        this.to = to;
        this.creator = TableCreator.ofKeyspace(target, log);
        this.isDryRun = isDryRun;
        this.elements = elements(source, from);
    }

    private static List<Element> elements(Overdrive of, CqlIdentifier keyspace) {
        List<Element> elements = new ArrayList<>();
        for (Row row : of.session().execute(OwnQuery.of("DESCRIBE KEYSPACE " + keyspace.asCql(true)))) {
            elements.add(new Element(
                    String.valueOf(row.getString("type")),
                    String.valueOf(row.getString("name")),
                    CqlText.bare(String.valueOf(row.getString("create_statement")))));
        }
        return elements;
    }

    /** The elements of the target's keyspace as they are now, by type and name, which has the types of a function's arguments. */
    private Map<String, Element> existing() {
        Map<String, Element> existing = new HashMap<>();
        if (target.session().getMetadata().getKeyspace(to).isPresent()) {
            elements(target, to).forEach(each -> existing.put(each.described(), each));
        }
        return existing;
    }

    /** Checks of a table that does not exist yet, without showing what would create it. */
    public TableCreator silent() {
        return new TableCreator(target, line -> {});
    }

    /** Parts that could not be created, and why; tables are not among them. */
    public List<String> failures() {
        return List.copyOf(failures);
    }

    /**
     * Creates the keyspace and its tables.
     *
     * @param tables of the source
     * @param isWhole whether types and functions come with the tables even if none has them
     * @param timesToLive whether rows of the copy get the tables' default times to live
     * @return the tables that could not be created
     * @throws OverdriveException of kind INPUT if the keyspace or a type cannot be created
     */
    public Map<CqlIdentifier, OverdriveException> create(
            List<CqlIdentifier> tables, boolean isWhole, boolean timesToLive) {
        List<Step> types = isWhole
                ? missing(each -> each.type.equals("type")).stream()
                        .map(this::step)
                        .toList()
                : List.of();
        creator.createLike(source, any(), to, types, isDryRun);
        if (isWhole) {
            createEach(missing(each -> Element.FUNCTIONS.contains(each.type)));
        }
        Map<CqlIdentifier, OverdriveException> failed = new LinkedHashMap<>();
        for (CqlIdentifier table : tables) {
            try {
                create(table, timesToLive);
            } catch (OverdriveException e) {
                failed.put(table, e);
            }
        }
        return failed;
    }

    private void create(CqlIdentifier table, boolean timesToLive) {
        creator.missing(source, table(source, from, table), /* chosen */ null, Mapping.BY_NAME, to, table)
                .ifPresent(missing -> {
                    if (isDryRun) {
                        creator.showLike(source, missing, timesToLive);
                    } else {
                        creator.createLike(source, missing, timesToLive);
                    }
                });
    }

    private static TableSchema table(Overdrive of, CqlIdentifier keyspace, CqlIdentifier table) {
        return of.table(keyspace.asInternal(), table.asInternal());
    }

    /** Creates the indexes and views of tables whose rows are there. */
    public void createDependents(Collection<CqlIdentifier> tables) {
        Set<CqlIdentifier> wanted = dependents(Set.copyOf(tables));
        createEach(missing(each ->
                (each.type.equals("index") || each.type.equals(Element.VIEW)) && wanted.contains(each.identifier())));
    }

    private Set<CqlIdentifier> dependents(Set<CqlIdentifier> tables) {
        Set<CqlIdentifier> names = new HashSet<>();
        source.session().getMetadata().getKeyspace(from).ifPresent(keyspace -> {
            for (TableMetadata table : keyspace.getTables().values()) {
                if (tables.contains(table.getName())) {
                    names.addAll(table.getIndexes().keySet());
                }
            }
            for (ViewMetadata view : keyspace.getViews().values()) {
                if (tables.contains(view.getBaseTable())) {
                    names.add(view.getName());
                }
            }
        });
        return names;
    }

    /** The elements that the target lacks. One that it has, and that is another one, is a failure. */
    private List<Element> missing(Predicate<Element> wanted) {
        Map<String, Element> existing = existing();
        List<Element> missing = new ArrayList<>();
        for (Element each : elements) {
            if (wanted.test(each)) {
                Element known = existing.get(each.described());
                if (known == null) {
                    missing.add(each);
                } else if (!new Element(each.type, each.name, step(each).cql()).isLike(known)) {
                    failures.add(each.described() + ": keyspace " + to.asCql(true)
                            + " has another one of this name, which is left as it is");
                }
            }
        }
        return missing;
    }

    private void createEach(List<Element> missing) {
        for (Element each : missing) {
            try {
                creator.createLike(source, any(), to, List.of(step(each)), isDryRun);
            } catch (OverdriveException e) {
                failures.add(each.described() + ": " + MessageText.of(e).inJava());
            }
        }
    }

    private TableSchema any() {
        CqlIdentifier name = elements.stream()
                .filter(each -> each.type.equals("table"))
                .map(Element::identifier)
                .findFirst()
                .orElseThrow(
                        () -> new OverdriveException(Kind.SCHEMA, "keyspace " + from.asCql(true) + " has no table"));
        return table(source, from, name);
    }

    private Step step(Element each) {
        String cql = from.equals(to) ? each.cql : CqlText.withKeyspace(each.cql, from.asCql(true), to.asCql(true));
        return new Step(each.described(to.asCql(true) + "." + each.name), cql);
    }
}
