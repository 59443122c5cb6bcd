package io.overdrive.dist;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The file system that a container needs to run Overdrive: the C library and a shell from packages of Debian, a Java
 * runtime with the modules that are used, made by the jlink of the JDK that builds, and an installation. Confined.
 */
final class RootFileSystem {
    private static final List<String> PACKAGES =
            List.of("libc6", "libgcc-s1", "libstdc++6", "zlib1g", "busybox-static");
    /**
     * Modules that jdeps finds in the jars, and modules that jars load by name: TLS, character sets, names of hosts.
     */
    private static final String MODULES =
            "java.base,java.compiler,java.logging,java.management,java.management.rmi,java.naming,java.net.http,"
                    + "java.security.jgss,java.sql,java.xml,jdk.charsets,jdk.crypto.ec,jdk.httpserver,jdk.management,jdk.naming.dns,jdk.naming.rmi,jdk.net,"
                    + "jdk.security.jgss,jdk.unsupported,jdk.zipfs";

    /** Parts of packages that nothing here uses: character sets and locales of C programs, and the like. */
    private static final List<String> UNUSED = List.of(
            "usr/lib/x86_64-linux-gnu/gconv",
            "usr/lib/aarch64-linux-gnu/gconv",
            "usr/lib/x86_64-linux-gnu/audit",
            "usr/lib/aarch64-linux-gnu/audit",
            "usr/share/gdb",
            "usr/share/gcc",
            "usr/share/lintian",
            "usr/share/man",
            "usr/share/initramfs-tools");

    static final String JAVA_HOME = "/usr/lib/jvm/java";
    static final String HOME = "/home/overdrive";
    static final String INSTALLATION = "usr/share/overdrive";

    private final Path work;
    private final Path root;

    /** @param work a directory, which is emptied */
    RootFileSystem(Path work) throws IOException {
        Trees.delete(work);
        this.work = Files.createDirectories(work);
        root = Files.createDirectories(work.resolve("root"));
    }

    Path root() {
        return root;
    }

    /** Returns the packages with their versions, such as zlib1g=1.2.13. */
    List<String> addLibraries() throws IOException {
        Path packages = Files.createDirectories(work.resolve("packages"));
        List<String> download = new ArrayList<>(List.of("apt-get", "-q", "download"));
        download.addAll(PACKAGES);
        run(packages, download);
        List<String> versions = new ArrayList<>();
        for (Path file : Trees.files(packages)) {
            run(packages, List.of("dpkg-deb", "--extract", file.toString(), root.toString()));
            versions.add(run(
                    packages, List.of("dpkg-deb", "--show", "--showformat=${Package}=${Version}", file.toString())));
        }
        for (String unused : UNUSED) {
            Trees.delete(root.resolve(unused));
        }
        addCommands();
        Files.writeString(
                root.resolve("usr/share/doc/SOURCES.txt"),
                "This image has these packages of Debian, unmodified but for parts that were left out. Their licences are in the"
                        + " directories beside this file.\nDebian keeps the sources of each version: apt-get source NAME=VERSION\n\n"
                        + String.join("\n", versions) + "\n");
        return versions;
    }

    /** The commands that the launcher and people use, as links to BusyBox. */
    private void addCommands() throws IOException {
        Path bin = Files.createDirectories(root.resolve("bin"));
        Path busybox = bin.resolve("busybox");
        for (String command :
                run(bin, List.of(busybox.toString(), "--list")).lines().toList()) {
            Path link = bin.resolve(command);
            if (!Files.exists(link, LinkOption.NOFOLLOW_LINKS)) {
                Files.createSymbolicLink(link, Path.of("busybox"));
            }
        }
    }

    void addJava() throws IOException {
        Path build = Path.of(System.getProperty("java.home"));
        Path java = root.resolve(JAVA_HOME.substring(1));
        Files.createDirectories(java.getParent());
        run(
                work,
                List.of(
                        build.resolve("bin/jlink").toString(),
                        "--add-modules",
                        MODULES,
                        "--output",
                        java.toString(),
                        "--no-header-files",
                        "--no-man-pages",
                        "--strip-java-debug-attributes",
                        "--compress=2"));
        // Linux distributions keep them outside the modules
        for (String file : new String[] {"lib/security/cacerts", "lib/security/blocked.certs"}) {
            Path here = build.resolve(file);
            if (Files.exists(here) && !Files.exists(java.resolve(file))) {
                Files.createDirectories(java.resolve(file).getParent());
                Files.deleteIfExists(java.resolve(file));
                Files.copy(here.toRealPath(), java.resolve(file));
            }
        }
    }

    void addInstallation(Path installation) throws IOException {
        for (Path file : Trees.files(installation)) {
            Path copy = root.resolve(INSTALLATION).resolve(Trees.name(installation, file));
            Files.createDirectories(copy.getParent());
            Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES);
        }
        Path link = Files.createDirectories(root.resolve("usr/bin")).resolve("overdrive");
        Files.createSymbolicLink(link, Path.of("../share/overdrive/bin/overdrive"));
    }

    /** The user, and how names of hosts are found. */
    void addConfiguration() throws IOException {
        Path etc = Files.createDirectories(root.resolve("etc"));
        Files.writeString(
                etc.resolve("passwd"),
                "root:x:0:0:root:/root:/bin/sh\noverdrive:x:" + Image.USER + ":" + Image.USER + "::" + HOME
                        + ":/bin/sh\n");
        Files.writeString(etc.resolve("group"), "root:x:0:\noverdrive:x:" + Image.USER + ":\n");
        Files.writeString(etc.resolve("nsswitch.conf"), "hosts: files dns\n");
        Files.createDirectories(root.resolve("tmp"));
        Files.createDirectories(root.resolve("proc"));
        Files.createDirectories(root.resolve(HOME.substring(1)));
    }

    /** Returns the output of a command. */
    private static String run(Path directory, List<String> command) throws IOException {
        Path errors = Files.createTempFile("overdrive-dist", ".txt");
        try {
            Process process = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectError(errors.toFile())
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int code = process.waitFor();
            if (code != 0) {
                throw new IOException(String.join(" ", command) + " failed with exit code " + code + ": "
                        + Files.readString(errors) + output);
            }
            return output.strip();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            Files.delete(errors);
        }
    }
}
