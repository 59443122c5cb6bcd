package io.overdrive.sstable;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.BoundStatementBuilder;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.sstable.SstableSchema.Column;
import io.overdrive.sstable.SstableSchema.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Random changes of random tables on a node, and then its snapshot, read by us, against its own answer to a SELECT. */
class SnapshotIT {
    private static final String KEYSPACE = "snapshots";
    private static final long SEED = Long.getLong("overdrive.seed", 1);
    private static final int TABLES = Integer.getInteger("overdrive.tables", 8);
    private static final int FLUSHES = 4;
    private static final int CHANGES = 60;
    private static final int PARTITIONS = 4;

    private static final List<String> COMPRESSIONS = List.of(
            "{'enabled': 'false'}",
            "{'class': 'LZ4Compressor'}",
            "{'class': 'LZ4Compressor', 'chunk_length_in_kb': 4, 'min_compress_ratio': 1.3}",
            "{'class': 'SnappyCompressor', 'chunk_length_in_kb': 64}",
            "{'class': 'DeflateCompressor', 'chunk_length_in_kb': 8}",
            "{'class': 'ZstdCompressor', 'compression_level': 1}");

    /** A TTL that has passed when the rows are read. */
    private static final int SHORT_TTL = 1;

    private static long nextTime = 1_700_000_000_000_000L;

