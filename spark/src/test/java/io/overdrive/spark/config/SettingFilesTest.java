package io.overdrive.spark.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingFilesTest {
    private static Path found(String name) {
        Settings settings = Settings.of(Map.of("spark.cassandra.connection.config.cloud.path", name), Map.of());
        return Objects.requireNonNull(SettingFiles.find(settings, Setting.BUNDLE));
    }

    @Test
    void findsFilesByPathAndByUrl(@TempDir Path directory) throws IOException {
        Path file = Files.createFile(directory.resolve("secure connect.zip"));
        assertThat(found(file.toString())).isEqualTo(file);
        assertThat(found("file://" + file)).isEqualTo(file);
        assertThat(found("file:" + file)).isEqualTo(file);
        assertThat(SettingFiles.find(Settings.of(Map.of(), Map.of()), Setting.BUNDLE))
                .isNull();
    }

    @Test
    void copiesFilesOfOtherSystemsForThisUserOnly() throws IOException {
        byte[] content = "a bundle".getBytes(StandardCharsets.UTF_8);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/bundle.zip", exchange -> {
            exchange.sendResponseHeaders(200, content.length);
            exchange.getResponseBody().write(content);
            exchange.close();
        });
        server.start();
        try {
            String address = "http://127.0.0.1:" + server.getAddress().getPort();
            Path copy = found(address + "/bundle.zip");
            assertThat(copy).hasBinaryContent(content);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(copy)))
                    .isEqualTo("rw-------");
            assertThatThrownBy(() -> found(address + "/other.zip"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith(
                            "option \"bundle\" is \"" + address + "/other.zip\", which cannot be read: ");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void saysWhatCannotBeRead() {
        for (String name : new String[] {"/no/such/file", "file:///no/such/file"}) {
            assertThatThrownBy(() -> found(name))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("option \"bundle\" is \"" + name
                            + "\": there is no such file, or it cannot be read; every executor"
                            + " needs it (spark-submit --files " + name + " distributes it)");
        }
        assertThatThrownBy(() -> found("nowhere://host/file"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"nowhere://host/file\", which cannot be read: ")
                .hasMessageContaining("nowhere");
    }
}
