package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.TestCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Commands of a user who loads and copies by SSTables, with rows for them, and the rows that the tables then have. */
final class SstableUser {
    /** A keyspace of this process: classes that use it may run in several at the same time. */
    static final String KEYSPACE = TestCluster.lastingKeyspace(
            "cli_sstables_" + ProcessHandle.current().pid());

    static final long TIMESTAMP = 1_700_000_000_000_000L;
    static final String COLUMNS = "p int, q text, c timestamp, d text, s text STATIC, n int STATIC, v text,"
            + " i int, w decimal, u set<text>, m map<int, text>, f frozen<set<int>>,"
            + " PRIMARY KEY ((p, q), c, d)) WITH CLUSTERING ORDER BY (c DESC, d ASC)";

    private final Path directory;
    private final Path staging;

    SstableUser(Path directory) throws IOException {
        this.directory = directory;
        staging = Files.createDirectory(directory.resolve("staging"));
    }

    /** Where SSTables wait for their import. */
    Path staging() {
        return staging;
    }

    Cli run(String command, String... arguments) {
        return Cli.run(Stream.concat(
                        Stream.of(command, "--host", TestCluster.host(), "--rejects", directory.toString()),
                        Stream.of(arguments))
                .toArray(String[]::new));
    }

    Cli load(String... arguments) {
        return run("load", arguments);
    }

    Cli loadSstables(String... arguments) {
        return load(bySstables(Stream.of(arguments)));
    }

    Cli copySstables(String from, String to, String... arguments) {
        return run("copy", bySstables(Stream.concat(Stream.of(from, to), Stream.of(arguments))));
    }

    private String[] bySstables(Stream<String> arguments) {
        return Stream.concat(
                        Stream.of("--sstables", "--jmx", TestCluster.jmx(), "--staging-directory", staging.toString()),
                        arguments)
                .toArray(String[]::new);
    }

    static void assertSame(String a, String b) {
        Cli diff = Cli.run("diff", a, b, "--host", TestCluster.host());
        assertThat(diff.code()).as(diff.out() + diff.err()).isZero();
    }

    /** Keys come up to five times, with other values or none. */
    Path rows(int count, boolean withTtl) throws IOException {
        Random random = new Random(7);
        List<String> lines = new ArrayList<>();
        lines.add("p,q,c,d,s,n,v,i,w,u,m,f" + (withTtl ? ",expires" : ""));
        for (int i = 0; i < count; i++) {
            int key = random.nextInt(count / 2);
            lines.add(String.join(
                            ",",
                            key % 40 + "",
                            key % 3 == 0 ? "é" : "q" + key % 2,
                            "2026-01-0" + (1 + key % 9) + "T00:00:00Z",
                            "d" + key / 7,
                            maybe(random, "s" + i),
                            maybe(random, i + ""),
                            maybe(random, "a text " + i),
                            maybe(random, random.nextInt() + ""),
                            maybe(random, random.nextInt(1000) + ".50"),
                            maybe(random, "\"[\"\"b" + i % 5 + "\"\", \"\"a\"\"]\""),
                            maybe(random, "\"{\"\"" + i % 9 + "\"\": \"\"x\"\", \"\"2\"\": \"\"y\"\"}\""),
                            maybe(random, "\"[3, " + i % 4 + ", 1]\""))
                    + (withTtl ? "," + (i % 3 == 0 ? "" : 100_000 * (i % 3)) : ""));
        }
        return Files.write(directory.resolve(withTtl ? "ttl.csv" : "rows.csv"), lines);
    }

    private static String maybe(Random random, String value) {
        return random.nextInt(4) == 0 ? "" : value;
    }

    static String table(String name, String columns) {
        String table = KEYSPACE + "." + name;
        TestCluster.execute("CREATE TABLE " + table + " (" + columns);
        return table;
    }

    /** Values, write times, and which of them expire. */
    static List<String> times(String table) {
        return TestCluster.execute("SELECT p, q, c, d, v, writetime(v), ttl(v), writetime(i), ttl(i), writetime(s),"
                        + " ttl(s), writetime(f) FROM " + table)
                .stream()
                .map(SstableUser::shown)
                .toList();
    }

    static String shown(Row row) {
        List<String> values = new ArrayList<>();
        for (int i = 0; i < row.size(); i++) {
            boolean isTtl =
                    row.getColumnDefinitions().get(i).getName().asInternal().startsWith("ttl");
            values.add(isTtl && !row.isNull(i) ? (row.getInt(i) + 50_000) / 100_000 + "00000" : row.getObject(i) + "");
        }
        return String.join(" ", values);
    }

    /** Files may disappear meanwhile: then it looks again. */
    static List<String> files(Path of) throws IOException {
        while (true) {
            try (Stream<Path> files = Files.walk(of)) {
                return files.filter(Files::isRegularFile)
                        .map(Path::toString)
                        .sorted(Comparator.naturalOrder())
                        .toList();
            } catch (UncheckedIOException e) {
                Thread.onSpinWait();
            }
        }
    }
}
