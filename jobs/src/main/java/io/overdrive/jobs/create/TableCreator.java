package io.overdrive.jobs.create;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.TableSchema;
import io.overdrive.formats.records.InputFile;
import io.overdrive.internal.cql.TableDescription;
import io.overdrive.internal.disk.WritableDirectory;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import io.overdrive.internal.request.ServerMessage;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.create.TableDefinition.Key;
import io.overdrive.jobs.load.LoadOptions;
import io.overdrive.jobs.load.SchemaGuess;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Creates a missing keyspace and table: for a load with types from a sample of its input, for a copy like its source.
 * Confined to one thread.
 *
 * <p>Nothing is created before the names, the types and the key have been checked.
 */
public final class TableCreator {
    private static final int USUAL_REPLICAS = 3;

    private final Overdrive overdrive;
    private final Consumer<MessageText> log;
    private final List<String> created = new ArrayList<>();
    private final boolean isOfKeyspace;
    /** Names of parts that were shown, each once. */
    private final Set<String> shown = new HashSet<>();

    private Consumer<Map<String, String>> lastCheck = replication -> {};

    /** The steps that create a table, and the replication of its keyspace. */
    private record Creation(Map<String, String> replication, List<Step> steps) {}

    /** A statement, and the name of the object that it creates: {@code keyspace ks}. */
    record Step(String what, String cql) {}

    /** @param log receives lines for the user: CQL comments and the statements themselves */
    public TableCreator(Overdrive overdrive, Consumer<MessageText> log) {
        this(overdrive, log, /* isOfKeyspace */ false);
    }

    private TableCreator(Overdrive overdrive, Consumer<MessageText> log, boolean isOfKeyspace) {
        this.overdrive = overdrive;
        this.log = log;
        this.isOfKeyspace = isOfKeyspace;
    }

    /**
     * Creates many tables of a keyspace, whose indexes and views come later: a run logs their names and not their statements.
     *
     * @param log receives lines for the user
     */
    static TableCreator ofKeyspace(Overdrive overdrive, Consumer<MessageText> log) {
        return new TableCreator(overdrive, log, /* isOfKeyspace */ true);
    }

    /**
     * Adds a check that runs right before the first statement, so that nothing is created if it fails.
     *
     * @param check gets the options of the replication of the table's keyspace
     */
    public void checkLast(Consumer<Map<String, String>> check) {
        lastCheck = check;
    }

    /** The names of the created keyspace and table, for messages: {@code keyspace ks}, {@code table ks.t}. */
    public List<String> created() {
        return List.copyOf(created);
    }

    /**
     * Creates the table of a load if there is none, with a column for each field of the input; a dry run shows the statements
     * instead.
     *
     * @param types of columns that the user gives; the others are found from a sample
     * @return whether the table exists now; false only in a dry run
     * @throws OverdriveException of kind INPUT if the sample does not determine all types, the key is not of the input's columns,
     *     the table exists with another key or other types than the given ones, or rejected records could not be kept
     */
    public boolean createForLoad(
            LoadOptions options, CqlIdentifier keyspace, CqlIdentifier table, Key key, Map<String, String> types) {
        if (checkExisting(overdrive, keyspace, table, key, types)) {
            return true;
        }
        SchemaGuess sample = SchemaGuess.read(options, types, key.columns());
        TableDefinition definition = TableDefinition.of(keyspace, table, sample, key, types.keySet());
        sample.generatedNames()
                .forEach((number, name) -> log.accept(words -> "-- field " + number + " has no name: column " + name
                        + "; give it another with " + words.of(JobOption.MAPPING) + " \"" + name + " = NAME, * = *\""));
        note(
                words -> "no value in the sample, so text unless " + words.of(JobOption.TYPES) + " gives another"
                        + " type: ",
                sample.emptyColumns().stream().map(Mapping::spelt).toList());
        Map<CqlIdentifier, UserDefinedType> existing = typesOf(keyspace);
        definition.check(
                existing.keySet().stream().map(CqlIdentifier::asInternal).collect(Collectors.toSet()));
        definition.checkTypes(existing);
        if (sample.repeatedKeys() > 0) {
            log.accept(words -> "-- in the first " + String.format(Locale.ROOT, "%,d", sample.records()) + " records, "
                    + String.format(Locale.ROOT, "%,d", sample.repeatedKeys()) + " "
                    + (sample.repeatedKeys() == 1 ? "has" : "have") + " the key of an earlier one, and will overwrite"
                    + " it: if these are separate rows, " + words.of(JobOption.KEY) + " needs more columns");
        }
        WritableDirectory.checkRejects(options.rejectDirectory());
        Creation creation = creation(definition, /* origin */ null);
        if (options.dryRun()) {
            show(creation);
            return false;
        }
        run(creation, MessageText.EMPTY);
        return true;
    }

