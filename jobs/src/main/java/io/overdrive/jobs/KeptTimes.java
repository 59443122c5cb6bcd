package io.overdrive.jobs;

import com.datastax.oss.driver.api.core.type.ListType;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.WriteOptions;
import io.overdrive.WriteSetting;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import io.overdrive.jobs.expression.Assignments;
import java.util.List;
import java.util.function.Function;

/** Rules of the jobs that keep the write time and the time to live of each cell. Stateless. */
public final class KeptTimes {
    private KeptTimes() {}

    /**
     * Refuses what gives values or rows other times.
     *
     * @param shown the mapping as the user wrote it
     * @throws IllegalArgumentException if an option contradicts kept times
     */
    public static void check(Mapping mapping, String shown, Assignments assignments) {
        if (!assignments.isEmpty()) {
            throw new IllegalOptionException(words -> words.of(JobOption.SET) + " and " + words.of(JobOption.KEEP_TIMES)
                    + " exclude each other: a computed value has no write time of the source");
        }
        if (mapping.usesTtl() || mapping.usesWritetime()) {
            throw new IllegalOptionException(words ->
                    words.of(JobOption.MAPPING) + " \"" + shown + "\": ttl() and writetime() set the times of each"
                            + " row, and " + words.of(JobOption.KEEP_TIMES) + " keeps those of the source: choose one");
        }
    }

    /** Refuses a time to live or a write time of all rows. */
    public static void check(WriteOptions to) {
        if (to.ttl() != null) {
            throw new IllegalOptionException(words -> words.of(JobOption.KEEP_TIMES)
                    + " keeps the time to live of each cell: leave out " + words.of(WriteSetting.TTL));
        }
        if (to.timestamp() != null) {
            throw new IllegalOptionException(words -> words.of(JobOption.KEEP_TIMES)
                    + " keeps the write time of each cell: leave out " + words.of(WriteSetting.TIMESTAMP));
        }
    }

    /** @throws OverdriveException of kind SCHEMA if the table holds counters */
    public static void refuseCounters(TableSchema table) {
        if (table.isCounter()) {
            throw new OverdriveException(
                    Kind.SCHEMA,
                    "[" + table.cqlName() + "] holds counters, which have neither TTL nor write time to be kept");
        }
    }

    /**
     * Refuses a list that is not frozen: the server gives each element a new key, so a second write appends the elements again.
     *
     * @param source the name of the field or column that it comes from
     */
    public static void refuseList(TableSchema target, Column column, String source) {
        if (column.type() instanceof ListType list && !list.isFrozen()) {
            throw new OverdriveException(
                    Kind.SCHEMA,
                    words -> "[" + target.cqlName() + "] column \"" + column.name() + "\" is a list: written"
                            + " twice with the same write time, by a second copy or a resent request, it would"
                            + " have its elements twice; leave it out with " + words.of(JobOption.MAPPING)
                            + " \"* = -" + Mapping.spelt(source) + "\", or accept that with "
                            + words.of(WriteSetting.ALLOW_NON_IDEMPOTENT));
        }
    }

    /**
     * Prepares a read of a table with the times of its cells.
     *
     * @param columns that are read
     * @param wayOut how to leave out columns, from their names
     * @throws OverdriveException of kind SCHEMA if the server does not return the times
     */
    public static Scan scan(
            Overdrive source, ScanOptions options, List<Column> columns, Function<List<String>, MessageText> wayOut) {
        try {
            return source.scanTimes(options);
        } catch (OverdriveException e) {
            List<String> collections = columns.stream()
                    .filter(c -> !c.isKey() && CellConverter.isMultiCell(c.type()))
                    .map(Column::name)
                    .toList();
            if (e.kind() != Kind.SCHEMA || collections.isEmpty()) {
                throw e;
            }
            throw new OverdriveException(
                    Kind.SCHEMA,
                    words -> MessageText.of(e).in(words) + " - servers before Cassandra 5 do not return write times"
                            + " of collections and UDTs that are not frozen; leave them out with "
                            + wayOut.apply(collections).in(words),
                    e);
        }
    }
}
