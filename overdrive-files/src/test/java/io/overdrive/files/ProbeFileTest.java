package io.overdrive.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProbeFileTest {
    @TempDir
    Path directory;

    @Test
    void threadsThatReadTheSameTimeCreateTwoFiles() throws Exception {
        Path first = ProbeFile.create(directory, 12);
        Path second = ProbeFile.create(directory, 12);
        assertThat(first).exists().isNotEqualTo(second);
        assertThat(second).exists();
    }
}