    /**
     * Refuses an existing table that differs from what the user describes.
     *
     * @param key null if the user does not
     * @return whether the table exists
     * @throws OverdriveException of kind INPUT if it has another key or other types than the given ones
     */
    public static boolean checkExisting(
            Overdrive overdrive,
            CqlIdentifier keyspace,
            CqlIdentifier table,
            @Nullable Key key,
            Map<String, String> types) {
        Optional<TableMetadata> existing =
                overdrive.session().getMetadata().getKeyspace(keyspace).flatMap(k -> k.getTable(table));
        existing.ifPresent(found -> checkSame(found, key, types));
        return existing.isPresent();
    }

    /**
     * The table to create as a copy's target, if it does not exist.
     *
     * @param chosen names of columns that are copied besides the primary key; null for all
     * @throws OverdriveException of kind INPUT if the table exists and is not like that, or it cannot be created
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
     * Creates a table like another one, with its keyspace and user-defined types if they are missing.
     *
     * @param timesToLive whether rows of the copy get the table's default time to live
     * @throws OverdriveException of kind INPUT if the server refuses it
     */
    public void createLike(Overdrive source, TableLike table, boolean timesToLive) {
        run(
                creationLike(source, table, timesToLive),
                isOfKeyspace
                        ? words -> ": leave it out with " + words.of(JobOption.EXCEPT)
                                + ", or create one that this server accepts, and copy it by itself"
                        : words ->
                                ": change the statement above to what this server accepts, run it yourself, and copy without "
                                        + words.of(JobOption.CREATE));
    }

    /** As {@link #createLike}, but shows the statements instead of running them. */
    public void showLike(Overdrive source, TableLike table, boolean timesToLive) {
        show(creationLike(source, table, timesToLive));
    }

    private Creation creationLike(Overdrive source, TableLike like, boolean timesToLive) {
        CqlSession session = source.session();
        TableOptions options = TableOptions.of(
                SystemSchema.options(session, like.source()), SystemSchema.knownOptions(overdrive.session()));
        List<String> leftOut = SystemSchema.dependents(session, like.source(), /* withLater */ !isOfKeyspace);
        options.leftOut().forEach(option -> leftOut.add("option " + option));
        note(words -> like.source().cqlName() + " has dependents that are not created with the table: ", leftOut);
        noteUnknown(options);
        if (timesToLive && !options.timeToLive().equals("0")) {
            log.accept(words -> "-- copied rows live " + options.timeToLive() + " s from now on, as the table says"
                    + " (default_time_to_live); " + words.of(JobOption.KEEP_TIMES) + " keeps their remaining time");
        }
        CqlIdentifier from = CqlIdentifier.fromInternal(like.source().keyspace());
        return creation(like.definition(options.taken()), KeyspaceOrigin.of(source, from, overdrive));
    }

    /**
     * Creates a keyspace like another one, if it is missing, and parts of it.
     *
     * @param steps of types, functions and the like
     * @param isDryRun whether statements are shown and not executed
     */
    void create(KeyspaceOrigin origin, CqlIdentifier keyspace, List<Step> steps, boolean isDryRun) {
        List<Step> all = new ArrayList<>();
        Map<String, String> replication = keyspaceSteps(keyspace, origin, all);
        all.addAll(steps);
        if (isDryRun) {
            show(new Creation(replication, all));
        } else {
            run(new Creation(replication, all), MessageText.EMPTY);
        }
    }

    /**
     * The statement of a table with the options that this server supports. Says which are left out.
     *
     * @param create the statement of a server
     */
    String supported(String table, String create) {
        TableOptions options =
                TableOptions.of(TableDescription.of(create).options(), SystemSchema.knownOptions(overdrive.session()));
        note(
                words -> table + " does not get all options, as they depend on the setup of the nodes: ",
                options.leftOut());
        noteUnknown(options);
        return TableDescription.withOptions(create, options.taken());
    }

    /** Says which options are left out; of many tables, each once. */
    private void noteUnknown(TableOptions options) {
        note(
                words -> "left out" + (isOfKeyspace ? " of each table that has it" : "")
                        + ", because the server does not support it: ",
                options.unknown().stream()
                        .filter(option -> !isOfKeyspace || shown.add("option " + option))
                        .toList());
    }

    private void note(MessageText what, List<String> names) {
        if (!names.isEmpty()) {
            log.accept(words -> "-- " + what.in(words) + String.join(", ", names));
        }
    }

    /**
     * The columns that a table for this input would have, as spelled in CQL, for a message about the missing key. Empty
     * for input that can be read only once.
     */
    public static List<String> columnsToChoose(LoadOptions options) {
        if (!options.files().stream().allMatch(InputFile::isRereadable)) {
            return List.of();
        }
        return SchemaGuess.columnNames(options).stream().map(Mapping::spelt).toList();
    }

