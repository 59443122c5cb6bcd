package io.overdrive.jobs;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.FoundSizes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Found sizes in a small JSON file of the {@link StateDirectory}, for 30 days each. A job never fails because of it: a file that cannot
 * be read counts as empty, and one that cannot be written is left. If jobs write it at the same time, the last one wins.
 * Thread-safe.
 */
public final class FoundSizesFile implements FoundSizes {
    private static final Logger LOG = LoggerFactory.getLogger(FoundSizesFile.class);
    private static final JsonFactory JSON = new JsonFactory();
    private static final String NAME = "found-sizes.json";
    private static final long MAX_AGE_DAYS = 30;
    /** A file of another origin is not read into memory. */
    private static final long MAX_FILE_BYTES = 16 << 20;

    private final Path file;
    private final Clock clock;

    private record Found(int value, Instant at) {}

    FoundSizesFile(Path file, Clock clock) {
        this.file = file;
        this.clock = clock;
    }

    /** The file of the user who runs this process. */
    public static FoundSizesFile ofUser() {
        return new FoundSizesFile(StateDirectory.ofUser().resolve(NAME), Clock.systemUTC());
    }

    @Override
    public synchronized OptionalInt find(String key) {
        Found found = read().get(key);
        return found == null ? OptionalInt.empty() : OptionalInt.of(found.value);
    }

    @Override
    public synchronized void keep(String key, int value) {
        Map<String, Found> all = read();
        all.put(key, new Found(value, clock.instant()));
        try {
            StateDirectory.replace(file, write(all));
        } catch (IOException | RuntimeException e) {
            LOG.debug("{} is not written, so later runs begin with the default sizes", file, e);
        }
    }

    /** Reads the file without values that are too old. */
    private Map<String, Found> read() {
        Map<String, Found> all = new TreeMap<>();
        try {
            if (Files.size(file) > MAX_FILE_BYTES) {
                throw new IOException("more than " + MAX_FILE_BYTES + " bytes");
            }
            try (JsonParser json = JSON.createParser(Files.readAllBytes(file))) {
                expect(json.nextToken() == JsonToken.START_OBJECT);
                while (json.nextToken() == JsonToken.FIELD_NAME) {
                    String key = json.currentName();
                    all.put(key, entry(json));
                }
                expect(json.currentToken() == JsonToken.END_OBJECT);
            }
        } catch (NoSuchFileException e) {
            return all;
        } catch (IOException | RuntimeException e) {
            LOG.debug("{} is ignored, since it cannot be read", file, e);
            all.clear();
        }
        Instant oldest = clock.instant().minusSeconds(MAX_AGE_DAYS * 24 * 3600);
        all.values().removeIf(found -> found.at.isBefore(oldest));
        return all;
    }

    private static Found entry(JsonParser json) throws IOException {
        expect(json.nextToken() == JsonToken.START_OBJECT);
        Integer value = null;
        Instant at = null;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            json.nextToken();
            switch (name) {
                case "value" -> value = json.getIntValue();
                case "at" -> at = instant(json.getText());
                default -> json.skipChildren();
            }
        }
        expect(json.currentToken() == JsonToken.END_OBJECT);
        if (value == null || at == null) {
            throw new IOException("an entry without value or time");
        }
        return new Found(value, at);
    }

    private static Instant instant(@Nullable String text) throws IOException {
        try {
            return Instant.parse(String.valueOf(text));
        } catch (DateTimeParseException e) {
            throw new IOException("not a time: " + text, e);
        }
    }

    private static void expect(boolean isSo) throws IOException {
        if (!isSo) {
            throw new IOException("not an object of found sizes");
        }
    }

    private static byte[] write(Map<String, Found> all) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.createGenerator(bytes).useDefaultPrettyPrinter()) {
            json.writeStartObject();
            for (Map.Entry<String, Found> found : all.entrySet()) {
                json.writeObjectFieldStart(found.getKey());
                json.writeNumberField("value", found.getValue().value);
                json.writeStringField("at", found.getValue().at.toString());
                json.writeEndObject();
            }
            json.writeEndObject();
        }
        return bytes.toByteArray();
    }
}
