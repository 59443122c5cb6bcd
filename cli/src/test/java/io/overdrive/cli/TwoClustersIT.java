package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.ConnectOptions;
import io.overdrive.Overdrive;
import io.overdrive.TestCluster;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code overdrive copy} and {@code diff} from one cluster to another with different tokens. */
@Timeout(300)
class TwoClustersIT {
    private static final String COLUMNS = " (p int, c int, v text, PRIMARY KEY (p, c))";
    private static final int ROWS = 600;

    @SuppressWarnings("NullAway.Init")
    private static LocalCluster cluster;

    @SuppressWarnings("NullAway.Init")
    private static Overdrive there;

    private static String toHost = "";

    @BeforeAll
    static void start(@TempDir Path directory) {
        TestCluster.keyspace("two_shop");
        TestCluster.execute("CREATE TABLE two_shop.orders" + COLUMNS);
        for (int i = 0; i < ROWS; i++) {
            TestCluster.execute("INSERT INTO two_shop.orders (p, c, v) VALUES (" + i / 5 + ", " + i + ", 'v" + i
                    + "') USING TIMESTAMP 1000 AND TTL 5000");
        }
        cluster = LocalCluster.start(LocalOptions.builder()
                .heapMegabytes(256)
                .directory(directory)
                .port(0)
                .profile(LocalOptions.Profile.SMALL)
                .tokensPerNode(3)
                .stopWithJvm(true)
                .build());
        InetSocketAddress address = cluster.contactPoints().get(0);
        toHost = address.getHostString() + ":" + address.getPort();
        there = Overdrive.connect(ConnectOptions.to(toHost, cluster.datacenter()));
    }

    @AfterAll
    static void stop() {
        there.close();
        cluster.wipe();
    }

    private static List<Row> there(String cql) {
        return there.session().execute(cql).all();
    }

    private static String created(String table) {
        there("CREATE KEYSPACE IF NOT EXISTS " + table.substring(0, table.indexOf('.'))
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        there("CREATE TABLE " + table + COLUMNS);
        return table;
    }

    private static Cli run(String command, String target, String... arguments) {
        List<String> line = new ArrayList<>(
                List.of(command, "two_shop.orders", target, "--host", TestCluster.host(), "--to-host", toHost));
        line.addAll(List.of(arguments));
        return Cli.run(line.toArray(String[]::new));
    }

    @Test
    void aCopyGoesThereWithItsTimesAndIsTheSame() {
        String target = created("archive.orders");
        Cli copy = run("copy", target, "--keep-times");
        assertThat(copy.err()).isEmpty();
        assertThat(copy.code()).isEqualTo(Main.DONE);
        assertThat(copy.out()).startsWith("600 rows read = 600 written + 0 rejected\n");
        Row row = there("SELECT v, writetime(v), ttl(v) FROM archive.orders WHERE p = 2 AND c = 10")
                .get(0);
        assertThat(row.getString(0)).isEqualTo("v10");
        assertThat(row.getLong(1)).isEqualTo(1000);
        assertThat(row.getInt(2)).isBetween(4000, 5000);
        Cli diff = run("diff", target);
        assertThat(diff.err()).startsWith("600 rows left, 600 right: 600 the same, 0 different");
        assertThat(diff.code()).isEqualTo(Main.DONE);
    }

    @Test
    void aTableOfTheSameNameIsAnotherTableThere() {
        String target = created("two_shop.orders");
        Cli copy = run("copy", target, "--to-dc", "dc1");
        assertThat(copy.code()).isEqualTo(Main.DONE);
        assertThat(copy.plan().lines().map(line -> line.substring(0, 12).strip()))
                .containsExactly("cluster", "reads", "cluster", "writes", "limits");
        assertThat(copy.plan()).contains("node " + TestCluster.host() + "\n", "node " + toHost + "\n");
        there("UPDATE two_shop.orders SET v = 'other' WHERE p = 2 AND c = 10");
        there("DELETE FROM two_shop.orders WHERE p = 4 AND c = 20");
        there("INSERT INTO two_shop.orders (p, c, v) VALUES (777, 1, 'new')");
        String[] differences = {
            "{\"kind\":\"different\",\"key\":{\"p\":2,\"c\":10},\"columns\":[\"v\"]}",
            "{\"kind\":\"missing-right\",\"key\":{\"p\":4,\"c\":20}}",
            "{\"kind\":\"missing-left\",\"key\":{\"p\":777,\"c\":1}}"
        };
        Cli diff = run("diff", target, "--consistency", "LOCAL_QUORUM");
        assertThat(diff.code()).isEqualTo(Main.DIFFERENT);
        assertThat(diff.out().lines()).containsExactlyInAnyOrder(differences);
        Cli repair = run("diff", target, "--repair", "missing,different,extra");
        assertThat(repair.out().lines()).containsExactlyInAnyOrder(differences);
        assertThat(repair.err()).contains("  repaired  3 differences on the right; run it again");
        assertThat(run("diff", target).code()).isEqualTo(Main.DONE);
        assertThat(there("SELECT v FROM two_shop.orders WHERE p = 777")).isEmpty();
        assertThat(TestCluster.count("two_shop.orders", "p")).isEqualTo(ROWS);
    }

    @Test
    void theTableIsCreatedThereWithAReplicationThatTheClusterSupports() {
        Cli copy = run("copy", "fresh.orders", "--create", "--keep-times");
        assertThat(copy.code()).isEqualTo(Main.DONE);
        assertThat(copy.err())
                .startsWith("-- keyspace fresh does not get the replication of two_shop, {'class': 'SimpleStrategy',"
                        + " 'replication_factor': 1}, which names no data centres; to choose another one, create the"
                        + " keyspace beforehand\n"
                        + "-- creating keyspace fresh\nCREATE KEYSPACE fresh WITH replication = {'class':"
                        + " 'NetworkTopologyStrategy', 'dc1': 1};\n")
                .endsWith("-- created table fresh.orders\n");
        assertThat(run("diff", "fresh.orders").code()).isEqualTo(Main.DONE);
        TestCluster.execute("CREATE KEYSPACE two_dc WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1}");
        TestCluster.execute("CREATE TABLE two_dc.t (id int PRIMARY KEY)");
        Cli same =
                Cli.run("copy", "two_dc.t", "two_dc.t", "--create", "--host", TestCluster.host(), "--to-host", toHost);
        assertThat(same.code()).isEqualTo(Main.DONE);
        assertThat(same.err())
                .startsWith("-- creating keyspace two_dc\nCREATE KEYSPACE two_dc WITH replication = {'class':"
                        + " 'NetworkTopologyStrategy', 'dc1': 1};\n");
    }

    @Test
    void mistakesAboutTheOtherClusterGetAMessage() {
        Cli datacenter = run("copy", "two_shop.orders", "--to-dc", "nowhere");
        assertThat(datacenter.code()).isEqualTo(Main.FAILED);
        assertThat(datacenter.err()).contains("\"nowhere\"", "dc1", toHost).doesNotContain("\tat ");
        Cli table = run("diff", "archive.nope");
        assertThat(table.code()).isEqualTo(Main.FAILED);
        assertThat(table.err()).startsWith("overdrive: ").doesNotContain("\tat ");
        Cli host = Cli.run(
                "diff", "two_shop.orders", "two_shop.orders", "--host", TestCluster.host(), "--to-host", "127.0.0.1:1");
        assertThat(host.code()).isEqualTo(Main.FAILED);
        assertThat(host.err()).contains("127.0.0.1:1").doesNotContain("\tat ");
    }
}
