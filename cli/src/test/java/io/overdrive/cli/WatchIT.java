package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.TestCluster;
import io.overdrive.cli.watch.Scrape;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Metrics, log and progress of runs, as programs read them. */
@Timeout(120)
class WatchIT {
    private static final String KEYSPACE = TestCluster.keyspace("cli_watch");
    private static final String ROWS = KEYSPACE + ".rows";
    private static final String COPY = KEYSPACE + ".copy";
    private static final JsonMapper JSON = new JsonMapper();
    private static final Pattern ENDPOINT = Pattern.compile("; metrics at (http\\S+/metrics);");

    private final Path directory;
    private final Path metrics;
    private final Path log;
    private @Nullable Process process;

    WatchIT(@TempDir Path directory) {
        this.directory = directory;
        this.metrics = directory.resolve("run.prom");
        this.log = directory.resolve("run.log");
    }

    @BeforeAll
    static void fill() {
        for (String table : List.of(ROWS, COPY)) {
            TestCluster.execute("CREATE TABLE " + table + " (id int PRIMARY KEY, v text)");
        }
        for (int i = 0; i < 10; i++) {
            TestCluster.execute("INSERT INTO " + ROWS + " (id, v) VALUES (" + i + ", 'a')");
        }
    }

    @AfterEach
    void end() {
        if (process != null) {
            process.destroyForcibly();
        }
    }

    private String[] line(String command, String... arguments) {
        return Stream.of(
                        Stream.of(command, "--host", TestCluster.host()),
                        Stream.of(arguments),
                        Stream.of("--json", "--progress", "json"),
                        Stream.of("--metrics-file", metrics.toString(), "--log-file", log.toString()))
                .flatMap(each -> each)
                .toArray(String[]::new);
    }

    private Cli run(String command, String... arguments) {
        return Cli.run(line(command, arguments));
    }

    private Scrape lastMetrics() throws IOException {
        return Scrape.of(Files.readString(metrics));
    }

    private static String state(Scrape scrape) {
        return Stream.of("running", "done", "stopped", "failed")
                .filter(each -> scrape.sum("overdrive_run_state", Map.of("overdrive_run_state", each)) == 1)
                .collect(Collectors.joining());
    }

    /** Has a port that nobody else gets, and at which nobody listens. */
    private static Socket nobody() throws IOException {
        Socket bound = new Socket();
        bound.bind(new InetSocketAddress("127.0.0.1", 0));
        return bound;
    }

