package io.overdrive.internal.write;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.ColumnDefinition;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import io.overdrive.CollectionChange;
import io.overdrive.Grouping;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.WriteOptions;
import io.overdrive.WriteSetting;
import io.overdrive.internal.cql.Columns;
import io.overdrive.internal.cql.CqlStatement;
import io.overdrive.internal.cql.CqlText;
import io.overdrive.internal.cql.PreparedCql;
import io.overdrive.internal.cql.Preparing;
import io.overdrive.internal.names.MessageText;
import io.overdrive.internal.ring.Replication;
import io.overdrive.internal.write.WriteRules.Timestamp;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Decides by which statement rows are written, and how they are grouped, timed and retried: checks the options against the
 * schema and has the server prepare the statement. Thread-safe.
 */
public final class WritePlanner {
    /**
     * Maximum attempts for rows with lists. At 11 microseconds a row, write times stay behind the clock up to 90,000
     * such rows a second.
     */
    private static final int MAX_LIST_ATTEMPTS = 10;

    private final CqlSession session;
    private final WriteOptions options;
    private final Preparing preparing;

    public WritePlanner(CqlSession session, WriteOptions options) {
        this.session = session;
        this.options = options;
        this.preparing = new Preparing(session);
    }

    /**
     * Refuses what {@link #forTable} would refuse without asking the server; also for a table that does not exist yet.
     *
     * @throws OverdriveException of kind SCHEMA
     */
    public static void check(WriteOptions options, TableSchema table) {
        List<Column> columns = chosen(options, table);
        if (table.isCounter()) {
            checkCounters(options, table, columns);
        }
        if (options.cellsOnly() && columns.stream().allMatch(Column::isKey)) {
            throw refusal(
                    "[" + table.cqlName() + "] cellsOnly is set, and no column outside of the primary key is written");
        }
        checkChanges(options, table, columns);
        Column list = replacedList(options, columns);
        if (list != null && !options.allowNonIdempotent()) {
            checkListTimes(options, table, list);
        }
    }

    /**
     * The layout for rows of a table: INSERT, or UPDATE if something is added to existing cells, or rows get no row
     * marker.
     */
    public WriteLayout forTable(TableSchema table) {
        check(options, table);
        return layout(table, chosen(options, table), /* ofRows */ null);
    }

    /**
     * The layout for partitions that have static columns but no row: writes those columns next to the rows of {@link
     * #forTable}.
     *
     * @param ofRows their layout, whose write times these rows get, too
     */
    public WriteLayout forStatics(TableSchema table, WriteLayout ofRows) {
        List<Column> columns = chosen(options, table).stream()
                .filter(c -> c.role() == Role.PARTITION_KEY || c.role() == Role.STATIC)
                .toList();
        return layout(table, columns, ofRows);
    }

    private WriteLayout layout(TableSchema table, List<Column> columns, @Nullable WriteLayout ofRows) {
        List<Column> key = table.columns().stream()
                .filter(c -> c.isKey() && columns.contains(c))
                .toList();
        List<Column> values = columns.stream().filter(c -> !c.isKey()).toList();
        boolean isCounter = table.isCounter();
        boolean isUpdate =
                isCounter || options.cellsOnly() || !options.changes().isEmpty();
        boolean replacesLists = replacedList(options, columns) != null;
        boolean idempotent = !isCounter && !(replacesLists && options.rowTimestamp()) && !addsToLists(options, values);
        Timestamp timestamp = timestampOf(isUpdate, isCounter, replacesLists);
        // In an INSERT the key comes first, so that it is the same prefix in every row of a group.
        List<Column> ordered = new ArrayList<>(isUpdate ? values : key);
        ordered.addAll(isUpdate ? key : values);
        String using = using(timestamp);
        String cql = isUpdate
                ? CqlText.update(table, using, values, options.changes(), key)
                : CqlText.insert(table, ordered, options.ifNotExists(), using);
        PreparedStatement prepared =
                preparing.prepareWithRetries(cql, "[" + table.cqlName() + "] the server refuses the statement");
        CqlIdentifier keyspace = CqlIdentifier.fromInternal(table.keyspace());
        Replication.requireEnough(session.getMetadata(), keyspace, options.consistency(), WriteSetting.CONSISTENCY);
        return new WriteLayout(
                PreparedCql.of(prepared, session),
                keyspace,
                CqlIdentifier.fromInternal(table.table()),
                markers(
                        columns,
                        key,
                        ordered,
                        isUpdate ? 0 : table.partitionKey().size(),
                        timestamp),
                rules(
                        ofRows == null ? groupingOf(table, timestamp) : Grouping.NONE, // a partition has one such row
                        options.gathersSingles(),
                        timestamp,
                        /* isConditional */ options.ifNotExists(),
                        /* severalPartitionsARow */ false,
                        new Effect(
                                replacesLists,
                                idempotent,
                                /* replacesRows */ !isUpdate && !options.ifNotExists(),
                                /* isRepeatable */ idempotent && !replacesLists && !options.ifNotExists(),
                                isCounter)),
                timestamp == Timestamp.NONE
                        ? HiddenValues.none()
                        : HiddenValues.of(
                                session,
                                keyspace,
                                CqlIdentifier.fromInternal(table.table()),
                                values.stream()
                                        .map(c -> new HiddenValues.Written(c.name(), columns.indexOf(c)))
                                        .toList()),
                ofRows == null ? 1 : ofRows.writeTimeStep,
                options.consistency());
    }

