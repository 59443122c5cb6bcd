package io.overdrive.bench.experiments.kit;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.bench.experiments.kit.WideRows.Order;
import io.overdrive.bench.experiments.kit.WideRows.Row;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class WideRowsTest {
    private static List<Row> rows(Order order, long seed) {
        WideRows rows = new WideRows(50, 20, order, seed);
        return LongStream.range(0, rows.count()).mapToObj(rows::at).toList();
    }

    @ParameterizedTest
    @EnumSource
    void everyOrderHasTheSameRows(Order order) {
        assertThat(rows(order, 3)).hasSize(1000).doesNotHaveDuplicates().hasSameElementsAs(rows(Order.IN_ORDER, 3));
        Set<String> keys =
                rows(order, 3).stream().map(row -> row.key() + "/" + row.col1()).collect(Collectors.toSet());
        assertThat(keys).hasSize(1000);
    }

    @Test
    void ordersMatchTheirNames() {
        assertThat(rows(Order.IN_ORDER, 3).subList(0, 40))
                .extracting(Row::key)
                .startsWith(0L, 0L)
                .endsWith(1L, 1L);
        assertThat(rows(Order.ROUND_ROBIN, 3).subList(0, 50))
                .extracting(Row::key)
                .doesNotHaveDuplicates();
        assertThat(rows(Order.SHUFFLED, 3)).isNotEqualTo(rows(Order.SHUFFLED, 4));
    }

    @Test
    void aRowHasTheStatedNumberOfBytes() {
        Row row = rows(Order.SHUFFLED, 3).get(17);
        String text = row.col1() + row.col2() + row.col3();
        assertThat(Long.BYTES + text.getBytes(StandardCharsets.UTF_8).length).isEqualTo(WideRows.ROW_BYTES);
        assertThat(row.col2()).isNotEqualTo(row.col3());
    }
}
