package io.overdrive.sstable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import io.overdrive.OverdriveException;
import io.overdrive.SeparateNode;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.sstable.format.SstableSchema;
import io.overdrive.sstable.format.SstableSchema.Column;
import io.overdrive.sstable.format.SstableSchema.Kind;
import io.overdrive.sstable.format.TypeNames;
import io.overdrive.sstable.read.SstableDirectories;
import io.overdrive.sstable.read.SstableFile;
import io.overdrive.sstable.read.SstableMerge;
import io.overdrive.sstable.read.SstableRow;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random changes of random tables on a node, with some compactions between them, and then its snapshot, read by us, against its own answer
 * to a SELECT.
 */
@Tag("server")
public class SnapshotIT {
    private static final String KEYSPACE = "snapshots";
    private static final long SEED = Long.getLong("overdrive.seed", 1);
    private static final int TABLES = Integer.getInteger("overdrive.tables", 8);
    private static final int FLUSHES = 4;
    private static final int CHANGES = 60;

    private static final List<String> COMPRESSIONS = List.of(
            "{'enabled': 'false'}",
            "{'class': 'LZ4Compressor'}",
            "{'class': 'LZ4Compressor', 'chunk_length_in_kb': 4, 'min_compress_ratio': 1.3}",
            "{'class': 'SnappyCompressor', 'chunk_length_in_kb': 64}",
            "{'class': 'DeflateCompressor', 'chunk_length_in_kb': 8}",
            "{'class': 'ZstdCompressor', 'compression_level': 1}");

    @BeforeAll
    static void createKeyspace() {
        SeparateNode.keyspace(KEYSPACE);
        RandomTable.typeDdl(KEYSPACE).forEach(SeparateNode.session()::execute);
    }

    @Test
    void readsWhatTheNodeSelectsBeforeAndAfterACompaction() throws Exception {
        List<String> tables = new ArrayList<>();
        List<SstableSchema> schemas = new ArrayList<>();
        List<RandomChanges> changes = new ArrayList<>();
        RandomTable.KeyTypes keys = new RandomTable.KeyTypes(new Random(SEED));
        for (int number = 0; number < TABLES; number++) {
            Random random = new Random(SEED + number);
            RandomTable values = new RandomTable(random, !SstableNode.isBefore5(), /* asciiCollections */ true);
            String name = "t" + number;
            String table = KEYSPACE + "." + name;
            SeparateNode.session()
                    .execute(values.ddl(
                            table,
                            keys,
                            random.nextInt(3),
                            number % 7 == 3 ? 70 : 1 + random.nextInt(6),
                            "compression = " + COMPRESSIONS.get(number % COMPRESSIONS.size())
                                    + " AND gc_grace_seconds = " + (random.nextBoolean() ? 0 : 864_000)
                                    + " AND compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled':"
                                    + " 'false'}"));
            tables.add(name);
            schemas.add(schema(name));
            changes.add(new RandomChanges(table, schemas.get(number), random, values));
        }
        Random compactions = new Random(SEED);
        for (int flush = 0; flush < FLUSHES; flush++) {
            if (flush == 2) {
                SeparateNode.session().execute("ALTER TYPE " + KEYSPACE + "." + RandomTable.UDT + " ADD later text");
            }
            for (int number = 0; number < TABLES; number++) {
                RandomChanges each = changes.get(number);
                if (flush > 0 && number % 2 == 0) {
                    each.alter();
                }
                schemas.set(number, schema(tables.get(number)));
                each.schema(schemas.get(number));
                for (int i = 0; i < CHANGES; i++) {
                    each.change();
                }
            }
            flush();
            for (int number = 0; number < TABLES; number++) {
                if (compactions.nextInt(3) == 0) {
                    compactSome(tables.get(number), compactions);
                }
            }
        }
        Thread.sleep(1000L * (RandomChanges.SHORT_TTL + 1)); // what expires has expired, for the node and for us
        int rows = 0;
        for (int i = 0; i < TABLES; i++) {
            rows += compare(tables.get(i), schemas.get(i));
        }
        assertThat(rows).isGreaterThan(10 * TABLES);
        for (int i = 0; i < TABLES; i++) {
            SstableNode.compact(KEYSPACE, tables.get(i));
            compare(tables.get(i), schemas.get(i));
        }
    }

