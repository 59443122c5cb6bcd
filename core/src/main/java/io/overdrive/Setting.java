package io.overdrive;

import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.MessageText;
import io.overdrive.internal.names.NamedOption;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A setting: its name, default, bounds and help, stated once for the builders, the command line and the Spark connector. {@link
 * WriteSetting} and {@link ScanSetting} list those of {@link WriteOptions} and {@link ScanOptions}. Immutable.
 *
 * @param <T> type of the value; Long for numbers
 */
public final class Setting<T extends Comparable<? super T>> implements NamedOption {
    /** Kinds of values, by how they are written on the command line. */
    public enum Kind {
        COUNT,
        BYTES,
        /** A Duration, as a number of seconds. */
        DURATION,
        /** A Long, as a whole number of seconds. */
        SECONDS,
        /** Microseconds since 1970. */
        MICROS,
        GROUPING,
        IN_FLIGHT_CONTROL,
        CONSISTENCY,
        DIRECTORY,
        FLAG,
        /** Hosts, comma-separated. */
        HOSTS,
        PORT,
        NAME,
        FILE,
        /** A command of the shell. */
        COMMAND,
        COMPRESSION,
        /** A password, which is never shown, and not kept. */
        SECRET
    }

    /** Takes the values of settings, as the builders of options do. */
    public interface Target {
        <T extends Comparable<? super T>> Object set(Setting<T> setting, T value);
    }

    private static final String UNLIMITED = "unlimited";

    private final String name;
    private final Kind kind;
    private final Supplier<? extends @Nullable T> byDefault;
    private final String defaultText;
    private final @Nullable T min;
    private final @Nullable T max;
    private final String help;

    private Setting(
            String name,
            Kind kind,
            Supplier<? extends @Nullable T> byDefault,
            String defaultText,
            @Nullable T min,
            @Nullable T max,
            String help) {
        this.name = name;
        this.kind = kind;
        this.byDefault = byDefault;
        this.defaultText = defaultText;
        this.min = min;
        this.max = max;
        this.help = help;
    }

    /** How the limit of requests in flight is found. */
    static Setting<InFlightControl> inFlightControl() {
        return of(
                        "inFlightControl",
                        Kind.IN_FLIGHT_CONTROL,
                        InFlightControl.ROUND_TRIPS,
                        "How much may be in flight to a node: round_trips finds it by keeping round trips short; fixed"
                                + " is always the maximum; vegas, gradient and aimd are for comparison.")
                .defaultShownAs("round_trips");
    }

    /** A setting with a constant default and without bounds. */
    public static <T extends Comparable<? super T>> Setting<T> of(String name, Kind kind, T byDefault, String help) {
        return new Setting<>(name, kind, () -> byDefault, byDefault.toString(), null, null, help);
    }

    /** A number of something. */
    public static Setting<Long> count(String name, long byDefault, long min, long max, String help) {
        return new Setting<>(name, Kind.COUNT, () -> byDefault, String.valueOf(byDefault), min, max, help);
    }

    /** @param byDefault a power of two from 1 KiB */
    public static Setting<Long> bytes(String name, long byDefault, long min, long max, String help) {
        String text = byDefault < 1 << 20 ? (byDefault >> 10) + "KB" : (byDefault >> 20) + "MB";
        return new Setting<>(name, Kind.BYTES, () -> byDefault, text, min, max, help);
    }

    /** A limit of rows or bytes a second; the default {@code Long.MAX_VALUE} means no limit. */
    static Setting<Long> rateLimit(String name, Kind kind, String help) {
        return new Setting<>(name, kind, () -> Long.MAX_VALUE, UNLIMITED, 1L, Long.MAX_VALUE, help);
    }

    /** A time of at most a day. */
    public static Setting<Duration> duration(String name, Duration byDefault, Duration min, String help) {
        return new Setting<>(name, Kind.DURATION, () -> byDefault, seconds(byDefault), min, Duration.ofDays(1), help);
    }

    /**
     * A setting that is not set by default, and without bounds.
     *
     * @param defaultText empty if there is nothing to say
     */
    public static <T extends Comparable<? super T>> Setting<T> unset(
            String name, Kind kind, String defaultText, String help) {
        return new Setting<>(name, kind, () -> null, defaultText, null, null, help);
    }

    /** The same setting with bounds. */
    public Setting<T> within(T least, T most) {
        return new Setting<>(name, kind, byDefault, defaultText, least, most, help);
    }

    /** The same setting with another description of its default. */
    public Setting<T> defaultShownAs(String text) {
        return new Setting<>(name, kind, byDefault, text, min, max, help);
    }

    /** The same setting with another default, and how it is described. */
    Setting<T> withDefault(Supplier<T> value, String text) {
        return new Setting<>(name, kind, value, text, min, max, help);
    }

    /** The name in Java, in {@code settings()} and in messages: {@code batchBytes}. */
    public String name() {
        return name;
    }

    @Override
    public String javaName() {
        return name;
    }

    /** How a value is written on the command line. */
    public Kind kind() {
        return kind;
    }

    /** The default; null if there is none. It may depend on the Java heap. */
    public @Nullable T byDefault() {
        return byDefault.get();
    }

    /** The default of a setting that has one. */
    public T requireDefault() {
        return Objects.requireNonNull(byDefault(), name);
    }

