package io.overdrive.internal.write;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.cql.ColumnDefinition;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import io.overdrive.CollectionChange;
import io.overdrive.Grouping;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.WriteOptions;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.cql.CqlStatement;
import io.overdrive.internal.ring.Replication;
import io.overdrive.internal.wire.Wire;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One prepared statement and the layout of its requests; everything about a column or the protocol that can be known
 * before the first row. Immutable.
 *
 * <p>A slot is a marker of the statement, in the statement's order. Our own statements have the partition key first, so
 * that its bytes are the same prefix in every row of a group and need to be kept once; the write time comes last, and
 * is filled in when the request is built, from the row's position.
 */
public final class WritePlan {
    private static final int TIMESTAMP_FLAG = 0x20;
    private static final int SCHEMA_CHECKS = 20;
    private static final long SCHEMA_CHECK_NANOS = 250_000_000;
    private static final int VALUES_FLAG = 0x01;
    /** At 11 microseconds a row, write times stay behind the clock up to 90,000 rows with lists a second. */
    private static final int MAX_LIST_ATTEMPTS = 10;

    final String cql;
    final CqlIdentifier keyspace;
    private final CqlIdentifier table;
    final String tableName;
    final byte[] preparedId;
    final byte @Nullable [] resultMetadataId;
    final int slots;
    final int prefixSlots;
    final int[] keySlots;
    final int[] requiredSlots;
    final String[] slotNames;
    final DataType[] slotTypes;
    final int[] columnSlots;
    final int ttlSlot;
    final int timestampSlot;
    final boolean pinsTimestamp;
    /** Whether requests carry the write time, because the statement has no marker for it. */
    final boolean requestTimestamp;
    /**
     * Microseconds from the write time of one row to that of the next. More than 1 if rows hold lists that are not
     * frozen: the server gives a list's elements new keys each time, so that a retry with the same write time would double
     * the list. A retry has a later one instead, which is still before the next row's.
     */
    final long writeTimeStep;

    /**
     * How often a request is sent at most. For rows with lists it is bounded, since the step between write times follows
     * from it: a large step would make write times run ahead of the clock.
     */
    final int maxAttempts;

    private final boolean repeatable;
    private final boolean replacesRows;

    final Grouping grouping;
    final boolean idempotent;
    /** Whether rows are written under a condition, by Paxos. */
    final boolean conditional;

    /** Whether it is as good if a row is not written because it is there. */
    final boolean ifNotExists;

    final int batchType;
    private final int consistency;
    private final int protocolVersion;
    private final CodecRegistry codecs;
    private final ProtocolVersion driverProtocolVersion;
    /** What stands before the values of each row in a batch. */
    final byte[] batchRowHeader;

    private WritePlan(Wire wire, WriteOptions options, PreparedStatement prepared, Draft draft) {
        cql = prepared.getQuery();
        protocolVersion = wire.protocolVersion();
        codecs = wire.session().getContext().getCodecRegistry();
        driverProtocolVersion = wire.session().getContext().getProtocolVersion();
        preparedId = array(prepared.getId());
        ByteBuffer metadataId = prepared.getResultMetadataId();
        resultMetadataId =
                protocolVersion >= ProtocolConstants.Version.V5 && metadataId != null ? array(metadataId) : null;
        slots = prepared.getVariableDefinitions().size();
        slotNames = new String[slots];
        slotTypes = new DataType[slots];
        for (int i = 0; i < slots; i++) {
            ColumnDefinition variable = prepared.getVariableDefinitions().get(i);
            slotNames[i] = variable.getName().asInternal();
            slotTypes[i] = variable.getType();
        }
        keySlots = ints(prepared.getPartitionKeyIndices());
        keyspace = draft.keyspace;
        table = draft.table;
        tableName = draft.tableName;
        columnSlots = draft.columnSlots;
        requiredSlots = draft.requiredSlots;
        prefixSlots = draft.prefixSlots;
        ttlSlot = draft.ttlSlot;
        timestampSlot = draft.timestampSlot;
        pinsTimestamp = draft.pinsTimestamp;
        requestTimestamp = draft.requestTimestamp;
        boolean setsTime = draft.pinsTimestamp || draft.requestTimestamp;
        boolean postpones = draft.hasLists && setsTime;
        maxAttempts = postpones ? Math.min(options.maxAttempts(), MAX_LIST_ATTEMPTS) : options.maxAttempts();
        writeTimeStep = postpones ? maxAttempts + 1L : 1;
        grouping = draft.grouping;
        idempotent = draft.idempotent;
        repeatable = draft.repeatable;
        replacesRows = draft.replacesRows;
        conditional = draft.conditional;
        ifNotExists = options.ifNotExists();
        batchType = draft.counter ? ProtocolConstants.BatchType.COUNTER : ProtocolConstants.BatchType.UNLOGGED;
        consistency = options.consistency().getProtocolCode();
        batchRowHeader = batchRowHeader(preparedId, slots);
        Replication.requireEnough(wire.metadata(), keyspace, options.consistency());
    }