    /** Makes one SSTable of some that a table has. */
    private static void compactSome(String table, Random random) throws IOException, JMException {
        List<String> live;
        try (Stream<Path> files = Files.list(directory(table))) {
            live = files.map(Path::toString)
                    .filter(file -> file.endsWith("-Data.db"))
                    .sorted()
                    .toList();
        }
        int from = random.nextInt(live.size());
        String chosen = String.join(",", live.subList(from, Math.min(live.size(), from + 2)));
        SstableNode.jmx(server -> server.invoke(
                new ObjectName("org.apache.cassandra.db:type=CompactionManager"),
                "forceUserDefinedCompaction",
                new Object[] {chosen},
                new String[] {String.class.getName()}));
    }

    /** @return the number of rows */
    private static int compare(String table, SstableSchema schema) throws IOException, JMException {
        List<String> selected = selected(table, schema);
        List<String> read = read(snapshot(table), schema, dropped(table));
        assertThat(read).as("seed %d table %s %s", SEED, table, schema).isEqualTo(selected);
        return read.size();
    }

    /** Columns that were dropped, and added again; a UDT that got another field; columns that older files lack. */
    @Test
    void readsFilesOfAnOlderSchema() throws Exception {
        String table = KEYSPACE + ".altered";
        SeparateNode.session().execute("CREATE TYPE " + KEYSPACE + ".grown (a int)");
        SeparateNode.session()
                .execute("CREATE TABLE " + table + " (p int, c int, gone text, goneset set<int>, again int, u grown,"
                        + " fu frozen<grown>, PRIMARY KEY (p, c)) WITH compaction ="
                        + " {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}");
        long old = System.currentTimeMillis() * 1000 - 60_000_000;
        for (int c = 0; c < 5; c++) {
            SeparateNode.session()
                    .execute("INSERT INTO " + table + " (p, c, gone, goneset, again, u, fu) VALUES (1, " + c
                            + ", 'x', {1, 2}, 3, {a: 4}, {a: 5}) USING TIMESTAMP " + old);
        }
        // a row that has nothing but what is dropped is none
        SeparateNode.session()
                .execute("UPDATE " + table + " USING TIMESTAMP " + old + " SET gone = 'y' WHERE p = 2 AND c = 1");
        flush();
        SeparateNode.session().execute("ALTER TABLE " + table + " DROP gone");
        SeparateNode.session().execute("ALTER TABLE " + table + " DROP goneset");
        SeparateNode.session().execute("ALTER TABLE " + table + " DROP again");
        SeparateNode.session().execute("ALTER TABLE " + table + " ADD again int");
        SeparateNode.session().execute("ALTER TABLE " + table + " ADD added list<text>");
        SeparateNode.session().execute("ALTER TYPE " + KEYSPACE + ".grown ADD b text");
        SeparateNode.session()
                .execute("INSERT INTO " + table + " (p, c, again, added, u) VALUES (1, 2, 7, ['z'], {a: 8, b: 'b'})");
        SeparateNode.session().execute("UPDATE " + table + " SET u.b = 'c' WHERE p = 1 AND c = 3");
        flush();
        SstableSchema schema = schema("altered");
        List<String> selected = selected("altered", schema);
        assertThat(selected).hasSize(5);
        assertThat(read(snapshot("altered"), schema, dropped("altered"))).isEqualTo(selected);
    }

