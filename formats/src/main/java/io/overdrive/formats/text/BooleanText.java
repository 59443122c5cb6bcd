package io.overdrive.formats.text;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.formats.hints.SheetHint;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.MessageText;
import java.io.IOException;
import java.util.List;

/** Booleans, from a list of words for each, and written as the first word; in JSON as booleans. Immutable; on the hot path. */
final class BooleanText extends ValueText {
    private static final byte[] TRUE = TextForms.utf8("true");
    private static final byte[] FALSE = TextForms.utf8("false");

    /** Shorter words, such as 1, t or no, more often mean something else. */
    private static final int MIN_CLEAR_CHARS = 4;

    private final String[] trueWords;
    private final String[] falseWords;
    private final byte[] trueWord;
    private final byte[] falseWord;
    private final boolean plainWords;

    BooleanText(ValueFormat format) {
        super("boolean");
        trueWords = format.trueWords().toArray(String[]::new);
        falseWords = format.falseWords().toArray(String[]::new);
        String yes = first(format.trueWords(), "true");
        String no = first(format.falseWords(), "false");
        trueWord = TextForms.utf8(yes);
        falseWord = TextForms.utf8(no);
        plainWords = isPlain(yes) && isPlain(no);
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
    public MessageText hint(String value) {
        return SheetHint.bool(value);
    }

    private static boolean isOneOf(String[] words, char[] chars, int from, int to) {
        for (String word : words) {
            if (isWord(chars, from, to, word)) {
                return true;
            }
        }
        return false;
    }

    private static String first(List<String> words, String otherwise) {
        return words.stream().filter(word -> !word.isBlank()).findFirst().orElse(otherwise);
    }

    private static boolean isPlain(String word) {
        return word.chars().allMatch(Character::isLetterOrDigit) && !word.equals("null");
    }

    @Override
    boolean keeps(char[] chars, int from, int to, byte[] value, int start, int end) {
        int first = skipSpaces(chars, from, to);
        return trimEnd(chars, first, to) - first >= MIN_CLEAR_CHARS && !Character.isDigit(chars[first]);
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        out.put(isTrue(from, offset, length) ? trueWord : falseWord);
    }

    @Override
    void writeLiteral(byte[] from, int offset, int length, Bytes out) {
        byte[] word = isTrue(from, offset, length) ? trueWord : falseWord;
        if (plainWords) {
            out.put(word);
        } else {
            TextForms.putLiteral(word, 0, word.length, out);
        }
    }

    @Override
    public void writeJson(byte[] from, int offset, int length, Bytes out) {
        out.put(isTrue(from, offset, length) ? TRUE : FALSE);
    }

    @Override
    void writeName(byte[] from, int offset, int length, Bytes out) {
        byte[] word = isTrue(from, offset, length) ? trueWord : falseWord;
        TextForms.putJson(word, 0, word.length, out);
    }

    private boolean isTrue(byte[] from, int offset, int length) {
        checkLength(length, 1);
        return from[offset] != 0;
    }
}
