package io.overdrive.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LocalOptionsTest {
    @Test
    void theCacheIsWhereTheLauncherHasIt() {
        Path ofUser = Path.of(System.getProperty("user.home"), ".cache", "overdrive");
        assertThat(LocalOptions.home(Map.of("HOME", "/h", "OVERDRIVE_HOME", "/cache")))
                .isEqualTo(Path.of("/cache"));
        assertThat(LocalOptions.home(Map.of("HOME", "/h", "OVERDRIVE_HOME", " ")))
                .isEqualTo(Path.of("/h/.cache/overdrive"));
        assertThat(LocalOptions.home(Map.of("HOME", "relative"))).isEqualTo(ofUser);
        assertThat(LocalOptions.home(Map.of())).isEqualTo(ofUser);
    }
}