    /** Values of the first type from before the drop, and of the second from after it, some of them in one file. */
    @Test
    void readsColumnsThatWereAddedAgainWithAnotherType() throws Exception {
        List<List<String>> changes = List.of(
                List.of("text", "'old'", "blob", "0x00ff"),
                List.of("ascii", "'old'", "text", "'n\u00e9w'"),
                List.of("bigint", "1", "timestamp", "2"),
                List.of("timestamp", "1", "bigint", "2"),
                List.of(
                        "timeuuid",
                        "3bf86420-e05b-11ee-b62b-42010a800002",
                        "uuid",
                        "00000000-0000-4000-8000-000000000000"),
                List.of("smallint", "1", "blob", "0x02"),
                List.of("decimal", "1.5", "blob", "0x02"),
                List.of("duration", "1d", "blob", "0x02"),
                List.of("varint", "1", "blob", "0x02"),
                List.of("inet", "'1.2.3.4'", "blob", "0x02"),
                List.of("set<ascii>", "{'old'}", "set<text>", "{'n\u00e9w'}"),
                List.of("map<int, ascii>", "{1: 'old'}", "map<int, text>", "{2: 'n\u00e9w'}"),
                List.of("frozen<list<ascii>>", "['old']", "frozen<list<text>>", "['n\u00e9w']"),
                List.of("tuple<int, ascii>", "(1, 'old')", "tuple<int, text>", "(2, 'n\u00e9w')"));
        for (int i = 0; i < changes.size(); i++) {
            List<String> change = changes.get(i);
            String name = "retyped" + i;
            String table = KEYSPACE + "." + name;
            SeparateNode.session()
                    .execute("CREATE TABLE " + table + " (p int, c int, v " + change.get(0) + ", s " + change.get(0)
                            + " STATIC, w int, PRIMARY KEY (p, c)) WITH compaction ="
                            + " {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}");
            for (boolean isFlushed : new boolean[] {true, false}) {
                insert(table, isFlushed ? 1 : 2, change.get(1));
                if (isFlushed) {
                    flush();
                }
            }
            for (String column : List.of("v", "s")) {
                String isStatic = column.equals("s") ? " STATIC" : "";
                SeparateNode.session().execute("ALTER TABLE " + table + " DROP " + column);
                SeparateNode.session()
                        .execute("ALTER TABLE " + table + " ADD " + column + " " + change.get(2) + isStatic);
            }
            insert(table, 3, change.get(3));
            SeparateNode.session().execute("UPDATE " + table + " SET v = " + change.get(3) + " WHERE p = 1 AND c = 1");
            SstableSchema schema = schema(name);
            assertThat(compare(name, schema)).as("%s", change).isEqualTo(3);
        }
    }

    private static void insert(String table, int key, String value) {
        SeparateNode.session()
                .execute("INSERT INTO " + table + " (p, c, v, s, w) VALUES (" + key + ", " + key + ", " + value + ", "
                        + value + ", 1)");
    }

    /** Files of indexes are beside those of the rows, or in their own directories. */
    @Test
    void readsATableWithIndexes() throws Exception {
        String table = KEYSPACE + ".indexed";
        SeparateNode.session().execute("CREATE TABLE " + table + " (p int, c int, a text, b text, PRIMARY KEY (p, c))");
        SeparateNode.session().execute("CREATE INDEX ON " + table + " (a)");
        if (!SstableNode.isBefore5()) {
            SeparateNode.session().execute("CREATE INDEX by_b ON " + table + " (b) USING 'sai'");
        }
        for (int i = 0; i < 20; i++) {
            SeparateNode.session()
                    .execute("INSERT INTO " + table + " (p, c, a, b) VALUES (" + i % 3 + ", " + i + ", 'a" + i % 5
                            + "', 'b" + i + "')");
        }
        flush();
        SstableSchema schema = schema("indexed");
        assertThat(compare("indexed", schema)).isEqualTo(20);
    }

    /** The server keeps rows of the first by a column that is not in the schema, and columns of the second as static ones. */
    @Test
    void refusesCompactStorageWithNothingButTheKeyOrWithoutClustering() throws Exception {
        for (String definition : List.of("p int, c int, PRIMARY KEY (p, c)", "p int PRIMARY KEY, c int")) {
            String name = "compact" + definition.length();
            SeparateNode.session()
                    .execute("CREATE TABLE " + KEYSPACE + "." + name + " (" + definition + ") WITH COMPACT STORAGE");
            SeparateNode.session().execute("INSERT INTO " + KEYSPACE + "." + name + " (p, c) VALUES (1, 2)");
            SstableSchema schema = schema(name);
            Path snapshot = snapshot(name);
            assertThat(selected(name, schema)).hasSize(1);
            assertThatThrownBy(() -> read(snapshot, schema, dropped(name)))
                    .isInstanceOf(OverdriveException.class)
                    .hasMessageContaining(snapshot.toString());
        }
    }

