package io.overdrive.jobs.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The native code of DuckDB, kept in a directory. Its driver would unpack it into the directory for temporary files for each process, and leave
 * it there if that is killed. Stateless.
 */
final class NativeLibrary {
    private static final Logger LOG = LoggerFactory.getLogger(NativeLibrary.class);
    /** The name by which the driver loads it if the jar has no such resource. */
    private static final String NAME = "duckdb_java";

    private static final String PREFIX = "lib" + NAME;
    private static final int UNFINISHED_SECONDS = 3_600;

    private NativeLibrary() {}

    /** The resource of a jar for this system, as the driver names it. */
    static String resource(String os, String arch) {
        String system = os.toLowerCase(Locale.ROOT);
        boolean isMac = system.startsWith("mac") || system.startsWith("osx");
        String name = isMac ? "osx" : system.startsWith("windows") ? "windows" : "linux";
        String processor =
                switch (arch.toLowerCase(Locale.ROOT)) {
                    case "x86_64", "amd64" -> "amd64";
                    case "aarch64", "arm64" -> "arm64";
                    default -> arch;
                };
        return PREFIX + ".so_" + name + "_" + (isMac ? "universal" : processor);
    }

    /**
     * The library of a jar, unpacked into the directory unless it is there; null if the jar has none, or the directory cannot be written: the
     * driver unpacks it then.
     */
    static @Nullable Path unpacked(Path jar, String resource, Path directory) {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            ZipEntry entry = zip.getEntry(resource);
            if (entry == null) {
                return null;
            }
            Files.createDirectories(directory);
            Path file = directory.resolve(PREFIX + "-" + SqlEngines.VERSION + "-" + Long.toHexString(entry.getCrc()));
            if (!Files.exists(file) || Files.size(file) != entry.getSize() || crc(file) != entry.getCrc()) {
                deleteOthers(directory, file);
                unpack(zip, entry, file);
            }
            return file;
        } catch (IOException e) {
            LOG.debug("{}: the library of {} cannot be kept", directory, jar, e);
            return null;
        }
    }

    private static long crc(Path file) throws IOException {
        try (CheckedInputStream in = new CheckedInputStream(Files.newInputStream(file), new CRC32())) {
            byte[] buffer = new byte[1 << 16];
            while (in.read(buffer) >= 0) {
                // all of it is summed
            }
            return in.getChecksum().getValue();
        }
    }

    /** Appears complete, as another process may load it. */
    private static void unpack(ZipFile zip, ZipEntry entry, Path file) throws IOException {
        Path made = Files.createTempFile(file.getParent(), PREFIX, ".unfinished");
        try {
            try (InputStream in = zip.getInputStream(entry);
                    OutputStream out = Files.newOutputStream(made)) {
                in.transferTo(out);
            }
            if (crc(made) != entry.getCrc()) {
                throw new IOException(zip.getName() + " is damaged");
            }
            Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(made);
        }
    }

    /** Deletes libraries of other versions, and what killed processes have not finished. */
    private static void deleteOthers(Path directory, Path kept) throws IOException {
        Instant unfinished = Instant.now().minusSeconds(UNFINISHED_SECONDS);
        List<Path> found;
        try (Stream<Path> all = Files.list(directory)) {
            found = all.filter(each -> String.valueOf(each.getFileName()).startsWith(PREFIX) && !each.equals(kept))
                    .toList();
        }
        for (Path each : found) {
            try {
                if (Files.getLastModifiedTime(each).toInstant().isBefore(unfinished)) {
                    Files.delete(each);
                }
            } catch (IOException e) {
                LOG.debug("{}: cannot be deleted", each, e); // used by another process, perhaps
            }
        }
    }

    /** Classes of jars, of which the driver finds its library there. */
    static URLClassLoader classes(URL[] jars, ClassLoader parent, Path library) {
        return new URLClassLoader(jars, parent) {
            @Override
            public @Nullable URL findResource(String name) {
                return name.startsWith(PREFIX + ".so_") ? null : super.findResource(name);
            }

            @Override
            protected @Nullable String findLibrary(String name) {
                return name.equals(NAME) ? library.toString() : super.findLibrary(name);
            }
        };
    }
}
