package io.overdrive.spark;

import io.overdrive.OverdriveException;
import io.overdrive.spark.config.Failures;
import io.overdrive.spark.config.Settings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The format {@code cassandra}: {@code spark.read.format("cassandra").options(keyspace=…, table=…)}. Its columns are
 * those of the Cassandra table. Plans (on the driver).
 */
public class CassandraSource implements TableProvider, DataSourceRegister {
    @Override
    public String shortName() {
        return "cassandra";
    }

    @Override
    public StructType inferSchema(CaseInsensitiveStringMap options) {
        return table(options).schema();
    }

    @Override
    public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
        return table(properties);
    }

    private static CassandraTable table(Map<String, String> options) {
        SparkVersion.require();
        try {
            return CassandraTable.of(options).withTextColumnsChecked();
        } catch (OverdriveException e) {
            throw Failures.ofTable(e, settings(options));
        }
    }

    static Settings settings(Map<String, String> options) {
        return settings(List.of(options));
    }

    /**
     * Options together with the configuration of the active session. While Spark resolves a view, {@code SQLConf.get}
     * has only the configuration that the view was created with.
     *
     * @param options of the read or write, followed by those of the catalog
     */
    static Settings settings(List<Map<String, String>> options) {
        SparkSession spark = SparkSession.active();
        SparkConf conf = spark.sparkContext().getConf();
        Map<String, String> session = new HashMap<>();
        Map<String, String> application = new HashMap<>();
        // Spark copies the application's into the session's, where they can be changed and unset
        CollectionConverters.asJava(spark.conf().getAll()).forEach((name, value) -> {
            boolean isSame = value.equals(conf.get(name, /* defaultValue */ null));
            (isSame ? application : session).put(name, value);
        });
        return Settings.of(options, session, application);
    }
}
