package io.overdrive.cli.options;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.names.JobOption;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

class TableFailureTest {
    private static final CqlIdentifier TABLE = CqlIdentifier.fromInternal("Tags");

    private static String of(OverdriveException failure) {
        return TableFailure.in(new CommandLine(CommandSpec.create().name("copy")).getCommandSpec(), TABLE, failure);
    }

    @Test
    void explainsThatAnOptionGoesWithASingleTable() {
        assertThat(of(new OverdriveException(
                        Kind.SCHEMA, words -> "rename it with " + words.of(JobOption.MAPPING) + " \"b = a, * = *\"")))
                .isEqualTo("rename it with --map \"b = a, * = *\" (--map goes with a single table: leave this one out,"
                        + " --except '\"Tags\"', and copy it by itself)");
        assertThat(of(new OverdriveException(
                        Kind.SCHEMA,
                        words -> "neither " + words.of(JobOption.MAPPING) + " nor " + words.of(JobOption.SET)
                                + " can name it")))
                .endsWith(
                        "(--map and --set go with a single table: leave this one out, --except '\"Tags\"', and copy it"
                                + " by itself)");
    }

    @Test
    void addsNothingToOtherMessages() {
        assertThat(of(new OverdriveException(Kind.SCHEMA, words -> "needs " + words.of(JobOption.CREATE))))
                .isEqualTo("needs --create");
    }
}
