package io.overdrive.bench.experiments.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.Reference;
import org.junit.jupiter.api.Test;

class HeapWatchTest {
    /** Far more than other tests of this JVM leave behind, of which a collection between may free some. */
    private static final int BYTES = 160_000_000;

    @Test
    @SuppressWarnings("UnusedVariable") // takes memory
    void countsTheHeapAfterACollection() {
        byte[] before = new byte[BYTES];
        Reference.reachabilityFence(before);
        before = null;
        System.gc();
        double garbage;
        double kept;
        try (HeapWatch watch = HeapWatch.open()) {
            System.gc();
            garbage = watch.maxMegabytes();
        }
        try (HeapWatch watch = HeapWatch.open()) {
            byte[] held = new byte[BYTES];
            System.gc();
            Reference.reachabilityFence(held);
            kept = watch.maxMegabytes();
        }
        assertThat(kept - garbage).isBetween(100.0, 220.0);
    }
}
