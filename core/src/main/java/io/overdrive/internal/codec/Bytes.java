package io.overdrive.internal.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A byte array that grows, written in the order of the native protocol (big-endian). Confined to one thread; on the hot
 * path.
 *
 * <p>Writers append at {@link #length()}; {@link #array()} is only valid until the next append.
 */
public final class Bytes {
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    /** {@link #clear} drops a larger array, so that one large row does not hold memory until the end. */
    public static final int MAX_KEPT_BYTES = 1 << 20;

    private static final int SMALL_BYTES = 1 << 10;
    /** The size of longer text is computed before encoding; shorter text gets room for the worst case. */
    private static final int LONG_TEXT = 16 << 10;

    private byte[] array;
    private int length;

    public Bytes(int capacity) {
        array = new byte[capacity];
    }

    public byte[] array() {
        return array;
    }

    public int length() {
        return length;
    }

    public void clear() {
        length = 0;
        if (array.length > MAX_KEPT_BYTES) {
            array = new byte[SMALL_BYTES];
        }
    }

    /** Discards everything from {@code newLength} on; used to undo a bad value. */
    public void truncate(int newLength) {
        if (newLength < 0 || newLength > length) {
            throw new IllegalArgumentException("cannot truncate to " + newLength + ", length is " + length);
        }
        length = newLength;
    }

    public void putByte(int value) {
        reserve(1);
        array[length++] = (byte) value;
    }

    public void putShort(int value) {
        reserve(2);
        SHORT.set(array, length, (short) value);
        length += 2;
    }

    public void putInt(int value) {
        reserve(4);
        INT.set(array, length, value);
        length += 4;
    }

    public void putLong(long value) {
        reserve(8);
        LONG.set(array, length, value);
        length += 8;
    }

    public void putFloat(float value) {
        putInt(Float.floatToRawIntBits(value));
    }

    public void putDouble(double value) {
        putLong(Double.doubleToRawLongBits(value));
    }

    /** The shortest two's complement form, for varint and the unscaled value of decimal. */
    public void putVarint(long value) {
        int bits = 65 - Long.numberOfLeadingZeros(value ^ (value >> 63));
        int size = (bits + 7) / 8;
        reserve(8);
        LONG.set(array, length, value << (64 - 8 * size));
        length += size;
    }

    /**
     * A length or count in one to nine bytes, for vectors: the number of leading ones in the first byte is the number of bytes
     * that follow.
     */
    public void putUnsignedVint(long value) {
        int extra = (63 - Long.numberOfLeadingZeros(value | 1)) / 7;
        reserve(9);
        if (extra >= 8) {
            array[length++] = -1;
            LONG.set(array, length, value);
            length += 8;
            return;
        }
        // ones above the value, moved to the front together with it
        long marked = value | (~(0xFFL >> extra) << (8 * extra));
        LONG.set(array, length, marked << (56 - 8 * extra));
        length += extra + 1;
    }

    /** A signed number in one to nine bytes, fewer for small absolute values, for duration. */
    public void putVint(long value) {
        putUnsignedVint((value << 1) ^ (value >> 63));
    }

    public void put(byte[] source) {
        put(source, 0, source.length);
    }

    public void put(byte[] source, int from, int count) {
        reserve(count);
        System.arraycopy(source, from, array, length, count);
        length += count;
    }

    /** Overwrites the four bytes at {@code index}, which must have been written before. */
    public void setInt(int index, int value) {
        INT.set(array, index, value);
    }

    /**
     * Starts a value preceded by its length ({@code [int] length, bytes}), for bound values and the elements of collections,
     * tuples and UDTs. Values may be nested.
     *
     * @return the argument for {@link #endValue}
     */
    public int beginValue() {
        putInt(0);
        return length;
    }

    /** Ends the value that {@link #beginValue} started and sets its length. */
    public void endValue(int begin) {
        setInt(begin - 4, length - begin);
    }

    /** A CQL null: length -1 and no bytes. */
    public void putNull() {
        putInt(-1);
    }

    /**
     * Text as UTF-8.
     *
     * @throws IllegalArgumentException for a lone surrogate, which UTF-8 cannot hold
     */
    public void putUtf8(char[] chars, int from, int to) {
        reserve(to - from <= LONG_TEXT ? 3 * (to - from) : utf8Bytes(chars, from, to));
        byte[] a = array;
        int n = length;
        int i = from;
        for (; i < to; i++) {
            char c = chars[i];
            if (c >= 0x80) {
                break;
            }
            a[n++] = (byte) c;
        }
        for (; i < to; i++) {
            char c = chars[i];
            if (c < 0x80) {
                a[n++] = (byte) c;
            } else if (c < 0x800) {
                a[n++] = (byte) (0xC0 | c >> 6);
                a[n++] = (byte) (0x80 | c & 0x3F);
            } else if (!Character.isSurrogate(c)) {
                a[n++] = (byte) (0xE0 | c >> 12);
                a[n++] = (byte) (0x80 | c >> 6 & 0x3F);
                a[n++] = (byte) (0x80 | c & 0x3F);
            } else {
                if (i + 1 >= to || !Character.isSurrogatePair(c, chars[i + 1])) {
                    throw new IllegalArgumentException("lone surrogate U+" + Integer.toHexString(c));
                }
                int point = Character.toCodePoint(c, chars[++i]);
                a[n++] = (byte) (0xF0 | point >> 18);
                a[n++] = (byte) (0x80 | point >> 12 & 0x3F);
                a[n++] = (byte) (0x80 | point >> 6 & 0x3F);
                a[n++] = (byte) (0x80 | point & 0x3F);
            }
        }
        length = n;
    }

    /** Bytes of the text in UTF-8; with a lone surrogate, at least as many as are written before it is found. */
    private static int utf8Bytes(char[] chars, int from, int to) {
        long bytes = (long) to - from;
        for (int i = from; i < to; i++) {
            char c = chars[i];
            if (c >= 0x80) {
                bytes += c < 0x800 || Character.isSurrogate(c) ? 1 : 2; // a pair takes four bytes
            }
        }
        return (int) Math.min(Integer.MAX_VALUE, bytes);
    }

    /** Adds {@code count} bytes that the caller has written into {@link #array} after {@link #reserve}. */
    public void advance(int count) {
        length += count;
    }

    /** Makes room for {@code count} more bytes. */
    public void reserve(int count) {
        int needed = length + count;
        if (needed < 0) {
            throw new IllegalArgumentException("a row cannot hold more than 2 GiB");
        }
        if (needed > array.length) {
            array = Arrays.copyOf(array, Math.max(needed, (int) Math.min(Integer.MAX_VALUE - 8, 2L * array.length)));
        }
    }

    /** A copy of the remaining bytes of the buffer, whose position does not change. */
    public static byte[] copyOf(ByteBuffer buffer) {
        byte[] copy = new byte[buffer.remaining()];
        buffer.duplicate().get(copy);
        return copy;
    }

    /** A copy of the written bytes. */
    public byte[] toByteArray() {
        return Arrays.copyOf(array, length);
    }

    public static void setInt(byte[] array, int index, int value) {
        INT.set(array, index, value);
    }

    public static void setShort(byte[] array, int index, int value) {
        SHORT.set(array, index, (short) value);
    }

    public static void setLong(byte[] array, int index, long value) {
        LONG.set(array, index, value);
    }

    public static int getInt(byte[] array, int index) {
        return (int) INT.get(array, index);
    }

    public static long getLong(byte[] array, int index) {
        return (long) LONG.get(array, index);
    }

    public static short getShort(byte[] array, int index) {
        return (short) SHORT.get(array, index);
    }

    /** The number of bytes of a vint, signed or unsigned, with this first byte. */
    public static int vintBytes(byte first) {
        return Integer.numberOfLeadingZeros(~first & 0xFF) - 23;
    }

    /** Reads what {@link #putUnsignedVint} wrote: {@link #vintBytes} bytes, which the array must contain. */
    public static long getUnsignedVint(byte[] array, int index) {
        int extra = vintBytes(array[index]) - 1;
        long value = array[index] & (0xFF >> extra);
        for (int i = 1; i <= extra; i++) {
            value = value << 8 | (array[index + i] & 0xFF);
        }
        return value;
    }

    /** Reads what {@link #putVint} wrote. */
    public static long getVint(byte[] array, int index) {
        long zigZag = getUnsignedVint(array, index);
        return (zigZag >>> 1) ^ -(zigZag & 1);
    }
}