    private Timestamp timestampOf(boolean isUpdate, boolean isCounter, boolean replacesLists) {
        if (isCounter || options.ifNotExists()) {
            return Timestamp.NONE;
        }
        if (options.rowTimestamp()) {
            return Timestamp.MARKER;
        }
        // A list that is replaced needs a later write time in a retry; in an UPDATE only the request can have that.
        return !isUpdate ? Timestamp.LAST_MARKER : replacesLists ? Timestamp.REQUEST : Timestamp.MARKER;
    }

    private Grouping groupingOf(TableSchema table, Timestamp timestamp) {
        boolean oneRowAPartition = table.clusteringColumns().isEmpty();
        return options.ifNotExists() // the rows of a batch with conditions are written all or none
                        || timestamp == Timestamp.REQUEST
                        || (oneRowAPartition && options.grouping() == Grouping.PARTITION)
                ? Grouping.NONE
                : options.grouping();
    }

    private String using(Timestamp timestamp) {
        Integer ttl = options.ttl();
        return CqlText.using(options.rowTtl() ? "?" : ttl == null ? null : ttl.toString(), timestamp.hasMarker());
    }

    /** The markers for TTL and write time come first in an UPDATE, and last in an INSERT. */
    private RowMarkers markers(
            List<Column> columns, List<Column> key, List<Column> ordered, int prefix, Timestamp timestamp) {
        boolean isUpdate = prefix == 0;
        int ttls = options.rowTtl() ? 1 : 0;
        int first = isUpdate ? ttls + (timestamp.hasMarker() ? 1 : 0) : 0;
        int using = isUpdate ? 0 : ordered.size();
        return new RowMarkers(
                columns.stream().mapToInt(c -> first + ordered.indexOf(c)).toArray(),
                key.stream().mapToInt(c -> first + ordered.indexOf(c)).toArray(),
                prefix,
                options.rowTtl() ? using : -1,
                timestamp == Timestamp.MARKER ? using + ttls : -1);
    }

    /**
     * The effect of writing a row, once or again.
     *
     * @param writesLists whether it writes lists that are not frozen
     * @param replacesRows as {@link WriteRules#replacesRows}
     * @param isRepeatable as {@link WriteRules#isRepeatable}
     */
    private record Effect(
            boolean writesLists, boolean idempotent, boolean replacesRows, boolean isRepeatable, boolean isCounter) {}

    private WriteRules rules(
            Grouping grouping,
            boolean gathers,
            Timestamp timestamp,
            boolean isConditional,
            boolean severalPartitionsARow,
            Effect effect) {
        boolean needsNewTime =
                effect.writesLists && (timestamp == Timestamp.LAST_MARKER || timestamp == Timestamp.REQUEST);
        // The step between write times follows from it: a large one would make them run ahead of the clock.
        int maxAttempts = needsNewTime ? Math.min(options.maxAttempts(), MAX_LIST_ATTEMPTS) : options.maxAttempts();
        // A gathered row may be sent as often as a single one: whatever fails, all rows of the request are retried.
        boolean gathersSingles = gathers && effect.idempotent && !needsNewTime && timestamp.hasMarker();
        return new WriteRules(
                grouping,
                gathersSingles,
                timestamp,
                new RetryRule(
                        effect.idempotent,
                        needsNewTime,
                        isConditional,
                        /* severalPartitions */ grouping == Grouping.REPLICA_SET || gathersSingles,
                        severalPartitionsARow,
                        maxAttempts),
                options.ifNotExists(),
                effect.replacesRows,
                effect.isRepeatable,
                effect.isCounter);
    }

