package io.overdrive.internal.connect;

import io.overdrive.ConnectOptions;
import io.overdrive.Setting;
import io.overdrive.Setting.Kind;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Makes connection options of the values of settings. Stateless. */
public final class Connecting {
    private Connecting() {}

    /** Sets the bundle, or else the contact points. */
    public static void setServers(ConnectOptions.Builder options, ConnectValues given) {
        Path bundle = given.file(ConnectSetting.BUNDLE);
        if (bundle != null) {
            options.bundle(bundle);
        } else {
            setContactPoints(options, given);
        }
    }

    /** Sets the contact points. */
    public static void setContactPoints(ConnectOptions.Builder options, ConnectValues given) {
        int port = orDefault(given, ConnectSetting.PORT);
        for (String each : orDefault(given, ConnectSetting.HOST).split(",", -1)) {
            String host = each.strip();
            try {
                options.contactPoint(withPort(host, port));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        given.name(ConnectSetting.HOST) + " is \"" + host
                                + "\", must be HOST or HOST:PORT, with a port of 1 to 65535",
                        e);
            }
        }
    }

    /** The host with this port, unless it has one. An IPv6 address is in brackets if a port follows. */
    private static String withPort(String host, int port) {
        int colon = host.lastIndexOf(':');
        if (host.isEmpty()
                || (colon >= 0 && !host.endsWith("]") && (host.indexOf(':') == colon || host.startsWith("[")))) {
            return host;
        }
        return (colon < 0 || host.endsWith("]") ? host : "[" + host + "]") + ":" + port;
    }

    /** Sets all but the servers. */
    public static void setOthers(ConnectOptions.Builder options, ConnectValues given) {
        options.timeout(orDefault(given, ConnectSetting.CONNECT_TIMEOUT))
                .wireCompression(orDefault(given, ConnectSetting.WIRE_COMPRESSION));
        String datacenter = given.find(ConnectSetting.DATACENTER);
        if (datacenter != null) {
            options.datacenter(datacenter);
        }
        String failover = given.find(ConnectSetting.FAILOVER_DATACENTER);
        if (failover != null) {
            options.failoverDatacenter(failover);
        }
        String user = given.find(ConnectSetting.USERNAME);
        String password = given.secret(ConnectSetting.PASSWORD);
        if (user != null && password != null) {
            options.credentials(user, password);
        } else if (user != null || password != null) {
            throw together(given, ConnectSetting.USERNAME, ConnectSetting.PASSWORD);
        }
        if (isEncrypted(given)) {
            options.tls(given.tls());
            if (orDefault(given, ConnectSetting.TLS_ANY_HOST)) {
                options.anyHostName();
            }
        }
        Path driverConfig = given.file(ConnectSetting.DRIVER_CONFIG);
        if (driverConfig != null) {
            options.driverConfig(driverConfig);
        }
    }

    /** Whether connections are encrypted: as the user says, or else if there is anything that only encrypted ones need. */
    public static boolean isEncrypted(ConnectValues given) {
        Boolean tls = given.find(ConnectSetting.TLS);
        return tls != null
                ? tls
                : orDefault(given, ConnectSetting.TLS_ANY_HOST)
                        || ConnectSetting.TLS_FILES.stream()
                                .anyMatch(setting -> setting.kind() != Kind.SECRET && given.isGiven(setting));
    }

    private static <T extends Comparable<? super T>> T orDefault(ConnectValues given, Setting<T> setting) {
        @Nullable T value = given.find(setting);
        return value != null ? value : setting.requireDefault();
    }

    static IllegalArgumentException together(ConnectValues given, Setting<?> one, Setting<?> other) {
        return new IllegalArgumentException(
                given.name(one) + " and " + given.name(other) + " belong together: give both or neither");
    }

    /** Refuses two settings of which one is enough. */
    public static void exclude(ConnectValues given, Setting<?> one, Setting<?> other) {
        if (given.isGiven(one) && given.isGiven(other)) {
            throw new IllegalArgumentException(
                    given.name(one) + " and " + given.name(other) + " exclude each other: choose one");
        }
    }
}
