package io.overdrive.cli.options;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.Latency;
import io.overdrive.NodeTotals;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FlowTest {
    private static NodeTotals node(int number, long timedOut) {
        return new NodeTotals(
                "10.0.0." + number + ":9042", "dc1", 0, 0, 0, 0, 0, 0, timedOut, 0, 0, Latency.Histogram.NONE);
    }

    @Test
    void namesUpToFiveNodesThatDidNotAnswerInTime() {
        assertThat(Flow.noAnswer(List.of(node(7, 1))))
                .isEqualTo(
                        "10.0.0.7:9042 to 1 request in time; they were sent again, to other replicas if there are any");
        assertThat(Flow.noAnswer(
                        IntStream.range(1, 8).mapToObj(i -> node(i, 10 - i)).toList()))
                .startsWith("10.0.0.1:9042 to 9 requests, 10.0.0.2:9042 to 8 requests, ")
                .contains("10.0.0.5:9042 to 5 requests and 2 other nodes in time; ")
                .doesNotContain("10.0.0.6");
    }
}
