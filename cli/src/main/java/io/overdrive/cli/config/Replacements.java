package io.overdrive.cli.config;

import static io.overdrive.internal.connect.ConnectSetting.BUNDLE;
import static io.overdrive.internal.connect.ConnectSetting.CREDENTIALS;
import static io.overdrive.internal.connect.ConnectSetting.DATACENTER;
import static io.overdrive.internal.connect.ConnectSetting.FAILOVER_DATACENTER;
import static io.overdrive.internal.connect.ConnectSetting.HOST;
import static io.overdrive.internal.connect.ConnectSetting.PORT;
import static io.overdrive.internal.connect.ConnectSetting.TLS;
import static io.overdrive.internal.connect.ConnectSetting.TLS_ANY_HOST;
import static io.overdrive.internal.connect.ConnectSetting.TLS_CA;
import static io.overdrive.internal.connect.ConnectSetting.TLS_CERT;
import static io.overdrive.internal.connect.ConnectSetting.TLS_FILES;
import static io.overdrive.internal.connect.ConnectSetting.TLS_KEY;
import static io.overdrive.internal.connect.ConnectSetting.TLS_KEYSTORE;
import static io.overdrive.internal.connect.ConnectSetting.TLS_PASSWORD_COMMAND;
import static io.overdrive.internal.connect.ConnectSetting.TLS_PASSWORD_FILE;
import static io.overdrive.internal.connect.ConnectSetting.TLS_TRUSTSTORE;
import static io.overdrive.internal.connect.ConnectSetting.USERNAME;

import io.overdrive.Setting;
import io.overdrive.Setting.Kind;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Options that say another thing than others do, and so replace values of them from lower levels: {@code --local} on the command line
 * replaces the hosts and the user of the file. On one level, both are kept, and the command refuses them. Stateless.
 */
final class Replacements {
    /** The name, without dashes, of the option of a local node, which is no setting. */
    private static final String LOCAL = "local";

    private static final List<Setting<?>> PASSWORDS =
            CREDENTIALS.stream().filter(setting -> setting != USERNAME).toList();

    private static final List<Setting<?>> STORE_PASSWORDS =
            TLS_FILES.stream().filter(setting -> setting.kind() == Kind.SECRET).toList();

    private static final Map<String, Set<String>> REPLACED = replaced();

    private Replacements() {}

    private static Map<String, Set<String>> replaced() {
        Map<String, Set<String>> all = new HashMap<>();
        for (Server server : Server.values()) {
            List<Setting<?>> encryption = concat(List.of(TLS, TLS_ANY_HOST), TLS_FILES);
            List<Setting<?>> datacenters = List.of(DATACENTER, FAILOVER_DATACENTER);
            String local = server.option(LOCAL);
            add(all, server, local, concat(encryption, CREDENTIALS, datacenters, List.of(HOST, BUNDLE)));
            add(all, server, server.option(BUNDLE), concat(encryption, datacenters, List.of(HOST, PORT)));
            add(all, server, server.option(HOST), List.of(BUNDLE));
            for (Setting<?> servers : List.of(HOST, BUNDLE)) {
                namesReplacedBy(all, server.option(servers)).add(local);
            }
            eachOther(all, server, PASSWORDS);
            eachOther(all, server, List.of(TLS_PASSWORD_FILE, TLS_PASSWORD_COMMAND));
            for (Setting<?> password : List.of(TLS_PASSWORD_FILE, TLS_PASSWORD_COMMAND)) {
                add(all, server, server.option(password), STORE_PASSWORDS);
            }
            eachOther(all, server, List.of(TLS_TRUSTSTORE, TLS_CA));
            add(all, server, server.option(TLS_KEYSTORE), List.of(TLS_CERT, TLS_KEY));
            add(all, server, server.option(TLS_CERT), List.of(TLS_KEYSTORE));
        }
        return all;
    }

    @SafeVarargs
    private static List<Setting<?>> concat(List<? extends Setting<?>>... parts) {
        return Stream.of(parts).<Setting<?>>flatMap(List::stream).toList();
    }

    private static void eachOther(Map<String, Set<String>> all, Server server, List<? extends Setting<?>> settings) {
        settings.forEach(setting -> add(all, server, server.option(setting), settings));
    }

    private static void add(
            Map<String, Set<String>> all, Server server, String option, Collection<? extends Setting<?>> replaced) {
        Set<String> names = namesReplacedBy(all, option);
        replaced.forEach(setting -> names.add(server.option(setting)));
        names.remove(option);
    }

    private static Set<String> namesReplacedBy(Map<String, Set<String>> all, String option) {
        return all.computeIfAbsent(option, name -> new HashSet<>());
    }

    /**
     * Removes the values that are replaced.
     *
     * @param isSameUser whether passwords of the file belong to the user, wherever the user's name comes from
     */
    static void apply(Map<String, Given> values, boolean isSameUser) {
        Set<String> dropped = new HashSet<>();
        for (Given each : values.values()) {
            String name = each.option().longestName();
            Set<String> others = each.isOff() ? replacedByFlagThatIsOff(name) : REPLACED.getOrDefault(name, Set.of());
            for (String other : others) {
                Given value = values.get(other);
                if (value != null && each.level().compareTo(value.level()) < 0) {
                    dropped.add(other);
                }
            }
        }
        if (!isSameUser) {
            passwordsOfAnotherUser(values, dropped);
        }
        dropped.forEach(values::remove);
    }

    private static Set<String> replacedByFlagThatIsOff(String name) {
        Set<String> others = new HashSet<>();
        for (Server server : Server.values()) {
            if (name.equals(server.option(TLS))) {
                TLS_FILES.forEach(file -> others.add(server.option(file)));
            }
        }
        return others;
    }

    /** A password in the file belongs to the user in the file, and is not sent for another one. */
    private static void passwordsOfAnotherUser(Map<String, Given> values, Set<String> dropped) {
        for (Server server : Server.values()) {
            Given user = values.get(server.option(USERNAME));
            for (Setting<?> password : PASSWORDS) {
                Given value = values.get(server.option(password));
                if (user != null
                        && value != null
                        && !user.level().isFile()
                        && value.level().isFile()) {
                    dropped.add(value.option().longestName());
                }
            }
        }
    }
}
