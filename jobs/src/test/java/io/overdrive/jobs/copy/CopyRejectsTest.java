package io.overdrive.jobs.copy;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.jobs.KeyJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CopyRejectsTest {
    @Test
    void onlyItsOwnerMayReadTheKeys(@TempDir Path directory) throws IOException {
        KeyJson keys = new KeyJson(List.of("id"), List.of(DataTypes.INT));
        try (CopyRejects rejects = new CopyRejects(directory, "ks.t", keys)) {
            rejects.reject(0, 1, new byte[] {0, 0, 0, 4, 0, 0, 0, 7}, "is too large");
            assertThat(rejects.rows()).isEqualTo(1);
        }
        Path file = directory.resolve("ks.t.rejected.jsonl");
        assertThat(file).hasContent("{\"key\":{\"id\":7},\"reason\":\"is too large\"}\n");
        assertThat(Files.getPosixFilePermissions(file)).isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }
}