    /** A layout without a server, for tests: blob columns, the write time last. */
    WritePlan(int slots, int prefixSlots) {
        this(slots, prefixSlots, Grouping.PARTITION, /* idempotent */ true, /* writeTimeStep */ 1);
    }

    WritePlan(int slots, int prefixSlots, Grouping grouping, boolean idempotent, long writeTimeStep) {
        cql = "";
        keyspace = CqlIdentifier.fromInternal("ks");
        table = CqlIdentifier.fromInternal("t");
        tableName = "ks.t";
        protocolVersion = ProtocolConstants.Version.V5;
        codecs = CodecRegistry.DEFAULT;
        driverProtocolVersion = ProtocolVersion.V5;
        preparedId = new byte[16];
        resultMetadataId = new byte[16];
        this.slots = slots;
        this.prefixSlots = prefixSlots;
        slotNames = new String[slots];
        slotTypes = new DataType[slots];
        Arrays.fill(slotNames, "c");
        Arrays.fill(slotTypes, DataTypes.BLOB);
        keySlots = IntStream.range(0, prefixSlots).toArray();
        requiredSlots = keySlots;
        columnSlots = IntStream.range(0, slots - 1).toArray();
        ttlSlot = -1;
        timestampSlot = -1;
        pinsTimestamp = true;
        requestTimestamp = false;
        this.writeTimeStep = writeTimeStep;
        maxAttempts = 10;
        this.grouping = grouping;
        this.idempotent = idempotent;
        repeatable = true;
        replacesRows = true;
        conditional = false;
        ifNotExists = false;
        batchType = ProtocolConstants.BatchType.UNLOGGED;
        consistency = ProtocolConstants.ConsistencyLevel.LOCAL_QUORUM;
        batchRowHeader = batchRowHeader(preparedId, slots);
    }

    private static byte[] batchRowHeader(byte[] preparedId, int slots) {
        Bytes header = new Bytes(32);
        header.putByte(1);
        header.putShort(preparedId.length);
        header.put(preparedId);
        header.putShort(slots);
        return header.toByteArray();
    }

    /** What differs between the kinds of plan, while it is being found out. */
    private static final class Draft {
        final CqlIdentifier keyspace;
        final CqlIdentifier table;
        final String tableName;
        int[] columnSlots = {};
        int[] requiredSlots = {};
        int prefixSlots;
        int ttlSlot = -1;
        int timestampSlot = -1;
        boolean pinsTimestamp;
        boolean requestTimestamp;
        boolean hasLists;
        Grouping grouping = Grouping.NONE;
        boolean idempotent;
        boolean repeatable;
        boolean replacesRows;
        boolean conditional;
        boolean counter;

        Draft(CqlIdentifier keyspace, CqlIdentifier table, String tableName) {
            this.keyspace = keyspace;
            this.table = table;
            this.tableName = tableName;
        }
    }

