package io.overdrive.spark;

import io.overdrive.NodeBeans;
import io.overdrive.Overdrive;
import io.overdrive.TestCluster;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.RuntimeMBeanException;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.ExplainMode;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.util.QueryExecutionListener;
import scala.jdk.javaapi.CollectionConverters;

/** One Spark for all tests of this JVM, with the node of {@link TestCluster}; started by the first of them. */
public final class TestSpark {
    private static final SparkSession SPARK = startSpark();
    private static final int ATTEMPTS_TO_ESTIMATE = 10; // more than the keyspaces that tests of other JVMs drop at once

    private TestSpark() {}

    private static SparkSession startSpark() {
        String catalog = "spark.sql.catalog.cass";
        return SparkSession.builder()
                .master("local[2,3]") // two threads, three attempts of a task
                .appName("overdrive")
                .config("spark.ui.enabled", "false")
                .config("spark.sql.shuffle.partitions", "3")
                .config("spark.sql.session.timeZone", "UTC")
                .config(
                        "spark.sql.warehouse.dir",
                        Path.of("target", "warehouse").toAbsolutePath().toString())
                .config("spark.cassandra.connection.host", address().getHostString())
                .config(
                        "spark.cassandra.connection.port",
                        String.valueOf(address().getPort()))
                .config("spark.metrics.conf.*.source.overdrive.class", MetricsSource.class.getName())
                .config("spark.metrics.conf.*.sink.jmx.class", "org.apache.spark.metrics.sink.JmxSink")
                .config("spark.sql.extensions", OverdriveExtensions.class.getName())
                .config("spark.overdrive.lookupsInFlight", "255") // of the application, and not the default
                .config(catalog, "io.overdrive.spark.CassandraCatalog")
                .getOrCreate();
    }

    static InetSocketAddress address() {
        return TestCluster.address();
    }

    public static SparkSession spark() {
        return SPARK;
    }

    public static Overdrive overdrive() {
        return TestCluster.overdrive();
    }

    /** Creates a keyspace for a test class. */
    public static String keyspace(String name) {
        return TestCluster.keyspace(name);
    }

    public static List<com.datastax.oss.driver.api.core.cql.Row> cql(String statement) {
        return TestCluster.execute(statement);
    }

    /** The output of EXPLAIN for a query. */
    public static String explain(Dataset<Row> query) {
        return query.queryExecution().explainString(ExplainMode.fromString("simple"));
    }

    /** The same rows without Cassandra. */
    public static Dataset<Row> inMemory(Dataset<Row> rows) {
        return SPARK.createDataFrame(rows.collectAsList(), rows.schema());
    }

    /** The column, or all with {@code *}, of the rows for which each of the conditions is true, as texts in their order; found with one query, as a query takes longer to plan than to run. */
    public static Map<String, List<String>> matching(Dataset<Row> rows, List<String> conditions, String column) {
        List<Column> columns = new ArrayList<>();
        columns.add(functions.struct(functions.col(column)));
        conditions.forEach(condition -> columns.add(functions.expr("(" + condition + ") <=> true")));
        List<Row> marked = rows.select(columns.toArray(Column[]::new)).collectAsList();
        Map<String, List<String>> matching = new HashMap<>();
        for (int i = 0; i < conditions.size(); i++) {
            int mark = 1 + i;
            matching.put(
                    conditions.get(i),
                    marked.stream()
                            .filter(row -> row.getBoolean(mark))
                            .map(row -> row.getStruct(0).toString())
                            .sorted()
                            .toList());
        }
        return matching;
    }

    /** Messages of level INFO and above that a class logs during the action. */
    public static List<String> logged(Class<?> by, Runnable action) {
        List<String> messages = new CopyOnWriteArrayList<>();
        Logger logger = (Logger) LogManager.getLogger(by);
        Appender appender =
                new AbstractAppender("test", null, null, /* ignoreExceptions */ true, Property.EMPTY_ARRAY) {
                    @Override
                    public void append(LogEvent event) {
                        messages.add(event.getLevel() + " " + event.getMessage().getFormattedMessage());
                    }
                };
        appender.start();
        logger.addAppender(appender);
        Level before = logger.getLevel();
        logger.setLevel(Level.INFO);
        try {
            action.run();
        } finally {
            logger.setLevel(before);
            logger.removeAppender(appender);
        }
        return messages;
    }