    @Test
    void saysThatCompactStorageMayBeWhyAClusteringColumnHasNoValue() throws Exception {
        String table = KEYSPACE + ".compactkeys";
        SeparateNode.session()
                .execute("CREATE TABLE " + table
                        + " (p int, c int, d int, v int, PRIMARY KEY (p, c, d)) WITH COMPACT STORAGE");
        SeparateNode.session().execute("INSERT INTO " + table + " (p, c, v) VALUES (1, 2, 3)");
        SstableSchema schema = schema("compactkeys");
        Path snapshot = snapshot("compactkeys");
        assertThatThrownBy(() -> read(snapshot, schema, dropped("compactkeys")))
                .isInstanceOf(OverdriveException.class)
                .hasMessageContaining(
                        "-Data.db has a row without a value of clustering column \"d\", as tables have that were"
                                + " created WITH COMPACT STORAGE, also after it was dropped: read the table over CQL; if");
    }

    @Test
    void readsCompactStorageWithAColumn() throws Exception {
        String table = KEYSPACE + ".compactvalue";
        SeparateNode.session()
                .execute("CREATE TABLE " + table + " (p int, c int, v text, PRIMARY KEY (p, c)) WITH COMPACT STORAGE");
        SeparateNode.session().execute("INSERT INTO " + table + " (p, c, v) VALUES (1, 2, 'a')");
        SeparateNode.session().execute("INSERT INTO " + table + " (p, c, v) VALUES (1, 3, 'b')");
        SeparateNode.session().execute("DELETE v FROM " + table + " WHERE p = 1 AND c = 3");
        assertThat(compare("compactvalue", schema("compactvalue"))).isOne();
    }

    private static Map<String, Long> dropped(String table) {
        return SeparateNode.session()
                .execute(SimpleStatement.newInstance(
                        "SELECT column_name, dropped_time FROM system_schema.dropped_columns WHERE keyspace_name = ?"
                                + " AND table_name = ?",
                        KEYSPACE,
                        table))
                .all()
                .stream()
                .collect(Collectors.toMap(
                        row -> String.valueOf(row.getString(0)),
                        row -> row.get(1, Instant.class).toEpochMilli() * 1000));
    }

    private static SstableSchema schema(String table) {
        TableMetadata metadata = SeparateNode.session()
                .getMetadata()
                .getKeyspace(KEYSPACE)
                .flatMap(keyspace -> keyspace.getTable(table))
                .orElseThrow();
        List<CqlIdentifier> columns = metadata.getColumns().values().stream()
                .map(ColumnMetadata::getName)
                .toList();
        return SstableSchema.of(metadata, columns);
    }

    /** Flushes some tables, or all if none are given, and waits for flushes for other reasons, too. */
    private static void flush(String... tables) throws IOException, JMException {
        SstableNode.jmx(server -> server.invoke(
                new ObjectName("org.apache.cassandra.db:type=StorageService"),
                "forceKeyspaceFlush",
                new Object[] {KEYSPACE, tables},
                new String[] {String.class.getName(), String[].class.getName()}));
    }

    /** A snapshot alone lacks rows that a flush for another reason is writing: Cassandra does not wait for it. */
    private static Path snapshot(String table) throws IOException, JMException {
        flush(table);
        String tag = "s" + System.nanoTime();
        SstableNode.jmx(server -> server.invoke(
                new ObjectName("org.apache.cassandra.db:type=StorageService"),
                "takeSnapshot",
                new Object[] {tag, Map.of(), new String[] {KEYSPACE + "." + table}},
                new String[] {String.class.getName(), Map.class.getName(), String[].class.getName()}));
        return directory(table).resolve("snapshots").resolve(tag);
    }

