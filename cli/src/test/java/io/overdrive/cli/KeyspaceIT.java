package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.TestCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands about all tables of a keyspace. */
class KeyspaceIT {
    private static final String SHOP = TestCluster.keyspace("cli_shop");
    private static final Pattern CONTINUE = Pattern.compile("overdrive: to continue: overdrive resume ([-\\w]+)\n");

    private final Path directory;

    KeyspaceIT(@TempDir Path directory) {
        this.directory = directory;
    }

    @BeforeAll
    static void fill() {
        TestCluster.execute("CREATE TYPE cli_shop.address (street text, zip text)");
        TestCluster.execute("CREATE TYPE cli_shop.unused (home frozen<address>)");
        TestCluster.execute("CREATE TABLE cli_shop.customers (id int PRIMARY KEY, home frozen<address>, email text)");
        TestCluster.execute("CREATE TABLE cli_shop.orders (customer int, day date, id int, total decimal, note text"
                + " static, PRIMARY KEY ((customer, day), id)) WITH CLUSTERING ORDER BY (id DESC)");
        TestCluster.execute("CREATE TABLE cli_shop.order_lines (id int, line int, sku text, PRIMARY KEY (id, line))");
        TestCluster.execute("CREATE TABLE cli_shop.\"Audit\" (\"table\" int PRIMARY KEY, \"What\" text)");
        TestCluster.execute("CREATE TABLE cli_shop.nothing (id int PRIMARY KEY)");
        TestCluster.execute("CREATE TABLE cli_shop.hits (page text PRIMARY KEY, n counter)");
        TestCluster.execute("CREATE INDEX customers_email ON cli_shop.customers (email)");
        TestCluster.execute("CREATE INDEX e ON cli_shop.\"Audit\" (\"What\")");
        TestCluster.execute(
                "CREATE MATERIALIZED VIEW cli_shop.by_sku AS SELECT * FROM cli_shop.order_lines WHERE sku IS"
                        + " NOT NULL AND id IS NOT NULL AND line IS NOT NULL PRIMARY KEY (sku, id, line)");
        for (int i = 0; i < 20; i++) {
            TestCluster.execute("INSERT INTO cli_shop.customers (id, home, email) VALUES (" + i
                    + ", {street: 's', zip: '0" + i + "'}, 'e" + i + "')");
            TestCluster.execute("INSERT INTO cli_shop.orders (customer, day, id, total) VALUES (" + i % 3
                    + ", '2026-01-01', " + i + ", " + i + ".50)");
            TestCluster.execute(
                    "INSERT INTO cli_shop.order_lines (id, line, sku) VALUES (" + i + ", 1, 's" + i % 4 + "')");
        }
        TestCluster.execute("INSERT INTO cli_shop.\"Audit\" (\"table\", \"What\") VALUES (1, 'w')");
        TestCluster.execute("UPDATE cli_shop.hits SET n = n + 5 WHERE page = 'p'");
    }

    private Cli run(String command, String... arguments) {
        Stream<String> rejects = command.equals("copy") ? Stream.of("--rejects", directory.toString()) : Stream.empty();
        return Cli.run(Stream.of(Stream.of(command, "--host", TestCluster.host()), rejects, Stream.of(arguments))
                .flatMap(each -> each)
                .toArray(String[]::new));
    }

    private static JsonNode json(String text) throws IOException {
        return new JsonMapper().readTree(text);
    }

    private static List<String> names(String columns) {
        return TestCluster.execute("SELECT " + columns + " WHERE keyspace_name = 'cli_shop2'").stream()
                .map(row -> row.getString(0))
                .toList();
    }

