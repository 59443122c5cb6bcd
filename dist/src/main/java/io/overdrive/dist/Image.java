package io.overdrive.dist;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/**
 * A container image as one file, in the layout of OCI with the list that {@code docker load} reads. Its bytes depend on the files of
 * its layers, the labels and the time only. Confined.
 */
final class Image {
    /** Not root: the number that images without a shell use for nonroot. */
    static final int USER = 65532;

    private static final int DIRECTORY_MODE = 0755;
    private static final int FILE_MODE = 0644;
    private static final int PROGRAM_MODE = 0755;
    private static final int TEMPORARY_MODE = 01777;
    private static final String OCI = "application/vnd.oci.image.";

    private final Path root;
    private final String version;
    private final Instant time;
    private final Map<String, String> labels;
    /** Digests of layers before compression, and their blobs. */
    private final Map<String, byte[]> blobs = new TreeMap<>();

    /** @param root of the file system in the image */
    Image(Path root, String version, Instant time, Map<String, String> labels) {
        this.root = root;
        this.version = version;
        this.time = time;
        this.labels = new TreeMap<>(labels);
    }

    /** One layer for files that change rarely, one for the installation, which is all below a name. */
    void write(Path file, String installation) throws IOException {
        Predicate<String> isInstallation = name -> name.startsWith(installation);
        List<byte[]> layers = List.of(layer(isInstallation.negate()), layer(isInstallation));
        List<Map<String, Object>> descriptors = new ArrayList<>();
        List<String> digests = new ArrayList<>();
        for (byte[] layer : layers) {
            digests.add("sha256:" + Sha256.hex(layer));
            descriptors.add(blob(compressed(layer), OCI + "layer.v1.tar+gzip"));
        }
        Map<String, Object> config = blob(json(config(digests)), OCI + "config.v1+json");
        Map<String, Object> manifest = blob(
                json(Map.of(
                        "schemaVersion",
                        2,
                        "mediaType",
                        OCI + "manifest.v1+json",
                        "config",
                        config,
                        "layers",
                        descriptors)),
                OCI + "manifest.v1+json");
        Map<String, Object> named = new TreeMap<>(manifest);
        named.put("annotations", Map.of("org.opencontainers.image.ref.name", version));
        Map<String, byte[]> files = new TreeMap<>(blobs);
        files.put("oci-layout", json(Map.of("imageLayoutVersion", "1.0.0")));
        files.put("index.json", json(Map.of("schemaVersion", 2, "manifests", List.of(named))));
        files.put(
                "manifest.json",
                json(List.of(Map.of(
                        "Config",
                        path(config),
                        "RepoTags",
                        List.of("overdrive:" + version),
                        "Layers",
                        descriptors.stream().map(Image::path).toList()))));
        try (TarArchiveOutputStream tar = tar(Files.newOutputStream(file))) {
            for (Map.Entry<String, byte[]> each : files.entrySet()) {
                TarArchiveEntry entry = new TarArchiveEntry(each.getKey());
                entry.setSize(each.getValue().length);
                put(tar, entry, FILE_MODE, 0, each.getValue());
            }
        }
    }

    private Map<String, Object> config(List<String> layers) {
        return Map.of(
                "architecture",
                architecture(),
                "os",
                "linux",
                "created",
                time.toString(),
                "config",
                Map.of(
                        "User",
                        USER + ":" + USER,
                        "Env",
                        List.of(
                                "PATH=/usr/bin:/bin",
                                "JAVA_HOME=" + RootFileSystem.JAVA_HOME,
                                "HOME=" + RootFileSystem.HOME,
                                "LANG=C.UTF-8"),
                        "Entrypoint",
                        List.of("/usr/bin/overdrive"),
                        "WorkingDir",
                        RootFileSystem.HOME,
                        "Labels",
                        labels),
                "rootfs",
                Map.of("type", "layers", "diff_ids", layers),
                "history",
                List.of(
                        Map.of("created", time.toString(), "created_by", "libraries, shell and Java"),
                        Map.of("created", time.toString(), "created_by", "overdrive " + version)));
    }

    /** The machine's architecture by Go's name, which registries use. */
    static String architecture() {
        String name = System.getProperty("os.arch");
        return name.equals("aarch64") ? "arm64" : name;
    }

    private Map<String, Object> blob(byte[] bytes, String mediaType) {
        String digest = Sha256.hex(bytes);
        blobs.put("blobs/sha256/" + digest, bytes);
        return Map.of("mediaType", mediaType, "digest", "sha256:" + digest, "size", bytes.length);
    }

    private static String path(Map<String, Object> descriptor) {
        return "blobs/" + String.valueOf(descriptor.get("digest")).replace(':', '/');
    }

    private static byte[] json(Object value) throws IOException {
        return new ObjectMapper()
                .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                .writeValueAsBytes(value);
    }

    private static byte[] compressed(byte[] layer) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(layer);
        }
        return bytes.toByteArray();
    }

    private byte[] layer(Predicate<String> names) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (TarArchiveOutputStream tar = tar(bytes);
                Stream<Path> walk = Files.walk(root)) {
            for (Path each : walk.filter(path -> !path.equals(root)).sorted().toList()) {
                String name = Trees.name(root, each);
                if (names.test(name)) {
                    add(tar, name, each);
                }
            }
        }
        return bytes.toByteArray();
    }

    private void add(TarArchiveOutputStream tar, String name, Path path) throws IOException {
        int owner = ("/" + name).equals(RootFileSystem.HOME) ? USER : 0;
        if (Files.isSymbolicLink(path)) {
            TarArchiveEntry entry = new TarArchiveEntry(name, TarConstants.LF_SYMLINK);
            entry.setLinkName(Files.readSymbolicLink(path).toString());
            put(tar, entry, 0777, owner, new byte[0]);
        } else if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            put(
                    tar,
                    new TarArchiveEntry(name + "/"),
                    name.equals("tmp") ? TEMPORARY_MODE : DIRECTORY_MODE,
                    owner,
                    new byte[0]);
        } else {
            byte[] bytes = Files.readAllBytes(path);
            TarArchiveEntry entry = new TarArchiveEntry(name);
            entry.setSize(bytes.length);
            put(tar, entry, Files.isExecutable(path) ? PROGRAM_MODE : FILE_MODE, owner, bytes);
        }
    }

    private static TarArchiveOutputStream tar(OutputStream out) {
        TarArchiveOutputStream tar = new TarArchiveOutputStream(out, "UTF-8");
        tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
        return tar;
    }

    private void put(TarArchiveOutputStream tar, TarArchiveEntry entry, int mode, int owner, byte[] bytes)
            throws IOException {
        entry.setMode(mode);
        entry.setIds(owner, owner);
        entry.setNames("", "");
        entry.setModTime(time.toEpochMilli());
        tar.putArchiveEntry(entry);
        tar.write(bytes);
        tar.closeArchiveEntry();
    }
}
