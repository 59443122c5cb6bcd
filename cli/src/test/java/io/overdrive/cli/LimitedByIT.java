package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.TestCluster;
import io.overdrive.jobs.bottleneck.Cause;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every job says what has limited it; here a rate, which no machine is too slow for. */
@Timeout(300)
class LimitedByIT {
    private static final String TABLE = TestCluster.keyspace("cli_limited") + ".t";
    private static final JsonMapper JSON = new JsonMapper();
    private static final int ROWS = 1000;

    private final Path directory;

    LimitedByIT(@TempDir Path directory) {
        this.directory = directory;
    }

    private static Cli run(String... words) {
        List<String> command = new ArrayList<>(List.of(words));
        command.addAll(List.of("--rows-per-second", "400", "--host", TestCluster.host()));
        Cli run = Cli.run(command.toArray(String[]::new));
        assertThat(run.code()).as(run.err()).isEqualTo(Main.DONE);
        return run;
    }

    @Test
    void theSummaryOfEachJobNamesTheRateLimit() throws IOException {
        TestCluster.execute("CREATE TABLE " + TABLE + " (p int, c int, PRIMARY KEY (p, c))");
        TestCluster.execute("CREATE TABLE " + TABLE + "2 (p int, c int, PRIMARY KEY (p, c))");
        List<String> lines = new ArrayList<>(List.of("p,c"));
        for (int i = 0; i < ROWS; i++) {
            lines.add(i / 10 + "," + i);
        }
        String file = Files.write(directory.resolve("rows.csv"), lines).toString();

        assertThat(run("load", file, TABLE).out()).contains("  limited by the rate limit (threads wait for it ");
        JsonNode unload =
                JSON.readTree(run("unload", TABLE, directory.resolve("rows").toString(), "--json")
                        .out());
        JsonNode found = unload.path("limitedBy");
        assertThat(found.path("cause").asText()).isEqualTo("rate_limit");
        assertThat(found.path("share").asDouble()).isBetween(0.3, 1.0);
        assertThat(found.path("evidence").asText()).startsWith("threads wait for it ");
        assertThat(found.path("shares").size()).isEqualTo(Cause.values().length);
        assertThat(found.path("shares").path("rate_limit").asDouble())
                .isEqualTo(found.path("share").asDouble());
        assertThat(run("copy", TABLE, TABLE + "2").out()).contains("  limited by the rate limit (");
        assertThat(run("diff", TABLE, TABLE + "2").err()).contains("  limited by the rate limit (");
        assertThat(run("verify", file, TABLE).err()).contains("  limited by the rate limit (");
    }
}
