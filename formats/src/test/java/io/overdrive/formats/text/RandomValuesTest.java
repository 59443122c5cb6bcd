package io.overdrive.formats.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.Seeds;
import io.overdrive.internal.codec.Bytes;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.net.InetAddress;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Random;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Random values must be parsed as by the JDK and the driver. A failure names the seed. */
class RandomValuesTest {
    private static final long SEED = Seeds.seed();
    private static final int COUNT = 50_000;

    private final Random random = new Random(SEED);
    private final Bytes out = new Bytes(64);

    @Test
    void readsDoublesAsTheJdkDoes() {
        ValueText parser = parser(DataTypes.DOUBLE);
        for (int i = 0; i < COUNT; i++) {
            double value = Double.longBitsToDouble(random.nextLong());
            if (Double.isFinite(value)) {
                assertDouble(parser, Double.toString(value));
                // exactly in the middle of two doubles, and a little above
                String middle = new BigDecimal(value)
                        .add(new BigDecimal(Math.ulp(value)).divide(BigDecimal.valueOf(2)))
                        .toString();
                if (i % 50 == 0) {
                    assertDouble(parser, middle);
                }
            }
            assertDouble(parser, decimal(1 + random.nextInt(22), random.nextInt(660) - 350));
            assertDouble(parser, decimal(15 + random.nextInt(5), random.nextInt(50) - 30));
            assertDouble(parser, Double.toString(random.nextGaussian()));
        }
    }

    /** Ties that are short enough for the fast path, and their neighbours. */
    @Test
    void readsDoublesAtTies() {
        ValueText parser = parser(DataTypes.DOUBLE);
        for (int i = 0; i < COUNT; i++) {
            long odd = (1L << 53) + (random.nextLong() >>> 11) | 1;
            BigDecimal tie =
                    BigDecimal.valueOf(odd).multiply(BigDecimal.valueOf(2).pow(random.nextInt(10)));
            assertDouble(parser, tie.toString());
            assertDouble(parser, tie.add(BigDecimal.ONE).toString());
            assertDouble(parser, tie.subtract(BigDecimal.ONE).toString());
            assertDouble(parser, tie.divide(BigDecimal.valueOf(4)).toString());
        }
    }

    @Test
    void readsFloatsAsTheJdkDoes() {
        ValueText parser = parser(DataTypes.FLOAT);
        for (int i = 0; i < COUNT; i++) {
            float value = Float.intBitsToFloat(random.nextInt());
            if (Float.isFinite(value)) {
                assertFloat(parser, Float.toString(value));
                BigDecimal middle =
                        new BigDecimal(value).add(new BigDecimal(Math.ulp(value)).divide(BigDecimal.valueOf(2)));
                assertFloat(parser, middle.toString());
                // a number that rounds to the middle as a double is not the middle
                assertFloat(parser, middle.round(new MathContext(18)).toString());
            }
            assertFloat(parser, decimal(1 + random.nextInt(22), random.nextInt(90) - 55));
            assertFloat(parser, Double.toString(random.nextDouble()));
        }
    }

    @Test
    void readsWholeNumbersAsTheDriverEncodesThem() {
        for (int i = 0; i < COUNT; i++) {
            long value = random.nextLong() >> random.nextInt(64);
            assertValue(DataTypes.BIGINT, value, Object::toString);
            assertValue(DataTypes.VARINT, BigInteger.valueOf(value), Object::toString);
            assertValue(DataTypes.INT, (int) value, Object::toString);
            assertValue(DataTypes.SMALLINT, (short) value, Object::toString);
            assertValue(DataTypes.TINYINT, (byte) value, Object::toString);
        }
    }

    @Test
    void readsLongNumbersAsTheDriverEncodesThem() {
        for (int i = 0; i < COUNT / 4; i++) {
            BigInteger value = new BigInteger(1 + random.nextInt(200), random);
            BigDecimal decimal = new BigDecimal(value, random.nextInt(80) - 40);
            assertValue(DataTypes.VARINT, value.negate(), Object::toString);
            assertValue(DataTypes.DECIMAL, decimal, Object::toString);
            assertValue(DataTypes.DECIMAL, decimal.negate(), Object::toString);
            BigDecimal plain = new BigDecimal(value, random.nextInt(30));
            assertValue(DataTypes.DECIMAL, plain, v -> ((BigDecimal) v).toPlainString());
        }
    }

