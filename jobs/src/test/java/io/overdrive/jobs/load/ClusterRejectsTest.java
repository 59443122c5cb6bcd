package io.overdrive.jobs.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.RejectedRow;
import io.overdrive.formats.records.Block;
import io.overdrive.formats.records.FileHeader;
import io.overdrive.formats.records.InputFile;
import io.overdrive.formats.records.InputFormat;
import io.overdrive.formats.records.InputReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterRejectsTest {
    private final Path directory;
    private final List<String> found = new ArrayList<>();

    private final ClusterRejects rejects = new ClusterRejects((record, problem) -> found.add(record.header()
                    .names() + " line " + record.line() + ": " + new String(record.bytes(), StandardCharsets.UTF_8)
            + ", " + problem.reason().inJava()));

    ClusterRejectsTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private InputReader reader(String text) throws IOException {
        Path file = Files.writeString(directory.resolve("x.csv"), text);
        return new InputReader(
                List.of(InputFile.of(file)), InputFormat.builder().build());
    }

    @Test
    void aRecordIsInTheAttachmentOfItsRow() throws IOException {
        try (InputReader reader = reader("id\na\n")) {
            FileHeader header = Objects.requireNonNull(reader.next()).header();
            int number = rejects.numberOf(header);
            assertThat(rejects.numberOf(header)).isEqualTo(number);
            byte[] raw = "a".getBytes(StandardCharsets.UTF_8);
            rejects.add(new RejectedRow(0, ClusterRejects.attachment(number, 2, raw), "too large"));
            assertThat(found).containsExactly("[id] line 2: a, too large");
            rejects.lookUp(reader);
            assertThat(found).hasSize(1);
        }
    }

    @Test
    void recordsWithoutAttachmentAreLookedUpTogether() throws IOException {
        try (InputReader reader = reader("id\na\nb\nc\nd\n")) {
            Block block = Objects.requireNonNull(reader.next());
            rejects.add(new RejectedRow(block.position() + 3, null, "too large"));
            rejects.add(new RejectedRow(block.position() + 1, null, "not allowed"));
            assertThat(found).isEmpty();
            rejects.lookUp(reader);
            assertThat(found).containsExactly("[id] line 3: b, not allowed", "[id] line 5: d, too large");
        }
    }
}
