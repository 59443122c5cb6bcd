package io.overdrive.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.overdrive.GuardTotals;
import io.overdrive.Latency;
import io.overdrive.NodeTotals;
import io.overdrive.cli.watch.RunMetrics.Connection;
import io.overdrive.cli.watch.RunMetrics.Now;
import io.overdrive.cli.watch.RunMetrics.TableLabels;
import io.overdrive.jobs.Figures;
import io.overdrive.jobs.Summary.Outcome;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.hawkular.agent.prometheus.types.Histogram;
import org.hawkular.agent.prometheus.types.Metric;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RunMetricsTest {
    private static final Path DOCS = Path.of("..", "docs", "reference");
    private static final Map<String, String> LABELS =
            Map.of("run", "20260131-134500-abcd", "command", "load", "keyspace", "ks", "table", "say \"\\\"\n");

    private @Nullable Now now = new Now(
            figures(new Figures.Counts(110, 100, 90, 3, 5_000, 6_000, 700, 8)),
            List.of(connection(1)),
            Outcome.RUNNING,
            /* ended */ null);

    private final RunMetrics metrics = new RunMetrics(() -> now);

    private static Figures figures(Figures.Counts counts) {
        return new Figures(
                Duration.ofSeconds(10), 100, 6_000, 12, Duration.ofMillis(15), /* rejected */ 2, 0.25, null, counts);
    }

    private static Connection connection(long unit) {
        List<Long> counts = new ArrayList<>(Latency.Histogram.NONE.counts());
        counts.set(2, 30 * unit);
        counts.set(4, 9 * unit);
        counts.set(counts.size() - 1, unit);
        Latency.Histogram latency = new Latency.Histogram(counts, Duration.ofMillis(500 * unit));
        GuardTotals guard = new GuardTotals(
                Duration.ZERO,
                0.5,
                0.5,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO,
                Latency.NONE,
                0,
                0,
                0,
                0,
                "system.local",
                null,
                false);
        return new Connection(
                List.of(
                        new NodeTotals("10.0.0.1:9042", "dc1", 3, 300, 4_000, 40 * unit, 7_000, 1, 2, 4, 8, latency),
                        new NodeTotals("10.0.0.2:9042", "dc1", 0, 0, 0, 0, 0, 0, 0, 0, 0, Latency.Histogram.NONE)),
                Optional.of(guard));
    }

    private Scrape scrape() throws IOException {
        metrics.label("20260131-134500-abcd", "load", new TableLabels("ks", "say \"\\\"\n"));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrometheusTextFormatWriter.create().write(out, metrics.collect());
        return Scrape.of(out.toString(StandardCharsets.UTF_8));
    }

    @Test
    void aParserReadsWhatTheRunHasDone() throws IOException {
        Scrape scrape = scrape();
        assertThat(scrape.value("overdrive_rows_read_total")).isEqualTo(110);
        assertThat(scrape.value("overdrive_rows_written_total")).isEqualTo(100);
        assertThat(scrape.value("overdrive_rows_rejected_total")).isEqualTo(2);
        assertThat(scrape.value("overdrive_spilled_bytes_total")).isEqualTo(700);
        assertThat(scrape.value("overdrive_pending_rows")).isEqualTo(8);
        assertThat(scrape.value("overdrive_done_ratio")).isEqualTo(0.25);
        assertThat(scrape.value("overdrive_guard_share_ratio")).isEqualTo(0.5);
        assertThat(scrape.value("overdrive_heap_used_bytes")).isPositive();
        assertThat(scrape.value("overdrive_cpu_seconds_total")).isPositive();
        assertThat(scrape.value("overdrive_start_time_seconds"))
                .isLessThanOrEqualTo(Instant.now().getEpochSecond() + 1);
        assertThat(scrape.has("overdrive_end_time_seconds")).isFalse();
        for (var family : scrape.families()) {
            assertThat(family.getHelp()).as(family.getName()).isNotEmpty();
            for (Metric metric : family.getMetrics()) {
                assertThat(metric.getLabels()).as(family.getName()).containsAllEntriesOf(LABELS);
            }
        }
    }

    @Test
    void aParserReadsWhatEachNodeWasSent() throws IOException {
        Scrape scrape = scrape();
        Map<String, String> first = Map.of("node", "10.0.0.1:9042");
        assertThat(scrape.sum("overdrive_requests_total", first)).isEqualTo(47);
        assertThat(scrape.sum("overdrive_requests_total", Map.of("node", "10.0.0.1:9042", "outcome", "timed_out")))
                .isEqualTo(2);
        assertThat(scrape.sum("overdrive_retries_total", first)).isEqualTo(8);
        assertThat(scrape.sum("overdrive_in_flight_limit_bytes", first)).isEqualTo(4_000);
        assertThat(scrape.sum("overdrive_in_flight_requests", Map.of("node", "10.0.0.2:9042")))
                .isZero();
        Histogram latency = (Histogram) scrape.family("overdrive_request_duration_seconds").getMetrics().stream()
                .filter(each -> each.getLabels().containsValue("10.0.0.1:9042"))
                .findFirst()
                .orElseThrow();
        assertThat(latency.getSampleCount()).isEqualTo(40);
        assertThat(latency.getSampleSum()).isEqualTo(0.5);
        assertThat(latency.getBuckets()).anySatisfy(bucket -> {
            assertThat(bucket.getUpperBound()).isEqualTo(0.001);
            assertThat(bucket.getCumulativeCount()).isEqualTo(30);
        });
        assertThat(latency.getBuckets()).anySatisfy(bucket -> {
            assertThat(bucket.getUpperBound()).isEqualTo(Double.POSITIVE_INFINITY);
            assertThat(bucket.getCumulativeCount()).isEqualTo(40);
        });
    }

    @Test
    void clustersAreNamedIfThereAreTwo() throws IOException {
        assertThat(scrape().family("overdrive_requests_total").getMetrics())
                .noneMatch(each -> each.getLabels().containsKey("cluster"));
        now = new Now(null, List.of(connection(1), connection(10)), Outcome.RUNNING, null);
        assertThat(scrape().sum("overdrive_requests_total", Map.of("cluster", "second", "outcome", "answered")))
                .isEqualTo(400);
    }

    @Test
    void whatDoesNotFitTheCommandIsMissing() throws IOException {
        now = new Now(
                figures(new Figures.Counts(110, -1, -1, -1, 5_000, -1, -1, -1)), List.of(), Outcome.RUNNING, null);
        Scrape scrape = scrape();
        assertThat(scrape.has("overdrive_rows_read_total")).isTrue();
        assertThat(scrape.has("overdrive_rows_written_total")).isFalse();
        assertThat(scrape.has("overdrive_pending_rows")).isFalse();
    }

    @Test
    void countersDoNotFallWhileTheRunGoesOn() throws IOException {
        scrape();
        Figures fewer = figures(new Figures.Counts(110, 99, 90, 3, 5_000, 6_000, 700, 8));
        now = new Now(fewer, List.of(), Outcome.RUNNING, null);
        assertThat(scrape().value("overdrive_rows_written_total")).isEqualTo(100);
        now = new Now(fewer, List.of(), Outcome.FAILED, Instant.EPOCH);
        assertThat(scrape().value("overdrive_rows_written_total"))
                .as("as in the summary")
                .isEqualTo(99);
    }

    @Test
    void theStateIsThatOfTheRun() throws IOException {
        for (Outcome outcome : Outcome.values()) {
            now = new Now(null, List.of(), outcome, Instant.ofEpochMilli(1_500));
            Scrape scrape = scrape();
            assertThat(scrape.value("overdrive_run_state")).isOne();
            assertThat(scrape.sum(
                            "overdrive_run_state",
                            Map.of("overdrive_run_state", outcome.name().toLowerCase(java.util.Locale.ROOT))))
                    .isOne();
            assertThat(scrape.value("overdrive_end_time_seconds")).isEqualTo(1.5);
        }
    }

    @Test
    void thereIsNothingBeforeTheRunBegins() throws IOException {
        now = null;
        assertThat(scrape().families()).isEmpty();
    }

    @Test
    void openMetricsHasTypesAndAnEnd() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        OpenMetricsTextFormatWriter.create().write(out, metrics.collect());
        assertThat(out.toString(StandardCharsets.UTF_8).lines())
                .contains(
                        "# TYPE overdrive_rows_written counter",
                        "# TYPE overdrive_request_duration_seconds histogram",
                        "# TYPE overdrive_run_state stateset")
                .endsWith("# EOF");
    }

    /** The names that queries use. */
    private static Set<String> queried() {
        Set<String> names = new TreeSet<>();
        for (io.overdrive.cli.watch.Metric metric : io.overdrive.cli.watch.Metric.values()) {
            String name = metric.exposedName();
            names.add(name);
            if (metric.kind == io.overdrive.cli.watch.Metric.Kind.HISTOGRAM) {
                names.addAll(List.of(name + "_bucket", name + "_sum", name + "_count"));
            }
        }
        return names;
    }

    @Test
    void allOfTheListAreExposed() throws IOException {
        now = new Now(
                figures(new Figures.Counts(1, 1, 1, 1, 1, 1, 1, 1)),
                List.of(connection(1)),
                Outcome.DONE,
                Instant.EPOCH);
        assertThat(scrape().families())
                .extracting(family -> family.getName())
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(io.overdrive.cli.watch.Metric.values())
                        .map(io.overdrive.cli.watch.Metric::exposedName)
                        .toList());
    }

    @Test
    void thePageHasTheSameList() throws IOException {
        String expected = Arrays.stream(io.overdrive.cli.watch.Metric.values())
                .map(metric -> "| `" + metric.exposedName() + "` | "
                        + metric.kind.name().toLowerCase(java.util.Locale.ROOT) + " | "
                        + metric.labels.stream()
                                .map(label -> "`" + label.text + "`")
                                .collect(Collectors.joining(", "))
                        + " | " + metric.help + " |")
                .collect(Collectors.joining("\n"));
        assertThat(Files.readString(DOCS.resolve("metrics.md"))).contains("|---|---|---|---|\n" + expected + "\n\n");
    }

    @Test
    void theDashboardQueriesMetricsThatExist() throws IOException {
        JsonNode dashboard =
                new ObjectMapper().readTree(DOCS.resolve("grafana.json").toFile());
        List<String> queries = dashboard.findValuesAsText("expr");
        queries.addAll(dashboard.findValuesAsText("definition"));
        assertThat(queries).hasSizeGreaterThan(20);
        Set<String> used = queries.stream()
                .flatMap(query ->
                        Pattern.compile("overdrive_\\w+").matcher(query).results())
                .map(match -> match.group())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(queried()).containsAll(used);
        assertThat(used).hasSizeGreaterThan(20);
        JsonNode panels = dashboard.get("panels");
        assertThat(panels.findValuesAsText("id")).doesNotHaveDuplicates();
        assertThat(panels).allSatisfy(panel -> assertThat(panel.get("targets")).isNotEmpty());
    }
}
