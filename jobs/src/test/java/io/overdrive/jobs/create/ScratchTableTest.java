package io.overdrive.jobs.create;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ScratchTableTest {
    private static final Instant BEGUN = Instant.parse("2026-11-22T10:00:00Z");
    private static final Instant UNTIL = Instant.parse("2026-11-22T10:05:00Z");

    @Test
    void namesAreThoseThatTheServerTakes() {
        assertThat(ScratchTable.name("flights")).isEqualTo("overdrive_tune_flights");
        assertThat(ScratchTable.name("Sales 2026")).isEqualTo("overdrive_tune_Sales_2026");
        String longest = "a".repeat(47);
        assertThat(ScratchTable.name(longest + "b"))
                .hasSize(48)
                .startsWith("overdrive_tune_aaa")
                .isNotEqualTo(ScratchTable.name(longest + "c"));
    }

    @Test
    void whatAKilledRunHasLeftIsDroppedOnceItCannotBeInUse() {
        String comment = ScratchTable.comment("demo.flights", BEGUN, UNTIL);
        assertThat(ScratchTable.whyNotDropped("demo.overdrive_tune_flights", comment, UNTIL.plusSeconds(1)))
                .isEmpty();
        assertThat(ScratchTable.whyNotDropped("demo.overdrive_tune_flights", comment, UNTIL.minusSeconds(1)))
                .contains("began at 2026-11-22T10:00:00Z and may run until 2026-11-22T10:05:00Z")
                .contains("overdrive cql \"DROP TABLE demo.overdrive_tune_flights\"");
    }

    @Test
    void aTableOfTheUserStays() {
        assertThat(ScratchTable.whyNotDropped("demo.overdrive_tune_flights", "''", UNTIL))
                .contains("has not created it");
    }

    @Test
    void hasTheOptionsOfTheTableButNoBackups() {
        assertThat(ScratchTable.options(
                        Map.of("comment", "'mine'", "gc_grace_seconds", "60"),
                        Set.of("comment", "gc_grace_seconds", "incremental_backups"),
                        "'ours'"))
                .containsOnly(
                        Map.entry("comment", "'ours'"),
                        Map.entry("gc_grace_seconds", "60"),
                        Map.entry("incremental_backups", "false"));
    }
}
