package io.overdrive.cli.options;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

class RunArgumentsTest {
    @SuppressWarnings("UnusedVariable")
    @Command(name = "move", modelTransformer = SettingOptions.Model.class)
    private static final class Move implements SettingOptions.Command {
        @Parameters(arity = "1..*")
        private List<String> files = List.of();

        @Option(names = {"-s", "--skip"})
        private int skip;

        @Option(names = "--null", split = ",")
        private List<String> words = List.of();

        @Option(names = "--json")
        private boolean json;

        @Mixin
        private JournalMixin journal = new JournalMixin();

        @Override
        public List<SettingOptions> settingOptions() {
            return List.of(new ConnectMixin().group());
        }
    }

    private static List<String> of(String... line) {
        return RunArguments.of(new CommandLine(new Move()).parseArgs(line));
    }

    @Test
    void keepsOptionsInOneForm() {
        List<String> kept = List.of("--host=a,b", "--json", "--null=x,y", "--skip=3", "--", "-", "to");
        assertThat(of("-s", "3", "--null", "x,y", "--host", "a,b", "--json", "-", "to"))
                .isEqualTo(kept);
        assertThat(of("--json", "-", "--host=a,b", "to", "--resume", "--null=x,y", "--skip=3"))
                .isEqualTo(kept);
        assertThat(of(kept.toArray(String[]::new))).isEqualTo(kept);
    }

    @Test
    void doesNotKeepWhatMayBeSecretInAUrl() {
        assertThat(of("--null=https://h/k.csv?sig=a", "https://h/a%20b.csv.gz?sig=b", "http://me:pw@h/x", "to"))
                .containsExactly("--null=https://h/k.csv?…", "--", "https://h/a%20b.csv.gz?…", "http://…@h/x", "to");
        assertThat(of("u = 'https://h/x?y'", "s3://bucket/x?y"))
                .containsExactly("--", "u = 'https://h/x?y'", "s3://bucket/x?y");
    }

    @Test
    void comparesWhatDecidesTheResult() {
        List<String> first = of("--skip", "3", "--host", "a", "in", "to");
        assertThat(RunArguments.without(first, of("--skip=3", "--host", "b", "--json", "in", "to")))
                .isEmpty();
        assertThat(RunArguments.without(first, of("--skip=4", "in", "to"))).containsExactly("--skip=3");
        assertThat(RunArguments.without(of("in", "other", "to"), first)).containsExactly("other");
    }

    @Test
    void aRunIsResumedAtAnotherSpeed() {
        List<String> table = List.of("--", "ks.t");
        for (String speed :
                List.of("--page-bytes=64KB", "--splits-in-flight=1", "--request-timeout=60s", "--threads=1")) {
            assertThat(RunArguments.without(List.of(speed, "--", "ks.t"), table))
                    .as(speed)
                    .isEmpty();
        }
        assertThat(RunArguments.without(List.of("--where=id>1", "--", "ks.t"), table))
                .containsExactly("--where=id>1");
    }

    @Test
    void optionsOfTheConnectionAreReplacedTogether() {
        List<String> kept = of("--skip", "3", "--host", "a", "--user", "u", "in", "to");
        assertThat(RunArguments.withConnection(kept, List.of())).isEqualTo(kept);
        assertThat(RunArguments.withConnection(kept, List.of("--host=b")))
                .containsExactly("--host=b", "--skip=3", "--", "in", "to");
        assertThat(RunArguments.withConnection(kept, List.of("--verbose")))
                .containsExactly("--verbose", "--host=a", "--skip=3", "--user=u", "--", "in", "to");
        List<String> ofProfile = List.of("--host=a", "--profile=p", "--verbose", "--", "to");
        assertThat(RunArguments.withConnection(ofProfile, List.of("--profile=q", "--verbose")))
                .containsExactly("--profile=q", "--verbose", "--", "to");
    }
}
