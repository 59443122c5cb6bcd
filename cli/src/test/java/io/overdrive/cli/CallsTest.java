package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.cli.report.CallEvents;
import io.overdrive.simulated.SimulatedCluster;
import io.overdrive.simulated.SimulatedOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Calls that a program makes of commands in one process: docs/design/python.md. */
class CallsTest {
    private static final int ROWS = 3_001;
    private static final String TABLE = SimulatedCluster.TABLE;

    private final Path directory;

    CallsTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private static SimulatedCluster cluster(long rows) {
        return SimulatedCluster.start(
                SimulatedOptions.builder().nodesPerDatacenter(3).rows(rows).build());
    }

    private static String[] unload(SimulatedCluster cluster) {
        return new String[] {"unload", TABLE, "-", "--format", "arrow", "--json", "--host", cluster.contactPoint()};
    }

    private static String[] load(SimulatedCluster cluster, String... more) {
        String[] args = {"load", "-", TABLE, "--json", "--no-journal", "--host", cluster.contactPoint()};
        String[] all = Arrays.copyOf(args, args.length + more.length);
        System.arraycopy(more, 0, all, args.length, more.length);
        return all;
    }

    private static long timers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("overdrive-timer"))
                .count();
    }

    @Test
    void callsFollowEachOtherOverKeptConnections() throws Exception {
        PrintStream out = System.out;
        PrintStream err = System.err;
        InputStream in = System.in;
        try (SimulatedCluster cluster = cluster(ROWS)) {
            try (Parent parent = new Parent(directory)) {
                byte[] rows = parent.output(unload(cluster));
                Parent.Done unloaded = parent.done();
                assertThat(unloaded.exit()).as(unloaded.error()).isEqualTo(Main.DONE);
                assertThat(unloaded.event().get("error").isNull()).isTrue();
                assertThat(unloaded.summary().get("rowsWritten").asInt()).isEqualTo(ROWS);
                assertThat(unloaded.texts("text")).isEmpty();

                long connections = cluster.counts().connections();
                assertThat(connections).isPositive();
                long timers = Math.max(1, timers()); // those of earlier tests end by themselves
                Parent.Done loaded = parent.input(rows, load(cluster, "--format", "arrow"));
                assertThat(loaded.exit()).as(loaded.error()).isEqualTo(Main.DONE);
                assertThat(loaded.summary().get("rowsWritten").asInt()).isEqualTo(ROWS);
                assertThat(cluster.counts().rowsWritten()).isEqualTo(ROWS);
                for (int i = 0; i < 3; i++) {
                    assertThat(parent.output(unload(cluster))).hasSameSizeAs(rows);
                    assertThat(parent.done().exit()).isEqualTo(Main.DONE);
                }
                assertThat(timers()).as("threads of timers").isLessThanOrEqualTo(timers);
                Parent.Done counted = parent.call("count", TABLE, "--host", cluster.contactPoint());
                assertThat(counted.summary().get("rows").asInt()).isEqualTo(ROWS);
                assertThat(cluster.counts().connections()).isEqualTo(connections);

                Parent.Done other =
                        parent.call("count", TABLE, "--connect-timeout", "29", "--host", cluster.contactPoint());
                assertThat(other.exit()).as(other.error()).isEqualTo(Main.DONE);
                assertThat(cluster.counts().connections()).isGreaterThan(connections);
                assertThat(parent.end()).isEqualTo(Main.DONE);
                assertThat(parent.bounds()).isZero();
            }
        }
        assertThat(System.out).isSameAs(out);
        assertThat(System.err).isSameAs(err);
        assertThat(System.in).isSameAs(in);
    }

    @Test
    void aKeptConnectionThatIsDeadIsReplaced() throws Exception {
        try (SimulatedCluster cluster = cluster(ROWS);
                Parent parent = new Parent(directory)) {
            String[] count = {"count", TABLE, "--host", cluster.contactPoint()};
            assertThat(parent.call(count).exit()).isEqualTo(Main.DONE);
            cluster.nodes().forEach(node -> {
                node.refuse();
                node.recover();
            });
            Parent.Done counted = parent.call(count);
            assertThat(counted.exit()).as(counted.error()).isEqualTo(Main.DONE);
            assertThat(counted.summary().get("rows").asInt()).isEqualTo(ROWS);
        }
    }

    @Test
    void aStatementThatFailsIsTheErrorOfItsCall() throws Exception {
        try (SimulatedCluster cluster = cluster(ROWS);
                Parent parent = new Parent(directory)) {
            Parent.Done failed = parent.call("cql", "CREATE NONSENSE", "--json", "--host", cluster.contactPoint());
            assertThat(failed.exit()).isEqualTo(Main.FAILED);
            assertThat(failed.error()).isNotBlank();
            assertThat(failed.texts("text")).isEmpty();
        }
    }

    @Test
    void anUnknownOptionIsNamedWithTheSimilarOne() throws Exception {
        try (Parent parent = new Parent(directory)) {
            Parent.Done failed = parent.call("count", "ks.t", "--consistancy=ONE");
            assertThat(failed.exit()).isEqualTo(Main.USAGE);
            assertThat(failed.error()).isEqualTo("Unknown option: '--consistancy=ONE'. Did you mean: --consistency?");
        }
    }

    @Test
    void aCallInheritsNothingFromTheOneBefore() throws Exception {
        try (Parent parent = new Parent(directory)) {
            String[] load = {"load", "missing.csv", "ks.t"};
            Parent.Done verbose = parent.call("load", "missing.csv", "ks.t", "--verbose");
            assertThat(verbose.exit()).isEqualTo(Main.FAILED);
            assertThat(verbose.event().get("kind").asText()).isEqualTo("input");
            assertThat(verbose.error()).startsWith("missing.csv").doesNotContain("overdrive:");
            assertThat(verbose.texts("text")).anyMatch(line -> line.startsWith("\tat "));

            Parent.Done quiet = parent.call(load);
            assertThat(quiet.error()).isEqualTo(verbose.error());
            assertThat(quiet.texts("text")).noneMatch(line -> line.startsWith("\tat ") || line.contains(quiet.error()));

            Parent.Done wrong = parent.call("load", "--such");
            assertThat(wrong.exit()).isEqualTo(Main.USAGE);
            assertThat(wrong.event().has("kind")).isFalse();
            assertThat(wrong.texts("text")).contains("Try: overdrive load --help");

            Parent.Done fine = parent.call("--version");
            assertThat(fine.exit()).isEqualTo(Main.DONE);
            assertThat(fine.event().get("error").isNull()).isTrue();
            assertThat(fine.event().get("summary").isNull()).isTrue();
            assertThat(String.join("", fine.texts("output"))).startsWith("overdrive ");
        }
    }

    @Test
    void eachCallHasItsOutputAndItsTexts() throws Exception {
        try (Parent parent = new Parent(directory)) {
            for (int call = 0; call < 3; call++) { // from the second one on, with a command line that was made before
                assertThat(String.join("", parent.call("--version").texts("output")))
                        .startsWith("overdrive ");
                assertThat(parent.call("load", "--such").texts("text")).contains("Try: overdrive load --help");
            }
        }
    }

    @Test
    void theOptionsOfACallCountForItOnly() throws Exception {
        try (SimulatedCluster cluster = cluster(ROWS);
                Parent parent = new Parent(directory)) {
            String[] plain = {"unload", TABLE, "-", "--host", cluster.contactPoint()};
            byte[] rows = parent.output(plain);
            Parent.Done done = parent.done();
            assertThat(done.exit()).as(done.error()).isEqualTo(Main.DONE);
            byte[] others = parent.output(
                    "unload",
                    TABLE,
                    "-",
                    "--format",
                    "json",
                    "--set",
                    "more = 1",
                    "--page-rows",
                    "100",
                    "--host",
                    cluster.contactPoint());
            done = parent.done();
            assertThat(done.exit()).as(done.error()).isEqualTo(Main.DONE);
            assertThat(others).startsWith('{').hasSizeGreaterThan(rows.length);
            assertThat(parent.output(plain)).hasSameSizeAs(rows);
            assertThat(parent.done().exit()).isEqualTo(Main.DONE);
        }
    }

    @Test
    void noCommandLineIsUsedTwice() {
        Main.CommandLines lines = new Main.CommandLines();
        CommandLine first = lines.take("count", "ks.t");
        CommandLine second = lines.take("count", "ks.t");
        lines.refill();
        lines.refill();
        CommandLine third = lines.take("count", "ks.u");
        CommandLine fourth = lines.take("count", "ks.t");
        assertThat(new HashSet<>(List.of(first, second, third, fourth))).hasSize(4);
        assertThat(third.getSubcommands()).containsOnlyKeys("count");
        assertThat(lines.take("--help").getSubcommands()).containsKeys("count", "load");
    }

    @Test
    void theEnvironmentOfARequestCountsForItOnly() throws Exception {
        try (Parent parent = new Parent(directory)) {
            parent.send(Map.of(
                    "args", List.of("load", "missing.csv", "ks.t"), "environment", Map.of("OVERDRIVE_PORT", "none")));
            Parent.Done wrong = parent.done();
            assertThat(wrong.exit()).isEqualTo(Main.USAGE);
            assertThat(wrong.error()).contains("none");
            assertThat(parent.call("load", "missing.csv", "ks.t").exit()).isEqualTo(Main.FAILED);
        }
    }

    @Test
    void linesThatAreNoRequestsAreRefusedInTheirPlace() throws Exception {
        try (Parent parent = new Parent(directory)) {
            for (String line : List.of(
                    "garbage",
                    "[]",
                    "{\"args\": 1}",
                    "{\"args\": [1]}",
                    "{\"password\": \"secret\"",
                    "{}",
                    "{\"args\": [], \"input\": 1}",
                    "{\"args\": [], \"environment\": []}",
                    "{\"cancel\": \"yes\"}")) {
                parent.send(line);
                Parent.Done refused = parent.done();
                assertThat(refused.exit()).as(line).isEqualTo(Main.USAGE);
                assertThat(refused.error()).contains("request").doesNotContain("secret");
            }
            parent.send("");
            parent.send("{\"cancel\": true}");
            parent.send("{\"later\": {\"a\": [1]}, \"args\": [\"--version\"], \"input\": null}");
            assertThat(parent.done().exit()).isEqualTo(Main.DONE);
        }
    }

    /** So that the launcher keeps an archive only of a process that has loaded the classes of a call. */
    @Test
    void theProcessFailsIfAllItsCallsHaveFailed() throws Exception {
        try (Parent parent = new Parent(directory)) {
            assertThat(parent.call("load", "missing.csv", "ks.t").exit()).isEqualTo(Main.FAILED);
            assertThat(parent.end()).isEqualTo(Main.FAILED);
        }
        try (Parent parent = new Parent(directory)) {
            assertThat(parent.call("--version").exit()).isEqualTo(Main.DONE);
            assertThat(parent.call("--wrong").exit()).isEqualTo(Main.USAGE);
            assertThat(parent.end()).isEqualTo(Main.DONE);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"input", "output"})
    void aSocketThatNobodyListensOnFailsTheCall(String name) throws Exception {
        try (Parent parent = new Parent(directory)) {
            String path = directory.resolve("nobody").toString();
            parent.send(Map.of("args", List.of("--version"), name, path));
            Parent.Done failed = parent.done();
            assertThat(failed.exit()).isEqualTo(Main.FAILED);
            assertThat(failed.error()).startsWith("the socket of the " + name + ", " + path);
            assertThat(failed.texts("output")).isEmpty();
            assertThat(parent.call("--version").exit()).isEqualTo(Main.DONE);
        }
    }

    @Test
    void aJobIsCancelledAndTheNextOneRuns() throws Exception {
        try (SimulatedCluster cluster = cluster(ROWS);
                Parent parent = new Parent(directory)) {
            try (ServerSocketChannel server = parent.listen()) {
                parent.send(Map.of("args", load(cluster), "input", Parent.path(server)));
                try (SocketChannel socket = server.accept()) {
                    socket.write(ByteBuffer.wrap("id,n,label\n".getBytes(StandardCharsets.UTF_8)));
                    parent.send("{\"cancel\": true}");
                    assertThat(parent.done().exit()).isEqualTo(Main.INTERRUPTED);
                }
            }
            assertThat(parent.call("count", TABLE, "--host", cluster.contactPoint())
                            .exit())
                    .isEqualTo(Main.DONE);
        }
    }

    @Test
    @Timeout(60)
    void aCallThatConnectsIsCancelledAtOnce() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Parent parent = new Parent(directory)) {
            String host = silent.getInetAddress().getHostAddress() + ":" + silent.getLocalPort();
            List<String> args = List.of("count", TABLE, "--host", host, "--connect-timeout", "600");
            parent.send(Map.of("args", args));
            try (Socket connection = silent.accept()) { // which never answers
                assertThat(connection.isConnected()).isTrue();
                parent.send("{\"cancel\": true}");
                assertThat(parent.done().exit()).isEqualTo(Main.INTERRUPTED);
            }
        }
    }

    @Test
    void theEndOfTheRequestsCancelsTheCall() throws Exception {
        try (SimulatedCluster cluster = cluster(ROWS);
                Parent parent = new Parent(directory);
                ServerSocketChannel server = parent.listen()) {
            parent.send(Map.of("args", load(cluster), "input", Parent.path(server)));
            try (SocketChannel socket = server.accept()) {
                assertThat(socket.isConnected()).isTrue();
                assertThat(parent.end()).isEqualTo(Main.INTERRUPTED);
                assertThat(parent.bounds()).isEqualTo(1);
            }
        }
    }

    @Test
    @Timeout(60)
    void theEndOfTheRequestsWhileACallSendsItsEndCancelsNothing() throws IOException {
        CompletableFuture<CallsCommand.Serving> serving = new CompletableFuture<>();
        ByteArrayOutputStream events = new ByteArrayOutputStream() {
            @Override
            public void write(byte[] bytes) throws IOException {
                super.write(bytes);
                if (new String(bytes, StandardCharsets.UTF_8).contains("\"done\"")) {
                    serving.join().end();
                }
            }
        };
        AtomicInteger bounds = new AtomicInteger();
        try (PipedOutputStream requests = new PipedOutputStream();
                PipedInputStream child = new PipedInputStream(requests)) {
            requests.write("{\"args\": [\"--version\"]}\n".getBytes(StandardCharsets.UTF_8));
            serving.complete(new CallsCommand.Serving(child, events, Map.of(), bounds::incrementAndGet));
            assertThat(serving.join().run("1.2.3")).isEqualTo(Main.DONE);
        }
        assertThat(bounds).hasValue(0);
        assertThat(events.toString(StandardCharsets.UTF_8)).contains("\"exit\":0");
    }

    @Test
    void aReaderThatGoesEndsTheCall() throws Exception {
        try (SimulatedCluster cluster = cluster(50_000_000);
                Parent parent = new Parent(directory)) {
            try (ServerSocketChannel server = parent.listen()) {
                parent.send(Map.of("args", unload(cluster), "output", Parent.path(server)));
                try (SocketChannel socket = server.accept()) {
                    assertThat(Channels.newInputStream(socket).readNBytes(100_000))
                            .hasSize(100_000);
                }
            }
            Parent.Done ended = parent.done();
            assertThat(ended.exit()).isEqualTo(Main.READER_GONE);
            assertThat(Thread.getAllStackTraces().keySet())
                    .noneMatch(thread -> thread.getName().startsWith("overdrive-scan-"));
            assertThat(parent.call("count", TABLE, "--host", cluster.contactPoint())
                            .exit())
                    .isEqualTo(Main.DONE);
        }
    }

    @Test
    void anInputThatBreaksIsNoEndOfIt() throws Exception {
        try (SimulatedCluster cluster = cluster(ROWS);
                Parent parent = new Parent(directory)) {
            byte[] arrow = parent.output(unload(cluster));
            assertThat(parent.done().exit()).isEqualTo(Main.DONE);
            byte[] csv = "id,n,label\n00000000-0000-0001-0000-000000000001,1,a\n".getBytes(StandardCharsets.UTF_8);
            for (byte[] input : new byte[][] {Arrays.copyOf(arrow, arrow.length / 2), csv}) {
                try (ServerSocketChannel server = parent.listen()) {
                    parent.send(Map.of(
                            "args",
                            load(cluster, "--format", input == csv ? "csv" : "arrow"),
                            "input",
                            Parent.path(server)));
                    try (SocketChannel socket = server.accept()) {
                        socket.write(ByteBuffer.wrap(input));
                    }
                    Parent.Done failed = parent.done();
                    assertThat(failed.exit()).isEqualTo(Main.FAILED);
                    assertThat(failed.error()).contains("has closed the socket");
                }
            }
            Parent.Done unmarked = parent.input(
                    Arrays.copyOf(arrow, arrow.length - 8), load(cluster, "--format", "arrow")); // without the end mark
            assertThat(unmarked.exit()).isEqualTo(Main.FAILED);
            assertThat(unmarked.error()).contains("without its end mark");
            Parent.Done whole = parent.input(csv, load(cluster, "--format", "csv"));
            assertThat(whole.summary().get("rowsWritten").asInt()).isEqualTo(1);
        }
    }

    @Test
    void outputInEventsIsCutBetweenCharacters() {
        byte[] text = "aé€😀".getBytes(StandardCharsets.UTF_8);
        int[] ends = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10};
        for (int count = 0; count < ends.length; count++) {
            assertThat(CallEvents.wholeCharacters(text, count)).as("%s", count).isEqualTo(ends[count]);
        }
    }
}
