package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.DriverTimeoutException;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.flow.JavaHeap;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** The command line without a cluster. */
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
                "verify",
                "splits",
                "cql",
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

    @ParameterizedTest
    @ValueSource(strings = {"config", "demo", "laod", ""})
    void commandsThatNeedOthersHaveThem(String first) {
        assertThat(Main.commandsFor(first)).contains(LoadCommand.class, CountCommand.class);
    }

    @Test
    void keepsAConnectionForEachObjectThatIsReadAheadUnlessTheUserHasChosen() {
        assertThat(System.getProperty(Main.IDLE_CONNECTIONS)).isNull();
        try {
            Main.keepConnections();
            assertThat(System.getProperty(Main.IDLE_CONNECTIONS)).isEqualTo("16");
            System.setProperty(Main.IDLE_CONNECTIONS, "3");
            Main.keepConnections();
            assertThat(System.getProperty(Main.IDLE_CONNECTIONS)).isEqualTo("3");
        } finally {
            System.clearProperty(Main.IDLE_CONNECTIONS);
        }
    }

    @Test
    void withoutACommandItShowsTheHelp() {
        Cli help = Cli.run();
        assertThat(help.code()).isEqualTo(Main.DONE);
        assertThat(help.out()).contains("load", "local", "demo", "Exit codes: 0 done");
    }

    @Test
    void failuresThatNoCommandExpectsAreMessages() throws Exception {
        assertThat(failed(new DriverTimeoutException("Query timed out after PT30S")))
                .isEqualTo("overdrive: no node has answered: Query timed out after PT30S; are the nodes up?\n");
        String heap = "a Java heap of " + (Runtime.getRuntime().maxMemory() >> 20) + " MiB is too small";
        String remedy = ": " + JavaHeap.REMEDY + "\n";
        OutOfMemoryError noMemory = new OutOfMemoryError("Java heap space");
        assertThat(failed(new OverdriveException(Kind.CONNECT, "the schema cannot be read: " + noMemory, noMemory)))
                .isEqualTo("overdrive: the schema cannot be read: " + noMemory + "; " + heap + remedy);
        assertThat(failed(new IllegalStateException(JavaHeap.tooSmallFor("these rows"), noMemory)))
                .isEqualTo("overdrive: " + heap + " for these rows" + remedy);
        assertThat(failed(new IllegalStateException("", noMemory))).isEqualTo("overdrive: " + heap + remedy);
    }

    private static String failed(Exception e) throws Exception {
        StringWriter err = new StringWriter();
        CommandLine command = Main.commandLine().setErr(new PrintWriter(err, /* autoFlush */ true));
        assertThat(Main.failed(e, command)).isEqualTo(Main.FAILED);
        return err.toString();
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
                "load a.csv ks.t --gaurd 1.5x | Did you mean: --guard?",
                "load a.csv ks.t --gaurd=1.5x | Did you mean: --guard?",
                "load a.csv ks.t -guard 1.5x | Did you mean: --guard?",
                "unload ks.t out --Page-Byte=1MB --pagerows=7 | Did you mean: --page-bytes or --page-rows?",
                "bench list --verbos | Did you mean: --verbose?",
                "load a.csv ks.t --batch-siz=10 | Possible solutions: --batch-bytes, --batch-rows",
                "load a.csv ks.t --frobnicate | Unknown option: '--frobnicate'",
            })
    void aMistypedOptionGetsTheClosestOnes(String argumentsAndMessage) {
        String[] parts = argumentsAndMessage.split(" \\| ");
        Cli wrong = Cli.run(parts[0].split(" "));
        assertThat(wrong.code()).isEqualTo(Main.USAGE);
        assertThat(wrong.err().lines()).contains(parts[1].startsWith("Un") ? "overdrive: " + parts[1] : parts[1]);
        assertThat(wrong.err().contains("Did you mean")).isEqualTo(parts[1].startsWith("Did you mean"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "version | Did you mean: --version?",
                "laod a.csv ks.t | Did you mean: load?",
                "unlaod ks.t out | Did you mean: unload?",
                "local strat | Did you mean: start?",
                "runs list | ",
                "completion | ",
            })
    void aMistypedCommandGetsTheClosestOnesAndOptions(String argumentsAndMessage) {
        String[] parts = argumentsAndMessage.split(" \\| ?", -1);
        Cli wrong = Cli.run(parts[0].split(" "));
        assertThat(wrong.code()).isEqualTo(Main.USAGE);
        assertThat(wrong.err().lines().filter(line -> line.startsWith("Did you mean")))
                .containsExactlyElementsOf(parts[1].isEmpty() ? List.of() : List.of(parts[1]));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "laod a.csv ks.t | overdrive: there is no command \"laod\": choose one of load, unload, count, | Try:"
                        + " overdrive --help",
                "load | overdrive: Missing required parameter: 'INPUT… TABLE' | Try: overdrive load --help",
                "local | overdrive: say what to do: start, status, stop or wipe | Try: overdrive local --help",
                "local strat | overdrive: there is no command \"strat\": choose one of start, status, stop, wipe |"
                        + " Try: overdrive local --help",
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
                "--batch-bytes=0 | overdrive: --batch-bytes is 0, must be 1 to 16777216",
                "--batch-rows=70k | overdrive: --batch-rows is 70000, must be 1 to 65535",
                "--grouping=host | 'host' is not one of partition, replica_set, none",
                "--consistency=SOME | 'SOME' is not one of ANY, ONE",
                "--consistency=SERIAL | overdrive: --consistency is SERIAL",
                "--max-rejects=many | --max-rejects is \"many\", must be a count such as 100, a share such as 0.5%, or"
                        + " none",
                "--map=a | --map \"a\": \"a\": expected field = column",
                "--quote=ab | --quote is one character, got \"ab\"",
                "--encoding=klingon | --encoding is \"klingon\", must be an encoding that Java knows",
                "--create | --create needs --key, the columns that together identify a row: --key id, or --key"
                        + " \"(host, day), time\" for rows that are grouped by host and day and sorted by time; the"
                        + " columns to choose from are id\n",
                "--key=id | they need --create",
                "--time-zone=Moon/Crater | --time-zone \"Moon/Crater\" is not a time zone: write Europe/Berlin, UTC or"
                        + " +01:00",
                "--epoch=1904 | --epoch \"1904\" is not a time: write it as 2000-01-01T00:00:00Z",
                "--date-format=excell | --date-format \"excell\" is not a pattern such as dd.MM.yyyy or HH:mm:ss: did you mean"
                        + " \"excel\"?",
                "--date-format=QQQQQQ | --date-format \"QQQQQQ\" is not a pattern such as dd.MM.yyyy or HH:mm:ss: Too"
                        + " many pattern letters: Q",
                "--timestamp=1608834600 | --timestamp counts microseconds, and 1608834600 looks like seconds: give"
                        + " 1608834600000000",
                "--timestamp=1608834600000 | looks like milliseconds: give 1608834600000000",
                "--timestamp=1608834600000000000 | looks like nanoseconds: give 1608834600000000",
                "--threads=0 | overdrive: --threads is 0, must be 1 to 2147483647",
                "--fields=a,b | --fields has no effect without --no-header",
                "--query=x | with --query there is no table: leave out ks.t",
                "--ttl=-1 | overdrive: --ttl is -1, must be 0",
            })
    void aWrongValueIsNamedWithTheWayOut(String optionAndMessage) throws IOException {
        String[] parts = optionAndMessage.split(" \\| ");
        Cli wrong = Cli.run("load", csv("id\n1\n").toString(), "ks.t", parts[0]);
        assertThat(wrong.err()).contains(parts[1]).doesNotContain("\tat ");
        assertThat(wrong.code()).isEqualTo(Main.USAGE);
        assertThat(wrong.out()).isEmpty();
    }

    /** All options of files: those for CSV or JSON only are refused where they would have no effect, and no others. */
    @Test
    void optionsThatHaveNoEffectOnTheKindOfFileAreRefused() throws IOException {
        String jsonFile = Files.writeString(directory.resolve("x.jsonl"), "{}").toString();
        Set<String> load = Set.of(
                "--no-header",
                "--delimiter",
                "--quote",
                "--escape",
                "--dialect",
                "--empty-text",
                "--comment",
                "--max-field-lines",
                "--fields",
                "--trim",
                "--allow-missing-fields");
        String csvFile = csv("id\n1\n").toString();
        assertThat(refused(new LoadCommand(), Set.of("--json-text"), "load", csvFile, "ks.t"))
                .isEqualTo(Set.of("--json-text"));
        assertThat(refused(new LoadCommand(), load, "load", jsonFile, "ks.t")).isEqualTo(load);
        Set<String> unload = Set.of("--no-header", "--delimiter", "--quote", "--escape", "--dialect", "--null");
        assertThat(refused(new UnloadCommand(), unload, "unload", "ks.t", "x.jsonl"))
                .isEqualTo(unload);
        assertThat(refused(new UnloadCommand(), Set.of("--write-nulls"), "unload", "ks.t", "x.csv"))
                .isEqualTo(Set.of("--write-nulls"));
        Set<String> all = new TreeSet<>(unload);
        all.add("--write-nulls");
        assertThat(refused(new UnloadCommand(), all, "unload", "ks.t", "x.arrow"))
                .isEqualTo(all);
        assertThat(Cli.run("unload", "ks.t", "x.csv", "--decimal", "38,9").err())
                .contains("--decimal is for Arrow and Parquet, and has no effect on CSV");
        assertThat(Cli.run("unload", "ks.t", "-", "--format", "arrow", "--date-format", "yyyy")
                        .err())
                .contains("--date-format is for CSV and JSON, and has no effect on Arrow");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x.arrow --decimal 38 | --decimal is \"38\", must be the number of digits, and how many of them",
                "x.arrow --decimal 39,9 | --decimal is 39,9, must be the number of digits, from 1 to 38",
                "x.arrow --compress gzip | --compress is gzip, must be lz4, zstd or none for Arrow",
                "x.arrow.zst | the output is x.arrow.zst, but files of Arrow are not compressed as a whole",
                "x.parquet --compress bzip2 | --compress is bzip2, must be zstd, snappy, gzip, lz4 or none for Parquet",
                "x.parquet.gz | the output is x.parquet.gz, but files of Parquet are not compressed as a whole",
                "- --format parquet | Parquet is written to files only, as its end says where its rows are"
            })
    void wrongOptionsOfColumnarFormatsAreRefused(String optionsAndMessage) {
        String[] parts = optionsAndMessage.split(" \\| ");
        List<String> line = new ArrayList<>(List.of("unload", "ks.t"));
        line.addAll(List.of(parts[0].split(" ")));
        Cli wrong = Cli.run(line.toArray(String[]::new));
        assertThat(wrong.err()).contains(parts[1]).doesNotContain("\tat ");
        assertThat(wrong.code()).isEqualTo(Main.USAGE);
    }

    /** The options of a command that are refused for the kind of file; those not expected to be are only parsed. */
    private static Set<String> refused(Object command, Set<String> expected, String... line) {
        Set<String> refused = new TreeSet<>();
        for (OptionSpec option : new CommandLine(command).getCommandSpec().options()) {
            String name = option.longestName();
            boolean forOneKind = String.join(" ", option.description()).matches("(CSV|JSON)(, \\w+)*:.*");
            assertThat(forOneKind || !expected.contains(name)).as(name).isTrue();
            if (forOneKind) {
                List<String> arguments = new ArrayList<>(List.of(line));
                String value = option.type().isEnum()
                        ? "=" + option.type().getEnumConstants()[0]
                        : option.type() == Long.class ? "=1" : "=|";
                arguments.add(option.arity().max() == 0 ? name : name + value);
                // options that are not refused for the kind of file end here, without a cluster
                arguments.add(line[0].equals("load") ? "--batch-rows=0" : "--page-rows=0");
                if (name.equals("--fields")) { // which needs it
                    arguments.add("--no-header");
                }
                Cli run = Cli.run(arguments.toArray(String[]::new));
                assertThat(run.code()).as(run.err()).isEqualTo(Main.USAGE);
                if (run.err().contains(name + " is for ")) {
                    refused.add(name);
                } else {
                    assertThat(run.err()).contains("-rows is 0, must be");
                }
            }
        }
        return refused;
    }

    @Test
    void optionsThatHaveNoEffectWithoutOrBesideAnotherAreRefused() throws IOException {
        Cli zone = Cli.run("unload", "ks.t", "x.csv", "--time-zone", "Europe/Berlin");
        assertThat(zone.err()).startsWith("overdrive: --time-zone has no effect without --timestamp-format\n");
        Cli unit = Cli.run(
                "load", csv("id\n").toString(), "ks.t", "--epoch-unit", "seconds", "--timestamp-format", "yyyy");
        assertThat(unit.err()).startsWith("overdrive: --epoch-unit has no effect with --timestamp-format\n");
        assertThat(List.of(zone.code(), unit.code())).containsOnly(Main.USAGE);
    }

    /** A path made of one would be a directory of this machine that nobody expects. */
    @Test
    void urlsOfNoObjectStoreAreNoOutputs() {
        Cli url = Cli.run("unload", "ks.t", "file:///tmp/out");
        assertThat(url.code()).isNotZero();
        assertThat(url.err())
                .startsWith(
                        "overdrive: file:///tmp/out: nothing here reads or writes URLs of file: name a file or a directory"
                                + " of this machine, an object store by s3://bucket/key, gs://bucket/key or"
                                + " abfss://container@account.dfs.core.windows.net/key, or a file of a web server by"
                                + " https://host/path\n");
    }

    @Test
    void helpBeforeACommandIsItsHelp() {
        for (String command : List.of("", "load", "bench stress")) {
            Cli help = Cli.run(("help " + command).strip().split(" "));
            Cli option = Cli.run((command + " --help").strip().split(" "));
            assertThat(help.code()).isZero();
            assertThat(help.out()).isEqualTo(option.out()).startsWith("Usage: overdrive " + command);
        }
    }

    /** Otherwise a directory of this name would get CSV. */
    @ParameterizedTest
    @ValueSource(
            strings = {"rows.orc", "rows.avro", "rows.avro.gz", "rows.xlsx", "rows.csv.zip", "rows.csv.Z", "rows.gz"})
    void filesOfOtherFormatsAreNoOutputs(String name) {
        Cli other = Cli.run("unload", "ks.t", name);
        assertThat(other.code()).isEqualTo(Main.USAGE);
        assertThat(other.err())
                .startsWith("overdrive: the output is " + name + ", but ")
                .contains(
                        ". Name a file such as rows.csv.gz, rows.jsonl, rows.arrow or rows.parquet, or a directory as "
                                + name + "/\n");
    }

    /** Each command and way of working, with the options that are about another way. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "load IN ks.t --sstables | --guard=2x --explain-flow=x --resume --resume-if-any --rows-per-second=9"
                        + " --bytes-per-second=9 --consistency=ALL --request-timeout=9 --max-attempts=9 --grouping=none"
                        + " --batch-bytes=9 --batch-rows=9 --linger=9 --in-flight-control=fixed --in-flight-requests=9"
                        + " --in-flight-bytes=9MB",
                "copy ks.t ks.u --sstables | --resume --resume-if-any --rows-per-second=9 --bytes-per-second=9"
                        + " --consistency=ALL --request-timeout=9 --max-attempts=9 --grouping=none --batch-bytes=9"
                        + " --batch-rows=9 --linger=9 --in-flight-control=fixed --in-flight-requests=9"
                        + " --in-flight-bytes=9MB",
                "copy ks.t ks.u --sstables --from-sstables=DIR | --guard=2x --explain-flow=x",
                "copy ks.t ks.u --from-sstables=DIR | --read-consistency=ALL --splits-in-flight=9 --page-bytes=9KB"
                        + " --where=x --resume --resume-if-any",
                "unload ks.t out --from-sstables=DIR | --guard=2x --explain-flow=x --consistency=ALL --where=x"
                        + " --query=x --split-bytes=9 --splits-in-flight=9 --in-flight-control=fixed --page-bytes=9KB"
                        + " --page-rows=9 --page-memory=9MB --request-timeout=9 --max-attempts=9 --resume --resume-if-any",
                "unload ks.t - | --resume --resume-if-any --file-rows=9 --file-bytes=9MB",
                "unload ks.t out.csv | --file-rows=9 --file-bytes=9MB",
                "count ks.t --from-sstables=DIR | --guard=2x --explain-flow=x --consistency=ALL --where=x"
                        + " --split-bytes=9 --splits-in-flight=9 --resume --resume-if-any",
                "count ks.t | --top=9",
                "profile IN | --host=h --local --dc=x --guard=2x --explain-flow=x --where=x --splits-in-flight=9"
                        + " --consistency=ALL --from-sstables=DIR",
                "profile ks.t | --key=a --types=x --map=x --fields=a --no-header --skip-lines=1 --null=x",
                "profile ks.t --from-sstables=DIR | --guard=2x --where=x --consistency=ALL",
                "count ks.t --by=range | --top=9",
                "diff ks.t ks.u | --write-consistency=ALL --keep-times",
                "diff ks.t ks.u --from-sstables=DIR | --where=x --resume --resume-if-any",
                "load IN ks.t | --jmx=h:1 --ssh=x --sidecar=x --sstable-directory=x --staging-directory=x --jmx-user=x"
                        + " --import-passes=9"
                        + " --key=id --types=x",
                "load IN --query=x | --create --ttl=9 --timestamp=9",
            })
    void optionsWithoutEffectOnAWayOfWorkingAreRefused(String lineAndOptions) throws IOException {
        String[] parts = lineAndOptions
                .replace("IN", csv("id\n").toString())
                .replace("DIR", directory.toString())
                .split(" \\| ");
        for (String option : parts[1].split(" ")) {
            Cli wrong = Cli.run((parts[0] + " " + option).split(" "));
            assertThat(wrong.code())
                    .as("%s %s: %s", parts[0], option, wrong.err())
                    .isEqualTo(Main.USAGE);
            assertThat(wrong.err()).contains(option.replaceFirst("=.*", ""));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "load in.csv ks.t --format=xml | 'xml' is not one of auto, csv, json",
                "load in.csv ks.t --epoch-unit=s | 's' is not one of nanoseconds, microseconds, milliseconds, seconds",
                "unload ks.t out --format=xml | 'xml' is not one of csv, json",
                "load a.csv ks.t --blob-encoding=b64 | 'b64' is not one of auto, hex, base64",
                "unload ks.t out --blob-encoding=b64 | 'b64' is not one of hex, base64",
                "unload ks.t out --blob-encoding=auto | 'auto' is not one of hex, base64",
                "unload ks.t out --consistency=SOME | 'SOME' is not one of ANY, ONE, TWO",
                "count ks.t --by=rack | 'rack' is not one of range, node, partition",
                "diff ks.a ks.b --write-consistency=SOME | 'SOME' is not one of ANY, ONE, TWO",
                "diff ks.a ks.b --repair=left | overdrive: --repair is \"left\", must be missing, different or extra,"
                        + " or several of them with commas: the right table is made equal to the left one; to repair the left one, swap the"
                        + " two tables",
            })
    void aWrongChoiceGetsTheListOfChoices(String commandAndMessage) {
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
    void aMissingPasswordFileIsNamed() throws IOException {
        Cli failed =
                Cli.run("load", csv("id\n1\n").toString(), "ks.t", "--user", "app", "--password-file", "/no/such/file");
        assertThat(failed.code()).isEqualTo(Main.USAGE);
        assertThat(failed.err()).contains("--password-file /no/such/file: no such file");
    }

    @Test
    void aClusterThatDoesNotAnswerIsNamed() throws IOException {
        // taken, so that no other program can listen there
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
    void aSilentHostIsNamedAfterTheTimeout() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            Cli failed = loadAsUser("127.0.0.1:" + silent.getLocalPort(), "1");
            assertThat(failed.code()).isEqualTo(Main.FAILED);
            assertThat(failed.err())
                    .startsWith("overdrive: cannot connect to 127.0.0.1:" + silent.getLocalPort())
                    .contains(": it takes connections, and has not answered within 1.0 s (")
                    .doesNotContain("secret");
            assertThat(failed.err().lines()).hasSize(1);
            assertThat(failed.out()).isEmpty();
        }
    }

    @Test
    void aHostThatIsNotCassandraIsNamed() throws IOException {
        failsToConnect(
                "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n",
                ": the other side has closed the connection (is Cassandra running there");
        failsToConnect(
                "\0".repeat(100),
                ": what answers there is not Cassandra (its port for CQL is native_transport_port in cassandra.yaml,");
    }

    private void failsToConnect(String answer, String why) throws IOException {
        try (ServerSocket other = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            Thread answers = new Thread(() -> answer(other, answer));
            answers.setDaemon(true);
            answers.start();
            Cli failed = loadAsUser("127.0.0.1:" + other.getLocalPort(), "60");
            assertThat(failed.code()).isEqualTo(Main.FAILED);
            assertThat(failed.err())
                    .startsWith("overdrive: cannot connect to 127.0.0.1:" + other.getLocalPort() + why)
                    .doesNotContain("secret");
            assertThat(failed.err().lines()).hasSize(1);
        }
    }

    /** Gives all clients the same answer, until the socket is closed. */
    private static void answer(ServerSocket server, String text) {
        try {
            while (true) {
                try (Socket client = server.accept()) {
                    client.getInputStream().read();
                    client.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
                    client.shutdownOutput();
                    client.getInputStream().readAllBytes(); // if it were closed now, the answer could be lost
                }
            }
        } catch (IOException e) {
            // closed: the test is over
        }
    }

    private Cli loadAsUser(String host, String timeoutSeconds) throws IOException {
        Path password = Files.writeString(directory.resolve("pw"), "secret\n");
        Files.setPosixFilePermissions(password, PosixFilePermissions.fromString("rw-------"));
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
    void statusWithoutAClusterSaysHowToStartOne() {
        Cli status = Cli.run("local", "status", "--directory", directory.toString());
        assertThat(status.code()).isEqualTo(Main.FAILED);
        assertThat(status.out()).contains("start one with: overdrive local start");
        assertThat(Cli.run("local", "stop", "--directory", directory.toString()).out())
                .contains("nothing ran");
    }
}
