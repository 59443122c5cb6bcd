package io.overdrive.internal.names;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Properties;

/**
 * The version and the commit that the build has recorded; the commit is {@code unknown} in a build without git. Immutable.
 *
 * @param changed whether the sources had changes that were not committed
 */
public record Build(String version, String commit, boolean changed) {
    private static final int SHORT_COMMIT = 10;
    private static final String UNKNOWN = "unknown";

    /** The build of this program. */
    public static Build recorded() {
        Properties properties = new Properties();
        try (InputStream in = Objects.requireNonNull(Build.class.getResourceAsStream("build.properties"))) {
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException("build.properties of the installation cannot be read", e);
        }
        return new Build(
                properties.getProperty("version", UNKNOWN),
                properties.getProperty("commit", UNKNOWN),
                properties.getProperty("changed", "").equals("true"));
    }

    /** Readable text: {@code 0123456789, with changes that were not committed}. */
    public String commitInWords() {
        return commit.substring(0, Math.min(SHORT_COMMIT, commit.length()))
                + (changed ? ", with changes that were not committed" : "");
    }
}