    @BeforeAll
    static void createKeyspace() {
        TestCluster.session()
                .execute("CREATE KEYSPACE " + KEYSPACE
                        + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        TestCluster.session().execute(RandomTable.typeDdl(KEYSPACE));
    }

    /** A table, and the values of keys that its changes are about. */
    private static final class Changes {
        final String table;
        final Random random;
        final RandomTable values;
        final List<Column> keys;
        final List<Column> clustering;
        final List<Column> others;
        final List<List<byte[]>> partitions = new ArrayList<>();
        /** A few values for each clustering column. */
        final List<List<byte[]>> clusterings = new ArrayList<>();

        private final Map<String, PreparedStatement> prepared = new HashMap<>();

        Changes(String table, SstableSchema schema, Random random, RandomTable values) {
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
            others = schema.columns().stream()
                    .filter(column -> !keys.contains(column) && !clustering.contains(column))
                    .toList();
            for (int i = 0; i < PARTITIONS; i++) {
                partitions.add(keys.stream().map(this::keyValue).toList());
            }
            for (Column column : clustering) {
                clusterings.add(Stream.generate(() -> values.value(column.type()))
                        .limit(2 + random.nextInt(3))
                        .toList());
            }
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

        private int ttl() {
            return switch (random.nextInt(5)) {
                case 0 -> SHORT_TTL;
                case 1 -> 100_000 + random.nextInt(2);
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
            List<ByteBuffer> bound = new ArrayList<>(
                    any(partitions).stream().map(ByteBuffer::wrap).toList());
            for (int i = 0; i < clustering.size(); i++) {
                columns.add(clustering.get(i));
                bound.add(ByteBuffer.wrap(any(clusterings.get(i))));
            }
            for (Column column : others) {
                if (random.nextInt(3) > 0) {
                    columns.add(column);
                    bound.add(random.nextInt(5) == 0 ? null : ByteBuffer.wrap(values.value(column.type())));
                }
            }
            String names = columns.stream().map(Column::name).collect(Collectors.joining(", "));
            String markers = columns.stream().map(column -> "?").collect(Collectors.joining(", "));
            execute(
                    "INSERT INTO " + table + " (" + names + ") VALUES (" + markers + ") USING TIMESTAMP ? AND TTL ?",
                    bound,
                    time(),
                    ttl());
        }

        private void update() {
            if (others.isEmpty()) {
                return;
            }
            Column column = any(others);
            DataType type = column.type();
            String name = column.name();
            List<ByteBuffer> bound = new ArrayList<>();
            String set;
            boolean hasCells = TypeNames.hasCells(TypeNames.column(type));
            if (hasCells && type instanceof UserDefinedType udt) {
                int field = random.nextInt(udt.getFieldNames().size());
                set = name + "." + udt.getFieldNames().get(field).asCql(true) + " = ?";
                bound.add(
                        random.nextInt(4) == 0
                                ? null
                                : ByteBuffer.wrap(
                                        values.value(udt.getFieldTypes().get(field))));
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
                bound.add(random.nextInt(5) == 0 ? null : ByteBuffer.wrap(values.value(type)));
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
            return columns.stream().map(column -> column.name() + " = ?").collect(Collectors.joining(" AND "));
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
            String what = column.name();
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
            run("DELETE FROM " + table + " USING TIMESTAMP " + time(), List.of(), List.of(), where, key);
        }

        /** Of the rows with some first clustering columns, those whose next one is within bounds. */
        private void deleteRange() {
            if (clustering.isEmpty()) {
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
            String name = clustering.get(prefix).name();
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

        private void run(
                String statement,
                List<ByteBuffer> bound,
                List<String> conditions,
                List<Column> where,
                List<byte[]> key) {
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
                            statement, s -> TestCluster.session().prepare(s))
                    .boundStatementBuilder();
            for (int i = 0; i < bound.size(); i++) {
                builder = bound.get(i) == null ? builder.setToNull(i) : builder.setBytesUnsafe(i, bound.get(i));
            }
            if (last.length > 0) {
                builder = builder.setLong(all.size(), (long) last[0]).setInt(all.size() + 1, (int) last[1]);
            }
            TestCluster.session().execute(builder.build());
        }
    }

    @Test
    void readsWhatTheNodeSelectsBeforeAndAfterACompaction() throws Exception {
        List<String> tables = new ArrayList<>();
        List<SstableSchema> schemas = new ArrayList<>();
        List<Changes> changes = new ArrayList<>();
        for (int number = 0; number < TABLES; number++) {
            Random random = new Random(SEED + number);
            RandomTable values = new RandomTable(random, !TestCluster.isBefore5());
            String name = "t" + number;
            String table = KEYSPACE + "." + name;
            TestCluster.session()
                    .execute(
                            values.ddl(
                                    table,
                                    random.nextInt(3),
                                    number % 7 == 3 ? 70 : 1 + random.nextInt(6),
                                    "compression = " + COMPRESSIONS.get(number % COMPRESSIONS.size())
                                            + " AND compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}"));
            tables.add(name);
            schemas.add(schema(name));
            changes.add(new Changes(table, schemas.get(number), random, values));
        }
        for (int flush = 0; flush < FLUSHES; flush++) {
            for (Changes each : changes) {
                for (int i = 0; i < CHANGES; i++) {
                    each.change();
                }
            }
            flush();
        }
        Thread.sleep(1000L * (SHORT_TTL + 1)); // what expires has expired, for the node and for us
        int rows = 0;
        for (int i = 0; i < TABLES; i++) {
            rows += compare(tables.get(i), schemas.get(i));
        }
        assertThat(rows).isGreaterThan(10 * TABLES);
        for (int i = 0; i < TABLES; i++) {
            TestCluster.compact(KEYSPACE, tables.get(i));
            compare(tables.get(i), schemas.get(i));
        }
    }

    /** @return the number of rows */
    private static int compare(String table, SstableSchema schema) throws IOException, JMException {
        List<String> selected = selected(table, schema);
        List<String> read = read(snapshot(table), schema, Map.of());
        assertThat(read).as("seed %d table %s %s", SEED, table, schema).isEqualTo(selected);
        return read.size();
    }

    /** Columns that were dropped, and added anew; a UDT that has got another field; columns that older files lack. */
    @Test
    void readsFilesOfAnOlderSchema() throws Exception {
        String table = KEYSPACE + ".altered";
        TestCluster.session().execute("CREATE TYPE " + KEYSPACE + ".grown (a int)");
        TestCluster.session()
                .execute("CREATE TABLE " + table + " (p int, c int, gone text, goneset set<int>, again int, u grown,"
                        + " fu frozen<grown>, PRIMARY KEY (p, c)) WITH compaction ="
                        + " {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}");
        long old = System.currentTimeMillis() * 1000 - 60_000_000;
        for (int c = 0; c < 5; c++) {
            TestCluster.session()
                    .execute("INSERT INTO " + table + " (p, c, gone, goneset, again, u, fu) VALUES (1, " + c
                            + ", 'x', {1, 2}, 3, {a: 4}, {a: 5}) USING TIMESTAMP " + old);
        }
        // a row that has nothing but what is dropped is none
        TestCluster.session()
                .execute("UPDATE " + table + " USING TIMESTAMP " + old + " SET gone = 'y' WHERE p = 2 AND c = 1");
        flush();
        TestCluster.session().execute("ALTER TABLE " + table + " DROP gone");
        TestCluster.session().execute("ALTER TABLE " + table + " DROP goneset");
        TestCluster.session().execute("ALTER TABLE " + table + " DROP again");
        TestCluster.session().execute("ALTER TABLE " + table + " ADD again int");
        TestCluster.session().execute("ALTER TABLE " + table + " ADD added list<text>");
        TestCluster.session().execute("ALTER TYPE " + KEYSPACE + ".grown ADD b text");
        TestCluster.session()
                .execute("INSERT INTO " + table + " (p, c, again, added, u) VALUES (1, 2, 7, ['z'], {a: 8, b: 'b'})");
        TestCluster.session().execute("UPDATE " + table + " SET u.b = 'c' WHERE p = 1 AND c = 3");
        flush();
        Map<String, Long> dropped = TestCluster.session()
                .execute(SimpleStatement.newInstance(
                        "SELECT column_name, dropped_time FROM system_schema.dropped_columns WHERE keyspace_name = ?"
                                + " AND table_name = 'altered'",
                        KEYSPACE))
                .all()
                .stream()
                .collect(Collectors.toMap(
                        row -> String.valueOf(row.getString(0)),
                        row -> row.get(1, Instant.class).toEpochMilli() * 1000));
        SstableSchema schema = schema("altered");
        List<String> selected = selected("altered", schema);
        assertThat(selected).hasSize(5);
        assertThat(read(snapshot("altered"), schema, dropped)).isEqualTo(selected);
    }

    private static SstableSchema schema(String table) {
        TableMetadata metadata = TestCluster.session()
                .refreshSchema()
                .getKeyspace(KEYSPACE)
                .flatMap(keyspace -> keyspace.getTable(table))
                .orElseThrow();
        List<CqlIdentifier> columns = metadata.getColumns().values().stream()
                .map(ColumnMetadata::getName)
                .toList();
        return SstableSchema.of(metadata, columns);
    }

    private static void flush() throws IOException, JMException {
        TestCluster.jmx(server -> server.invoke(
                new ObjectName("org.apache.cassandra.db:type=StorageService"),
                "forceKeyspaceFlush",
                new Object[] {KEYSPACE, new String[0]},
                new String[] {String.class.getName(), String[].class.getName()}));
    }

    private static Path snapshot(String table) throws IOException, JMException {
        String tag = "s" + System.nanoTime();
        TestCluster.jmx(server -> server.invoke(
                new ObjectName("org.apache.cassandra.db:type=StorageService"),
                "takeSnapshot",
                new Object[] {tag, Map.of(), new String[] {KEYSPACE + "." + table}},
                new String[] {String.class.getName(), Map.class.getName(), String[].class.getName()}));
        try (Stream<Path> walk = Files.walk(TestCluster.directory())) {
            return walk.filter(path -> path.endsWith(Path.of("snapshots", tag)))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static List<String> selected(String table, SstableSchema schema) {
        String columns = schema.columns().stream()
                .map(column -> hasTime(column) ? column.name() + ", writetime(" + column.name() + ")" : column.name())
                .collect(Collectors.joining(", "));
        List<String> rows = new ArrayList<>();
        for (Row row : TestCluster.session().execute("SELECT " + columns + " FROM " + KEYSPACE + "." + table)) {
            StringBuilder shown = new StringBuilder();
            int at = 0;
            for (Column column : schema.columns()) {
                ByteBuffer value = row.getBytesUnsafe(at++);
                show(shown, column.name(), value == null ? null : Bytes.copyOf(value));
                if (hasTime(column)) {
                    shown.append(row.isNull(at) ? "" : "@" + row.getLong(at));
                    at++;
                }
            }
            rows.add(shown.toString());
        }
        return rows;
    }

    private static boolean hasTime(Column column) {
        return (column.kind() == Kind.STATIC || column.kind() == Kind.REGULAR)
                && !TypeNames.hasCells(TypeNames.column(column.type()));
    }

    private static void show(StringBuilder to, String name, byte @Nullable [] value) {
        to.append(' ')
                .append(name)
                .append('=')
                .append(value == null ? "null" : HexFormat.of().formatHex(value));
    }

    private static List<String> read(Path directory, SstableSchema schema, Map<String, Long> dropped)
            throws IOException {
        List<SstableFile> files = new ArrayList<>();
        List<String> rows = new ArrayList<>();
        try {
            for (Path file : SstableFile.list(directory)) {
                files.add(SstableFile.open(file, schema, dropped));
            }
            try (SstableMerge merge = SstableMerge.of(files, System.currentTimeMillis() / 1000)) {
                for (long from : new long[] {Long.MIN_VALUE, 0}) {
                    merge.open(from, from == 0 ? Long.MAX_VALUE : 0);
                    while (merge.next()) {
                        rows.add(shown(merge.row(), schema));
                    }
                }
            }
        } finally {
            files.forEach(SstableFile::close);
        }
        return rows;
    }

    private static String shown(SstableRow row, SstableSchema schema) {
        StringBuilder shown = new StringBuilder();
        for (int i = 0; i < schema.columns().size(); i++) {
            byte[] value =
                    row.isNull(i) ? null : Arrays.copyOfRange(row.array(i), row.start(i), row.start(i) + row.length(i));
            show(shown, schema.columns().get(i).name(), value);
            shown.append(row.writeTime(i) == SstableRow.NO_TIME ? "" : "@" + row.writeTime(i));
        }
        return shown.toString();
    }
}