    private static byte[] records(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> i + ",text of row " + i + "\n")
                .collect(Collectors.joining())
                .getBytes(StandardCharsets.UTF_8);
    }

    /** Where a run says that its metrics are. */
    private static String awaitEndpoint(Process run, Path err) throws Exception {
        while (true) {
            Matcher endpoint = ENDPOINT.matcher(Files.readString(err));
            if (endpoint.find()) {
                return endpoint.group(1);
            }
            assertThat(run.isAlive()).as("runs: %s", Files.readString(err)).isTrue();
            Thread.sleep(50);
        }
    }

    /** The metrics of the endpoint, as soon as they have this many rows. */
    private static Scrape awaitRows(URI endpoint, int rows) throws InterruptedException {
        while (true) {
            try {
                Scrape scrape = Scrape.of(endpoint);
                if (scrape.has("overdrive_rows_written_total")
                        && scrape.value("overdrive_rows_written_total") >= rows) {
                    return scrape;
                }
            } catch (IOException e) {
                // it does not listen yet
            }
            Thread.sleep(50);
        }
    }

    @Test
    void aLoadIsReadWhileItRunsAndItsLastFiguresAreThoseOfTheSummary() throws Exception {
        TestCluster.execute("CREATE TABLE " + KEYSPACE + ".load (id int PRIMARY KEY, v text)");
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        String[] line = line(
                "load",
                "-",
                KEYSPACE + ".load",
                "--rejects",
                directory.resolve("rejects").toString(),
                "--metrics-port",
                "0");
        Process load = new ProcessBuilder(Child.command(line))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        process = load;
        String endpoint;
        try (OutputStream input = load.getOutputStream()) {
            input.write("id,v\n".getBytes(StandardCharsets.UTF_8));
            input.write(records(0, 1000));
            input.flush();
            endpoint = awaitEndpoint(load, err);
            Scrape running = awaitRows(URI.create(endpoint), 1000);
            assertThat(state(running)).isEqualTo("running");
            assertThat(running.value("overdrive_rows_read_total")).isEqualTo(1000);
            assertThat(running.sum("overdrive_request_duration_seconds", Map.of("node", TestCluster.host())))
                    .isPositive();
            assertThat(running.sum("overdrive_in_flight_limit_bytes", Map.of("keyspace", KEYSPACE, "table", "load")))
                    .isPositive();
            input.write(records(1000, 1500));
            input.write("not a number,x\n".getBytes(StandardCharsets.UTF_8));
        }
        Cli done = new Cli(load.waitFor(), Files.readString(out), Files.readString(err), /* plan */ "");
        assertThat(done.code()).as(done.err()).isEqualTo(Main.DONE_WITH_REJECTS);
        JsonNode summary = JSON.readTree(done.out());
        Scrape last = lastMetrics();
        assertThat(state(last)).isEqualTo("done");
        assertThat(last.value("overdrive_rows_read_total"))
                .isEqualTo(summary.get("rowsRead").asDouble())
                .isEqualTo(1501);
        assertThat(last.value("overdrive_rows_written_total"))
                .isEqualTo(summary.get("rowsWritten").asDouble());
        assertThat(last.value("overdrive_rows_rejected_total")).isOne();
        assertThat(last.value("overdrive_read_bytes_total"))
                .isEqualTo(summary.get("bytesRead").asDouble());
        assertThat(last.value("overdrive_written_bytes_total"))
                .isEqualTo(summary.get("bytesWritten").asDouble());
        assertThat(last.sum("overdrive_requests_total", Map.of("outcome", "answered")))
                .isGreaterThanOrEqualTo(summary.get("requests").asDouble());
        assertThat(last.value("overdrive_pending_rows")).isZero();
        assertThat(last.value("overdrive_in_flight_requests")).isZero();
        assertThat(last.has("overdrive_end_time_seconds")).isTrue();
        String run = summary.get("run").asText();
        assertThat(last.sum("overdrive_rows_written_total", Map.of("run", run, "command", "load")))
                .isEqualTo(1500);
        assertThat(done.err())
                .contains("overdrive: run " + run + "; metrics at " + endpoint + "; metrics in " + metrics + "; log in "
                        + log);
        JsonNode end = lastObject(done);
        assertThat(end.get("event").asText()).isEqualTo("end");
        assertThat(end.get("outcome").asText()).isEqualTo("done");
        assertThat(end.get("rows").asLong()).isEqualTo(1500);
        assertThat(end.get("run").asText()).isEqualTo(run);
        assertThat(Files.readString(log))
                .contains(" run: overdrive load ", " run: run " + run + "\n", "   writes    " + KEYSPACE + ".load at ")
                .contains(" run: 1,501 rows read = 1,500 written + 1 rejected", " run: ended: done\n");
    }

    private static JsonNode lastObject(Cli done) throws IOException {
        String last =
                done.err().lines().filter(line -> line.startsWith("{\"event\"")).reduce("", (a, b) -> b);
        return JSON.readTree(last);
    }

    @ParameterizedTest
    @CsvSource({
        "unload ROWS OUT, overdrive_rows_written_total, rowsWritten, rows",
        "count ROWS, overdrive_rows_read_total, rows, rows",
        "copy ROWS COPY, overdrive_rows_written_total, rowsWritten, copy",
        "diff ROWS ROWS, overdrive_rows_compared_total, rowsSame, rows",
        "verify FILE ROWS, overdrive_rows_compared_total, rowsSame, rows"
    })
    void eachCommandHasTheFiguresOfItsSummary(String line, String metric, String member, String table)
            throws IOException {
        Path file = directory.resolve("rows.csv");
        Files.writeString(
                file,
                "id,v\n" + IntStream.range(0, 10).mapToObj(i -> i + ",a\n").collect(Collectors.joining()));
        String[] words = line.replace("ROWS", ROWS)
                .replace("COPY", COPY)
                .replace("OUT", directory.resolve("out") + "/")
                .replace("FILE", file.toString())
                .split(" ");
        Cli done = run(words[0], List.of(words).subList(1, words.length).toArray(String[]::new));
        assertThat(done.code()).as(done.err()).isEqualTo(Main.DONE);
        // diff and verify have their differences on standard output
        String json = Stream.concat(done.out().lines(), done.err().lines())
                .filter(each -> each.startsWith("{") && each.contains("\"plan\""))
                .findFirst()
                .orElseThrow();
        JsonNode summary = JSON.readTree(json);
        Scrape last = lastMetrics();
        assertThat(state(last)).isEqualTo("done");
        assertThat(last.sum(
                        metric,
                        Map.of(
                                "run",
                                summary.get("run").asText(),
                                "command",
                                words[0],
                                "keyspace",
                                KEYSPACE,
                                "table",
                                table)))
                .isEqualTo(summary.get(member).asDouble())
                .isEqualTo(10);
        assertThat(last.value("overdrive_requests_total")).isPositive();
        assertThat(lastObject(done).get("outcome").asText()).isEqualTo("done");
        assertThat(Files.readString(log)).contains(" run: ended: done\n");
    }

    @Test
    void aRunThatCannotConnectHasFailed() throws IOException {
        Cli failed;
        int nobody;
        try (Socket bound = nobody()) {
            nobody = bound.getLocalPort();
            failed = Cli.run(
                    Map.of("OVERDRIVE_PASSWORD", "s3cret-word"),
                    "count",
                    ROWS,
                    "--host",
                    "127.0.0.1:" + nobody,
                    "--user",
                    "someone",
                    "--progress",
                    "json",
                    "--metrics-file",
                    metrics.toString(),
                    "--log-file",
                    log.toString());
        }
        assertThat(failed.code()).isEqualTo(Main.FAILED);
        assertThat(state(lastMetrics())).isEqualTo("failed");
        assertThat(lastObject(failed).get("outcome").asText()).isEqualTo("failed");
        assertThat(Files.readString(log))
                .contains(" ERROR run: cannot connect to 127.0.0.1:" + nobody)
                .contains(" run: ended: failed")
                .contains("--user=someone")
                .doesNotContain("s3cret-word");
    }

    @Test
    void aPortThatIsInUseIsReportedBeforeTheRunBegins() throws IOException {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
                Socket nobody = nobody()) {
            Cli wrong = Cli.run(
                    "load",
                    Files.writeString(directory.resolve("x.csv"), "id\n").toString(),
                    ROWS,
                    "--host",
                    "127.0.0.1:" + nobody.getLocalPort(),
                    "--metrics-file",
                    metrics.toString(),
                    "--metrics-port",
                    String.valueOf(other.getLocalPort()));
            assertThat(wrong.code()).isEqualTo(Main.USAGE);
            assertThat(directory.resolve(".run.prom.lock")).doesNotExist();
            assertThat(wrong.err())
                    .contains("--metrics-port " + other.getLocalPort() + ": cannot listen on 127.0.0.1:")
                    .doesNotContain("cannot connect");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--metrics-file", "--explain-flow"})
    void aFileThatAnotherProcessWritesIsRefusedAtTheStart(String option) throws Exception {
        String file = directory.resolve("shared").toString();
        Path lock = directory.resolve(".shared.lock");
        Process first = new ProcessBuilder(Child.command("load", "-", COPY, "--host", TestCluster.host(), option, file))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            while (!Files.exists(lock) || Files.size(lock) == 0) {
                assertThat(first.isAlive()).isTrue();
                Thread.sleep(20);
            }
            Cli second = Cli.run("count", ROWS, "--host", TestCluster.host(), option, file);
            assertThat(second.err())
                    .isEqualTo("overdrive: " + file + ": another run writes it (process " + first.pid()
                            + "); wait until it has ended, or name another one\n");
            assertThat(second.out()).isEmpty();
            assertThat(second.code()).isEqualTo(Main.FAILED);
            try (Writer rows = first.outputWriter()) {
                rows.write("id,v\n1,a\n");
            }
            assertThat(first.waitFor()).isZero();
            assertThat(lock).doesNotExist();
            assertThat(Path.of(file)).exists();
            if (option.equals("--metrics-file")) { // so short a run may have made no decision
                assertThat(Path.of(file)).isNotEmptyFile();
            }
            assertThat(Cli.run("count", ROWS, "--host", TestCluster.host(), option, file)
                            .code())
                    .isZero();
        } finally {
            first.destroyForcibly();
        }
    }

    @Test
    void progressCanBeSwitchedOff() {
        Cli done = Cli.run("count", ROWS, "--host", TestCluster.host(), "--progress", "none");
        assertThat(done.code()).isEqualTo(Main.DONE);
        assertThat(done.err()).isEmpty();
    }
}
