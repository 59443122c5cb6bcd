package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.jobs.Figures;
import io.overdrive.jobs.Summary;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

class RunTest {
    private final StringWriter err = new StringWriter();
    private final CommandSpec command = new CommandLine(CommandSpec.create())
            .setErr(new PrintWriter(err, true))
            .getCommandSpec();

    @Test
    void failsIfRowsAreNotAccountedFor() {
        assertThat(Run.end(new Ended(Summary.Outcome.DONE, null), 10, 8, 1, command))
                .isEqualTo(Main.FAILED);
        assertThat(err.toString()).contains("rows read are not rows written + rows rejected");
    }

    @Test
    void namesTheCauseRatherThanTheSumIfTheRunFailed() {
        Ended ended = new Ended(Summary.Outcome.FAILED, new IllegalStateException("the disk is full"));
        assertThat(Run.end(ended, 10, 8, 1, command)).isEqualTo(Main.FAILED);
        assertThat(err.toString()).contains("overdrive: the disk is full").doesNotContain("rows read are not");
    }

    @Test
    void reportsRejectsByTheExitCode() {
        assertThat(Run.end(new Ended(Summary.Outcome.DONE, null), 10, 10, 0, command))
                .isEqualTo(Main.DONE);
        assertThat(Run.end(new Ended(Summary.Outcome.DONE, null), 10, 9, 1, command))
                .isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(Run.end(new Ended(Summary.Outcome.STOPPED, null), 10, 9, 1, command))
                .isEqualTo(Main.INTERRUPTED);
        assertThat(err.toString()).isEmpty();
    }

    private record Ended(Outcome outcome, @Nullable RuntimeException failure) implements Summary {
        @Override
        public Duration elapsed() {
            return Duration.ZERO;
        }

        @Override
        public Figures figures() {
            throw new UnsupportedOperationException("the end of a run needs none");
        }
    }
}
