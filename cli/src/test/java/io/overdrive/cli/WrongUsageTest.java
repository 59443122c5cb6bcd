package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** A bad value of any option of any command is wrong usage, and the option is named. */
class WrongUsageTest {
    /** Complete command lines; nothing listens on the port, and IN is a file. */
    private static final Map<String, String> LINES = Map.ofEntries(
            Map.entry("load", "IN ks.t"),
            Map.entry("unload", "ks.t DIR/out"),
            Map.entry("count", "ks.t"),
            Map.entry("splits", "ks.t"),
            Map.entry("profile", "IN"),
            Map.entry("copy", "ks.t ks.u"),
            Map.entry("cql", "SELECT"),
            Map.entry("diff", "ks.t ks.u"),
            Map.entry("verify", "IN ks.t"),
            Map.entry("tune", "ks.t IN"),
            Map.entry("bench", "grouping-order"),
            Map.entry("bench stress", "ks.t --for 1s"),
            Map.entry("local start", "--directory DIR"));

    private static final Map<String, List<String>> BAD_VALUES = Map.ofEntries(
            Map.entry("--cassandra", List.of("3.11", "5", "x")),
            Map.entry("--faults", List.of("", "hang", "hang=0", "slow=x", "melt=1")),
            Map.entry("--foreground", List.of("dance 1", "")),
            Map.entry("--foreground-rate", List.of("0", "x")),
            Map.entry("--batch-bytes", List.of("0", "17MB", "x")),
            Map.entry("--batch-rows", List.of("0", "70k")),
            Map.entry("--blob-encoding", List.of("x")),
            Map.entry("--bundle", List.of("/no/such/file")),
            Map.entry("--by", List.of("rack")),
            Map.entry("--bytes-per-second", List.of("0", "-1")),
            Map.entry("--clock-skew", List.of("-1", "x", "86401")),
            Map.entry("--columns", List.of("", "a,", "a b")),
            Map.entry("--comment", List.of("##", "\"")),
            Map.entry("--compress", List.of("rar")),
            Map.entry("--config", List.of("/no/such/file")),
            Map.entry("--connect-timeout", List.of("0", "-1", "1e9", "99999999999")),
            Map.entry("--consistency", List.of("SOME", "SERIAL")),
            Map.entry("--date-format", List.of("QQQQQQ", "{")),
            Map.entry("--dcs", List.of("0", "x")),
            Map.entry("--decimal", List.of("38", "39,9", "x")),
            Map.entry("--decimal-separator", List.of("5", "ab")),
            Map.entry("--delimiter", List.of("", "\n", "\"")),
            Map.entry("--dialect", List.of("oracle", "")),
            Map.entry("--distribution", List.of("normal")),
            Map.entry("--driver-config", List.of("/no/such/file")),
            Map.entry("--encoding", List.of("klingon", "")),
            Map.entry("--epoch", List.of("yesterday")),
            Map.entry("--epoch-unit", List.of("s")),
            Map.entry("--escape", List.of("\\\\\\", "é")),
            Map.entry("--explain-flow", List.of("/no/such/directory/file")),
            Map.entry("--false-words", List.of("true")),
            Map.entry("--file-bytes", List.of("0", "x", "-1MB")),
            Map.entry("--file-rows", List.of("0", "x")),
            Map.entry("--file", List.of("/no/such/file")),
            Map.entry("--for", List.of("0s", "1d")),
            Map.entry("--format", List.of("xml")),
            Map.entry("--grouping", List.of("host")),
            Map.entry("--grouping-memory", List.of("1", "x")),
            Map.entry("--grouping-separator", List.of("5", ".")),
            Map.entry("--guard", List.of("20ms", "p99=0.05ms", "1x", "1000x", "")),
            Map.entry("--heap-mb", List.of("1", "x")),
            Map.entry("--host", List.of("h:x", "h:0", "h:70000", "")),
            Map.entry("--in-flight", List.of("0", "2M")),
            Map.entry("--in-flight-bytes", List.of("1", "x")),
            Map.entry("--in-flight-control", List.of("x")),
            Map.entry("--in-flight-requests", List.of("0", "40k")),
            Map.entry("--jmx", List.of("h", "h:0", ":7199", "h:x", "")),
            Map.entry("--jmx-password", List.of("x")),
            Map.entry("--jmx-port", List.of("x", "0")),
            Map.entry("--keys", List.of("0")),
            Map.entry("--keys-fields", List.of("a")), // without --keys
            Map.entry("--keys-map", List.of("a")), // without --keys
            Map.entry("--keys-spill-directory", List.of("a")), // without --keys
            Map.entry("--keyspace", List.of("a b", "")),
            Map.entry("--keystore-password", List.of("x")),
            Map.entry("--linger", List.of("0", "x", "-1ms")),
            Map.entry("--log-file", List.of("/no/such/directory/file")),
            Map.entry("--map", List.of("a", "", "* = +a", "b = id, a = now()")),
            Map.entry("--max-attempts", List.of("0", "1001")),
            Map.entry("--max-differences", List.of("0")),
            Map.entry("--max-field-lines", List.of("0", "x")),
            Map.entry("--max-record-bytes", List.of("0", "2GB")),
            Map.entry("--max-records", List.of("-1")),
            Map.entry("--max-rejects", List.of("200%", "many", "-1", "")),
            Map.entry("--metrics-address", List.of("127.0.0.1")), // without a port
            Map.entry("--metrics-file", List.of("/no/such/directory/file.prom")),
            Map.entry("--metrics-port", List.of("-1", "70000", "x")),
            Map.entry("--nodes", List.of("21", "0")),
            Map.entry("--null", List.of("a,,b")),
            Map.entry("--partition-by", List.of("", "a,", "a b")),
            Map.entry("--only", List.of("shuffled", "speed=fast")),
            Map.entry("--from-sstables", List.of("/no/such/directory", "/dev/null")),
            Map.entry("--page-bytes", List.of("1", "65MB")),
            Map.entry("--page-memory", List.of("1")),
            Map.entry("--page-rows", List.of("0", "2M")),
            Map.entry("--password", List.of("x")),
            Map.entry("--password-command", List.of("false", "true")),
            Map.entry("--password-file", List.of("/no/such/file")),
            Map.entry("--port", List.of("-1", "70000", "x")),
            Map.entry("--preset", List.of("huge")),
            Map.entry("--patience", List.of("-1", "x", "NaN", "1e30", "86401")),
            Map.entry("--progress", List.of("xml", "")),
            Map.entry("--quote", List.of("ab", "é")),
            Map.entry("--racks", List.of("0", "x")),
            Map.entry("--rate", List.of("0", "x")),
            Map.entry("--read-consistency", List.of("SERIAL", "ANY")),
            Map.entry("--repair", List.of("left")),
            Map.entry("--repeat", List.of("0", "x")),
            Map.entry("--request-timeout", List.of("0", "-1", "x", "NaN", "1e30")),
            Map.entry("--report", List.of("/no/such/directory/page.html")),
            Map.entry("--rows", List.of("0")),
            Map.entry("--rows-per-partition", List.of("0")),
            Map.entry("--rows-per-second", List.of("0", "-1")),
            Map.entry("--sample", List.of("1", "100%", "0%", "x%", "%", "-1%", "NaN%")),
            Map.entry("--save", List.of("", "a b")),
            Map.entry("--seed", List.of("x")),
            Map.entry("--import-passes", List.of("0", "-1", "257", "x")),
            Map.entry("--simulated", List.of("0", "2001", "x")),
            Map.entry("--set", List.of("a", "", "= 1", "a = ", "a = uper(b)", "a = 'b", "a == 1")),
            Map.entry("--skip-lines", List.of("-1")),
            Map.entry("--skip-records", List.of("-1")),
            Map.entry("--sort-memory", List.of("1", "x")),
            Map.entry("--split-bytes", List.of("0")),
            Map.entry("--splits", List.of("0", "-1", "x", "200k")),
            Map.entry("--splits-in-flight", List.of("0", "5k")),
            Map.entry("--threads", List.of("0", "-1", "x")),
            Map.entry("--time", List.of("5s", "soon")),
            Map.entry("--time-format", List.of("QQQQQQ")),
            Map.entry("--time-zone", List.of("Moon/Crater")),
            Map.entry("--tolerance", List.of("-1", "1", "NaN", "x")),
            Map.entry("--ttl-tolerance", List.of("1", "x", "-1s")),
            Map.entry("--timestamp", List.of("x")),
            Map.entry("--timestamp-format", List.of("QQQQQQ", "{")),
            Map.entry("--sstable-directory", List.of("x")), // without --sstables
            Map.entry("--staging-directory", List.of("x")), // without --sstables
            Map.entry("--peer", List.of("/no/such/directory")),
            Map.entry("--spark-conf", List.of("x")),
            Map.entry("--spark-home", List.of("/no/such/directory")),
            Map.entry("--spark-jar", List.of("/no/such/file")),
            Map.entry("--sidecar", List.of("x", "ftp://{host}", "https://{host}/api", "https://{host}:x")),
            Map.entry("--sidecar-keystore-password", List.of("x")),
            Map.entry("--sidecar-tls-ca", List.of("/no/such/file", "/dev/null")),
            Map.entry("--sidecar-tls-cert", List.of("/no/such/file", "/dev/null")),
            Map.entry("--sidecar-tls-key", List.of("/no/such/file")),
            Map.entry("--sidecar-tls-key-password", List.of("x")),
            Map.entry("--sidecar-tls-keystore", List.of("/no/such/file")),
            Map.entry("--sidecar-tls-password-command", List.of("false")),
            Map.entry("--sidecar-tls-password-file", List.of("/no/such/file")),
            Map.entry("--sidecar-tls-truststore", List.of("/no/such/file")),
            Map.entry("--sidecar-truststore-password", List.of("x")),
            Map.entry("--ssh", List.of("x", "me@10.0.0.1:/d", "{host}:d")),
            Map.entry("--tls-ca", List.of("/no/such/file", "/dev/null")),
            Map.entry("--tls-cert", List.of("/no/such/file", "/dev/null")),
            Map.entry("--tls-key", List.of("/no/such/file")),
            Map.entry("--tls-key-password", List.of("x")),
            Map.entry("--tls-keystore", List.of("/no/such/file")),
            Map.entry("--tls-password-command", List.of("false")),
            Map.entry("--tls-password-file", List.of("/no/such/file")),
            Map.entry("--to-bundle", List.of("/no/such/file")),
            Map.entry("--to-keystore-password", List.of("x")),
            Map.entry("--to-password", List.of("x")),
            Map.entry("--to-password-command", List.of("false")),
            Map.entry("--to-port", List.of("0", "x")),
            Map.entry("--tls-truststore", List.of("/no/such/file")),
            Map.entry("--to-driver-config", List.of("/no/such/file")),
            Map.entry("--to-host", List.of("h:x", "h:0")),
            Map.entry("--to-password-file", List.of("/no/such/file")),
            Map.entry("--to-tls-ca", List.of("/no/such/file")),
            Map.entry("--to-tls-cert", List.of("/no/such/file")),
            Map.entry("--to-tls-key", List.of("/no/such/file")),
            Map.entry("--to-tls-key-password", List.of("x")),
            Map.entry("--to-tls-password-command", List.of("false")),
            Map.entry("--to-tls-password-file", List.of("/no/such/file")),
            Map.entry("--to-truststore-password", List.of("x")),
            Map.entry("--to-wire-compression", List.of("zip")),
            Map.entry("--to-tls-keystore", List.of("/no/such/file")),
            Map.entry("--to-tls-truststore", List.of("/no/such/file")),
            Map.entry(
                    "--token-range",
                    List.of(
                            "",
                            "5",
                            "x,y",
                            "5,5",
                            "1,2,3",
                            "0,9223372036854775808",
                            "0,1:",
                            "0,1:2",
                            "1,-9223372036854775808:x")),
            Map.entry("--tokens", List.of("0", "x")),
            Map.entry("--top", List.of("0", "x")),
            Map.entry("--truststore-password", List.of("x")),
            Map.entry("--true-words", List.of("false")),
            Map.entry("--ttl", List.of("-1", "700000000", "x")),
            Map.entry("--value-bytes", List.of("0", "9MB")),
            Map.entry("--wire-compression", List.of("zip")),
            Map.entry("--workload", List.of("dance 1", "", "write 0")),
            Map.entry("--write-consistency", List.of("SOME", "SERIAL")),
            Map.entry("--written-after", List.of("", "-2h", "2026-01-31T18:00", "2999-01-31T18:00Z", "1700000000")));

