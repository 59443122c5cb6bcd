package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import io.overdrive.ConnectOptions;
import io.overdrive.Overdrive;
import io.overdrive.cli.options.Amount;
import io.overdrive.cli.watch.Logging;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import io.overdrive.local.Node;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A load and an unload of another table, each a separate process, continue by themselves when the only node hangs, is
 * restarted, or is killed and started again: no row is rejected, missing, or doubled. Loads and unloads share the outages. Those of the
 * test with the tag {@code kills} are long, and two clusters have theirs at the same time.
 */
@Timeout(480)
class NodeFailureIT {
    private static final String KEYSPACE = "cli_failure";
    private static final String SOURCE = KEYSPACE + ".source";
    private static final int SOURCE_ROWS = 40_000;
    /** So large that the rows inside an unload at one moment are only a small part of the table. */
    private static final String TEXT =
            "so much text that pipes and buffers are soon full and the rest is still at the node ";
    /** Value of {@code --rows-per-second}, so that a load does not get far ahead of the test. */
    private static final String SLOWLY = "5000";

    private final Path directory;

    NodeFailureIT(@TempDir Path directory) {
        this.directory = directory;
    }

    private static String record(int i) {
        return i / 10 + "," + i + "," + TEXT + i;
    }

    private enum Failure {
        HANGS {
            @Override
            void begin(Node node) {
                node.pause();
            }

            @Override
            void end(Node node) {
                node.resume();
            }
        },
        IS_RESTARTED {
            @Override
            void begin(Node node) {
                node.stop();
            }

            @Override
            void end(Node node) {
                node.start();
            }
        },
        IS_KILLED {
            @Override
            void begin(Node node) {
                node.kill();
            }

            @Override
            void end(Node node) {
                node.start();
            }
        };

        abstract void begin(Node node);

        abstract void end(Node node);
    }

    /** @param seconds how long it lasts; 0 for until both processes have reported that they wait for the node */
    private record Outage(Failure failure, int seconds) {}

    @Test
    @Tag("nightly")
    void loadsAndUnloadsContinueAfterShortOutages() throws Exception {
        Logging.quiet();
        try (OneNode node = new OneNode(directory.resolve("one"), source())) {
            node.continueAfter("hanging", new Outage(Failure.HANGS, 0), new Outage(Failure.IS_KILLED, 2));
        }
    }

    private Path source() throws IOException {
        List<String> lines = new ArrayList<>(List.of("p,c,v"));
        for (int i = 0; i < SOURCE_ROWS; i++) {
            lines.add(record(i));
        }
        return Files.write(directory.resolve("source.csv"), lines);
    }

    @Test
    @Tag("kills")
    void loadsAndUnloadsContinueAfterEachOutage() throws Exception {
        Logging.quiet();
        Path source = source();
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (OneNode first = new OneNode(directory.resolve("first"), source);
                OneNode second = new OneNode(directory.resolve("second"), source)) {
            Future<?> hangsThenDown = threads.submit(() -> {
                first.continueAfter("hanging", new Outage(Failure.HANGS, 20), new Outage(Failure.IS_KILLED, 60));
                return null;
            });
            Future<?> downThenHangs = threads.submit(() -> {
                second.continueAfter("killed", new Outage(Failure.IS_KILLED, 5), new Outage(Failure.HANGS, 60));
                second.continueAfter("restarted", new Outage(Failure.IS_RESTARTED, 2));
                return null;
            });
            hangsThenDown.get();
            downThenHangs.get();
        } finally {
            threads.shutdownNow();
        }
    }

    /** A cluster of one node, whose table {@link #SOURCE} has rows, and what is loaded into it and unloaded from it. */
    private static final class OneNode implements AutoCloseable {
        private final Path directory;
        private final LocalCluster cluster;
        private final String host;
        private final Overdrive overdrive;
        private final List<Process> processes = new CopyOnWriteArrayList<>();

