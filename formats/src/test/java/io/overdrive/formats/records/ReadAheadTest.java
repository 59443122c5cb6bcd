package io.overdrive.formats.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OverdriveException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Small files of another place than this machine, here an archive, are read before they are needed. */
class ReadAheadTest {
    private static final int FILES = 60;

    private final FileSystem place;
    private final Path local;

    ReadAheadTest(@TempDir Path directory) throws IOException {
        place = FileSystems.newFileSystem(directory.resolve("files.zip"), Map.of("create", "true"));
        local = Files.createDirectory(directory.resolve("local"));
    }

    @AfterEach
    void close() throws IOException {
        place.close();
    }

    private static byte[] content(int number) throws IOException {
        StringBuilder rows = new StringBuilder("a,b\n");
        for (int i = 0; i < number % 5; i++) {
            rows.append(number).append(',').append(i).append('\n');
        }
        byte[] text = rows.toString().getBytes(StandardCharsets.UTF_8);
        if (number % 4 != 0) {
            return text;
        }
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream to = new GZIPOutputStream(packed)) {
            to.write(text);
        }
        return packed.toByteArray();
    }

    private List<InputFile> files(Path directory) throws IOException {
        List<InputFile> files = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            files.add(InputFile.of(Files.write(directory.resolve(i + ".csv"), content(i))));
        }
        return files;
    }

    private static InputReader reader(List<InputFile> files) {
        return InputReader.summing(files, InputFormat.builder().build());
    }

    /** The records of the next blocks, each with its position. */
    private static List<String> records(InputReader reader) {
        List<String> records = new ArrayList<>();
        for (Block block = reader.next(); block != null; block = reader.next()) {
            records.add(block.header().file().name().replaceFirst(".*/", "") + " to " + block.endPosition() + " "
                    + new String(block.bytes, 0, block.length, StandardCharsets.UTF_8));
            reader.recycle(block);
        }
        return records;
    }

    @Test
    void readsTheSameAsFromThisMachine() throws IOException {
        List<InputFile> there = files(place.getPath("/"));
        assertThat(there).allMatch(InputFile::isReadAhead);
        List<InputFile> here = files(local);
        assertThat(here).noneMatch(InputFile::isReadAhead);
        try (InputReader far = reader(there);
                InputReader near = reader(here)) {
            assertThat(records(far)).isEqualTo(records(near)).isNotEmpty();
            assertThat(far.prefixes(0)).isEqualTo(near.prefixes(0)).hasSize(FILES);
            assertThat(far.bytesRead()).isEqualTo(near.bytesRead());
        }
    }

    @Test
    void aFailureIsThatOfItsFile() throws IOException {
        List<InputFile> files = files(place.getPath("/"));
        Files.delete(place.getPath("/7.csv"));
        try (InputReader reader = reader(files)) {
            assertThatThrownBy(() -> records(reader))
                    .isInstanceOf(OverdriveException.class)
                    .hasMessageStartingWith("/7.csv line 1: cannot be read")
                    .hasMessageEndingWith(
                            ": there is no such file, or no such directory: it may have been deleted or renamed meanwhile. Records before this line were read");
            assertThat(reader.prefixes(0)).hasSize(8);
            assertThat(records(reader)).hasSizeGreaterThan(40).noneMatch(each -> each.startsWith("7.csv"));
        }
    }
}
