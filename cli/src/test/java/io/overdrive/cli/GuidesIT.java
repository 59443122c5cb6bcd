package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.TestCluster;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands of guides, in their order, on the node of the tests in place of the hosts that they name. */
@Timeout(300)
class GuidesIT {
    private static final String KEYSPACE = TestCluster.keyspace("guides");
    private static final String OTHER = KEYSPACE + "_to";
    private static final Pattern HOST = Pattern.compile("10\\.0\\.[01]\\.1");
    private static final Pattern FILE = Pattern.compile("pw|[\\w-]+/.*|[\\w-]+\\.(?:csv|jsonl)");

    private final Path directory;

    GuidesIT(@TempDir Path directory) throws IOException {
        this.directory = directory;
        file("pw", "secret");
        Files.createDirectories(directory.resolve("export"));
        file("new.csv", "4,2026-01-03,Alan,3");
        file("renamed.csv", "order_id,day,customer,total", "5,2026-01-04,Ada,8");
        file("old.csv", "id;day;customer;total", "skipped", "6;2026-01-05;Ada;-");
        file("orders.jsonl", "{\"id\": 7, \"day\": \"2026-01-06\", \"customer\": \"Grace\", \"total\": 2.5}");
        file("customers.csv", "id,customer", "1,Ada L.");
    }

    @BeforeAll
    static void create() {
        TestCluster.keyspace(OTHER);
        TestCluster.execute("CREATE TYPE " + KEYSPACE + ".place (street text, no int)");
        TestCluster.execute(
                "CREATE TABLE " + KEYSPACE + ".orders (id int PRIMARY KEY, day date, customer text, total decimal,"
                        + " note text, tags set<text>, prices map<text, decimal>, place frozen<place>)");
    }

    private void file(String name, String... lines) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        Files.write(file, List.of(lines));
    }

    /** A file in the resources; README.md says how the tools wrote them. */
    private Path fileOf(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(GuidesIT.class.getResourceAsStream("/tools/" + name), name)) {
            Path file = directory.resolve("export").resolve(name);
            Files.copy(in, file);
            return file;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "docs/guides/from-dsbulk.md, dsbulk-orders.csv",
        "docs/guides/from-cqlsh-copy.md, cqlsh-orders.csv",
        "docs/guides/from-cdm.md, dsbulk-orders.csv"
    })
    void eachCommandWorks(String guide, String exported) throws IOException {
        fileOf(exported);
        List<String> commands = DocsTest.commandsToRun(DocsTest.page(guide));
        assertThat(commands).hasSizeGreaterThan(2);
        for (String command : commands) {
            Cli result = Cli.run(
                    Map.of("OVERDRIVE_REJECTS", directory.toString()),
                    here(ShellLine.arguments(command)).toArray(String[]::new));
            assertThat(result.code())
                    .as(command + "\n" + result.out() + result.err())
                    .isEqualTo(Main.DONE);
        }
        assertThat(TestCluster.count(KEYSPACE + ".orders", "id")).isPositive();
    }

    private String orders(String rows) {
        return KEYSPACE + ".orders_" + rows;
    }

    private String table(String rows) {
        TestCluster.execute(
                "CREATE TABLE " + orders(rows) + " (id int PRIMARY KEY, day date, customer text, total decimal,"
                        + " note text, tags set<text>, prices map<text, decimal>, place frozen<place>)");
        return orders(rows);
    }

    private static Cli run(String... arguments) {
        Cli result = Cli.run(Stream.concat(Stream.of(arguments), Stream.of("--host", TestCluster.host()))
                .toArray(String[]::new));
        assertThat(result.code()).as(result.out() + result.err()).isEqualTo(Main.DONE);
        return result;
    }

    @Test
    void filesOfDsbulkLoadAsTheRowsThatItRead() throws IOException {
        String source = table("source");
        run("load", fileOf("orders.jsonl").toString(), source);
        String target = table("dsbulk");
        run("load", fileOf("dsbulk-orders.csv").toString(), target, "--dialect", "dsbulk");
        assertThat(run("diff", source, target).err()).startsWith("5 rows left, 5 right: 5 the same,");

        String written = directory.resolve("dsbulk.csv").toString();
        run("unload", source, written, "--dialect", "dsbulk");
        assertThat(Files.readAllLines(Path.of(written)))
                .contains(
                        "2,Alan,2026-01-01,\"say \\\"hi\\\", please\",\"{\\\"street\\\":\\\"12\\\\\\\" Street\\\",\\\"no\\\":3}\","
                                + "\"{\\\"new\\\\\\\\table\\\":1.5}\",\"[\\\"a \\\\\\\"b\\\\\\\"\\\",\\\"c\\\\\\\\d\\\"]\",1");
        TestCluster.execute("TRUNCATE " + target);
        run("load", written, target, "--dialect", "dsbulk");
        assertThat(run("diff", source, target).err()).startsWith("5 rows left, 5 right: 5 the same,");
    }

    /** Files are read as by COPY FROM: COPY TO writes backslashes twice, and line breaks as backslashes and letters. */
    @Test
    void filesOfCqlshLoadAsCopyReadsThem() throws IOException {
        String target = table("cqlsh");
        run("load", fileOf("cqlsh-orders.csv").toString(), target, "--dialect", "cqlsh");
        assertThat(run("unload", target, "-", "--format", "json").out().lines().sorted())
                .containsExactly(
                        "{\"id\":1,\"customer\":\"Ada\",\"day\":\"2026-01-01\",\"total\":12.50}",
                        "{\"id\":2,\"customer\":\"Alan\",\"day\":\"2026-01-01\",\"note\":\"say \\\"hi\\\", please\","
                                + "\"place\":{\"street\":\"12\\\" Street\",\"no\":3},\"prices\":{\"new\\\\\\\\table\":1.5},"
                                + "\"tags\":[\"a \\\"b\\\"\",\"c\\\\\\\\d\"],\"total\":1}",
                        "{\"id\":3,\"customer\":\"Grace\",\"day\":\"2026-01-02\",\"note\":\"C:\\\\\\\\new\\\\\\\\table\","
                                + "\"tags\":[\"it's\"],\"total\":7.25}",
                        "{\"id\":8,\"day\":\"2026-01-02\",\"note\":\"ends\\\\\\\\\",\"place\":{\"street\":\"x\",\"no\":null}}",
                        "{\"id\":9,\"customer\":\"Mary\",\"day\":\"2026-01-02\","
                                + "\"note\":\"two\\\\nlines, \\\"quoted\\\" \\\\\\\\n\"}");
    }

    /** The arguments with the node, the files and the keyspaces of this test. */
    private List<String> here(List<String> arguments) {
        List<String> here = new ArrayList<>();
        boolean isOther = false;
        for (String each : arguments) {
            String argument = HOST.matcher(each).replaceAll(TestCluster.host());
            if (FILE.matcher(argument).matches()) {
                argument = directory + "/" + argument;
            }
            String keyspace = isOther && arguments.contains("--to-host") ? OTHER : KEYSPACE;
            isOther |= argument.equals("shop.orders");
            here.add(argument.replace("shop.orders", keyspace + ".orders"));
        }
        return here;
    }
}
