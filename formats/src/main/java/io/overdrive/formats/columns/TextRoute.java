package io.overdrive.formats.columns;

import com.datastax.oss.driver.api.core.type.DataType;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Reads values for a type to which only their text leads, or their JSON if they have parts. Confined to one thread. */
final class TextRoute implements CellReader {
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .build())
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();

    private final CellReader natural;
    private final ValueText writer;
    private final ValueText parser;
    private final boolean isJson;
    private final Bytes value = new Bytes(64);
    private final Bytes text = new Bytes(64);

    /** @param own parses texts as the user writes them; other values have a text without the user's words and separators */
    TextRoute(ColumnType from, DataType to, ValueText own, ValueFormat values) {
        DataType type = from.natural();
        writer = ValueText.of(type, ColumnJson.FORMAT);
        CellReader direct = CellReader.direct(from, type, writer.type, values);
        if (direct == null) {
            throw new IllegalStateException(from + " has no natural reader");
        }
        natural = direct;
        parser = from.kind() == ColumnType.Kind.TEXT || from.isInteger() ? own : ValueText.of(to, format(values));
        isJson = writer.isNested();
    }

    /** The format of texts that we have written. */
    static ValueFormat format(ValueFormat users) {
        return ValueFormat.builder()
                .zone(users.zone())
                .jsonText(users.jsonText())
                .ignoreExtraFields(users.ignoresExtraFields())
                .build();
    }

    @Override
    public void read(Column column, int row, Bytes out) {
        value.clear();
        natural.read(column, row, value);
        text.clear();
        if (!isJson) {
            writer.write(value.array(), 0, value.length(), text);
            char[] chars = new String(text.array(), 0, text.length(), StandardCharsets.UTF_8).toCharArray();
            try {
                parser.parse(chars, 0, chars.length, out);
            } catch (BadValueException e) {
                throw e.hint().isEmpty() ? e.withHint(parser.hint(new String(chars))) : e;
            }
            return;
        }
        writer.writeJson(value.array(), 0, value.length(), text);
        try (JsonParser json = JSON.createParser(text.array(), 0, text.length())) {
            if (json.nextToken() == JsonToken.VALUE_NULL) {
                throw new BadValueException("is " + parser.type + ", got null");
            }
            parser.parse(json, out);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // of our own JSON
        }
    }
}
