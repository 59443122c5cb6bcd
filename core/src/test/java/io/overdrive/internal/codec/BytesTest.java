package io.overdrive.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.data.CqlDuration;
import com.datastax.oss.driver.api.core.type.codec.TypeCodecs;
import com.datastax.oss.driver.internal.core.type.util.VIntCoding;
import io.overdrive.Seeds;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class BytesTest {
    private final Bytes bytes = new Bytes(1);

    @Test
    void writesVarintsAsBigIntegerDoes() {
        for (long value : borders()) {
            bytes.clear();
            bytes.putVarint(value);
            assertThat(bytes.toByteArray()).isEqualTo(BigInteger.valueOf(value).toByteArray());
        }
    }

    @Test
    void writesUnsignedVintsAsTheDriverDoes() {
        for (long value : borders()) {
            ByteBuffer expected = ByteBuffer.allocate(9);
            VIntCoding.writeUnsignedVInt(value, expected);
            bytes.clear();
            bytes.putUnsignedVint(value);
            assertThat(bytes.toByteArray()).isEqualTo(Arrays.copyOf(expected.array(), expected.position()));
        }
    }

    @Test
    void writesSignedVintsAsTheDriverDoes() {
        for (long value : borders()) {
            CqlDuration duration = CqlDuration.newInstance(0, 0, value);
            ByteBuffer expected = TypeCodecs.DURATION.encode(duration, ProtocolVersion.DEFAULT);
            bytes.clear();
            bytes.putVint(0);
            bytes.putVint(0);
            bytes.putVint(value);
            assertThat(ByteBuffer.wrap(bytes.toByteArray())).isEqualTo(expected);
        }
    }

    @Test
    void readsVintsThatItWrote() {
        for (long value : borders()) {
            bytes.clear();
            bytes.putByte(7);
            bytes.putUnsignedVint(value);
            int second = bytes.length();
            assertThat(Bytes.vintBytes(bytes.array()[1])).isEqualTo(second - 1);
            bytes.putVint(value);
            assertThat(Bytes.vintBytes(bytes.array()[second])).isEqualTo(bytes.length() - second);
            assertThat(Bytes.getUnsignedVint(bytes.array(), 1)).isEqualTo(value);
            assertThat(Bytes.getVint(bytes.array(), second)).isEqualTo(value);
        }
    }

    @Test
    void dropsALargeArrayWhenItIsCleared() {
        bytes.put(new byte[Bytes.MAX_KEPT_BYTES + 1]);
        bytes.clear();
        assertThat(bytes.array().length).isLessThanOrEqualTo(Bytes.MAX_KEPT_BYTES);
        bytes.put(new byte[1000]);
        byte[] kept = bytes.array();
        bytes.clear();
        assertThat(bytes.array()).isSameAs(kept);
    }

    @Test
    void allocatesForLongTextNoMoreThanItNeeds() {
        for (String unit : List.of("x", "é", "€", "🚀", "aé€🚀")) {
            String text = unit.repeat(2_000_000 / unit.length());
            byte[] expected = text.getBytes(StandardCharsets.UTF_8);
            bytes.clear();
            bytes.putUtf8(text.toCharArray(), 0, text.length());
            assertThat(bytes.toByteArray()).as(unit).isEqualTo(expected);
            assertThat(bytes.array().length).as(unit).isEqualTo(expected.length);
        }
    }

    @Test
    void writesTextAsTheJdkDoes() {
        Seeds.times(200, random -> {
            StringBuilder text = new StringBuilder();
            int maxPoint = new int[] {0x80, 0x800, 0x10000, 0x110000}[random.nextInt(4)];
            for (int i = random.nextInt(300); i > 0; i--) {
                int point = random.nextInt(random.nextBoolean() ? 0x80 : maxPoint);
                text.appendCodePoint(point >= 0xD800 && point <= 0xDFFF ? 'x' : point);
            }
            char[] chars = ("<" + text + ">").toCharArray();
            bytes.clear();
            bytes.putByte(7);
            bytes.putUtf8(chars, 1, chars.length - 1);
            byte[] expected = ("\u0007" + text).getBytes(StandardCharsets.UTF_8);
            assertThat(bytes.toByteArray()).isEqualTo(expected);
        });
    }

    @Test
    void refusesALoneSurrogate() {
        for (String text : List.of("a\ud800", "\udc00", "\ud800x", "\udc00\ud800", "x".repeat(20_000) + "\ud800")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> bytes.putUtf8(text.toCharArray(), 0, text.length()))
                    .withMessageStartingWith("lone surrogate U+d");
        }
    }

    @Test
    void writesNumbersInNetworkOrderAsAByteBufferDoes() {
        Seeds.times(50, random -> {
            bytes.clear();
            ByteBuffer expected = ByteBuffer.allocate(2000);
            for (int i = 0; i < 100; i++) {
                long value = random.nextLong() >> random.nextInt(64);
                switch (random.nextInt(6)) {
                    case 0 -> {
                        bytes.putByte((int) value);
                        expected.put((byte) value);
                    }
                    case 1 -> {
                        bytes.putShort((int) value);
                        expected.putShort((short) value);
                    }
                    case 2 -> {
                        bytes.putInt((int) value);
                        expected.putInt((int) value);
                    }
                    case 3 -> {
                        bytes.putLong(value);
                        expected.putLong(value);
                    }
                    case 4 -> {
                        bytes.putFloat(Float.intBitsToFloat((int) value));
                        expected.putInt((int) value);
                    }
                    default -> {
                        bytes.putDouble(Double.longBitsToDouble(value));
                        expected.putLong(value);
                    }
                }
            }
            assertThat(bytes.toByteArray()).isEqualTo(Arrays.copyOf(expected.array(), expected.position()));
        });
    }

    @Test
    void readsWhatItSet() {
        byte[] array = new byte[20];
        for (long value : borders()) {
            Bytes.setLong(array, 3, value);
            assertThat(Bytes.getLong(array, 3)).isEqualTo(value);
            Bytes.setInt(array, 5, (int) value);
            assertThat(Bytes.getInt(array, 5)).isEqualTo((int) value);
            Bytes.setShort(array, 7, (short) value);
            assertThat(Bytes.getShort(array, 7)).isEqualTo((short) value);
        }
    }

    @Test
    void nestsValuesWithTheirLengths() {
        int outer = bytes.beginValue();
        bytes.putInt(1);
        int inner = bytes.beginValue();
        bytes.put(new byte[] {1, 2, 3});
        bytes.endValue(inner);
        bytes.putNull();
        bytes.endValue(outer);
        assertThat(bytes.toByteArray()).containsExactly(0, 0, 0, 15, 0, 0, 0, 1, 0, 0, 0, 3, 1, 2, 3, -1, -1, -1, -1);
    }

    @Test
    void refusesToTruncateBeyondTheLength() {
        bytes.putLong(1);
        bytes.truncate(3);
        assertThat(bytes.length()).isEqualTo(3);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> bytes.truncate(4))
                .withMessage("cannot truncate to 4, length is 3");
        assertThatIllegalArgumentException().isThrownBy(() -> bytes.truncate(-1));
    }

    @Test
    void refusesMoreThanAnArrayCanHold() {
        bytes.putInt(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> bytes.reserve(Integer.MAX_VALUE))
                .withMessage("a row cannot hold more than 2 GiB");
    }

    /** Both sides of every power of two, of either sign. */
    private static List<Long> borders() {
        List<Long> result = new ArrayList<>();
        for (int bit = 0; bit < 64; bit++) {
            for (int step = -1; step <= 1; step++) {
                result.add((1L << bit) + step);
                result.add(-(1L << bit) + step);
            }
        }
        return result;
    }
}