    /** Makes the node flush a keyspace and estimate the sizes of its tables. */
    public static void refreshEstimates(String keyspace) {
        try {
            NodeBeans.call(TestCluster.node(), beans -> {
                ObjectName service = new ObjectName("org.apache.cassandra.db:type=StorageService");
                beans.invoke(service, "forceKeyspaceFlush", new Object[] {keyspace, new String[0]}, new String[] {
                    String.class.getName(), String[].class.getName()
                });
                estimateSizes(beans, service);
                return keyspace;
            });
        } catch (IOException | JMException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The node walks all keyspaces, and fails at one that another test drops meanwhile; then it has to start again. */
    private static void estimateSizes(MBeanServerConnection beans, ObjectName service) throws IOException, JMException {
        for (int attempt = 1; ; attempt++) {
            try {
                beans.invoke(service, "refreshSizeEstimates", new Object[0], new String[0]);
                return;
            } catch (RuntimeMBeanException e) {
                if (attempt == ATTEMPTS_TO_ESTIMATE) {
                    throw e;
                }
            }
        }
    }

    /** Runs a query, and counts the rows that came from Cassandra for it. */
    public static long rowsRead(Dataset<Row> query) {
        return metric(query, "rowsRead");
    }

    /** Runs a query and returns the sum of a metric over its scans. */
    public static long metric(Dataset<Row> query, String metric) {
        AtomicLong sum = new AtomicLong();
        QueryExecutionListener listener = new QueryExecutionListener() {
            @Override
            public void onSuccess(String name, QueryExecution execution, long nanos) {
                sum.addAndGet(sum(execution.executedPlan(), metric));
            }

            @Override
            public void onFailure(String name, QueryExecution execution, Exception e) {}
        };
        awaitListeners(); // pending events belong to earlier queries
        SPARK.listenerManager().register(listener);
        try {
            query.collectAsList();
            awaitListeners();
        } finally {
            SPARK.listenerManager().unregister(listener);
        }
        return sum.get();
    }

    /** Waits until Spark's listeners have been notified of all events. */
    public static void awaitListeners() {
        try {
            SPARK.sparkContext().listenerBus().waitUntilEmpty(TimeUnit.MINUTES.toMillis(2));
        } catch (TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The sum over all parts of a plan. */
    private static long sum(SparkPlan plan, String metric) {
        long sum =
                plan.metrics().contains(metric) ? plan.metrics().apply(metric).value() : 0;
        if (plan instanceof AdaptiveSparkPlanExec adaptive) {
            return sum + sum(adaptive.executedPlan(), metric);
        }
        if (plan instanceof QueryStageExec stage) {
            return sum + sum(stage.plan(), metric);
        }
        for (SparkPlan child : CollectionConverters.asJava(plan.children())) {
            sum += sum(child, metric);
        }
        return sum;
    }

    public static Dataset<Row> read(String keyspace, String table) {
        return read(keyspace, table, "pushdown", "true");
    }

    public static Dataset<Row> read(String keyspace, String table, String option, String value) {
        return SPARK.read()
                .format("cassandra")
                .option("keyspace", keyspace)
                .option("table", table)
                .option(option, value)
                .load();
    }

    /** Metrics of the last query as Spark's UI shows them. */
    public static Map<String, String> metricsOfTheLastQuery() {
        var spark = (org.apache.spark.sql.classic.SparkSession) SPARK;
        awaitListeners();
        var store = spark.sharedState().statusStore();
        Map<String, String> found = new HashMap<>();
        for (var execution : CollectionConverters.asJava(store.executionsList())) {
            var values = CollectionConverters.asJava(store.executionMetrics(execution.executionId()));
            for (var metric : CollectionConverters.asJava(execution.metrics())) {
                String value = values.get(metric.accumulatorId());
                if (value != null) {
                    found.put(metric.name(), value);
                }
            }
        }
        return found;
    }
}
