package io.overdrive.cli.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.ConnectOptions;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class ToMixinTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(7);

    private static @Nullable ConnectOptions options(String... args) {
        ToMixin mixin = new ToMixin();
        CommandLine.populateCommand(mixin, args);
        return mixin.options(TIMEOUT);
    }

    @Test
    void isTheClusterOfTheFirstTableWithoutOptions() {
        assertThat(options()).isNull();
    }

    @Test
    void connectsWithTheTimeoutOfTheFirstCluster() {
        assertThat(Objects.requireNonNull(options("--to-host", "h")).timeout()).isEqualTo(TIMEOUT);
    }

    @Test
    void encryptsWhenAnyHostIsAccepted() {
        assertThat(Objects.requireNonNull(options("--to-host", "h")).tls()).isNull();
        ConnectOptions any = Objects.requireNonNull(options("--to-host", "h", "--to-tls-any-host"));
        assertThat(any.tls()).isNotNull();
        assertThat(any.checksHostNames()).isFalse();
    }

    @Test
    void needsAHostForEachOtherOptionAndRunsNoCommandBefore() {
        for (String option : new String[] {"--to-tls-password-file", "--to-tls-password-command", "--to-user"}) {
            assertThatThrownBy(() -> options(option, "false"))
                    .hasMessage("options that begin with --to- need --to-host or --to-bundle");
        }
    }

    @Test
    void refusesThePasswordOfNoFile() {
        assertThatThrownBy(() -> options("--to-host", "h", "--to-tls-password-command", "false"))
                .hasMessage(
                        "--to-tls-password-command is of no use without a file that it opens: give --to-tls-cert and"
                                + " --to-tls-key, --to-tls-keystore or --to-tls-truststore");
    }
}
