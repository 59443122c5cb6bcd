package io.overdrive.cli.options;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.Grouping;
import io.overdrive.InFlightControl;
import io.overdrive.Setting;
import io.overdrive.WireCompression;
import io.overdrive.cli.config.OptionModel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.IGetter;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;

/**
 * A group of options of a command that are settings of the engine: each has the name, the default and the help of its {@link
 * Setting}. Confined to one thread.
 */
public final class SettingOptions {
    /** A command with such options, which its model gets by {@link Model}. */
    public interface Command {
        /** The options in the order of the help; groups of the annotations come first. */
        List<SettingOptions> settingOptions();
    }

    /** Adds the options to the model of a {@link Command}. Stateless. */
    public static final class Model implements IModelTransformer {
        @Override
        public CommandSpec transform(CommandSpec spec) {
            if (spec.userObject() instanceof Command command) {
                command.settingOptions().forEach(options -> options.addTo(spec));
            }
            return spec;
        }
    }

    /** The value of an option, as picocli sets it and adds to it; null before a command line is parsed. */
    private static final class Value implements IGetter, ISetter {
        private @Nullable Object value;

        @Override
        @SuppressWarnings("unchecked") // picocli gets what it has set
        public <T> @Nullable T get() {
            return (T) value;
        }

        @Override
        public <T> @Nullable T set(@Nullable T next) {
            value = next;
            return null;
        }
    }

    /** The order of a group that comes where it stands; it is picocli's for groups without an order. */
    public static final int IN_PLACE = -1;
    /** The order of a group behind those that come where they stand. */
    public static final int LAST = 1;

    private final @Nullable String heading;
    private final int order;
    private final String purpose;
    private final List<Setting<?>> settings;
    private final Function<Setting<?>, String> names;
    private final List<OptionSpec> others;
    /** The values, by the names of the settings. */
    private final Map<String, Value> given = new HashMap<>();

    /**
     * @param heading empty to continue the group before; null for options outside of groups
     * @param order {@link #IN_PLACE} or {@link #LAST}
     * @param purpose of all settings of the group, which precedes their help; empty if that is clear
     * @param names gives the name of a setting's option
     * @param others options of the same group that are not settings; they come first
     */
    SettingOptions(
            @Nullable String heading,
            int order,
            String purpose,
            List<Setting<?>> settings,
            Function<Setting<?>, String> names,
            OptionSpec... others) {
        this.heading = heading;
        this.order = order;
        this.purpose = purpose;
        this.settings = settings;
        this.names = names;
        this.others = List.of(others);
        settings.forEach(setting -> given.put(setting.name(), new Value()));
    }

    /** @param otherNames names of options that are not named as their settings */
    public SettingOptions(
            @Nullable String heading,
            List<Setting<?>> settings,
            Map<Setting<?>, String> otherNames,
            OptionSpec... others) {
        this(
                heading,
                IN_PLACE,
                /* purpose */ "",
                settings,
                setting -> otherNames.getOrDefault(setting, OptionNames.kebab(setting.name())),
                others);
    }

    public SettingOptions(@Nullable String heading, List<Setting<?>> settings) {
        this(heading, settings, Map.of());
    }

    private void addTo(CommandSpec spec) {
        if (heading == null) {
            List<OptionSpec> ofAllCommands = spec.options().stream()
                    .filter(option -> option.inherited() || option.usageHelp() || option.versionHelp())
                    .toList();
            ofAllCommands.forEach(spec::remove);
            settings.forEach(setting -> spec.addOption(option(setting)));
            ofAllCommands.forEach(spec::addOption); // last
        } else {
            spec.addArgGroup(group(heading));
        }
    }

    private ArgGroupSpec group(String title) {
        ArgGroupSpec.Builder group = ArgGroupSpec.builder()
                .heading(title.isEmpty() ? "" : "%n" + title + ":%n")
                .order(order)
                .validate(false)
                .exclusive(false);
        others.forEach(group::addArg);
        settings.forEach(setting -> group.addArg(option(setting)));
        return group.build();
    }

