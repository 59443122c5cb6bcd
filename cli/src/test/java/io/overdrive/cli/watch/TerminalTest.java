package io.overdrive.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TerminalTest {
    private static final String READS =
            "  reads     b.t at LOCAL_ONE (1 of 1 replica); 16 splits, 4 at once, pages of 512KB (trials may change it)";

    private static List<String> wrapped(String line, int columns) {
        return Terminal.wrapped(line, columns).lines().toList();
    }

    @Test
    void linesAreBrokenBetweenWordsBelowTheirText() {
        assertThat(wrapped(READS, 60))
                .containsExactly(
                        "  reads     b.t at LOCAL_ONE (1 of 1 replica); 16 splits,",
                        "            4 at once, pages of 512KB (trials may change it)");
        assertThat(wrapped(READS, READS.length())).containsExactly(READS);
    }

    @Test
    void aNumberStaysWithItsUnit() {
        String curve = "  in flight  " + "▅".repeat(40) + " 262 kB to 524 kB permitted per node";
        assertThat(wrapped(curve, 59))
                .containsExactly("  in flight  " + "▅".repeat(40), "            262 kB to 524 kB permitted per node");
        assertThat(wrapped("  files     1, 22 B: " + "1 ".repeat(40), 40)).hasSizeGreaterThan(2);
    }

    @Test
    void longWordsAndWhatIsToBeCopiedStayWhole() {
        String path = "/" + "directory/".repeat(9);
        assertThat(wrapped("  rejected  " + path + "a.csv.rejected, with the reasons", 60))
                .containsExactly("  rejected  " + path + "a.csv.rejected,", "            with the reasons");
        String command = "  NOT COMPLETE: to finish: overdrive resume 20260131-134500-abcd --max-rejects 100";
        assertThat(wrapped(command, 60)).containsExactly(command);
        String first = "10,000,000 rows read = 9,000,000 written + 1,000,000 rejected + 0 NOT WRITTEN";
        assertThat(wrapped(first, 60)).containsExactly(first);
        assertThat(wrapped(READS, 10)).containsExactly(READS);
    }
}
