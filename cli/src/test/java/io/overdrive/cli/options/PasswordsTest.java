package io.overdrive.cli.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class PasswordsTest {
    private final Path file;

    PasswordsTest(@TempDir Path directory) {
        file = directory.resolve("pw");
    }

    private @Nullable String inFile(byte[] bytes) throws IOException {
        Files.write(file, bytes);
        return Passwords.find("--password", null, file, null);
    }

    private @Nullable String inFile(String text) throws IOException {
        return inFile(text.getBytes(StandardCharsets.UTF_8));
    }

    private static @Nullable String by(String command) {
        return Passwords.find("--password", null, null, command);
    }

    @Test
    void isTheFirstLineInUtf8() throws IOException {
        assertThat(inFile("pä ss\n second\n")).isEqualTo("pä ss");
        assertThat(inFile("pä")).isEqualTo("pä");
        assertThat(inFile("pä\r\n")).isEqualTo("pä");
        assertThat(by("printf 'p\\303\\244 ss\\r\\nmore\\n'")).isEqualTo("pä ss");
    }

    /** The file begins as Notepad saves it. */
    @Test
    void hasNoByteOrderMark() throws IOException {
        assertThat(inFile("\uFEFFs3cret\r\n")).isEqualTo("s3cret");
    }

    @Test
    void refusesOtherEncodings() {
        assertThatThrownBy(() -> inFile("pä".getBytes(StandardCharsets.ISO_8859_1)))
                .hasMessage("--password-file " + file + ": the first line is not valid UTF-8: convert it to UTF-8");
        assertThatThrownBy(() -> by("printf 'p\\344'"))
                .hasMessageEndingWith("the first line is not valid UTF-8: convert it to UTF-8");
    }

    @Test
    void readsNoFurtherThanALineMayBe() {
        String message = ": the first line has more than 65536 bytes, and so is no password";
        assertThatThrownBy(() -> Passwords.find("--password", null, Path.of("/dev/zero"), null))
                .hasMessage("--password-file /dev/zero" + message);
        assertThatThrownBy(() -> by("exec head -c 65537 /dev/zero")).hasMessageEndingWith(message);
        assertThatThrownBy(() -> by("exec cat /dev/zero")).hasMessageContaining("ended with exit code ");
    }

    @Test
    void waitsForACommandForALimitedTime() {
        assertThatThrownBy(() -> Passwords.run("--password-command", "echo s3cret; sleep 1000", 1))
                .hasMessage("--password-command \"echo s3cret; sleep 1000\" has not ended within 1 s");
    }

    /** The warning is for the user who can change the rights; a file that is not writable is somebody else's. */
    @Test
    void readsAFileThatOthersCanRead() throws IOException {
        Files.writeString(file, "s3cret");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(Passwords.find("--password", null, file, null)).isEqualTo("s3cret");
    }
}