        OneNode(Path directory, Path source) throws IOException {
            this.directory = Files.createDirectory(directory);
            cluster = LocalCluster.start(LocalOptions.builder()
                    .heapMegabytes(512)
                    .directory(directory.resolve("cassandra"))
                    .port(0)
                    .profile(LocalOptions.Profile.SMALL)
                    // Acknowledged rows are on disk. By default a node that is killed forgets rows that it has
                    // acknowledged in its last seconds, which no client can prevent.
                    .setting("commitlog_sync", "batch")
                    .setting("commitlog_sync_period", "0ms")
                    .stopWithJvm(true)
                    .build());
            host = cluster.contactPoints().get(0).getHostString() + ":"
                    + cluster.contactPoints().get(0).getPort();
            overdrive = Overdrive.connect(ConnectOptions.to(host, cluster.datacenter()));
            overdrive.changeSchema("CREATE KEYSPACE " + KEYSPACE
                    + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
            create(SOURCE);
            create(KEYSPACE + ".hanging"); // now, as a schema change needs the connection that outages break
            create(KEYSPACE + ".killed");
            create(KEYSPACE + ".restarted");
            Cli load = Cli.run("load", source.toString(), SOURCE, "--host", host);
            assertThat(load.code()).as(load.err()).isEqualTo(Main.DONE);
        }

        @Override
        public void close() {
            processes.forEach(Process::destroyForcibly);
            overdrive.close();
            cluster.wipe();
        }

        private void create(String table) {
            overdrive.changeSchema("CREATE TABLE " + table + " (p int, c int, v text, PRIMARY KEY (p, c))");
        }

        void continueAfter(String name, Outage... outages) throws Exception {
            Node node = cluster.nodes().get(0);
            String table = KEYSPACE + "." + name;
            Path loadOut = directory.resolve(name + ".out");
            Path loadErr = directory.resolve(name + ".err");
            Path unloadErr = directory.resolve(name + "-unload.err");
            Process load = start(builder("load", "-", table, "--rows-per-second", SLOWLY)
                    .redirectOutput(loadOut.toFile())
                    .redirectError(loadErr.toFile()));
            Feed feed = Feed.start(load, "p,c,v", NodeFailureIT::record, Integer.MAX_VALUE);
            Process unload =
                    start(builder("unload", SOURCE, "-", "--page-rows", "100").redirectError(unloadErr.toFile()));
            Taker taker = Taker.start(unload);
            int share = SOURCE_ROWS / (outages.length + 1);
            for (int i = 0; i < outages.length; i++) {
                awaitRow(table, feed.written(), load, loadErr);
                taker.await((i + 1) * share, unloadErr);
                outages[i].failure.begin(node);
                try {
                    taker.allow((i + 2) * share);
                    awaitEnd(outages[i], loadErr, unloadErr);
                    assertThat(taker.taken()).as("rows without the node").isLessThan((i + 2) * share);
                } finally {
                    outages[i].failure.end(node);
                }
                awaitConnection();
            }

            int rows = feed.endAfter(10_000);
            assertDone(load, loadErr, outages);
            assertThat(loadOut)
                    .content()
                    .startsWith(Amount.count(rows) + " rows read = " + Amount.count(rows) + " written + 0 rejected\n")
                    .contains("  node lost " + host + ": the connection broke.")
                    .contains("unless other replicas have them or its commit log is synced for each write"
                            + " (commitlog_sync: batch; the default is periodic)");
            assertHasAll(table, rows);

            List<String> lines = taker.takeRest();
            assertDone(unload, unloadErr, outages);
            assertThat(lines).hasSize(SOURCE_ROWS + 1).startsWith("p,c,v");
            assertThat(numbers(lines.subList(1, SOURCE_ROWS + 1))).isEqualTo(SOURCE_ROWS);
            assertThat(unloadErr).content().contains(Amount.count(SOURCE_ROWS) + " rows written\n");
        }

        private void awaitEnd(Outage outage, Path... errs) throws Exception {
            Thread.sleep(TimeUnit.SECONDS.toMillis(outage.seconds));
            for (Path err : errs) {
                while (outage.seconds == 0
                        && !waiting().matcher(Files.readString(err)).find()) {
                    Thread.sleep(100);
                }
            }
        }

        /** A line of progress says so when no node answers; there is one in ten seconds. */
        private Pattern waiting() {
            return Pattern.compile("(?m)^node " + host + " does not answer, waiting \\d+ s  [0-9,]+ rows  ");
        }

        /** Waits for the test's connection: the driver pauses for up to 10 s before it reconnects. */
        private void awaitConnection() throws InterruptedException {
            while (overdrive.session().getMetadata().getNodes().values().stream()
                    .noneMatch(node -> node.getState() == NodeState.UP && node.getOpenConnections() > 0)) {
                Thread.sleep(100);
            }
        }

        private ProcessBuilder builder(String... args) {
            List<String> command = Child.command(args);
            command.addAll(List.of("--host", host));
            return new ProcessBuilder(command);
        }

        private Process start(ProcessBuilder builder) throws IOException {
            Process process = builder.start();
            processes.add(process);
            return process;
        }

        /** Waits until a row that is read from now on has been written. */
        private void awaitRow(String table, int i, Process load, Path err) throws Exception {
            SimpleStatement query =
                    SimpleStatement.newInstance("SELECT v FROM " + table + " WHERE p = ? AND c = ?", i / 10, i);
            while (!isThere(query)) {
                assertThat(load.isAlive()).as("runs: %s", Files.readString(err)).isTrue();
                Thread.sleep(20);
            }
        }

        private boolean isThere(SimpleStatement query) {
            try {
                return overdrive.session().execute(query).one() != null;
            } catch (DriverException e) {
                return false; // the connection of the test is not back yet
            }
        }

        /**
         * Checks that all rows are there. After a long outage, one of the progress lines has named the reason of the
         * wait.
         */
        private void assertDone(Process process, Path err, Outage... outages) throws Exception {
            assertThat(process.waitFor(240, TimeUnit.SECONDS)).as("ended").isTrue();
            assertThat(process.exitValue()).as(Files.readString(err)).isEqualTo(Main.DONE);
            assertThat(err).content().doesNotContain("overdrive: ");
            if (Stream.of(outages).anyMatch(outage -> outage.seconds >= 20)) {
                assertThat(err).content().containsPattern(waiting());
            }
        }

        private void assertHasAll(String table, int rows) {
            List<String> found = new ArrayList<>();
            for (Row row : overdrive.session().execute("SELECT p, c, v FROM " + table)) {
                found.add(row.getInt(0) + "," + row.getInt(1) + "," + row.getString(2));
            }
            assertThat(found).hasSize(rows);
            assertThat(numbers(found)).isEqualTo(rows);
        }
    }

