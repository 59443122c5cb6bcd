package io.overdrive.sstable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.BoundStatementBuilder;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.ListType;
import io.overdrive.RowBuffer;
import io.overdrive.RowBuffers;
import io.overdrive.SeparateNode;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.CanonicalForm;
import io.overdrive.internal.codec.ClusteringOrder;
import io.overdrive.internal.ring.Murmur3;
import io.overdrive.sstable.RandomTable.KeyTypes;
import io.overdrive.sstable.format.EncodingBase;
import io.overdrive.sstable.format.Layout;
import io.overdrive.sstable.format.SstableSchema;
import io.overdrive.sstable.format.SstableSchema.Column;
import io.overdrive.sstable.format.SstableSchema.Kind;
import io.overdrive.sstable.format.Statistics;
import io.overdrive.sstable.sort.Pass;
import io.overdrive.sstable.sort.SorterPart;
import io.overdrive.sstable.sort.SstableSorter;
import io.overdrive.sstable.sort.TokenOwners;
import io.overdrive.sstable.write.RowEncoder;
import io.overdrive.sstable.write.Sstable;
import io.overdrive.sstable.write.SstableWriter;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.lang.management.RuntimeMXBean;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.management.JMException;
import net.jpountz.lz4.LZ4Factory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The same random rows written by us and by Cassandra's own {@code CQLSSTableWriter}: equal bytes. Then ours are imported into a node,
 * and read back beside the rows that it was sent over CQL.
 */
@Tag("server")
public class OracleIT {
    private static final String KEYSPACE = "oracle";
    private static final long SEED = Long.getLong("overdrive.seed", 1);
    /** How many tables are only imported and read; 7 have each compression. */
    private static final int IMPORTS = Integer.getInteger("overdrive.imports", 1);
    /** How many tables get rows of the same key. */
    private static final int MERGES = Integer.getInteger("overdrive.merges", 4);
    /** The number of the first table whose rows are merged; those whose bytes are compared have smaller ones. */
    private static final int FIRST_MERGE = 100;
    /** Number of the first table which is only imported. */
    private static final int FIRST_IMPORT = 1_000_000;

    /** The base from which {@code CQLSSTableWriter} takes write times and expiries as the distance. */
    private static final EncodingBase ORACLE_BASE =
            new EncodingBase(Statistics.WRITE_TIME_EPOCH, Statistics.EXPIRY_EPOCH);

    private static final List<String> COMPRESSIONS = List.of(
            "{'enabled': 'false'}",
            "{'class': 'LZ4Compressor'}",
            "{'class': 'LZ4Compressor', 'chunk_length_in_kb': 4, 'min_compress_ratio': 1.3}",
            "{'class': 'LZ4Compressor', 'lz4_compressor_type': 'high', 'lz4_high_compressor_level': 3}",
            "{'class': 'SnappyCompressor', 'chunk_length_in_kb': 64}",
            "{'class': 'DeflateCompressor', 'chunk_length_in_kb': 8}",
            "{'class': 'ZstdCompressor', 'compression_level': 1}");
    /** Seconds; few of them, so that no two points of a histogram become one. */
    private static final int[] TTLS = {0, 0, 86_400, 300_000_000};

    private static final int MAX_ROWS = 900;
    /** Number of the first tables whose bytes are compared that are also imported. */
    private static final int IMPORTED = 3;

    /** Kept, so that the files of a failure can be compared. */
    private static final Path DIRECTORY = Path.of("target", "oracle").toAbsolutePath();

    /** @param values {@link #NULL} and {@link #UNSET} are these arrays, not others without bytes */
    private record TestRow(byte[] key, byte[][] values, long writeTime, int ttl) {}

    /** @param rows in clustering order */
    private record TestPartition(byte[] key, TreeMap<byte[][], byte[][]> rows) {}

    private static final byte[] UNSET = new byte[0];
    private static final byte[] NULL = new byte[0];

    /**
     * Write times of rows without lists, whose elements have times that begin in 1582. One microsecond earlier, the
     * oracle leaves the mark out that a collection was deleted before, as nothing can be.
     */
    private static final long[] WRITE_TIMES = {Long.MIN_VALUE + 2, -1, 0, 1, Long.MAX_VALUE};

