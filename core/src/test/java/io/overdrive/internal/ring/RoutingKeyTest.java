package io.overdrive.internal.ring;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.internal.core.metadata.token.Murmur3Token;
import com.datastax.oss.driver.internal.core.metadata.token.Murmur3TokenFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RoutingKeyTest {
    private final RoutingKey key = new RoutingKey();

    @Test
    void givesTheDriversTokenOfKeysOfOneToFourColumns() {
        Random random = new Random(7);
        for (int i = 0; i < 2_000; i++) {
            byte[][] values = new byte[1 + random.nextInt(4)][];
            byte[] row = new byte[500];
            random.nextBytes(row);
            int at = random.nextInt(10);
            key.start(values.length);
            for (int c = 0; c < values.length; c++) {
                int length = (c == 0 && values.length == 1 ? 1 : 0) + random.nextInt(100);
                values[c] = Arrays.copyOfRange(row, at, at + length);
                key.add(row, at, length);
                at += length;
            }
            assertThat(key.token()).isEqualTo(driversToken(values));
        }
    }

    @Test
    void keepsNoReferenceToTheRow() {
        byte[] row = {1, 2, 3, 4};
        key.start(1);
        key.add(row, 0, 4);
        Arrays.fill(row, (byte) 9);
        assertThat(key.token()).isEqualTo(driversToken(new byte[][] {{1, 2, 3, 4}}));
    }

    private static long driversToken(byte[][] values) {
        ByteBuffer[] parts = new ByteBuffer[values.length];
        for (int c = 0; c < parts.length; c++) {
            parts[c] = ByteBuffer.wrap(values[c]);
        }
        ByteBuffer routing = com.datastax.oss.driver.internal.core.util.RoutingKey.compose(parts);
        return ((Murmur3Token) new Murmur3TokenFactory().hash(routing)).getValue();
    }
}
