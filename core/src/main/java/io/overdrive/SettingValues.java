package io.overdrive;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The values of settings, and which of them the user has set. Confined to one thread while it is filled, then immutable. */
final class SettingValues {
    private final List<Setting<?>> all;
    private final Map<Setting<?>, Object> byUser = new HashMap<>();
    private final Map<Setting<?>, Object> byDefault = new HashMap<>();

    SettingValues(List<Setting<?>> all) {
        this.all = all;
        for (Setting<?> setting : all) {
            Object value = setting.byDefault();
            if (value != null) {
                byDefault.put(setting, value);
            }
        }
    }

    /** A copy. */
    SettingValues(SettingValues other) {
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

    /** Replaces a default that depends on another setting. */
    <T extends Comparable<? super T>> void setDefault(Setting<T> setting, T value) {
        byDefault.put(setting, value);
    }

    void removeDefault(Setting<?> setting) {
        byDefault.remove(setting);
    }

    /** @throws IllegalArgumentException if a value is out of bounds */
    SettingValues check() {
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
