package io.overdrive.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.WrittenAfter;
import io.overdrive.jobs.copy.CatchUp;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The text of a copy about the next one. */
class CatchUpPrinterTest {
    private static final Duration SKEW = Duration.ofSeconds(60);
    private static final Duration TOOK = Duration.ofSeconds(40);
    private static final long BEGAN = 1_796_000_000_123_456L;
    private static final String DELETIONS = "  deletions are not copied: when nothing writes to the source any more,"
            + " overdrive diff --repair missing,different,extra finds and repeats them";

    /** @param windowSeconds from the time after which the cells were written to the start */
    private static CatchUpPrinter printer(long windowSeconds, boolean isFound, @Nullable Duration elapsed) {
        WrittenAfter after = windowSeconds == 0 ? null : new WrittenAfter(BEGAN - windowSeconds * 1_000_000, "");
        return new CatchUpPrinter(
                new CatchUp(BEGAN, after, Map.of()),
                SKEW,
                isFound,
                Outcome.DONE, /* rejected */
                0,
                elapsed, /* isUnload */
                false);
    }

    private static List<String> text(Report report) {
        StringWriter text = new StringWriter();
        report.text(new PrintWriter(text, true));
        return text.toString().lines().toList();
    }

    private static String json(Report report) {
        StringWriter text = new StringWriter();
        report.json(new PrintWriter(text, true));
        return text.toString().strip();
    }

    @Test
    void aFirstCopyTakesLongerThanTheNext() {
        assertThat(text(printer(0, true, TOOK)))
                .containsExactly("  next      --written-after last copies what was written since"
                        + " 2026-11-30T00:52:20.123Z, in at most 40.0 s, as it reads all rows again");
        assertThat(json(printer(0, true, TOOK)))
                .isEqualTo("{\"copiesDeletions\":false,\"next\":{\"writtenAfter\":\"2026-11-30T00:52:20.123Z\","
                        + "\"seconds\":40.0,\"windowSeconds\":100.0,\"isSmallest\":false}}");
    }

    @Test
    void aWindowThatGetsSmallerIsCompared() {
        assertThat(text(printer(7200, true, TOOK)))
                .containsExactly(
                        DELETIONS,
                        "  next      --written-after last copies what was written since 2026-11-30T00:52:20.123Z, in about"
                                + " 40.0 s; begun at once, it has the writes of 1:40 min to copy, and this one had those of"
                                + " 2:00:00 h");
    }

    @Test
    void aWindowThatDoesNotIsTheLast() {
        assertThat(text(printer(120, true, TOOK)))
                .containsExactly(
                        DELETIONS,
                        "  next      --written-after last copies what was written since 2026-11-30T00:52:20.123Z, in about"
                                + " 40.0 s, and no run is shorter: to switch over, stop all writers, run it, and compare with"
                                + " overdrive diff");
        assertThat(json(printer(120, true, TOOK))).contains("\"isSmallest\":true");
    }

    @Test
    void aRunThatIsNotKeptIsFollowedByItsTime() {
        assertThat(text(printer(0, false, TOOK)))
                .containsExactly(
                        "  next      --written-after 2026-11-30T00:52:20.123Z copies what was written since then,"
                                + " in at most 40.0 s, as it reads all rows again");
    }

    @Test
    void theTimeOfAPartSaysNothing() {
        assertThat(text(printer(0, true, null)))
                .containsExactly(
                        "  next      --written-after last copies what was written since" + " 2026-11-30T00:52:20.123Z");
    }

    @Test
    void rejectedRowsAreNotAmongThoseOfTheNext() {
        CatchUp copy = new CatchUp(BEGAN, /* after */ null, Map.of());
        assertThat(text(new CatchUpPrinter(
                        copy, SKEW, true, Outcome.DONE, /* rejected */ 2, null, /* isUnload */ false)))
                .containsExactly(
                        "  next      --written-after last copies what was written since 2026-11-30T00:52:20.123Z",
                        "            and no row that was rejected now, unless it is written again");
        assertThat(text(new CatchUpPrinter(
                        copy, SKEW, true, Outcome.STOPPED, /* rejected */ 0, TOOK, /* isUnload */ false)))
                .isEmpty();
    }
}
