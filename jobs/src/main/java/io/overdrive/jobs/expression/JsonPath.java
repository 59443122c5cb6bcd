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
 * A place in a JSON text: members and elements from its root, such as {@code address.lines[0]}. Immutable.
 *
 * @param steps names of members, and numbers of elements from 0
 */
record JsonPath(List<Object> steps) {
    private static final JsonFactory JSON = new JsonFactory();
    private static final Pattern STEP = Pattern.compile("\\.?([^.\\[\\]]+)|\\[(\\d{1,9})\\]");

    /** @throws IllegalArgumentException if it is none */
    static JsonPath parse(String text) {
        List<Object> steps = new ArrayList<>();
        Matcher step = STEP.matcher(text);
        int end = 0;
        while (step.lookingAt()) {
            String name = step.group(1);
            steps.add(name != null ? name : (Object) Integer.valueOf(step.group(2)));
            end = step.end();
            step.region(end, text.length());
        }
        if (end < text.length() || steps.isEmpty() || text.startsWith(".")) {
            throw new IllegalArgumentException("the path is '" + text
                    + "', must be names with points and numbers in brackets: 'address.lines[0]'");
        }
        return new JsonPath(List.copyOf(steps));
    }

    /** The value there as text, an object or array as JSON; null if there is none. */
    @Nullable String in(String text) {
        try (JsonParser json = JSON.createParser(text)) {
            JsonToken token = json.nextToken();
            for (Object step : steps) {
                if (!(step instanceof String name ? enter(json, token, name) : enter(json, token, (Integer) step))) {
                    return null;
                }
                token = json.currentToken();
            }
            return token == null || token == JsonToken.VALUE_NULL ? null : text(json, token);
        } catch (JsonProcessingException e) {
            char[] chars = text.toCharArray();
            throw BadValueException.got("of JSON", chars, 0, chars.length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean enter(JsonParser json, @Nullable JsonToken token, String name) throws IOException {
        if (token != JsonToken.START_OBJECT) {
            return false;
        }
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            boolean isIt = json.currentName().equals(name);
            json.nextToken();
            if (isIt) {
                return true;
            }
            json.skipChildren();
        }
        return false;
    }

    private static boolean enter(JsonParser json, @Nullable JsonToken token, int number) throws IOException {
        if (token != JsonToken.START_ARRAY) {
            return false;
        }
        for (int i = 0; json.nextToken() != JsonToken.END_ARRAY; i++) {
            if (i == number) {
                return true;
            }
            json.skipChildren();
        }
        return false;
    }

    private static String text(JsonParser json, JsonToken token) throws IOException {
        if (!token.isStructStart()) {
            return json.getText();
        }
        StringWriter copy = new StringWriter();
        try (JsonGenerator to = JSON.createGenerator(copy)) {
            to.copyCurrentStructure(json);
        }
        return copy.toString();
    }
}
