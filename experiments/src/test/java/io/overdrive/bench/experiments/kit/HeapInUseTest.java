package io.overdrive.bench.experiments.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class HeapInUseTest {
    private static final int MEGABYTE = 1_000_000;

    @Test
    void countsReachableObjectsOnly() {
        HeapInUse heap = new HeapInUse();
        byte[][] held = new byte[20][];
        long garbage = 0;
        for (int i = 0; i < held.length; i++) {
            held[i] = new byte[MEGABYTE];
            garbage += new byte[4 * MEGABYTE].length;
        }
        heap.look();
        assertThat(heap.highestBytes()).isBetween(15L * MEGABYTE, 60L * MEGABYTE);
        assertThat(held[held.length - 1]).hasSize(MEGABYTE);
        assertThat(garbage).isEqualTo(80L * MEGABYTE);
    }

    @Test
    void refusesMoreThanHalfOfTheHeap() {
        long heap = Runtime.getRuntime().maxMemory();
        assertThatCode(() -> HeapInUse.require(heap * 0.4, "two splits")).doesNotThrowAnyException();
        assertThatThrownBy(() -> HeapInUse.require(heap * 0.6, "two splits"))
                .hasMessageStartingWith("two splits: ")
                .hasMessageContaining("more than half of the heap")
                .hasMessageContaining("OVERDRIVE_JAVA_OPTIONS=-Xmx");
    }
}