    private static byte[] array(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    private static int[] ints(List<Integer> list) {
        return list.stream().mapToInt(Integer::intValue).toArray();
    }

    /**
     * Refuses what {@link #forTable} would refuse without asking the server: also for a table that is yet to be created.
     *
     * @throws OverdriveException of kind SCHEMA
     */
    public static void check(WriteOptions options, TableSchema table) {
        List<Column> columns = chosen(options, table);
        if (table.isCounter()) {
            refuseForCounters(options, table, columns);
        }
        checkChanges(options, table, columns);
        Column list = replacedList(options, columns);
        if (list != null && !options.allowNonIdempotent()) {
            refuseGivenTimes(options, table, list);
        }
    }

    private static @Nullable Column replacedList(WriteOptions options, List<Column> columns) {
        return columns.stream()
                .filter(c ->
                        !c.isKey() && isList(c.type()) && !options.changes().containsKey(c.name()))
                .findFirst()
                .orElse(null);
    }

    /** A plan for rows of a table: our own INSERT, or UPDATE where something is added to what is there. */
    public static WritePlan forTable(Wire wire, WriteOptions options, TableSchema table) {
        check(options, table);
        List<Column> columns = chosen(options, table);
        boolean counter = table.isCounter();
        List<Column> key = new ArrayList<>(table.partitionKey());
        key.addAll(table.clusteringColumns());
        key.removeIf(c -> !columns.contains(c)); // rows of static columns only
        List<Column> values = columns.stream().filter(c -> !c.isKey()).toList();
        Column list = replacedList(options, columns);
        Draft draft = new Draft(
                CqlIdentifier.fromInternal(table.keyspace()),
                CqlIdentifier.fromInternal(table.table()),
                table.cqlName());
        draft.counter = counter;
        draft.hasLists = list != null;
        draft.idempotent = !counter && (list == null || !options.rowTimestamp()) && !addsToLists(options, values);
        draft.replacesRows =
                !counter && !options.ifNotExists() && options.changes().isEmpty();
        draft.repeatable = draft.idempotent && list == null && !options.ifNotExists();
        boolean oneRowAPartition = table.clusteringColumns().isEmpty();
        draft.grouping =
                oneRowAPartition && options.grouping() == Grouping.PARTITION ? Grouping.NONE : options.grouping();
        String cql = counter || !options.changes().isEmpty()
                ? update(draft, options, table, columns, values, key)
                : insert(draft, options, table, columns, values, key);
        return new WritePlan(wire, options, preparePatiently(wire, cql, table.cqlName()), draft);
    }

    /** A list that is replaced twice with the same write time has both sets of elements: the server gives each new keys. */
    private static void refuseGivenTimes(WriteOptions options, TableSchema table, Column list) {
        String column = "[" + table.cqlName() + "] column \"" + list.name() + "\" is a list that is not frozen: ";
        if (options.rowTimestamp()) {
            throw new OverdriveException(
                    Kind.SCHEMA,
                    column + "written twice with the same write time, by a retry or a second run, it has each element"
                            + " twice; leave out the column, or the rows' own write times, or accept with"
                            + " allowNonIdempotent that rows which fail are rejected instead of"
                            + " retried, and that a second run doubles lists");
        }
        if (options.timestamp() != null) {
            throw new OverdriveException(
                    Kind.SCHEMA,
                    column
                            + "a second run with the same timestamp (--timestamp) would leave it with each element twice,"
                            + " [1, 2, 1, 2] instead of [1, 2]; leave out the timestamp, so that a second run has later"
                            + " write times and replaces the lists, or leave out the column, or accept with"
                            + " allowNonIdempotent if these write times have never been used");
        }
    }

    private static String insert(
            Draft draft,
            WriteOptions options,
            TableSchema table,
            List<Column> columns,
            List<Column> values,
            List<Column> key) {
        List<Column> ordered = new ArrayList<>(key);
        ordered.addAll(values);
        draft.columnSlots = columns.stream().mapToInt(ordered::indexOf).toArray();
        draft.requiredSlots = key.stream().mapToInt(ordered::indexOf).toArray();
        draft.prefixSlots = table.partitionKey().size();
        draft.ttlSlot = options.rowTtl() ? ordered.size() : -1;
        draft.timestampSlot = options.rowTimestamp() ? ordered.size() + (options.rowTtl() ? 1 : 0) : -1;
        draft.pinsTimestamp = !options.rowTimestamp() && !options.ifNotExists();
        draft.conditional = options.ifNotExists();
        if (options.ifNotExists()) {
            draft.grouping = Grouping.NONE; // the rows of a batch with conditions are written all or none
        }
        return "INSERT INTO " + table.cqlName() + " ("
                + ordered.stream().map(Column::cqlName).collect(Collectors.joining(", ")) + ") VALUES ("
                + ordered.stream().map(c -> "?").collect(Collectors.joining(", ")) + ")"
                + (options.ifNotExists() ? " IF NOT EXISTS" : "")
                + using(options, /* timestamp */ !options.ifNotExists());
    }

    /** The markers of an UPDATE come in the order USING, SET, WHERE: neither is the key a prefix, nor the write time last. */
    private static String update(
            Draft draft,
            WriteOptions options,
            TableSchema table,
            List<Column> columns,
            List<Column> values,
            List<Column> key) {
        // A list that is replaced needs a later write time when it is sent again, which only the request can have here.
        boolean timed = !draft.counter && (!draft.hasLists || options.rowTimestamp());
        int first = (options.rowTtl() ? 1 : 0) + (timed ? 1 : 0);
        List<Column> ordered = new ArrayList<>(values);
        ordered.addAll(key);
        draft.columnSlots =
                columns.stream().mapToInt(c -> first + ordered.indexOf(c)).toArray();
        draft.requiredSlots =
                key.stream().mapToInt(c -> first + ordered.indexOf(c)).toArray();
        draft.ttlSlot = options.rowTtl() ? 0 : -1;
        draft.timestampSlot = timed ? first - 1 : -1;
        draft.requestTimestamp = !draft.counter && !timed;
        if (draft.requestTimestamp) {
            draft.grouping = Grouping.NONE;
        }
        return "UPDATE " + table.cqlName() + using(options, timed) + " SET "
                + values.stream().map(c -> assignment(options, c)).collect(Collectors.joining(", "))
                + " WHERE "
                + key.stream().map(c -> c.cqlName() + " = ?").collect(Collectors.joining(" AND "));
    }

    private static String assignment(WriteOptions options, Column column) {
        String name = column.cqlName();
        CollectionChange change = column.type().equals(DataTypes.COUNTER)
                ? CollectionChange.ADD
                : options.changes().get(column.name());
        if (change == null) {
            return name + " = ?";
        }
        return switch (change) {
            case ADD -> name + " = " + name + " + ?";
            case PREPEND -> name + " = ? + " + name;
            case REMOVE -> name + " = " + name + " - ?";
        };
    }

    private static String using(WriteOptions options, boolean timestamp) {
        List<String> parts = new ArrayList<>();
        if (options.rowTtl()) {
            parts.add("TTL ?");
        } else if (options.ttl() != null) {
            parts.add("TTL " + options.ttl());
        }
        if (timestamp) {
            parts.add("TIMESTAMP ?");
        }
        return parts.isEmpty() ? "" : " USING " + String.join(" AND ", parts);
    }

    private static boolean addsToLists(WriteOptions options, List<Column> values) {
        return values.stream()
                .filter(c -> c.type() instanceof ListType)
                .map(c -> options.changes().get(c.name()))
                .anyMatch(change -> change == CollectionChange.ADD || change == CollectionChange.PREPEND);
    }

    private static void checkChanges(WriteOptions options, TableSchema table, List<Column> columns) {
        options.changes().forEach((name, change) -> {
            DataType type = columns.stream()
                    .filter(c -> c.name().equals(name) && !c.isKey())
                    .findFirst()
                    .map(Column::type)
                    .orElseThrow(() -> new OverdriveException(
                            Kind.SCHEMA,
                            "[" + table.cqlName() + "] collection \"" + name
                                    + "\" is to be changed, but is not among the columns to write"));
            boolean fits = isList(type)
                    || (change != CollectionChange.PREPEND
                            && (type instanceof SetType set && !set.isFrozen()
                                    || type instanceof MapType map && !map.isFrozen()));
            if (!fits) {
                throw new OverdriveException(
                        Kind.SCHEMA,
                        "[" + table.cqlName() + "] column \"" + name + "\" is " + type.asCql(true, true)
                                + ", which does not know " + change.name().toLowerCase(Locale.ROOT)
                                + ": lists that are not frozen know add, prepend and remove, sets and maps add and"
                                + " remove");
            }
        });
        if (addsToLists(options, columns) && !options.allowNonIdempotent()) {
            throw new OverdriveException(
                    Kind.SCHEMA,
                    "[" + table.cqlName() + "] elements are added to a list: a row that is sent again after a time-out"
                            + " would add them twice; allowNonIdempotent accepts that rows which"
                            + " fail are rejected instead of retried");
        }
    }

    private static List<Column> chosen(WriteOptions options, TableSchema table) {
        List<String> names = options.columns();
        if (names == null) {
            return table.columns();
        }
        List<Column> columns = new ArrayList<>();
        for (String name : names) {
            Column column = table.column(name)
                    .orElseThrow(() -> new OverdriveException(
                            Kind.SCHEMA,
                            "[" + table.cqlName() + "] has no column \"" + name + "\"; its columns are "
                                    + table.columns().stream().map(Column::name).collect(Collectors.joining(", "))));
            if (columns.contains(column)) {
                throw new OverdriveException(
                        Kind.SCHEMA, "[" + table.cqlName() + "] column \"" + name + "\" is given twice");
            }
            columns.add(column);
        }
        boolean onlyStatics = columns.stream().anyMatch(c -> c.role() == TableSchema.Role.STATIC)
                && columns.stream()
                        .allMatch(
                                c -> c.role() == TableSchema.Role.STATIC || c.role() == TableSchema.Role.PARTITION_KEY);
        for (Column key : onlyStatics
                ? table.partitionKey()
                : table.columns().stream().filter(Column::isKey).toList()) {
            if (!columns.contains(key)) {
                throw new OverdriveException(
                        Kind.SCHEMA,
                        "[" + table.cqlName() + "] primary key column \"" + key.name()
                                + "\" is not among the columns to write: every row needs it");
            }
        }
        return columns;
    }

    private static void refuseForCounters(WriteOptions options, TableSchema table, List<Column> columns) {
        if (!options.allowNonIdempotent()) {
            throw new OverdriveException(
                    Kind.SCHEMA,
                    "[" + table.cqlName() + "] holds counters: a row that is sent again after a time-out would be added"
                            + " twice; allowNonIdempotent accepts that rows which fail are"
                            + " rejected instead of retried");
        }
        if (options.ifNotExists()) {
            throw new OverdriveException(
                    Kind.SCHEMA, "[" + table.cqlName() + "] holds counters, which do not know ifNotExists");
        }
        if (options.ttl() != null || options.rowTtl() || options.timestamp() != null || options.rowTimestamp()) {
            throw new OverdriveException(
                    Kind.SCHEMA, "[" + table.cqlName() + "] holds counters, which have neither TTL nor write time");
        }
        if (columns.stream().allMatch(Column::isKey)) {
            throw new OverdriveException(
                    Kind.SCHEMA, "[" + table.cqlName() + "] holds counters: at least one of them must be written");
        }
    }

    /** A plan for a statement of the user's own. */
    public static WritePlan forStatement(Wire wire, WriteOptions options, String cql) {
        CqlStatement parsed = new CqlStatement(cql);
        String statement = parsed.text();
        PreparedStatement prepared = prepare(wire, statement, "statement");
        if (prepared.getVariableDefinitions().size() == 0) {
            throw new OverdriveException(
                    Kind.SCHEMA, "the statement has no markers; write :name where a field's value goes: " + statement);
        }
        ColumnDefinition first = prepared.getVariableDefinitions().get(0);
        CqlIdentifier keyspace = first.getKeyspace();
        Map<CqlIdentifier, ColumnMetadata> columns = wire.session()
                .getMetadata()
                .getKeyspace(keyspace)
                .flatMap(k -> k.getTable(first.getTable()))
                .map(TableMetadata::getColumns)
                .orElse(Map.of());
        boolean counter = columns.values().stream().anyMatch(c -> c.getType().equals(DataTypes.COUNTER));
        List<String> lists = columns.values().stream()
                .filter(c -> isList(c.getType()))
                .map(c -> c.getName().asInternal())
                .toList();
        boolean repeatable = parsed.isIdempotent(/* ofLists */ !lists.isEmpty());
        if (!repeatable && !options.allowNonIdempotent()) {
            throw new OverdriveException(
                    Kind.SCHEMA,
                    "the statement may have another effect when it runs twice (a condition, a counter, an append, an"
                            + " element of a list or a function such as now()); allowNonIdempotent"
                            + " accepts that rows which fail are rejected instead of retried: "
                            + statement);
        }
        String list = lists.stream().filter(parsed::mayWrite).findFirst().orElse(null);
        boolean ownTime = parsed.writeTime() != CqlStatement.WriteTime.NONE;
        boolean doublesLists = list != null && ownTime;
        if (doublesLists && !options.allowNonIdempotent()) {
            throw new OverdriveException(
                    Kind.SCHEMA,
                    "the statement writes list \"" + list
                            + "\" with a write time of its own: a retry with the same write"
                            + " time would leave the list with each element twice; leave out USING TIMESTAMP, so that a"
                            + " retry has a later write time and replaces the list, or accept with allowNonIdempotent"
                            + " that rows which fail are rejected instead of retried: "
                            + statement);
        }
        int timestampSlot = timestampSlot(prepared, parsed);
        boolean pinned = false;
        if (!ownTime && parsed.startsWith("insert")) {
            // The server says whether a write time may be added; then rows can share a request and keep their order.
            PreparedStatement withTimestamp =
                    tryPrepare(wire, statement + (parsed.hasUsing() ? " AND TIMESTAMP ?" : " USING TIMESTAMP ?"));
            if (withTimestamp != null) {
                prepared = withTimestamp;
                pinned = true;
            }
        }
        boolean timed = pinned || timestampSlot >= 0;
        int slots = prepared.getVariableDefinitions().size();
        Draft draft = new Draft(keyspace, first.getTable(), first.getTable().asCql(true));
        draft.columnSlots = new int[pinned ? slots - 1 : slots];
        Arrays.setAll(draft.columnSlots, i -> i);
        draft.requiredSlots = ints(prepared.getPartitionKeyIndices());
        draft.counter = counter;
        draft.hasLists = list != null;
        draft.idempotent = repeatable && !doublesLists;
        draft.conditional = parsed.isConditional();
        draft.timestampSlot = timestampSlot;
        draft.pinsTimestamp = pinned;
        draft.requestTimestamp = draft.idempotent && !timed && !ownTime;
        // Rows without a write time of their own may not share a request: it has only one, and the last row would tie.
        boolean mayShare = counter || (draft.idempotent && timed);
        draft.grouping = mayShare && draft.requiredSlots.length > 0 ? options.grouping() : Grouping.NONE;
        return new WritePlan(wire, options, prepared, draft);
    }

    /** The slot of the marker in USING TIMESTAMP, or -1: that of the marker's number, if the server has counted alike. */
    private static int timestampSlot(PreparedStatement prepared, CqlStatement statement) {
        int marker = statement.writeTimeMarker();
        ColumnDefinitions variables = prepared.getVariableDefinitions();
        if (marker < 0 || variables.size() != statement.markers()) {
            return -1;
        }
        String name = statement.marker(marker);
        String found = variables.get(marker).getName().asInternal();
        return found.equals(name) || found.equals("[timestamp]") ? marker : -1;
    }

    private static boolean isList(DataType type) {
        return type instanceof ListType list && !list.isFrozen();
    }

    /** For a table that we know: a node that has just started, or is slow, may not know it yet. */
    private static PreparedStatement preparePatiently(Wire wire, String cql, String where) {
        for (int i = 0; i < SCHEMA_CHECKS; i++) {
            try {
                return wire.session().prepare(cql);
            } catch (QueryValidationException e) {
                LockSupport.parkNanos(SCHEMA_CHECK_NANOS);
            }
        }
        return prepare(wire, cql, where);
    }

    private static PreparedStatement prepare(Wire wire, String cql, String where) {
        try {
            return wire.session().prepare(cql);
        } catch (QueryValidationException e) {
            throw new OverdriveException(
                    Kind.SCHEMA, "[" + where + "] the server refuses the statement: " + e.getMessage() + ": " + cql, e);
        }
    }

    /** Whether the table that the plan was made for is not there any more, as far as the driver has heard. */
    boolean isTableGone(Metadata metadata) {
        return metadata.getKeyspace(keyspace).flatMap(k -> k.getTable(table)).isEmpty();
    }

    private static @Nullable PreparedStatement tryPrepare(Wire wire, String cql) {
        try {
            return wire.session().prepare(cql);
        } catch (QueryValidationException e) {
            return null; // the answer to the question was no
        }
    }

    /** The columns of the caller, in its order: names as the schema has them, and types. */
    public List<String> columnNames() {
        return Arrays.stream(columnSlots).mapToObj(slot -> slotNames[slot]).toList();
    }

    public List<DataType> columnTypes() {
        return Arrays.stream(columnSlots).mapToObj(slot -> slotTypes[slot]).toList();
    }

    public String cql() {
        return cql;
    }

    public String tableName() {
        return tableName;
    }

    public int slots() {
        return slots;
    }

    public int prefixSlots() {
        return prefixSlots;
    }

    public int[] keySlots() {
        return keySlots;
    }

    /** Slots that must hold a value in every row. */
    public int[] requiredSlots() {
        return requiredSlots;
    }

    /** Column of the caller to slot. */
    public int[] columnSlots() {
        return columnSlots;
    }

    public String[] slotNames() {
        return slotNames;
    }

    public DataType[] slotTypes() {
        return slotTypes;
    }

    /** The slot of the row's time to live, or -1. */
    public int ttlSlot() {
        return ttlSlot;
    }

    /** The slot of the row's own write time, or -1. */
    public int timestampSlot() {
        return timestampSlot;
    }

    /** Whether the last slot is the write time and is filled in when the request is built. */
    public boolean pinsTimestamp() {
        return pinsTimestamp;
    }

    /** Whether each row has its whole primary key in {@link #requiredSlots}, and replaces a row that has the same. */
    public boolean replacesRows() {
        return replacesRows;
    }

    /** Whether rows get their write time here, at least those that have none of their own. */
    public boolean setsWriteTime() {
        return pinsTimestamp || requestTimestamp || timestampSlot >= 0;
    }

    /** Whether the same rows with the same write times, written a second time, change nothing. */
    public boolean isRepeatable() {
        return repeatable;
    }

    /** The latest write time that the row at this position may get, by its last retry. */
    public long lastWriteTime(long baseTimestamp, long position) {
        return writeTime(baseTimestamp, position) + writeTimeStep - 1;
    }

    /** The write time of the row at this position, in microseconds since 1970. */
    public long writeTime(long baseTimestamp, long position) {
        return baseTimestamp + position * writeTimeStep;
    }

    public CodecRegistry codecs() {
        return codecs;
    }

    public ProtocolVersion driverProtocolVersion() {
        return driverProtocolVersion;
    }

    public Grouping grouping() {
        return grouping;
    }

    /** Bytes of a batch besides its rows. */
    int batchOverhead() {
        return 3 + trailerBytes();
    }

    private int trailerBytes() {
        return 2 + flagBytes() + (requestTimestamp ? 8 : 0);
    }

    private int flagBytes() {
        return protocolVersion >= ProtocolConstants.Version.V5 ? 4 : 1;
    }

    /** Bytes of an EXECUTE besides its values. */
    public int executeOverhead() {
        return 2
                + preparedId.length
                + (resultMetadataId == null ? 0 : 2 + resultMetadataId.length)
                + trailerBytes()
                + 2;
    }

    /** Writes the start of a batch and returns where its rows go. */
    int beginBatch(byte[] body, int rows) {
        body[0] = (byte) batchType;
        Bytes.setShort(body, 1, rows);
        return 3;
    }

    /** Writes the end of a batch. */
    void endBatch(byte[] body, int at, long timestamp) {
        Bytes.setShort(body, at, consistency);
        int flags = requestTimestamp ? TIMESTAMP_FLAG : 0;
        at = putFlags(body, at + 2, flags);
        if (requestTimestamp) {
            Bytes.setLong(body, at, timestamp);
        }
    }

    /** Writes the start of an EXECUTE and returns where its values go. */
    public int beginExecute(byte[] body) {
        int at = putShortBytes(body, 0, preparedId);
        if (resultMetadataId != null) {
            at = putShortBytes(body, at, resultMetadataId);
        }
        Bytes.setShort(body, at, consistency);
        at = putFlags(body, at + 2, VALUES_FLAG | (requestTimestamp ? TIMESTAMP_FLAG : 0));
        Bytes.setShort(body, at, slots);
        return at + 2;
    }

    /** Writes the end of an EXECUTE. */
    public void endExecute(byte[] body, int at, long timestamp) {
        if (requestTimestamp) {
            Bytes.setLong(body, at, timestamp);
        }
    }

    private int putFlags(byte[] body, int at, int flags) {
        if (flagBytes() == 4) {
            Bytes.setInt(body, at, flags);
        } else {
            body[at] = (byte) flags;
        }
        return at + flagBytes();
    }

    private static int putShortBytes(byte[] body, int at, byte[] bytes) {
        Bytes.setShort(body, at, bytes.length);
        System.arraycopy(bytes, 0, body, at + 2, bytes.length);
        return at + 2 + bytes.length;
    }
}
