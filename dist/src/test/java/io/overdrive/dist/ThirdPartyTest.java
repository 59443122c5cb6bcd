package io.overdrive.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ThirdPartyTest {
    private final Path directory;
    private final Path texts;

    ThirdPartyTest(@TempDir Path directory) throws IOException {
        this.directory = directory;
        texts = Files.createDirectory(directory.resolve("texts"));
    }

    @BeforeEach
    void writeSbom() throws IOException {
        Files.writeString(directory.resolve("LICENSE"), "our   licence");
        Files.writeString(
                directory.resolve("sbom"),
                """
                {"components": [
                  {"group": "g", "name": "b", "version": "2", "licenses": [{"license": {"id": "MIT"}}]},
                  {"group": "g", "name": "a", "version": "1", "licenses": [{"license": {"name": "Apache License 2.0"}}]},
                  {"group": "g", "name": "absent", "version": "1", "licenses": [{"license": {"id": "MIT"}}]}]}
                """);
        jar("a-1.jar", "META-INF/NOTICE", "thanks to a");
    }

    private Path jar(String name, String entry, String text) throws IOException {
        Path file = directory.resolve(name);
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(file))) {
            jar.putNextEntry(new ZipEntry(entry));
            jar.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return file;
    }

    private String text(String... jars) throws IOException {
        List<Path> paths = List.of(jars).stream().map(directory::resolve).toList();
        return new ThirdParty(directory.resolve("sbom"), directory.resolve("LICENSE"), paths, texts).text();
    }

    @Test
    void listsLicencesAndTheirTextsButNotOursAgain() throws IOException {
        jar("b-2.jar", "META-INF/LICENSE.txt", "free for b");
        assertThat(text("a-1.jar", "b-2.jar"))
                .contains("a 1: Apache License 2.0\nb 2: MIT\n", "\na 1\n\nthanks to a\n", "\nb 2\n\nfree for b\n")
                .doesNotContain("absent");
        jar("a-1.jar", "META-INF/LICENSE", "our licence");
        assertThat(text("a-1.jar", "b-2.jar")).doesNotContain("our");
    }

    @Test
    void takesATextThatNoJarHasFromTheDirectory() throws IOException {
        jar("b-2.jar", "B.class", "");
        assertThatIllegalStateException()
                .isThrownBy(() -> text("a-1.jar", "b-2.jar"))
                .withMessageStartingWith("no licence text in the jars of b (MIT): add it to ");
        Files.writeString(texts.resolve("b.txt"), "free for b");
        assertThat(text("a-1.jar", "b-2.jar")).contains("\nb 2\n\nfree for b\n");
    }

    @Test
    void refusesAJarThatTheSbomDoesNotList() throws IOException {
        jar("c-1.jar", "META-INF/LICENSE", "c");
        assertThatIllegalStateException()
                .isThrownBy(() -> text("a-1.jar", "c-1.jar"))
                .withMessageEndingWith(" does not list c-1.jar");
    }
}
