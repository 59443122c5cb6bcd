package io.overdrive.spark;

import io.overdrive.ConnectOptions;
import io.overdrive.Overdrive;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * One engine for each cluster in this JVM, shared by all that reads and writes here, kept until the JVM ends.
 * Thread-safe.
 */
final class Engines {
    private static final Map<Map<Setting, String>, Overdrive> ENGINES = new ConcurrentHashMap<>();

    private Engines() {}

    /** The engine for the cluster that the settings name; connects where this is the first to ask. */
    static Overdrive of(Settings settings) {
        return ENGINES.computeIfAbsent(settings.connection(), key -> Overdrive.connect(options(settings)));
    }

    private static ConnectOptions options(Settings settings) {
        ConnectOptions.Builder options =
                ConnectOptions.builder().timeout(Duration.ofMillis(settings.number(Setting.CONNECT_TIMEOUT)));
        for (String host : settings.get(Setting.HOST).split(",", -1)) {
            String name = host.strip();
            boolean hasPort = name.matches("\\[.*]:\\d+|[^:\\[]+:\\d+");
            options.contactPoint(hasPort ? name : name + ":" + settings.number(Setting.PORT));
        }
        String datacenter = settings.find(Setting.DATACENTER);
        if (datacenter != null) {
            options.datacenter(datacenter);
        }
        String username = settings.find(Setting.USERNAME);
        String password = settings.find(Setting.PASSWORD);
        if (username != null || password != null) {
            options.credentials(required(username, Setting.USERNAME), required(password, Setting.PASSWORD));
        }
        String file = settings.find(Setting.DRIVER_CONFIG);
        if (file != null) {
            options.driverConfig(Path.of(file));
        }
        return options.build();
    }

    private static String required(@Nullable String value, Setting setting) {
        if (value == null) {
            throw new IllegalArgumentException(
                    "options \"username\" and \"password\" belong together, and there is no \"" + setting.option
                            + "\"");
        }
        return value;
    }
}
