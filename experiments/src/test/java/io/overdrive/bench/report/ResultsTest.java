package io.overdrive.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.Description;
import io.overdrive.bench.Estimate;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Measurement;
import io.overdrive.bench.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultsTest {
    private static final Arm ARM = new Arm(Map.of("order", "shuffled"));
    private static final Result RESULT = new Result(
            new Description("name", "Title", "Question?", "Claim", "Source", List.of("A caveat.")),
            Instant.parse("2026-11-21T12:00:00.123Z"),
            12.5,
            false,
            "overdrive bench name",
            Map.of("rows", "10"),
            Map.of("Cassandra", "5.0"),
            List.of(ARM, new Arm(Map.of("order", "in order"))),
            List.of(
                    new Measurement(
                            ARM,
                            1,
                            Map.of(Figure.SECONDS, 1.25, Figure.P99, 1e-3),
                            List.of(new Measurement.Moment(1, Map.of(Figure.ROWS, 7.0))),
                            null),
                    new Measurement(ARM, 2, Map.of(), List.of(), "it broke")),
            Figure.SECONDS,
            List.of(Figure.SECONDS, Figure.P99),
            List.of(new Chart("chart", Chart.Kind.BARS, Figure.SECONDS, "order", null)),
            List.of(Check.atLeast(
                            1,
                            "claim",
                            new Estimate(2, 1.5, Double.POSITIVE_INFINITY, "times", 0.1, Double.NaN, 3, "4 against 2"))
                    .named("the claim")),
            List.of("a warning"));

    private final Path directory;

    ResultsTest(@TempDir Path directory) {
        this.directory = directory;
    }

    @Test
    void writesAndReadsTheSameResult() {
        Path file = directory.resolve("name.json");
        Results.write(RESULT, file);
        assertThat(Results.read(file)).isEqualTo(RESULT);
        assertThat(file).content().startsWith("{").contains("\"format\": 2,\n", "\"2026-11-21T12:00:00.123Z\"");
    }

    @Test
    void readsFormat1WithoutNamesOfChecks() {
        String before = Results.toJson(RESULT)
                .replace("\"format\": 2", "\"format\": 1")
                .replaceAll("\"id\":\"the-claim\",|,\"measured\":\\[[^]]*]|,\"version\":1,\"published\":\\[]", "");
        Result result = Results.fromJson(before);
        assertThat(result.checks())
                .containsExactly(new Check(
                        "claim",
                        Check.Verdict.REPRODUCED,
                        RESULT.checks().get(0).evidence()));
        assertThat(result.description().version()).isZero();
        assertThat(result.description().published()).isEmpty();
    }

    @Test
    void refusesAFormatOfTheFuture() {
        String later = Results.toJson(RESULT).replace("\"format\": 2", "\"format\": 3");
        assertThatThrownBy(() -> Results.fromJson(later))
                .hasMessage("its format is 3, and this Overdrive reads up to 2: use a newer one");
    }

    @Test
    void namesAFileThatIsNotAResult() throws IOException {
        Path file = Files.writeString(directory.resolve("other.json"), "{\"rows\": 1}");
        assertThatThrownBy(() -> Results.read(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(file + " is not the JSON of an experiment's result: it has no \"format\" number,"
                        + " which overdrive bench writes");
        Files.writeString(file, "rows: 1");
        assertThatThrownBy(() -> Results.read(file)).hasMessageContaining(file + " is not the JSON of");
        assertThatThrownBy(() -> Results.read(directory.resolve("none.json")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("none.json");
    }
}
