package io.overdrive.cli.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.ConnectOptions;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class ToMixinTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(7);

    @Command(modelTransformer = SettingOptions.Model.class)
    private static final class Target implements SettingOptions.Command {
        private final ToMixin to = new ToMixin("Connection of the target");

        @Override
        public List<SettingOptions> settingOptions() {
            return List.of(to.group());
        }
    }

    private static @Nullable ConnectOptions options(String... args) {
        Target target = new Target();
        new CommandLine(target).parseArgs(args);
        return target.to.options(TIMEOUT);
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
    void takesAllHostsAndOnePortForThoseWithoutAny() {
        assertThat(Objects.requireNonNull(
                                options("--to-host=127.0.0.1,127.0.0.2:7", "--to-port=9", "--to-host", "[::1]"))
                        .contactPoints())
                .extracting(InetSocketAddress::getPort)
                .containsExactly(9, 7, 9);
        assertThatThrownBy(() -> options("--to-host=h", "--to-port=0"))
                .hasMessage("--to-port is 0, must be 1 to 65535");
        assertThatThrownBy(() -> options("--to-host=127.0.0.1,127.0.0.2:x"))
                .hasMessage("--to-host is \"127.0.0.2:x\", must be HOST or HOST:PORT, with a port of 1 to 65535");
    }

    @Test
    void refusesThePasswordOfNoFile() {
        assertThatThrownBy(() -> options("--to-host", "h", "--to-tls-password-command", "false"))
                .hasMessage(
                        "--to-tls-password-command is of no use without a file that it opens: give --to-tls-cert and"
                                + " --to-tls-key, --to-tls-keystore or --to-tls-truststore");
    }
}
