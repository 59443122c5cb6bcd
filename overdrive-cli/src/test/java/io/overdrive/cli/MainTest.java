package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the command line says where there is no cluster to talk to. */
class MainTest {
    private final Path directory;

    MainTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private Path csv(String text) throws IOException {
        return Files.writeString(directory.resolve("in.csv"), text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "load",
                "copy",
                "diff",
                "local",
                "demo",
                "local start",
                "local status",
                "local stop",
                "local wipe",
                "bench",
                "bench list"
            })
    void eachCommandHasHelp(String command) {
        Cli help = Cli.run((command + " --help").split(" "));
        assertThat(help.code()).isEqualTo(Main.DONE);
        assertThat(help.out()).contains("Usage: overdrive " + command);
        assertThat(help.err()).isEmpty();
    }

    @Test
    void helpOfLoadGivesDefaultsUnitsAndExamples() {
        assertThat(Cli.run("load", "--help").out().replaceAll("\\s+", " "))
                .contains("Usage: overdrive load [OPTIONS] INPUT… TABLE")
                .contains("Default: LOCAL_QUORUM")
                .contains("Default: 64KB")
                .contains("cat events.jsonl | overdrive load - shop.events --format json");
    }

    @Test
    void withoutACommandItShowsTheHelp() {
        Cli help = Cli.run();
        assertThat(help.code()).isEqualTo(Main.DONE);
        assertThat(help.out()).contains("load", "local", "demo", "Exit codes: 0 done");
    }

