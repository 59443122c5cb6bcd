package io.overdrive;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import io.overdrive.local.Node;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The Cassandra node of all tests of a build that neither harm, measure nor reconfigure it, in each module; the first test that needs it
 * starts it, as {@link SharedNode} says. Tests of two JVMs use it at once, each class with a separate keyspace. {@code
 * -Doverdrive.storage=NONE} has it write SSTables of its version, instead of those that Cassandra 4 reads, and {@code
 * -Doverdrive.format=bti} those of the format BTI.
 */
public final class TestCluster {
    /**
     * Lower than the largest request, so that a row can be too large for a mutation only; and larger than the cells of the tests of large
     * cells.
     */
    static final int MAX_MUTATION_BYTES = 13 << 20;

    private static final Pattern DROPS_COLUMN = Pattern.compile("ALTER TABLE .* DROP ");
    private static final LocalCluster CLUSTER = start();
    private static final Overdrive OVERDRIVE = connect(CLUSTER);

    private TestCluster() {}

    private static LocalCluster start() {
        LocalOptions.Builder options = options(Path.of("..", "target", "cassandra"))
                // All modules together create so many tables in it that half of this is full, and the node ends.
                .heapMegabytes(1536)
                // It runs for the whole build, in which the second compiler saves more time than it takes.
                .jvmArguments("-XX:TieredStopAtLevel=4")
                .setting("max_mutation_size", (MAX_MUTATION_BYTES >> 10) + "KiB")
                .setting("materialized_views_enabled", "true");
        return SharedNode.use(options.build());
    }

    private static LocalOptions.Builder options(Path directory) {
        LocalOptions.Builder options = LocalOptions.builder()
                .directory(directory.toAbsolutePath().normalize())
                .port(0)
                .profile(LocalOptions.Profile.SMALL)
                // The node is never started again, so tables need not be on disk when a statement returns.
                .jvmArguments("-Dcassandra.test.flush_local_schema_changes=false")
                // Longer than the machine may be busy with other work: no test is about a slow server.
                .setting("read_request_timeout", "30s")
                .setting("range_request_timeout", "30s")
                .setting("write_request_timeout", "30s")
                .setting("counter_write_request_timeout", "30s")
                .setting("cas_contention_timeout", "30s");
        String storage = System.getProperty("overdrive.storage");
        if (storage != null) {
            options.setting("storage_compatibility_mode", storage);
        }
        String format = System.getProperty("overdrive.format");
        if (format != null) {
            options.setting("sstable", "{selected_format: " + format + "}");
        }
        return options;
    }

    /** Starts a node that nothing else uses; it ends with this JVM, or when it is closed. */
    public static LocalCluster separate(Map<String, String> settings) {
        try {
            LocalOptions.Builder options = options(Files.createTempDirectory("overdrive-it"))
                    .heapMegabytes(512)
                    .deleteWithJvm(true);
            settings.forEach(options::setting);
            return LocalCluster.start(options.build());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A node that answers late is not considered dead: it may be waiting for a processor. */
    public static Overdrive connect(LocalCluster cluster) {
        ConnectOptions.Builder options = ConnectOptions.builder()
                .datacenter(cluster.datacenter())
                .driverSetting("advanced.heartbeat.timeout", "60 seconds");
        for (InetSocketAddress address : cluster.contactPoints()) {
            options.contactPoint(address);
        }
        return Overdrive.connect(options.build());
    }

    public static LocalCluster cluster() {
        return CLUSTER;
    }

    public static Node node() {
        return CLUSTER.nodes().get(0);
    }

    public static InetSocketAddress address() {
        return CLUSTER.contactPoints().get(0);
    }

    public static String datacenter() {
        return CLUSTER.datacenter();
    }

    /** The node's address for {@code --host}. */
    public static String host() {
        return address().getHostString() + ":" + address().getPort();
    }

    /** The node's address for {@code --jmx}. */
    public static String jmx() {
        return "127.0.0.1:" + node().jmxPort();
    }

    /** The connection of all tests of this JVM, which must not be closed. */
    public static Overdrive overdrive() {
        return OVERDRIVE;
    }

    public static CqlSession session() {
        return OVERDRIVE.session();
    }

    /** Creates a keyspace until the end of a test class, and returns the connection. */
    public static Overdrive overdrive(String keyspace) {
        keyspace(keyspace);
        return OVERDRIVE;
    }

    /** Creates a keyspace until the end of a test class. */
    public static String keyspace(String name) {
        ClassKeyspaces.add(name);
        return lastingKeyspace(name);
    }

    /** Creates a keyspace for all classes that this JVM runs. */
    public static String lastingKeyspace(String name) {
        execute(createKeyspace(name));
        return name;
    }

    /** A keyspace without commit log, so that Cassandra does not flush what a TRUNCATE or a DROP deletes. */
    static String createKeyspace(String name) {
        return "CREATE KEYSPACE " + name
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1} AND durable_writes = false";
    }

    public static List<Row> execute(String cql, Object... values) {
        if (DROPS_COLUMN.matcher(cql).lookingAt()) {
            awaitLaterMillisecond();
        }
        return session().execute(cql, values).all();
    }

    /**
     * Waits until writes are older than a column that is dropped next. The server has the time of the drop in whole milliseconds, and
     * cannot read a row with a value of the column that is newer, such as one of the same millisecond.
     */
    private static void awaitLaterMillisecond() {
        long later = System.currentTimeMillis() + 2;
        while (System.currentTimeMillis() < later) {
            Thread.onSpinWait();
        }
    }

    /** A read of a table of any size. */
    public static Scan scan(ScanOptions options) {
        return OVERDRIVE.scan(options);
    }

    static long count(String table) {
        return execute("SELECT count(*) FROM " + table).get(0).getLong(0);
    }

    /** The rows of a table of any size, counted page by page as a client reads them. */
    public static long count(String table, String column) {
        ResultSet pages = session().execute("SELECT " + column + " FROM " + table);
        long rows = 0;
        for (Iterator<Row> each = pages.iterator(); each.hasNext(); each.next()) {
            rows++;
        }
        return rows;
    }
}
