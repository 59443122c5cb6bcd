package io.overdrive.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.Stream;
import picocli.CommandLine.IVersionProvider;

/**
 * The output of {@code --version}: the version and the commit that the build has recorded, and the Java that runs.
 * Stateless.
 */
final class Version implements IVersionProvider {
    private static final int SHORT_COMMIT = 10;

    @Override
    public String[] getVersion() {
        return lines(recorded(), System.getProperties())
                .map(line -> line.replace("%", "%%")) // picocli formats it
                .toArray(String[]::new);
    }

    static Stream<String> lines(Properties build, Properties java) {
        String commit = text(build, "commit");
        String changed = text(build, "changed").equals("true") ? ", with changes that were not committed" : "";
        return Stream.of(
                "overdrive " + text(build, "version"),
                "commit " + commit.substring(0, Math.min(SHORT_COMMIT, commit.length())) + changed,
                "Java " + text(java, "java.runtime.version") + ", " + text(java, "java.vendor") + ", "
                        + text(java, "java.home"));
    }

    private static String text(Properties properties, String name) {
        return properties.getProperty(name, "unknown");
    }

    private static Properties recorded() {
        Properties properties = new Properties();
        try (InputStream in = Objects.requireNonNull(Version.class.getResourceAsStream("version.properties"))) {
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException("version.properties of the installation cannot be read", e);
        }
        return properties;
    }
}
