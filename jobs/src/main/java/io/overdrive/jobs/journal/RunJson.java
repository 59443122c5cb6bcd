package io.overdrive.jobs.journal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.jobs.journal.RunStatus.State;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The files {@code run.json} and {@code status.json} of a run. Stateless. */
final class RunJson {
    private static final JsonFactory JSON = JsonFactory.builder().build();

    private RunJson() {}

    private interface Members {
        void write(JsonGenerator json) throws IOException;
    }

    private static byte[] bytes(Members members) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.createGenerator(out).useDefaultPrettyPrinter()) {
            json.writeStartObject();
            members.write(json);
            json.writeEndObject();
        }
        return out.toByteArray();
    }

    static byte[] of(RunInfo info) throws IOException {
        return bytes(json -> {
            json.writeStringField("command", info.command());
            strings(json, "arguments", info.arguments());
            json.writeStringField("directory", info.directory().toString());
            json.writeStringField("started", info.started().toString());
            json.writeStringField("version", info.version());
            json.writeArrayFieldStart("targets");
            for (RunTarget each : info.targets()) {
                json.writeStartObject();
                json.writeStringField("cluster", each.cluster());
                strings(json, "hosts", each.hosts());
                json.writeStringField("table", each.table());
                if (each.tableId() != null) {
                    json.writeStringField("tableId", each.tableId());
                }
                strings(json, "columns", each.columns());
                if (each.drops() != null) {
                    strings(json, "drops", each.drops());
                }
                if (!each.rows().isEmpty()) {
                    json.writeStringField("rows", each.rows());
                }
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeArrayFieldStart("inputs");
            for (RunInfo.Input each : info.inputs()) {
                json.writeStartObject();
                json.writeStringField("path", each.path());
                json.writeNumberField("bytes", each.bytes());
                json.writeStringField("modified", each.modified().toString());
                json.writeEndObject();
            }
            json.writeEndArray();
            strings(json, "values", info.values());
        });
    }

    private static void strings(JsonGenerator json, String name, Map<String, String> values) throws IOException {
        json.writeObjectFieldStart(name);
        for (Map.Entry<String, String> each : values.entrySet()) {
            json.writeStringField(each.getKey(), each.getValue());
        }
        json.writeEndObject();
    }

    private static void strings(JsonGenerator json, String name, List<String> values) throws IOException {
        json.writeArrayFieldStart(name);
        for (String each : values) {
            json.writeString(each);
        }
        json.writeEndArray();
    }

    static byte[] of(RunStatus status) throws IOException {
        return bytes(json -> {
            json.writeStringField("state", status.state().name());
            json.writeStringField("at", status.at().toString());
            json.writeNumberField("rows", status.rows());
            json.writeNumberField("done", status.done());
            json.writeStringField("message", status.message());
        });
    }

    /** @throws IOException if the text does not describe a run */
    static RunInfo info(byte[] text) throws IOException {
        return read(text, run -> {
            List<RunTarget> targets = new ArrayList<>();
            for (Fields each : run.objects("targets")) {
                targets.add(new RunTarget(
                        each.string("cluster"),
                        each.strings("hosts"),
                        each.string("table"),
                        (String) each.values.get("tableId"),
                        each.strings("columns"),
                        each.values.containsKey("drops") ? each.map("drops") : null,
                        each.values.containsKey("rows") ? each.string("rows") : ""));
            }
            List<RunInfo.Input> inputs = new ArrayList<>();
            for (Fields each : run.objects("inputs")) {
                inputs.add(new RunInfo.Input(
                        each.string("path"), each.number("bytes").longValue(), Instant.parse(each.string("modified"))));
            }
            return new RunInfo(
                    run.string("command"),
                    run.strings("arguments"),
                    Path.of(run.string("directory")),
                    Instant.parse(run.string("started")),
                    run.string("version"),
                    targets,
                    inputs,
                    run.map("values"));
        });
    }

    /** @throws IOException if the text does not describe a status */
    static RunStatus status(byte[] text) throws IOException {
        return read(
                text,
                status -> new RunStatus(
                        State.valueOf(status.string("state")),
                        Instant.parse(status.string("at")),
                        status.number("rows").longValue(),
                        status.number("done").doubleValue(),
                        status.string("message")));
    }

    private interface Reading<T> {
        T from(Fields fields) throws IOException;
    }

    private static <T> T read(byte[] text, Reading<T> reading) throws IOException {
        try (JsonParser json = JSON.createParser(text)) {
            json.nextToken();
            return reading.from(new Fields((Map<?, ?>) value(json)));
        } catch (ClassCastException | NullPointerException | IllegalArgumentException | DateTimeParseException e) {
            throw new IOException("it is damaged: " + e.getMessage(), e);
        }
    }

    /** The value at the current token: a map, a list, a text, or a number. */
    private static Object value(JsonParser json) throws IOException {
        JsonToken token = json.currentToken();
        if (token == JsonToken.START_OBJECT) {
            Map<String, Object> members = new LinkedHashMap<>();
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                json.nextToken();
                members.put(name, value(json));
            }
            return members;
        }
        if (token == JsonToken.START_ARRAY) {
            List<Object> elements = new ArrayList<>();
            while (json.nextToken() != JsonToken.END_ARRAY) {
                elements.add(value(json));
            }
            return elements;
        }
        if (token == JsonToken.VALUE_STRING) {
            return json.getText();
        }
        if (token == null || !token.isNumeric()) {
            throw new IOException("it is not complete");
        }
        return json.getNumberValue();
    }

    /** Members of an object. */
    private record Fields(Map<?, ?> values) {
        Object value(String name) throws IOException {
            Object value = values.get(name);
            if (value == null) {
                throw new IOException("it has no \"" + name + "\"");
            }
            return value;
        }

        String string(String name) throws IOException {
            return (String) value(name);
        }

        Number number(String name) throws IOException {
            return (Number) value(name);
        }

        List<String> strings(String name) throws IOException {
            return ((List<?>) value(name)).stream().map(String.class::cast).toList();
        }

        Map<String, String> map(String name) throws IOException {
            Map<String, String> map = new LinkedHashMap<>();
            ((Map<?, ?>) value(name)).forEach((key, value) -> map.put(String.valueOf(key), String.valueOf(value)));
            return map;
        }

        List<Fields> objects(String name) throws IOException {
            return ((List<?>) value(name))
                    .stream().map(each -> new Fields((Map<?, ?>) each)).toList();
        }
    }
}
