package io.overdrive.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.internal.core.metadata.token.Murmur3Token;
import com.datastax.oss.driver.internal.core.metadata.token.Murmur3TokenFactory;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenRowsTest {
    private static long driversToken(ByteBuffer key) {
        return ((Murmur3Token) new Murmur3TokenFactory().hash(key)).getValue();
    }

    @Test
    void aKeyHasTheTokenThatItWasMadeOf() {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            long token = random.nextLong();
            ByteBuffer key = KeyOfToken.key(token, random.nextLong());
            assertThat(driversToken(key)).isEqualTo(token);
            assertThat(KeyOfToken.token(key)).isEqualTo(token);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 1000, 999_983, 1L << 50})
    void rowsAreInTheOrderOfTheirTokens(long size) {
        TokenRows rows = new TokenRows(size);
        long[] some = LongStream.concat(LongStream.range(0, Math.min(size, 1000)), LongStream.of(size / 2, size - 1))
                .sorted()
                .distinct()
                .toArray();
        long before = Long.MIN_VALUE;
        for (long row : some) {
            long token = rows.token(row);
            assertThat(token).isGreaterThan(before);
            assertThat(driversToken(rows.key(row))).isEqualTo(token);
            assertThat(rows.upTo(token)).isEqualTo(row + 1);
            assertThat(rows.upTo(token - 1)).isEqualTo(row);
            assertThat(rows.find(rows.key(row))).isEqualTo(row);
            before = token;
        }
        assertThat(rows.upTo(Long.MIN_VALUE)).isZero();
        assertThat(rows.upTo(Long.MAX_VALUE)).isEqualTo(size);
    }

    @Test
    void anotherKeyIsNotFound() {
        TokenRows rows = new TokenRows(1000);
        ByteBuffer key = rows.key(7);
        key.put(3, (byte) (key.get(3) ^ 1));
        assertThat(rows.find(key)).isEqualTo(-1);
        assertThat(rows.find(ByteBuffer.allocate(4))).isEqualTo(-1);
    }

    @Test
    void anEmptyTableHasNoRows() {
        TokenRows rows = new TokenRows(0);
        assertThat(rows.upTo(Long.MAX_VALUE)).isZero();
        assertThat(rows.find(new TokenRows(1).key(0))).isEqualTo(-1);
    }
}
