package io.overdrive.files.create;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import io.overdrive.Overdrive;
import io.overdrive.TableSchema;
import io.overdrive.files.InputException;
import io.overdrive.files.Mapping;
import io.overdrive.files.create.TableDefinition.Key;
import io.overdrive.files.load.LoadOptions;
import io.overdrive.files.load.SchemaGuess;
import io.overdrive.files.records.InputFile;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Creates a keyspace and a table where they are missing: for a load with the types of a sample of its input, for a copy
 * like its source. Confined to one thread.
 *
 * <p>Nothing is created before all that can be checked is right: the names, the types and the key.
 */
public final class TableCreator {
    private static final int USUAL_REPLICAS = 3;

    private final Overdrive overdrive;
    private final Consumer<String> log;
    private final List<String> created = new ArrayList<>();

    /** A statement, and what it creates: {@code keyspace ks}. */
    private record Step(String what, String cql) {}

    /** @param log takes lines for the user: comments of CQL and the statements themselves */
    public TableCreator(Overdrive overdrive, Consumer<String> log) {
        this.overdrive = overdrive;
        this.log = log;
    }

    /** What this object has created so far, for messages: {@code keyspace ks}, {@code table ks.t}. */
    public List<String> created() {
        return List.copyOf(created);
    }

    /**
     * Creates the table of a load if there is none, with a column for each field of the input.
     *
     * @param types of columns that the user gives; the others are found from a sample
     * @throws InputException where the sample leaves types open, where the key is not of the input's columns, where the
     *     table exists with another key or other types than the given ones, or in a dry run if the table does not exist
     */
    public void createForLoad(
            LoadOptions options, CqlIdentifier keyspace, CqlIdentifier table, Key key, Map<String, String> types) {
        Optional<TableMetadata> existing =
                overdrive.session().getMetadata().getKeyspace(keyspace).flatMap(k -> k.getTable(table));
        if (existing.isPresent()) {
            checkSame(existing.get(), key, types);
            return;
        }
        SchemaGuess sample = SchemaGuess.read(options, types);
        TableDefinition definition = new TableDefinition(keyspace, table, sample.columns(), key);
        sample.generatedNames()
                .forEach((number, name) -> log.accept("-- field " + number + " has no name: column " + name
                        + "; give it another with --map \"" + name + " = NAME, * = *\""));
        definition.check(typesOf(keyspace).keySet().stream()
                .map(CqlIdentifier::asInternal)
                .collect(Collectors.toSet()));
        List<Step> steps = steps(definition, /* origin */ null);
        if (options.dryRun()) {
            show(steps);
            throw new InputException("there is no table " + definition.name()
                    + " yet, and a dry run does not create it: run "
                    + (steps.size() == 1 ? "the statement above" : "the statements above in their order")
                    + " first, or leave out --dry-run");
        }
        run(steps, "");
    }

    /**
     * What a copy's target is to be like, if there is no table of its name.
     *
     * @param chosen names of columns that are copied besides the primary key; null for all
     * @throws InputException where the table exists and is not like that, or another thing is in its way
     */
    public Optional<TableLike> missing(
            Overdrive source,
            TableSchema like,
            @Nullable List<String> chosen,
            Mapping mapping,
            CqlIdentifier keyspace,
            CqlIdentifier table) {
        Set<String> descending = SystemSchema.descending(source.session(), like);
        TableLike target = TableLike.of(like, descending, chosen, mapping, keyspace, table);
        if (exists(keyspace, table)) {
            TableSchema existing = overdrive.table(keyspace.asInternal(), table.asInternal());
            target.checkSame(existing, SystemSchema.descending(overdrive.session(), existing));
            return Optional.empty();
        }
        target.refuseConstants(mapping);
        target.checkTypes(typesOf(keyspace));
        target.definition(Map.of()).check(Set.of());
        return Optional.of(target);
    }

    private boolean exists(CqlIdentifier keyspace, CqlIdentifier table) {
        return overdrive
                .session()
                .getMetadata()
                .getKeyspace(keyspace)
                .filter(k -> k.getTable(table).isPresent() || k.getView(table).isPresent())
                .isPresent();
    }

    private Map<CqlIdentifier, UserDefinedType> typesOf(CqlIdentifier keyspace) {
        return overdrive
                .session()
                .getMetadata()
                .getKeyspace(keyspace)
                .map(KeyspaceMetadata::getUserDefinedTypes)
                .orElse(Map.of());
    }

    /**
     * Creates a table like another one, and what it needs and is missing: its keyspace and its user-defined types.
     *
     * @param timesToLive whether rows of the copy live as long as the table says
     * @throws InputException where the server refuses it
     */
    public void createLike(Overdrive source, TableLike table, boolean timesToLive) {
        run(
                stepsLike(source, table, timesToLive),
                ": change the statement above to what this server takes, run it yourself, and copy without --create");
    }

    /** As {@link #createLike}, and shows the statements instead of running them. */
    public void showLike(Overdrive source, TableLike table, boolean timesToLive) {
        show(stepsLike(source, table, timesToLive));
    }

