package io.overdrive.sstable;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.BoundStatementBuilder;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import io.overdrive.SeparateNode;
import io.overdrive.internal.codec.CqlType;
import io.overdrive.sstable.format.SstableSchema;
import io.overdrive.sstable.format.SstableSchema.Column;
import io.overdrive.sstable.format.SstableSchema.Kind;
import io.overdrive.sstable.format.TypeNames;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Random changes of a table on a node: inserts, updates, deletions of all kinds, and of its columns. */
final class RandomChanges {
    private static final int PARTITIONS = 4;

    /** A TTL that has passed when the rows are read. */
    static final int SHORT_TTL = 1;
    /** One that ends after 2038, which only files of Cassandra 5 hold. */
    private static final int LONG_TTL = 600_000_000;

    private static long nextTime = 1_700_000_000_000_000L;

    private final String table;
    private final Random random;
    private final RandomTable values;
    private final List<Column> keys;
    private final List<Column> clustering;
    private List<Column> others;
    private final List<List<byte[]>> partitions = new ArrayList<>();
    /** A few values for each clustering column. */
    private final List<List<byte[]>> clusterings = new ArrayList<>();

    private final Map<String, PreparedStatement> prepared = new HashMap<>();

    RandomChanges(String table, SstableSchema schema, Random random, RandomTable values) {
        this.table = table;
        this.random = random;
        this.values = values;
        Comparator<Column> byPosition = Comparator.comparingInt(Column::position);
        keys = schema.columns().stream()
                .filter(column -> column.kind() == Kind.PARTITION_KEY)
                .sorted(byPosition)
                .toList();
        clustering = schema.columns().stream()
                .filter(Column::isClustering)
                .sorted(byPosition)
                .toList();
        others = others(schema);
        for (int i = 0; i < PARTITIONS; i++) {
            partitions.add(keys.stream().map(this::keyValue).toList());
        }
        for (Column column : clustering) {
            clusterings.add(Stream.generate(() -> value(column.type()))
                    .limit(2 + random.nextInt(3))
                    .toList());
        }
    }

    static String cql(Column column) {
        return CqlIdentifier.fromInternal(column.name()).asCql(true);
    }

    private static List<Column> others(SstableSchema schema) {
        return schema.columns().stream()
                .filter(column -> column.kind() == Kind.STATIC || column.kind() == Kind.REGULAR)
                .toList();
    }

    /** Takes notice of columns and types that have changed. */
    void schema(SstableSchema now) {
        others = others(now);
    }

    /** A value, which now and then is empty. */
    private byte[] value(DataType type) {
        return RandomTable.MAY_BE_EMPTY.contains(CqlType.of(type)) && random.nextInt(20) == 0
                ? new byte[0]
                : values.value(type);
    }