    private OptionSpec option(Setting<?> setting) {
        Value value = Objects.requireNonNull(given.get(setting.name()));
        OptionSpec.Builder option =
                OptionSpec.builder(name(setting)).getter(value).setter(value);
        switch (setting.kind()) {
            case COUNT -> value(option, "N", Long.class, new Amount.Count());
            case BYTES -> value(option, "SIZE", Long.class, new Amount.Bytes());
            case DURATION -> value(option, "SECONDS", Duration.class, new Amount.Seconds());
            case SECONDS -> option.paramLabel("SECONDS").type(Long.class);
            case MICROS -> option.paramLabel("MICROS").type(Long.class);
            case GROUPING -> option.paramLabel("WHAT").type(Grouping.class);
            case IN_FLIGHT_CONTROL -> option.paramLabel("HOW").type(InFlightControl.class);
            case CONSISTENCY -> option.paramLabel("LEVEL").type(DefaultConsistencyLevel.class);
            case DIRECTORY -> option.paramLabel("DIR").type(Path.class);
            case FLAG -> option.arity("0").type(Boolean.class);
            case HOSTS ->
                option.paramLabel("HOST[:PORT]")
                        .arity("1")
                        .splitRegex(",")
                        .type(List.class)
                        .auxiliaryTypes(String.class);
            case PORT -> option.paramLabel("PORT").type(Integer.class);
            case NAME -> option.paramLabel("NAME").type(String.class);
            case FILE -> option.paramLabel("FILE").type(Path.class);
            case COMMAND -> option.paramLabel("COMMAND").type(String.class);
            case COMPRESSION -> option.paramLabel("none|lz4|snappy").type(WireCompression.class);
            case SECRET -> option.type(String.class).hidden(true);
        }
        return option.description(help(setting)).build();
    }

    private String[] help(Setting<?> setting) {
        if (setting.kind() == Setting.Kind.SECRET) {
            return new String[0];
        }
        String help = setting.helpWithDefault(settings, this::shown);
        return new String[] {
            purpose.isEmpty()
                    ? help
                    : purpose + ": " + help.substring(0, 1).toLowerCase(Locale.ROOT) + help.substring(1)
        };
    }

    /** The name that a user types for a setting: its option, or for a secret, its environment variable. */
    String shown(Setting<?> setting) {
        return setting.kind() == Setting.Kind.SECRET ? OptionModel.variable(name(setting)) : name(setting);
    }

    List<Setting<?>> settings() {
        return settings;
    }

    /** The names of all options of the group. */
    List<String> names() {
        return Stream.concat(
                        others.stream().map(OptionSpec::longestName),
                        settings.stream().map(this::name))
                .toList();
    }

    boolean has(Setting<?> setting) {
        return settings.contains(setting);
    }

    /** The name of the option of a setting. */
    String name(Setting<?> setting) {
        return names.apply(setting);
    }

    /** Gives each value to the target; null before a command line is parsed. */
    static ISetter setter(Consumer<@Nullable Object> target) {
        return new ISetter() {
            @Override
            public <T> @Nullable T set(@Nullable T value) {
                target.accept(value);
                return null;
            }
        };
    }

    /** Takes each value from the source, for an option that can be repeated. */
    static IGetter getter(Supplier<@Nullable Object> source) {
        return new IGetter() {
            @Override
            @SuppressWarnings("unchecked") // picocli gets what it has set
            public <T> @Nullable T get() {
                return (T) source.get();
            }
        };
    }

    private static <T> void value(OptionSpec.Builder option, String label, Class<T> type, ITypeConverter<T> converter) {
        option.paramLabel(label).type(type).converters(converter);
    }

    /** Sets the settings whose options were given. */
    public void apply(Setting.Target target) {
        settings.forEach(setting -> apply(setting, target));
    }

    private <T extends Comparable<? super T>> void apply(Setting<T> setting, Setting.Target target) {
        T value = find(setting);
        if (value == null) {
            return;
        }
        if (setting.kind() == Setting.Kind.MICROS) {
            OptionValues.micros(name(setting), (Long) value);
        }
        target.set(setting, value);
    }

    /**
     * The value of an option, or the default.
     *
     * @throws IllegalArgumentException if it is out of bounds
     */
    public long get(Setting<Long> setting) {
        Long value = find(setting);
        return value == null ? setting.requireDefault() : setting.check(value);
    }

    /** As {@link #get}, for a setting whose bounds fit an int. */
    public int getInt(Setting<Long> setting) {
        return Math.toIntExact(get(setting));
    }

    /** The value of an option; null if it was not given. */
    @SuppressWarnings("unchecked") // picocli converts values to the option's type
    public <T extends Comparable<? super T>> @Nullable T find(Setting<T> setting) {
        Value value = given.get(setting.name());
        return value == null ? null : (T) (value.value instanceof List<?> list ? join(list) : value.value);
    }

    private static String join(List<?> texts) {
        return texts.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
