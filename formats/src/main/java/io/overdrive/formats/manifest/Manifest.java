package io.overdrive.formats.manifest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.disk.WritableDirectory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The files that a complete unload has written to an object store, or as one of the tables of a keyspace. The manifest is the last of
 * them. Immutable.
 *
 * @param rows in all files
 * @param files by paths, relative to the directory
 * @param writtenAfter the time after which all of their cells were written, as ISO 8601; empty if they have the others, too
 */
public record Manifest(long rows, Map<String, Content> files, String writtenAfter) {
    /** The beginning of the names of files that are about an unload, and no part of it. */
    public static final String PREFIX = "_overdrive_";

    public static final String NAME = PREFIX + "manifest.json";

    /** The name of a file that is there while an unload is not complete. */
    public static final String UNFINISHED = PREFIX + "unfinished";

    static final String WRITTEN_AFTER = "writtenAfter";
    private static final int NAMED_FILES = 3;
    private static final int BUFFER_BYTES = 64 << 10;

    /**
     * The content of a file.
     *
     * @param sum its CRC-32C; null in manifests of versions that did not record it
     */
    public record Content(long bytes, @Nullable Integer sum) {}

    /**
     * A file that is listed by a manifest.
     *
     * @param sum as {@link Content} has it
     * @param writtenAfter as the manifest has it
     */
    public record Listed(@Nullable Integer sum, String writtenAfter) {}

    public Manifest {
        files = Map.copyOf(files);
    }

    /** The files of an unload of all cells. */
    public Manifest(long rows, Map<String, Content> files) {
        this(rows, files, /* writtenAfter */ "");
    }