    @Test
    void aKeyspaceIsCopiedWithItsSchemaComparedAndCounted() throws IOException {
        Cli refused = run("copy", SHOP, "cli_shop2", "--create", "--dry-run");
        assertThat(refused.code()).isEqualTo(Main.FAILED);
        assertThat(refused.err())
                .contains("CREATE KEYSPACE cli_shop2 WITH", "CREATE TABLE cli_shop2.\"Audit\" (\n")
                .contains("\noverdrive: hits: WOULD FAIL: [cli_shop2.hits] holds counters: ")
                .containsOnlyOnce("CREATE TYPE cli_shop2.address (")
                .contains("CREATE INDEX customers_email ON cli_shop2.customers (email);\n")
                .endsWith("overdrive: dry run: nothing was created or copied\n");
        assertThat(names("table_name FROM system_schema.tables")).isEmpty();

        Cli copy = run("copy", SHOP, "cli_shop2", "--create", "--keep-times", "--except", "hits");
        assertThat(copy.code()).as(copy.err()).isEqualTo(Main.DONE);
        assertThat(copy.out())
                .startsWith("cli_shop: 5 tables, 61 rows read = 61 written + 0 rejected\n")
                .contains("\n  \"Audit\"      1 row read = 1 written + 0 rejected in ")
                .contains("\n  nothing      0 rows read = 0 written + 0 rejected in ");
        assertThat(copy.err())
                .contains("-- created keyspace cli_shop2\n", "-- created type cli_shop2.unused\n")
                .endsWith(
                        "-- created index cli_shop2.customers_email\n-- created materialized view cli_shop2.by_sku\n");
        assertThat(names("table_name FROM system_schema.tables"))
                .containsExactly("Audit", "customers", "nothing", "order_lines", "orders");
        assertThat(names("index_name FROM system_schema.indexes")).containsExactly("e", "customers_email");
        assertThat(names("view_name FROM system_schema.views")).containsExactly("by_sku");
        assertThat(names("type_name FROM system_schema.types")).containsExactly("address", "unused");

        Cli same = run("diff", SHOP, "cli_shop2", "--except", "hits");
        assertThat(same.code()).as(same.err()).isEqualTo(Main.DONE);
        assertThat(same.out()).isEmpty();
        assertThat(same.err())
                .startsWith("cli_shop: 5 tables, 61 rows left, 61 right: 61 the same, 0 different, ")
                .doesNotContain("recheck");
        JsonNode counted = json(run("count", "cli_shop2", "--json").out());
        assertThat(counted.get("outcome").asText()).isEqualTo("done");
        assertThat(counted.get("tablesDone").asInt()).isEqualTo(5);
        assertThat(counted.get("results").findValuesAsText("rows")).containsExactly("1", "20", "0", "20", "20");

        TestCluster.execute("DELETE FROM cli_shop2.customers WHERE id = 3");
        TestCluster.execute("CREATE TABLE cli_shop2.more (id int PRIMARY KEY)");
        Cli different = run("diff", SHOP, "cli_shop2", "--except", "hits");
        assertThat(different.code()).isEqualTo(Main.DIFFERENT);
        assertThat(different.out())
                .startsWith("{\"table\":\"customers\",\"kind\":\"missing-right\",\"key\":{\"id\":3}}\n");
        assertThat(different.err())
                .containsPattern("\n  recheck   --recheck [-\\w]+ compares again where differences are\n")
                .endsWith("overdrive: ONLY ON THE RIGHT: table more\n");
        assertThat(run("diff", SHOP, "cli_shop2", "--except", "hits", "--json").err())
                .contains("\"onlyOnTheRight\":[\"more\"]");
    }

    @Test
    void theSchemaIsCopiedWithoutRowsOrWritten() {
        Cli shown = run("copy", SHOP, "cli_shop6", "--schema-only", "--dry-run", "--except", "hits");
        assertThat(shown.code()).as(shown.err()).isEqualTo(Main.DONE);
        assertThat(shown.out())
                .startsWith("CREATE KEYSPACE cli_shop6 WITH")
                .contains(
                        "CREATE TYPE cli_shop6.address (",
                        "CREATE INDEX customers_email ON cli_shop6.customers (email);\n");
        TestCluster.keyspace("cli_shop6");
        Cli created = run("copy", SHOP, "cli_shop6", "--schema-only", "--except", "hits");
        assertThat(created.code()).as(created.err()).isEqualTo(Main.DONE);
        assertThat(created.out()).isEmpty();
        assertThat(created.err())
                .contains("-- created table cli_shop6.orders\n", "-- created materialized view cli_shop6.by_sku\n");
        assertThat(TestCluster.count("cli_shop6.customers", "id")).isZero();
        assertThat(run("copy", SHOP, "cli_shop6", "--schema-only", "--except", "hits")
                        .err())
                .isEmpty();
        assertThat(run("copy", SHOP, "cli_shop6", "--schema-only", "--sstables").err())
                .startsWith("overdrive: --sstables is about rows, and has no effect with --schema-only");
        assertThat(run("copy", "cli_shop.orders", "cli_shop6.orders", "--schema-only")
                        .err())
                .startsWith("overdrive: --schema-only is about a keyspace, and cli_shop.orders is one table: ");
    }

