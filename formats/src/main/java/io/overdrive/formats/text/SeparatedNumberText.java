package io.overdrive.formats.text;

import com.fasterxml.jackson.core.JsonParser;
import io.overdrive.formats.hints.NumberHint;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.MessageText;
import java.io.IOException;

/**
 * A number with a decimal comma or another separator, or with separators between thousands; any spaces around it are skipped, no-break
 * spaces among them. Thousands are not separated when written: parsing does not need it. JSON numbers always have a point. Confined to one thread.
 */
final class SeparatedNumberText extends ValueText {
    /** Space, no-break space, narrow no-break space, thin space. */
    private static final String SPACES = " \u00A0\u202F\u2009";

    private static final String APOSTROPHES = "'\u2019";

    private final ValueText plain;
    private final char decimal;
    private final char grouping;
    /** Characters that separate thousands as {@link #grouping} does, and look the same. */
    private final String lookalikes;

    private final boolean hasLookalikes;
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
        lookalikes = SPACES.indexOf(grouping) >= 0 ? SPACES : APOSTROPHES.indexOf(grouping) >= 0 ? APOSTROPHES : "";
        hasLookalikes = !lookalikes.isEmpty() && lookalikes.indexOf(decimal) < 0;
        separatesWhenWritten = decimal != '.' && plain.isFraction();
        decimalBytes = TextForms.utf8(String.valueOf(decimal));
    }

    @Override
    public void parse(char[] chars, int begin, int limit, Bytes out) {
        int from = begin;
        while (from < limit && isAnySpace(chars[from])) {
            from++;
        }
        int to = limit;
        while (to > from && isAnySpace(chars[to - 1])) {
            to--;
        }
        if (scratch.length < to - from) {
            scratch = new char[to - from];
        }
        int length = 0;
        boolean inFraction = false;
        char usedGrouping = ValueFormat.NO_GROUPING;
        for (int i = from; i < to; i++) {
            char c = chars[i];
            if (c == decimal) {
                inFraction = true;
                scratch[length++] = '.';
            } else if (isGrouping(c)) {
                boolean isFirst = usedGrouping == ValueFormat.NO_GROUPING;
                if (inFraction
                        || !(isFirst ? isFirstGroup(chars, from, i) : c == usedGrouping)
                        || !groupFollows(chars, i + 1, to, c)) {
                    throw got(chars, begin, limit);
                }
                usedGrouping = c;
            } else if (c == '.') {
                // a point that is neither separator
                throw got(chars, begin, limit);
            } else {
                scratch[length++] = c;
            }
        }
        try {
            plain.parse(scratch, 0, length, out);
        } catch (BadValueException e) {
            throw e.isOfOtherForm() ? got(chars, begin, limit) : e;
        }
    }

    /** Spreadsheets of some countries write another space or apostrophe than a keyboard has. */
    private boolean isGrouping(char c) {
        return c == grouping || (hasLookalikes && lookalikes.indexOf(c) >= 0);
    }

    @Override
    public void parse(JsonParser json, Bytes out) throws IOException {
        if (json.currentToken().isNumeric()) {
            plain.parse(json, out);
        } else {
            super.parse(json, out);
        }
    }

    @Override
    public MessageText hint(String value) {
        return NumberHint.separated(value, decimal, grouping);
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
    private static boolean groupFollows(char[] chars, int from, int to, char separator) {
        int i = from;
        while (i < to && isDigit(chars[i])) {
            i++;
        }
        return i - from == 3 || (i - from == 2 && i < to && chars[i] == separator);
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