    private static void checkSame(TableMetadata table, @Nullable Key key, Map<String, String> types) {
        String name = table.getKeyspace().asCql(true) + "." + table.getName().asCql(true);
        Key actual = new Key(
                names(table.getPartitionKey()),
                names(table.getClusteringColumns().keySet()));
        if (key != null && !actual.equals(key)) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> "table " + name + " exists with PRIMARY KEY (" + actual.cql() + "), but "
                            + words.of(JobOption.KEY) + " is \"" + key.cql() + "\": leave out "
                            + words.of(JobOption.CREATE) + " to load into it, or give another table");
        }
        types.forEach((column, type) -> {
            String actualType = table.getColumn(CqlIdentifier.fromInternal(column))
                    .map(c -> c.getType().asCql(true, true))
                    .orElse("missing");
            String given = TableDefinition.withoutStatic(type);
            if (!TableDefinition.normal(actualType).equals(TableDefinition.normal(given))) {
                throw new OverdriveException(
                        Kind.INPUT,
                        words -> "table " + name + " exists, but its column " + Mapping.spelt(column) + " is "
                                + actualType + ", not " + given + " as " + words.of(JobOption.TYPES) + " says: leave"
                                + " out " + words.of(JobOption.CREATE) + " to load into it, or give another table");
            }
        });
    }

    private static List<String> names(Collection<ColumnMetadata> columns) {
        return columns.stream().map(c -> c.getName().asInternal()).toList();
    }

    /** Steps for a table that must not exist, and for its keyspace and user-defined types if they are missing. */
    private Creation creation(TableDefinition definition, @Nullable KeyspaceOrigin origin) {
        List<Step> steps = new ArrayList<>();
        CqlIdentifier keyspace = definition.keyspace();
        Map<String, String> replication = keyspaceSteps(keyspace, origin, steps);
        Set<CqlIdentifier> existing = typesOf(keyspace).keySet();
        definition.types().stream()
                .filter(type -> !existing.contains(type.name()))
                .forEach(type -> steps.add(new Step("type " + type.name(keyspace), type.cql(keyspace))));
        steps.add(new Step("table " + definition.name(), definition.cql()));
        return new Creation(replication, steps);
    }

    /**
     * Adds the step that creates a keyspace, if it is missing.
     *
     * @return its replication
     */
    private Map<String, String> keyspaceSteps(
            CqlIdentifier keyspace, @Nullable KeyspaceOrigin origin, List<Step> steps) {
        Map<String, String> replication = overdrive
                .session()
                .getMetadata()
                .getKeyspace(keyspace)
                .map(KeyspaceMetadata::getReplication)
                .orElse(Map.of());
        if (replication.isEmpty()) {
            ReplicationOptions chosen = replication(keyspace, origin);
            replication = chosen.options();
            steps.add(new Step(
                    "keyspace " + keyspace.asCql(true),
                    "CREATE KEYSPACE " + keyspace.asCql(true) + " WITH replication = " + chosen.cql()
                            + (isOfKeyspace && origin != null && !origin.hasDurableWrites()
                                    ? " AND durable_writes = false"
                                    : "")));
        }
        return replication;
    }

    private ReplicationOptions replication(CqlIdentifier keyspace, @Nullable KeyspaceOrigin origin) {
        Metadata metadata = overdrive.session().getMetadata();
        ReplicationOptions usual = ReplicationOptions.usual(metadata, USUAL_REPLICAS);
        if (origin == null || origin.replication().isEmpty()) {
            return usual;
        }
        ReplicationOptions own = new ReplicationOptions(origin.replication());
        if (origin.isSameCluster() ? own.isUsualStrategy() : own.fits(metadata)) {
            return own;
        }
        if (shown.add("replication of " + keyspace.asCql(true))) {
            log.accept(words -> "-- keyspace " + keyspace.asCql(true) + " does not get the replication of "
                    + origin.keyspace().asCql(true) + ", " + own.cql() + ", which "
                    + (own.isByDatacenter()
                            ? "does not match the data centres of this cluster or needs more nodes than they have"
                            : "names no data centres")
                    + "; to choose another one, create the keyspace beforehand");
        }
        return usual;
    }

    private void show(Creation creation) {
        creation.steps.stream()
                .filter(step -> shown.add(step.what))
                .forEach(step -> log.accept(MessageText.plain(step.cql + ";")));
    }

    /** @param wayOut advice if the server refuses one */
    private void run(Creation creation, MessageText wayOut) {
        lastCheck.accept(creation.replication);
        for (Step step : creation.steps) {
            if (!isOfKeyspace) {
                log.accept(words -> "-- creating " + step.what);
                log.accept(MessageText.plain(step.cql + ";"));
            }
            try {
                overdrive.changeSchema(step.cql);
            } catch (QueryValidationException e) {
                throw new OverdriveException(
                        Kind.INPUT,
                        words -> "the server refuses to create " + step.what + ": "
                                + (e instanceof UnauthorizedException
                                        ? ServerMessage.withWayOutOfUnauthorized(String.valueOf(e.getMessage()))
                                        : e.getMessage())
                                + (e instanceof UnauthorizedException ? "" : wayOut.in(words))
                                + (created.isEmpty() || isOfKeyspace
                                        ? ""
                                        : "; created before: " + String.join(", ", created)),
                        e);
            }
            created.add(step.what);
            log.accept(words -> "-- created " + step.what);
        }
    }
}
