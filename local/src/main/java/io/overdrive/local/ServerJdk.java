package io.overdrive.local;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The JDK that Cassandra runs on, which may differ from ours: it installs a SecurityManager, and that ended with JDK 24. Immutable.
 *
 * @param home its directory, the one that has {@code bin/java}
 * @param version {@code JAVA_VERSION} of its {@code release} file, for example {@code 17.0.15}
 */
record ServerJdk(Path home, String version) {
    /** The first one that this version runs on best, among our own, those that variables name, and the usual places. */
    static ServerJdk find(ServerVersion version) {
        return choose(version, candidates(System.getenv()));
    }

    static ServerJdk choose(ServerVersion version, Collection<Path> homes) {
        Map<Path, ServerJdk> found = new LinkedHashMap<>();
        for (Path home : homes) {
            Path real = real(home);
            if (!found.containsKey(real)
                    && Files.isExecutable(real.resolve("bin").resolve("java"))) {
                found.put(real, new ServerJdk(real, readVersion(real)));
            }
        }
        for (int wanted : version.javas()) {
            for (ServerJdk jdk : found.values()) {
                if (jdk.feature() == wanted) {
                    return jdk;
                }
            }
        }
        String seen = found.isEmpty() ? "none at all" : "only " + String.join(", ", describe(found.values()));
        String javas = version.javas().stream().map(String::valueOf).collect(Collectors.joining(" or "));
        int best = version.javas().get(0);
        throw new LocalClusterException(version + " runs on Java " + javas + ", and there is " + seen
                + "; install a JDK " + best + " and set JAVA_HOME_" + best
                + " to it (Overdrive itself may run on another)");
    }

    /** 17 for 17.0.15, 8 for 1.8.0_392, 0 if the version is unknown. */
    int feature() {
        String[] parts = version.split("[._+-]");
        int first = number(parts[0]);
        return first == 1 && parts.length > 1 ? number(parts[1]) : first;
    }

    Path java() {
        return home.resolve("bin").resolve("java");
    }

    static List<Path> candidates(Map<String, String> environment) {
        List<Path> homes = new ArrayList<>();
        homes.add(Path.of(System.getProperty("java.home")));
        // JAVA_HOME itself first; machines with several JDKs often have variables such as JAVA_HOME_11_X64.
        new TreeMap<>(environment).forEach((name, home) -> {
            if ((name.equals("JAVA_HOME") || name.startsWith("JAVA_HOME_")) && !home.isBlank()) {
                homes.add(Path.of(home));
            }
        });
        Path user = LocalOptions.userHome(environment);
        addChildren(homes, Path.of("/usr/lib/jvm"), "");
        addChildren(homes, Path.of("/opt/java"), "");
        addChildren(homes, user.resolve(".sdkman/candidates/java"), "");
        addChildren(homes, user.resolve(".jdks"), "");
        addChildren(homes, Path.of("/Library/Java/JavaVirtualMachines"), "Contents/Home");
        addChildren(homes, user.resolve("Library/Java/JavaVirtualMachines"), "Contents/Home");
        return homes;
    }

    private static void addChildren(List<Path> homes, Path parent, String below) {
        if (!Files.isDirectory(parent)) {
            return;
        }
        List<Path> children = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(parent)) {
            stream.forEach(child -> children.add(child.resolve(below)));
        } catch (IOException e) {
            return; // a directory that cannot be listed has no usable JDK
        }
        children.sort(null);
        homes.addAll(children);
    }

    private static String readVersion(Path home) {
        Properties release = new Properties();
        try (Reader reader = Files.newBufferedReader(home.resolve("release"))) {
            release.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            return "unknown"; // some JREs have no such file; they are listed, but not chosen
        }
        return release.getProperty("JAVA_VERSION", "unknown").replace("\"", "");
    }

    private static Path real(Path home) {
        try {
            return home.toRealPath();
        } catch (IOException e) {
            return home; // missing: the check for bin/java drops it
        }
    }

    private static List<String> describe(Collection<ServerJdk> jdks) {
        return jdks.stream().map(jdk -> jdk.version + " in " + jdk.home).toList();
    }

    private static int number(String digits) {
        try {
            return Integer.parseInt(digits);
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
