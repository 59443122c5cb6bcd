package io.overdrive.cli;

import io.overdrive.internal.names.Build;
import java.util.Properties;
import java.util.stream.Stream;
import picocli.CommandLine.IVersionProvider;

/**
 * The output of {@code --version}: the version and the commit that the build has recorded, and the Java that runs.
 * Stateless.
 */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return lines(Build.recorded(), System.getProperties())
                .map(line -> line.replace("%", "%%")) // picocli formats it
                .toArray(String[]::new);
    }

    static Stream<String> lines(Build build, Properties java) {
        return Stream.of(
                "overdrive " + build.version(),
                "commit " + build.commitInWords(),
                "Java " + text(java, "java.runtime.version") + ", " + text(java, "java.vendor") + ", "
                        + text(java, "java.home"));
    }

    private static String text(Properties properties, String name) {
        return properties.getProperty(name, "unknown");
    }
}
