package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.overdrive.simulated.SimulatedCluster;
import io.overdrive.simulated.SimulatedOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Splits of tables on clusters that are simulated, and commands that read them. */
class SplitsTest {
    private static final int ROWS = 5_003;
    private static final String TABLE = SimulatedCluster.TABLE;

    private final Path directory;

    SplitsTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private static SimulatedOptions.Builder options(int nodes) {
        return SimulatedOptions.builder().nodesPerDatacenter(nodes).rows(ROWS);
    }

    private static Cli run(SimulatedCluster cluster, String... arguments) {
        Cli run = Cli.run(Stream.concat(Stream.of(arguments), Stream.of("--host", cluster.contactPoint()))
                .toArray(String[]::new));
        assertThat(run.code()).as(run.err()).isEqualTo(Main.DONE);
        return run;
    }

    private static JsonNode json(SimulatedCluster cluster, String... arguments) throws IOException {
        return new ObjectMapper()
                .readTree(run(
                                cluster,
                                Stream.concat(Stream.of(arguments), Stream.of("--json"))
                                        .toArray(String[]::new))
                        .out());
    }

    /** The reads that a count would make. */
    private static JsonNode reads(SimulatedCluster cluster, String... arguments) throws IOException {
        String[] count = Stream.concat(Stream.of("count", TABLE, "--dry-run"), Stream.of(arguments))
                .toArray(String[]::new);
        return json(cluster, count).get("estimate").get("parts").get("reads");
    }

    static List<String> words(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), /* parallel */ false)
                .map(JsonNode::asText)
                .toList();
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 3", "3, 16, 5", "10, 16, 11", "10, 1, 4"})
    void splitsHaveEachRowOnce(int nodes, int tokens, int number) throws IOException {
        try (SimulatedCluster cluster = SimulatedCluster.start(
                options(nodes).tokensPerNode(tokens).rowBytes(100_000).build())) {
            JsonNode splits = json(cluster, "splits", TABLE, "--splits", "" + number);
            assertThat(splits).hasSize(number);
            List<Long> numbers = new ArrayList<>();
            long counted = 0;
            for (JsonNode split : splits) {
                String ranges = String.join(":", words(split.get("token_ranges")));
                assertThat(split.get("estimated_bytes").asLong())
                        .isBetween(ROWS * 79_000L / number, ROWS * 121_000L / number);
                counted += json(cluster, "count", TABLE, "--token-range", ranges)
                        .get("rows")
                        .asLong();
                Path output = directory.resolve(numbers.size() + ".csv");
                long before = cluster.counts().rowsRead();
                run(cluster, "unload", TABLE, output.toString(), "--columns", "n", "--token-range", ranges);
                List<Long> found = Files.readAllLines(output).stream()
                        .skip(1)
                        .map(Long::valueOf)
                        .toList();
                assertThat(cluster.counts().rowsRead() - before)
                        .as("requests for no other rows")
                        .isEqualTo(found.size());
                numbers.addAll(found);
            }
            assertThat(counted).isEqualTo(ROWS);
            assertThat(numbers.stream().sorted().toList())
                    .isEqualTo(LongStream.range(0, ROWS).boxed().toList());
        }
    }

    /** The estimate of each split is a part of the estimate of the table, with 256 tokens for each node. */
    @Test
    void splitsOfALargeClusterArePartsOfItsWork() throws IOException {
        try (SimulatedCluster cluster = SimulatedCluster.start(
                options(40).tokensPerNode(256).rows(10_000_000).rowBytes(10_000).build())) {
            List<String[]> splits = run(cluster, "splits", TABLE)
                    .out()
                    .lines()
                    .map(line -> line.split("\t", -1))
                    .toList();
            assertThat(splits).hasSize(373);
            int inCommon = 0;
            long bytes = 0;
            for (String[] split : splits) {
                assertThat(split).hasSize(3);
                assertThat(split[0].length()).as("fits in an argument").isLessThan(20_000);
                assertThat(Long.parseLong(split[2])).isBetween(200L << 20, 310L << 20);
                inCommon += split[1].equals("-") ? 0 : 1;
                bytes += Long.parseLong(split[2]);
            }
            assertThat(inCommon).as("have a node in common").isGreaterThan(splits.size() * 8 / 10);
            assertThat(bytes).isBetween(99_000_000_000L, 101_000_000_000L);
            String[] one = splits.get(1);
            JsonNode part = reads(cluster, "--token-range", one[0]);
            JsonNode whole = reads(cluster);
            assertThat(part.get("bytes").asLong()).isCloseTo(Long.parseLong(one[2]), within(1L << 20));
            assertThat(part.get("minRequests").asLong())
                    .isBetween(1L, whole.get("minRequests").asLong() / 50);
        }
    }

    @Test
    void thePlanHasTheShareOfTheTokens() {
        try (SimulatedCluster cluster = SimulatedCluster.start(options(3).build())) {
            assertThat(run(cluster, "count", TABLE, "--token-range=4611686018427387904,-4611686018427387904")
                            .plan())
                    .contains(", 50.00% of the tokens");
            assertThat(run(cluster, "count", TABLE).plan()).doesNotContain("of the tokens");
        }
    }

    @Test
    void itTakesATableOrAQuery() {
        for (String[] wrong :
                List.of(new String[] {"splits"}, new String[] {"splits", "ks.t", "--query", "SELECT a FROM ks.t"})) {
            assertThat(Cli.run(wrong).err())
                    .startsWith("overdrive: give a table or --query: overdrive splits KEYSPACE.TABLE\n");
        }
    }
}
