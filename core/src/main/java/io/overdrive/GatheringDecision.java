package io.overdrive;

import java.time.Duration;

/**
 * A decision on whether single rows share requests ({@link WriteOptions#gathersSingles}), with the comparison that it is based on.
 * Immutable.
 *
 * @param job such as {@code writes to demo.flights}
 * @param at time since the job began
 * @param gathersBefore whether they did, apart from the comparison
 * @param gathers whether they do from now on
 * @param pairs pairs of slots that were compared
 * @param lead points by which gathering was ahead in them; negative if it was behind
 * @param singleRowsPerSecond mean rate of the slots without; 0 if there was none
 * @param gatheredRowsPerSecond mean rate of the slots with
 * @param reason in words
 */
public record GatheringDecision(
        String job,
        Duration at,
        boolean gathersBefore,
        boolean gathers,
        int pairs,
        int lead,
        double singleRowsPerSecond,
        double gatheredRowsPerSecond,
        String reason) {}
