package io.overdrive.formats.text;

import com.fasterxml.jackson.core.JsonParser;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.MessageText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Parses as another parser does, and reports values that the type does not keep in full. Only columns whose values are checked have
 * it. Confined to one thread; on the hot path.
 */
final class CheckedText extends ValueText {
    private final ValueText plain;
    private final LossListener losses;

    CheckedText(ValueText plain, LossListener losses) {
        super(plain.type);
        this.plain = plain;
        this.losses = losses;
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        int start = out.length();
        plain.parse(chars, from, to, out);
        check(chars, from, to, start, out);
    }

    @Override
    public void parse(JsonParser json, Bytes out) throws IOException {
        int start = out.length();
        plain.parse(json, out);
        char[] chars = json.getTextCharacters();
        int from = json.getTextOffset();
        check(chars, from, from + json.getTextLength(), start, out);
    }

    private void check(char[] chars, int from, int to, int start, Bytes out) {
        if (!plain.keeps(chars, from, to, out.array(), start, out.length())) {
            Bytes kept = new Bytes(32);
            plain.write(out.array(), start, out.length() - start, kept);
            losses.lost(
                    BadValueException.shown(chars, from, to), new String(kept.toByteArray(), StandardCharsets.UTF_8));
        }
    }

    @Override
    public MessageText hint(String value) {
        return plain.hint(value);
    }

    @Override
    boolean isNumber() {
        return plain.isNumber();
    }

    @Override
    boolean isFraction() {
        return plain.isFraction();
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        plain.write(from, offset, length, out);
    }
}