    public byte[] toJson() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = new JsonFactory().createGenerator(bytes).useDefaultPrettyPrinter()) {
            json.writeStartObject();
            json.writeNumberField("rows", rows);
            if (!writtenAfter.isEmpty()) {
                json.writeStringField(WRITTEN_AFTER, writtenAfter);
            }
            json.writeArrayFieldStart("files");
            for (Map.Entry<String, Content> each : new TreeMap<>(files).entrySet()) {
                Content content = each.getValue();
                json.writeStartObject();
                json.writeStringField("path", each.getKey());
                json.writeNumberField("bytes", content.bytes);
                if (content.sum != null) {
                    json.writeStringField("crc32c", hex(content.sum));
                }
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException e) {
            throw new IllegalStateException("memory cannot be written", e);
        }
        return bytes.toByteArray();
    }

    /**
     * Checks that all files of the unloads in a directory, and in those below it, are there, and that none are among them that other
     * runs have written.
     *
     * @param read files in the directory and those below it that are to be read
     * @param others that are there
     * @return what manifests say of each, as far as they list it
     * @throws OverdriveException of kind INPUT if an unload is not complete, if a file is missing, has another size or is of no unload, or
     *     if a directory has the tables of a keyspace
     */
    public static Map<Path, Listed> check(Path directory, List<Path> read, List<Path> others) {
        List<Path> found = Stream.concat(read.stream(), others.stream()).toList();
        KeyspaceManifest.refuse(directory, found);
        for (Path each : found) {
            if (each.endsWith(UNFINISHED)) {
                throw new OverdriveException(
                        Kind.INPUT,
                        parent(each, directory)
                                + ": the unload that wrote these files has not ended, or was ended early,"
                                + " as " + UNFINISHED + " shows. Wait for it, or resume it; to read what is there, name"
                                + " the files by a glob");
            }
        }
        List<Path> manifests =
                found.stream().filter(each -> each.endsWith(NAME)).toList();
        Map<Path, Listed> listed = new HashMap<>();
        Map<Path, Path> byPath = new HashMap<>();
        found.forEach(each -> byPath.put(each, each));
        Map<Path, Manifest> byDirectory = new HashMap<>();
        for (Path each : manifests) {
            try {
                Manifest manifest = read(each);
                manifest.compare(each, parent(each, directory), byPath, listed);
                byDirectory.put(parent(each, directory), manifest);
            } catch (NoSuchFileException e) {
                throw new OverdriveException(Kind.INPUT, each + ": cannot be read: it was deleted meanwhile", e);
            } catch (IOException e) {
                throw new OverdriveException(Kind.INPUT, each + ": cannot be read: " + WritableDirectory.reason(e), e);
            }
        }
        read.forEach(each -> refuseForeign(each, byDirectory));
        return listed;
    }

    /** Refuses a file in the directory of an unload, or below it, that the unload did not write. */
    private static void refuseForeign(Path file, Map<Path, Manifest> byDirectory) {
        for (Path above = file.getParent(); above != null; above = above.getParent()) {
            Manifest manifest = byDirectory.get(above);
            if (manifest != null) {
                String name = above.relativize(file).toString().replace('\\', '/');
                if (!manifest.files.containsKey(name)) {
                    throw new OverdriveException(
                            Kind.INPUT,
                            file + ": is no file of the unload in " + above + ", by " + NAME
                                    + ": move it to another directory, or name the files to read by a glob");
                }
                return;
            }
        }
    }

    /** A sum as a manifest has it. */
    public static String hex(int sum) {
        return HexFormat.of().toHexDigits(sum);
    }

    /** The CRC-32C of a file, which is read for it. */
    public static int sum(Path file) throws IOException {
        CRC32C sum = new CRC32C();
        byte[] buffer = new byte[BUFFER_BYTES];
        try (InputStream in = Files.newInputStream(file)) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                sum.update(buffer, 0, read);
            }
        }
        return (int) sum.getValue();
    }

    private static Path parent(Path file, Path directory) {
        Path parent = file.getParent();
        return parent == null ? directory : parent;
    }

    /** @param found files by equal paths: those of an object store know the objects that were listed */
    private void compare(Path manifest, Path directory, Map<Path, Path> found, Map<Path, Listed> listed)
            throws IOException {
        List<String> missing = new ArrayList<>();
        for (Map.Entry<String, Content> each : new TreeMap<>(files).entrySet()) {
            Path file = found.get(manifest.resolveSibling(each.getKey()));
            Content content = each.getValue();
            if (file == null) {
                missing.add(each.getKey());
            } else if (Files.size(file) != content.bytes) {
                throw new OverdriveException(
                        Kind.INPUT,
                        file + ": the file has " + Files.size(file) + " bytes, and " + NAME + " says " + content.bytes
                                + ": it was changed or cut. Unload the table again, or name files by a glob");
            } else {
                listed.put(file, new Listed(content.sum, writtenAfter));
            }
        }
        if (!missing.isEmpty()) {
            throw new OverdriveException(
                    Kind.INPUT,
                    directory + ": " + missing.size() + " of " + files.size() + " files of the unload are missing, by "
                            + NAME + ": "
                            + String.join(
                                    ", ", missing.stream().limit(NAMED_FILES).toList())
                            + (missing.size() > NAMED_FILES ? ", …" : "")
                            + ". Copy them, too; to read what is there, name the files by a glob");
        }
    }

    /** The bytes of all files. */
    public long bytes() {
        return files.values().stream().mapToLong(Content::bytes).sum();
    }

    /**
     * Reads the manifest of a directory.
     *
     * @throws NoSuchFileException if it has none
     */
    public static Manifest in(Path directory) throws IOException {
        return read(directory.resolve(NAME));
    }

    private static Manifest read(Path file) throws IOException {
        Map<String, Content> files = new TreeMap<>();
        long rows = 0;
        String path = null;
        String writtenAfter = "";
        boolean isManifest = false;
        try (JsonParser json = new JsonFactory().createParser(Files.readAllBytes(file))) {
            for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
                String name = json.currentName();
                if (token == JsonToken.VALUE_STRING && "path".equals(name)) {
                    path = json.getText();
                } else if (token == JsonToken.VALUE_NUMBER_INT && "bytes".equals(name) && path != null) {
                    files.put(path, new Content(json.getLongValue(), /* sum */ null));
                } else if (token == JsonToken.VALUE_STRING && "crc32c".equals(name) && path != null) {
                    int sum = HexFormat.fromHexDigits(json.getText());
                    files.computeIfPresent(path, (of, content) -> new Content(content.bytes, sum));
                } else if (token == JsonToken.VALUE_STRING && WRITTEN_AFTER.equals(name)) {
                    writtenAfter = json.getText();
                } else if (token == JsonToken.VALUE_NUMBER_INT && "rows".equals(name)) {
                    rows = json.getLongValue();
                } else if (token == JsonToken.END_ARRAY && "files".equals(name)) {
                    isManifest = true;
                }
            }
        } catch (IllegalArgumentException e) {
            throw new IOException("it has a checksum that is none: " + e.getMessage(), e);
        } catch (JsonProcessingException e) {
            throw new IOException("it is no JSON, or was cut", e);
        }
        if (!isManifest) {
            throw new IOException("it lists no files of an unload");
        }
        return new Manifest(rows, files, writtenAfter);
    }
}
