package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.OneCaseIn;
import io.overdrive.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names, values and conditions that hold statements are names, values and conditions: none of the statements is run. */
class InjectionIT {
    private static final String KEYSPACE = TestCluster.keyspace("cli_injection");
    private static final String DROP = "; DROP TABLE " + KEYSPACE + ".canary; ";

    private final Path directory;

    InjectionIT(@TempDir Path directory) {
        this.directory = directory;
    }

    @BeforeAll
    static void createTables() {
        TestCluster.execute("CREATE TABLE " + KEYSPACE + ".canary (id int PRIMARY KEY)");
        TestCluster.execute("INSERT INTO " + KEYSPACE + ".canary (id) VALUES (1)");
        TestCluster.execute("CREATE TABLE " + KEYSPACE + ".t (id int PRIMARY KEY, name text)");
    }

    @AfterEach
    void theCanaryLives() {
        assertThat(TestCluster.execute("SELECT id FROM " + KEYSPACE + ".canary"))
                .hasSize(1);
    }

    private static Cli run(String... arguments) {
        return Cli.run(Stream.concat(Stream.of(arguments), Stream.of("--host", TestCluster.host()))
                .toArray(String[]::new));
    }

    private static void assertRefused(String... arguments) {
        Cli refused = run(arguments);
        assertThat(refused.code()).as(refused.err()).isIn(Main.FAILED, Main.USAGE);
        assertThat(refused.err()).contains("overdrive: ").doesNotContain("\tat ");
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text).toString();
    }

    /** Cassandra allows any name for a column, so the whole text becomes one. */
    @ParameterizedTest
    @ValueSource(strings = {"\" text)%s--", "'%s'", "*/%s/*", "a int, b text)%s//", "$$%s$$", "x) VALUES (1)%s--"})
    @OneCaseIn(3)
    void fieldsNameColumnsOfANewTable(String pattern) throws IOException {
        String name = pattern.formatted(DROP);
        String quoted = "\"" + name.replace("\"", "\"\"") + "\"";
        String rows = file("rows.csv", "id," + quoted + "\n1,one\n");
        String table = KEYSPACE + ".named_" + Integer.toHexString(pattern.hashCode());
        String key = "(id), " + quoted;
        for (String again : List.of("created", "exists")) {
            Cli load = run("load", rows, table, "--create", "--key", key, "--types", quoted + " text");
            assertThat(load.code()).as(again + load.err()).isZero();
        }
        Cli mapped = run("load", rows, table, "--map", "id = id, 1 = " + quoted);
        assertThat(mapped.code()).as(mapped.err()).isZero();
        Path unloaded = directory.resolve("unloaded.csv");
        Cli unload = run("unload", table, unloaded.toString(), "--columns", "id," + quoted);
        assertThat(unload.code()).as(unload.err()).isZero();
        assertThat(Files.readAllLines(unloaded)).hasSize(2).last().isEqualTo("1,one");
        Cli filtered = run("count", table, "--where", quoted + " = 'one'");
        assertThat(filtered.out()).startsWith("1 row\n");
        Cli copied = run("copy", table, table + "_copy", "--create");
        assertThat(copied.code()).as(copied.err()).isZero();
        Cli compared = run("diff", table, table + "_copy");
        assertThat(compared.code()).as(compared.err()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"x\"%s--", "x%s", "x'%s'", "x\"\"%s", "x (id int PRIMARY KEY)%s"})
    @OneCaseIn(3)
    void namesOfTablesAndKeyspacesAreRefused(String pattern) throws IOException {
        String name = pattern.formatted(DROP);
        String quoted = "\"" + name.replace("\"", "\"\"") + "\"";
        String rows = file("rows.csv", "id,name\n1,one\n");
        for (String each : List.of(name, quoted)) {
            assertRefused("load", rows, KEYSPACE + "." + each, "--create", "--key", "id");
            assertRefused("load", rows, each + ".t", "--create", "--key", "id");
            assertRefused(
                    "unload",
                    KEYSPACE + "." + each,
                    directory.resolve("out.csv").toString());
            assertRefused("count", KEYSPACE + "." + each);
            assertRefused("copy", KEYSPACE + ".t", KEYSPACE + "." + each, "--create");
            assertRefused("diff", KEYSPACE + ".t", KEYSPACE + "." + each);
            assertRefused("cql", "SELECT * FROM t", "--keyspace", each);
            assertRefused("bench", "stress", KEYSPACE + "." + each, "--create", "--for", "1s");
            assertRefused("bench", "stress", each + ".t", "--create", "--for", "1s");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"id)%s", "id%s--", "(id), name) WITH comment = '%s'", "id'%s"})
    @OneCaseIn(2)
    void keysAndTypesAreRefused(String pattern) throws IOException {
        String text = pattern.formatted(DROP);
        String rows = file("rows.csv", "id,name\n1,one\n");
        assertRefused("load", rows, KEYSPACE + ".made", "--create", "--key", text);
        assertRefused("load", rows, KEYSPACE + ".made", "--create", "--key", "id", "--types", "name " + text);
        assertRefused(
                "load", rows, KEYSPACE + ".made", "--create", "--key", "id", "--types", "name list<" + text + ">");
        assertRefused("load", rows, KEYSPACE + ".t", "--map", "id = id, name = " + text);
        assertRefused("unload", KEYSPACE + ".t", directory.resolve("o.csv").toString(), "--columns", text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"id = 1%s", "id = 1 ALLOW FILTERING%s--", "id = 1 /* */%sSELECT * FROM system.local"})
    void aConditionOrAStatementHoldsNoSecondOne(String pattern) throws IOException {
        String where = pattern.formatted(DROP);
        assertRefused("unload", KEYSPACE + ".t", directory.resolve("w.csv").toString(), "--where", where);
        assertRefused("count", KEYSPACE + ".t", "--where", where);
        assertRefused("copy", KEYSPACE + ".t", KEYSPACE + ".u", "--create", "--where", where);
        String rows = file("rows.csv", "id,name\n1,one\n");
        assertRefused(
                "load", rows, "--query", "UPDATE " + KEYSPACE + ".t SET name = :name WHERE id = :id" + DROP + "x");
        assertRefused(
                "unload",
                "--query",
                "SELECT * FROM " + KEYSPACE + ".t WHERE " + where,
                directory.resolve("q").toString());
    }

    @Test
    void valuesStayValues() throws IOException {
        String value = "'')" + DROP + "--";
        String rows = file("rows.csv", "id,name\n7,\"" + value + "\"\n");
        String map = "id = id, name = name";
        assertThat(run("load", rows, KEYSPACE + ".t", "--map", map).code()).isZero();
        String constant = "id = id, '" + value.replace("'", "''") + "' = name";
        assertThat(run("load", file("ids.csv", "id\n8\n"), KEYSPACE + ".t", "--map", constant)
                        .code())
                .isZero();
        for (int id : new int[] {7, 8}) {
            assertThat(TestCluster.execute("SELECT name FROM " + KEYSPACE + ".t WHERE id = " + id)
                            .get(0)
                            .getString(0))
                    .isEqualTo(value);
        }
    }
}
