package io.overdrive.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OneCaseIn;
import io.overdrive.jobs.Summary.Outcome;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The endpoint and the files of a run. */
class WatchFilesTest {
    private static final RunMetrics METRICS =
            new RunMetrics(() -> new RunMetrics.Now(null, List.of(), Outcome.RUNNING, null));

    private final Path directory;

    WatchFilesTest(@TempDir Path directory) {
        this.directory = directory;
    }

    @AfterEach
    void closeLog() {
        Logging.closeFile();
        Logging.quiet();
    }

    @Test
    void theEndpointAnswersInTheWantedFormat() throws Exception {
        try (MetricsEndpoint endpoint = MetricsEndpoint.open("127.0.0.1", 0, METRICS)) {
            assertThat(Scrape.of(URI.create(endpoint.url())).value("overdrive_run_state"))
                    .isOne();
            assertThat(Scrape.get(endpoint.url(), "application/openmetrics-text"))
                    .endsWith("# EOF\n");
        }
    }

    /** Readers that send the beginning of a request and nothing more. */
    @ParameterizedTest
    @ValueSource(ints = {1, 40})
    @Timeout(30)
    @OneCaseIn(2)
    void halfRequestsKeepNeitherOtherReadersNorTheEndWaiting(int clients) throws Exception {
        List<Socket> half = new ArrayList<>();
        try (MetricsEndpoint endpoint = MetricsEndpoint.open("127.0.0.1", 0, METRICS)) {
            URI url = URI.create(endpoint.url());
            for (int i = 0; i < clients; i++) {
                Socket client = new Socket("127.0.0.1", url.getPort());
                half.add(client);
                client.getOutputStream().write("GET /met".getBytes(StandardCharsets.US_ASCII));
            }
            assertThat(Scrape.of(url).value("overdrive_run_state")).isOne();
        } finally {
            for (Socket client : half) {
                client.close();
            }
        }
    }

    @Test
    void aPortThatIsInUseIsNamed() throws IOException {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            assertThatThrownBy(() -> MetricsEndpoint.open("127.0.0.1", other.getLocalPort(), METRICS))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("--metrics-port " + other.getLocalPort() + ": cannot listen on 127.0.0.1:"
                            + other.getLocalPort())
                    .hasMessageEndingWith("choose another port, or 0 for any free one");
        }
    }

    @Test
    void anAddressThatIsNoneIsNamed() {
        assertThatThrownBy(() -> MetricsEndpoint.open("no such host", 0, METRICS))
                .hasMessage("--metrics-address is \"no such host\", which is no address");
    }

    @Test
    void aMetricsFileIsReplacedAsAWholeAndCanBeReadByOthers() throws IOException {
        Path path = directory.resolve("load.prom");
        Files.writeString(path, "older");
        MetricsFile file = new MetricsFile(path);
        file.write(METRICS.collect());
        assertThat(Scrape.of(Files.readString(path)).value("overdrive_run_state"))
                .isOne();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .endsWith("r--");
        file.write(new MetricSnapshots());
        assertThat(Files.readString(path)).isEmpty();
        assertThat(directory).isDirectoryContaining(each -> each.equals(path));
        try (var files = Files.list(directory)) {
            assertThat(files).as("nothing else stays").containsExactly(path);
        }
    }

    @Test
    void aLogHasALineWithTimeAndLevelForEachLineOfAMessage() throws IOException {
        Path path = directory.resolve("run.log");
        Logger ours = LoggerFactory.getLogger("io.overdrive.internal.Example");
        Logger library = LoggerFactory.getLogger("com.example.Library");
        Logging.quiet();
        Logging.toFile(path);
        RunLog.info("run 1\nsecond line");
        ours.debug("too much");
        ours.warn("careful {}", "now");
        library.info("too much");
        library.warn("of a library");
        RunLog.failed("it broke", new IllegalStateException("why"));
        Logging.closeFile();
        ours.warn("later");
        List<String> lines = Files.readAllLines(path);
        assertThat(lines)
                .allMatch(line -> line.matches(
                        "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z (INFO |WARN |ERROR) \\w+: .*"));
        assertThat(lines.stream().map(line -> line.substring(25)))
                .startsWith(
                        "INFO  run: run 1",
                        "INFO  run: second line",
                        "WARN  Example: careful now",
                        "WARN  Library: of a library",
                        "ERROR run: it broke",
                        "ERROR run: java.lang.IllegalStateException: why")
                .noneMatch(line -> line.contains("too much") || line.contains("later"));
    }

    @Test
    void aNewLogIsForItsOwnerOnlyAndAnOldOneIsContinued() throws IOException {
        Path path = directory.resolve("run.log");
        Logging.toFile(path);
        RunLog.info("first");
        Logging.closeFile();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rw-------");
        Logging.toFile(path);
        RunLog.info("second");
        Logging.closeFile();
        assertThat(Files.readAllLines(path)).hasSize(2);
    }
}
