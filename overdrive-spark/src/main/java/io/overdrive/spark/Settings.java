package io.overdrive.spark;

import java.io.Serializable;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one read, write or catalog, with the origin of each. Immutable; travels to the executors, and holds
 * passwords, so its printed form has none.
 */
final class Settings implements Serializable {
    private static final long serialVersionUID = 1;

    private final EnumMap<Setting, String> values;

    private Settings(EnumMap<Setting, String> values) {
        this.values = values;
    }

    /**
     * Settings by their precedence: option, then session and application.
     *
     * @param options of the read, write or catalog; letter case does not matter
     * @param session the session's configuration, which has the application's in it
     */
    static Settings of(Map<String, String> options, Map<String, String> session) {
        Map<String, String> byName = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        byName.putAll(session);
        Map<String, String> byOption = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        byOption.putAll(options);
        EnumMap<Setting, String> values = new EnumMap<>(Setting.class);
        for (Setting setting : Setting.values()) {
            String value = find(setting, byOption, byName);
            if (value != null) {
                values.put(setting, value);
            }
        }
        return new Settings(values);
    }

    private static @Nullable String find(Setting setting, Map<String, String> options, Map<String, String> session) {
        String value = options.get(setting.option);
        value = value != null ? value : named(setting, options);
        return value != null ? value : named(setting, session);
    }

    private static @Nullable String named(Setting setting, Map<String, String> from) {
        String value = from.get(Setting.OURS + setting.option);
        for (String alias : setting.aliases) {
            value = value != null ? value : from.get(Setting.THEIRS + alias);
        }
        return value;
    }

    /** The same settings with one changed. */
    Settings with(Setting setting, String value) {
        EnumMap<Setting, String> changed = new EnumMap<>(values);
        changed.put(setting, value);
        return new Settings(changed);
    }

    /** The value, or the default; null where there is neither. */
    @Nullable String find(Setting setting) {
        String value = values.get(setting);
        return value != null ? value : setting.byDefault;
    }

    /** The value, or the default. */
    String get(Setting setting) {
        String value = find(setting);
        if (value == null) {
            throw new IllegalArgumentException("option \"" + setting.option + "\" is missing: " + setting.meaning);
        }
        return value;
    }

    boolean isOn(Setting setting) {
        String value = get(setting).strip().toLowerCase(Locale.ROOT);
        return switch (value) {
            case "true" -> true;
            case "false" -> false;
            default -> throw wrong(setting, value, "true or false");
        };
    }

    long number(Setting setting) {
        String value = get(setting).strip();
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw wrong(setting, value, "a whole number");
        }
    }

    static IllegalArgumentException wrong(Setting setting, String value, String expected) {
        return new IllegalArgumentException(
                "option \"" + setting.option + "\" is \"" + value + "\", must be " + expected + ": " + setting.meaning);
    }

    /** What makes two connections the same. */
    Map<Setting, String> connection() {
        Map<Setting, String> connection = new HashMap<>();
        for (Setting setting : Setting.values()) {
            String value = find(setting);
            if (value != null
                    && setting.compareTo(Setting.HOST) >= 0
                    && setting.compareTo(Setting.TLS_CHECK_HOST) <= 0) {
                connection.put(setting, value);
            }
        }
        return connection;
    }
}
