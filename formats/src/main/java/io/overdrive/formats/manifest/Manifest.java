package io.overdrive.formats.manifest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.disk.WritableDirectory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The files that a complete unload has written to an object store, of which the manifest is the last. Immutable.
 *
 * @param rows in all files
 * @param files sizes in bytes by paths, relative to the directory
 */
public record Manifest(long rows, Map<String, Long> files) {
    /** The beginning of the names of files that are about an unload, and no part of it. */
    public static final String PREFIX = "_overdrive_";

    public static final String NAME = PREFIX + "manifest.json";

    /** The name of a file that is there while an unload is not complete. */
    public static final String UNFINISHED = PREFIX + "unfinished";

    private static final int NAMED_FILES = 3;

    public Manifest {
        files = Map.copyOf(files);
    }

    public byte[] toJson() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = new JsonFactory().createGenerator(bytes).useDefaultPrettyPrinter()) {
            json.writeStartObject();
            json.writeNumberField("rows", rows);
            json.writeArrayFieldStart("files");
            for (Map.Entry<String, Long> each : new TreeMap<>(files).entrySet()) {
                json.writeStartObject();
                json.writeStringField("path", each.getKey());
                json.writeNumberField("bytes", each.getValue());
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
     * Checks that all files of an unload are there, if a directory has one.
     *
     * @param found files in the directory and those below it
     * @throws OverdriveException of kind INPUT if the unload is not complete, or if a file is missing, or has another size
     */
    public static void check(Path directory, List<Path> found) {
        Path unfinished = directory.resolve(UNFINISHED);
        if (found.contains(unfinished)) {
            throw new OverdriveException(
                    Kind.INPUT,
                    directory + ": the unload that wrote these files has not ended, or was ended early, as "
                            + UNFINISHED + " shows. Wait for it, or resume it; to read what is there, name the files by"
                            + " a glob");
        }
        Path manifest = directory.resolve(NAME);
        if (!found.contains(manifest)) {
            return;
        }
        try {
            read(manifest).compare(directory, found);
        } catch (IOException e) {
            throw new OverdriveException(Kind.INPUT, manifest + ": cannot be read: " + WritableDirectory.reason(e), e);
        }
    }

    private void compare(Path directory, List<Path> found) throws IOException {
        Map<String, Long> missing = new TreeMap<>(files);
        for (Path each : found) {
            String path = directory.relativize(each).toString();
            Long size = missing.remove(path);
            if (size != null && size != Files.size(each)) {
                throw new OverdriveException(
                        Kind.INPUT,
                        each + ": the file has " + Files.size(each) + " bytes, and " + NAME + " says " + size
                                + ": it was changed or cut. Unload the table again, or name files by a glob");
            }
        }
        if (!missing.isEmpty()) {
            throw new OverdriveException(
                    Kind.INPUT,
                    directory + ": " + missing.size() + " of " + files.size() + " files of the unload are missing, by "
                            + NAME + ": "
                            + String.join(
                                    ", ",
                                    missing.keySet().stream().limit(NAMED_FILES).toList())
                            + (missing.size() > NAMED_FILES ? ", …" : "")
                            + ". Copy them, too; to read what is there, name the files by a glob");
        }
    }

    private static Manifest read(Path file) throws IOException {
        Map<String, Long> files = new TreeMap<>();
        long rows = 0;
        String path = null;
        try (JsonParser json = new JsonFactory().createParser(Files.readAllBytes(file))) {
            for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
                String name = json.currentName();
                if (token == JsonToken.VALUE_STRING && "path".equals(name)) {
                    path = json.getText();
                } else if (token == JsonToken.VALUE_NUMBER_INT && "bytes".equals(name) && path != null) {
                    files.put(path, json.getLongValue());
                } else if (token == JsonToken.VALUE_NUMBER_INT && "rows".equals(name)) {
                    rows = json.getLongValue();
                }
            }
        } catch (NoSuchFileException e) {
            throw new IOException("it was deleted meanwhile", e);
        }
        return new Manifest(rows, files);
    }
}