    /** Options whose values only the cluster or the input can show to be bad, and options that take any text. */
    private static final Set<String> NOT_CHECKED_BEFORE = Set.of(
            "--dc",
            "--dc-failover",
            "--directory",
            "--except",
            "--fields",
            "--histogram",
            "--jmx-password-command",
            "--jmx-password-file",
            "--jmx-user",
            "--key",
            "--out",
            "--profile",
            "--query",
            "--recheck",
            "--rejects",
            "--resume-run",
            "--spill-directory",
            "--sql",
            "--to-dc",
            "--to-dc-failover",
            "--to-user",
            "--types",
            "--user",
            "--where");

    /** Only looked at: to make it takes longer than anything else here. */
    private static final CommandLine ROOT = Main.commandLine();

    private final Path directory;

    WrongUsageTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private static CommandLine command(String words) {
        CommandLine command = ROOT;
        for (String word : words.split(" ")) {
            command = Objects.requireNonNull(command.getSubcommands().get(word), word);
        }
        return command;
    }

    /** All bad values of an option with one command, and one of them with each other that has it. */
    private static Stream<List<String>> commandsOptionsAndValues() {
        Set<String> seen = new HashSet<>();
        List<List<String>> all = new ArrayList<>();
        for (String words : new TreeSet<>(LINES.keySet())) {
            for (OptionSpec option : command(words).getCommandSpec().options()) {
                List<String> bad = BAD_VALUES.getOrDefault(option.longestName(), List.of());
                boolean isKnown = !seen.add(option.longestName());
                for (String value : isKnown ? bad.subList(0, Math.min(1, bad.size())) : bad) {
                    all.add(List.of(words, option.longestName(), value));
                }
            }
        }
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("commandsOptionsAndValues")
    void aBadValueIsWrongUsageAndTheOptionIsNamed(List<String> line) throws IOException {
        String words = line.get(0);
        String option = line.get(1);
        Path in = Files.writeString(directory.resolve("in.csv"), "id\n1\n");
        List<String> arguments = new ArrayList<>(List.of(words.split(" ")));
        for (String argument : Objects.requireNonNull(LINES.get(words)).split(" ")) {
            arguments.add(argument.replace("IN", in.toString()).replace("DIR", directory.toString()));
        }
        arguments.add(option + "=" + line.get(2));
        if (command(words).getCommandSpec().findOption("--host") != null
                && !words.equals("profile") // of a file, which needs no cluster
                && !List.of("--host", "--bundle").contains(option)) {
            arguments.add("--host=127.0.0.1:1");
        }
        option(option, "--password-file", "--user=app", arguments);
        option(option, "--password-command", "--user=app", arguments);
        option(option, "--to-password-file", "--to-user=app", arguments);
        option(option, "--to-password-command", "--to-user=app", arguments);
        option(option, "--foreground-rate", "--foreground=write 1", arguments);
        option(option, "--clock-skew", "--keep-times", arguments);
        option(option, "--decimal", "--format=arrow", arguments);
        option(option, "--partition-by", "--format=arrow", arguments);
        option(option, "--jmx", "--sstables", arguments);
        option(option, "--ssh", "--sstables", arguments);
        if (option.startsWith("--sidecar")) {
            arguments.add("--sstables");
            if (!option.equals("--sidecar")) {
                arguments.add("--sidecar=https://{host}:9043");
            }
        }
        option(option, "--peer", "spark-grouping-order", arguments);
        option(option, "--spark-home", "spark-grouping-order", arguments);
        option(option, "--spark-jar", "spark-grouping-order", arguments);
        if (option.startsWith("--to-") && !List.of("--to-host", "--to-bundle").contains(option)) {
            arguments.add("--to-host=127.0.0.1:1");
        }
        Cli wrong = Cli.run(arguments.toArray(String[]::new));
        assertThat(wrong.code()).as("%s %s", line, wrong.err()).isEqualTo(Main.USAGE);
        assertThat(wrong.err())
                .startsWith("overdrive: ")
                .containsPattern(option + "(?![\\w-])")
                .contains("Try: overdrive " + words + " --help")
                .doesNotContain("\tat ");
        assertThat(wrong.out()).isEmpty();
    }

    @Test
    void numbersAreNamedAsSuch() {
        assertThat(Cli.run("load", "a.csv", "ks.t", "--ttl", "1h").err())
                .startsWith("overdrive: Invalid value for option '--ttl': '1h' is not a whole number\n");
        assertThat(Cli.run("load", "a.csv", "ks.t", "--ttl", "99999999999999999999")
                        .err())
                .contains("'99999999999999999999' is not within -9223372036854775807 and 9223372036854775807");
    }

    private static void option(String given, String option, String needed, List<String> arguments) {
        if (given.equals(option)) {
            arguments.add(needed);
        }
    }

    @Test
    void eachOptionWithAValueIsTriedOrListedAsNotChecked() {
        Set<String> options = new TreeSet<>();
        for (String words : LINES.keySet()) {
            for (OptionSpec option : command(words).getCommandSpec().options()) {
                if (option.arity().max() > 0) {
                    options.add(option.longestName());
                }
            }
        }
        Set<String> known = new TreeSet<>(BAD_VALUES.keySet());
        known.addAll(NOT_CHECKED_BEFORE);
        assertThat(options).isEqualTo(known);
    }
}
