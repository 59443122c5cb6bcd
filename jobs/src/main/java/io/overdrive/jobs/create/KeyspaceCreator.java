package io.overdrive.jobs.create;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.TableSchema;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.create.TableCreator.Step;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Creates a keyspace like another one, of the same cluster or another: types and functions first, then tables, and when the rows are
 * there, indexes and views, which are made faster from rows that are there than with each row. What exists is left as it is. Confined to
 * one thread.
 */
public final class KeyspaceCreator {
    private final KeyspaceSchema schema;
    /** The cluster of the source; null if there are only its statements. */
    private final @Nullable Overdrive source;

    private final KeyspaceOrigin origin;
    private final Overdrive target;
    private final CqlIdentifier to;
    private final TableCreator creator;
    private final Consumer<MessageText> log;
    private final boolean isDryRun;
    private final List<String> failures = new ArrayList<>();

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
        this.schema = KeyspaceSchema.of(source, from);
        this.source = source;
        this.origin = KeyspaceOrigin.of(source, from, target);
        this.target = target;
        this.to = to;
        this.creator = TableCreator.ofKeyspace(target, log);
        this.log = log;
        this.isDryRun = isDryRun;
    }

    /**
     * Creates a keyspace by the statements of another one, with its tables as these have them, apart from options that the target does not
     * support.
     *
     * @param log as for a source that is asked, as is {@code isDryRun}
     */
    public KeyspaceCreator(
            KeyspaceSchema schema, Overdrive target, CqlIdentifier to, Consumer<MessageText> log, boolean isDryRun) {
        this.schema = schema;
        this.source = null;
        this.origin = KeyspaceOrigin.of(schema);
        this.target = target;
        this.to = to;
        this.creator = TableCreator.ofKeyspace(target, log);
        this.log = log;
        this.isDryRun = isDryRun;
    }

    /** The elements of the target's keyspace as they are now, by type and name, which has the types of a function's arguments. */
    private Map<String, SchemaElement> existing() {
        Map<String, SchemaElement> existing = new HashMap<>();
        if (target.session().getMetadata().getKeyspace(to).isPresent()) {
            KeyspaceSchema.of(target, to).elements().forEach(each -> existing.put(each.described(), each));
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
     * Creates the keyspace and its tables, without those that the target's guardrails would refuse. A type that cannot be created is among
     * the {@link #failures}; tables that have it fail.
     *
     * @param tables of the source
     * @param isWhole whether types and functions come with the tables even if none has them
     * @param timesToLive whether rows of the copy get the tables' default times to live
     * @return the tables that could not be created
     * @throws OverdriveException of kind INPUT if the keyspace cannot be created
     */
    public Map<CqlIdentifier, OverdriveException> create(
            List<CqlIdentifier> tables, boolean isWhole, boolean timesToLive) {
        Map<String, SchemaElement> existing = existing();
        GuardrailCheck guardrails = new GuardrailCheck(Guardrails.of(target));
        guardrails.schema(schema, tables, existing.keySet(), () -> GuardrailCheck.tables(target));
        guardrails.warnings().forEach(each -> log.accept(MessageText.plain("-- " + each)));
        creator.create(origin, to, List.of(), isDryRun);
        if (isWhole || source == null) {
            createEach(missing(each -> each.type().equals(SchemaElement.TYPE)));
        }
        if (isWhole) {
            createEach(missing(SchemaElement::isFunction));
        }
        Map<CqlIdentifier, OverdriveException> failed = new LinkedHashMap<>(guardrails.refused());
        for (CqlIdentifier table : tables) {
            if (!failed.containsKey(table)) {
                try {
                    if (source != null) {
                        createLike(source, table, timesToLive);
                    } else {
                        create(table, existing);
                    }
                } catch (OverdriveException e) {
                    failed.put(table, e);
                }
            }
        }
        return failed;
    }

    private void createLike(Overdrive from, CqlIdentifier table, boolean timesToLive) {
        TableSchema like = from.table(schema.keyspace().asInternal(), table.asInternal());
        creator.missing(from, like, /* chosen */ null, Mapping.BY_NAME, to, table)
                .ifPresent(missing -> {
                    if (isDryRun) {
                        creator.showLike(from, missing, timesToLive);
                    } else {
                        creator.createLike(from, missing, timesToLive);
                    }
                });
    }

    private void create(CqlIdentifier table, Map<String, SchemaElement> existing) {
        SchemaElement element = schema.elements().stream()
                .filter(each -> each.type().equals(SchemaElement.TABLE)
                        && each.identifier().equals(table))
                .findFirst()
                .orElseThrow(() -> new OverdriveException(
                        Kind.INPUT, "the schema has no statement that creates table " + table.asCql(true)));
        Step step = step(element);
        SchemaElement known = existing.get(element.described());
        List<SchemaElement> changes = schema.elements().stream()
                .filter(each -> each.isChangeOf(element))
                .toList();
        if (known == null) {
            List<Step> steps = new ArrayList<>();
            steps.add(new Step(step.what(), creator.supported(table.asCql(true), step.cql())));
            for (SchemaElement each : changes) {
                steps.add(new Step(
                        "change " + steps.size() + " of the columns of " + step.what(),
                        each.in(schema.keyspace(), to).cql()));
            }
            creator.create(origin, to, steps, isDryRun);
        } else if (!element.in(schema.keyspace(), to).after(changes).isLike(known)) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> step.what()
                            + " exists, and has other columns or another key than in the schema; leave out "
                            + words.of(JobOption.CREATE) + " to write into it as it is, or give another keyspace");
        }
    }

    /** Creates the indexes and views of tables whose rows are there. */
    public void createDependents(Collection<CqlIdentifier> tables) {
        Set<CqlIdentifier> wanted = Set.copyOf(tables);
        createEach(missing(each -> each.isDependent() && wanted.contains(each.base())));
    }

    /** The elements that the target lacks. One that it has, and that is another one, is a failure. */
    private List<SchemaElement> missing(Predicate<SchemaElement> wanted) {
        Map<String, SchemaElement> existing = existing();
        List<SchemaElement> missing = new ArrayList<>();
        for (SchemaElement each : schema.elements()) {
            if (wanted.test(each)) {
                SchemaElement known = existing.get(each.described());
                if (known == null) {
                    missing.add(each);
                } else if (!each.in(schema.keyspace(), to).isLike(known)) {
                    failures.add(each.described() + ": keyspace " + to.asCql(true)
                            + " has another one of this name, which is left as it is");
                }
            }
        }
        return missing;
    }

    private void createEach(List<SchemaElement> missing) {
        for (SchemaElement each : missing) {
            try {
                creator.create(origin, to, List.of(step(each)), isDryRun);
            } catch (OverdriveException e) {
                failures.add(each.described() + ": " + MessageText.of(e).inJava());
            }
        }
    }

    private Step step(SchemaElement each) {
        return new Step(
                each.described(to.asCql(true) + "." + each.name()),
                each.in(schema.keyspace(), to).cql());
    }
}
