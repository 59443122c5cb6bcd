package io.overdrive.spark;

import io.overdrive.OverdriveException;
import io.overdrive.spark.config.Failures;
import io.overdrive.spark.config.Settings;
import java.util.Map;
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
            return CassandraTable.of(options);
        } catch (OverdriveException e) {
            throw Failures.ofSpark(e);
        }
    }

    /**
     * Options together with the configuration of the active session. While Spark resolves a view, {@code SQLConf.get}
     * has only the configuration that the view was created with.
     */
    static Settings settings(Map<String, String> options) {
        return Settings.of(
                options,
                CollectionConverters.asJava(SparkSession.active().conf().getAll()));
    }
}
