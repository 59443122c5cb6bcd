package io.overdrive.internal.ring;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.internal.core.metadata.token.Murmur3Token;
import com.datastax.oss.driver.internal.core.metadata.token.Murmur3TokenFactory;
import io.overdrive.Seeds;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class Murmur3Test {
    private final Murmur3TokenFactory driver = new Murmur3TokenFactory();

    @Test
    void hashesAsTheDriverDoes() {
        Seeds.times(20, random -> {
            for (int length = 0; length <= 100; length++) {
                byte[] key = new byte[length];
                random.nextBytes(key);
                assertSame(key, 0, length);
            }
        });
    }

    @Test
    void takesBytesAsSigned() {
        for (int length = 0; length <= 40; length++) {
            byte[] key = new byte[length];
            Arrays.fill(key, (byte) 0xff);
            assertSame(key, 0, length);
            Arrays.fill(key, (byte) 0x80);
            assertSame(key, 0, length);
        }
    }

    @Test
    void hashesAPartOfAnArray() {
        Seeds.times(20, random -> {
            byte[] array = new byte[200];
            random.nextBytes(array);
            int from = random.nextInt(100);
            assertSame(array, from, from + random.nextInt(100));
        });
    }

    private void assertSame(byte[] array, int from, int to) {
        Murmur3Token expected = (Murmur3Token) driver.hash(ByteBuffer.wrap(array, from, to - from));
        assertThat(Murmur3.token(array, from, to))
                .as("%s", Arrays.toString(Arrays.copyOfRange(array, from, to)))
                .isEqualTo(expected.getValue());
    }
}
