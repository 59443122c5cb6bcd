package io.overdrive.bench.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WorkloadTest {
    @Test
    void readsKindsAndShares() {
        assertThat(Workload.parse("write 0.5 read 0.5").shares())
                .isEqualTo(Map.of(OperationKind.WRITE, 0.5, OperationKind.READ, 0.5));
        assertThat(Workload.parse(" WRITE=1, partition=3 ").shares())
                .isEqualTo(Map.of(OperationKind.WRITE, 0.25, OperationKind.PARTITION, 0.75));
        assertThat(Workload.parse("read 1"))
                .isEqualTo(Workload.parse(Workload.parse("read 7").toString()));
    }

    @Test
    void givesEachKindItsShare() {
        Workload workload = Workload.parse("write 0.2 read 0.5 partition 0.3");
        List<OperationKind> kinds = LongStream.range(0, 100_000)
                .mapToObj(n -> workload.kind(Values.fraction(Values.mix(3, n))))
                .toList();

        workload.shares().forEach((kind, share) -> assertThat(Collections.frequency(kinds, kind) / 100_000.0)
                .isCloseTo(share, Offset.offset(0.01))); // more than 6 standard deviations
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            textBlock =
                    """
                    write             | is not a list of pairs
                    ""                | is not a list of pairs
                    write 1 writ 1    | there is no kind 'writ'
                    write x           | 'x' is not a share
                    write 1 write 2   | has write twice
                    write 0 read 1    | the share of write is 0.0, must be above 0
                    write NaN         | the share of write is NaN
                    """)
    void namesTheErrorAndTheCorrectForm(String text, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Workload.parse(text))
                .withMessageContaining(message);
    }

    @Test
    void showsTheWayOut() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Workload.parse("reads 1"))
                .withMessage("workload 'reads 1': there is no kind 'reads': write kinds and their shares, such as"
                        + " 'write 0.5 read 0.5'; the kinds are write, read, partition");
    }
}
