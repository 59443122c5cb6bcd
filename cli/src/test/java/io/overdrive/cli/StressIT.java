package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.TestCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code overdrive bench stress} as a user types it. */
@Timeout(300)
class StressIT {
    private static Cli run(String... arguments) {
        return Cli.run(Stream.concat(Stream.of("bench", "stress", "--host", TestCluster.host()), Stream.of(arguments))
                .toArray(String[]::new));
    }

    @Test
    void createsItsTablePopulatesItAndReportsProgress(@TempDir Path directory) throws Exception {
        Path log = directory.resolve("log.hlog");
        Cli stress = run(
                "cli_stress.own",
                "--create",
                "--populate",
                "--workload",
                "write 0.5 read 0.5",
                "--keys",
                "2k",
                "--rate",
                "500",
                "--for",
                "2s",
                "--histogram",
                log.toString(),
                "--json");

        assertThat(stress.err())
                .contains("CREATE KEYSPACE cli_stress WITH replication = {'class': 'NetworkTopologyStrategy', ")
                .contains("CREATE TABLE cli_stress.own (key bigint PRIMARY KEY, value blob);")
                .contains("writing 2,000 rows")
                .containsPattern(" [0-9]+ s  [0-9]+ op/s  p50 .* p99 .* 0 failed  [0-9]+ late");
        JsonNode json = new JsonMapper().readTree(stress.out());
        assertThat(json.get("due").asLong()).isEqualTo(1000);
        assertThat(json.get("done").asLong()).isEqualTo(1000);
        assertThat(json.get("missing").asLong()).isZero();
        assertThat(json.get("kinds")
                                .get("write")
                                .get("responseMillis")
                                .get("count")
                                .asLong()
                        + json.get("kinds")
                                .get("read")
                                .get("responseMillis")
                                .get("count")
                                .asLong())
                .isEqualTo(1000);
        assertThat(json.get("responseMillis").get("p50").asDouble())
                .isGreaterThanOrEqualTo(json.get("serviceMillis").get("p50").asDouble());
        assertThat(stress.code()).isEqualTo(json.get("reached").asBoolean() ? Main.DONE : Main.FAILED);
        assertThat(TestCluster.count("cli_stress.own", "key")).isEqualTo(2000);
        assertThat(Files.readString(log)).contains("Tag=read-service,").contains("Tag=write,");
    }

    @Test
    void namesTheOptionThatCreatesAMissingTable() {
        Cli stress = run("system.nope", "--populate", "--for", "20ms");
        assertThat(stress.code()).isEqualTo(Main.FAILED);
        assertThat(stress.err())
                .contains("no table \"nope\"", "(--create creates a missing table)")
                .doesNotContain("writing");
    }

    @Test
    void reportsThatTheRateWasNotReached() {
        // One operation at a time, each of which goes to a server and back: never 50,000 a second.
        Cli stress = run("cli_fast.t", "--create", "--rate", "50k", "--for", "20ms", "--in-flight", "1");

        assertThat(stress.code()).isEqualTo(Main.FAILED);
        assertThat(stress.out())
                .contains("1,000 operations due = 1,000 done + 0 failed")
                .contains("NOT REACHED")
                .containsPattern("late      [0-9,]+ sent more than 5 ms after they were due, [0-9,]+ waited because");
        assertThat(stress.err()).contains("overdrive: the rate was not reached: 50,000 op/s asked, ");
    }

    @Test
    void reportsThatReadsFoundNothing() {
        Cli stress = run("cli_empty.t", "--create", "--workload", "read 1", "--rate", "100", "--for", "100ms");

        assertThat(stress.out()).contains("missing   10 reads found no row; --populate writes all rows first");
    }

    @Test
    void refusesOptionsThatMakeNoLoad() {
        assertThat(run("ks.t", "--rate", "0").err())
                .contains("overdrive: --rate is 0, must be 1 to 10000000")
                .contains("Try: overdrive bench stress --help");
        assertThat(run("ks.t", "--rate", "0").code()).isEqualTo(Main.USAGE);
        assertThat(run("ks.t", "--workload", "write").err())
                .contains("--workload 'write' is not a list of pairs: write kinds and their shares, such as");
        assertThat(run("ks.t", "--for", "60").err()).contains("'60' is not a time such as 500ms, 60s, 5m or 1h");
        Cli missing = run("cli_nowhere.t", "--for", "1s");
        assertThat(missing.code()).isEqualTo(Main.FAILED);
        assertThat(missing.err()).contains("overdrive: there is no keyspace \"cli_nowhere\"");
    }
}
