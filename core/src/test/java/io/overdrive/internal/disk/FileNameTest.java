package io.overdrive.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileNameTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "..",
                ".",
                "../x",
                "../../etc/passwd",
                "/etc/passwd",
                "a/b",
                "a\\b",
                "C:\\x",
                "a\0b",
                "-/../x",
                "",
                " ",
                "\n",
                ".hidden",
                "日/本"
            })
    void staysInItsDirectory(String name) {
        Path directory = Path.of("/out").toAbsolutePath();
        Path file = directory.resolve(FileName.of(name) + ".csv");
        assertThat(file.normalize()).isEqualTo(file);
        assertThat(file.getParent()).isEqualTo(directory);
    }

    @Test
    void namesOfTablesStay() {
        assertThat(FileName.of("Orders_2026")).isEqualTo("Orders_2026");
        assertThat(FileName.of("shop.orders")).isEqualTo("shop.orders");
    }

    @ParameterizedTest
    @ValueSource(strings = {"s3://b/k", "https://host", "s3://b/line\nbreak"})
    void knowsUrls(String name) {
        assertThat(FileName.isUrl(name)).isTrue();
    }
}