    private static List<Column> chosen(WriteOptions options, TableSchema table) {
        List<Column> columns = Columns.choose(table, options.columns());
        for (Column column : columns) {
            if (Collections.frequency(columns, column) > 1) {
                throw refusal("[" + table.cqlName() + "] column \"" + column.name() + "\" is given twice");
            }
        }
        boolean onlyStatics = columns.stream().anyMatch(c -> c.role() == Role.STATIC)
                && columns.stream().allMatch(c -> c.role() == Role.STATIC || c.role() == Role.PARTITION_KEY);
        List<Column> needed = onlyStatics
                ? table.partitionKey()
                : table.columns().stream().filter(Column::isKey).toList();
        for (Column key : needed) {
            if (!columns.contains(key)) {
                throw refusal("[" + table.cqlName() + "] primary key column \"" + key.name()
                        + "\" is not among the columns to write: every row needs it");
            }
        }
        return columns;
    }

    private static void checkCounters(WriteOptions options, TableSchema table, List<Column> columns) {
        String counters = "[" + table.cqlName() + "] holds counters";
        if (!options.allowNonIdempotent()) {
            throw refusal(words -> counters + ": a row that is retried after a timeout would be added twice; "
                    + words.of(WriteSetting.ALLOW_NON_IDEMPOTENT) + " accepts that rows which fail are rejected"
                    + " instead of retried" + ofStaticCounters(columns));
        }
        if (options.ifNotExists()) {
            throw refusal(counters + ", which cannot be written with ifNotExists");
        }
        if (options.ttl() != null || options.rowTtl() || options.timestamp() != null || options.rowTimestamp()) {
            throw refusal(counters + ", which have neither TTL nor write time");
        }
        if (columns.stream().allMatch(Column::isKey)) {
            throw refusal(counters + ": at least one of them must be written");
        }
    }

    /** Files of an unload have a static value in the record of each row. */
    private static String ofStaticCounters(List<Column> columns) {
        if (columns.stream().noneMatch(column -> column.role() == Role.CLUSTERING)) {
            return "";
        }
        return columns.stream()
                .filter(column -> column.role() == Role.STATIC)
                .findFirst()
                .map(column -> ", and that static column \"" + column.name()
                        + "\" is added once for each row of its partition that has it")
                .orElse("");
    }

    private static void checkChanges(WriteOptions options, TableSchema table, List<Column> columns) {
        options.changes().forEach((name, change) -> {
            DataType type = columns.stream()
                    .filter(c -> c.name().equals(name) && !c.isKey())
                    .findFirst()
                    .map(Column::type)
                    .orElseThrow(() -> refusal("[" + table.cqlName() + "] collection \"" + name
                            + "\" is to be changed, but is not among the columns to write"));
            if (!mayChange(type, change)) {
                throw refusal("[" + table.cqlName() + "] column \"" + name + "\" is " + type.asCql(true, true)
                        + ", which does not support " + change.name().toLowerCase(Locale.ROOT)
                        + ": lists that are not frozen support add, prepend and remove, sets and maps add and"
                        + " remove");
            }
        });
        if (addsToLists(options, columns) && !options.allowNonIdempotent()) {
            throw refusal(words -> "[" + table.cqlName()
                    + "] elements are added to a list: a row that is retried after a timeout"
                    + " would add them twice; " + words.of(WriteSetting.ALLOW_NON_IDEMPOTENT) + " accepts that rows"
                    + " which fail are rejected instead of retried");
        }
    }

    private static boolean mayChange(DataType type, CollectionChange change) {
        boolean isSetOrMap =
                (type instanceof SetType set && !set.isFrozen()) || (type instanceof MapType map && !map.isFrozen());
        return isList(type) || (isSetOrMap && change != CollectionChange.PREPEND);
    }

