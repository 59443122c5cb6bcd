package io.overdrive.formats.text;

import com.fasterxml.jackson.core.JsonParser;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;

/**
 * A number with a decimal comma or another separator, or with separators between thousands. Thousands are not separated
 * when written: parsing does not need it. JSON numbers always have a point. Confined to one thread.
 */
final class SeparatedNumberText extends ValueText {
    private final ValueText plain;
    private final char decimal;
    private final char grouping;
    private final boolean separatesWhenWritten;
    private final byte[] decimalBytes;
    private final Bytes plainText = new Bytes(64);
    private final Bytes text = new Bytes(64);
    private char[] scratch = new char[64];

    SeparatedNumberText(ValueText plain, ValueFormat format) {
        super(plain.type);
        this.plain = plain;
        decimal = format.decimalSeparator();
        grouping = format.groupingSeparator();
        separatesWhenWritten = decimal != '.' && plain.isFraction();
        decimalBytes = TextForms.utf8(String.valueOf(decimal));
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        if (scratch.length < to - from) {
            scratch = new char[to - from];
        }
        int length = 0;
        boolean inFraction = false;
        boolean isGrouped = false;
        for (int i = from; i < to; i++) {
            char c = chars[i];
            if (c == decimal) {
                inFraction = true;
                scratch[length++] = '.';
            } else if (c == grouping) {
                if (inFraction || !(isGrouped || isFirstGroup(chars, from, i)) || !groupFollows(chars, i + 1, to)) {
                    throw got(chars, from, to);
                }
                isGrouped = true;
            } else if (c == '.') {
                // a point that is neither separator
                throw got(chars, from, to);
            } else {
                scratch[length++] = c;
            }
        }
        plain.parse(scratch, 0, length, out);
    }

    @Override
    public void parse(JsonParser json, Bytes out) throws IOException {
        if (json.currentToken().isNumeric()) {
            plain.parse(json, out);
        } else {
            super.parse(json, out);
        }
    }

    /** The first group has up to three digits, and no zero before others: neither 1234,567 nor 0,125 are whole numbers. */
    private static boolean isFirstGroup(char[] chars, int from, int to) {
        int i = to;
        while (i > from && isDigit(chars[i - 1])) {
            i--;
        }
        return i < to && to - i <= 3 && chars[i] != '0';
    }

    /** Groups have three digits, or two as in India, except the last one: {@code 1,5} is not 15. */
    private boolean groupFollows(char[] chars, int from, int to) {
        int i = from;
        while (i < to && isDigit(chars[i])) {
            i++;
        }
        return i - from == 3 || (i - from == 2 && i < to && chars[i] == grouping);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        if (!separatesWhenWritten) {
            plain.write(from, offset, length, out);
            return;
        }
        plainText.clear();
        plain.write(from, offset, length, plainText);
        byte[] chars = plainText.array();
        for (int i = 0; i < plainText.length(); i++) {
            if (chars[i] == '.') {
                out.put(decimalBytes);
            } else {
                out.putByte(chars[i]);
            }
        }
    }

    @Override
    public void writeJson(byte[] from, int offset, int length, Bytes out) {
        int start = out.length();
        plain.writeJson(from, offset, length, out);
        if (separatesWhenWritten && out.array()[start] == '"') {
            // strings are parsed with the separator
            out.truncate(start);
            text.clear();
            write(from, offset, length, text);
            TextForms.putJson(text.array(), 0, text.length(), out);
        }
    }
}
