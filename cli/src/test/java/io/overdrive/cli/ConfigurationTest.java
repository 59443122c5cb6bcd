package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.cli.config.Configuration;
import io.overdrive.cli.config.Given;
import io.overdrive.cli.config.Given.Level;
import io.overdrive.cli.config.OptionModel;
import io.overdrive.cli.options.Choices;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Options from the configuration file and from the environment; no command here reaches a cluster. */
class ConfigurationTest {
    private final Path directory;
    private final Path file;
    private final Map<String, String> environment = new HashMap<>();

    ConfigurationTest(@TempDir Path directory) {
        this.directory = directory;
        this.file = directory.resolve("config.toml");
        environment.put("OVERDRIVE_CONFIG", file.toString());
        environment.put("HOME", directory.toString());
    }

    private void write(String... lines) throws IOException {
        Files.write(file, List.of(lines));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private CommandLine root() {
        CommandLine root = Main.commandLine();
        Choices.register(root);
        Configuration.register(root, root::getCommandSpec, environment, /* isResumed */ false);
        return root.setExpandAtFiles(false);
    }

    /** The command of a line, parsed. */
    private ParseResult parse(String... line) {
        ParseResult result = root().parseArgs(line);
        while (result.hasSubcommand()) {
            result = result.subcommand();
        }
        return result;
    }

    private Cli run(String... line) {
        return Cli.run(environment, line);
    }

    static Stream<String> commands() {
        return OptionModel.commands(Main.commandLine().getCommandSpec()).keySet().stream();
    }

    private static CommandSpec command(CommandSpec root, String section) {
        return Objects.requireNonNull(OptionModel.commands(root).get(section), section);
    }

    private static List<OptionSpec> configurable(CommandSpec command) {
        return command.options().stream().filter(OptionModel::isConfigurable).toList();
    }

    private static String toml(String section, CommandSpec command, String text) {
        StringBuilder toml = new StringBuilder("[" + section + "]\n");
        for (OptionSpec option : configurable(command)) {
            toml.append(OptionModel.key(option)).append(" = ");
            toml.append(OptionModel.isFlag(option) ? "true" : '"' + text + '"').append('\n');
        }
        return toml.toString();
    }

    private void assertLevels(String section, List<String> arguments, Level level, String text) {
        CommandSpec root = root().getCommandSpec();
        CommandSpec command = command(root, section);
        Map<String, Given> values =
                Objects.requireNonNull(Configuration.of(command)).resolve(command, arguments);
        for (OptionSpec option : configurable(command)) {
            if (option.hidden() && level == Level.OPTION) {
                continue; // secrets are not for the command line
            }
            assertThat(values.get(option.longestName()))
                    .as("%s of %s", option.longestName(), section)
                    .isNotNull()
                    .satisfies(value -> {
                        assertThat(value.level()).isEqualTo(level);
                        assertThat(value.texts()).containsExactly(OptionModel.isFlag(option) ? "true" : text);
                        assertThat(value.origin().isEmpty()).isEqualTo(level == Level.OPTION);
                    });
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void eachOptionOfEachCommandHasTheSamePrecedence(String section) throws IOException {
        if (section.equals("resume")) {
            return; // resumes with the settings of its run
        }
        CommandSpec command = command(root().getCommandSpec(), section);
        String defaults = toml("default", command, "default");
        String ofCommand = toml(section, command, "command");
        String profile = toml("profiles.prod", command, "profile");

        write(defaults);
        assertLevels(section, List.of(), Level.DEFAULT, "default");
        write(profile, defaults, ofCommand);
        assertLevels(section, List.of(), Level.COMMAND, "command");
        assertLevels(section, List.of("@prod"), Level.PROFILE, "profile");

        List<String> arguments = new ArrayList<>();
        for (OptionSpec option : configurable(command)) {
            boolean isFlag = OptionModel.isFlag(option);
            environment.put(OptionModel.variable(option), isFlag ? "true" : "variable");
            if (!option.hidden()) {
                arguments.add(option.longestName() + (isFlag ? "" : "=typed"));
            }
        }
        assertLevels(section, List.of("@prod"), Level.ENVIRONMENT, "variable");
        assertLevels(section, arguments, Level.OPTION, "typed");
    }

    @Test
    void valuesOfAllKindsAreParsedAsOnTheCommandLine() throws IOException {
        write(
                "[default]",
                "host = [\"10.0.0.1\", \"10.0.0.2\"]",
                "port = 9142",
                "verbose = false",
                "[load]",
                "threads = 3",
                "batch-bytes = \"32KB\"",
                "patience = 0.5",
                "grouping = \"replica_set\"",
                "no-header = true",
                "null = [\"NA\", \"\"]",
                "rejects = \"~/rejects\"",
                "map = \"'${x} = y' = source, * = *\"",
                "[bench]",
                "only = [\"writer=linger 5 ms\", \"order=in order\"]");
        ParseResult load = parse("load", "in.csv", "ks.t");
        assertThat(load.matchedOptionValue("--host", List.<String>of())).containsExactly("10.0.0.1", "10.0.0.2");
        assertThat(load.matchedOptionValue("--port", 0)).isEqualTo(9142);
        assertThat(load.hasMatchedOption("--verbose")).isFalse();
        assertThat(load.matchedOption("--threads").typedValues().get(0)).isEqualTo(3L);
        assertThat(load.matchedOption("--batch-bytes").typedValues().get(0)).isEqualTo(32L << 10);
        assertThat(load.matchedOption("--patience").typedValues().get(0)).isEqualTo(Duration.ofMillis(500));
        assertThat(load.matchedOption("--grouping").typedValues().get(0)).hasToString("REPLICA_SET");
        assertThat(load.matchedOptionValue("--no-header", false)).isTrue();
        assertThat(load.matchedOptionValue("--null", List.<String>of())).containsExactly("NA", "");
        assertThat(load.matchedOptionValue("--rejects", Path.of(""))).isEqualTo(directory.resolve("rejects"));
        assertThat(load.matchedOptionValue("--map", "")).isEqualTo("'${x} = y' = source, * = *");
        assertThat(parse("bench", "grouping-order").matchedOptionValue("--only", List.<String>of()))
                .containsExactly("writer=linger 5 ms", "order=in order");
        assertThat(parse("cql", "SELECT").matchedOptionValue("--port", 0)).isEqualTo(9142);
        assertThat(parse("runs").matchedOptions()).isEmpty();
    }

    @Test
    void theCommandLineReplacesListsAndSwitchesFlagsOff() throws IOException {
        write("[default]", "host = [\"a\", \"b\"]", "tls = true", "json = true", "no-journal = true");
        ParseResult load = parse("load", "in.csv", "ks.t", "--host", "c", "--no-tls", "--no-no-journal");
        assertThat(load.matchedOptionValue("--host", List.<String>of())).containsExactly("c");
        assertThat(load.matchedOptionValue("--json", false)).isTrue();
        assertThat(load.hasMatchedOption("--tls")).isFalse();
        assertThat(load.hasMatchedOption("--no-journal")).isFalse();
        environment.put("OVERDRIVE_TLS", "false");
        assertThat(parse("count", "ks.t").hasMatchedOption("--tls")).isFalse();
        assertThat(parse("count", "ks.t", "--tls").matchedOptionValue("--tls", false))
                .isTrue();
        assertThat(run("count", "ks.t", "--tls", "--no-tls").err())
                .contains("--tls and --no-tls exclude each other: choose one");
        assertThat(run("count", "ks.t", "--no-such").err()).contains("Unknown option: '--no-such'");
    }

    @Test
    void aProfileMayStandAnywhere() throws IOException {
        write("[profiles.prod]", "host = \"h\"", "[profiles.dev]", "host = \"d\"", "[load]", "null = \"-\"");
        List<List<String>> lines = List.of(
                List.of("@prod", "load", "in", "ks.t"),
                List.of("load", "@prod", "in", "ks.t"),
                List.of("load", "in", "ks.t", "@prod"),
                List.of("load", "in", "ks.t", "--profile", "prod"),
                List.of("--profile=prod", "load", "in", "ks.t"));
        for (List<String> line : lines) {
            ParseResult load = parse(line.toArray(String[]::new));
            assertThat(load.matchedOptionValue("--host", List.<String>of()))
                    .as("%s", line)
                    .containsExactly("h");
            assertThat(load.matchedPositionalValue(0, List.<String>of())).containsExactly("in", "ks.t");
        }
        environment.put("OVERDRIVE_PROFILE", "dev");
        assertThat(parse("count", "ks.t").matchedOptionValue("--host", List.<String>of()))
                .containsExactly("d");
        assertThat(parse("count", "ks.t", "@prod").matchedOptionValue("--host", List.<String>of()))
                .containsExactly("h");
        assertThat(parse("load", "in", "ks.t", "--null", "@prod").matchedOptionValue("--null", List.<String>of()))
                .containsExactly("@prod");
        assertThat(parse("load", "--", "@in", "ks.t").matchedPositionalValue(0, List.<String>of()))
                .containsExactly("@in", "ks.t");
        assertThat(run("count", "ks.t", "@prod", "@dev").err())
                .contains("@prod and @dev are two profiles: a command has one");
        assertThat(run("count", "ks.t", "@prdo").err())
                .contains(file + " has no profile \"prdo\": did you mean \"prod\"? (profiles: dev, prod)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[load]|thread = 3|2: [load] has no option \"thread\": did you mean \"threads\"? (see: overdrive load --help)",
                "[load]|page-rows = 3|2: [load] has no option \"page-rows\": it is an option of count, cql, diff, profile, unload, verify",
                "[load]|resume = true|2: [load] has no option \"resume\": it can be on the command line only",
                "[load]|--threads = 3|2: \"--threads\": write options without dashes: threads",
                "[default]|pachience = 3|2: [default] has no option \"pachience\": did you mean \"patience\"? (see: overdrive COMMAND --help)",
                "[profiles.p]|hots = \"h\"|2: [profiles.p] has no option \"hots\": did you mean \"host\"?",
                "[bench.stress]|rats = 1|2: [bench.stress] has no option \"rats\": did you mean \"rate\"? (see: overdrive bench stress --help)",
                "[laod]|threads = 3|1: there is no section [laod]: did you mean \"load\"? (sections are [default], [profiles.NAME], and the names of commands)",
                "threads = 3||1: \"threads\" is in no section: write it below [default], which is for all commands",
                "[profiles]|host = \"h\"|2: \"host\" is in no profile: write it below [profiles.NAME]",
                "[profiles.\"a b\"]|host = \"h\"|1: \"a b\" cannot be the name of a profile: use letters, digits, _ and -",
                "[load]|create = \"yes\"|2: create is \"yes\", must be true or false",
                "[load]|threads = true|2: threads is \"true\", must be a number, or a text in quotes",
                "[load]|threads = [1, 2]|2: threads is a list, must be one value",
                "[load]|threads = {a = 1}|2: threads is a table, must be a number, or a text in quotes",
                "[load]|epoch = 1970-01-01T00:00:00Z|2: epoch is \"1970-01-01T00:00Z\", must be a number, or a text in quotes",
                "[load]|host = [\"a,b\"]|2: host has \"a,b\", which contains the separator ,",
                "[load]|threads = |2: not TOML: ",
            })
    void aMistakeInTheFileIsNamedWithItsLine(String linesAndMessage) throws IOException {
        String[] parts = linesAndMessage.split("\\|");
        write(parts[0], parts[1]);
        Cli wrong = run("count", "ks.t");
        assertThat(wrong.code()).isEqualTo(Main.USAGE);
        assertThat(wrong.err())
                .startsWith("overdrive: " + file + ":" + parts[2])
                .doesNotContain("\tat ");
        assertThat(run("count", "--help").code()).isEqualTo(Main.DONE);
        assertThat(run("config", "path").out()).isEqualTo(file + "\n");
    }

    @Test
    void aWrongValueIsReportedWithItsOrigin() throws IOException {
        write("[default]", "host = \"127.0.0.1:1\"", "[count]", "page-rows = 0", "splits-in-flight = \"many\"");
        Cli wrong = run("count", "ks.t");
        assertThat(wrong.code()).isEqualTo(Main.USAGE);
        assertThat(wrong.err())
                .contains("Invalid value for option '--splits-in-flight'")
                .contains("overdrive: --splits-in-flight comes from " + file + ":5 [count]\n")
                .doesNotContain("--page-rows comes from");
        environment.put("OVERDRIVE_SPLITS_IN_FLIGHT", "2");
        assertThat(run("count", "ks.t").err())
                .startsWith("overdrive: --page-rows is 0, must be ")
                .contains("overdrive: --page-rows comes from " + file + ":4 [count]\n");
        environment.put("OVERDRIVE_PAGE_ROWS", "x");
        assertThat(run("count", "ks.t").err()).contains("overdrive: --page-rows comes from OVERDRIVE_PAGE_ROWS\n");
    }

    @Test
    void variablesThatNameNoOptionAreReported() throws IOException {
        write("");
        environment.put("OVERDRIVE_HOTS", "h");
        environment.put("OVERDRIVE_STATE", directory.toString());
        environment.put("OVERDRIVE_JAVA_OPTIONS", "");
        environment.put("OVERDRIVE_S3_PATH_STYLE", "");
        Cli runs = run("runs");
        assertThat(runs.code()).isEqualTo(Main.DONE);
        assertThat(runs.err())
                .isEqualTo(
                        "overdrive: the environment variable OVERDRIVE_HOTS is the variable of no option: did you mean"
                                + " \"OVERDRIVE_HOST\"?\n");
        environment.put("OVERDRIVE_JSON", "yes");
        assertThat(run("runs").err()).contains("OVERDRIVE_JSON is \"yes\", must be true or false");
    }

    @Test
    void theFileThatIsNamedMustExist() {
        assertThat(run("runs").err()).contains("OVERDRIVE_CONFIG " + file + ": there is no such file");
        assertThat(run("runs", "--config", "/no/such").err()).contains("--config /no/such: there is no such file");
        environment.put("OVERDRIVE_CONFIG", "");
        environment.put("XDG_CONFIG_HOME", directory.toString());
        assertThat(run("runs").code()).isEqualTo(Main.DONE);
        assertThat(run("runs", "@prod").err())
                .contains("profile \"prod\": there is no configuration file "
                        + directory.resolve("overdrive/config.toml")
                        + "; create it, with a section [profiles.prod]");
        assertThat(run("config", "path").err()).isEqualTo("overdrive: there is no such file\n");
    }

    @Test
    void withoutANameItIsBelowHome() {
        environment.remove("OVERDRIVE_CONFIG");
        assertThat(run("config", "path").out()).isEqualTo(directory.resolve(".config/overdrive/config.toml") + "\n");
    }

    @Test
    void aSecretWithoutQuotesIsNotShown() throws IOException {
        for (String line : List.of(
                "password = s3cret",
                "password = \"s3cret",
                "password = 's3cret\"",
                "password = \"x\" s3cret",
                "password = \"x\\s3cret\"",
                "password: s3cret",
                "password s3cret",
                "password = 1s3cret")) {
            write("[profiles.prod]", line);
            assertThat(run("runs").err())
                    .as(line)
                    .startsWith("overdrive: " + file + ":2: not TOML: column ")
                    .doesNotContainPattern("s3|3cret|cret");
        }
    }

    @Test
    void secretsAreInFilesOfTheUserOnly() throws IOException {
        write("[profiles.prod]", "user = \"app\"", "password = \"s3cret\"");
        assertThat(parse("count", "ks.t", "@prod").matchedOptionValue("--password", ""))
                .isEqualTo("s3cret");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        Cli refused = run("runs");
        assertThat(refused.code()).isEqualTo(Main.USAGE);
        assertThat(refused.err())
                .startsWith("overdrive: " + file
                        + ":3: password is a secret, and other users can read or change the file: chmod 600 " + file
                        + "\n");
        write("[profiles.prod]", "password = 12345.5", "truststore-password = [\"s3cret\"]");
        assertThat(run("runs").err()).contains("truststore-password is a list").doesNotContain("s3cret");
        assertThat(run("count", "ks.t", "--password", "s3cret").err())
                .startsWith(
                        "overdrive: --password is not for the command line, which all users of a machine can read: set"
                                + " OVERDRIVE_PASSWORD, or put it into the configuration file\n")
                .doesNotContain("s3cret");
    }

    @Test
    void passwordsOfTheFileAreForItsUser() throws IOException {
        write("[default]", "user = \"app\"", "password-command = \"false\"");
        assertThat(run("count", "ks.t", "--host=127.0.0.1:1").err())
                .contains("--password-command \"false\" ended with exit code 1")
                .contains("overdrive: --password-command comes from " + file + ":3 [default]");
        assertThat(parse("count", "ks.t", "--user", "other").hasMatchedOption("--password-command"))
                .isFalse();
        environment.put("OVERDRIVE_PASSWORD", "s3cret");
        assertThat(parse("count", "ks.t").hasMatchedOption("--password-command"))
                .isFalse();
        assertThat(parse("count", "ks.t").matchedOptionValue("--password", "")).isEqualTo("s3cret");
        assertThat(parse("count", "ks.t", "--password-file", "pw").hasMatchedOption("--password"))
                .isFalse();
    }

    @Test
    void aPasswordCommandThatFailsIsReportedWithoutItsOutput() {
        environment.remove("OVERDRIVE_CONFIG");
        assertThat(run("count", "ks.t", "--user=u", "--password-command", "echo s3cret; echo why >&2; exit 7")
                        .err())
                .contains("ended with exit code 7: why\n");
        assertThat(run("count", "ks.t", "--user=u", "--password-command", "true")
                        .err())
                .contains("--password-command \"true\": the first line of its output is empty");
        assertThat(run("count", "ks.t", "--user=u", "--password-command=x", "--password-file=y")
                        .err())
                .contains("--password-file and --password-command exclude each other: choose one");
        assertThat(run("count", "ks.t", "--password-command=x").err()).contains("--password-command needs --user");
    }

    @Test
    void warnsOfAPasswordFileThatOthersCanRead() throws IOException {
        environment.remove("OVERDRIVE_CONFIG");
        Path secret = Files.writeString(file.resolveSibling("pw"), "s3cret\n");
        String[] count = {"count", "ks.t", "--host=127.0.0.1:1", "--user=u", "--password-file=" + secret};
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r-----"));
        assertThat(run(count).err())
                .contains("[WARN] --password-file " + secret + ": other users can read or change it: chmod 600 "
                        + secret);
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        assertThat(run(count).err()).doesNotContain("[WARN]");
    }

    /** The parser would read each byte that is no UTF-8 as U+FFFD. */
    @Test
    void refusesAFileThatIsNotUtf8() throws IOException {
        Files.write(file, "[default]\nnull = \"\u00fc\"\n".getBytes(StandardCharsets.ISO_8859_1));
        assertThat(run("count", "ks.t").err()).contains(file + " is not valid UTF-8: convert it to UTF-8");
    }

    @Test
    void anotherClusterReplacesTheConnectionOfTheFile() throws IOException {
        write(
                "[default]",
                "host = \"h\"",
                "user = \"app\"",
                "password-file = \"pw\"",
                "tls-ca = \"ca.pem\"",
                "dc = \"dc1\"",
                "connect-timeout = 5",
                "[profiles.astra]",
                "bundle = \"b.zip\"");
        assertThat(options(parse("count", "ks.t", "--local"))).containsExactly("--connect-timeout", "--local");
        assertThat(options(parse("count", "ks.t", "@astra")))
                .containsExactly("--bundle", "--connect-timeout", "--password-file", "--profile", "--user");
        assertThat(options(parse("count", "ks.t", "--no-tls")))
                .doesNotContain("--tls-ca")
                .contains("--user");
        assertThat(options(parse("count", "ks.t", "--tls-truststore=x"))).doesNotContain("--tls-ca");
    }

    @Test
    void certificatesForSidecarsReplaceCertificatesOfTheFile() throws IOException {
        write(
                "[default]",
                "sidecar-tls-ca = \"ca.pem\"",
                "sidecar-tls-cert = \"c.pem\"",
                "sidecar-tls-key = \"k.pem\"");
        assertThat(options(parse(
                        "load", "in.csv", "ks.t", "--sidecar-tls-truststore=t.p12", "--sidecar-tls-keystore=k.p12")))
                .doesNotContain("--sidecar-tls-ca", "--sidecar-tls-cert", "--sidecar-tls-key");
    }

    private static List<String> options(ParseResult result) {
        return result.matchedOptions().stream()
                .map(OptionSpec::longestName)
                .filter(name -> !name.equals("--config"))
                .sorted()
                .toList();
    }

    /** Typed, they are refused. */
    @Test
    void configuredOptionsMayHaveNoEffect() throws IOException {
        String json = Files.writeString(directory.resolve("in.jsonl"), "{}").toString();
        write(
                "[load]",
                "delimiter = \";\"",
                "fields = \"a,b\"",
                "epoch-unit = \"seconds\"",
                "timestamp-format = \"yyyy\"");
        assertThat(run("load", json, "ks.t", "--host=127.0.0.1:1").err()).contains("cannot connect to 127.0.0.1:1");
        assertThat(run("load", json, "ks.t", "--host=127.0.0.1:1", "--quote=x").err())
                .contains("--quote is for CSV, and has no effect on JSON");
    }

    /** A profile names what belongs to the cluster, and not each load into it is by SSTables. */
    @Test
    void configuredOptionsOfSstablesHaveNoEffectOnRowsSentByCql() throws IOException {
        String csv = Files.writeString(directory.resolve("in.csv"), "id\n1\n").toString();
        write(
                "[profiles.prod]",
                "host = \"127.0.0.1:1\"",
                "jmx = \"127.0.0.1:7199\"",
                "jmx-user = \"admin\"",
                "sidecar-tls-ca = \"none.pem\"");
        for (List<String> line :
                List.of(List.of("load", csv, "ks.t", "@prod"), List.of("copy", "ks.t", "ks.u", "@prod"))) {
            assertThat(run(line.toArray(String[]::new)).err()).contains("cannot connect to 127.0.0.1:1");
        }
        assertThat(run("load", csv, "ks.t", "@prod", "--ssh=h:/d").err())
                .contains("--ssh has no effect without --sstables");
        environment.put("OVERDRIVE_STAGING_DIRECTORY", "/none");
        assertThat(run("load", csv, "ks.t", "@prod").err()).contains("cannot connect to 127.0.0.1:1");
    }

    /** It has them as typed, wherever it had them from when it began. */
    @Test
    void aRunThatIsResumedMayHaveOptionsWithoutEffect() throws IOException {
        String json = Files.writeString(directory.resolve("in.jsonl"), "{}").toString();
        Cli resumed = Cli.resume("load", json, "ks.t", "--host=127.0.0.1:1", "--delimiter=;", "--jmx=127.0.0.1:7199");
        assertThat(resumed.err()).contains("cannot connect to 127.0.0.1:1");
    }

    private JsonNode show(String... words) throws IOException {
        List<String> line = new ArrayList<>(List.of("config", "show", "--json"));
        line.addAll(List.of(words));
        Cli shown = run(line.toArray(String[]::new));
        assertThat(shown.code()).as(shown.err()).isEqualTo(Main.DONE);
        return new JsonMapper().readTree(shown.out());
    }

    private static Map<String, String> values(JsonNode shown) {
        Map<String, String> values = new TreeMap<>();
        for (JsonNode each : shown.get("options")) {
            values.put(
                    each.get("option").asText(),
                    each.get("value").asText() + " | " + each.get("origin").asText() + " | "
                            + each.get("where").asText());
        }
        return values;
    }

    @Test
    void showSaysWhereEachValueComesFrom() throws IOException {
        write(
                "[default]",
                "patience = 60",
                "[load]",
                "threads = 2",
                "[profiles.prod]",
                "host = \"h\"",
                "user = \"app\"",
                "password = \"s3cret\"");
        environment.put("OVERDRIVE_TTL", "60");
        JsonNode shown = show("load", "@prod", "--batch-rows", "7", "--create");
        assertThat(shown.get("file").asText()).isEqualTo(file.toString());
        assertThat(shown.get("profile").asText()).isEqualTo("prod");
        assertThat(shown.get("command").asText()).isEqualTo("load");
        Map<String, String> values = values(shown);
        assertThat(values)
                .containsEntry("patience", "60 | file | " + file + ":2 [default]")
                .containsEntry("threads", "2 | file | " + file + ":4 [load]")
                .containsEntry("host", "h | profile | " + file + ":6 [profiles.prod]")
                .containsEntry("password", "******** | profile | " + file + ":8 [profiles.prod]")
                .containsEntry("ttl", "60 | environment | OVERDRIVE_TTL")
                .containsEntry("batch-rows", "7 | option | null")
                .containsEntry("create", "true | option | null")
                .containsEntry("connect-timeout", "30 | default | null")
                .containsEntry("tls", "false | default | null")
                .containsEntry("dc-failover", "none; requests wait | default | null")
                .doesNotContainKeys("help", "version", "resume", "config", "profile", "truststore-password");
        assertThat(values(show("@prod"))).containsOnlyKeys("host", "password", "patience", "ttl", "user");
        Cli text = run("config", "show", "load", "@prod");
        assertThat(text.out()).contains(" [profiles.prod]\n").doesNotContain("s3cret");
        assertThat(run("config", "show", "laod").err())
                .contains("there is no command \"laod\": did you mean \"load\"?");
        assertThat(run("config", "show", "load", "--threds", "4").err())
                .contains("overdrive load has no option --threds: did you mean \"--threads\"?");
        assertThat(run("config").err()).contains("say what to do: show or path");
    }

    @Test
    void noOptionHasAVariableOfTheLauncher() {
        assertThat(OptionModel.options(root().getCommandSpec()).values())
                .extracting(OptionModel::variable)
                .doesNotContain(
                        "OVERDRIVE_STATE",
                        "OVERDRIVE_HOME",
                        "OVERDRIVE_JAVA_OPTIONS",
                        "OVERDRIVE_CONFIG",
                        "OVERDRIVE_PROFILE");
    }
}
