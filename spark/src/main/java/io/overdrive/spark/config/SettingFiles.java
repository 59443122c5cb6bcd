package io.overdrive.spark.config;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.apache.spark.SparkEnv;
import org.apache.spark.SparkFiles;
import org.apache.spark.deploy.SparkHadoopUtil;
import org.jspecify.annotations.Nullable;

/**
 * Files that settings name: by a path, by the name of a file that Spark has distributed, or by a URL. Plans (on the driver) and
 * executes (on the executors). Stateless.
 */
final class SettingFiles {
    /** One letter before the colon is a drive. */
    private static final Pattern URL = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:/.*");

    private SettingFiles() {}

    /**
     * A file that can be read; null if the setting has no value.
     *
     * @throws IllegalArgumentException if there is none
     */
    static @Nullable Path find(Settings settings, Setting setting) {
        String name = settings.find(setting);
        if (name == null) {
            return null;
        }
        if (!URL.matcher(name).matches()) {
            return local(setting, name, name);
        }
        org.apache.hadoop.fs.Path url = new org.apache.hadoop.fs.Path(name);
        return url.toUri().getScheme().equalsIgnoreCase("file")
                ? local(setting, name, url.toUri().getPath())
                : copy(setting, name, url);
    }

    /** The file itself, or the copy that Spark has distributed. */
    private static Path local(Setting setting, String name, String path) {
        try {
            Path file = Path.of(path);
            if (Files.isReadable(file)) {
                return file;
            }
            Path last = file.getFileName();
            if (SparkEnv.get() != null && last != null) {
                Path brought = Path.of(SparkFiles.get(last.toString()));
                if (Files.isReadable(brought)) {
                    return brought;
                }
            }
        } catch (InvalidPathException e) {
            throw missing(setting, name, e);
        }
        throw missing(setting, name, null);
    }

    private static IllegalArgumentException missing(Setting setting, String name, @Nullable Exception e) {
        return new IllegalArgumentException(
                "option \"" + setting.option + "\" is \"" + name
                        + "\": there is no such file, or it cannot be read; every executor needs it (spark-submit"
                        + " --files " + name + " distributes it)",
                e);
    }

    /** A copy that only this user can read, and that is deleted when the JVM ends. */
    private static Path copy(Setting setting, String name, org.apache.hadoop.fs.Path from) {
        try (InputStream in = from.getFileSystem(SparkHadoopUtil.get().conf()).open(from)) {
            Path copy = Files.createTempFile("overdrive-", "-" + from.getName());
            copy.toFile().deleteOnExit();
            try (OutputStream out = Files.newOutputStream(copy)) { // Files.copy would make another file, for all users
                in.transferTo(out);
            }
            return copy;
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "option \"" + setting.option + "\" is \"" + name + "\", which cannot be read: " + e.getMessage()
                            + "; every executor reads it (spark-submit --files " + name
                            + " distributes it: then its name without a directory is enough)",
                    e);
        }
    }
}
