package io.overdrive.files.text.parse;

import com.fasterxml.jackson.core.JsonParser;
import io.overdrive.files.text.ValueFormat;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;

/** A number written with a decimal comma or with separators between thousands. Confined to one thread. */
final class SeparatedNumberParser extends ValueParser {
    private final ValueParser plain;
    private final char decimal;
    private final char grouping;
    private char[] scratch = new char[64];

    SeparatedNumberParser(ValueParser plain, ValueFormat format) {
        super(plain.type);
        this.plain = plain;
        decimal = format.decimalSeparator();
        grouping = format.groupingSeparator();
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        if (scratch.length < to - from) {
            scratch = new char[to - from];
        }
        int length = 0;
        boolean inFraction = false;
        for (int i = from; i < to; i++) {
            char c = chars[i];
            if (c == decimal) {
                inFraction = true;
                scratch[length++] = '.';
            } else if (c == grouping) {
                if (inFraction || i == from || !isDigit(chars[i - 1]) || !groupFollows(chars, i + 1, to)) {
                    throw got(chars, from, to);
                }
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
}