    private byte[] keyValue(Column column) {
        byte[] value = values.value(column.type());
        return value.length == 0 ? keyValue(column) : value; // a key of one column cannot be empty
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    /** Few times, so that some are equal, and not in order. */
    private long time() {
        nextTime += random.nextInt(3);
        return nextTime - random.nextInt(20);
    }

    /** Also before 1970. */
    private long timeOfRow() {
        return random.nextInt(100) == 0 ? -1 - random.nextInt(3) : time();
    }

    private int ttl() {
        return switch (random.nextInt(5)) {
            case 0 -> SHORT_TTL;
            case 1 -> 100_000 + random.nextInt(2);
            case 2 -> SstableNode.hasLongTimes() ? LONG_TTL : 0;
            default -> 0;
        };
    }

    void change() {
        int kind = random.nextInt(20);
        if (kind < 8) {
            insert();
        } else if (kind < 14) {
            update();
        } else if (kind < 16) {
            deleteCells();
        } else if (kind < 17) {
            deleteRow();
        } else if (kind < 19) {
            deleteRange();
        } else if (random.nextInt(3) == 0) {
            run("DELETE FROM " + table + " USING TIMESTAMP " + time(), List.of(), List.of(), keys, any(partitions));
        }
    }

    private void insert() {
        List<Column> columns = new ArrayList<>(keys);
        List<ByteBuffer> bound =
                new ArrayList<>(any(partitions).stream().map(ByteBuffer::wrap).toList());
        for (int i = 0; i < clustering.size(); i++) {
            columns.add(clustering.get(i));
            bound.add(ByteBuffer.wrap(any(clusterings.get(i))));
        }
        for (Column column : others) {
            if (random.nextInt(3) > 0) {
                columns.add(column);
                bound.add(random.nextInt(5) == 0 ? null : ByteBuffer.wrap(value(column.type())));
            }
        }
        String names = columns.stream().map(RandomChanges::cql).collect(Collectors.joining(", "));
        String markers = columns.stream().map(column -> "?").collect(Collectors.joining(", "));
        execute(
                "INSERT INTO " + table + " (" + names + ") VALUES (" + markers + ") USING TIMESTAMP ? AND TTL ?",
                bound,
                timeOfRow(),
                ttl());
    }

    private void update() {
        if (others.isEmpty()) {
            return;
        }
        Column column = any(others);
        DataType type = column.type();
        String name = cql(column);
        List<ByteBuffer> bound = new ArrayList<>();
        String set;
        boolean hasCells = TypeNames.hasCells(TypeNames.column(type));
        if (hasCells && type instanceof UserDefinedType udt) {
            int field = random.nextInt(udt.getFieldNames().size());
            set = name + "." + udt.getFieldNames().get(field).asCql(true) + " = ?";
            bound.add(
                    random.nextInt(4) == 0
                            ? null
                            : ByteBuffer.wrap(values.value(udt.getFieldTypes().get(field))));
        } else if (hasCells && random.nextInt(3) > 0) {
            boolean adds = random.nextInt(3) > 0;
            if (type instanceof MapType map && random.nextBoolean()) {
                set = name + "[?] = ?";
                bound.add(ByteBuffer.wrap(values.value(map.getKeyType())));
                bound.add(adds ? ByteBuffer.wrap(values.value(map.getValueType())) : null);
            } else if (type instanceof ListType && !adds) {
                set = name + " = ? + " + name;
                bound.add(ByteBuffer.wrap(values.value(type)));
            } else {
                set = name + " = " + name + (adds ? " + ?" : " - ?");
                DataType operand = type instanceof MapType map && !adds ? DataTypes.setOf(map.getKeyType()) : type;
                bound.add(ByteBuffer.wrap(values.value(operand)));
            }
        } else {
            set = name + " = ?";
            bound.add(random.nextInt(5) == 0 ? null : ByteBuffer.wrap(value(type)));
        }
        boolean isStatic = column.kind() == Kind.STATIC;
        List<Column> where = new ArrayList<>(keys);
        List<byte[]> key = new ArrayList<>(any(partitions));
        if (!isStatic) {
            addRow(where, key);
        }
        List<ByteBuffer> all = new ArrayList<>(bound);
        key.forEach(value -> all.add(ByteBuffer.wrap(value)));
        execute(
                "UPDATE " + table + " USING TIMESTAMP " + time() + " AND TTL " + ttl() + " SET " + set + " WHERE "
                        + equal(where),
                all);
    }

    private void addRow(List<Column> where, List<byte[]> key) {
        where.addAll(clustering);
        clusterings.forEach(some -> key.add(any(some)));
    }

    private static String equal(List<Column> columns) {
        return columns.stream().map(column -> cql(column) + " = ?").collect(Collectors.joining(" AND "));
    }

    private void deleteCells() {
        if (others.isEmpty()) {
            return;
        }
        Column column = any(others);
        List<Column> where = new ArrayList<>(keys);
        List<byte[]> key = new ArrayList<>(any(partitions));
        if (column.kind() != Kind.STATIC) {
            addRow(where, key);
        }
        String what = cql(column);
        List<ByteBuffer> bound = List.of();
        if (TypeNames.hasCells(TypeNames.column(column.type())) && random.nextBoolean()) {
            if (column.type() instanceof MapType map) {
                what += "[?]";
                bound = List.of(ByteBuffer.wrap(values.value(map.getKeyType())));
            } else if (column.type() instanceof SetType set) {
                what += "[?]";
                bound = List.of(ByteBuffer.wrap(values.value(set.getElementType())));
            }
        }
        run("DELETE " + what + " FROM " + table + " USING TIMESTAMP " + time(), bound, List.of(), where, key);
    }

    private void deleteRow() {
        List<Column> where = new ArrayList<>(keys);
        List<byte[]> key = new ArrayList<>(any(partitions));
        addRow(where, key);
        run("DELETE FROM " + table + " USING TIMESTAMP " + timeOfRow(), List.of(), List.of(), where, key);
    }

    /** Deletes rows with some first clustering columns whose next one is within bounds. */
    private void deleteRange() {
        if (clustering.isEmpty()) {
            return;
        }
        if (clustering.size() > 1 && random.nextInt(4) == 0) {
            deleteSlice();
            return;
        }
        int prefix = random.nextInt(clustering.size());
        List<Column> where = new ArrayList<>(keys);
        List<byte[]> key = new ArrayList<>(any(partitions));
        for (int i = 0; i < prefix; i++) {
            where.add(clustering.get(i));
            key.add(any(clusterings.get(i)));
        }
        List<String> bounds = new ArrayList<>();
        String name = cql(clustering.get(prefix));
        if (random.nextInt(4) > 0) {
            bounds.add(name + (random.nextBoolean() ? " > ?" : " >= ?"));
            key.add(any(clusterings.get(prefix)));
        }
        if (bounds.isEmpty() || random.nextBoolean()) {
            bounds.add(name + (random.nextBoolean() ? " < ?" : " <= ?"));
            key.add(any(clusterings.get(prefix)));
        }
        run("DELETE FROM " + table + " USING TIMESTAMP " + time(), List.of(), bounds, where, key);
    }

    /** Deletes rows between tuples of the first clustering columns: several ranges if some of these are DESC. */
    private void deleteSlice() {
        int size = 2 + random.nextInt(clustering.size() - 1);
        String names = clustering.subList(0, size).stream()
                .map(RandomChanges::cql)
                .collect(Collectors.joining(", ", "(", ")"));
        String markers = "(" + "?, ".repeat(size - 1) + "?)";
        List<byte[]> key = new ArrayList<>(any(partitions));
        List<String> bounds = new ArrayList<>();
        for (String operator : List.of(random.nextBoolean() ? " > " : " >= ", random.nextBoolean() ? " < " : " <= ")) {
            if (bounds.isEmpty() || random.nextBoolean()) {
                bounds.add(names + operator + markers);
                clusterings.subList(0, size).forEach(some -> key.add(any(some)));
            }
        }
        run("DELETE FROM " + table + " USING TIMESTAMP " + time(), List.of(), bounds, keys, key);
    }

    /** Drops a column, or adds one: a new one, or a dropped one again. */
    void alter() {
        List<Column> droppable = others.stream()
                .filter(column -> !(column.type() instanceof UserDefinedType udt) || udt.isFrozen())
                .toList();
        if (droppable.size() > 1 && random.nextInt(3) > 0) {
            Column dropped = any(droppable);
            nextTime = (nextTime / 1000 + 1) * 1000; // as the schema knows milliseconds
            SeparateNode.session()
                    .execute("ALTER TABLE " + table + " DROP " + cql(dropped) + " USING TIMESTAMP " + nextTime);
            if (random.nextBoolean() && !dropped.type().toString().contains("UDT")) {
                SeparateNode.session()
                        .execute("ALTER TABLE " + table + " ADD " + cql(dropped) + " "
                                + dropped.type().asCql(/* includeFrozen */ true, /* pretty */ true)
                                + (dropped.kind() == Kind.STATIC ? " STATIC" : ""));
            }
        } else {
            SeparateNode.session()
                    .execute("ALTER TABLE " + table + " ADD "
                            + values.column("a" + nextTime, values.type(/* lists */ true)));
        }
    }

    private void run(
            String statement, List<ByteBuffer> bound, List<String> conditions, List<Column> where, List<byte[]> key) {
        List<ByteBuffer> all = new ArrayList<>(bound);
        key.forEach(value -> all.add(ByteBuffer.wrap(value)));
        execute(
                statement + " WHERE " + equal(where)
                        + conditions.stream()
                                .map(condition -> " AND " + condition)
                                .collect(Collectors.joining()),
                all);
    }

    private void execute(String statement, List<ByteBuffer> bound, Object... last) {
        List<Object> all = new ArrayList<>(bound);
        BoundStatementBuilder builder = prepared.computeIfAbsent(
                        statement, s -> SeparateNode.session().prepare(s))
                .boundStatementBuilder();
        for (int i = 0; i < bound.size(); i++) {
            builder = bound.get(i) == null ? builder.setToNull(i) : builder.setBytesUnsafe(i, bound.get(i));
        }
        if (last.length > 0) {
            builder = builder.setLong(all.size(), (long) last[0]).setInt(all.size() + 1, (int) last[1]);
        }
        SeparateNode.session().execute(builder.build());
    }
}
