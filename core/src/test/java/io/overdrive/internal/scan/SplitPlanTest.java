package io.overdrive.internal.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.ScanOptions;
import io.overdrive.Split;
import io.overdrive.internal.wire.ScriptedTransport;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class SplitPlanTest {
    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;

    private static SplitPlan plan(int nodes, int splits, ScanOptions.Builder options) {
        ScanOptions built = options.build();
        ScanLayout layout = ScanLayouts.split();
        Split any = new Split(List.of(Split.WHOLE_RING), List.of(), 0);
        try (Fetcher fetcher = new Fetcher(new ScriptedTransport(nodes), layout, built)) {
            return SplitPlan.of(Collections.nCopies(splits, any), fetcher, layout, built);
        }
    }

    private static ScanOptions.Builder options() {
        return ScanOptions.from("ks", "t").pageMemory(128 * MIB);
    }

    private static ScanOptions.Builder fixed(int splitsInFlight, int pageBytes) {
        return options().splitsInFlight(splitsInFlight).pageBytes(pageBytes);
    }

    @Test
    void takesTheNumberOfSplitsAndTheSizeOfPagesFromTheOptions() {
        SplitPlan plan = plan(2, 100, fixed(7, MIB));
        assertThat(plan.inFlight()).isEqualTo(14);
        assertThat(plan.maxInFlight()).isEqualTo(14);
        assertThat(plan.pageBytes()).isEqualTo(MIB);
        assertThat(plan(2, 5, fixed(7, MIB)).inFlight()).as("of five").isEqualTo(5);
        assertThat(plan(2, 0, fixed(7, MIB)).inFlight()).as("of none").isZero();
    }

    @Test
    void pagesAreSmallerIfTwoOfEachSplitWouldNotFitIntoTheMemory() {
        assertThat(plan(2, 100, fixed(4, 512 * KIB).pageMemory(4 * MIB)).pageBytes())
                .isEqualTo(4 * MIB / 16);
        assertThat(plan(2, 2, fixed(4, 512 * KIB).pageMemory(4 * MIB)).pageBytes())
                .as("of two splits")
                .isEqualTo(512 * KIB);
    }

    @Test
    void readsFewerSplitsAtOnceRatherThanPagesOfLessThan64KiB() {
        SplitPlan manyNodes = plan(300, 10_000, options().pageMemory(80 * MIB));
        assertThat(manyNodes.inFlight()).isEqualTo(2 * 300);
        assertThat(manyNodes.maxInFlight()).isEqualTo(2 * 300);
        assertThat(manyNodes.pageBytes()).isEqualTo(80 * MIB / 1200);
        SplitPlan moreNodes = plan(1000, 10_000, options().pageMemory(80 * MIB));
        assertThat(moreNodes.inFlight()).isEqualTo(640);
        assertThat(moreNodes.maxInFlight()).isEqualTo(640);
        assertThat(moreNodes.pageBytes()).isEqualTo(64 * KIB);
        SplitPlan small = plan(1, 5000, fixed(4096, 512 * KIB).pageMemory(MIB));
        assertThat(small.inFlight()).isEqualTo(8);
        assertThat(small.pageBytes()).isEqualTo(64 * KIB);
        assertThat(plan(1, 5000, fixed(4096, KIB).pageMemory(MIB)).inFlight())
                .as("smaller ones only if the options say so")
                .isEqualTo(512);
    }

    @Test
    void findsNoMoreSplitsThanPagesOfAnySizeFitIntoTheMemory() {
        SplitPlan plan = plan(3, 100, options());
        assertThat(plan.inFlight()).as("at first").isEqualTo(12);
        assertThat(plan.pageBytes()).isEqualTo(Fetcher.MAX_FOUND_PAGE_BYTES);
        assertThat(plan.maxInFlight()).isEqualTo(3 * Fetcher.MAX_FOUND_SPLITS);
        assertThat(plan(3, 100, options().pageMemory(64 * MIB)).maxInFlight()).isEqualTo(24);
        assertThat(plan(3, 20, options()).maxInFlight()).as("of twenty").isEqualTo(20);
    }
}