    private static boolean addsToLists(WriteOptions options, List<Column> columns) {
        return columns.stream()
                .filter(c -> c.type() instanceof ListType)
                .map(c -> options.changes().get(c.name()))
                .anyMatch(change -> change == CollectionChange.ADD || change == CollectionChange.PREPEND);
    }

    private static boolean isList(DataType type) {
        return type instanceof ListType list && !list.isFrozen();
    }

    private static @Nullable Column replacedList(WriteOptions options, List<Column> columns) {
        return columns.stream()
                .filter(c ->
                        !c.isKey() && isList(c.type()) && !options.changes().containsKey(c.name()))
                .findFirst()
                .orElse(null);
    }

    /** A list that is replaced twice with the same write time has both sets of elements: the server gives each new keys. */
    private static void checkListTimes(WriteOptions options, TableSchema table, Column list) {
        String column = "[" + table.cqlName() + "] column \"" + list.name() + "\" is a list that is not frozen: ";
        if (options.rowTimestamp()) {
            throw refusal(words -> column
                    + "written twice with the same write time, by a retry or a second run, it has each"
                    + " element twice; leave out the column, or the rows' own write times, or accept with "
                    + words.of(WriteSetting.ALLOW_NON_IDEMPOTENT) + " that rows which fail are rejected instead of"
                    + " retried, and that a second run doubles lists");
        }
        if (options.timestamp() != null) {
            throw refusal(words -> column + "a second run with the same " + words.of(WriteSetting.TIMESTAMP)
                    + " would leave it"
                    + " with each element twice, [1, 2, 1, 2] instead of [1, 2]; leave it out, so that a second run"
                    + " has later write times and replaces the lists, or leave out the column, or accept with "
                    + words.of(WriteSetting.ALLOW_NON_IDEMPOTENT) + " if these write times have never been used");
        }
    }

    /**
     * The layout of the user's own statement.
     *
     * @param tables gives the table of a keyspace and a name, or throws
     */
    public WriteLayout forStatement(String cql, BiFunction<String, String, TableSchema> tables) {
        CqlStatement statement = new CqlStatement(cql);
        PreparedStatement prepared =
                preparing.prepare(statement.text(), "[statement] the server refuses the statement");
        if (!statement.writes()) {
            throw refusal("the statement writes nothing, it must be an INSERT, UPDATE or DELETE: " + statement.text());
        }
        if (prepared.getVariableDefinitions().size() == 0) {
            throw refusal("the statement has no markers; write :name where a field's value goes: " + statement.text());
        }
        ColumnDefinition first = prepared.getVariableDefinitions().get(0);
        TableSchema table =
                tables.apply(first.getKeyspace().asInternal(), first.getTable().asInternal());
        List<Column> columns = table.columns();
        List<String> lists =
                columns.stream().filter(c -> isList(c.type())).map(Column::name).toList();
        String list = lists.stream().filter(statement::mayWrite).findFirst().orElse(null);
        boolean idempotent = isIdempotent(statement, lists, list);
        PreparedStatement timed = withTimestamp(statement);
        Timestamp timestamp = timed != null ? Timestamp.LAST_MARKER : timestampOf(statement, prepared, idempotent);
        PreparedCql accepted = PreparedCql.of(timed != null ? timed : prepared, session);
        int given = accepted.markers() - (timestamp == Timestamp.LAST_MARKER ? 1 : 0);
        boolean isCounter = columns.stream().anyMatch(c -> c.type().equals(DataTypes.COUNTER));
        // A request has only one write time: without a marker for it, rows of one request would all have the same.
        boolean mayShare =
                (isCounter || (idempotent && timestamp.hasMarker())) && accepted.partitionMarkers().length > 0;
        Replication.requireEnough(
                session.getMetadata(), first.getKeyspace(), options.consistency(), WriteSetting.CONSISTENCY);
        return new WriteLayout(
                accepted,
                first.getKeyspace(),
                first.getTable(),
                new RowMarkers(
                        IntStream.range(0, given).toArray(),
                        accepted.partitionMarkers(),
                        /* prefix */ 0,
                        /* ttl */ -1,
                        timestamp == Timestamp.MARKER ? statement.writeTimeMarker() : -1),
                rules(
                        mayShare ? options.grouping() : Grouping.NONE,
                        mayShare && options.gathersSingles(),
                        timestamp,
                        statement.isConditional(),
                        statement.mayHaveSeveralPartitions(),
                        new Effect(
                                /* writesLists */ list != null,
                                idempotent,
                                /* replacesRows */ false,
                                /* isRepeatable */ false,
                                isCounter)),
                hidden(statement, first, columns, timestamp),
                /* minWriteTimeStep */ 1,
                options.consistency());
    }

