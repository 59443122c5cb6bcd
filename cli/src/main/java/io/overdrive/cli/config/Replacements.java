package io.overdrive.cli.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Options that say another thing than others do, and so replace values of them from lower levels: {@code --local} on the command line
 * replaces the hosts and the user of the file. On one level, both are kept, and the command refuses them. Stateless.
 */
final class Replacements {
    private static final List<String> TLS_FILES = List.of(
            "tls-truststore",
            "tls-keystore",
            "tls-ca",
            "tls-cert",
            "tls-key",
            "tls-password-file",
            "tls-password-command",
            "truststore-password",
            "keystore-password",
            "tls-key-password");

    private static final List<String> PASSWORD = List.of("password", "password-file", "password-command");
    private static final Map<String, Set<String>> REPLACED = replaced();

    private Replacements() {}

    private static Map<String, Set<String>> replaced() {
        Map<String, Set<String>> all = new HashMap<>();
        for (String cluster : List.of("--", "--to-", "--jmx-")) {
            List<String> tls = new ArrayList<>(TLS_FILES);
            tls.addAll(List.of("tls", "tls-any-host"));
            List<String> ofBundle = new ArrayList<>(tls);
            ofBundle.addAll(List.of("host", "port", "dc", "dc-failover", "local"));
            add(all, cluster, "bundle", ofBundle);
            add(all, cluster, "host", List.of("local", "bundle"));
            List<String> ofLocal = new ArrayList<>(tls);
            ofLocal.addAll(PASSWORD);
            ofLocal.addAll(List.of("host", "bundle", "dc", "dc-failover", "user"));
            add(all, cluster, "local", ofLocal);
            eachOther(all, cluster, PASSWORD);
            List<String> ofStores = List.of("truststore-password", "keystore-password", "tls-key-password");
            for (String option : List.of("tls-password-file", "tls-password-command")) {
                add(all, cluster, option, ofStores);
            }
            eachOther(all, cluster, List.of("tls-password-file", "tls-password-command"));
            eachOther(all, cluster, List.of("tls-truststore", "tls-ca"));
            add(all, cluster, "tls-keystore", List.of("tls-cert", "tls-key"));
            add(all, cluster, "tls-cert", List.of("tls-keystore"));
        }
        return all;
    }

    private static void eachOther(Map<String, Set<String>> all, String cluster, List<String> options) {
        options.forEach(option -> add(all, cluster, option, options));
    }

    private static void add(Map<String, Set<String>> all, String cluster, String option, List<String> replaced) {
        Set<String> names = all.computeIfAbsent(cluster + option, name -> new HashSet<>());
        replaced.forEach(name -> names.add(cluster + name));
        names.remove(cluster + option);
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
            Set<String> others = each.isOff() ? ofFlagThatIsOff(name) : REPLACED.getOrDefault(name, Set.of());
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

    private static Set<String> ofFlagThatIsOff(String name) {
        Set<String> others = new HashSet<>();
        if (name.equals("--tls") || name.equals("--to-tls")) {
            TLS_FILES.forEach(file -> others.add(name.replace("tls", file)));
        }
        return others;
    }

    /** A password in the file belongs to the user in the file, and is not sent for another one. */
    private static void passwordsOfAnotherUser(Map<String, Given> values, Set<String> dropped) {
        for (String cluster : List.of("--", "--to-", "--jmx-")) {
            Given user = values.get(cluster + "user");
            for (String password : PASSWORD) {
                Given value = values.get(cluster + password);
                if (user != null
                        && value != null
                        && !user.level().isFile()
                        && value.level().isFile()) {
                    dropped.add(cluster + password);
                }
            }
        }
    }
}
