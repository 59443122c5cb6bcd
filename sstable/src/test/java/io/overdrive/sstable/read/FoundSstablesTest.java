package io.overdrive.sstable.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.Split;
import io.overdrive.Split.Range;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FoundSstablesTest {
    private static FoundSstables ofBytes(long bytes) {
        return new FoundSstables(List.of("nb-1-big-Data.db", "nb-2-big-Data.db"), List.of(bytes, 1L), 0);
    }

    @Test
    void splitsCoverEachTokenOnceAndGrowWithTheFiles() {
        for (long bytes : List.of(0L, 1L, 5L << 30, 1L << 50)) {
            List<Split> splits = ofBytes(bytes).splits();
            long end = Long.MIN_VALUE;
            for (Split split : splits) {
                Range range = split.ranges().get(0);
                assertThat(split.ranges()).hasSize(1);
                assertThat(range.start()).isEqualTo(end);
                assertThat(range.end()).isGreaterThan(range.start());
                end = range.end();
            }
            assertThat(end).isEqualTo(Long.MAX_VALUE);
        }
        assertThat(ofBytes(1).splits()).hasSize(32);
        assertThat(ofBytes(5L << 30).splits()).hasSize(80).allSatisfy(split -> assertThat(split.estimatedBytes())
                .isEqualTo((5L << 30) / 80));
        assertThat(ofBytes(1L << 50).splits()).hasSize(8192);
    }

    @Test
    void eachProcessMustSeeTheSameFiles(@TempDir Path directory) throws IOException {
        Path data = Files.write(directory.resolve("nb-1-big-Data.db"), new byte[7]);
        FoundSstables found = FoundSstables.in(List.of(directory), "ks", "t");
        assertThat(found.totalBytes()).isEqualTo(7);
        assertThat(found.here()).containsExactly(data);
        Files.write(data, new byte[8]);
        assertThatThrownBy(found::here)
                .hasMessage(data + " has 8 bytes on this machine, and 7 where the read was planned: fromSstables must"
                        + " name the same files everywhere, such as those of a shared file system or an object store,"
                        + " and they must not change");
        Files.delete(data);
        assertThatThrownBy(found::here).hasMessageStartingWith(data + " is missing on this machine: fromSstables must");
    }
}
