package io.overdrive.jobs.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OverdriveException;
import io.overdrive.jobs.journal.StoredRanges.Cut;
import io.overdrive.jobs.journal.StoredRanges.Range;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TailRemovalTest {
    private final Path file;
    private final Path tail;

    TailRemovalTest(@TempDir Path directory) {
        file = directory.resolve("t.csv.part");
        tail = directory.resolve("t.csv.part.tail");
    }

    private void remove(Cut cut, boolean ends) throws IOException {
        TailRemoval removal = new TailRemoval(file, cut);
        removal.run();
        assertThat(Files.size(file)).isEqualTo(removal.newLength());
        if (ends) {
            removal.end();
            assertThat(tail).doesNotExist();
        }
    }

    @Test
    void removesPartsAndWhatFollowsTheLength() throws IOException {
        Files.writeString(file, "aaaXXbbYcc###");
        remove(new Cut(10, List.of(new Range(7, 8), new Range(3, 5))), /* ends */ true);
        assertThat(file).hasContent("aaabbcc");
    }

    @Test
    void cutsAFileWithoutParts() throws IOException {
        Files.writeString(file, "aaabbcc###");
        remove(new Cut(7, List.of()), /* ends */ true);
        assertThat(file).hasContent("aaabbcc");
        remove(new Cut(7, List.of(new Range(5, 7))), /* ends */ true);
        assertThat(file).hasContent("aaabb");
    }

    /** The journal then has the state before, whatever became of the file after that. */
    @Test
    void canBeRepeatedUntilItsEnd() throws IOException {
        Cut cut = new Cut(10, List.of(new Range(3, 5), new Range(7, 8)));
        Files.writeString(file, "aaaXXbbYcc###");
        remove(cut, /* ends */ false);
        assertThat(file).hasContent("aaabbcc");
        for (String damage : List.of("aaa", "aaab", "aaabbccddd", "aaaXXbbYcc###")) {
            Files.writeString(file, damage);
            remove(cut, /* ends */ false);
            assertThat(file).hasContent("aaabbcc");
        }
    }

    @Test
    void refusesAFileThatHasBecomeShorter() throws IOException {
        Files.writeString(file, "aaaXXbbYc");
        assertThatThrownBy(() -> new TailRemoval(file, new Cut(10, List.of(new Range(3, 5)))).run())
                .isInstanceOf(OverdriveException.class)
                .hasMessageContaining("t.csv.part: the file has 9 bytes, and the run that is resumed has written 10");
    }

    @Test
    void aCutIsReadBack() {
        Cut cut = new Cut(10, List.of(new Range(7, 8), new Range(3, 5)));
        assertThat(Cut.read(cut.toBytes())).isEqualTo(cut);
        StoredRanges ranges = new StoredRanges();
        ranges.add(1, 3);
        ranges.add(3, 4);
        ranges.add(6, 6);
        ranges.add(7, 9);
        assertThat(ranges.ranges()).containsExactly(new Range(1, 4), new Range(7, 9));
    }
}
