package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.TestCluster;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code overdrive cql} as a user types it. */
@Tag("server")
class CqlIT {
    private static final String KEYSPACE = TestCluster.keyspace("cli_cql");

    private final Path directory;

    CqlIT(@TempDir Path directory) {
        this.directory = directory;
    }

    @BeforeAll
    static void fill() {
        Cli made = cql("CREATE TYPE cli_cql.point (x int, y int);"
                + " CREATE TABLE cli_cql.t (id int PRIMARY KEY, name text, p frozen<point>, s set<text>)");
        assertThat(made.code()).as(made.err()).isZero();
        assertThat(made.err()).isEqualTo("2 statements done\n");
        Cli filled = cql(
                "INSERT INTO cli_cql.t (id, name, p, s) VALUES (1, 'a;b', {x: 1, y: 2}, {'k', 'l'})",
                "INSERT INTO cli_cql.t (id, name) VALUES (-20, '日\n本')");
        assertThat(filled.code()).as(filled.err()).isZero();
        assertThat(filled.out()).isEmpty();
    }

    private static Cli cql(String... arguments) {
        return Cli.run(Stream.concat(Stream.of("cql", "--host", TestCluster.host()), Stream.of(arguments))
                .toArray(String[]::new));
    }

    private static Cli cqlWithInput(String input, String... arguments) {
        return Cli.runWithInput(
                input,
                Stream.concat(Stream.of("cql", "--host", TestCluster.host()), Stream.of(arguments))
                        .toArray(String[]::new));
    }

    @Test
    void rowsAreATableWhoseColumnsAreAligned() {
        Cli rows = cql("SELECT id, name, p, s FROM cli_cql.t");
        assertThat(rows.code()).as(rows.err()).isZero();
        assertThat(rows.out())
                .isEqualTo(
                        """
                 id  | name   | p            | s
                -----+--------+--------------+------------
                 -20 | 日\\n本 | null         | null
                   1 | a;b    | {x: 1, y: 2} | {'k', 'l'}
                (2 rows)
                """);
        assertThat(rows.err()).isEmpty();
        assertThat(cql("SELECT id, name FROM cli_cql.t WHERE id = 1", "--vertical")
                        .out())
                .isEqualTo("row 1\n  id   | 1\n  name | a;b\n(1 row)\n");
    }

    @Test
    void rowsAreJsonOrCsvAsUnloadWritesThem() {
        assertThat(cql("SELECT id, name, p FROM cli_cql.t", "--json").out())
                .isEqualTo("{\"id\":-20,\"name\":\"日\\n本\",\"p\":null}\n"
                        + "{\"id\":1,\"name\":\"a;b\",\"p\":{\"x\":1,\"y\":2}}\n");
        assertThat(cql("SELECT id, s, p FROM cli_cql.t", "--csv").out())
                .isEqualTo("id,s,p\n-20,,\n1,\"{'k', 'l'}\",\"{x: 1, y: 2}\"\n");
    }

    @Test
    void vectorsAndCustomTypesAreShownAsUnloadWritesThem() {
        cql(
                "CREATE TABLE cli_cql.v (id int PRIMARY KEY, v vector<float, 2>,"
                        + " c 'org.apache.cassandra.db.marshal.DynamicCompositeType(s => org.apache.cassandra.db.marshal.UTF8Type)')");
        cql("INSERT INTO cli_cql.v (id, v, c) VALUES (1, [1, 2.5], 's@x')");
        String query = "SELECT id, v, c FROM cli_cql.v";
        Cli table = cql(query);
        assertThat(table.code()).as(table.err()).isZero();
        assertThat(table.out()).contains("\n  1 | [1.0, 2.5] | 0x8073000178");
        assertThat(cql(query, "--vertical").out()).contains("\n  v  | [1.0, 2.5]\n  c  | 0x8073000178");
        assertThat(cql(query, "--json").out()).startsWith("{\"id\":1,\"v\":[1.0,2.5],\"c\":\"0x8073000178");
        assertThat(cql(query, "--csv").out()).startsWith("id,v,c\n1,\"[1.0, 2.5]\",0x8073000178");
    }