    /**
     * One table, its rows in order, and where both SSTables of them go.
     *
     * @param hasRows whether rows have more than static columns
     */
    private record Case(
            String table,
            String ddl,
            SstableSchema schema,
            boolean hasRows,
            List<TestRow> rows,
            int nowSeconds,
            Path ours,
            Path oracles) {
        String insert(String into) {
            String names = written().mapToObj(i -> cql(schema.columns().get(i))).collect(Collectors.joining(", "));
            String markers = written().mapToObj(i -> "?").collect(Collectors.joining(", "));
            return "INSERT INTO " + into + " (" + names + ") VALUES (" + markers + ") USING TIMESTAMP ? AND TTL ?";
        }

        /** The columns that rows have. */
        IntStream written() {
            return IntStream.range(0, schema.columns().size())
                    .filter(i -> hasRows
                            || schema.columns().get(i).kind() == Kind.PARTITION_KEY
                            || schema.columns().get(i).kind() == Kind.STATIC);
        }

        boolean hasList() {
            return OracleIT.hasList(schema);
        }
    }

    @BeforeAll
    static void createKeyspace() throws IOException {
        if (Files.exists(DIRECTORY)) {
            try (Stream<Path> walk = Files.walk(DIRECTORY)) {
                for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
        SeparateNode.keyspace(KEYSPACE);
        RandomTable.typeDdl(KEYSPACE).forEach(SeparateNode.session()::execute);
    }

    @Test
    void writesTheBytesOfCassandra() throws Exception {
        assumeFalse(SstableNode.isBefore5(), "the oracle is that of Cassandra 5");
        List<Case> cases = new ArrayList<>();
        KeyTypes keys = new KeyTypes(new Random(SEED));
        for (int i = 0; i < 2 * COMPRESSIONS.size() || !keys.areAllUsed(); i++) {
            cases.add(made(i, keys));
        }
        cases.add(limits());
        for (Case c : cases) {
            write(c, ORACLE_BASE);
        }
        runOracle(cases);
        for (Case c : cases) {
            compare(c);
        }
        for (Case c : cases.subList(0, IMPORTED)) {
            importAndReadBack(c);
        }
    }

    /** Reads tables on any version, with each compression. */
    @Test
    void isReadLikeRowsSentByCqlBeforeAndAfterACompaction() throws Exception {
        KeyTypes keys = new KeyTypes(new Random(SEED));
        for (int number = FIRST_IMPORT; number < FIRST_IMPORT + IMPORTS; number++) {
            Case c = made(number, keys);
            write(c, ORACLE_BASE);
            importAndReadBack(c);
            compactAndReadBack(c);
        }
    }

    @Test
    void mergesRowsAsTheServerDoes() throws Exception {
        KeyTypes keys = new KeyTypes(new Random(SEED));
        for (int number = FIRST_MERGE; number < FIRST_MERGE + MERGES; number++) {
            Case made = made(number, keys);
            List<TestRow> rows = repeated(made, new Random(SEED + number));
            Case c = new Case(made.table, made.ddl, made.schema, true, rows, made.nowSeconds, made.ours, made.oracles);
            sort(c);
            importAndReadBack(c);
            compactAndReadBack(c);
        }
    }

    private static void compactAndReadBack(Case c) throws IOException, JMException {
        SstableNode.compact(KEYSPACE, c.table.substring(KEYSPACE.length() + 1));
        assertThat(all(c, c.table)).as("seed %d %s", SEED, c.ddl).isEqualTo(all(c, c.table + "_by_cql"));
    }

    /** Each row up to four times, with other values, in any order; some with one write time, if no collection forbids that. */
    private static List<TestRow> repeated(Case c, Random random) {
        RandomTable tables = new RandomTable(random, !SstableNode.isBefore5());
        List<Column> columns = c.schema.columns();
        Layout layout = Layout.of(c.schema);
        boolean mayTie = Stream.concat(layout.statics().stream(), layout.regulars().stream())
                .allMatch(part -> part.cells() == Layout.Cells.ONE);
        List<TestRow> rows = new ArrayList<>();
        for (TestRow row : c.rows) {
            for (int copy = random.nextInt(4); copy >= 0; copy--) {
                byte[][] values = values(columns, tables, random, /* wide */ false);
                for (int i = 0; i < values.length; i++) {
                    Column column = columns.get(i);
                    boolean isKey = column.kind() == Kind.PARTITION_KEY || column.isClustering();
                    values[i] = isKey ? row.values[i] : values[i];
                }
                boolean ties = mayTie && random.nextBoolean();
                rows.add(new TestRow(
                        row.key,
                        values,
                        c.nowSeconds * 1_000_000L + (ties ? 0 : 1 + rows.size()),
                        ties ? 0 : TTLS[random.nextInt(TTLS.length)]));
            }
        }
        Collections.shuffle(rows, random);
        return rows;
    }

    private static void sort(Case c) throws IOException {
        List<String> names = c.schema.columns().stream().map(Column::name).toList();
        RowBuffer buffer = RowBuffers.of(
                names, c.schema.columns().stream().map(Column::type).toList());
        try (SstableSorter sorter =
                SstableSorter.of(c.schema, names, DIRECTORY, /* memory */ 64 << 10, 1, c.nowSeconds)) {
            SorterPart part = sorter.part();
            for (TestRow row : c.rows) {
                RowBuffers.clear(buffer);
                for (int i = 0; i < row.values.length; i++) {
                    if (row.values[i] == NULL) {
                        buffer.setNull(i);
                    } else if (row.values[i] != UNSET) {
                        buffer.setBytes(i, row.values[i], 0, row.values[i].length);
                    }
                }
                assertThat(part.problem(buffer, row.writeTime, row.ttl)).isNull();
                part.add(buffer, row.writeTime, row.ttl);
            }
            assertThat(sorter.write(TokenOwners.one(), List.of(c.ours), 1, Pass.WHOLE)
                            .rows())
                    .containsExactly(c.rows.size());
        }
    }

    private static Case made(int number, KeyTypes keys) throws IOException {
        Random random = new Random(SEED + number);
        RandomTable tables =
                new RandomTable(random, !SstableNode.isBefore5(), /* asciiCollections */ number < FIRST_MERGE);
        String table = KEYSPACE + ".t" + number;
        boolean staticsOnly = number % 4 == 1; // in addition to regular columns, which have no value
        int statics = staticsOnly ? 1 + random.nextInt(2) : random.nextInt(3);
        int regulars = number % 7 == 3 ? 70 : staticsOnly ? 1 + random.nextInt(6) : random.nextInt(7);
        String ddl = tables.ddl(
                table,
                keys,
                statics,
                regulars,
                "compression = " + COMPRESSIONS.get(number % COMPRESSIONS.size()) + " AND bloom_filter_fp_chance = "
                        + (number % 5 == 4 ? "1" : "0.02")
                        + " AND min_index_interval = 16 AND max_index_interval = 2048");
        SeparateNode.session().execute(ddl);
        TableMetadata metadata = SeparateNode.session()
                .getMetadata()
                .getKeyspace(KEYSPACE)
                .flatMap(keyspace -> keyspace.getTable("t" + number))
                .orElseThrow();
        SstableSchema schema = SstableSchema.of(
                metadata,
                tables.shuffled(metadata.getColumns().values().stream()
                        .map(ColumnMetadata::getName)
                        .toList()));
        // Within a second, and later than that of the case before: list elements have times of a clock that never goes
        // back.
        int nowSeconds = (int) (System.currentTimeMillis() / 1000) - 1_000 + 10 * (number % FIRST_MERGE);
        boolean hasRows = !staticsOnly || schema.columns().stream().noneMatch(c -> c.kind() == Kind.STATIC);
        // the last one that a file can hold; a node that gets the same rows over CQL counts it from a later time
        int lastTtl = number >= IMPORTED && number < FIRST_MERGE ? Statistics.NEVER - 1 - nowSeconds : 0;
        List<TestRow> rows = rows(schema, hasRows, tables, random, nowSeconds, lastTtl);
        return new Case(
                table,
                ddl,
                schema,
                hasRows,
                rows,
                nowSeconds,
                Files.createDirectories(DIRECTORY.resolve("ours").resolve("t" + number)),
                Files.createDirectories(DIRECTORY.resolve("oracles").resolve("t" + number)));
    }

    /** Keys as long as possible, and rows that end just before, at and just after the end of a block of the index. */
    private static Case limits() throws IOException {
        String ddl = "CREATE TABLE " + KEYSPACE
                + ".limits (p blob, k blob, v blob, PRIMARY KEY (p, k)) WITH compression = " + COMPRESSIONS.get(0);
        SeparateNode.session().execute(ddl);
        SstableSchema schema = SstableSchema.of(
                SeparateNode.session()
                        .getMetadata()
                        .getKeyspace(KEYSPACE)
                        .flatMap(keyspace -> keyspace.getTable("limits"))
                        .orElseThrow(),
                Stream.of("p", "k", "v").map(CqlIdentifier::fromInternal).toList());
        int nowSeconds = (int) (System.currentTimeMillis() / 1000);
        TreeMap<Long, List<TestRow>> rows = new TreeMap<>();
        for (int i = 0; i < 80; i++) {
            byte[] key = new byte[i < 4 ? 65_535 - i : 1];
            key[0] = (byte) i;
            long writeTime = nowSeconds * 1_000_000L;
            rows.put(
                    Murmur3.token(key, 0, key.length),
                    List.of(
                            new TestRow(key, new byte[][] {key, {1}, new byte[65_450 + i]}, writeTime, 0),
                            new TestRow(key, new byte[][] {key, {2}, {}}, writeTime, 0),
                            new TestRow(
                                    key, new byte[][] {key, Arrays.copyOf(new byte[] {3}, 65_535), {}}, writeTime, 0)));
        }
        return new Case(
                KEYSPACE + ".limits",
                ddl,
                schema,
                true,
                rows.values().stream().flatMap(List::stream).toList(),
                nowSeconds,
                Files.createDirectories(DIRECTORY.resolve("ours").resolve("limits")),
                Files.createDirectories(DIRECTORY.resolve("oracles").resolve("limits")));
    }

    private static boolean hasList(SstableSchema schema) {
        return schema.columns().stream().anyMatch(c -> c.type() instanceof ListType list && !list.isFrozen());
    }

    private static List<TestRow> rows(
            SstableSchema schema, boolean hasRows, RandomTable tables, Random random, int nowSeconds, int lastTtl) {
        List<Column> columns = schema.columns();
        boolean hasAnyTime = !hasList(schema) && random.nextInt(3) == 0;
        Comparator<byte[][]> order = clusteringOrder(columns);
        boolean hasClustering = columns.stream().anyMatch(Column::isClustering);
        TreeMap<Long, TestPartition> partitions = new TreeMap<>(); // by token
        int count = 0;
        for (int p = 0; p < 300 && count < MAX_ROWS; p++) {
            byte[][] first = values(columns, tables, random, /* wide */ false);
            byte[] key = key(columns, first);
            if (key.length == 0 || key.length > 0xFFFF) {
                continue;
            }
            long token = Murmur3.token(key, 0, key.length);
            if (partitions.containsKey(token)) {
                continue;
            }
            TreeMap<byte[][], byte[][]> rows = new TreeMap<>(order);
            boolean wide = p == 20 && hasRows;
            for (int r = wide ? 250 : 1 + random.nextInt(4);
                    r > 0 && ((hasClustering && hasRows) || rows.isEmpty());
                    r--) {
                byte[][] row = values(columns, tables, random, wide);
                for (int i = 0; i < row.length; i++) {
                    if (columns.get(i).kind() == Kind.PARTITION_KEY) {
                        row[i] = first[i];
                    }
                }
                if (!hasRows) {
                    giveStatic(row, columns);
                }
                rows.put(row, row);
            }
            partitions.put(token, new TestPartition(key, rows));
            count += rows.size();
        }
        List<TestRow> sorted = new ArrayList<>();
        int partitionNumber = 0;
        for (TestPartition partition : partitions.values()) {
            boolean isFirst = true;
            for (byte[][] row : partition.rows.values()) {
                for (int i = 0; i < row.length; i++) {
                    // The oracle's writer begins its file with the second partition, and takes a timeuuid for that.
                    boolean isUnset = isFirst
                            ? partitionNumber == 1 && columns.get(i).type() instanceof ListType list && !list.isFrozen()
                            : columns.get(i).kind() == Kind.STATIC;
                    row[i] = isUnset ? UNSET : row[i];
                }
                isFirst = false;
                int ttl = random.nextInt(TTLS.length + 1);
                sorted.add(new TestRow(
                        partition.key,
                        row,
                        hasAnyTime && random.nextBoolean()
                                ? WRITE_TIMES[random.nextInt(WRITE_TIMES.length)]
                                : nowSeconds * 1_000_000L + 1000L * sorted.size(),
                        ttl < TTLS.length ? TTLS[ttl] : lastTtl));
            }
            partitionNumber++;
        }
        return sorted;
    }

    /** Gives it at least a null. */
    private static void giveStatic(byte[][] row, List<Column> columns) {
        for (int i = 0; i < row.length; i++) {
            if (columns.get(i).kind() == Kind.STATIC) {
                row[i] = row[i] == UNSET ? NULL : row[i];
                return;
            }
        }
    }

    private static byte[][] values(List<Column> columns, RandomTable tables, Random random, boolean wide) {
        byte[][] values = new byte[columns.size()][];
        for (int i = 0; i < values.length; i++) {
            Column column = columns.get(i);
            boolean isKey = column.kind() == Kind.PARTITION_KEY || column.isClustering();
            byte[] value = tables.value(column.type());
            if (isKey) {
                values[i] = value;
            } else {
                int kind = random.nextInt(8);
                values[i] = kind == 0 ? UNSET : kind == 1 ? NULL : value;
                if (wide && kind > 1 && column.type().asCql(false, false).equals("text")) {
                    values[i] = tables.text(2000).getBytes(StandardCharsets.US_ASCII);
                }
            }
        }
        return values;
    }

    private static String cql(Column column) {
        return CqlIdentifier.fromInternal(column.name()).asCql(true);
    }

    /** The key as the server has it: of a clustering column whose order is DESC it keeps elements of sets and maps as they come. */
    private static byte[] stored(Column column, byte[] value) {
        CanonicalForm form = CanonicalForm.of(column.type());
        if (form == null || value.length == 0 || column.kind() == Kind.CLUSTERING_DESCENDING) {
            return value;
        }
        Bytes out = new Bytes(64);
        form.append(value, 0, value.length, out);
        return out.toByteArray();
    }

    private static byte[] key(List<Column> columns, byte[][] values) {
        List<Integer> parts = IntStream.range(0, values.length)
                .filter(i -> columns.get(i).kind() == Kind.PARTITION_KEY)
                .boxed()
                .sorted(Comparator.comparingInt(i -> columns.get(i).position()))
                .toList();
        if (parts.size() == 1) {
            return stored(columns.get(parts.get(0)), values[parts.get(0)]);
        }
        Bytes key = new Bytes(64);
        for (int part : parts) {
            byte[] value = stored(columns.get(part), values[part]);
            key.putShort(value.length);
            key.put(value);
            key.putByte(0);
        }
        return key.toByteArray();
    }

    private static Comparator<byte[][]> clusteringOrder(List<Column> columns) {
        List<Integer> parts = IntStream.range(0, columns.size())
                .filter(i -> columns.get(i).isClustering())
                .boxed()
                .sorted(Comparator.comparingInt(i -> columns.get(i).position()))
                .toList();
        return (a, b) -> {
            for (int part : parts) {
                ClusteringOrder order = ClusteringOrder.of(columns.get(part).type());
                byte[] left = stored(columns.get(part), a[part]);
                byte[] right = stored(columns.get(part), b[part]);
                int result = order.compare(left, 0, left.length, right, 0, right.length);
                if (result != 0) {
                    return columns.get(part).kind() == Kind.CLUSTERING ? result : -result;
                }
            }
            return 0;
        };
    }

    private static void write(Case c, EncodingBase base) throws IOException {
        SstableWriter.Options options =
                new SstableWriter.Options(c.ours, 1, partitions(c), base.writeTime(), c.nowSeconds);
        try (SstableWriter writer = SstableWriter.open(c.schema, options, base)) {
            byte[] lastKey = {};
            for (TestRow row : c.rows) {
                byte[] values = wire(row, IntStream.range(0, row.values.length));
                if (!Arrays.equals(row.key, lastKey)) {
                    writer.partition(row.key, 0, row.key.length);
                    lastKey = row.key;
                    if (IntStream.range(0, row.values.length)
                            .anyMatch(i -> c.schema.columns().get(i).kind() == Kind.STATIC && row.values[i] != UNSET)) {
                        writer.statics(values, 0, row.writeTime, row.ttl);
                    }
                }
                if (c.hasRows) {
                    writer.row(values, 0, row.writeTime, row.ttl);
                }
            }
            Sstable sstable = writer.finish();
            assertThat(sstable.rows()).isEqualTo(c.hasRows ? c.rows.size() : 0);
            assertThat(sstable.partitions()).isEqualTo(partitions(c));
            assertThat(sstable.firstToken()).isEqualTo(Murmur3.token(c.rows.get(0).key, 0, c.rows.get(0).key.length));
        }
    }

    private static long partitions(Case c) {
        return c.rows.stream().map(row -> ByteBuffer.wrap(row.key)).distinct().count();
    }

    private static byte[] wire(TestRow row, IntStream columns) {
        Bytes wire = new Bytes(256);
        columns.forEach(i -> {
            byte[] value = row.values[i];
            if (value == NULL) {
                wire.putInt(RowEncoder.NULL);
            } else if (value == UNSET) {
                wire.putInt(RowEncoder.UNSET);
            } else {
                wire.putInt(value.length);
                wire.put(value);
            }
        });
        return wire.toByteArray();
    }

    private static void runOracle(List<Case> cases) throws Exception {
        Path jobs = DIRECTORY.resolve("jobs");
        try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(jobs))) {
            out.writeInt(cases.size());
            for (Case c : cases) {
                describe(c, out);
            }
        }
        Path config = DIRECTORY.resolve("cassandra.yaml");
        Files.writeString(
                config,
                """
                cluster_name: oracle
                partitioner: org.apache.cassandra.dht.Murmur3Partitioner
                endpoint_snitch: SimpleSnitch
                commitlog_sync: periodic
                commitlog_sync_period: 10s
                listen_address: 127.0.0.1
                storage_compatibility_mode: CASSANDRA_4
                seed_provider:
                  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
                    parameters:
                      - seeds: 127.0.0.1
                data_file_directories: [%1$s/data]
                commitlog_directory: %1$s/commitlog
                saved_caches_directory: %1$s/caches
                hints_directory: %1$s/hints
                cdc_raw_directory: %1$s/cdc
                """
                        .formatted(DIRECTORY.resolve("server")));
        List<String> command = SstableNode.jmx(server -> {
            RuntimeMXBean node = SstableNode.runtime(server);
            List<String> words = new ArrayList<>();
            words.add(node.getSystemProperties().get("java.home") + "/bin/java");
            node.getInputArguments().stream()
                    .filter(argument -> argument.startsWith("--add-") || argument.startsWith("-javaagent"))
                    .forEach(words::add);
            words.add("-Xmx512m");
            words.add("-Dcassandra.config=" + config.toUri());
            words.add("-Dcassandra.clock=" + CassandraOracle.RowClock.class.getName());
            words.add("-cp");
            // another version of LZ4 makes other bytes
            words.add(String.join(
                    File.pathSeparator, jarOf(CassandraOracle.class), jarOf(LZ4Factory.class), node.getClassPath()));
            words.add(CassandraOracle.class.getName());
            words.add(jobs.toString());
            return words;
        });
        Path log = DIRECTORY.resolve("oracle.log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(process.waitFor(4, TimeUnit.MINUTES)).as("ended").isTrue();
        } finally {
            process.destroyForcibly();
        }
        String output = Files.readString(log);
        assertThat(process.exitValue()).as("seed %d%n%s", SEED, output).isZero();
        assertThat(output).contains("finished " + cases.get(cases.size() - 1).table);
    }

