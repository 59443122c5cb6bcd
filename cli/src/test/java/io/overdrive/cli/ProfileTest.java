package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.overdrive.stores.WebServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code overdrive profile} of files, as a user types it. */
class ProfileTest {
    private final Path directory;

    ProfileTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private String trips() throws IOException {
        StringBuilder csv = new StringBuilder("city,day,at,Kilometres,note\n");
        for (int i = 0; i < 200; i++) {
            csv.append(i % 2 == 0 ? "Köln" : "Rome")
                    .append(",2026-01-0")
                    .append(1 + i % 4)
                    .append(',')
                    .append(i);
            csv.append(',').append(i / 2.0).append(i == 0 ? ",\"first, of all\"\n" : ",\n");
        }
        return Files.writeString(directory.resolve("trips.csv"), csv).toString();
    }

    @Test
    void describesColumnsAndPossibleKeysOfAFile() throws IOException {
        Cli profile = Cli.run("profile", trips());
        assertThat(profile.code()).as(profile.err()).isEqualTo(Main.DONE);
        assertThat(profile.out())
                .startsWith("200 rows, ")
                .contains(
                        "  column      type          nulls         distinct       mean    largest\n",
                        "  city        text              0                2        5 B        5 B\n",
                        "  note        text            199                1       13 B       13 B\n",
                        "\nPossible keys\n  at: no nulls, 200 of 200 values distinct\n",
                        "choose the key, and give it for partitions and the expected time of a load: --key \"at\"");
        assertTablesFit(profile);
    }

    /** A terminal breaks sentences between words, and tables nowhere. */
    private static void assertTablesFit(Cli profile) {
        assertThat(profile.out().lines().filter(line -> !line.startsWith("  advice  ") && !line.startsWith("  load  ")))
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(96));
    }

    @Test
    void readsAFileOfAWebServerAndKeepsTheSecretOfItsUrl() throws IOException {
        for (WebServer.Kind kind : WebServer.Kind.values()) {
            try (WebServer server = new WebServer(kind)) {
                server.put("/in/trips.csv", Files.readAllBytes(Path.of(trips())), "\"1\"");
                server.require("sig=s3cr3t*");
                Path log = directory.resolve(kind + ".log");
                String url = server.endpoint() + "/in/trips.csv?sig=s3cr3t*";
                Cli profile = Cli.run("profile", url, "--log-file", log.toString());
                assertThat(profile.code()).as(profile.err()).isEqualTo(Main.DONE);
                assertThat(profile.out()).startsWith("200 rows, ");
                assertThat(profile.out() + profile.err() + Files.readString(log))
                        .doesNotContain("s3cr3t");
                Cli refused = Cli.run("profile", url + "x", "--log-file", log.toString());
                assertThat(refused.err())
                        .contains(server.endpoint() + "/in/trips.csv: no permission to read it: status 403")
                        .doesNotContain("s3cr3t");
                Cli none = Cli.run("profile", server.endpoint() + "/x?sig=s3cr3t*");
                assertThat(none.err()).contains(server.endpoint() + "/x: no such file");
            }
        }
    }

    @Test
    void describesPartitionsOfAKey() throws IOException {
        Cli profile = Cli.run("profile", trips(), "--key", "(city, day), at", "--top", "1");
        assertThat(profile.code()).as(profile.err()).isEqualTo(Main.DONE);
        assertThat(profile.out())
                .contains(
                        "\n4 partitions of PRIMARY KEY ((city, day), at)\n",
                        "  10 to below 100                         4              200  ####################\n",
                        "  one row   0.0 % of the partitions, with 0.0 % of the rows\n",
                        "  order     98.0 % of the rows return to a partition that another one has followed\n",
                        "{\"city\":\"",
                        "  load      takes about a second over CQL, or about a second by SSTables, on two cores that",
                        "  advice    load over CQL: it takes less than a minute\n");
        assertTablesFit(profile);
    }

    @Test
    void writesOneJsonObject() throws IOException {
        Cli profile = Cli.run("profile", trips(), "--key", "(city, day), at", "--json");
        JsonNode json = new ObjectMapper().readTree(profile.out());
        assertThat(json.get("rows").asLong()).isEqualTo(200);
        assertThat(json.get("columns")).hasSize(5);
        assertThat(json.get("columns").get(3).get("name").asText()).isEqualTo("kilometres");
        assertThat(json.get("columns").get(1).get("distinct").asLong()).isEqualTo(4);
        assertThat(json.get("partitionKey").get(1).asText()).isEqualTo("day");
        JsonNode partitions = json.get("partitions");
        assertThat(partitions.get("count").asLong()).isEqualTo(4);
        assertThat(partitions.get("exact").asBoolean()).isTrue();
        assertThat(partitions.get("largest").get(0).get("rows").asLong()).isEqualTo(50);
        assertThat(partitions.get("largest").get(0).get("key").get("city").asText())
                .isIn("Köln", "Rome");
        assertThat(json.get("advice").get(0).asText()).startsWith("rows of a partition are apart in the input");
        assertThat(json.get("expectedSecondsOverCql").asDouble()).isPositive();
    }

    @Test
    void recordsThatALoadWouldRejectChangeTheExitCode() throws IOException {
        Path file = Files.writeString(directory.resolve("x.csv"), "id,n\n" + "1,2\n".repeat(150_000) + "1,2,3\nx,2\n");
        Cli profile = Cli.run("profile", file.toString());
        assertThat(profile.code()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(profile.out())
                .startsWith("150,000 rows, ")
                .contains(
                        "2 records rejected",
                        "line 150002: the record has 3 fields, the header has 2 (--allow-extra-fields takes such records)",
                        "line 150003: column \"id\" is int, got \"x\"");
    }

    @Test
    void saysWhichColumnsAKeyHasToBeOf() throws IOException {
        Cli profile = Cli.run("profile", trips(), "--key", "(city, dya), at");
        assertThat(profile.code()).isEqualTo(Main.FAILED);
        assertThat(profile.err())
                .contains(
                        "--key names dya, which the input does not have; its columns are city, day, at, kilometres, note");
    }

    @Test
    void aMissingFileIsNotTakenForATable() {
        Cli profile = Cli.run("profile", "trips.csv");
        assertThat(profile.code()).isEqualTo(Main.FAILED);
        assertThat(profile.err()).contains("trips.csv").doesNotContain("node");
    }

    @Test
    void aFileIsNotTakenForATable() throws IOException {
        Path file = Files.writeString(directory.resolve("ks.t"), "id\n1\n");
        Cli profile = Cli.run("profile", file.toString(), "--format", "csv");
        assertThat(profile.out()).startsWith("1 row, ");
    }
}