    @Test
    void theSchemaOfAKeyspaceWithoutTablesIsCopied() {
        TestCluster.keyspace("cli_bare");
        TestCluster.execute("CREATE TYPE cli_bare.point (x int, y int)");
        TestCluster.execute(
                "CREATE FUNCTION cli_bare.plus(a int, b int) RETURNS NULL ON NULL INPUT RETURNS int LANGUAGE"
                        + " java AS 'return a + b;'");
        TestCluster.execute("CREATE AGGREGATE cli_bare.total(int) SFUNC plus STYPE int INITCOND 0");
        TestCluster.keyspace("cli_bare2");
        Cli created = run("copy", "cli_bare", "cli_bare2", "--schema-only");
        assertThat(created.code()).as(created.err()).isEqualTo(Main.DONE);
        assertThat(TestCluster.execute("SELECT cli_bare2.total(cli_bare2.plus(1, 2)) FROM system.local")
                        .get(0)
                        .getInt(0))
                .isEqualTo(3);
        assertThat(run("copy", "cli_bare", "cli_bare2", "--create").err())
                .startsWith("overdrive: keyspace cli_bare has no tables\n");
    }

    @Test
    void aTableThatFailsIsDoneWhenTheRunIsResumed() throws IOException {
        TestCluster.execute("CREATE KEYSPACE cli_shop3 WITH replication = {'class': 'SimpleStrategy',"
                + " 'replication_factor': 1}");
        TestCluster.execute("CREATE TABLE cli_shop3.customers (id int PRIMARY KEY, email text)");
        TestCluster.execute(
                "CREATE TABLE cli_shop3.orders (customer int, day date, id int, total int, note text static,"
                        + " PRIMARY KEY ((customer, day), id)) WITH CLUSTERING ORDER BY (id DESC)");
        Cli failed = run("copy", "cli_shop.*o*", "cli_shop3", "--except", "nothing,*lines", "--max-rejects", "none");
        assertThat(failed.code()).as(failed.err()).isEqualTo(Main.FAILED);
        assertThat(failed.out()).contains("\n  customers  FAILED: ", "\n  orders     20 rows read = 0 written + 20");
        assertThat(failed.err())
                .contains("overdrive: customers: FAILED: ", "overdrive: 1 of 2 tables failed: customers\n");
        Matcher run = CONTINUE.matcher(failed.err());
        assertThat(run.find()).isTrue();

        TestCluster.execute("CREATE TYPE cli_shop3.address (street text, zip text)");
        TestCluster.execute("ALTER TABLE cli_shop3.customers ADD home frozen<address>");
        Cli resumed = Cli.run("resume", run.group(1), "--host", TestCluster.host());
        assertThat(resumed.code()).as(resumed.err()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(resumed.err())
                .contains("overdrive: resumes run " + run.group(1) + ": 1 of 2 tables were done before");
        assertThat(resumed.out())
                .contains("\n  customers  20 rows read = 20 written + 0 rejected in ")
                .contains("\n  orders     20 rows read = 0 written + 20 rejected, done before\n");
        assertThat(TestCluster.count("cli_shop3.customers", "id")).isEqualTo(20);
    }

    @Test
    void namesThatStandForNothingAreRefused() {
        assertThat(run("count", "cli_none").err())
                .isEqualTo("overdrive: keyspace cli_none does not exist, or this user may not see it\n");
        assertThat(run("count", "cli_shop.x*").err())
                .isEqualTo("overdrive: cli_shop.x*: keyspace cli_shop has no such table; its tables: \"Audit\","
                        + " customers, hits, nothing, order_lines, orders\n");
        assertThat(run("count", SHOP, "--except", "orders,tmp*").err())
                .startsWith("overdrive: --except tmp*: keyspace cli_shop has no such table; its tables: ");
        assertThat(run("count", SHOP, "--except", "*").err())
                .isEqualTo("overdrive: cli_shop: --except leaves out all of its tables\n");
        assertThat(run("copy", SHOP, "cli_shop2.orders").err())
                .startsWith("overdrive: \"cli_shop2.orders\" is not a keyspace: several tables keep their names");
        assertThat(run("copy", SHOP, "cli_shop2", "--map", "* = *").err())
                .startsWith("overdrive: --map is about one table: ");
        assertThat(run("count", "cli_shop.orders", "--except", "a").err())
                .startsWith("overdrive: --except leaves out tables of a keyspace, and cli_shop.orders is one table");
        assertThat(run("copy", SHOP).err())
                .startsWith("overdrive: give TARGET, or the cluster of one with the same name by --to-host");
    }

    /** Names that are similar would mislead, as both sides have the same. */
    @Test
    void aTableThatTheOtherSideLacksIsNamed() {
        String empty = TestCluster.keyspace("cli_shop_empty");
        TestCluster.execute("CREATE TABLE cli_shop_empty.nothing2 (id int PRIMARY KEY)");
        Cli copy = run("copy", "cli_shop.noth*", empty);
        assertThat(copy.code()).isEqualTo(Main.FAILED);
        assertThat(copy.err())
                .contains("overdrive: nothing: FAILED: [cli_shop_empty.nothing] does not exist; --create creates it\n");
        assertThat(run("diff", "cli_shop.noth*", empty).err())
                .contains("overdrive: nothing: FAILED: [cli_shop_empty.nothing] does not exist\n");
    }

    @Test
    void anElementOfTheSameNameIsCompared() {
        TestCluster.execute("CREATE KEYSPACE cli_shop4 WITH replication = {'class': 'SimpleStrategy',"
                + " 'replication_factor': 1} AND durable_writes = false");
        TestCluster.execute("CREATE TYPE cli_shop4.unused (home text)");
        TestCluster.execute("CREATE TABLE cli_shop4.other (id int PRIMARY KEY, email text)");
        TestCluster.execute("CREATE INDEX customers_email ON cli_shop4.other (email)");
        Cli copy = run("copy", SHOP, "cli_shop4", "--create", "--except", "hits,order_lines");
        assertThat(copy.code()).isEqualTo(Main.FAILED);
        assertThat(copy.out())
                .contains(
                        "\n  NOT CREATED: type unused: keyspace cli_shop4 has another one of this name, which is left")
                .contains("\n  NOT CREATED: index customers_email: keyspace cli_shop4 has another one of this name");
        assertThat(TestCluster.count("cli_shop4.customers", "id")).isEqualTo(20);
        Matcher run = CONTINUE.matcher(copy.err());
        assertThat(run.find()).as(copy.err()).isTrue();

        TestCluster.execute("DROP INDEX cli_shop4.customers_email");
        TestCluster.execute("DROP TYPE cli_shop4.unused");
        Cli resumed = Cli.run("resume", run.group(1), "--host", TestCluster.host());
        assertThat(resumed.code()).as(resumed.err()).isEqualTo(Main.DONE);
        assertThat(resumed.err())
                .contains("-- created type cli_shop4.unused\n")
                .endsWith("-- created index cli_shop4.customers_email\n");
    }

    @Test
    void tablesThatWereCreatedAgainAreNotDone() {
        TestCluster.execute("CREATE KEYSPACE cli_shop5 WITH replication = {'class': 'SimpleStrategy',"
                + " 'replication_factor': 1}");
        TestCluster.execute("CREATE TABLE cli_shop5.orders (id int PRIMARY KEY)");
        Cli failed = run("copy", "cli_shop.*o*", "cli_shop5", "--create", "--except", "nothing,*lines");
        assertThat(failed.code()).isEqualTo(Main.FAILED);
        Matcher run = CONTINUE.matcher(failed.err());
        assertThat(run.find()).isTrue();
        TestCluster.execute("DROP KEYSPACE cli_shop5");
        Cli resumed = Cli.run("resume", run.group(1), "--host", TestCluster.host());
        assertThat(resumed.code()).isEqualTo(Main.FAILED);
        assertThat(resumed.out())
                .contains("\n  customers  FAILED: the run cannot be resumed: the table was dropped and created since");
    }

    @Test
    void aKeyspaceIsNotCopiedOntoItself() {
        assertThat(run("copy", SHOP, SHOP, "--create").err())
                .contains(
                        "overdrive: source and target are the same keyspace, cli_shop: give another one, or --to-host");
        assertThat(run("copy", SHOP, "cli_shop9").err())
                .contains(
                        "overdrive: keyspace cli_shop9 does not exist, or this user may not see it; --create creates");
    }
}
