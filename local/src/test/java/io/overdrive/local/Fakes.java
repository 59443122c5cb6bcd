package io.overdrive.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Stand-ins for JDKs, and for nodes, which are only shells. */
final class Fakes {
    private Fakes() {}

    /** A directory that looks like a JDK; its java command is a shell script. */
    static Path jdk(Path home, String version, String script) throws IOException {
        Path bin = Files.createDirectories(home.resolve("bin"));
        script(bin.resolve("java"), script);
        Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
        return home.toRealPath();
    }

    /** A server whose nodes run a shell script. */
    static Server server(Path home, String script) throws IOException {
        return new Server(
                ServerVersion.of("5.0"), new ServerJdk(jdk(home, "17.0.1", script), "17.0.1"), List.of(), null);
    }

    static void script(Path file, String body) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + body + "\n");
        if (!file.toFile().setExecutable(true)) {
            throw new IOException(file + " cannot be made executable");
        }
    }

    /** A process that has a node's mark and waits; it ends with its input at the latest. */
    static Process node(Path nodeDirectory, String shellPrefix) throws IOException {
        return new ProcessBuilder("sh", "-c", shellPrefix + "read x", NodeProcess.mark(nodeDirectory)).start();
    }
}