    /**
     * An INSERT without a write time, with a marker for it: then its rows can share a request and keep their order. Null if the server,
     * which decides whether a write time may be added, refuses it, and for other statements.
     */
    private @Nullable PreparedStatement withTimestamp(CqlStatement statement) {
        return statement.writeTime() == CqlStatement.WriteTime.NONE && statement.startsWith("insert")
                ? preparing.tryPrepare(
                        statement.text() + (statement.hasUsing() ? " AND TIMESTAMP ?" : " USING TIMESTAMP ?"))
                : null;
    }

    /** Which of its columns a row gives a value is unknown, as the markers of a statement may have other names. */
    private HiddenValues hidden(
            CqlStatement statement, ColumnDefinition marker, List<Column> columns, Timestamp timestamp) {
        OptionalLong literal = statement.writeTimeLiteral();
        if (timestamp == Timestamp.NONE && literal.isEmpty()) {
            return HiddenValues.none();
        }
        HiddenValues hidden = HiddenValues.of(
                session,
                marker.getKeyspace(),
                marker.getTable(),
                columns.stream()
                        .filter(c -> !c.isKey() && statement.mayWrite(c.name()))
                        .map(c -> new HiddenValues.Written(c.name(), HiddenValues.Written.ANY_ROW))
                        .toList());
        literal.ifPresent(hidden::refuse);
        return hidden;
    }

    /** @param list that the statement may write; null if there is none */
    private boolean isIdempotent(CqlStatement statement, List<String> lists, @Nullable String list) {
        boolean isRepeatable = statement.isIdempotent(lists);
        if (!isRepeatable && !options.allowNonIdempotent()) {
            throw refusal(words ->
                    "the statement may have another effect when it runs twice (a condition, a counter, an append, an"
                            + " element of a list or a function such as now()); "
                            + words.of(WriteSetting.ALLOW_NON_IDEMPOTENT)
                            + " accepts that rows which fail are rejected instead of retried: " + statement.text());
        }
        boolean doublesLists = list != null && statement.writeTime() != CqlStatement.WriteTime.NONE;
        if (doublesLists && !options.allowNonIdempotent()) {
            throw refusal(words -> "the statement writes list \"" + list
                    + "\" with its own write time: a retry with the same write"
                    + " time would leave the list with each element twice; leave out USING TIMESTAMP, so that a retry"
                    + " has a later write time and replaces the list, or accept with "
                    + words.of(WriteSetting.ALLOW_NON_IDEMPOTENT) + " that rows which fail are rejected instead of"
                    + " retried: " + statement.text());
        }
        return isRepeatable && !doublesLists;
    }

    private static Timestamp timestampOf(CqlStatement statement, PreparedStatement prepared, boolean idempotent) {
        return switch (statement.writeTime()) {
            case NONE -> idempotent ? Timestamp.REQUEST : Timestamp.NONE;
            case LITERAL -> Timestamp.NONE;
            case MARKER -> isWriteTime(statement, prepared) ? Timestamp.MARKER : Timestamp.NONE;
        };
    }

    /** Whether the server numbers the markers as we do, so that the one in USING TIMESTAMP is the one with its number. */
    private static boolean isWriteTime(CqlStatement statement, PreparedStatement prepared) {
        ColumnDefinitions markers = prepared.getVariableDefinitions();
        int number = statement.writeTimeMarker();
        if (markers.size() != statement.markers()) {
            return false;
        }
        String name = markers.get(number).getName().asInternal();
        return name.equals(statement.marker(number)) || name.equals("[timestamp]");
    }

    private static OverdriveException refusal(String message) {
        return refusal(MessageText.plain(message));
    }

    private static OverdriveException refusal(MessageText message) {
        return new OverdriveException(Kind.SCHEMA, message);
    }
}