    /** The number of the first missing record; checks each record. */
    private static int numbers(List<String> records) {
        BitSet found = new BitSet();
        for (String record : records) {
            int i = Integer.parseInt(record.substring(record.indexOf(',') + 1, record.lastIndexOf(',')));
            assertThat(record).isEqualTo(record(i));
            found.set(i);
        }
        return found.nextClearBit(0);
    }

    /** Reads lines from the standard output of a process, no more than allowed, so that the process has to wait. */
    private static final class Taker {
        private final Process process;
        private final List<String> lines = new ArrayList<>();
        private final Thread thread = new Thread(this::take, "taker");
        private int limit;

        private Taker(Process process) {
            this.process = process;
            thread.setDaemon(true);
        }

        static Taker start(Process process) {
            Taker taker = new Taker(process);
            taker.thread.start();
            return taker;
        }

        private void take() {
            try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
                while (mayTake()) {
                    String line = in.readLine();
                    if (line == null) {
                        return;
                    }
                    synchronized (this) {
                        lines.add(line);
                        notifyAll();
                    }
                }
            } catch (IOException | InterruptedException e) {
                // the test fails if records are missing
            }
        }

        private synchronized boolean mayTake() throws InterruptedException {
            while (lines.size() >= limit) {
                wait();
            }
            return true;
        }

        synchronized void allow(int count) {
            limit = count;
            notifyAll();
        }

        /** Waits until this many were read. */
        void await(int count, Path err) throws Exception {
            allow(count);
            while (taken() < count) {
                assertThat(process.isAlive())
                        .as("runs: %s", Files.readString(err))
                        .isTrue();
                Thread.sleep(20);
            }
        }

        synchronized int taken() {
            return lines.size();
        }

        /** Waits for the end, and returns all lines. */
        List<String> takeRest() throws InterruptedException {
            allow(Integer.MAX_VALUE);
            thread.join(TimeUnit.SECONDS.toMillis(240));
            assertThat(thread.isAlive()).as("more comes").isFalse();
            return lines;
        }
    }
}