    @Test
    void allPagesArePrinted() {
        Cli rows = cql("SELECT id FROM cli_cql.t", "--page-rows", "1", "--csv");
        assertThat(rows.out()).isEqualTo("id\n-20\n1\n");
    }

    @Test
    void virtualTablesAreRead() {
        Cli rows = cql("SELECT name, value FROM system_views.settings WHERE name = 'cluster_name'");
        assertThat(rows.code()).as(rows.err()).isZero();
        assertThat(rows.out()).startsWith(" name         | value\n").endsWith("(1 row)\n");
    }

    @Test
    void aDescriptionIsCqlThatCanBeRunAgain() {
        Cli table = cql("DESCRIBE TABLE cli_cql.t");
        assertThat(table.out()).startsWith("CREATE TABLE cli_cql.t (\n    id int PRIMARY KEY,\n");
        assertThat(cql("DESCRIBE TABLE cli_cql.t", "--json").out())
                .startsWith(
                        "{\"keyspace_name\":\"cli_cql\",\"type\":\"table\",\"name\":\"t\",\"create_statement\":\"CREATE")
                .endsWith("}\n");
        Cli made = cql(table.out().replace("cli_cql.t ", "cli_cql.again "));
        assertThat(made.code()).as(made.err()).isZero();
        assertThat(cql("DROP TABLE cli_cql.again").err()).isEqualTo("1 statement done\n");
        assertThat(cql("SELECT * FROM cli_cql.again").err()).startsWith("overdrive: table again does not exist\n");
    }

    @Test
    void aFileIsRunStatementByStatementUntilOneFails() throws IOException {
        Path file = Files.writeString(
                directory.resolve("s.cql"),
                """
                USE cli_cql; -- from here on
                CREATE TABLE f (id int PRIMARY KEY);
                BEGIN BATCH
                  INSERT INTO f (id) VALUES (1);
                  INSERT INTO f (id) VALUES (2);
                APPLY BATCH;
                SELECT id
                  FROM f WERE id = 1;
                DROP TABLE f;
                """);
        Cli run = cql("--file", file.toString());
        assertThat(run.code()).isEqualTo(Main.FAILED);
        assertThat(run.err())
                .startsWith("overdrive: " + file + " line 8, column 10: ")
                .endsWith("\n    FROM f WERE id = 1\n           ^\n");
        assertThat(cql("SELECT count(*) FROM cli_cql.f", "--json").out()).isEqualTo("{\"count\":2}\n");
    }

    @Test
    void standardInputIsReadWithoutAnArgument() {
        Cli run = cqlWithInput(
                "SELECT id FROM t WHERE id = 1;\nSELECT name FROM t\n WHERE id = 1", "--keyspace", KEYSPACE);
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out()).isEqualTo(" id\n----\n  1\n(1 row)\n name\n------\n a;b\n(1 row)\n");
    }

    /** Each byte that is no UTF-8 would be written as U+FFFD. */
    @Test
    void standardInputMustBeUtf8() {
        InputStream in = System.in;
        System.setIn(new ByteArrayInputStream(
                "SELECT id FROM t WHERE name = 'Z\u00fcrich' ALLOW FILTERING".getBytes(StandardCharsets.ISO_8859_1)));
        try {
            Cli refused = cql("--keyspace", KEYSPACE);
            assertThat(refused.code()).isEqualTo(Main.FAILED);
            assertThat(refused.err()).contains("standard input is not valid UTF-8: convert it to UTF-8");
        } finally {
            System.setIn(in);
        }
    }

    @Test
    void aMistakeIsShownWithItsPosition() {
        Cli wrong = cql("SELECT * FORM cli_cql.t");
        assertThat(wrong.code()).isEqualTo(Main.FAILED);
        assertThat(wrong.out()).isEmpty();
        assertThat(wrong.err())
                .startsWith("overdrive: line 1, column 10: mismatched input 'FORM' expecting K_FROM")
                .endsWith("\n  SELECT * FORM cli_cql.t\n           ^\n")
                .doesNotContain("\tat ");
        assertThat(cql("SELECT 1", "--json", "--csv").code()).isEqualTo(Main.USAGE);
    }
}