    private static String jarOf(Class<?> type) {
        return Path.of(URI.create(
                        type.getProtectionDomain().getCodeSource().getLocation().toString()))
                .toString();
    }

    private static void describe(Case c, DataOutputStream out) throws IOException {
        out.writeUTF(KEYSPACE);
        out.writeUTF(c.table.substring(KEYSPACE.length() + 1));
        out.writeUTF(c.ours.resolve("nb-1-big-Data.db").toString());
        out.writeUTF(c.oracles.toString());
        List<String> types = RandomTable.typeDdl(KEYSPACE);
        out.writeInt(types.size());
        for (String type : types) {
            out.writeUTF(type);
        }
        out.writeUTF(c.ddl);
        out.writeUTF(c.insert(c.table));
        out.writeInt(c.rows.size());
        for (TestRow row : c.rows) {
            out.writeLong(c.hasList() ? row.writeTime / 1000 : 1000L * c.nowSeconds);
            out.writeInt((int) c.written().count() + 2);
            out.write(wire(row, c.written()));
            out.writeInt(8);
            out.writeLong(row.writeTime);
            out.writeInt(4);
            out.writeInt(row.ttl);
        }
        List<byte[]> keys = c.rows.stream()
                .map(row -> ByteBuffer.wrap(row.key))
                .distinct()
                .map(ByteBuffer::array)
                .toList();
        out.writeBoolean(c.schema.bloomFilterFpChance() < 1);
        out.writeInt(keys.size());
        for (byte[] key : keys) {
            out.writeInt(key.length);
            out.write(key);
        }
    }

