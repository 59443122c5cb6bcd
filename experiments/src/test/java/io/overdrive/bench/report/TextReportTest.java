package io.overdrive.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Check;
import io.overdrive.bench.Description;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Measurement;
import io.overdrive.bench.Result;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TextReportTest {
    private static final Arm FAST = new Arm(Map.of("order", "in order"));
    private static final Arm SLOW = new Arm(Map.of("order", "shuffled"));

    private static Measurement run(Arm arm, int block, double rate) {
        return new Measurement(
                arm, block, Map.of(Figure.ROWS_PER_SECOND, rate, Figure.CLIENT_CPU, 12.0), List.of(), null);
    }

    @Test
    void showsMeansWithIntervalsThenClaimsThenWarnings() {
        Result result = new Result(
                new Description("order", "Order", "Does order matter?", "It does", "somebody", List.of()),
                Instant.EPOCH,
                1,
                /* complete */ false,
                "overdrive bench order",
                Map.of(),
                Map.of(),
                List.of(FAST, SLOW),
                List.of(
                        run(SLOW, 1, 1000),
                        run(FAST, 1, 12_000),
                        run(FAST, 2, 12_600),
                        new Measurement(SLOW, 2, Map.of(), List.of(), "timed out")),
                Figure.ROWS_PER_SECOND,
                List.of(Figure.ROWS_PER_SECOND, Figure.CLIENT_CPU, Figure.SERVER_CPU, Figure.PARTITIONS_PER_BATCH),
                List.of(),
                List.of(new Check("In order is faster", Check.Verdict.REPRODUCED, "12 times")),
                List.of("compactions had not ended"));
        assertThat(TextReport.of(result))
                .isEqualTo(
                        """
                        Order: Does order matter?
                          order     rows per second  client CPU  CPU of all nodes  partitions per  runs
                                             rows/s      µs/row            µs/row  batch, counted
                                                                                   by the servers
                                                                                       partitions
                          in order   12,300 ± 3,800    12.0 ± 0                 –               –     2
                          shuffled            1,000        12.0                 –               –     1

                        reproduced: In order is faster
                            12 times

                        failed: shuffled, run 2: timed out
                        warning: compactions had not ended
                        not complete: 4 runs are complete
                        """);
    }
}
