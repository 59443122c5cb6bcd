package io.overdrive.bench.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Check;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Findings.Conditions;
import io.overdrive.bench.Preset;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.kit.WideRows.Order;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Plans of experiments with Spark, without running them. */
class SparkExperimentsTest {
    private static final SparkOptions BOTH =
            new SparkOptions(Path.of("spark-4"), Path.of("bundle.jar"), Path.of("spark-3"), Map.of());

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @ParameterizedTest
    @EnumSource
    void bothConnectorsDoTheSameIfThereIsASparkForEach(Preset preset) {
        for (Experiment experiment : SparkExperiment.all(BOTH)) {
            List<Arm> arms = experiment.arms(experiment.size(preset));
            assertThat(arms.stream().filter(arm -> isOf(arm, Connector.OVERDRIVE)))
                    .as(experiment.description().name())
                    .isNotEmpty()
                    .allSatisfy(arm -> assertThat(arms).anySatisfy(other -> {
                        assertThat(isOf(other, Connector.PEER)).isTrue();
                        assertThat(withoutConnector(other)).isEqualTo(withoutConnector(arm));
                    }));
        }
    }

    @ParameterizedTest
    @EnumSource
    void onlyOverdriveRunsWithoutASparkForTheOther(Preset preset) {
        for (Experiment experiment : SparkExperiment.all(SparkOptions.NONE)) {
            assertThat(experiment.arms(experiment.size(preset)))
                    .as(experiment.description().name())
                    .isNotEmpty()
                    .allMatch(arm -> isOf(arm, Connector.OVERDRIVE));
        }
    }

    private static boolean isOf(Arm arm, Connector connector) {
        return arm.level(SparkExperiment.CONNECTOR, Connector.class) == connector;
    }

    private static List<String> withoutConnector(Arm arm) {
        return arm.levels().entrySet().stream()
                .filter(level -> !level.getKey().equals(SparkExperiment.CONNECTOR))
                .map(Map.Entry::getValue)
                .toList();
    }

    @ParameterizedTest
    @EnumSource
    void nothingCanBeShownWithoutRuns(Preset preset) {
        for (Experiment experiment : SparkExperiment.all(BOTH)) {
            Size size = experiment.size(preset);
            assertThat(experiment.check(new Findings(List.of(), new Conditions(size.nodes(), size, true))))
                    .as(experiment.description().name())
                    .isNotEmpty()
                    .extracting(Check::verdict)
                    .containsOnly(Check.Verdict.CANNOT_BE_SHOWN);
        }
    }

    @Test
    void joinsOfOverdriveNeedAJarWithRdds() throws IOException {
        assertThat(readings(jar("com/datastax/spark/connector/CassandraSparkExtensions.class")))
                .hasSize(9)
                .doesNotContain("join by RDD", "join by RDD, by replica");
        assertThat(readings(jar("com/datastax/spark/connector/japi/CassandraJavaUtil.class")))
                .hasSize(11)
                .contains("join by RDD", "join by RDD, by replica");
        assertThat(readings(Path.of("no.jar"))).hasSize(9);
    }

    private static List<String> readings(Path jar) {
        SparkRead experiment = new SparkRead(new SparkOptions(null, jar, null, Map.of()));
        return experiment.arms(experiment.size(Preset.TINY)).stream()
                .map(arm -> arm.level("reading"))
                .toList();
    }

    private Path jar(String entry) throws IOException {
        Path jar = directory.resolve("overdrive.jar");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            zip.putNextEntry(new ZipEntry(entry));
        }
        return jar;
    }

    @Test
    void splitsAreWholeMegabytesOfWhichTheTableHasSix() {
        assertThat(SparkReadSplitMemory.splitBytes(4_000_000))
                .containsExactly(8_000_000L, 64_000_000L, 256_000_000L, 512_000_000L);
        assertThat(SparkReadSplitMemory.splitBytes(1_000_000))
                .containsExactly(1_000_000L, 4_000_000L, 16_000_000L, 32_000_000L);
        assertThat(SparkReadSplitMemory.splitBytes(100_000)).containsExactly(1_000_000L, 4_000_000L, 16_000_000L);
        assertThat(SparkReadSplitMemory.splitBytes(1)).containsExactly(1_000_000L);
    }

    @Test
    void theQueryForRowsSaysTheirNumberAndTheTasks() {
        assertThat(SparkRows.of(1_001, 100, Order.IN_ORDER).query(7)).contains("n div 100", "range(0, 1000, 1, 7)");
    }
}
