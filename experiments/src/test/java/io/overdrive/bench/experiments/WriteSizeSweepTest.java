package io.overdrive.bench.experiments;

import static io.overdrive.bench.Check.Verdict.CANNOT_BE_SHOWN;
import static io.overdrive.bench.Check.Verdict.NOT_REPRODUCED;
import static io.overdrive.bench.Check.Verdict.REPRODUCED;
import static io.overdrive.bench.Figure.MEGABYTES_PER_SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Preset;
import io.overdrive.bench.Size;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WriteSizeSweepTest {
    private final WriteSizeSweep experiment = new WriteSizeSweep();
    private final Size size = experiment.size(Preset.LAPTOP);

    @Test
    void keepsTheBytesInFlightConstantIfPossible() {
        assertThat(WriteSizeSweep.inFlight(10_000, 1)).isEqualTo(400);
        assertThat(WriteSizeSweep.inFlight(100_000, 3)).isEqualTo(120);
        assertThat(WriteSizeSweep.inFlight(1_000_000, 1)).isEqualTo(4);
        assertThat(WriteSizeSweep.inFlight(10_000_000, 3)).isEqualTo(2);
        assertThat(WriteSizeSweep.inFlight(100, 2)).isEqualTo(4096);
    }

    @Test
    void makesRowsLargerIfABatchCannotHaveMore() {
        assertThat(WriteSizeSweep.batchRowBytes(1_000)).isEqualTo(100);
        assertThat(WriteSizeSweep.batchRowBytes(1_000_000)).isEqualTo(100);
        assertThat(WriteSizeSweep.batchRowBytes(10_000_000)).isEqualTo(200);
    }

    @Test
    void writesMoreBytesInLargeRowsIfRunsAreShort() {
        assertThat(requests("rows of one partition", "10 kB", size)).isEqualTo(1_500);
        assertThat(requests("one row", "1 kB", size)).isEqualTo(15_000);
        assertThat(requests("one row", "10 kB", size)).isEqualTo(15_000);
        assertThat(requests("one row", "10 MB", size)).isEqualTo(15);
        assertThat(requests("rows of one node", "10 MB", size)).isEqualTo(6);
        assertThat(requests("one row", "10 MB", experiment.size(Preset.PAPER))).isEqualTo(200);
    }

    private static long requests(String madeOf, String request, Size size) {
        return WriteSizeSweep.requests(new Arm(Map.of("made of", madeOf, "request", request)), size);
    }

    @Test
    void leavesOutSizesThatWouldNeedOnlyAFewRequests() {
        assertThat(experiment.arms(size)).hasSize(16).anyMatch(arm -> WriteSizeSweep.requestBytes(arm) == 10_000_000);
        assertThat(experiment.arms(experiment.size(Preset.TINY)))
                .hasSize(10)
                .allMatch(arm -> WriteSizeSweep.requestBytes(arm) <= 100_000);
        assertThat(experiment.arms(experiment.size(Preset.PAPER))).hasSize(22);
    }

    @Test
    void findsThePublishedPeakIfItExists() {
        assertThat(MadeUp.verdicts(
                        experiment,
                        MadeUp.findings(
                                experiment,
                                size,
                                3,
                                arm -> 1 / (1 + Math.abs(Math.log10(WriteSizeSweep.requestBytes(arm) / 30_000.0))),
                                MEGABYTES_PER_SECOND)))
                .containsExactly(REPRODUCED, REPRODUCED, REPRODUCED, REPRODUCED);
    }

    @Test
    void findsNoPeakIfLargerIsAlwaysBetter() {
        assertThat(MadeUp.verdicts(
                        experiment,
                        MadeUp.findings(experiment, size, 3, WriteSizeSweep::requestBytes, MEGABYTES_PER_SECOND)))
                .containsExactly(NOT_REPRODUCED, REPRODUCED, NOT_REPRODUCED, REPRODUCED);
    }

    @Test
    void concludesNothingAboutSizesThatWereNotWritten() {
        Size tiny = experiment.size(Preset.TINY);
        assertThat(MadeUp.verdicts(experiment, MadeUp.findings(experiment, tiny, 1, arm -> 1, MEGABYTES_PER_SECOND)))
                .startsWith(CANNOT_BE_SHOWN, NOT_REPRODUCED, CANNOT_BE_SHOWN);
        assertThat(MadeUp.verdicts(experiment, MadeUp.none(size, 3))).containsOnly(CANNOT_BE_SHOWN);
    }
}
