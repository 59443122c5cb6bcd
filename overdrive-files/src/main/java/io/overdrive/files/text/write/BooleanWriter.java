package io.overdrive.files.text.write;

import io.overdrive.files.text.ValueFormat;
import io.overdrive.internal.codec.Bytes;
import java.util.List;

/** Booleans, as the format's first word for each; in JSON as booleans. Immutable; on the hot path. */
final class BooleanWriter extends ValueWriter {
    private static final byte[] TRUE = TextForms.utf8("true");
    private static final byte[] FALSE = TextForms.utf8("false");

    private final byte[] trueWord;
    private final byte[] falseWord;
    private final boolean plainWords;

    BooleanWriter(ValueFormat format) {
        super("boolean");
        String yes = first(format.trueWords(), "true");
        String no = first(format.falseWords(), "false");
        trueWord = TextForms.utf8(yes);
        falseWord = TextForms.utf8(no);
        plainWords = isPlain(yes) && isPlain(no);
    }

    private static String first(List<String> words, String otherwise) {
        return words.stream().filter(word -> !word.isBlank()).findFirst().orElse(otherwise);
    }

    private static boolean isPlain(String word) {
        return word.chars().allMatch(Character::isLetterOrDigit) && !word.equals("null");
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
