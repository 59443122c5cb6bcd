package io.overdrive.jobs.expression;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.formats.text.BadValueException;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A place in a JSON text: members and elements from its root, such as {@code address.lines[0]}, with names in double quotes if they have
 * other characters. The whole text is read, so that it is surely JSON. Immutable.
 *
 * @param steps names of members, and numbers of elements from 0
 */
record JsonPath(List<Object> steps) {
    private static final JsonFactory JSON = new JsonFactory();
    private static final Pattern STEP =
            Pattern.compile("\\.?(?:\"([^\"]*+(?:\"\"[^\"]*+)*+)\"|([^.\\[\\]\"][^.\\[\\]]*+))|\\[(\\d{1,9})\\]");

    /** @throws IllegalArgumentException if it is none */
    static JsonPath parse(String text) {
        List<Object> steps = new ArrayList<>();
        Matcher step = STEP.matcher(text);
        int end = 0;
        while (step.lookingAt()) {
            String quoted = step.group(1);
            String name = quoted != null ? quoted.replace("\"\"", "\"") : step.group(2);
            steps.add(name != null ? name : (Object) Integer.valueOf(step.group(3)));
            end = step.end();
            step.region(end, text.length());
        }
        if (end < text.length() || steps.isEmpty() || text.startsWith(".")) {
            throw new IllegalArgumentException("the path is '" + text
                    + "', must be names with points and numbers in brackets: 'address.lines[0]'; other names are in"
                    + " double quotes: 'address.\"zip.code\"'");
        }
        return new JsonPath(List.copyOf(steps));
    }

    /** The value there as text, an object or array as JSON; null if there is none. */
    @Nullable String in(String text) {
        try (JsonParser json = JSON.createParser(text)) {
            JsonToken token = json.nextToken();
            String found = token == null ? null : find(json, 0);
            if (token == null || json.nextToken() == null) {
                return found;
            }
        } catch (JsonProcessingException e) {
            // reported below
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        char[] chars = text.toCharArray();
        throw BadValueException.got("of JSON", chars, 0, chars.length);
    }

    /** Reads the current value to its end. */
    private @Nullable String find(JsonParser json, int step) throws IOException {
        JsonToken token = json.currentToken();
        if (step == steps.size()) {
            return token == JsonToken.VALUE_NULL ? null : text(json);
        }
        if (steps.get(step) instanceof String name && token == JsonToken.START_OBJECT) {
            return member(json, step, name);
        }
        if (steps.get(step) instanceof Integer number && token == JsonToken.START_ARRAY) {
            String found = null;
            for (int i = 0; json.nextToken() != JsonToken.END_ARRAY; i++) {
                if (i == number) {
                    found = find(json, step + 1);
                } else {
                    json.skipChildren();
                }
            }
            return found;
        }
        json.skipChildren();
        return null;
    }

    private @Nullable String member(JsonParser json, int step, String name) throws IOException {
        String found = null;
        boolean isFound = false;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            boolean isIt = json.currentName().equals(name);
            json.nextToken();
            if (!isIt) {
                json.skipChildren();
                continue;
            }
            if (isFound) {
                throw new BadValueException("is of JSON, which has \"" + name + "\" twice in one object");
            }
            isFound = true;
            found = find(json, step + 1);
        }
        return found;
    }

    /** The current value to its end, with numbers as they are written. */
    private static String text(JsonParser json) throws IOException {
        if (!json.currentToken().isStructStart()) {
            return json.getText();
        }
        StringWriter copy = new StringWriter();
        try (JsonGenerator to = JSON.createGenerator(copy)) {
            int depth = 0;
            do {
                JsonToken token = depth == 0 ? json.currentToken() : json.nextToken();
                depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
                if (token.isNumeric()) {
                    to.writeNumber(json.getText());
                } else {
                    to.copyCurrentEvent(json);
                }
            } while (depth > 0);
        }
        return copy.toString();
    }
}