    @Test
    void readsTimesAsTheDriverEncodesThem() {
        for (int i = 0; i < COUNT; i++) {
            assertValue(DataTypes.TIMESTAMP, Instant.ofEpochMilli(random.nextLong()), Object::toString);
            assertValue(DataTypes.TIMESTAMP, Instant.ofEpochMilli(random.nextLong() >> 20), Object::toString);
            assertValue(DataTypes.DATE, LocalDate.ofEpochDay(random.nextInt()), Object::toString);
            assertValue(DataTypes.DATE, LocalDate.ofEpochDay(random.nextInt() >> 10), Object::toString);
            assertValue(
                    DataTypes.TIME,
                    LocalTime.ofNanoOfDay((random.nextLong() >>> 1) % 86_400_000_000_000L),
                    Object::toString);
        }
    }

    @Test
    void readsIdentifiersAsTheDriverEncodesThem() throws Exception {
        for (int i = 0; i < COUNT; i++) {
            assertValue(DataTypes.UUID, new UUID(random.nextLong(), random.nextLong()), Object::toString);
            byte[] address = new byte[random.nextBoolean() ? 4 : 16];
            random.nextBytes(address);
            if (random.nextBoolean()) {
                Arrays.fill(address, random.nextInt(address.length), address.length, (byte) 0);
            }
            assertValue(DataTypes.INET, InetAddress.getByAddress(address), v -> ((InetAddress) v).getHostAddress());
        }
    }

    @Test
    void readsBlobsInBothEncodings() {
        ValueText base64 = ValueText.of(
                DataTypes.BLOB,
                ValueFormat.builder()
                        .blobEncoding(ValueFormat.BlobEncoding.BASE64)
                        .build());
        for (int i = 0; i < COUNT / 10; i++) {
            byte[] blob = new byte[random.nextInt(100)];
            random.nextBytes(blob);
            assertThat(parsed(base64, Base64.getEncoder().encodeToString(blob))).isEqualTo(blob);
            assertThat(parsed(parser(DataTypes.BLOB), "0x" + HexFormat.of().formatHex(blob)))
                    .isEqualTo(blob);
        }
    }

    private String decimal(int digits, int exponent) {
        StringBuilder text = new StringBuilder(random.nextBoolean() ? "-" : "");
        int point = random.nextInt(digits);
        for (int i = 0; i < digits; i++) {
            text.append((char) ('0' + random.nextInt(10)));
            if (i == point) {
                text.append('.');
            }
        }
        return text.append('e').append(exponent).toString();
    }

    private void assertDouble(ValueText parser, String text) {
        double expected = Double.parseDouble(text);
        if (Double.isInfinite(expected)) {
            return;
        }
        byte[] bytes = parsed(parser, text);
        long bits = Bytes.getLong(bytes, 0);
        if (bits != Double.doubleToRawLongBits(expected)) {
            throw new AssertionError(text + " with seed " + SEED + ": " + Double.longBitsToDouble(bits));
        }
    }

    private void assertFloat(ValueText parser, String text) {
        float expected = Float.parseFloat(text);
        if (Float.isInfinite(expected)) {
            return;
        }
        byte[] bytes = parsed(parser, text);
        int bits = Bytes.getInt(bytes, 0);
        if (bits != Float.floatToRawIntBits(expected)) {
            throw new AssertionError(text + " with seed " + SEED + ": " + Float.intBitsToFloat(bits));
        }
    }

    private void assertValue(DataType type, Object value, Function<Object, String> print) {
        String text = print.apply(value);
        byte[] expected = ParseValuesTest.encoded(type, value);
        if (!Arrays.equals(parsed(parser(type), text), expected)) {
            throw new AssertionError(type + " " + text + " with seed " + SEED);
        }
    }

    private byte[] parsed(ValueText parser, String text) {
        char[] chars = text.toCharArray();
        out.clear();
        parser.parse(chars, 0, chars.length, out);
        return out.toByteArray();
    }

    private static ValueText parser(DataType type) {
        return ValueText.of(type, ValueFormat.DEFAULT);
    }
}
