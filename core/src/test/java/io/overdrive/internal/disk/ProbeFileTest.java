package io.overdrive.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProbeFileTest {
    @Test
    void threadsThatReadTheSameTimeCreateTwoFiles(@TempDir Path directory) throws IOException {
        Path first = ProbeFile.create(directory, 12);
        Path second = ProbeFile.create(directory, 12);
        assertThat(first).exists().isNotEqualTo(second);
        assertThat(second).exists();
    }
}
