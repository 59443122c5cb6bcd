package io.overdrive.spark;

import io.overdrive.ConnectOptions;
import io.overdrive.Overdrive;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** One node and one Spark for all tests of this JVM, started by the first of them, gone with the JVM. */
final class TestSpark {
    private static final LocalCluster CLUSTER = startCluster();
    private static final Overdrive OVERDRIVE = connect();
    private static final SparkSession SPARK = startSpark();

    private TestSpark() {}

    private static LocalCluster startCluster() {
        try {
            Path directory = Files.createTempDirectory("overdrive-spark-it");
            LocalCluster cluster = LocalCluster.start(LocalOptions.builder()
                    .directory(directory)
                    .port(0)
                    .profile(LocalOptions.Profile.SMALL)
                    .heapMegabytes(384)
                    .setting("materialized_views_enabled", "true")
                    .stopWithJvm(true)
                    .build());
            Runtime.getRuntime().addShutdownHook(new Thread(cluster::wipe));
            return cluster;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Overdrive connect() {
        InetSocketAddress address = address();
        return Overdrive.connect(ConnectOptions.to(address.getHostString() + ":" + address.getPort()));
    }

    private static SparkSession startSpark() {
        String catalog = "spark.sql.catalog.cass";
        return SparkSession.builder()
                .master("local[2]")
                .appName("overdrive")
                .config("spark.ui.enabled", "false")
                .config("spark.sql.shuffle.partitions", "3")
                .config("spark.sql.session.timeZone", "UTC")
                .config(
                        "spark.sql.warehouse.dir",
                        CLUSTER.directory().resolve("warehouse").toString())
                .config("spark.cassandra.connection.host", address().getHostString())
                .config(
                        "spark.cassandra.connection.port",
                        String.valueOf(address().getPort()))
                .config(catalog, "io.overdrive.spark.CassandraCatalog")
                .getOrCreate();
    }

    static InetSocketAddress address() {
        return CLUSTER.contactPoints().get(0);
    }

    static SparkSession spark() {
        return SPARK;
    }

    static Overdrive overdrive() {
        return OVERDRIVE;
    }

    /** Makes a keyspace for a class of tests. */
    static String keyspace(String name) {
        cql("CREATE KEYSPACE " + name + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        return name;
    }

    static List<com.datastax.oss.driver.api.core.cql.Row> cql(String statement) {
        return OVERDRIVE.session().execute(statement).all();
    }

    static Dataset<Row> read(String keyspace, String table) {
        return SPARK.read()
                .format("cassandra")
                .option("keyspace", keyspace)
                .option("table", table)
                .load();
    }
}
