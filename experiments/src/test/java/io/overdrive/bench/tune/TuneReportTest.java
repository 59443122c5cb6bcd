package io.overdrive.bench.tune;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.bench.report.HtmlReport;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TuneReportTest {
    private static List<Answer> answers() {
        FakeTrials trials = new FakeTrials(
                level -> switch (level.knob()) {
                    case WRITE_SIZE -> level.label().equals("256 KiB") ? 80_000 : 50_000;
                    case IN_FLIGHT -> level.isDefault() ? 50_000 : 45_000;
                    case PAGE_SIZE -> level.label().equals("2048 KiB") ? 900_000 : 500_000;
                    case SPLITS -> level.label().equals("8") ? 900_000 : 500_000;
                },
                0.02,
                1);
        return trials.tuner(Knob.values()).run();
    }

    private static List<String> lines(List<ToolWords.Section> words) {
        return words.stream()
                .flatMap(section -> section.settings().stream())
                .map(setting -> setting.name() + " " + setting.value())
                .toList();
    }

    @Test
    void saysTheSettingsInTheWordsOfEachTool() {
        List<ToolWords.Section> words = ToolWords.of(answers(), 3, 9L << 30);
        assertThat(lines(words))
                .containsExactly(
                        "--batch-bytes 256KB",
                        "--page-bytes 2MB",
                        "--splits-in-flight 8",
                        "spark.cassandra.output.batch.grouping.key partition",
                        "spark.cassandra.output.batch.size.bytes 262144",
                        "spark.cassandra.output.concurrent.writes 2",
                        "spark.cassandra.input.fetch.sizeInRows 50",
                        "spark.cassandra.input.split.sizeInMB 96",
                        "--batch.mode PARTITION_KEY",
                        "--batch.maxSizeInBytes 262144",
                        "--batch.maxBatchStatements 0",
                        "--executor.maxInFlight 2",
                        "--engine.maxConcurrentQueries 2",
                        "--driver.basic.request.page-size 50",
                        "--engine.maxConcurrentQueries 24",
                        "--schema.splits 96");
    }

    @Test
    void saysWhichOptionsOfOverdriveToSetAndWhichToDrop() {
        Map<String, Optional<String>> options = ToolWords.ofOverdrive(answers());
        assertThat(options)
                .containsEntry("--batch-bytes", Optional.of("256KB"))
                .containsEntry("--page-bytes", Optional.of("2MB"))
                .containsEntry("--splits-in-flight", Optional.of("8"))
                .containsEntry("--in-flight-control", Optional.empty())
                .containsEntry("--in-flight-requests", Optional.empty())
                .containsEntry("--in-flight-bytes", Optional.empty())
                .hasSize(6);
        FakeTrials trials = new FakeTrials(level -> 1, 0, 1);
        trials.tooFew.addAll(List.of(Knob.values()));
        assertThat(ToolWords.ofOverdrive(trials.tuner(Knob.values()).run())).isEmpty();
    }

    @Test
    void givesFixedInFlightWithBothLimits() {
        FakeTrials trials = new FakeTrials(level -> level.label().equals("32 requests") ? 80_000 : 50_000, 0.02, 1);
        List<Answer> answers = trials.tuner(Knob.IN_FLIGHT).run();
        assertThat(lines(ToolWords.of(answers, 1, 0)))
                .contains("--in-flight-control fixed", "--in-flight-requests 32", "--in-flight-bytes 16MB");
    }

    @Test
    void splitsAreNeverLargerThanTheDefaultOfTheConnector() {
        assertThat(lines(ToolWords.of(answers(), 1, 1L << 50))).contains("spark.cassandra.input.split.sizeInMB 512");
    }

    @Test
    void saysNothingWithoutAResult() {
        FakeTrials trials = new FakeTrials(level -> 1, 0, 1);
        trials.tooFew.addAll(List.of(Knob.values()));
        assertThat(lines(ToolWords.of(trials.tuner(Knob.values()).run(), 1, 0))).isEmpty();
    }

    @Test
    void isAPageWithAChartForEachSetting() {
        List<Answer> answers = answers();
        String page = HtmlReport.of(new TuneReport(
                        "demo.<t>",
                        Instant.EPOCH,
                        240,
                        true,
                        "overdrive tune demo.t",
                        Map.of("rows", "1,000"),
                        Map.of("Cassandra", "5.0"),
                        answers,
                        ToolWords.of(answers, 3, 0),
                        List.of("a compaction was running"))
                .page());
        assertThat(page)
                .contains("Settings for demo.&lt;t&gt;")
                .contains("Write size: 256 KiB")
                .contains("better than the default")
                .contains("the default is as good")
                .contains("--batch.maxSizeInBytes 262144")
                .contains("spark.cassandra.output.batch.size.bytes&#x3D;262144")
                .contains("a compaction was running")
                .contains("default-src 'none'")
                .doesNotContain("src=");
        assertThat(page.split("<canvas", -1)).hasSize(5);
    }
}
