package io.overdrive.jobs.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The native code of DuckDB, kept in a directory. */
class NativeLibraryTest {
    private static final String RESOURCE = "libduckdb_java.so_linux_amd64";

    private final Path directory;

    NativeLibraryTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private Path jar() throws IOException {
        Path jar = directory.resolve("duckdb.jar");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            zip.putNextEntry(new ZipEntry(RESOURCE));
            zip.write("native".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        }
        return jar;
    }

    @Test
    void namesAreThoseOfTheDriver() {
        assertThat(NativeLibrary.resource("Linux", "amd64")).isEqualTo(RESOURCE);
        assertThat(NativeLibrary.resource("Linux", "aarch64")).isEqualTo("libduckdb_java.so_linux_arm64");
        assertThat(NativeLibrary.resource("Mac OS X", "aarch64")).isEqualTo("libduckdb_java.so_osx_universal");
        assertThat(NativeLibrary.resource("Windows 11", "x86_64")).isEqualTo("libduckdb_java.so_windows_amd64");
    }

    @Test
    void libraryIsUnpackedOnceAndAgainIfItIsDamaged() throws IOException {
        Path cache = directory.resolve("cache");
        Path library = Objects.requireNonNull(NativeLibrary.unpacked(jar(), RESOURCE, cache));
        assertThat(library).hasContent("native");
        FileTime old = FileTime.from(Instant.EPOCH);
        Files.setLastModifiedTime(library, old);
        assertThat(NativeLibrary.unpacked(jar(), RESOURCE, cache)).isEqualTo(library);
        assertThat(Files.getLastModifiedTime(library)).isEqualTo(old);

        Files.writeString(library, "nativf");
        assertThat(NativeLibrary.unpacked(jar(), RESOURCE, cache))
                .isEqualTo(library)
                .hasContent("native");
    }

    @Test
    void librariesOfOtherVersionsAndWhatIsUnfinishedAreDeletedLater() throws IOException {
        Path other = Files.writeString(directory.resolve("libduckdb_java-1.4.4.0-1"), "old");
        Path unfinished = Files.writeString(directory.resolve("libduckdb_java1.unfinished"), "part");
        Files.setLastModifiedTime(other, FileTime.from(Instant.EPOCH));
        Path library = NativeLibrary.unpacked(jar(), RESOURCE, directory);
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).containsExactlyInAnyOrder(directory.resolve("duckdb.jar"), library, unfinished);
        }
    }

    @Test
    void driverUnpacksItselfWhereNothingCanBeKept() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "");
        assertThat(NativeLibrary.unpacked(jar(), RESOURCE, file)).isNull();
        assertThat(NativeLibrary.unpacked(jar(), "other", directory)).isNull();
    }

    @Test
    void driverFindsTheLibraryInPlaceOfTheResource() throws Exception {
        URL[] jars = {jar().toUri().toURL()};
        try (URLClassLoader plain = new URLClassLoader(jars, null);
                URLClassLoader classes =
                        NativeLibrary.classes(jars, ClassLoader.getPlatformClassLoader(), directory.resolve("x"))) {
            assertThat(plain.getResource(RESOURCE)).isNotNull();
            assertThat(classes.getResource(RESOURCE)).isNull();
        }
    }
}
