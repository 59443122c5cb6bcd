package io.overdrive.cli.options;

import static java.util.Map.entry;

import io.overdrive.ScanSetting;
import io.overdrive.Setting;
import io.overdrive.WriteSetting;
import io.overdrive.cli.config.OptionModel;
import io.overdrive.cli.config.Server;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import io.overdrive.internal.names.NamedOption;
import io.overdrive.local.LocalOptions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** The options of the command line that messages name. Stateless. */
public final class OptionNames {
    /** Names that do not follow from those in Java; of several, the given one, or else the first one of the command, or else the last one. */
    private static final Map<NamedOption, List<String>> OTHER_NAMES = Map.ofEntries(
            entry(ScanSetting.CONSISTENCY, List.of("--read-consistency", "--consistency")),
            entry(WriteSetting.CONSISTENCY, List.of("--write-consistency", "--consistency")),
            entry(JobOption.ANY_HOST_NAME, List.of("--tls-any-host")),
            entry(JobOption.COMPARE_TIMES, List.of("--compare-times")),
            entry(JobOption.COMPRESSION, List.of("--compress")),
            entry(JobOption.CONTACT_POINTS, List.of("--host")),
            entry(JobOption.DATE_PATTERN, List.of("--date-format")),
            entry(JobOption.DECIMALS, List.of("--decimal")),
            entry(JobOption.DIALECT, List.of("--dialect")),
            entry(JobOption.FIELD_NAMES, List.of("--fields")),
            entry(JobOption.FORMAT, List.of("--format")),
            entry(JobOption.KEYS, List.of("--keys")),
            entry(JobOption.KEYS_FIELDS, List.of("--keys-fields")),
            entry(JobOption.KEYS_MAPPING, List.of("--keys-map")),
            entry(JobOption.KEYS_SPILL_DIRECTORY, List.of("--keys-spill-directory")),
            entry(JobOption.MAPPING, List.of("--map")),
            entry(JobOption.NO_HEADER, List.of("--no-header")),
            entry(JobOption.NULL_WORD, List.of("--null")),
            entry(JobOption.NULL_WORDS, List.of("--null")),
            entry(JobOption.PARTITION_BY, List.of("--partition-by")),
            entry(JobOption.REPAIR, List.of("--repair")),
            entry(JobOption.SIDECAR_TLS, List.of("the options that begin with --sidecar-tls")),
            entry(JobOption.SSTABLE_DIRECTORY, List.of("--sstable-directory")),
            entry(JobOption.TIME_PATTERN, List.of("--time-format")),
            entry(JobOption.TIME_ZONE, List.of("--time-zone")),
            entry(JobOption.TIMESTAMP_PATTERN, List.of("--timestamp-format")),
            entry(JobOption.TOKEN_RANGES, List.of("--sample", "--token-range")),
            entry(JobOption.WORKLOAD, List.of("--workload", "--foreground")));

    /** Options of local clusters, whose module needs no other one. */
    private static final Map<String, String> LOCAL_NAMES =
            Map.of("datacenters", "--dcs", "nodesPerDatacenter", "--nodes", "heapMegabytes", "--heap-mb");

    private OptionNames() {}

    /** The message of an exception, with the options of a command. */
    public static String in(CommandSpec command, Throwable e) {
        return e instanceof LocalOptions.OutOfRange local
                ? LOCAL_NAMES.getOrDefault(local.option(), kebab(local.option())) + " " + local.reason()
                : MessageText.of(e).in(words(command));
    }

    /** The names of options in a command. */
    public static MessageText.Words words(CommandSpec command) {
        return option -> ofCaller(command, own(command, option).orElseGet(() -> of(command, option)));
    }

    /** An option as the program that has called the command gives it: {@code json_text=True}, {@code types=}. */
    private static String ofCaller(CommandSpec command, String name) {
        if (Caller.current() == null || !name.startsWith("--")) {
            return name;
        }
        OptionSpec option = command.findOption(name);
        boolean isFlag = option != null && option.arity().max() == 0;
        return name.substring(2).replace('-', '_') + (isFlag ? "=True" : "=");
    }

    /** The name of an option in any command. */
    public static String of(NamedOption option) {
        List<String> names = OTHER_NAMES.get(option);
        if (names != null) {
            return names.get(names.size() - 1);
        }
        return option instanceof Setting<?> setting ? Server.CLUSTER.option(setting) : kebab(option.javaName());
    }

    private static String of(CommandSpec command, NamedOption option) {
        List<String> names = OTHER_NAMES.getOrDefault(option, List.of());
        ParseResult parsed = command.commandLine().getParseResult();
        return names.stream()
                .filter(name -> parsed != null && parsed.hasMatchedOption(name))
                .findFirst()
                .or(() -> names.stream()
                        .filter(name -> command.findOption(name) != null)
                        .findFirst())
                .orElseGet(() -> of(option));
    }

    /** A setting that the command has under a name of its groups. */
    private static Optional<String> own(CommandSpec command, NamedOption option) {
        return option instanceof Setting<?> setting && command.userObject() instanceof SettingOptions.Command settings
                ? settings.settingOptions().stream()
                        .filter(group -> group.has(setting))
                        .map(group -> group.name(setting))
                        .findFirst()
                : Optional.empty();
    }

    /** The name that follows from the one in Java: {@code --batch-bytes}. */
    static String kebab(String name) {
        return "--" + OptionModel.kebab(name);
    }
}