    private static void compare(Case c) throws IOException {
        Map<String, byte[]> ours = components(c.ours);
        Map<String, byte[]> oracles = components(c.oracles);
        String what = "seed " + SEED + " " + c.ddl;
        assertThat(ours.keySet()).as(what).isEqualTo(oracles.keySet());
        assertThat(lines(component(ours, "TOC.txt"))).as(what).isEqualTo(lines(component(oracles, "TOC.txt")));
        for (String component : List.of("Index.db", "Summary.db", "Data.db", "Digest.crc32")) {
            assertThat(HexFormat.of().formatHex(ours.get(component)))
                    .as("%s %s", component, what)
                    .isEqualTo(HexFormat.of().formatHex(oracles.get(component)));
        }
        Map<Integer, byte[]> sections = sections(component(ours, "Statistics.db"));
        Map<Integer, byte[]> expected = sections(component(oracles, "Statistics.db"));
        assertThat(sections.keySet()).isEqualTo(expected.keySet());
        for (int section : List.of(0, 2, 3)) { // not the sketch of keys, which the oracle checks
            assertThat(HexFormat.of().formatHex(sections.get(section)))
                    .as("Statistics.db %d %s", section, what)
                    .isEqualTo(HexFormat.of().formatHex(expected.get(section)));
        }
    }

