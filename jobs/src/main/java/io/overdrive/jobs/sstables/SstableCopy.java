package io.overdrive.jobs.sstables;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.Reach;
import io.overdrive.ScanOptions;
import io.overdrive.WriteOptions;
import io.overdrive.internal.cql.Columns;
import io.overdrive.internal.cql.DroppedColumns;
import io.overdrive.internal.disk.WritableDirectory;
import io.overdrive.jobs.Plan;
import io.overdrive.jobs.copy.Copier;
import io.overdrive.jobs.copy.CopyBuilder;
import io.overdrive.jobs.copy.CopyOptions;
import io.overdrive.jobs.create.TableCreator;
import io.overdrive.sstable.handover.Importers;
import io.overdrive.sstable.handover.SstableOptions;
import io.overdrive.sstable.handover.SstableRefusals;
import org.jspecify.annotations.Nullable;

/**
 * A copy into SSTables that is to be opened, or only checked. Confined to one thread.
 *
 * @param read the source's table; its columns, if any are chosen, come with the primary key
 * @param write the target's table, without columns, which follow from the mapping; its grouping memory and spill directory are used for
 *     sorting, and its limits of requests have no effect
 * @param creator creates the target if it is missing; null if it must exist
 * @param by how the nodes get the SSTables
 */
public record SstableCopy(
        Overdrive source,
        ScanOptions.Builder read,
        Overdrive target,
        WriteOptions.Builder write,
        CopyOptions options,
        @Nullable TableCreator creator,
        SstableOptions by) {
    /**
     * Opens it, and checks everything that can be checked before the first row: the tables, the nodes and how they import, and the
     * directories.
     *
     * @throws OverdriveException as {@link CopyBuilder#open} and {@link SstableTarget#load} do
     */
    public Copier open() {
        WriteOptions to = write.build();
        CopyBuilder copy = builder(to);
        if (creator != null) {
            SstableTarget.checkBefore(creator, target, to, by);
        }
        // the write times of the rows follow, and no drop may come between the two
        DroppedColumns dropped =
                DroppedColumns.of(target.session(), String.valueOf(to.keyspace()), String.valueOf(to.table()));
        try {
            return copy.into(writers -> SstableTarget.open(target, to, options, by, dropped, writers))
                    .open();
        } catch (RuntimeException e) {
            throw SstableTarget.named(e, to);
        }
    }

    /**
     * Checks and plans it. Reads no row, and does not look whether the nodes can import.
     *
     * @throws OverdriveException as {@link #open} does
     */
    public CopyBuilder.Check check() {
        WriteOptions to = write.build();
        CopyBuilder copy = builder(to);
        try {
            CopyBuilder.Check check = copy.check();
            WritableDirectory.checkSpills(to.spillDirectory());
            Reach reach = SstableTarget.reach(target, to);
            if (check.isMissing()) {
                return check.writing(
                        new Plan.WritesSstables("writes", reach, reach.nodes().size(), by.passes()));
            }
            TableMetadata table = SstableRefusals.check(
                    target.session(), to, options.mapping().usesWritetime());
            try (Importers importers = Importers.of(target, table, by)) {
                int nodes = importers.replicas().nodes().size();
                return check.writing(new Plan.WritesSstables("writes", reach, nodes, by.passes()));
            }
        } catch (RuntimeException e) {
            throw SstableTarget.named(e, to);
        }
    }

    /** Checks the tables, and prepares the copy. */
    private CopyBuilder builder(WriteOptions to) {
        SstableRefusals.check(to);
        target.awaitNode(to.patience());
        CqlIdentifier keyspace = CqlIdentifier.fromInternal(String.valueOf(to.keyspace()));
        CqlIdentifier name = CqlIdentifier.fromInternal(String.valueOf(to.table()));
        boolean haveTimes = options.keepTimes() || options.mapping().usesWritetime();
        boolean isMissing =
                Columns.relation(target.session().getMetadata(), keyspace, name).isEmpty();
        if (!isMissing) {
            SstableRefusals.check(target.session(), to, options.mapping().usesWritetime());
        } else if (creator != null) {
            ScanOptions from = read.build();
            SstableRefusals.checkLike(source.table(String.valueOf(from.keyspace()), String.valueOf(from.table())));
        }
        if (!haveTimes) {
            write.allowNonIdempotent(); // as nothing is sent over CQL, lists get the same cells each time
        }
        write.consistency(DefaultConsistencyLevel.LOCAL_ONE); // which it does not need
        return Copier.of(source, read, target, write, options).create(creator);
    }
}
