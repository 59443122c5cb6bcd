package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.cli.options.Choices;
import io.overdrive.local.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The life of a local cluster, from the command line; it has a separate directory. */
class LocalIT {
    private static final Pattern ANSWERS = Pattern.compile("Cassandra answers at (127\\.\\S+:[0-9]+) \\([0-9.]+ s\\)\n"
            + "connect with --host \\1; end it with: overdrive local stop --directory (\\S+)\n");
    private static final Pattern UP =
            Pattern.compile("node1 +dc1 +(127\\.\\S+:[0-9]+) +up +pid ([0-9]+), JMX 127\\.0\\.0\\.1:[0-9]+\n");

    private final Path directory;

    LocalIT(@TempDir Path directory) {
        this.directory = directory;
    }

    @AfterEach
    void wipe() {
        LocalCluster.wipe(directory);
    }

    private Cli local(String... arguments) {
        return Cli.run(
                Stream.of(Stream.of("local"), Stream.of(arguments), Stream.of("--directory", directory.toString()))
                        .flatMap(each -> each)
                        .toArray(String[]::new));
    }

    private static Matcher matches(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        assertThat(matcher.matches()).as("%s matches %s", text, pattern).isTrue();
        return matcher;
    }

    @Test
    void aClusterIsStartedFoundStoppedAndWiped() throws IOException {
        Cli start = local("start", "--port", "0", "--heap-mb", "256");
        assertThat(start.code()).as(start.err()).isEqualTo(Main.DONE);
        assertThat(start.err()).contains("starting 1 node of Cassandra 5.0.", " in " + directory);
        Matcher answer = matches(ANSWERS, start.out());
        assertThat(answer.group(2)).isEqualTo(directory.toString());

        Cli status = local("status");
        assertThat(status.code()).isEqualTo(Main.DONE);
        Matcher up = matches(UP, status.out());
        assertThat(up.group(1)).isEqualTo(answer.group(1));
        long pid = Long.parseLong(up.group(2));
        assertThat(pidsOfNodes()).containsExactly(pid);

        Cli again = local("start"); // options that are not given stay as they are
        assertThat(again.code()).as(again.err()).isEqualTo(Main.DONE);
        assertThat(again.err()).doesNotContain("starting");
        assertThat(matches(ANSWERS, again.out()).group(1)).isEqualTo(answer.group(1));
        assertThat(pidsOfNodes()).containsExactly(pid);

        Cli other = local("start", "--port", "0", "--heap-mb", "300");
        assertThat(other.code()).isEqualTo(Main.USAGE);
        int port = Integer.parseInt(answer.group(1).split(":")[1]);
        assertThat(other.err())
                .startsWith("overdrive: the cluster in " + directory
                        + " has 1 node of Cassandra 5.0, 256 MB of heap a node, and runs at"
                        + " port " + port
                        + ", which does not match --heap-mb 300: end it first with: overdrive local stop"
                        + " --directory " + directory
                        + ", or start another one next to it with --directory DIR --port PORT\n");
        Cli older = local("start", "--cassandra", "4.1");
        assertThat(older.code()).isEqualTo(Main.USAGE);
        assertThat(older.err()).contains("which does not match --cassandra 4.1: delete it with: overdrive local wipe");
        Cli more = local("start", "--nodes", "3");
        assertThat(more.code()).isEqualTo(Main.USAGE);
        assertThat(more.err())
                .contains("which does not match --nodes 3: delete it with: overdrive local wipe --directory ");
        assertThat(local("status", "--port", String.valueOf(port)).code()).isEqualTo(Main.DONE);
        Cli wrongPort = local("stop", "--port", "1");
        assertThat(wrongPort.code()).isEqualTo(Main.USAGE);
        assertThat(wrongPort.err()).contains("--port is 1, but the cluster in " + directory + " has port " + port);

        Cli stop = local("stop");
        assertThat(stop.code()).isEqualTo(Main.DONE);
        assertThat(stop.out()).isEqualTo("1 node ended\n");
        assertThat(pidsOfNodes()).isEmpty();
        assertThat(local("stop").out()).isEqualTo("nothing ran\n");
        Cli stopped = local("status");
        assertThat(stopped.code()).isEqualTo(Main.FAILED);
        assertThat(stopped.out()).matches("node1 +dc1 +127\\.\\S+:[0-9]+ +stopped\n");
        commandsSayThatTheNodeHasEnded(answer.group(1));

        Cli wipe = local("wipe");
        assertThat(wipe.code()).isEqualTo(Main.DONE);
        assertThat(wipe.out()).isEqualTo("the local cluster is deleted\n");
        assertThat(files()).as("what is left").isSubsetOf(".lock");
        Cli none = local("status");
        assertThat(none.code()).isEqualTo(Main.FAILED);
        assertThat(none.out()).startsWith("there is no local cluster");
    }

    private void commandsSayThatTheNodeHasEnded(String address) throws IOException {
        String start = "the local node1 at " + address + " does not run";
        assertThat(explained("count", "a.b", "--host", address)).contains(start + "; start it: overdrive local start");
        Files.writeString(
                directory.resolve("node1/logs/console.log"),
                "Terminating due to java.lang.OutOfMemoryError: Java heap space\n");
        String why = start + ": its log ends with \"Terminating due to java.lang.OutOfMemoryError: Java heap space\";"
                + " start it with more memory: overdrive local start --heap-mb 512";
        assertThat(explained("count", "a.b", "--host", address)).contains(why);
        assertThat(explained("load", "f.csv", "a.b", "--local")).contains(why);
        assertThat(explained("count", "a.b", "--host", "127.0.0.9,10.0.0.1:9042"))
                .isEmpty();
        assertThat(explained("local", "status")).isEmpty();
        assertThat(explained("resume", "20260131-134500-abcd", "--host", address))
                .as("the command that continues explains it")
                .isEmpty();
    }

    private Optional<String> explained(String... arguments) {
        CommandLine command = Main.commandLine();
        Choices.register(command);
        return EndedNode.explain(command.parseArgs(arguments), directory);
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    /** The processes whose command line names our directory. */
    private List<Long> pidsOfNodes() {
        return ProcessHandle.allProcesses()
                .filter(process -> process.info()
                        .commandLine()
                        .filter(line -> line.contains(directory.toString()))
                        .isPresent())
                .map(ProcessHandle::pid)
                .toList();
    }
}
