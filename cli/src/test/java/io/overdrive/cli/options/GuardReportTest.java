package io.overdrive.cli.options;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.GuardTotals;
import io.overdrive.Latency;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The command line's messages about the guard. */
class GuardReportTest {
    private static final Duration NONE = Duration.ZERO;

    private static GuardTotals totals(
            double share, Duration heldBack, Duration limit, Duration baseline, long windows, @Nullable String reason) {
        Latency latency =
                new Latency(Duration.ofMillis(3), Duration.ofMillis(31), Duration.ofMillis(50), Duration.ofMillis(70));
        return new GuardTotals(
                Duration.ofSeconds(40),
                share,
                share,
                heldBack,
                Duration.ofMillis(31),
                limit,
                baseline,
                Duration.ofMillis(9),
                baseline.dividedBy(2),
                latency,
                windows,
                windows / 4,
                4000,
                share < 0.1 ? 7 : 0,
                "shop.orders",
                reason,
                share == 0.001);
    }

    private static String text(GuardTotals totals, String name) {
        StringWriter out = new StringWriter();
        GuardReport.text(totals, name, new PrintWriter(out));
        return out.toString();
    }

    @Test
    void saysWhyAJobIsHeldBackNow() {
        String reason = "p99 31 ms, limit 20 ms";
        assertThat(GuardReport.now(totals(0.2, Duration.ofSeconds(2), Duration.ofMillis(20), NONE, 3, reason)))
                .isEqualTo("held back to 20 % for others: p99 31 ms, limit 20 ms");
        assertThat(GuardReport.now(totals(1, NONE, Duration.ofMillis(20), NONE, 3, null)))
                .isNull();
        assertThat(GuardReport.now(totals(0.1, NONE, NONE, NONE, 0, "measuring the latency before the job")))
                .isEqualTo("measuring the latency before the job");
    }

    @Test
    void saysInTheEndHowLongAJobWasHeldBackAndHowFar() {
        assertThat(text(
                        totals(0.2, Duration.ofSeconds(12), Duration.ofMillis(20), Duration.ofMillis(14), 20, null),
                        ""))
                .isEqualTo(
                        """
                          guard     p99 31.0 ms of 4,000 reads of shop.orders, limit 20.0 ms (before the job 14.0 ms), mean limit 7.0 ms
                                    held back for 12.0 s, to 20 % at the lowest; above the limit in 5 of 20 windows of 2 s
                        """);
    }

    @Test
    void saysThatAJobWasNotHeldBack() {
        assertThat(text(totals(1, NONE, Duration.ofMillis(20), NONE, 3, null), "second cluster: "))
                .isEqualTo(
                        """
                          guard     second cluster: p99 31.0 ms of 4,000 reads of shop.orders, limit 20.0 ms
                                    not held back; above the limit in 0 of 3 windows of 2 s
                        """);
    }

    @Test
    void saysThatAJobWasNotTheCause() {
        assertThat(text(totals(0.001, Duration.ofMinutes(2), Duration.ofMillis(20), NONE, 60, null), ""))
                .contains(", to 0.1 % at the lowest")
                .endsWith(", 7 reads failed\n            latency stayed above the limit while this job was at its"
                        + " minimum: it was not the cause\n");
    }

    @Test
    void saysThatAJobWasTooShort() {
        assertThat(text(totals(1, NONE, Duration.ofMillis(20), NONE, 0, null), ""))
                .isEqualTo("  guard     the job ended before its effect could be measured; limit 20.0 ms\n");
    }

    @Test
    void writesTheSameAsJson() throws IOException {
        StringWriter out = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(out)) {
            json.writeStartObject();
            GuardReport.members(
                    totals(0.2, Duration.ofSeconds(12), Duration.ofMillis(20), Duration.ofMillis(14), 20, null), json);
            json.writeEndObject();
        }
        assertThat(out)
                .hasToString(
                        "{\"limitMillis\":20.0,\"baselineMillis\":14.0,\"meanLimitMillis\":7.0,\"p50Millis\":3.0,\"p99Millis\":31.0,"
                                + "\"heldBackSeconds\":12.0,\"lowestShare\":0.2,\"windows\":20,\"windowsAboveLimit\":5,"
                                + "\"probes\":4000,\"probesFailed\":0,\"probed\":\"shop.orders\",\"notTheCause\":false}");
    }
}
