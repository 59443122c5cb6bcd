package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.jobs.Figures;
import io.overdrive.jobs.ImportFigures;
import io.overdrive.jobs.Summary;
import io.overdrive.jobs.WriteSummary;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
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
        assertThat(Run.end(new Ended(Summary.Outcome.DONE, null, 8, 1), command))
                .isEqualTo(Main.FAILED);
        assertThat(err.toString()).contains("rows read are not rows written + rows rejected");
    }

    @Test
    void namesTheCauseRatherThanTheSumIfTheRunFailed() {
        Ended ended = new Ended(Summary.Outcome.FAILED, new IllegalStateException("the disk is full"), 8, 1);
        assertThat(Run.end(ended, command)).isEqualTo(Main.FAILED);
        assertThat(err.toString()).contains("overdrive: the disk is full").doesNotContain("rows read are not");
    }

    @Test
    void reportsRejectsByTheExitCode() {
        assertThat(Run.end(new Ended(Summary.Outcome.DONE, null, 10, 0), command))
                .isEqualTo(Main.DONE);
        assertThat(Run.end(new Ended(Summary.Outcome.DONE, null, 9, 1), command))
                .isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(Run.end(new Ended(Summary.Outcome.STOPPED, null, 9, 1), command))
                .isEqualTo(Main.INTERRUPTED);
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void aStoppedRunBySstablesHasWrittenNoRow() {
        ImportFigures imports = new ImportFigures(
                /* isImported */ true, /* rowsSorted */
                9, /* rowsInSstables */
                0, /* bytesSpilled */
                0,
                List.of(), /* passes */
                1, /* passesDone */
                0);
        assertThat(Run.end(new Ended(Summary.Outcome.STOPPED, null, 0, 1, imports), command))
                .isEqualTo(Main.INTERRUPTED);
        assertThat(err.toString()).isEmpty();
        assertThat(Run.end(new Ended(Summary.Outcome.DONE, null, 0, 1, imports), command))
                .isEqualTo(Main.FAILED);
    }

    /** The end of a run that has read 10 rows. */
    private record Ended(
            Outcome outcome,
            @Nullable RuntimeException failure,
            long rowsWritten,
            long rowsRejected,
            @Nullable ImportFigures imports)
            implements WriteSummary {
        Ended(Outcome outcome, @Nullable RuntimeException failure, long rowsWritten, long rowsRejected) {
            this(outcome, failure, rowsWritten, rowsRejected, /* imports */ null);
        }

        @Override
        public long rowsRead() {
            return 10;
        }

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
