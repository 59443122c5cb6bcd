package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.overdrive.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code overdrive profile} of a table, which says the same as the profile of the file that was loaded into it. */
@Tag("server")
class ProfileIT {
    private static final String KEYSPACE = TestCluster.keyspace("cli_profile");
    private static final String KEY = "(city, day), at";

    private final Path directory;

    ProfileIT(@TempDir Path directory) {
        this.directory = directory;
    }

    private static JsonNode profile(String... arguments) throws IOException {
        Cli profile = Cli.run(arguments);
        assertThat(profile.code()).as(profile.err()).isEqualTo(Main.DONE);
        return new ObjectMapper().readTree(profile.out());
    }

    @Test
    void aTableIsDescribedAsItsFile() throws IOException {
        StringBuilder csv = new StringBuilder("day,city,note,at,\"with \"\"quotes\"\"\"\n");
        for (int i = 0; i < 30_000; i++) {
            int city = Math.max(0, i % 400 - 100);
            csv.append(i % 7).append(",Cité ").append(city).append(i % 3 == 0 ? ",\"\"," : ",n" + i + ",");
            csv.append(i).append(i % 11 == 0 ? ",\n" : "," + i * 0.25 + "\n");
        }
        String file = Files.writeString(directory.resolve("trips.csv"), csv).toString();
        String table = KEYSPACE + ".trips";
        Cli load = Cli.run("load", file, table, "--create", "--key", KEY, "--host", TestCluster.host());
        assertThat(load.code()).as(load.err()).isEqualTo(Main.DONE);

        JsonNode ofFile = profile("profile", file, "--key", KEY, "--json");
        JsonNode ofTable = profile("profile", table, "--host", TestCluster.host(), "--json");
        for (String same : List.of("rows", "bytes", "partitionKey", "clusteringColumns")) {
            assertThat(ofTable.get(same)).as(same).isEqualTo(ofFile.get(same));
        }
        for (String same : List.of("count", "exact", "oneRowShare", "singleRowsShare", "byRows", "byBytes")) {
            assertThat(ofTable.get("partitions").get(same))
                    .as(same)
                    .isEqualTo(ofFile.get("partitions").get(same));
        }
        assertThat(ofTable.get("partitions").get("outOfOrderShare").asDouble()).isZero();
        assertThat(ofFile.get("partitions").get("outOfOrderShare").asDouble()).isPositive();
        assertThat(ofTable.get("partitions").get("largest").findValuesAsText("rows"))
                .isEqualTo(ofFile.get("partitions").get("largest").findValuesAsText("rows"));
        assertThat(ofTable.get("columns")).hasSameSizeAs(ofFile.get("columns"));
        for (JsonNode column : ofFile.get("columns")) {
            assertThat(ofTable.get("columns")).anySatisfy(other -> {
                for (String same : List.of("name", "type", "nulls", "bytes", "maxBytes")) {
                    assertThat(other.get(same)).as(same).isEqualTo(column.get(same));
                }
                // parts of a sketch are added up in another order
                assertThat(other.get("distinct").asDouble())
                        .isBetween(
                                0.95 * column.get("distinct").asLong(),
                                1.05 * column.get("distinct").asLong());
            });
        }
        assertThat(ofTable.get("plan").get("reads").get("table").asText()).isEqualTo(table);

        Cli text = Cli.run("profile", table, "--host", TestCluster.host(), "--where", "day = 3", "--top", "2");
        assertThat(text.code()).as(text.err()).isEqualTo(Main.DONE);
        assertThat(text.out())
                .contains(" partitions of PRIMARY KEY ((city, day), at)\n", "{\"city\":\"Cité 0\",\"day\":3}");
    }

    @Test
    void aTableThatDoesNotExistIsNamed() {
        Cli profile = Cli.run("profile", KEYSPACE + ".missing", "--host", TestCluster.host());
        assertThat(profile.code()).isEqualTo(Main.FAILED);
        assertThat(profile.err()).contains("has no table \"missing\"");
    }
}
