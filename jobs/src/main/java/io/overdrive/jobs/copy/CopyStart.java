package io.overdrive.jobs.copy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.WriteOptions;
import io.overdrive.WriteSetting;
import io.overdrive.internal.disk.WritableDirectory;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.ring.Replication;
import io.overdrive.internal.scan.RowSource;
import io.overdrive.internal.write.WritePlanner;
import io.overdrive.jobs.KeptTimes;
import io.overdrive.jobs.TargetTable;
import io.overdrive.jobs.WrittenAfter;
import io.overdrive.jobs.create.TableCreator;
import io.overdrive.jobs.create.TableLike;
import io.overdrive.jobs.expression.Assignments;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * State of a copy before its writer is opened: everything that can be checked is checked here. Immutable.
 *
 * @param source the table to read
 * @param missing the target, if it does not exist yet
 * @param keepsMarkers whether the scan also gives the times of row markers, which are kept
 */
record CopyStart(CopyPlan plan, Scan scan, TableSchema source, @Nullable TableLike missing, boolean keepsMarkers) {
    /** @param creator of the target if it is missing; null if it must exist */
    static CopyStart of(
            Overdrive source,
            ScanOptions.Builder read,
            Overdrive target,
            WriteOptions.Builder write,
            CopyOptions options,
            @Nullable TableCreator creator) {
        ScanOptions from = read.build();
        WriteOptions to = write.build();
        source.awaitNode(from.patience());
        target.awaitNode(to.patience());
        TableSchema sourceTable = table(source, from.keyspace(), from.table());
        CqlIdentifier keyspace = CqlIdentifier.fromInternal(named(to.keyspace()));
        CqlIdentifier table = CqlIdentifier.fromInternal(named(to.table()));
        if (isOfCluster(from)
                && sourceTable.keyspace().equals(keyspace.asInternal())
                && sourceTable.table().equals(table.asInternal())
                && source.isSameCluster(target)) {
            throw new OverdriveException(Kind.INPUT, "source and target are the same table, " + sourceTable.cqlName());
        }
        TableLike missing = creator == null
                ? null
                : creator.missing(
                                source,
                                sourceTable,
                                from.columns(),
                                options.mapping()
                                        .besides(Assignments.NONE), // computed columns have types of the source
                                keyspace,
                                table)
                        .orElse(null);
        TableSchema targetTable =
                missing != null ? missing.table() : TargetTable.of(target, keyspace.asInternal(), table.asInternal());
        if (options.keepTimes()) {
            checkTimes(options, sourceTable, targetTable, from);
        }
        WritableDirectory.checkRejects(options.rejectDirectory());
        WritableDirectory.checkSpills(to.spillDirectory());
        CopyPlan plan = CopyPlan.of(sourceTable, targetTable, from.columns(), options.mapping(), options.assignments());
        if (options.keepTimes() && !to.allowNonIdempotent()) {
            for (CopyPlan.Entry entry : plan.entries()) {
                if (entry.column() != null) {
                    KeptTimes.refuseList(
                            targetTable, entry.column(), entry.source().name());
                }
            }
        }
        setTimes(write, to, options);
        for (List<String> columns : List.of(plan.rowColumns(), plan.staticColumns())) {
            if (!columns.isEmpty()) {
                WritePlanner.check(write.columns(columns).build(), targetTable);
            }
        }
        Replication.requireEnough(target.session().getMetadata(), keyspace, to.consistency(), WriteSetting.CONSISTENCY);
        ScanOptions columns =
                read.columns(plan.read().stream().map(Column::name).toList()).build();
        return new CopyStart(
                plan,
                options.keepTimes() ? timed(source, columns, plan) : source.scan(columns),
                sourceTable,
                missing,
                /* keepsMarkers */ options.keepTimes() && !isOfCluster(from));
    }

    private static void checkTimes(CopyOptions options, TableSchema source, TableSchema target, ScanOptions from) {
        KeptTimes.refuseCounters(source);
        KeptTimes.refuseCounters(target);
        if (options.after() != null) {
            WrittenAfter.check(source, from.where());
        }
    }

    private static boolean isOfCluster(ScanOptions from) {
        RowSource source = from.source();
        return source == null || source.isOfCluster();
    }

    private static void setTimes(WriteOptions.Builder write, WriteOptions to, CopyOptions options) {
        if (options.keepTimes()) {
            KeptTimes.check(to);
            write.rowTimestamp().rowTtl();
        }
        if (options.mapping().usesTtl()) {
            write.rowTtl();
        }
        if (options.mapping().usesWritetime()) {
            write.rowTimestamp();
        }
    }

    private static TableSchema table(Overdrive overdrive, @Nullable String keyspace, @Nullable String table) {
        return overdrive.table(named(keyspace), named(table));
    }

    private static String named(@Nullable String part) {
        if (part == null) {
            throw new IllegalArgumentException("a copy goes from a table to a table, not by a statement");
        }
        return part;
    }

    private static Scan timed(Overdrive source, ScanOptions columns, CopyPlan plan) {
        return KeptTimes.scan(
                source,
                columns,
                plan.read(),
                collections -> words ->
                        words.of(JobOption.MAPPING) + " \"* = *, * = [-" + String.join(", -", collections) + "]\"");
    }
}
