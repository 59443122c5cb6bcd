package io.overdrive.spark.rdd;

import org.apache.spark.SparkConf;
import org.apache.spark.deploy.master.Master;
import org.apache.spark.deploy.worker.Worker;
import org.apache.spark.rpc.RpcEnv;
import scala.Option;
import scala.Some;

/** A cluster of Spark in this JVM, whose executors are separate processes. In Java, as Scala may not name Spark's own classes. */
public final class TwoHosts {
    private static final int MEGABYTES = 1024;

    private TwoHosts() {}

    /**
     * Starts the cluster, which ends with this JVM. Like local-cluster, but with a host for each executor, as Spark runs a
     * speculative copy of a task only on another host.
     *
     * @param directory for what the executors write
     * @return its URL
     */
    public static String start(String directory) {
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
}
