package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
        file(
                "export/orders-1.csv",
                "id,day,customer,total,note",
                "1,2026-01-01,Ada,12.50,",
                "2,2026-01-01,Alan,1,gift");
        file("export/orders-2.csv", "id,day,customer,total,note", "3,2026-01-02,Grace,7.25,\"two\nlines\"");
        file("new.csv", "4,2026-01-03,Alan,3");
        file("renamed.csv", "order_id,day,customer,total", "5,2026-01-04,Ada,8");
        file("old.csv", "id;day;customer;total", "skipped", "6;2026-01-05;Ada;-");
        file("orders.jsonl", "{\"id\": 7, \"day\": \"2026-01-06\", \"customer\": \"Grace\", \"total\": 2.5}");
        file("customers.csv", "id,customer", "1,Ada L.");
    }

    @BeforeAll
    static void create() {
        TestCluster.keyspace(OTHER);
        TestCluster.execute("CREATE TABLE " + KEYSPACE
                + ".orders (id int PRIMARY KEY, day date, customer text, total decimal, note text)");
    }

    private void file(String name, String... lines) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        Files.write(file, List.of(lines));
    }

    @ParameterizedTest
    @ValueSource(strings = {"docs/from-dsbulk.md", "docs/from-cqlsh-copy.md", "docs/from-cdm.md"})
    void eachCommandWorks(String guide) throws IOException {
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