    private List<Step> stepsLike(Overdrive source, TableLike like, boolean timesToLive) {
        CqlSession session = source.session();
        TableOptions options = TableOptions.of(
                SystemSchema.options(session, like.source()), SystemSchema.knownOptions(overdrive.session()));
        List<String> leftOut = SystemSchema.dependents(session, like.source());
        options.leftOut().forEach(option -> leftOut.add("option " + option));
        note(like.source().cqlName() + " has what is not created with the table: ", leftOut);
        note("left out, because the server does not know it: ", options.unknown());
        if (timesToLive && !options.timeToLive().equals("0")) {
            log.accept(
                    "-- copied rows live " + options.timeToLive()
                            + " s from now on, as the table says (default_time_to_live); --keep-times keeps what is left of theirs");
        }
        return steps(like.definition(options.taken()), new Origin(source, like.source()));
    }

    private void note(String what, List<String> names) {
        if (!names.isEmpty()) {
            log.accept("-- " + what + String.join(", ", names));
        }
    }

    /**
     * The columns that a table for this input would have, spelt as in CQL, for a message that asks for a key. Empty for
     * input that can be read only once.
     */
    public static List<String> columnsToChoose(LoadOptions options) {
        if (!options.files().stream().allMatch(InputFile::isRereadable)) {
            return List.of();
        }
        return SchemaGuess.columnNames(options).stream().map(Mapping::spelt).toList();
    }

    /** A table that exists is only loaded into if it is what the user describes. */
    private static void checkSame(TableMetadata table, Key key, Map<String, String> types) {
        String name = table.getKeyspace().asCql(true) + "." + table.getName().asCql(true);
        Key actual = new Key(
                names(table.getPartitionKey()),
                names(table.getClusteringColumns().keySet()));
        if (!actual.equals(key)) {
            throw new InputException(
                    "table " + name + " exists with PRIMARY KEY (" + actual.cql() + "), and --key is \"" + key.cql()
                            + "\": leave out --create to load into it, or give another table");
        }
        types.forEach((column, type) -> {
            String actualType = table.getColumn(CqlIdentifier.fromInternal(column))
                    .map(c -> c.getType().asCql(true, true))
                    .orElse("missing");
            String given = TableDefinition.withoutStatic(type);
            if (!TableDefinition.normal(actualType).equals(TableDefinition.normal(given))) {
                throw new InputException("table " + name + " exists, and its column " + Mapping.spelt(column) + " is "
                        + actualType + ", not " + given
                        + " as --types says: leave out --create to load into it, or give"
                        + " another table");
            }
        });
    }

    private static List<String> names(Collection<ColumnMetadata> columns) {
        return columns.stream().map(c -> c.getName().asInternal()).toList();
    }

    /** Where a table comes from that another one is to be like. */
    private record Origin(Overdrive overdrive, TableSchema table) {
        /** Empty for Cassandra's own keyspaces, which the driver does not know. */
        Map<String, String> replication() {
            return overdrive
                    .session()
                    .getMetadata()
                    .getKeyspace(CqlIdentifier.fromInternal(table.keyspace()))
                    .map(KeyspaceMetadata::getReplication)
                    .orElse(Map.of());
        }
    }

    /** What is missing of a table's keyspace and its user-defined types, and the table, which must not exist. */
    private List<Step> steps(TableDefinition definition, @Nullable Origin origin) {
        List<Step> steps = new ArrayList<>();
        CqlIdentifier keyspace = definition.keyspace();
        if (overdrive.session().getMetadata().getKeyspace(keyspace).isEmpty()) {
            steps.add(new Step(
                    "keyspace " + keyspace.asCql(true),
                    "CREATE KEYSPACE " + keyspace.asCql(true) + " WITH replication = "
                            + replication(keyspace, origin).cql()));
        }
        Set<CqlIdentifier> existing = typesOf(keyspace).keySet();
        definition.types().stream()
                .filter(type -> !existing.contains(type.name()))
                .forEach(type -> steps.add(new Step("type " + type.name(keyspace), type.cql(keyspace))));
        steps.add(new Step("table " + definition.name(), definition.cql()));
        return steps;
    }

    private ReplicationOptions replication(CqlIdentifier keyspace, @Nullable Origin origin) {
        Metadata metadata = overdrive.session().getMetadata();
        ReplicationOptions usual = ReplicationOptions.usual(metadata, USUAL_REPLICAS);
        if (origin == null || origin.replication().isEmpty()) {
            return usual;
        }
        ReplicationOptions own = new ReplicationOptions(origin.replication());
        if (origin.overdrive.isSameCluster(overdrive) ? own.isUsualStrategy() : own.fits(metadata)) {
            return own;
        }
        log.accept("-- keyspace " + keyspace.asCql(true) + " does not get the replication of "
                + CqlIdentifier.fromInternal(origin.table.keyspace()).asCql(true) + ", " + own.cql()
                + ", which does not go by the data centres of this cluster or wants more nodes than they have; to choose"
                + " another one, create the keyspace before");
        return usual;
    }

    private void show(List<Step> steps) {
        steps.forEach(step -> log.accept(step.cql + ";"));
    }

    /** @param wayOut what to do if the server refuses one */
    private void run(List<Step> steps, String wayOut) {
        for (Step step : steps) {
            log.accept("-- creating " + step.what);
            log.accept(step.cql + ";");
            try {
                overdrive.changeSchema(step.cql);
            } catch (QueryValidationException e) {
                throw new InputException(
                        "the server refuses to create " + step.what + ": " + e.getMessage() + wayOut
                                + (created.isEmpty() ? "" : "; created before: " + String.join(", ", created)),
                        e);
            }
            created.add(step.what);
            log.accept("-- created " + step.what);
        }
    }
}
