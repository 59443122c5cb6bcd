package io.overdrive.files.text.parse;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.files.text.ValueFormat;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;

/** Booleans, from a list of words for each. Immutable; on the hot path. */
final class BooleanParser extends ValueParser {
    private final String[] trueWords;
    private final String[] falseWords;

    BooleanParser(ValueFormat format) {
        super("boolean");
        trueWords = format.trueWords().toArray(String[]::new);
        falseWords = format.falseWords().toArray(String[]::new);
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        int start = skipSpaces(chars, from, to);
        int end = trimEnd(chars, start, to);
        if (isOneOf(trueWords, chars, start, end)) {
            out.putByte(1);
        } else if (isOneOf(falseWords, chars, start, end)) {
            out.putByte(0);
        } else {
            throw got(chars, from, to);
        }
    }

    @Override
    public void parse(JsonParser json, Bytes out) throws IOException {
        JsonToken token = json.currentToken();
        if (token == JsonToken.VALUE_TRUE || token == JsonToken.VALUE_FALSE) {
            out.putByte(token == JsonToken.VALUE_TRUE ? 1 : 0);
        } else {
            super.parse(json, out);
        }
    }

    @Override
    public String hint(String value) {
        return "; if it means true or false, give --true-words and --false-words";
    }

    private static boolean isOneOf(String[] words, char[] chars, int from, int to) {
        for (String word : words) {
            if (isWord(chars, from, to, word)) {
                return true;
            }
        }
        return false;
    }
}
