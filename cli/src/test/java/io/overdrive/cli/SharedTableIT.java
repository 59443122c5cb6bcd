package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.TestCluster;
import io.overdrive.cli.options.Amount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A table that others write, change and drop while a separate process loads it. */
@Timeout(300)
class SharedTableIT {
    private static final String KEYSPACE = TestCluster.keyspace("cli_shared");
    private static final long TIMESTAMP = 1_700_000_000_000_000L;

    private final Path directory;
    private final List<Process> processes = new ArrayList<>();

    SharedTableIT(@TempDir Path directory) {
        this.directory = directory;
    }

    @AfterEach
    void end() {
        processes.forEach(Process::destroyForcibly);
    }

    /** A load of a shared column and one that no other load writes, in the order of the key. */
    private final class Load {
        final Process process;
        final Feed feed;
        private final Path out;
        private final Path err;

        Load(String table, String column, long timestamp) throws IOException {
            out = directory.resolve(column + ".out");
            err = directory.resolve(column + ".err");
            // slowly, so that it does not get far ahead of the test
            List<String> command =
                    Child.command("load", "-", table, "--timestamp", timestamp + "", "--rows-per-second");
            command.addAll(List.of("5000", "--host", TestCluster.host()));
            process = new ProcessBuilder(command)
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile())
                    .start();
            processes.add(process);
            feed = Feed.start(
                    process,
                    "p,c,v," + column,
                    i -> i / 10 + "," + i + "," + column + " " + i + "," + i,
                    Integer.MAX_VALUE);
        }

        void await(String cql) throws Exception {
            while (TestCluster.execute(cql).isEmpty()) {
                assertThat(process.isAlive())
                        .as("runs: %s", Files.readString(err))
                        .isTrue();
                Thread.sleep(20);
            }
        }

        void awaitExit(int code) throws Exception {
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).as("ended").isTrue();
            assertThat(process.exitValue()).as(Files.readString(err)).isEqualTo(code);
        }
    }

    @Test
    void twoLoadsWriteItAtOnceAndColumnsAreAdded() throws Exception {
        String table = KEYSPACE + ".twice";
        TestCluster.execute("CREATE TABLE " + table + " (p int, c int, v text, a int, b int, PRIMARY KEY (p, c))");
        Load a = new Load(table, "a", TIMESTAMP);
        Load b = new Load(table, "b", TIMESTAMP + 1_000_000_000L);
        for (String change : List.of(" ADD x int", " ADD y text")) {
            a.await(cellAt(table, "a", a.feed.written()));
            b.await(cellAt(table, "b", b.feed.written()));
            TestCluster.execute("ALTER TABLE " + table + change);
        }
        int rowsOfA = a.feed.endAfter(10_000);
        int rowsOfB = b.feed.endAfter(10_000);
        a.awaitExit(Main.DONE);
        b.awaitExit(Main.DONE);
        assertThat(a.out).content().startsWith(all(rowsOfA));
        assertThat(b.out).content().startsWith(all(rowsOfB));

        Set<Integer> found = new HashSet<>();
        for (Row row : TestCluster.execute("SELECT p, c, v, a, b, x, y FROM " + table)) {
            int i = row.getInt("c");
            found.add(i);
            assertThat(row.getInt("p")).isEqualTo(i / 10);
            assertThat(row.getString("v")).as("the later write time").isEqualTo((i < rowsOfB ? "b " : "a ") + i);
            assertThat(row.getObject("a")).isEqualTo(i < rowsOfA ? i : null);
            assertThat(row.getObject("b")).isEqualTo(i < rowsOfB ? i : null);
            assertThat(row.isNull("x") && row.isNull("y")).isTrue();
        }
        assertThat(found).hasSize(Math.max(rowsOfA, rowsOfB));
    }

    private static String all(int rows) {
        return Amount.count(rows) + " rows read = " + Amount.count(rows) + " written + 0 rejected\n";
    }

    private static String cellAt(String table, String column, int i) {
        return "SELECT v FROM " + table + " WHERE p = " + i / 10 + " AND c = " + i + " AND " + column + " = " + i
                + " ALLOW FILTERING";
    }

    /** Its input never ends, so that only the failure ends it. */
    @Test
    @Tag("nightly")
    void itIsDropped() throws Exception {
        String table = KEYSPACE + ".gone";
        TestCluster.execute("CREATE TABLE " + table + " (p int, c int, v text, a int, PRIMARY KEY (p, c))");
        Load load = new Load(table, "a", TIMESTAMP);
        load.await(cellAt(table, "a", load.feed.written()));
        TestCluster.execute("DROP TABLE " + table);
        load.awaitExit(Main.FAILED);
        assertThat(load.err)
                .content()
                .containsPattern("(?m)^overdrive: \\[" + table + "] cannot write: .*(does not exist|unconfigured).*$")
                .doesNotContain("--max-rejects")
                .doesNotContain("\tat ");
        assertThat(load.out)
                .content()
                .containsPattern("^[0-9,]+ rows read = [0-9,]+ written \\+ 0 rejected \\+ [0-9,]+ NOT WRITTEN\n")
                .doesNotContain("node lost");
    }
}
