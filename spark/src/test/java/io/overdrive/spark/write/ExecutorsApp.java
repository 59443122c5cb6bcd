package io.overdrive.spark.write;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.deploy.master.Master;
import org.apache.spark.deploy.worker.Worker;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import scala.Option;
import scala.Some;

/**
 * The application that {@link ExecutorsIT} submits: it runs on two executors and returns without stopping Spark. It
 * prints its results below lines "### name".
 */
public final class ExecutorsApp {
    static final int TASKS = 4;
    static final int ROWS_OF_A_TASK = 2000;
    /** The row in the middle of the first task. */
    private static final long SLOW = ROWS_OF_A_TASK / 2;

    private static final int MEGABYTES = 1024;
    /** A file of Spark's CsvSink, named after application, executor and metric. */
    private static final Pattern ANSWERED = Pattern.compile(".*\\.(\\d+)\\.overdrive\\.answered\\.csv");
    /** A line of such a file: time and value. */
    private static final Pattern POSITIVE = Pattern.compile("(?m)^\\d+,[1-9]\\d*$");

    private final SparkSession spark;
    private final String keyspace;
    private final Set<String> executors = ConcurrentHashMap.newKeySet();
    private final AtomicInteger copies = new AtomicInteger();

    private ExecutorsApp(SparkSession spark, String keyspace) {
        this.spark = spark;
        this.keyspace = keyspace;
        spark.sparkContext().addSparkListener(new SparkListener() {
            @Override
            public void onTaskStart(SparkListenerTaskStart start) {
                executors.add(start.taskInfo().executorId());
                if (start.taskInfo().speculative()) {
                    copies.incrementAndGet();
                }
            }
        });
    }

    /** @param args the keyspace of the tables, a directory for what executors write, and that of their metrics */
    public static void main(String[] args) throws Exception {
        SparkSession spark =
                SparkSession.builder().master(startCluster(args[1])).getOrCreate();
        ExecutorsApp app = new ExecutorsApp(spark, args[0]);
        app.writeShuffledRows();
        app.writeWithASlowTask();
        app.writeOnBothExecutors(
                Files.createDirectory(Path.of(args[1], "tasks")).toString());
        awaitMetrics(Path.of(args[2]));
        System.out.println("### end\nmain returns");
    }

    /**
     * Like local-cluster, but with a host for each executor, as Spark runs a speculative copy of a task only on another
     * host.
     */
    private static String startCluster(String directory) {
        SparkConf conf = new SparkConf().set("spark.master.rest.enabled", "false");
        RpcEnv master =
                (RpcEnv) Master.startRpcEnvAndEndpoint("127.0.0.1", 0, 0, conf)._1();
        String url = "spark://127.0.0.1:" + master.address().port();
        for (int i = 1; i <= 2; i++) {
            Worker.startRpcEnvAndEndpoint(
                    "127.0.0." + i,
                    0,
                    0,
                    /* cores */ 1,
                    MEGABYTES,
                    new String[] {url},
                    directory,
                    Some.apply(i),
                    conf,
                    Option.empty());
        }
        return url;
    }

    private void writeShuffledRows() throws Exception {
        Dataset<Row> rows = spark.range(0, (long) TASKS * ROWS_OF_A_TASK, 1, TASKS)
                .selectExpr("CAST(id % 50 AS INT) AS p", "CAST(id DIV 50 AS INT) AS c", "concat('v', id) AS v");
        rows.createOrReplaceTempView("rows");
        String table = "cass." + keyspace + ".shuffled";
        System.out.println("### plan\n"
                + spark.sql("EXPLAIN INSERT INTO " + table + " SELECT * FROM rows")
                        .first()
                        .getString(0));
        rows.writeTo(table).append();
        Dataset<Row> read = spark.table(table).select("p", "c", "v");
        System.out.println("### shuffled\nmissing " + rows.exceptAll(read).count() + ", more "
                + read.exceptAll(rows).count());
        System.out.println("### executors\n" + new TreeSet<>(executors));
    }

    /** The first attempt of the first task stops half-way. */
    private void writeWithASlowTask() throws Exception {
        UDF1<Long, Long> slow = id -> {
            if (id == SLOW && TaskContext.get().attemptNumber() == 0) {
                Thread.sleep(120_000);
            }
            return 3 * id;
        };
        spark.range(0, (long) TASKS * ROWS_OF_A_TASK, 1, TASKS)
                .select(
                        functions.col("id").as("k"),
                        functions
                                .udf(slow, DataTypes.LongType)
                                .apply(functions.col("id"))
                                .as("v"))
                .writeTo("cass." + keyspace + ".slow")
                .append();
        System.out.println("### copies of tasks\n" + copies);
    }

    /**
     * Each of two tasks waits for the other, and an executor has one core: both executors send requests.
     *
     * @param directory where a task shows that it runs
     */
    private void writeOnBothExecutors(String directory) throws Exception {
        UDF1<Long, Long> meet = id -> {
            Files.writeString(Path.of(directory, Long.toString(id)), "");
            while (!Files.exists(Path.of(directory, Long.toString(1 - id)))) {
                Thread.sleep(20);
            }
            return id;
        };
        spark.range(0, 2, 1, 2)
                .select(
                        functions.col("id").as("k"),
                        functions
                                .udf(meet, DataTypes.LongType)
                                .apply(functions.col("id"))
                                .as("v"))
                .writeTo("cass." + keyspace + ".met")
                .append();
    }

    /** Waits until a sink of each executor has received the number of its requests, or has had time for it. */
    private static void awaitMetrics(Path directory) throws Exception {
        Set<String> executors = new TreeSet<>();
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (executors.size() < 2 && System.nanoTime() < end) {
            Thread.sleep(100);
            try (Stream<Path> files = Files.list(directory)) {
                for (Path file : files.toList()) {
                    Matcher name = ANSWERED.matcher(file.getFileName().toString());
                    if (name.matches()
                            && POSITIVE.matcher(Files.readString(file)).find()) {
                        executors.add(name.group(1));
                    }
                }
            }
        }
        System.out.println("### executors with metrics\n" + executors);
    }
}