    private static byte[] component(Map<String, byte[]> components, String name) {
        return Objects.requireNonNull(components.get(name), name);
    }

    private static List<String> lines(byte[] text) {
        return new String(text, StandardCharsets.US_ASCII).lines().sorted().toList();
    }

    private static Map<String, byte[]> components(Path of) throws IOException {
        Map<String, byte[]> components = new TreeMap<>();
        try (Stream<Path> files = Files.list(of)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                String name = file.getFileName().toString();
                components.put(name.substring(name.lastIndexOf('-') + 1), Files.readAllBytes(file));
            }
        }
        return components;
    }

    private static Map<Integer, byte[]> sections(byte[] statistics) {
        Map<Integer, byte[]> sections = new LinkedHashMap<>();
        int count = Bytes.getInt(statistics, 0);
        for (int i = 0; i < count; i++) {
            int from = Bytes.getInt(statistics, 8 + 8 * i + 4);
            int to = i + 1 < count ? Bytes.getInt(statistics, 8 + 8 * (i + 1) + 4) : statistics.length;
            sections.put(Bytes.getInt(statistics, 8 + 8 * i), Arrays.copyOfRange(statistics, from, to));
        }
        return sections;
    }

    private static void importAndReadBack(Case c) throws IOException, JMException {
        String twin = c.table + "_by_cql";
        SeparateNode.session().execute(c.ddl.replaceFirst(c.table, twin));
        PreparedStatement insert = SeparateNode.session().prepare(c.insert(twin));
        int[] written = c.written().toArray();
        for (TestRow row : c.rows) {
            BoundStatementBuilder bound = insert.boundStatementBuilder()
                    .setLong(written.length, row.writeTime)
                    .setInt(written.length + 1, row.ttl);
            for (int i = 0; i < written.length; i++) {
                byte[] value = row.values[written[i]];
                if (value == NULL) {
                    bound = bound.setToNull(i);
                } else if (value != UNSET) {
                    bound = bound.setBytesUnsafe(i, ByteBuffer.wrap(value));
                }
            }
            SeparateNode.session().execute(bound.build());
        }
        String name = c.table.substring(KEYSPACE.length() + 1);
        assertThat(SstableNode.importSstables(KEYSPACE, name, c.ours)).isEqualTo(List.of());
        assertThat(c.ours.resolve("nb-1-big-Data.db")).doesNotExist();
        assertThat(all(c, c.table)).as("seed %d %s", SEED, c.ddl).isEqualTo(all(c, twin));
        TestRow some = c.rows.get(c.rows.size() / 2);
        List<String> found = partition(c, some, c.table);
        assertThat(found).isEqualTo(partition(c, some, twin));
        assertThat(found.isEmpty() && c.hasRows).isFalse();
    }

    private static List<String> all(Case c, String table) {
        return SeparateNode.session().execute("SELECT " + selection(c) + " FROM " + table).all().stream()
                .map(OracleIT::shown)
                .toList();
    }

    private static List<String> partition(Case c, TestRow row, String table) {
        List<Column> columns = c.schema.columns();
        List<Integer> key = IntStream.range(0, columns.size())
                .filter(i -> columns.get(i).kind() == Kind.PARTITION_KEY)
                .boxed()
                .toList();
        BoundStatementBuilder select = SeparateNode.session()
                .prepare("SELECT " + selection(c) + " FROM " + table + " WHERE "
                        + key.stream().map(i -> cql(columns.get(i)) + " = ?").collect(Collectors.joining(" AND ")))
                .boundStatementBuilder();
        for (int i = 0; i < key.size(); i++) {
            select = select.setBytesUnsafe(i, ByteBuffer.wrap(row.values[key.get(i)]));
        }
        return SeparateNode.session().execute(select.build()).all().stream()
                .map(OracleIT::shown)
                .toList();
    }

    /** All columns, and write times and TTLs of those that have one. */
    private static String selection(Case c) {
        List<String> selected = new ArrayList<>();
        for (Column column : c.schema.columns()) {
            selected.add(cql(column));
            boolean isKey = column.kind() == Kind.PARTITION_KEY || column.isClustering();
            if (!isKey
                    && Layout.of(c.schema).regulars().stream()
                            .anyMatch(part -> part.name().equals(column.name()) && part.cells() == Layout.Cells.ONE)) {
                selected.add("writetime(" + cql(column) + ")");
            }
        }
        return String.join(", ", selected);
    }

    private static String shown(Row row) {
        StringBuilder shown = new StringBuilder();
        for (int i = 0; i < row.size(); i++) {
            ByteBuffer bytes = row.getBytesUnsafe(i);
            shown.append(row.getColumnDefinitions().get(i).getName().asCql(true))
                    .append('=')
                    .append(bytes == null ? "null" : HexFormat.of().formatHex(Bytes.copyOf(bytes)))
                    .append(' ');
        }
        return shown.toString();
    }
}
