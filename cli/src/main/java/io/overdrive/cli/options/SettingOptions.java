package io.overdrive.cli.options;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.Grouping;
import io.overdrive.InFlightControl;
import io.overdrive.Setting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;

/**
 * A group of options of a command that are settings of the engine: each has the name, the default and the help of its {@link
 * Setting}. Confined to one thread.
 */
public final class SettingOptions {
    /** A command with such options, which its model gets by {@link Model}. */
    public interface Command {
        /** In the order of the help; groups of the annotations come first. */
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

    /** Takes the values, as the builders of options do. */
    public interface Target {
        <T extends Comparable<? super T>> Object set(Setting<T> setting, T value);
    }

    private final @Nullable String heading;
    private final List<Setting<?>> settings;
    private final Map<Setting<?>, String> otherNames;
    private final List<OptionSpec> others;
    private final Map<Setting<?>, Object> given = new HashMap<>();

    /**
     * @param heading empty to continue the group before; null for options outside of groups
     * @param otherNames names of options that are not named as their settings
     * @param others options of the same group that are not settings; they come first
     */
    public SettingOptions(
            @Nullable String heading,
            List<Setting<?>> settings,
            Map<Setting<?>, String> otherNames,
            OptionSpec... others) {
        this.heading = heading;
        this.settings = settings;
        this.otherNames = otherNames;
        this.others = List.of(others);
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
                .validate(false)
                .exclusive(false);
        others.forEach(group::addArg);
        settings.forEach(setting -> group.addArg(option(setting)));
        return group.build();
    }

    private OptionSpec option(Setting<?> setting) {
        OptionSpec.Builder option = OptionSpec.builder(name(setting)).setter(setter(value -> {
            if (value == null) {
                given.remove(setting);
            } else {
                given.put(setting, value);
            }
        }));
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
        }
        return option.description(
                        setting.kind() == Setting.Kind.FLAG
                                ? setting.help()
                                : setting.help() + " Default: " + setting.defaultText() + ".")
                .build();
    }

    List<Setting<?>> settings() {
        return settings;
    }

    /** The name of the option of a setting. */
    String name(Setting<?> setting) {
        return otherNames.getOrDefault(setting, setting.optionName());
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

    private static <T> void value(OptionSpec.Builder option, String label, Class<T> type, ITypeConverter<T> converter) {
        option.paramLabel(label).type(type).converters(converter);
    }

    /** Sets the settings whose options were given. */
    public void apply(Target target) {
        settings.forEach(setting -> apply(setting, target));
    }

    private <T extends Comparable<? super T>> void apply(Setting<T> setting, Target target) {
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

    /** As {@link #get}, for a setting whose bounds are those of an int. */
    public int getInt(Setting<Long> setting) {
        return Math.toIntExact(get(setting));
    }

    /** The value of an option; null if it was not given. */
    @SuppressWarnings("unchecked") // picocli converts values to the option's type
    public <T extends Comparable<? super T>> @Nullable T find(Setting<T> setting) {
        return (T) given.get(setting);
    }
}
