package io.overdrive.spark.config;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.config.TypedDriverOption;
import io.overdrive.Grouping;
import io.overdrive.InFlightControl;
import io.overdrive.ScanSetting;
import io.overdrive.WireCompression;
import io.overdrive.WriteSetting;
import io.overdrive.internal.names.DidYouMean;
import io.overdrive.internal.names.IllegalOptionException;
import java.io.Serializable;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one read, write or catalog, with the origin of each. Plans (on the driver) and executes (on the
 * executors), to which it travels. Immutable. Holds passwords, which {@link #toString} masks.
 */
public final class Settings implements Serializable {
    private static final long serialVersionUID = 1;

    private static final Pattern LOCAL_MASTER = Pattern.compile("local\\[(\\d+|\\*).*");
    private static final String EVERY_CLUSTER = "default";
    private static final BigDecimal BYTES_PER_MB = BigDecimal.valueOf(1 << 20);

    private final EnumMap<Setting, Value> values;
    /** Options of the driver by their path. */
    private final Map<String, String> driver;

    /**
     * @param name under which the value was given
     * @param given the value as it was given, whose unit may be the one of the connector for Spark 3
     */
    private record Value(String text, String name, String given) implements Serializable {
        private static final long serialVersionUID = 1;
    }

    private Settings(EnumMap<Setting, Value> values, Map<String, String> driver) {
        this.values = values;
        this.driver = driver;
    }

    /** Settings from one map of options, and a configuration that is not divided into session and application. */
    public static Settings of(Map<String, String> options, Map<String, String> configuration) {
        return of(List.of(options), Map.of(), configuration);
    }

    /**
     * Resolves settings in order of precedence: options, then {@code cluster:keyspace/name}, {@code cluster/name},
     * {@code default/name} and {@code name}, each first from the session, then from the application. Among several names
     * of a setting in one of these places, ours come first.
     *
     * @param options of the read or write, followed by those of the catalog, if any; letter case does not matter
     * @param session settings of the session only
     * @param application the application's configuration
     * @throws IllegalArgumentException if a name looks like a mistyped setting, or a value is invalid
     */
    public static Settings of(
            List<Map<String, String>> options, Map<String, String> session, Map<String, String> application) {
        Map<String, String> all = new HashMap<>(application);
        all.putAll(session);
        List<Map<String, String>> everywhere = new ArrayList<>(options);
        everywhere.add(all);
        Set<String> own = CredentialsFactories.ownSettings(everywhere);
        List<Map<String, String>> given = new ArrayList<>();
        for (Map<String, String> each : options) {
            Map<String, String> level = caseInsensitive(each);
            level.forEach((name, value) -> {
                if (!own.contains(name)) {
                    SettingNames.checkOption(name, value);
                }
            });
            CredentialsFactories.apply(level, all);
            level.keySet().removeAll(own);
            given.add(level);
        }
        List<Map<String, Map<String, String>>> configurations =
                List.of(groups(session, all, own), groups(application, all, own));
        int cores = cores(application);

        List<Map<String, String>> levels = new ArrayList<>(given);
        add("", configurations, levels);
        Value cluster = find(Setting.CLUSTER, levels, given.size(), cores);
        String clusterName = cluster == null ? EVERY_CLUSTER : cluster.text;
        Value keyspace = find(Setting.KEYSPACE, given, given.size(), cores);
        levels = new ArrayList<>(given);
        if (keyspace != null) {
            add(clusterName + ":" + keyspace.text, configurations, levels);
        }
        add(clusterName, configurations, levels);
        add(EVERY_CLUSTER, configurations, levels);
        add("", configurations, levels);

        EnumMap<Setting, Value> values = new EnumMap<>(Setting.class);
        for (Setting setting : Setting.values()) {
            Value value = find(setting, levels, given.size(), cores);
            if (value != null) {
                values.put(setting, value);
            }
        }
        return new Settings(values, driver(levels));
    }

    /**
     * Checks settings of a session.
     *
     * @throws IllegalArgumentException if no setting has this name, or a value is invalid
     */
    public static void check(Map<String, String> session) {
        for (String name : session.keySet()) {
            if (!SettingNames.isOurs(name)) {
                throw new IllegalArgumentException(
                        "\"" + name + "\" is not a setting of this connector: names begin with " + Setting.PREFIX
                                + " or " + Setting.CONNECTOR_PREFIX);
            }
        }
        var unused = of(Map.of(), session);
    }

    /** Adds the configurations' settings of a group to the levels. */
    private static void add(
            String group, List<Map<String, Map<String, String>>> configurations, List<Map<String, String>> levels) {
        configurations.forEach(groups -> levels.add(groups.getOrDefault(group, Map.of())));
    }

    private static <V> Map<String, V> caseInsensitive(Map<String, V> map) {
        Map<String, V> caseInsensitive = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        caseInsensitive.putAll(map);
        return caseInsensitive;
    }

    /**
     * Settings of this connector in an application's configuration, with user and password in the place of a factory
     * for them. The settings are the same on executors, which cannot know the factory.
     *
     * @throws IllegalArgumentException if a name looks like a mistyped setting, or the factory does not work
     */
    public static Map<String, String> forExecutors(Map<String, String> application) {
        Set<String> own = CredentialsFactories.ownSettings(List.of(application));
        Map<String, String> settings = new HashMap<>();
        groups(application, application, own)
                .forEach((group, level) -> level.forEach(
                        (name, value) -> settings.put(group.isEmpty() ? name : group + "/" + name, value)));
        return settings;
    }

    /** The same configuration without any name of these settings. */
    public static Map<String, String> without(Map<String, String> application, List<Setting> settings) {
        Map<String, String> others = caseInsensitive(application);
        settings.forEach(setting -> others.keySet().removeAll(setting.optionNames()));
        return others;
    }

    /** Makes a setting known that is not of this connector, but that a program reads itself. */
    public static void register(String name) {
        CredentialsFactories.register(name);
    }

    /**
     * This connector's names in a configuration, by the part before the slash.
     *
     * @param all the configurations of application and session
     * @param own settings that are for factories
     */
    private static Map<String, Map<String, String>> groups(
            Map<String, String> configuration, Map<String, String> all, Set<String> own) {
        Map<String, Map<String, String>> groups = caseInsensitive(Map.of());
        configuration.forEach((key, value) -> {
            int slash = key.indexOf('/');
            String name = key.substring(slash + 1);
            if (SettingNames.isOurs(name)) {
                if (!own.contains(name)) {
                    SettingNames.check(name, value);
                }
                groups.computeIfAbsent(slash < 0 ? "" : key.substring(0, slash), group -> caseInsensitive(Map.of()))
                        .put(name, value);
            }
        });
        groups.values().forEach(level -> {
            CredentialsFactories.apply(level, all);
            level.keySet().removeAll(own);
        });
        return groups;
    }

    /** Cores of an executor, 1 if the application does not say. */
    private static int cores(Map<String, String> application) {
        String cores = application.get("spark.executor.cores");
        Matcher local = LOCAL_MASTER.matcher(application.getOrDefault("spark.master", ""));
        if (local.matches()) {
            cores = local.group(1);
        }
        return cores == null
                ? 1
                : cores.equals("*") ? Runtime.getRuntime().availableProcessors() : Integer.parseInt(cores.strip());
    }

    /** @param options how many of the levels are options */
    private static @Nullable Value find(Setting setting, List<Map<String, String>> levels, int options, int cores) {
        for (int level = 0; level < levels.size(); level++) {
            for (String name : level < options ? setting.optionNames() : setting.names()) {
                String text = levels.get(level).get(name);
                Value value = text == null ? null : value(setting, name, text.strip(), cores);
                if (value != null) {
                    return value;
                }
            }
        }
        return null;
    }

    /** Null if the value stands for no value. */
    private static @Nullable Value value(Setting setting, String name, String given, int cores) {
        String text = given;
        try {
            text = SettingNames.isSpark3Name(setting, name) ? Spark3Values.converted(setting, given, cores) : given;
        } catch (NumberFormatException e) {
            throw wrong(setting, name, given, setting.kind.expected);
        }
        if (text != null && !setting.kind.accepts(text)) {
            throw wrong(setting, name, given, setting.kind.expected);
        }
        String why = text == null ? Spark3Values.whyNotUsed(setting) : null;
        if (why != null) {
            SettingNames.warnUnused(name + "=" + given, why);
        }
        return text == null ? null : new Value(text, name, given);
    }

    private static Map<String, String> driver(List<Map<String, String>> levels) {
        Map<String, String> driver = new HashMap<>();
        Set<String> paths = new TreeSet<>();
        TypedDriverOption.builtInValues()
                .forEach(option -> paths.add(option.getRawOption().getPath()));
        for (Map<String, String> level : levels) {
            Map<String, String> bySpark3Names = driverBySpark3Names(level);
            level.forEach((name, value) -> {
                String path = SettingNames.driverPath(name);
                if (path.isEmpty()) {
                    return;
                }
                if (!paths.contains(path)) {
                    throw new IllegalArgumentException("\"" + name + "\": the driver has no option \"" + path + "\""
                            + DidYouMean.suggestion(path, paths));
                }
                driver.putIfAbsent(path, value);
            });
            bySpark3Names.forEach(driver::putIfAbsent);
        }
        return driver;
    }

    /** All nodes of the data centre have the same number of connections here, so the larger of two is used. */
    private static Map<String, String> driverBySpark3Names(Map<String, String> level) {
        Map<String, Long> numbers = new HashMap<>();
        Map<String, String> driver = new HashMap<>();
        level.forEach((name, value) -> {
            SettingNames.DriverOption option = SettingNames.driverOption(name);
            if (option == null) {
                return;
            }
            if (!Setting.Kind.NUMBER.accepts(value.strip())) {
                throw new IllegalArgumentException("\"" + name + "\" is \"" + value + "\", must be "
                        + Setting.Kind.NUMBER.expected + ": " + option.path() + " of the driver");
            }
            long number = numbers.merge(option.path(), Long.parseLong(value.strip()), Math::max);
            driver.put(option.path(), number + option.unit());
        });
        return driver;
    }

    /** The value, or the default; null if there is neither. */
    public @Nullable String find(Setting setting) {
        Value value = values.get(setting);
        return value != null ? value.text : setting.defaultValue;
    }

    /** Whether a value was given. */
    public boolean isGiven(Setting setting) {
        return values.containsKey(setting);
    }

    /** The value as it was given, if that was under a name of the connector for Spark 3: its meaning and unit are those there. */
    public @Nullable String findAsInSpark3(Setting setting) {
        Value value = values.get(setting);
        return value != null && SettingNames.isSpark3Name(setting, value.name) ? value.given : null;
    }

    /** Names and values as they were given: as options, they mean the same. */
    public Map<Setting, Map.Entry<String, String>> given() {
        Map<Setting, Map.Entry<String, String>> given = new EnumMap<>(Setting.class);
        values.forEach((setting, value) -> given.put(setting, Map.entry(value.name, value.given)));
        return given;
    }

    /** The value, or the default. */
    public String get(Setting setting) {
        String value = find(setting);
        if (value == null) {
            throw new IllegalArgumentException("option \"" + setting.option + "\" is missing: " + setting.meaning());
        }
        return value;
    }

    public boolean isOn(Setting setting) {
        return Boolean.parseBoolean(get(setting));
    }

    /** @throws IllegalArgumentException if it is not a number: a time to live may be the name of a column */
    public long number(Setting setting) {
        String value = get(setting);
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw wrong(setting, value, "a whole number");
        }
    }

    /** The bytes of a number of MB, which may have a fraction; at least one. */
    public long bytes(Setting setting) {
        return Math.max(1, new BigDecimal(get(setting)).multiply(BYTES_PER_MB).longValue());
    }

    public DefaultConsistencyLevel consistency(Setting setting) {
        return DefaultConsistencyLevel.valueOf(get(setting).toUpperCase(Locale.ROOT));
    }

    /** The value, or the default, as the engine takes it; null if there is neither. */
    @Nullable Object value(Setting setting) {
        String text = find(setting);
        return text == null
                ? null
                : switch (setting.kind) {
                    case NUMBER -> Long.valueOf(text);
                    case MILLIS -> Duration.ofMillis(Long.parseLong(text));
                    case SECONDS -> Duration.ofSeconds(Long.parseLong(text));
                    case RATE -> bytes(setting);
                    case PORT -> Integer.valueOf(text);
                    case FLAG -> Boolean.valueOf(text);
                    case CONSISTENCY -> consistency(setting);
                    case GROUPING -> Grouping.valueOf(text.toUpperCase(Locale.ROOT));
                    case IN_FLIGHT_CONTROL -> InFlightControl.valueOf(text.toUpperCase(Locale.ROOT));
                    case COMPRESSION -> WireCompression.valueOf(text.toUpperCase(Locale.ROOT));
                    case TEXT, SECRET, RATIO, GUARD, SWITCH, DISTRIBUTION -> text;
                };
    }

    /** Sets options that are the same for all writes. */
    public void setWrites(io.overdrive.Setting.Target target) {
        WriteSetting.ALL.forEach(engine -> set(engine, Setting::isOfWrites, target));
    }

    /** Sets options that are the same for all reads. */
    public void setReads(io.overdrive.Setting.Target target) {
        ScanSetting.ALL.forEach(engine -> set(engine, Setting::isOfReads, target));
    }

    /** Settings of both have the same names in both. */
    @SuppressWarnings("unchecked") // the kind says which type a value has
    private <T extends Comparable<? super T>> void set(
            io.overdrive.Setting<T> engine, Predicate<Setting> which, io.overdrive.Setting.Target target) {
        for (Setting setting : Setting.values()) {
            if (which.test(setting)
                    && setting.engine != null
                    && setting.engine.name().equals(engine.name())) {
                Object value = value(setting);
                if (value != null) {
                    target.set(engine, checked(engine, (T) value));
                }
            }
        }
    }

    private static <T extends Comparable<? super T>> T checked(io.overdrive.Setting<T> engine, T value) {
        try {
            return engine.check(value);
        } catch (IllegalOptionException e) {
            throw Failures.named(e);
        }
    }

    public static IllegalArgumentException wrong(Setting setting, String value, String expected) {
        return wrong(setting, setting.option, value, expected);
    }

    private static IllegalArgumentException wrong(Setting setting, String name, String value, String expected) {
        String shown = setting.kind == Setting.Kind.SECRET ? "…" : value;
        return new IllegalArgumentException(
                "\"" + name + "\" is \"" + shown + "\", must be " + expected + ": " + setting.meaning());
    }

    /** Options of the driver by path, which override all other configuration of the driver. */
    Map<String, String> driver() {
        return driver;
    }

    /** The settings on which a connection depends: with equal ones, connections are shared. */
    public Map<String, String> connection() {
        Map<String, String> connection = new HashMap<>(driver);
        for (Setting setting : Setting.values()) {
            String value = find(setting);
            if (value != null && setting.isOfConnection()) {
                connection.put(setting.name(), value);
            }
        }
        return connection;
    }

    /** Each setting that was given, with the name under which it was given; passwords as "…". */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        values.forEach((setting, value) -> text.append(text.isEmpty() ? "" : ", ")
                .append(setting.option)
                .append('=')
                .append(setting.kind == Setting.Kind.SECRET ? "…" : value.text)
                .append(" (")
                .append(value.name)
                .append(')'));
        driver.keySet().forEach(path -> text.append(", driver.").append(path));
        return text.toString();
    }
}
