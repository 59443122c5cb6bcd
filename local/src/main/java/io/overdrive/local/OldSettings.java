package io.overdrive.local;

import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Settings of cassandra.yaml as Cassandra 4.0 has them: the unit is in the name, as in {@code read_request_timeout_in_ms: 5000}, where
 * later versions have it in the value, as in {@code read_request_timeout: 5s}. Thread-safe: no state.
 */
final class OldSettings {
    private static final Properties NAMES = names();
    private static final Pattern QUANTITY = Pattern.compile("(\\d{1,12}) *([A-Za-z]+)");

    private OldSettings() {}

    /** Settings by their names in 4.0; settings that have the same name there are kept. */
    static Map<String, String> of(Map<String, String> settings) {
        Map<String, String> old = new LinkedHashMap<>();
        settings.forEach((name, value) -> {
            String oldName = NAMES.getProperty(name, name);
            old.put(oldName, oldName.equals(name) ? value : value(name, oldName, value));
        });
        return old;
    }

    /** The number that counts the unit of the old name; a value that is no quantity, such as {@code true}, stays. */
    private static String value(String name, String oldName, String value) {
        Matcher quantity = QUANTITY.matcher(value);
        if (!quantity.matches()) {
            return value;
        }
        long amount = Long.parseLong(quantity.group(1)) * size(name, quantity.group(2));
        long unit = size(name, unitOf(oldName));
        if (amount % unit != 0) {
            throw new IllegalArgumentException("cassandra.yaml setting \"" + name + "\" is " + value
                    + ", but Cassandra 4.0 has it as " + oldName + ": give a multiple of that unit");
        }
        return Long.toString(amount / unit);
    }

    private static String unitOf(String oldName) {
        String name =
                oldName.endsWith("_per_ip") ? oldName.substring(0, oldName.length() - "_per_ip".length()) : oldName;
        return name.substring(name.lastIndexOf('_') + 1);
    }

    /** Factor of a unit to milliseconds or bytes. */
    private static long size(String name, String unit) {
        return switch (unit) {
            case "ms", "B", "bytes" -> 1;
            case "s", "sec", "secs", "seconds" -> 1_000;
            case "m", "minutes" -> 60_000;
            case "h" -> 3_600_000;
            case "d" -> 86_400_000;
            case "KiB", "kb" -> 1L << 10;
            case "MiB", "mb" -> 1L << 20;
            case "GiB" -> 1L << 30;
            default ->
                throw new IllegalArgumentException("cassandra.yaml setting \"" + name + "\" has the unit \"" + unit
                        + "\", must be ms, s, m, h, d, B, KiB, MiB or GiB");
        };
    }

    private static Properties names() {
        Properties names = new Properties();
        try (InputStream in = Server.resource("settings-4.0.properties")) {
            names.load(in);
        } catch (IOException e) {
            throw new IllegalStateException("resource settings-4.0.properties cannot be read", e);
        }
        return names;
    }
}
