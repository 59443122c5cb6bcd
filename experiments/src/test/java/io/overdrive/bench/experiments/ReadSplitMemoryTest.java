package io.overdrive.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Check;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Preset;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.kit.SplitMemory;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReadSplitMemoryTest {
    @Test
    void splitsHaveTheOriginalSizesIfTheTableIsLargeEnough() {
        assertThat(ReadSplitMemory.splitBytes(4_000_000))
                .containsExactly(8_000_000L, 64_000_000L, 256_000_000L, 512_000_000L);
        assertThat(ReadSplitMemory.splitBytes(100_000)).containsExactly(500_000L, 4_000_000L, 16_000_000L, 32_000_000L);
        assertThat(ReadSplitMemory.splitBytes(1)).containsExactly(31_250L, 250_000L, 1_000_000L, 2_000_000L);
    }

    @Test
    void everyPresetHasRoomForThreeOfTheLargestSplits() {
        ReadSplitMemory experiment = new ReadSplitMemory();
        for (Preset preset : Preset.values()) {
            Size size = experiment.size(preset);
            assertThat(ReadSplitMemory.splitBytes(size.rows()).get(3) * 3)
                    .as(preset.toString())
                    .isLessThanOrEqualTo(size.rows() * 1000);
        }
    }

    @Test
    void sizesAsTextAreParsedAsTheSameNumbers() {
        for (long bytes : ReadSplitMemory.splitBytes(1)) {
            assertThat(new Arm(Map.of("split", SplitMemory.words(bytes))).number("split"))
                    .isEqualTo((double) bytes);
        }
        assertThat(SplitMemory.words(31_250)).isEqualTo("31.25 kB");
        assertThat(SplitMemory.words(512_000_000)).isEqualTo("512 MB");
    }

    @Test
    void readersWhoseMemoryShrinksWithTheSplitsNeedNoMoreForThem() {
        ReadSplitMemory experiment = new ReadSplitMemory();
        Findings findings = MadeUp.findings(
                experiment,
                experiment.size(Preset.LAPTOP),
                3,
                arm -> 900 - arm.number(SplitMemory.SPLIT) / 1e5,
                Figure.PEAK_MEMORY);
        assertThat(experiment.check(findings))
                .filteredOn(check -> check.claim().contains("at most 0.2 MB more"))
                .extracting(Check::verdict)
                .containsExactly(Check.Verdict.REPRODUCED);
    }

    @Test
    void variationIsTheStandardDeviationDividedByTheMean() {
        assertThat(ReadSplitMemory.variation(new long[] {5, 5, 5})).isZero();
        assertThat(ReadSplitMemory.variation(new long[] {2, 4, 4, 4, 5, 5, 7, 9}))
                .isCloseTo(0.4, within(1e-12));
        assertThat(ReadSplitMemory.variation(new long[0])).isZero();
    }
}
