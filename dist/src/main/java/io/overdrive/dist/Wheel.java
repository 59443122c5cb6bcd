package io.overdrive.dist;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipArchiveOutputStream;

/**
 * A package for pip: a zip with a list of its files. Its bytes depend on what is added, in which order, and on the time only.
 * Confined.
 */
final class Wheel implements Closeable {
    private static final String DISTRIBUTION = "overdrive_cassandra";
    private static final int FILE_MODE = 0100644;
    private static final int PROGRAM_MODE = 0100755;
    private static final Pattern VERSION =
            Pattern.compile("(\\d+(?:\\.\\d+)*)(?:-(SNAPSHOT|alpha|beta|rc)(?:\\.?(\\d+))?)?");

    private final String version;
    private final Instant time;
    private final ZipArchiveOutputStream zip;
    private final StringBuilder record = new StringBuilder();

    /** A wheel in a directory, for any system. */
    Wheel(Path directory, String version, Instant time) throws IOException {
        this.version = pythonVersion(version);
        this.time = time;
        zip = new ZipArchiveOutputStream(directory.resolve(DISTRIBUTION + "-" + this.version + "-py3-none-any.whl"));
    }

    /** Python writes versions its own way: 1.0.dev0 for 1.0-SNAPSHOT, 1.0rc2 for 1.0-rc.2. */
    static String pythonVersion(String version) {
        Matcher m = VERSION.matcher(version);
        if (!m.matches()) {
            throw new IllegalArgumentException(
                    "version " + version
                            + " has no counterpart in Python: use 1.2.3, 1.2.3-SNAPSHOT, 1.2.3-alpha.1, 1.2.3-beta.1 or 1.2.3-rc.1");
        }
        String number = m.group(3) == null ? "0" : m.group(3);
        String kind = m.group(2) == null ? "" : m.group(2).toLowerCase(Locale.ROOT);
        return m.group(1)
                + switch (kind) {
                    case "snapshot" -> ".dev" + number;
                    case "alpha" -> "a" + number;
                    case "beta" -> "b" + number;
                    case "rc" -> "rc" + number;
                    default -> "";
                };
    }

    String metadataDirectory() {
        return DISTRIBUTION + "-" + version + ".dist-info/";
    }

    /** Directory for files that pip installs below the environment, such as share/man. */
    String dataDirectory() {
        return DISTRIBUTION + "-" + version + ".data/data/";
    }

    /** All files of a directory, in the order of their names, but for what Python has compiled. */
    void addAll(String name, Path directory) throws IOException {
        for (Path file : Trees.files(directory)) {
            if (!file.toString().endsWith(".pyc")) {
                add(name + Trees.name(directory, file), file);
            }
        }
    }

    void add(String name, Path file) throws IOException {
        add(name, Files.readAllBytes(file), Files.isExecutable(file) ? PROGRAM_MODE : FILE_MODE);
    }

    void add(String name, String text) throws IOException {
        add(name, text.getBytes(StandardCharsets.UTF_8), FILE_MODE);
    }

    private void add(String name, byte[] bytes, int mode) throws IOException {
        String digest = Base64.getUrlEncoder().withoutPadding().encodeToString(Sha256.of(bytes));
        record.append(name)
                .append(",sha256=")
                .append(digest)
                .append(',')
                .append(bytes.length)
                .append('\n');
        entry(name, bytes, mode);
    }

    private void entry(String name, byte[] bytes, int mode) throws IOException {
        ZipArchiveEntry entry = new ZipArchiveEntry(name);
        entry.setTime(time.toEpochMilli());
        entry.setUnixMode(mode);
        zip.putArchiveEntry(entry);
        zip.write(bytes);
        zip.closeArchiveEntry();
    }

    /** Adds the metadata: head lines such as Summary, and a description as Markdown. */
    void describe(List<String> head, String description) throws IOException {
        add(
                metadataDirectory() + "METADATA",
                "Metadata-Version: 2.4\nName: overdrive-cassandra\nVersion: " + version + "\n"
                        + String.join("\n", head)
                        + "\nDescription-Content-Type: text/markdown\n\n" + description);
        add(
                metadataDirectory() + "WHEEL",
                "Wheel-Version: 1.0\nGenerator: overdrive\nRoot-Is-Purelib: true\nTag: py3-none-any\n");
        add(metadataDirectory() + "entry_points.txt", "[console_scripts]\noverdrive = " + DISTRIBUTION + ":main\n");
    }

    @Override
    public void close() throws IOException {
        String name = metadataDirectory() + "RECORD";
        record.append(name).append(",,\n");
        entry(name, record.toString().getBytes(StandardCharsets.UTF_8), FILE_MODE);
        zip.close();
    }
}
