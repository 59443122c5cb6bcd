package io.overdrive.bench.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.bench.experiments.kit.WideRows.Order;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SparkRowsTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 19, 20, 40, 41, 2_000, 55_440, 200_000})
    void rowsOutOfOrderAreEachRowOnce(long wanted) {
        SparkRows made = SparkRows.of(wanted, 20, Order.SHUFFLED);
        long rows = made.count();
        long multiplier = made.multiplier();
        assertThat(LongStream.range(0, rows)
                        .map(id -> id * multiplier % rows)
                        .distinct()
                        .count())
                .isEqualTo(rows);
    }
}
