package io.overdrive.bench.report;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import io.overdrive.bench.Result;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.stream.Collectors;

/**
 * Results as JSON: the members of {@link Result} by their names, after the number of the format, which is raised when an older reader would
 * misunderstand. Each member has a line, and each element of a list its own, so that a file is small and a difference of two files shows
 * the runs that differ. Stateless.
 */
public final class Results {
    private static final int FORMAT = 2;

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .disable(MapperFeature.AUTO_DETECT_IS_GETTERS) // they answer questions, such as Estimate.isMissing
            .addModule(new SimpleModule()
                    .addSerializer(new InstantWriter())
                    .addDeserializer(Instant.class, new InstantReader()))
            .build();

    private Results() {}

    public static String toJson(Result result) {
        ObjectNode json = MAPPER.createObjectNode().put("format", FORMAT);
        json.setAll((ObjectNode) MAPPER.valueToTree(result));
        return json.properties().stream()
                .map(member -> MAPPER.valueToTree(member.getKey()) + ": " + lines(member.getValue()))
                .collect(Collectors.joining(",\n", "{\n", "\n}"));
    }

    private static String lines(JsonNode value) {
        return value.isArray() && !value.isEmpty()
                ? value.valueStream().map(JsonNode::toString).collect(Collectors.joining(",\n", "[\n", "\n]"))
                : value.toString();
    }

    /** @throws IllegalArgumentException if the text is not a result, or has a later format */
    public static Result fromJson(String text) {
        try {
            JsonNode json = MAPPER.readTree(text);
            int format = json.path("format").asInt();
            if (!(json instanceof ObjectNode members) || format < 1) {
                throw new IllegalArgumentException("it has no \"format\" number, which overdrive bench writes");
            }
            if (format > FORMAT) {
                throw new IllegalArgumentException(
                        "its format is " + format + ", and this Overdrive reads up to " + FORMAT + ": use a newer one");
            }
            members.remove("format");
            return MAPPER.treeToValue(members, Result.class);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(e.getOriginalMessage(), e);
        }
    }

    public static void write(Result result, Path file) {
        try {
            Files.writeString(file, toJson(result) + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(file + " can't be written (" + e.getMessage() + ")", e);
        }
    }

    /** @throws IllegalArgumentException if there is no such file, or it contains no result; the message names the file */
    public static Result read(Path file) {
        try {
            return fromJson(Files.readString(file));
        } catch (IOException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    file + " is not the JSON of an experiment's result: " + e.getMessage(), e);
        }
    }

    /** Writes ISO 8601; Jackson's own module for this would be a dependency for one type. */
    private static final class InstantWriter extends StdSerializer<Instant> {
        private InstantWriter() {
            super(Instant.class);
        }

        @Override
        public void serialize(Instant value, JsonGenerator json, SerializerProvider provider) throws IOException {
            json.writeString(value.toString());
        }
    }

    private static final class InstantReader extends StdDeserializer<Instant> {
        private InstantReader() {
            super(Instant.class);
        }

        @Override
        public Instant deserialize(JsonParser json, DeserializationContext context) throws IOException {
            return Instant.parse(json.getValueAsString());
        }
    }
}
