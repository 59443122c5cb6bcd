package io.overdrive.formats.records;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The records of JSON blocks. Confined to one thread; on the hot path. Each record gets its own Jackson parser, so that
 * a malformed one does not affect its neighbours.
 */
final class JsonRecords {
    private static final byte[] NOTHING = {};
    private static final Pattern START_MARKER = Pattern.compile(" \\(start marker at .*\\)$");

    private final JsonFactory factory = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    // a record's size is checked before it is parsed; keys of a map are names
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .build())
            // a block is UTF-8 whatever the first bytes of a record look like
            .disable(JsonFactory.Feature.CHARSET_DETECTION)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();

    private byte[] bytes = NOTHING;
    private int from;
    private int to;

    void parse(Block block, RecordHandler handler) {
        try {
            parseAll(block, handler);
        } finally {
            bytes = NOTHING; // a block may be large
        }
    }

    private void parseAll(Block block, RecordHandler handler) {
        bytes = block.bytes;
        RecordScanner scanner = block.header().scanner(block.inArray);
        boolean isText = Encodings.decode(bytes, 0, block.length, StandardCharsets.UTF_8) != null;
        long line = block.line();
        long position = block.position();
        int counted = 0;
        int itemFrom = 0;
        int itemTo = scanner.next(bytes, itemFrom, block.length, true);
        while (itemTo >= 0) {
            if (!scanner.isBlank()) {
                from = scanner instanceof JsonScanner document ? document.start() : itemFrom;
                to = CsvRecords.withoutLineEnd(bytes, from, itemTo);
                line += scanner.countLineEnds(bytes, counted, from);
                counted = from;
                handler.begin(block, line, position);
                MessageText malformed = isText || Encodings.decode(bytes, from, to, StandardCharsets.UTF_8) != null
                        ? parseRecord(handler)
                        : words -> "contains bytes that are not valid UTF-8; give the file's encoding with "
                                + words.of(JobOption.ENCODING);
                if (malformed != null) {
                    handler.malformed(block, line, position, raw(), malformed);
                }
                position++;
            }
            itemFrom = itemTo;
            itemTo = scanner.next(bytes, itemFrom, block.length, true);
        }
    }

    /** The current record, without its line end. */
    byte[] raw() {
        return Arrays.copyOfRange(bytes, from, to);
    }

    /** Returns why the record is malformed, or null. */
    private @Nullable MessageText parseRecord(RecordHandler handler) {
        int fields = 0;
        int start = afterMark();
        try (JsonParser json = factory.createParser(bytes, start, to - start)) {
            JsonToken first = json.nextToken();
            if (first != JsonToken.START_OBJECT) {
                return words -> "a record must be a JSON object, got " + describe(first);
            }
            JsonStreamContext record = json.getParsingContext();
            for (String name = json.nextFieldName(); name != null; name = json.nextFieldName()) {
                json.nextToken();
                handler.field(name, json);
                // the part of the value that the handler did not read
                while (json.getParsingContext() != record) {
                    json.nextToken();
                }
                if (json.currentToken() == JsonToken.FIELD_NAME) {
                    throw new IllegalStateException("the handler of field \"" + name + "\" read beyond its value");
                }
                fields++;
            }
            if (json.nextToken() != null) {
                return words -> "more than one JSON value on the line";
            }
        } catch (JsonProcessingException e) {
            long at = e.getLocation() == null ? -1 : e.getLocation().getByteOffset() + (start - from);
            return words -> "not valid JSON" + (at < 0 ? "" : " at byte " + at) + ": "
                    + START_MARKER.matcher(e.getOriginalMessage()).replaceAll("");
        } catch (IOException e) {
            return words -> "not valid JSON: " + e.getMessage();
        }
        handler.end(fields);
        return null;
    }

    /** Where the current record starts without a byte order mark, which is there if files were concatenated. */
    private int afterMark() {
        int end = from + Encodings.UTF_8_MARK.length;
        return end <= to && Arrays.equals(bytes, from, end, Encodings.UTF_8_MARK, 0, Encodings.UTF_8_MARK.length)
                ? end
                : from;
    }

    private static String describe(@Nullable JsonToken token) {
        if (token == null) {
            return "nothing";
        }
        return switch (token) {
            case START_ARRAY -> "an array";
            case VALUE_STRING -> "a string";
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "a number";
            default -> token.name().toLowerCase(Locale.ROOT).replace("value_", "");
        };
    }
}
