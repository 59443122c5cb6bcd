package io.overdrive.bench.run;

import io.overdrive.local.Node;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.RuntimeMBeanException;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.jspecify.annotations.Nullable;

/** The counters of one node, over JMX and, for a node on this machine, from the process table. Thread-safe: holds only a connection. */
final class NodeProbe implements AutoCloseable {
    private static final ObjectName PROCESS = name("java.lang:type=OperatingSystem");
    private static final ObjectName STORAGE = name("org.apache.cassandra.db:type=StorageService");
    private static final ObjectName PENDING = name("org.apache.cassandra.metrics:type=Compaction,name=PendingTasks");
    private static final ObjectName COMPACTED =
            name("org.apache.cassandra.metrics:type=Compaction,name=BytesCompacted");
    private static final ObjectName BATCHES =
            name("org.apache.cassandra.metrics:type=Batch,name=PartitionsPerUnloggedBatch");

    private static final Duration TIMEOUT = Duration.ofSeconds(15);
    private static final int ATTEMPTS_TO_ESTIMATE = 10;

    private final JMXConnector connector;
    private final MBeanServerConnection beans;
    private final @Nullable Node local;

    private NodeProbe(JMXConnector connector, @Nullable Node local) throws IOException {
        this.connector = connector;
        this.beans = connector.getMBeanServerConnection();
        this.local = local;
    }

    static NodeProbe of(Node node) throws IOException {
        return new NodeProbe(open("127.0.0.1", new BenchCluster.Jmx(node.jmxPort(), null, null), TIMEOUT), node);
    }

    static NodeProbe of(String host, BenchCluster.Jmx jmx) throws IOException {
        return new NodeProbe(open(host, jmx, TIMEOUT), null);
    }

    /**
     * Connects within a time. RMI has no timeout by itself: an unreachable host blocks until TCP gives up, one that accepts and
     * stays silent blocks forever.
     */
    static JMXConnector open(String host, BenchCluster.Jmx jmx, Duration patience) throws IOException {
        FutureTask<JMXConnector> opening = new FutureTask<>(() -> open(host, jmx));
        Thread thread = new Thread(opening, "overdrive-jmx");
        thread.setDaemon(true);
        thread.start();
        try {
            return opening.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw new IOException(cause == null ? e.getMessage() : cause.getMessage(), e);
        } catch (TimeoutException e) {
            throw new IOException("no answer within " + patience.toSeconds() + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @SuppressWarnings("BanJNDI") // there is no other way to read a server's beans; the user has named the server
    private static JMXConnector open(String host, BenchCluster.Jmx jmx) throws IOException {
        String literal = host.contains(":") ? "[" + host + "]" : host;
        JMXServiceURL url =
                new JMXServiceURL("service:jmx:rmi:///jndi/rmi://" + literal + ":" + jmx.port() + "/jmxrmi");
        return JMXConnectorFactory.connect(
                url,
                jmx.user() == null
                        ? Map.of()
                        : Map.of(JMXConnector.CREDENTIALS, new String[] {jmx.user(), String.valueOf(jmx.password())}));
    }

    /** The counters, which only grow while a node runs. */
    ServerCounts counts() throws IOException {
        long cpuNanos = local != null ? local.cpuTime().toNanos() : (long) read(PROCESS, "ProcessCpuTime");
        long[] batches = batches();
        return new ServerCounts(1, cpuNanos, (long) read(COMPACTED, "Count"), batches[0], batches[1]);
    }

    /** Flushes a keyspace to disk, and estimates the sizes of all tables. */
    void flush(String keyspace) throws IOException {
        try {
            beans.invoke(STORAGE, "forceKeyspaceFlush", new Object[] {keyspace, new String[0]}, new String[] {
                String.class.getName(), String[].class.getName()
            });
            estimateSizes();
        } catch (JMException e) {
            throw new IOException(e);
        }
    }

    /** The node walks all keyspaces, and fails at one that somebody drops meanwhile; then it has to start again. */
    private void estimateSizes() throws IOException, JMException {
        for (int attempt = 1; ; attempt++) {
            try {
                beans.invoke(STORAGE, "refreshSizeEstimates", new Object[0], new String[0]);
                return;
            } catch (RuntimeMBeanException e) {
                if (attempt == ATTEMPTS_TO_ESTIMATE) {
                    throw new IOException(e);
                }
            }
        }
    }

    /** Compactions that are running or due. */
    int pendingCompactions() throws IOException {
        return (int) read(PENDING, "Value");
    }

    /**
     * Unlogged batches since the node started, and the partitions in them. The server keeps a histogram, whose buckets grow by a fifth each
     * (EstimatedHistogram); up to 8 partitions a batch they are exact, above that the middle of a bucket counts for all values in it.
     */
    private long[] batches() throws IOException {
        long[] buckets;
        try {
            buckets = (long[]) beans.invoke(BATCHES, "values", new Object[0], new String[0]);
        } catch (InstanceNotFoundException e) {
            return new long[2]; // the bean comes with the first batch
        } catch (JMException e) {
            throw new IOException(e);
        }
        long batches = 0;
        long partitions = 0;
        long below = 0;
        long bound = 1;
        for (long count : buckets) {
            batches += count;
            partitions += count * (below + 1 + bound) / 2;
            below = bound;
            bound = Math.max(bound + 1, Math.round(bound * 1.2));
        }
        return new long[] {batches, partitions};
    }

    private Object read(ObjectName bean, String attribute) throws IOException {
        try {
            return beans.getAttribute(bean, attribute);
        } catch (JMException e) {
            throw new IOException(e);
        }
    }

    private static ObjectName name(String text) {
        try {
            return new ObjectName(text);
        } catch (JMException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @Override
    public void close() throws IOException {
        connector.close();
    }
}
