package io.overdrive.spark.cell;

import com.datastax.oss.driver.api.core.DefaultProtocolVersion;
import com.datastax.oss.driver.api.core.type.codec.TypeCodecs;
import io.overdrive.internal.codec.Bytes;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeWriter;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;

/**
 * Decoders of single values: numbers, text, times, addresses. Execute (on the executors). Each is confined to one thread;
 * on the hot path.
 */
final class ScalarDecoders {
    private static final long NUMBER_OF_DAY_0 = 1L << 31;
    private static final char[] HEX = "0123456789abcdef".toCharArray();

    private ScalarDecoders() {}

    static final class BooleanCell extends CellDecoder {
        BooleanCell() {
            super(1);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            to.write(ordinal, from[offset] != 0);
        }
    }

    static final class ByteCell extends CellDecoder {
        ByteCell() {
            super(1);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            to.write(ordinal, from[offset]);
        }
    }

    static final class ShortCell extends CellDecoder {
        ShortCell() {
            super(2);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            to.write(ordinal, Bytes.getShort(from, offset));
        }
    }

    static final class IntCell extends CellDecoder {
        IntCell() {
            super(4);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            to.write(ordinal, Bytes.getInt(from, offset));
        }
    }

    static final class FloatCell extends CellDecoder {
        FloatCell() {
            super(4);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            to.write(ordinal, Float.intBitsToFloat(Bytes.getInt(from, offset)));
        }
    }

    static final class DoubleCell extends CellDecoder {
        DoubleCell() {
            super(8);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            to.write(ordinal, Double.longBitsToDouble(Bytes.getLong(from, offset)));
        }
    }

    static final class LongCell extends CellDecoder {
        LongCell() {
            super(8);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            to.write(ordinal, Bytes.getLong(from, offset));
        }
    }

    /** Milliseconds become microseconds. */
    static final class TimestampCell extends CellDecoder {
        TimestampCell() {
            super(8);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            long millis = Bytes.getLong(from, offset);
            long micros = TimeUnit.MILLISECONDS.toMicros(millis);
            if (micros == Long.MIN_VALUE || micros == Long.MAX_VALUE) {
                throw new ArithmeticException(
                        "is timestamp, and " + millis + " ms since 1970 is out of the range of Spark's timestamps");
            }
            to.write(ordinal, micros);
        }
    }

    static final class DateCell extends CellDecoder {
        DateCell() {
            super(4);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            long day = Bytes.getInt(from, offset) & 0xFFFFFFFFL;
            to.write(ordinal, (int) (day - NUMBER_OF_DAY_0));
        }
    }

    /** Text, blobs, and types that are binary in Spark. */
    static final class BytesCell extends CellDecoder {
        BytesCell() {
            super(POINTER_BYTES, /* minBytes */ 0);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            to.write(ordinal, from, offset, length);
        }
    }

    static final class UuidCell extends CellDecoder {
        private static final int CHARS = 36;
        private final byte[] text = new byte[CHARS];

        UuidCell() {
            super(POINTER_BYTES);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            int at = 0;
            for (int i = 0; i < 16; i++) {
                if (i == 4 || i == 6 || i == 8 || i == 10) {
                    text[at++] = '-';
                }
                int b = from[offset + i];
                text[at++] = (byte) HEX[b >> 4 & 0xF];
                text[at++] = (byte) HEX[b & 0xF];
            }
            to.write(ordinal, text, 0, CHARS);
        }
    }

    static final class InetCell extends CellDecoder {
        InetCell() {
            super(POINTER_BYTES);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            byte[] address = new byte[length];
            System.arraycopy(from, offset, address, 0, length);
            try {
                to.write(ordinal, Addresses.text(address).getBytes(StandardCharsets.US_ASCII));
            } catch (UnknownHostException e) {
                throw new IllegalArgumentException("is inet, and its value has " + length + " bytes", e);
            }
        }
    }

    static final class DurationCell extends CellDecoder {
        DurationCell() {
            super(POINTER_BYTES);
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            Object duration =
                    TypeCodecs.DURATION.decode(ByteBuffer.wrap(from, offset, length), DefaultProtocolVersion.V5);
            String text = String.valueOf(duration); // empty for a duration of zero
            to.write(ordinal, (text.isEmpty() ? "0s" : text).getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Exact; a value that does not fit is refused. */
    static final class DecimalCell extends CellDecoder {
        private final boolean isVarint;
        private final int precision;
        private final int scale;

        DecimalCell(boolean isVarint, DecimalType wanted) {
            super(POINTER_BYTES);
            this.isVarint = isVarint;
            precision = wanted.precision();
            scale = wanted.scale();
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            BigDecimal value = isVarint
                    ? new BigDecimal(new BigInteger(from, offset, length))
                    : new BigDecimal(new BigInteger(from, offset + 4, length - 4), Bytes.getInt(from, offset));
            BigDecimal exact;
            try {
                // A large difference of scales would take as many digits.
                exact = Math.abs((long) value.scale()) > 10_000 ? value.stripTrailingZeros() : value;
                exact = Math.abs((long) exact.scale()) > 10_000 ? exact : exact.setScale(scale);
            } catch (ArithmeticException e) {
                throw tooLong(value);
            }
            if (exact.scale() != scale || exact.precision() > precision) {
                throw tooLong(value);
            }
            to.write(ordinal, Decimal.apply(exact, precision, scale), precision, scale);
        }

        private ArithmeticException tooLong(BigDecimal value) {
            return new ArithmeticException("is " + (isVarint ? "varint" : "decimal") + ", and "
                    + abbreviated(value.toString()) + " does not fit into Spark's decimal(" + precision + ", " + scale
                    + "); read the column as text with option textColumns");
        }

        private static String abbreviated(String text) {
            return text.length() <= 60 ? text : text.substring(0, 50) + "… (" + text.length() + " characters)";
        }

        @Override
        void putNull(UnsafeWriter to, int ordinal) {
            to.write(ordinal, (Decimal) null, precision, scale);
        }
    }

    /** Varints and decimals as text. */
    static final class DigitsCell extends CellDecoder {
        private final boolean isVarint;

        DigitsCell(boolean isVarint) {
            super(POINTER_BYTES);
            this.isVarint = isVarint;
        }

        @Override
        void put(byte[] from, int offset, int length, UnsafeWriter to, int ordinal) {
            String text = isVarint
                    ? new BigInteger(from, offset, length).toString()
                    : new BigDecimal(new BigInteger(from, offset + 4, length - 4), Bytes.getInt(from, offset))
                            .toString();
            to.write(ordinal, text.getBytes(StandardCharsets.US_ASCII));
        }
    }
}
