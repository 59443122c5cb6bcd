package io.overdrive.files;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import io.overdrive.Overdrive;
import io.overdrive.files.TableDefinition.Key;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Creates a keyspace and a table where they are missing, for a load with the types of a sample of its input. Confined to
 * one thread.
 *
 * <p>Nothing is created before all that can be checked is right: the names, the types and the key.
 */
public final class TableCreator {
    private static final int USUAL_REPLICAS = 3;

    private final Overdrive overdrive;
    private final Consumer<String> log;
    private final List<String> created = new ArrayList<>();

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
                .forEach((number, name) -> log.accept("-- field " + number + " has no name: column " + name));
        if (options.dryRun()) {
            check(definition);
            log.accept(definition.cql() + ";");
            throw new InputException("there is no table " + definition.name()
                    + " yet, and a dry run does not create it: run the statement above first, or leave out --dry-run");
        }
        create(definition);
    }

    /**
     * Creates the keyspace, if there is none, and the table, which must not exist.
     *
     * @throws InputException where something is wrong with the definition, or the server refuses it
     */
    public void create(TableDefinition definition) {
        check(definition);
        CqlIdentifier keyspace = definition.keyspace();
        Metadata metadata = overdrive.session().getMetadata();
        if (metadata.getKeyspace(keyspace).isEmpty()) {
            run("keyspace " + keyspace.asCql(true), createKeyspace(keyspace, metadata));
        }
        run("table " + definition.name(), definition.cql());
    }

    private void check(TableDefinition definition) {
        definition.check(overdrive
                .session()
                .getMetadata()
                .getKeyspace(definition.keyspace())
                .map(k -> names(k.getUserDefinedTypes().keySet()))
                .orElse(Set.of()));
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

    private static Set<String> names(Set<CqlIdentifier> identifiers) {
        return identifiers.stream().map(CqlIdentifier::asInternal).collect(Collectors.toSet());
    }

    private static List<String> names(Collection<ColumnMetadata> columns) {
        return columns.stream().map(c -> c.getName().asInternal()).toList();
    }

    private static String createKeyspace(CqlIdentifier keyspace, Metadata metadata) {
        List<Node> local = metadata.getNodes().values().stream()
                .filter(n -> n.getDistance() == NodeDistance.LOCAL)
                .toList();
        String datacenter =
                local.isEmpty() ? "datacenter1" : String.valueOf(local.get(0).getDatacenter());
        return "CREATE KEYSPACE " + keyspace.asCql(true) + " WITH replication = {'class': 'NetworkTopologyStrategy', '"
                + datacenter.replace("'", "''") + "': " + Math.max(1, Math.min(USUAL_REPLICAS, local.size())) + "}";
    }

    private void run(String what, String cql) {
        log.accept("-- creating " + what);
        log.accept(cql + ";");
        try {
            overdrive.changeSchema(cql);
        } catch (QueryValidationException e) {
            throw new InputException(
                    "the server refuses to create " + what + ": " + e.getMessage()
                            + (created.isEmpty() ? "" : "; created before: " + String.join(", ", created)),
                    e);
        }
        created.add(what);
        log.accept("-- created " + what);
    }
}
