package io.overdrive.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.hawkular.agent.prometheus.text.TextPrometheusMetricDataParser;
import org.hawkular.agent.prometheus.types.Counter;
import org.hawkular.agent.prometheus.types.Gauge;
import org.hawkular.agent.prometheus.types.Histogram;
import org.hawkular.agent.prometheus.types.Metric;
import org.hawkular.agent.prometheus.types.MetricFamily;

/** Metrics as a program that knows nothing of us reads them: by a parser of Prometheus' text format. */
public record Scrape(List<MetricFamily> families) {
    /** @throws IllegalArgumentException if the text is not in the format */
    public static Scrape of(String text) throws IOException {
        var parser =
                new TextPrometheusMetricDataParser(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
        List<MetricFamily> families = new ArrayList<>();
        for (MetricFamily family = parser.parse(); family != null; family = parser.parse()) {
            families.add(family);
        }
        return new Scrape(families);
    }

    /** The answer of an endpoint to a request for this format. */
    public static String get(String url, String format) throws IOException, InterruptedException {
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(url))
                                .header("Accept", format)
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(200);
        return answer.body();
    }

    public static Scrape of(URI url) throws IOException, InterruptedException {
        return of(get(url.toString(), "text/plain"));
    }

    public MetricFamily family(String name) {
        return families.stream()
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " is not among "
                        + families.stream().map(MetricFamily::getName).toList()));
    }

    public boolean has(String name) {
        return families.stream().anyMatch(each -> each.getName().equals(name));
    }

    /** The sum over all metrics of the family that have these labels. */
    public double sum(String name, Map<String, String> labels) {
        List<Metric> found = family(name).getMetrics().stream()
                .filter(each -> each.getLabels().entrySet().containsAll(labels.entrySet()))
                .toList();
        assertThat(found).as(name + labels).isNotEmpty();
        return found.stream()
                .mapToDouble(each -> each instanceof Counter counter
                        ? counter.getValue()
                        : each instanceof Histogram histogram ? histogram.getSampleCount() : ((Gauge) each).getValue())
                .sum();
    }

    public double value(String name) {
        return sum(name, Map.of());
    }
}
