package io.overdrive.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.data.CqlDuration;
import com.datastax.oss.driver.api.core.type.codec.TypeCodecs;
import com.datastax.oss.driver.internal.core.type.util.VIntCoding;
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
    void givesUpALargeArrayOnceItIsCleared() {
        bytes.put(new byte[Bytes.MAX_KEPT_BYTES + 1]);
        bytes.clear();
        assertThat(bytes.array().length).isLessThanOrEqualTo(Bytes.MAX_KEPT_BYTES);
        bytes.put(new byte[1000]);
        byte[] kept = bytes.array();
        bytes.clear();
        assertThat(bytes.array()).isSameAs(kept);
    }

    @Test
    void makesNoMoreRoomForLongTextThanItTakes() {
        for (String unit : List.of("x", "é", "€", "🚀", "aé€🚀")) {
            String text = unit.repeat(2_000_000 / unit.length());
            byte[] expected = text.getBytes(StandardCharsets.UTF_8);
            bytes.clear();
            bytes.putUtf8(text.toCharArray(), 0, text.length());
            assertThat(bytes.toByteArray()).as(unit).isEqualTo(expected);
            assertThat(bytes.array().length).as(unit).isEqualTo(expected.length);
        }
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
