package io.overdrive.formats.text;

import io.overdrive.internal.codec.Bytes;

/**
 * Numeric IPv4 and IPv6 addresses; host names are refused, so that no name is ever resolved. An IPv4-mapped IPv6 address
 * ({@code ::ffff:10.0.0.1}) becomes the IPv4 address, as in CQL and Java. IPv6 is written by RFC 5952: no leading zeros,
 * and {@code ::} for the longest run of zero groups. Confined to one thread; writing is on the hot path.
 */
final class InetText extends ValueText {
    private static final int V4_BYTES = 4;
    private static final int V6_BYTES = 16;
    private static final int MAX_CHARS = 39;

    private final byte[] address = new byte[16];

    InetText() {
        super("inet");
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        int start = skipSpaces(chars, from, to);
        int end = trimEnd(chars, start, to);
        if (v4(chars, start, end, 0)) {
            out.put(address, 0, 4);
        } else if (v6(chars, start, end)) {
            if (isMapped()) {
                out.put(address, 12, 4);
            } else {
                out.put(address);
            }
        } else {
            throw got(chars, from, to);
        }
    }

    /** Four decimal numbers, stored at {@code index}. */
    private boolean v4(char[] chars, int from, int to, int index) {
        int i = from;
        for (int part = 0; part < 4; part++) {
            if (part > 0 && (i >= to || chars[i++] != '.')) {
                return false;
            }
            int first = i;
            int value = 0;
            while (i < to && i - first < 3 && chars[i] >= '0' && chars[i] <= '9') {
                value = value * 10 + chars[i++] - '0';
            }
            if (i == first || value > 255) {
                return false;
            }
            address[index + part] = (byte) value;
        }
        return i == to;
    }

    /** Eight groups of up to four digits; {@code ::} once for any number of zeros; the last two groups may be IPv4. */
    private boolean v6(char[] chars, int from, int to) {
        int i = from;
        int length = 0;
        int gapAt = -1;
        if (i + 1 < to && chars[i] == ':' && chars[i + 1] == ':') {
            gapAt = 0;
            i += 2;
        }
        while (i < to) {
            if (length == 16) {
                return false;
            }
            int first = i;
            int value = 0;
            while (i < to && i - first < 4 && UuidText.hexDigit(chars[i]) >= 0) {
                value = value << 4 | UuidText.hexDigit(chars[i++]);
            }
            if (i < to && chars[i] == '.') {
                if (length > 12 || !v4(chars, first, to, length)) {
                    return false;
                }
                length += 4;
                break;
            }
            if (i == first) {
                return false;
            }
            address[length++] = (byte) (value >> 8);
            address[length++] = (byte) value;
            if (i == to) {
                break;
            }
            if (chars[i++] != ':' || i == to) {
                return false;
            }
            if (chars[i] == ':') {
                if (gapAt >= 0) {
                    return false;
                }
                gapAt = length;
                i++;
            }
        }
        return gapAt < 0 ? length == 16 : length < 16 && fillGap(gapAt, length);
    }

    /** Moves the groups after the gap to the end and zeros the gap. */
    private boolean fillGap(int gapAt, int length) {
        int tail = length - gapAt;
        System.arraycopy(address, gapAt, address, 16 - tail, tail);
        for (int i = gapAt; i < 16 - tail; i++) {
            address[i] = 0;
        }
        return true;
    }

    private boolean isMapped() {
        for (int i = 0; i < 10; i++) {
            if (address[i] != 0) {
                return false;
            }
        }
        return address[10] == -1 && address[11] == -1;
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        out.reserve(MAX_CHARS);
        int start = out.length();
        switch (length) {
            case V4_BYTES -> out.advance(putV4(from, offset, out.array(), start) - start);
            case V6_BYTES -> out.advance(putV6(from, offset, out.array(), start) - start);
            default -> throw badLength(length);
        }
    }

    @Override
    void writeLiteral(byte[] from, int offset, int length, Bytes out) {
        writeQuoted('\'', from, offset, length, out);
    }

    private static int putV4(byte[] from, int offset, byte[] a, int start) {
        int at = start;
        for (int i = 0; i < V4_BYTES; i++) {
            if (i > 0) {
                a[at++] = '.';
            }
            at = Digits.put(a, at, from[offset + i] & 0xFF);
        }
        return at;
    }

    private static int putV6(byte[] from, int offset, byte[] a, int start) {
        int gapFrom = -1;
        int gapTo = -1;
        for (int i = 0; i < V6_BYTES; i += 2) {
            int zerosFrom = i;
            while (i < V6_BYTES && Bytes.getShort(from, offset + i) == 0) {
                i += 2;
            }
            if (i - zerosFrom > Math.max(gapTo - gapFrom, 2)) {
                gapFrom = zerosFrom;
                gapTo = i;
            }
        }
        int at = start;
        for (int i = 0; i < V6_BYTES; i += 2) {
            if (i == gapFrom) {
                a[at++] = ':';
                a[at++] = ':';
                i = gapTo;
                if (i == V6_BYTES) {
                    break;
                }
            } else if (i > 0) {
                a[at++] = ':';
            }
            at = group(Bytes.getShort(from, offset + i) & 0xFFFF, a, at);
        }
        return at;
    }

    /** One to four hexadecimal digits. */
    private static int group(int value, byte[] a, int start) {
        int at = start;
        int shift = (31 - Integer.numberOfLeadingZeros(value | 1)) & ~3;
        for (; shift >= 0; shift -= 4) {
            a[at++] = (byte) Character.forDigit(value >> shift & 0xF, 16);
        }
        return at;
    }
}
