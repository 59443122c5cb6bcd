package io.overdrive.spark.config;

import static io.overdrive.internal.connect.ConnectSetting.TLS_ANY_HOST;

import io.overdrive.internal.connect.ConnectValues;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The settings of a connection, for the engine. Plans (on the driver) and executes (on the executors). Immutable. */
record ConnectionValues(Settings settings) implements ConnectValues {
    /** Which values a setting of the engine has here. In this class, as {@link Setting} is not complete when it asks. */
    static Setting.Kind kind(io.overdrive.Setting<?> engine) {
        return switch (engine.kind()) {
            case HOSTS, NAME, FILE, COMMAND, DIRECTORY -> Setting.Kind.TEXT;
            case SECRET -> Setting.Kind.SECRET;
            case FLAG -> Setting.Kind.FLAG;
            case PORT -> Setting.Kind.PORT;
            case COMPRESSION -> Setting.Kind.COMPRESSION;
            case CONSISTENCY -> Setting.Kind.CONSISTENCY;
            case GROUPING -> Setting.Kind.GROUPING;
            case IN_FLIGHT_CONTROL -> Setting.Kind.IN_FLIGHT_CONTROL;
            case COUNT, BYTES, MICROS -> Setting.Kind.NUMBER;
            case DURATION, SECONDS -> Setting.Kind.SECONDS;
        };
    }

    @Override
    public boolean isGiven(io.overdrive.Setting<?> setting) {
        Setting own = Setting.of(setting);
        return own != null && settings.isGiven(own);
    }

    @Override
    @SuppressWarnings("unchecked") // the kind says which type a value has
    public <T extends Comparable<? super T>> @Nullable T find(io.overdrive.Setting<T> setting) {
        if (setting == TLS_ANY_HOST) {
            return (T) Boolean.valueOf(!settings.isOn(Setting.TLS_CHECK_HOST));
        }
        Setting own = Setting.of(setting);
        T value = own == null ? null : (T) settings.value(own);
        return value == null ? null : setting.check(value, name(setting));
    }

    @Override
    public @Nullable Path file(io.overdrive.Setting<Path> setting) {
        Setting own = Setting.of(setting);
        return own == null ? null : SettingFiles.find(settings, own);
    }

    @Override
    public @Nullable String secret(io.overdrive.Setting<String> setting) {
        return find(setting);
    }

    @Override
    public String name(io.overdrive.Setting<?> setting) {
        Setting own = Setting.of(setting);
        return own == null ? setting.name() : '"' + own.option + '"';
    }
}
