package io.overdrive.bench.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ProcessorSharesTest {
    private static ProcessorShares shares(int processors, int nodes) {
        return ProcessorShares.of(IntStream.range(0, processors).boxed().toList(), nodes);
    }

    @Test
    void divideTwoProcessorsBetweenANodeAndTheClient() {
        assertThat(shares(2, 1)).isEqualTo(new ProcessorShares(List.of(1), List.of(List.of(0))));
        assertThat(shares(2, 1)).hasToString("processors 0 for the node, 1 for the client");
    }

    @Test
    void letNodesShareWhatIsTooLittleForEach() {
        assertThat(shares(2, 3))
                .isEqualTo(new ProcessorShares(List.of(1), List.of(List.of(0), List.of(0), List.of(0))));
        assertThat(shares(2, 3)).hasToString("processors 0 for all nodes together, 1 for the client");
        assertThat(shares(4, 6)).hasToString("processors 0,1,2 for all nodes together, 3 for the client");
    }

    @Test
    void giveEachNodeItsOwnIfThereAreEnough() {
        assertThat(shares(12, 3).nodes()).containsExactly(List.of(0, 1), List.of(2, 3), List.of(4, 5));
        assertThat(shares(12, 3).client()).containsExactly(6, 7, 8, 9, 10, 11);
        assertThat(shares(4, 3)).hasToString("processors 0 and 1 and 2 for a node each, 3 for the client");
    }

    /** Every node has processors, and none of the client's, whatever the machine has. */
    @Test
    void keepTheClientApart() {
        for (int processors = 2; processors <= 40; processors++) {
            for (int nodes = 1; nodes <= 20; nodes++) {
                ProcessorShares shares = shares(processors, nodes);
                assertThat(shares.nodes())
                        .hasSize(nodes)
                        .allSatisfy(each -> assertThat(each).isNotEmpty().doesNotContainAnyElementsOf(shares.client()));
                if (processors - shares.client().size() >= nodes) {
                    assertThat(shares.nodes().stream().flatMap(List::stream).toList())
                            .doesNotHaveDuplicates();
                }
            }
        }
    }

    @Test
    void readTheListsOfLinux() {
        assertThat(ProcessorShares.parse("0-2,5\n")).containsExactly(0, 1, 2, 5);
        assertThat(ProcessorShares.parse("7")).containsExactly(7);
        assertThat(ProcessorShares.list(List.of(0, 1, 5))).isEqualTo("0,1,5");
    }
}