    /** The directory of a table of this name that was dropped may be there, too. */
    private static Path directory(String table) {
        UUID id = SeparateNode.session()
                .getMetadata()
                .getKeyspace(KEYSPACE)
                .flatMap(keyspace -> keyspace.getTable(table))
                .flatMap(TableMetadata::getId)
                .orElseThrow();
        return SeparateNode.cluster()
                .directory()
                .resolve("node1/data/" + KEYSPACE)
                .resolve(table + "-" + id.toString().replace("-", ""));
    }

    private static List<String> selected(String table, SstableSchema schema) {
        String columns = schema.columns().stream()
                .map(column -> {
                    String name = RandomChanges.cql(column);
                    return hasTime(column) ? name + ", writetime(" + name + "), ttl(" + name + ")" : name;
                })
                .collect(Collectors.joining(", "));
        List<String> rows = new ArrayList<>();
        for (Row row : SeparateNode.session().execute("SELECT " + columns + " FROM " + KEYSPACE + "." + table)) {
            StringBuilder shown = new StringBuilder();
            int at = 0;
            for (Column column : schema.columns()) {
                show(shown, column.name(), bytes(row, at++));
                if (hasTime(column)) {
                    showTimes(shown, column, bytes(row, at++), bytes(row, at++));
                }
            }
            rows.add(shown.toString());
        }
        return rows;
    }

    private static byte @Nullable [] bytes(Row row, int column) {
        ByteBuffer value = row.getBytesUnsafe(column);
        return value == null ? null : Bytes.copyOf(value);
    }

    /** The server does not say the times of elements before Cassandra 5. */
    private static boolean hasTime(Column column) {
        return (column.kind() == Kind.STATIC || column.kind() == Kind.REGULAR)
                && (!SstableNode.isBefore5() || !hasCells(column));
    }

    private static boolean hasCells(Column column) {
        return TypeNames.hasCells(TypeNames.column(column.type()));
    }

    /** The node is asked earlier than the files are read, so that times to live are not the same to the second. */
    private static void showTimes(
            StringBuilder to, Column column, byte @Nullable [] writeTime, byte @Nullable [] timeToLive) {
        if (writeTime == null) {
            assertThat(timeToLive).isNull();
            return;
        }
        to.append('@').append(HexFormat.of().formatHex(writeTime)).append('/');
        if (!hasCells(column)) {
            to.append(timeToLive == null ? "-" : rounded(Bytes.getInt(timeToLive, 0)));
            return;
        }
        if (timeToLive == null) {
            return;
        }
        int at = 4;
        for (int i = Bytes.getInt(timeToLive, 0); i > 0; i--) {
            boolean isNull = Bytes.getInt(timeToLive, at) < 0;
            to.append(isNull ? "-" : rounded(Bytes.getInt(timeToLive, at + 4))).append(',');
            at += isNull ? 4 : 8;
        }
    }

    private static long rounded(int seconds) {
        return Math.round(seconds / 1000.0);
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
            for (Path file : SstableDirectories.list(List.of(directory), "ks", "t")) {
                files.add(SstableFile.open(file, schema, dropped));
            }
            try (SstableMerge merge = SstableMerge.of(schema, files, System.currentTimeMillis() / 1000)) {
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
            Column column = schema.columns().get(i);
            byte[] value =
                    row.isNull(i) ? null : Arrays.copyOfRange(row.array(i), row.start(i), row.start(i) + row.length(i));
            show(shown, column.name(), value);
            if (hasTime(column)) {
                Bytes writeTime = new Bytes(64);
                row.appendWriteTime(i, writeTime);
                Bytes timeToLive = new Bytes(64);
                row.appendTtl(i, System.currentTimeMillis() / 1000, timeToLive);
                showTimes(shown, column, value(writeTime), value(timeToLive));
            }
        }
        return shown.toString();
    }

    private static byte @Nullable [] value(Bytes wire) {
        int length = Bytes.getInt(wire.array(), 0);
        assertThat(wire.length()).isEqualTo(4 + Math.max(0, length));
        return length < 0 ? null : Arrays.copyOfRange(wire.array(), 4, 4 + length);
    }
}