    /** The default as the help shows it; empty if it shows none. */
    public String defaultText() {
        return defaultText;
    }

    /** The largest value; null if there are no bounds. */
    public @Nullable T max() {
        return max;
    }

    /** The purpose of the setting, as sentences, in which other settings of the same list may be named in braces. */
    public String help() {
        return help;
    }

    /**
     * The help as users read it.
     *
     * @param all the settings that the help may name
     * @param names their names for users
     */
    public String help(List<Setting<?>> all, Function<Setting<?>, String> names) {
        return named(help, all, names);
    }

    /** As {@link #help(List, Function)}, followed by the default unless the setting is on or off. */
    public String helpWithDefault(List<Setting<?>> all, Function<Setting<?>, String> names) {
        return kind == Kind.FLAG || defaultText.isEmpty()
                ? help(all, names)
                : named(help + " Default: " + defaultText + ".", all, names);
    }

    private static String named(String text, List<Setting<?>> all, Function<Setting<?>, String> names) {
        if (text.indexOf('{') < 0) {
            return text;
        }
        String named = text;
        for (Setting<?> each : all) {
            named = named.replace("{" + each.name + "}", names.apply(each));
        }
        return named;
    }

    /**
     * Returns the value.
     *
     * @throws IllegalArgumentException if it is out of bounds
     */
    public T check(T value) {
        return check(value, words -> words.of(this));
    }

    /** As {@link #check(Comparable)}, with another name for the message. */
    public T check(T value, String shownAs) {
        return check(value, MessageText.plain(shownAs));
    }

    private T check(T value, MessageText shownAs) {
        if (min != null && max != null && (value.compareTo(min) < 0 || value.compareTo(max) > 0)) {
            throw new IllegalOptionException(
                    words -> shownAs.in(words) + " is " + unitless(value) + unit() + ", must be " + unitless(min)
                            + (max.equals(Long.MAX_VALUE) ? " or more" : " to " + unitless(max) + unit()));
        }
        return value;
    }

    private String unit() {
        return kind == Kind.DURATION ? " s" : "";
    }

    private static String unitless(Object value) {
        return value instanceof Duration duration ? seconds(duration) : value.toString();
    }

    private static String seconds(Duration duration) {
        return BigDecimal.valueOf(duration.toMillis(), 3).stripTrailingZeros().toPlainString();
    }

    /** A value as {@code settings()} prints it. */
    String printed(@Nullable Object value) {
        if (value == null || value.equals(Long.MAX_VALUE)) {
            return kind == Kind.MICROS ? defaultText : "none";
        }
        return kind == Kind.GROUPING || kind == Kind.IN_FLIGHT_CONTROL
                ? value.toString().toLowerCase(Locale.ROOT)
                : value.toString();
    }

    @Override
    public String toString() {
        return name;
    }

    /** The values of settings, and which of them the user has set. Confined to one thread while it is filled, then immutable. */
    static final class Values {
        private final List<Setting<?>> all;
        private final Map<Setting<?>, Object> byUser = new HashMap<>();
        private final Map<Setting<?>, Object> byDefault = new HashMap<>();

        Values(List<Setting<?>> all) {
            this.all = all;
            for (Setting<?> setting : all) {
                Object value = setting.byDefault();
                if (value != null) {
                    byDefault.put(setting, value);
                }
            }
        }

        /** A copy. */
        Values(Values other) {
            all = other.all;
            byUser.putAll(other.byUser);
            byDefault.putAll(other.byDefault);
        }

        <T extends Comparable<? super T>> void set(Setting<T> setting, T value) {
            if (!all.contains(setting)) {
                throw new IllegalArgumentException(setting + " is not one of these settings: " + all);
            }
            byUser.put(setting, value);
        }

        /** Sets what the user has set in others of the same settings. */
        void setAll(Values others) {
            byUser.putAll(others.byUser);
        }

        /** Replaces a default that depends on another setting. */
        <T extends Comparable<? super T>> void setDefault(Setting<T> setting, T value) {
            byDefault.put(setting, value);
        }

        void removeDefault(Setting<?> setting) {
            byDefault.remove(setting);
        }

        /** @throws IllegalArgumentException if a value is out of bounds */
        Values check() {
            all.forEach(this::check);
            return this;
        }

        private <T extends Comparable<? super T>> void check(Setting<T> setting) {
            T value = find(setting);
            if (value != null) {
                setting.check(value);
            }
        }

        <T extends Comparable<? super T>> T get(Setting<T> setting) {
            return Objects.requireNonNull(find(setting));
        }

        @SuppressWarnings("unchecked") // put in by a typed method
        <T extends Comparable<? super T>> @Nullable T find(Setting<T> setting) {
            Object value = byUser.get(setting);
            return (T) (value != null ? value : byDefault.get(setting));
        }

        /** Whether the user has set it. */
        boolean isSet(Setting<?> setting) {
            return byUser.containsKey(setting);
        }

        /** Each value with its origin, by name. */
        Map<String, String> printed() {
            Map<String, String> printed = new LinkedHashMap<>();
            for (Setting<?> setting : all) {
                boolean isUsers = isSet(setting);
                Object value = isUsers ? byUser.get(setting) : byDefault.get(setting);
                printed.put(setting.name(), setting.printed(value) + (isUsers ? " (user)" : " (default)"));
            }
            return printed;
        }
    }
}
