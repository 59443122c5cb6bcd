package io.overdrive.jobs.create;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
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
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

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
            return (type.equals(VIEW) ? "materialized view" : type) + " " + name;
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
        this.elements = new ArrayList<>();
        for (Row row : source.session().execute(OwnQuery.of("DESCRIBE KEYSPACE " + from.asCql(true)))) {
            elements.add(new Element(
                    String.valueOf(row.getString("type")),
                    String.valueOf(row.getString("name")),
                    CqlText.bare(String.valueOf(row.getString("create_statement")))));
        }
    }

    /** Checks of a table that does not exist yet, without showing what would create it. */
    public TableCreator silent() {
        return new TableCreator(target, line -> {});
    }

    /** The names of what was created, as {@link TableCreator#created} has them. */
    public List<String> created() {
        return creator.created();
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
        List<Step> steps = new ArrayList<>();
        if (isWhole) {
            Set<CqlIdentifier> existing = targetKeyspace() == null
                    ? Set.of()
                    : targetKeyspace().getUserDefinedTypes().keySet();
            for (Element each : elements) {
                if (each.type.equals("type") && !existing.contains(each.identifier())) {
                    steps.add(step(each));
                }
            }
        }
        creator.createLike(source, table(source, from, tables.get(0)), to, steps, isDryRun);
        if (isWhole) {
            createEach(this::isMissingFunction);
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
        Set<CqlIdentifier> missing = missingDependents(Set.copyOf(tables));
        createEach(each ->
                (each.type.equals("index") || each.type.equals(Element.VIEW)) && missing.contains(each.identifier()));
    }

    private Set<CqlIdentifier> missingDependents(Set<CqlIdentifier> tables) {
        KeyspaceMetadata there = targetKeyspace();
        Set<CqlIdentifier> missing = new HashSet<>();
        source.session().getMetadata().getKeyspace(from).ifPresent(keyspace -> {
            for (TableMetadata table : keyspace.getTables().values()) {
                if (tables.contains(table.getName())) {
                    missing.addAll(table.getIndexes().keySet());
                }
            }
            for (ViewMetadata view : keyspace.getViews().values()) {
                if (tables.contains(view.getBaseTable())) {
                    missing.add(view.getName());
                }
            }
        });
        if (there != null) {
            there.getTables()
                    .values()
                    .forEach(table -> missing.removeAll(table.getIndexes().keySet()));
            missing.removeAll(there.getViews().keySet());
        }
        return missing;
    }

    private boolean isMissingFunction(Element each) {
        KeyspaceMetadata there = targetKeyspace();
        return Element.FUNCTIONS.contains(each.type)
                && (there == null || !names(there).contains(each.name.replaceAll("\\(.*", "")));
    }

    private static Set<String> names(KeyspaceMetadata keyspace) {
        Set<String> names = keyspace.getFunctions().keySet().stream()
                .map(signature -> signature.getName().asCql(true))
                .collect(Collectors.toSet());
        keyspace.getAggregates()
                .keySet()
                .forEach(signature -> names.add(signature.getName().asCql(true)));
        return names;
    }

    private void createEach(Predicate<Element> wanted) {
        for (Element each : elements) {
            if (wanted.test(each)) {
                try {
                    creator.createLike(source, any(), to, List.of(step(each)), isDryRun);
                } catch (OverdriveException e) {
                    failures.add(each.described() + ": " + MessageText.of(e).inJava());
                }
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
        String what = each.type.equals("type") ? "type " + to.asCql(true) + "." + each.name : each.described();
        return new Step(what, cql);
    }

    private @Nullable KeyspaceMetadata targetKeyspace() {
        return target.session().getMetadata().getKeyspace(to).orElse(null);
    }
}
