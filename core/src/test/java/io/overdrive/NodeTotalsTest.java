package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.RecordComponent;
import org.junit.jupiter.api.Test;

class NodeTotalsTest {
    private static NodeTotals of(long unit) {
        return new NodeTotals(
                "10.0.0.1:9042",
                "dc1",
                unit,
                2 * unit,
                3 * unit,
                4 * unit,
                5 * unit,
                6 * unit,
                7 * unit,
                8 * unit,
                9 * unit,
                Latency.Histogram.NONE);
    }

    @Test
    void addsEveryCount() throws ReflectiveOperationException {
        NodeTotals sum = of(1).plus(of(100));
        assertThat(sum.node()).isEqualTo("10.0.0.1:9042");
        assertThat(sum.datacenter()).isEqualTo("dc1");
        for (RecordComponent component : NodeTotals.class.getRecordComponents()) {
            if (component.getType() == long.class) {
                long one = (long) component.getAccessor().invoke(of(1));
                assertThat(component.getAccessor().invoke(sum))
                        .as(component.getName())
                        .isEqualTo(101 * one);
            }
        }
    }
}
