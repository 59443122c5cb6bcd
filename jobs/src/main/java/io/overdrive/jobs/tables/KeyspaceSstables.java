package io.overdrive.jobs.tables;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.scan.RowSource;
import io.overdrive.jobs.create.KeyspaceSchema;
import io.overdrive.jobs.tables.TablesJob.Table;
import io.overdrive.sstable.read.SstableBackup;
import io.overdrive.sstable.read.SstableDirectories;
import io.overdrive.sstable.read.SstableFile;
import io.overdrive.sstable.read.SstableRows;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables of a keyspace as SSTables in backups of nodes. Immutable.
 *
 * @param schema the statements that are in the backups; without tables if there are none
 */
public record KeyspaceSstables(
        List<Path> directories, CqlIdentifier keyspace, SstableBackup backup, KeyspaceSchema schema) {
    private static final Logger LOG = LoggerFactory.getLogger(KeyspaceSstables.class);
    private static final int MAX_NAMED = 10;

    /**
     * Finds the tables.
     *
     * @throws OverdriveException as {@link SstableBackup#of} does
     */
    public static KeyspaceSstables of(List<Path> directories, CqlIdentifier keyspace) {
        SstableBackup backup = SstableBackup.of(directories, keyspace.asInternal());
        return new KeyspaceSstables(
                List.copyOf(directories), keyspace, backup, KeyspaceSchema.ofScripts(backup.schemas(), keyspace));
    }

    /**
     * The statements, to create the tables.
     *
     * @throws OverdriveException of kind INPUT if there are none
     */
    public KeyspaceSchema requireSchema() {
        if (schema.tables().isEmpty()) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> "the backups have no schema.cql with tables of keyspace " + keyspace.asCql(true)
                            + ": create the tables yourself, and leave out " + words.of(JobOption.CREATE));
        }
        return schema;
    }

    /**
     * The tables that are selected, all of which are there as a whole.
     *
     * @param cluster must have the same tables; null if the columns come from elsewhere
     * @throws OverdriveException of kind INPUT if one is missing in some place, has another id or several, or if there are several
     *     snapshots; of kind SCHEMA as {@link TableSelection#select(Overdrive)} does
     */
    public List<CqlIdentifier> select(TableSelection selection, @Nullable Overdrive cluster) {
        Optional<KeyspaceMetadata> there = metadata(cluster);
        Set<CqlIdentifier> known =
                there.isPresent() ? there.get().getTables().keySet() : new HashSet<>(schema.tables());
        Set<CqlIdentifier> all = new HashSet<>(known);
        backup.tables().forEach(each -> all.add(CqlIdentifier.fromInternal(each)));
        schema.views().forEach(all::remove);
        there.ifPresent(each -> all.removeAll(each.getViews().keySet()));
        List<CqlIdentifier> selected = selection.select(all, "the backups of keyspace " + keyspace.asCql(true));
        List<String> problems = problems(selected, known, there.orElse(null), cluster != null);
        if (!problems.isEmpty()) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> "not all of " + selection.text() + " can be read from these SSTables: "
                            + problems.stream().limit(MAX_NAMED).collect(Collectors.joining("; "))
                            + (problems.size() > MAX_NAMED ? "; …" : "")
                            + ". To do without a table: " + words.of(JobOption.EXCEPT) + " NAME");
        }
        return selected;
    }

    private Optional<KeyspaceMetadata> metadata(@Nullable Overdrive cluster) {
        if (cluster == null) {
            return Optional.empty();
        }
        return Optional.of(cluster.session()
                .getMetadata()
                .getKeyspace(keyspace)
                .orElseThrow(() -> new OverdriveException(
                        Kind.SCHEMA,
                        "keyspace " + keyspace.asCql(true)
                                + " does not exist, or this user may not see it: the cluster has to have the tables"
                                + " of the SSTables, as schema.cql in a snapshot creates them")));
    }

    private List<String> problems(
            List<CqlIdentifier> selected,
            Set<CqlIdentifier> known,
            @Nullable KeyspaceMetadata cluster,
            boolean isOfCluster) {
        Set<String> found = backup.tables();
        List<String> problems = new ArrayList<>(backup.problems(selected.stream()
                .map(CqlIdentifier::asInternal)
                .filter(found::contains)
                .toList()));
        for (CqlIdentifier each : selected) {
            String name = each.asCql(true);
            if (!found.contains(each.asInternal())) {
                problems.add(name + " is in " + (isOfCluster ? "the cluster" : "schema.cql")
                        + ", and in none of the directories");
            } else if (isOfCluster && !known.contains(each)) {
                problems.add(name + " is in the directories, and not in the cluster");
            } else if (!isOfCluster && !known.isEmpty() && !known.contains(each)) {
                problems.add(name + " has no schema.cql");
            }
            String id = cluster == null
                    ? null
                    : cluster.getTable(each)
                            .flatMap(TableMetadata::getId)
                            .map(UUID::toString)
                            .map(text -> text.replace("-", ""))
                            .orElse(null);
            Set<String> ids = backup.ids(each.asInternal());
            if (id != null && !ids.isEmpty() && !ids.contains(id)) {
                problems.add(name + " has the id " + String.join(", ", ids) + " in the directories, and " + id
                        + " in the cluster, where it was created again since: read it by itself, as one table");
            }
        }
        return problems;
    }

    /** The tables with the sizes of their SSTables. */
    public List<Table> sized(CqlIdentifier in, List<CqlIdentifier> names) {
        return names.stream()
                .map(name -> new Table(in, name, backup.bytes(name.asInternal())))
                .toList();
    }

    /** The SSTables of tables, for a plan. */
    public RowSource.Content content(List<Table> tables) {
        return new RowSource.Content(
                "SSTable",
                /* parts */ 0,
                tables.stream().mapToLong(Table::bytes).sum(),
                RowSource.Way.FILES);
    }

    /** The bytes of the largest partition of each table in one of its SSTables, without compression, by names as spelled in CQL. */
    public Map<String, Long> largestPartitions(Collection<CqlIdentifier> tables) {
        Map<String, Long> largest = new TreeMap<>();
        for (CqlIdentifier each : tables) {
            String name = each.asInternal();
            try {
                SstableDirectories.list(backup.directories(name), keyspace.asInternal(), name).stream()
                        .mapToLong(SstableFile::largestPartition)
                        .max()
                        .ifPresent(bytes -> largest.put(each.asCql(true), bytes));
            } catch (OverdriveException e) {
                LOG.debug("{} will fail for this reason: {}", name, e.getMessage());
            }
        }
        return largest;
    }

    /** Warnings about all tables. */
    public List<String> warnings() {
        return SstableRows.ofNodes(SstableDirectories.nodesWithoutBackup(directories));
    }

    /** Opens the SSTables of a table, whose columns are those that the cluster has. */
    public SstableRows open(Overdrive cluster, Table table) {
        String name = table.name().asInternal();
        return SstableRows.open(
                cluster,
                table.keyspace().asInternal(),
                name,
                backup.directories(name),
                Objects.requireNonNull(keyspace.asInternal()));
    }
}
