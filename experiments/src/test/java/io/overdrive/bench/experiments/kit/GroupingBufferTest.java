package io.overdrive.bench.experiments.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GroupingBufferTest {
    private final List<List<String>> batches = new ArrayList<>();

    private GroupingBuffer<String> buffer(int maxBytes, int maxGroups) {
        return new GroupingBuffer<>(batches::add, 100, maxBytes, maxGroups);
    }

    @Test
    void emitsABatchIfTheNextRowWouldNotFit() {
        GroupingBuffer<String> buffer = buffer(250, 10);
        for (String row : List.of("a1", "b1", "a2", "a3", "b2")) {
            buffer.add(row.substring(0, 1), row);
        }
        assertThat(batches).containsExactly(List.of("a1", "a2"));
        buffer.flush();
        assertThat(batches).containsExactly(List.of("a1", "a2"), List.of("b1", "b2"), List.of("a3"));
    }

    @Test
    void emitsTheLargestBatchIfThereAreTooMany() {
        GroupingBuffer<String> buffer = buffer(1000, 2);
        for (String row : List.of("a1", "b1", "b2", "c1", "a2")) {
            buffer.add(row.substring(0, 1), row);
        }
        assertThat(batches).containsExactly(List.of("b1", "b2"));
        buffer.flush();
        assertThat(batches).containsExactly(List.of("b1", "b2"), List.of("a1", "a2"), List.of("c1"));
    }

    @Test
    void emitsSingleRowsIfBatchesMayHoldNothing() {
        GroupingBuffer<String> buffer = buffer(0, 2);
        buffer.add("", "a");
        buffer.add("", "b");
        buffer.flush();
        assertThat(batches).containsExactly(List.of("a"), List.of("b"));
    }
}
