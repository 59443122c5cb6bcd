package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Jobs with a guard: one limit that no node can keep to, and one that every node keeps to. */
@Tag("server")
@Timeout(300)
class GuardIT {
    private static final String TABLE = TestCluster.keyspace("cli_guard") + ".t";
    private static final JsonMapper JSON = new JsonMapper();
    private static final int ROWS = 12_000;
    /** Value of {@code --rows-per-second}: a job takes three windows of the guard, however fast the node is. */
    private static final String SLOWLY = "1700";

    private static final String TOO_LOW = "p99=0.1ms";
    private static final String HIGH = "p99=60s";

    private final Path directory;

    GuardIT(@TempDir Path directory) {
        this.directory = directory;
    }

    private Cli load(String table, String guard, String... more) throws IOException {
        TestCluster.execute("CREATE TABLE " + table + " (p int, c int, PRIMARY KEY (p, c))");
        List<String> lines = new ArrayList<>(List.of("p,c"));
        for (int i = 0; i < ROWS; i++) {
            lines.add(i / 10 + "," + i);
        }
        Path file = Files.write(directory.resolve("rows.csv"), lines);
        return run(List.of("load", file.toString(), table, "--guard", guard), more);
    }

    private static Cli run(List<String> words, String... more) {
        List<String> command = new ArrayList<>(words);
        command.addAll(List.of("--rows-per-second", SLOWLY, "--host", TestCluster.host()));
        command.addAll(List.of(more));
        Cli run = Cli.run(command.toArray(String[]::new));
        assertThat(run.code()).as(run.err()).isEqualTo(Main.DONE);
        return run;
    }

    private static void assertHeldBack(JsonNode guard, String probed) {
        assertThat(guard.path("limitMillis").asDouble()).isEqualTo(0.1);
        assertThat(guard.path("p99Millis").asDouble()).isGreaterThan(0.1);
        assertThat(guard.path("heldBackSeconds").asDouble()).isPositive();
        assertThat(guard.path("lowestShare").asDouble()).isBetween(0.001, 0.1);
        assertThat(guard.path("windowsAboveLimit").asLong())
                .isPositive()
                .isEqualTo(guard.path("windows").asLong());
        assertThat(guard.path("probes").asLong()).isPositive();
        assertThat(guard.path("probesFailed").asLong()).isZero();
        assertThat(guard.path("probed").asText()).isEqualTo(probed);
    }

    @Test
    @Tag("nightly")
    void aLoadAndAnUnloadThatAreHeldBackStillTakeAllRows() throws IOException {
        Path flow = directory.resolve("flow.json");
        Cli load = load(TABLE, TOO_LOW, "--json", "--explain-flow", flow.toString());
        assertHeldBack(JSON.readTree(load.out()).path("guard"), "system.local"); // the table was empty
        assertThat(TestCluster.count(TABLE, "c")).isEqualTo(ROWS);
        assertThat(Files.readAllLines(flow))
                .anySatisfy(line -> assertThat(line).contains("\"job\":\"guard\"", "\"limitMicros\":100,"));

        Cli unload = run(List.of("unload", TABLE, directory.resolve("rows").toString(), "--guard", TOO_LOW), "--json");
        JsonNode summary = JSON.readTree(unload.out());
        assertThat(summary.path("rowsWritten").asLong()).isEqualTo(ROWS);
        assertHeldBack(summary.path("guard"), TABLE);
    }

    @Test
    void jobsThatHarmNobodyAreNotHeldBack() throws IOException {
        String table = TABLE + "_high";
        Cli load = load(table, HIGH);
        assertThat(load.out())
                .startsWith("12,000 rows read = 12,000 written + 0 rejected")
                .contains(
                        "  guard     p99 ",
                        " reads of system.local, limit 60.0 s",
                        "not held back; above the limit in 0 of ");
        Cli unload = run(List.of("unload", table, directory.resolve("rows").toString(), "--guard", HIGH));
        assertThat(unload.out())
                .startsWith("12,000 rows written")
                .contains(" reads of " + table + ", limit 60.0 s", "not held back; above the limit in 0 of ");
        Cli count = run(List.of("count", table, "--guard", HIGH));
        assertThat(count.out()).startsWith("12,000 rows").contains("  guard     ");
        Cli verify = run(List.of("verify", directory.resolve("rows.csv").toString(), table, "--guard", HIGH));
        assertThat(verify.err())
                .contains("  guard     p99 ", " reads of " + table + ", limit 60.0 s", "above the limit in 0 of ");
    }
}
