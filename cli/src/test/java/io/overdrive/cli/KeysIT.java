package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows whose keys are in files, by all commands that read them. */
@Timeout(300)
class KeysIT {
    private static final String KEYSPACE = TestCluster.keyspace("cli_keys");
    private static final String TABLE = KEYSPACE + ".t";

    private final Path directory;

    KeysIT(@TempDir Path directory) {
        this.directory = directory;
    }

    @BeforeAll
    static void fill() {
        TestCluster.execute("CREATE TABLE " + TABLE + " (id int PRIMARY KEY, v text)");
        for (int i = 0; i < 10; i++) {
            TestCluster.execute("INSERT INTO " + TABLE + " (id, v) VALUES (" + i + ", 'v" + i + "')");
        }
    }

    private static Cli run(String command, String... arguments) {
        return Cli.run(Stream.concat(Stream.of(command, "--host", TestCluster.host()), Stream.of(arguments))
                .toArray(String[]::new));
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text);
    }

    @ParameterizedTest
    @CsvSource({"none.csv, id", "none.json, []"})
    void aListWithoutKeysIsDoneWithAWarning(String name, String text) throws IOException {
        Path keys = write(name, text + "\n");
        Path out = directory.resolve("out.csv");
        Cli unload = run("unload", TABLE, out.toString(), "--keys", keys.toString(), "--json");
        assertThat(unload.code()).as(unload.err()).isZero();
        assertThat(unload.err())
                .isEqualTo("overdrive: NO KEYS in " + keys
                        + ", so NO ROWS are read: if there should be some, see what writes the file\n");
        assertThat(unload.out()).contains("\"keys\":{\"given\":0,");
        assertThat(out).hasContent("id,v");
    }

    @ParameterizedTest
    @ValueSource(strings = {"count", "unload", "copy"})
    void aDirectoryThatCannotBeWrittenIsReportedWithAnOptionOfTheCommand(String command) throws IOException {
        Path keys = write("keys.csv", "id\n1\n");
        Path gone = directory.resolve("gone");
        String[] target = command.equals("count")
                ? new String[] {}
                : new String[] {command.equals("copy") ? TABLE : directory + "/out.csv"};
        Cli wrong = run(
                command,
                Stream.concat(
                                Stream.concat(Stream.of(TABLE), Stream.of(target)),
                                Stream.of("--keys", keys.toString(), "--keys-spill-directory", gone.toString()))
                        .toArray(String[]::new));
        assertThat(wrong.code()).isEqualTo(Main.FAILED);
        assertThat(wrong.err())
                .isEqualTo("overdrive: " + gone + ": there is no such directory; keys that do not fit in memory are"
                        + " written to it: choose another one with --keys-spill-directory\n");
    }

    /** Keys that are looked up have ranges of the ring with as many keys each, whichever nodes they are on. */
    @Test
    void theRowsOfEachNodeAreNotCountedByKeys() throws IOException {
        Path keys = write("keys.csv", "id\n1\n");
        Cli count = run("count", TABLE, "--keys", keys.toString(), "--by", "node");
        assertThat(count.code()).isEqualTo(Main.USAGE);
        assertThat(count.err())
                .startsWith(
                        "overdrive: --by node counts what is stored on each node of the cluster: it does not go with"
                                + " --keys\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"csv", "jsonl", "arrow", "arrows", "parquet"})
    void anUnloadOfATableHasKeysOfIt(String format) {
        String name = KEYSPACE + ".keys_" + format;
        TestCluster.execute(
                "CREATE TABLE " + name + " (a frozen<list<text>>, b timestamp, c decimal, d frozen<tuple<int,"
                        + " text>>, gone int, s int static, v int, PRIMARY KEY ((a, b), c, d)) WITH CLUSTERING ORDER BY (c DESC,"
                        + " d DESC)");
        for (int i = 0; i < 20; i++) {
            TestCluster.execute("INSERT INTO " + name + " (a, b, c, d, gone, s, v) VALUES (['', 'é" + i % 3 + "'], "
                    + i % 2 + ", " + (i % 5) + ".50, (" + (i % 4 == 0 ? "null" : i) + ", ''), 1, 2, " + i + ")");
        }
        TestCluster.execute("ALTER TABLE " + name + " DROP gone");
        String keys = directory.resolve("all." + format).toString();
        Cli unload = run("unload", name, keys);
        assertThat(unload.code()).as(unload.err()).isZero();
        Cli count = run("count", name, "--keys", keys);
        assertThat(count.code()).as(count.err()).isZero();
        assertThat(count.out()).startsWith(run("count", name).out().split("\n")[0] + "\n");
        String again = directory.resolve("again.jsonl").toString();
        assertThat(run("unload", name, again, "--keys", keys).code()).isZero();
        assertThat(run("verify", again, name).code()).isZero();
    }

    @Test
    void keysAreSpilledToTheDirectory() throws IOException {
        Path keys = write("keys.csv", "id\n1\n2\n");
        Path spills = Files.createDirectory(directory.resolve("spills"));
        Cli count = run("count", TABLE, "--keys", keys.toString(), "--keys-spill-directory", spills.toString());
        assertThat(count.code()).as(count.err()).isZero();
        assertThat(count.out()).startsWith("2 rows\n");
        assertThat(spills).isEmptyDirectory();
    }
}