    @Test
    void aWrongOptionIsWrongUsage() {
        Cli wrong = Cli.run("load", "a.csv", "ks.t", "--batch-size", "10");
        assertThat(wrong.code()).isEqualTo(Main.USAGE);
        assertThat(wrong.err())
                .contains("overdrive: Unknown option: '--batch-size'")
                .contains("Possible solutions: --batch-bytes, --batch-rows")
                .contains("Try: overdrive load --help")
                .doesNotContain("\tat ", "Examples:");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "laod a.csv ks.t | overdrive: there is no command \"laod\": choose one of load, unload, count, | Try: overdrive --help",
                "load | overdrive: Missing required parameter: 'INPUT… TABLE' | Try: overdrive load --help",
                "local | overdrive: say what to do: start, status, stop or wipe | Try: overdrive local --help",
                "local strat | overdrive: there is no command \"strat\": choose one of start, status, stop, wipe | Try: overdrive local --help",
            })
    void aWrongLineGetsItsMessageAndNotTheWholeHelp(String argumentsAndMessages) {
        String[] parts = argumentsAndMessages.split(" \\| ");
        Cli wrong = Cli.run(parts[0].split(" "));
        assertThat(wrong.code()).isEqualTo(Main.USAGE);
        assertThat(wrong.err()).contains(parts[1], parts[2]).doesNotContain("Usage:");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--batch-bytes=10XB | '10XB' is not a size such as 64KB, 128MB or 1.5GB",
                "--batch-bytes=0 | batchBytes is 0, must be 1 to 16777216",
                "--batch-rows=70k | batchRows is 70000, must be 1 to 65535",
                "--grouping=host | 'host' is not one of partition, replica_set, none",
                "--consistency=SOME | 'SOME' is not one of ANY, ONE",
                "--consistency=SERIAL | consistency is SERIAL",
                "--max-rejects=many | a count such as 100, a share such as 0.5%, or none; got \"many\"",
                "--map=a | \"a\": expected field = column",
                "--quote=ab | --quote is one character, got \"ab\"",
                "--encoding=klingon | --encoding \"klingon\" is not known to Java",
                "--create | --create needs a table and its primary key",
                "--key=id | they need --create",
                "--time-zone=Moon/Crater | --time-zone or --epoch",
                "--ttl=-1 | ttl is -1, must be 0",
            })
    void aWrongValueIsNamedWithTheWayOut(String optionAndMessage) throws IOException {
        String[] parts = optionAndMessage.split(" \\| ");
        Cli wrong = Cli.run("load", csv("id\n1\n").toString(), "ks.t", parts[0]);
        assertThat(wrong.err()).contains(parts[1]).doesNotContain("\tat ");
        assertThat(wrong.code()).isIn(Main.USAGE, Main.FAILED);
        assertThat(wrong.out()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "load in.csv ks.t --format=xml | 'xml' is not one of auto, csv, json",
                "load in.csv ks.t --epoch-unit=s | 's' is not one of nanoseconds, microseconds, milliseconds, seconds",
                "unload ks.t out --format=xml | 'xml' is not one of csv, json",
                "unload ks.t out --blob-encoding=b64 | 'b64' is not one of auto, hex, base64",
                "unload ks.t out --consistency=SOME | 'SOME' is not one of ANY, ONE, TWO",
                "count ks.t --by=rack | 'rack' is not one of range, node, partition",
                "diff ks.a ks.b --write-consistency=SOME | 'SOME' is not one of ANY, ONE, TWO",
                "diff ks.a ks.b --repair=left | overdrive: --repair takes right, which gets what the left table has;"
                        + " got \"left\". To repair the left one, swap the two tables",
            })
    void aWrongChoiceIsToldWhatThereIsToChoose(String commandAndMessage) {
        String[] parts = commandAndMessage.split(" \\| ");
        Cli wrong = Cli.run(parts[0].split(" "));
        assertThat(wrong.err()).contains(parts[1]).doesNotContain("case-insensitive");
        assertThat(wrong.code()).isEqualTo(Main.USAGE);
    }

    @Test
    void aTableNeedsAKeyspace() throws IOException {
        Cli wrong = Cli.run("load", csv("id\n1\n").toString(), "flights");
        assertThat(wrong.code()).isEqualTo(Main.USAGE);
        assertThat(wrong.err()).contains("\"flights\" is not a table: write keyspace.table");
    }

    @Test
    void aMissingFileIsNamed() {
        Cli failed = Cli.run("load", directory.resolve("none.csv").toString(), "ks.t");
        assertThat(failed.code()).isEqualTo(Main.FAILED);
        assertThat(failed.err()).contains("none.csv: no such file").doesNotContain("\tat ");
    }

    @Test
    void thereIsNoOptionThatPutsAPasswordIntoTheProcessList() throws IOException {
        Cli wrong = Cli.run("load", csv("id\n1\n").toString(), "ks.t", "--user", "app", "--password", "secret");
        assertThat(wrong.code()).isEqualTo(Main.USAGE);
    }

    @Test
    void aPasswordFileThatIsNotThereIsNamed() throws IOException {
        Cli failed =
                Cli.run("load", csv("id\n1\n").toString(), "ks.t", "--user", "app", "--password-file", "/no/such/file");
        assertThat(failed.code()).isEqualTo(Main.USAGE);
        assertThat(failed.err()).contains("--password-file /no/such/file: no such file");
    }

    @Test
    void aClusterThatDoesNotAnswerIsNamed() throws IOException {
        // taken, so that nobody else comes to listen there
        try (Socket taken = new Socket()) {
            taken.bind(new InetSocketAddress("127.0.0.1", 0));
            int port = taken.getLocalPort();
            Cli failed = Cli.run("load", csv("id\n1\n").toString(), "ks.t", "--host", "127.0.0.1:" + port);
            assertThat(failed.code()).isEqualTo(Main.FAILED);
            assertThat(failed.err())
                    .contains("overdrive: cannot connect to 127.0.0.1:" + port)
                    .contains("is Cassandra running there")
                    .doesNotContain("\tat ");
        }
    }

    @Test
    void aPasswordFileWithoutAPasswordIsNamed() throws IOException {
        Path empty = Files.writeString(directory.resolve("pw"), "\nsecret\n");
        Cli failed = Cli.run(
                "load", csv("id\n1\n").toString(), "ks.t", "--user", "app", "--password-file", empty.toString());
        assertThat(failed.code()).isEqualTo(Main.USAGE);
        assertThat(failed.err())
                .contains("--password-file " + empty + ": its first line is empty")
                .doesNotContain("secret");
        Cli directoryGiven = Cli.run(
                "load", csv("id\n1\n").toString(), "ks.t", "--user", "app", "--password-file", directory.toString());
        assertThat(directoryGiven.code()).isEqualTo(Main.USAGE);
        assertThat(directoryGiven.err()).contains("--password-file " + directory + ": ");
    }

    @Test
    void aHostThatIsSilentIsNamedWhenTheTimeIsUp() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            Cli failed = loadAsUser("127.0.0.1:" + silent.getLocalPort(), "1");
            assertThat(failed.code()).isEqualTo(Main.FAILED);
            assertThat(failed.err())
                    .startsWith("overdrive: cannot connect to 127.0.0.1:" + silent.getLocalPort())
                    .contains("timed out after 1000 ms")
                    .doesNotContain("secret");
            assertThat(failed.err().lines()).hasSize(1);
            assertThat(failed.out()).isEmpty();
        }
    }

    @Test
    void aHostThatIsNotCassandraIsNamed() throws IOException {
        try (ServerSocket web = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            Thread answers = new Thread(() -> answer(web, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"));
            answers.setDaemon(true);
            answers.start();
            Cli failed = loadAsUser("127.0.0.1:" + web.getLocalPort(), "60");
            assertThat(failed.code()).isEqualTo(Main.FAILED);
            assertThat(failed.err())
                    .startsWith("overdrive: cannot connect to 127.0.0.1:" + web.getLocalPort())
                    .contains("is Cassandra running there")
                    .doesNotContain("secret");
            assertThat(failed.err().lines()).hasSize(1);
        }
    }

    /** Gives everybody the same answer, until the socket is closed. */
    private static void answer(ServerSocket server, String text) {
        try {
            while (true) {
                try (Socket client = server.accept()) {
                    client.getInputStream().read();
                    client.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
                }
            }
        } catch (IOException e) {
            // closed: the test is over
        }
    }

    private Cli loadAsUser(String host, String timeoutSeconds) throws IOException {
        Path password = Files.writeString(directory.resolve("pw"), "secret\n");
        return Cli.run(
                "load",
                csv("id\n1\n").toString(),
                "ks.t",
                "--host",
                host,
                "--connect-timeout",
                timeoutSeconds,
                "--user",
                "app",
                "--password-file",
                password.toString());
    }

    @Test
    void statusWithoutAClusterSaysHowToMakeOne() {
        Cli status = Cli.run("local", "status", "--directory", directory.toString());
        assertThat(status.code()).isEqualTo(Main.FAILED);
        assertThat(status.out()).contains("overdrive local start makes one");
        assertThat(Cli.run("local", "stop", "--directory", directory.toString()).out())
                .contains("nothing ran");
    }
}
