package io.overdrive.internal.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.Seeds;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.ring.Murmur3;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RepeatedKeysTest {
    private final RepeatedKeys keys = new RepeatedKeys();
    private final RepeatedKeys.Part part = keys.part();

    private long count() {
        keys.complete();
        return keys.count();
    }

    private static long hash(long partition, String clustering) {
        Bytes bytes = new Bytes(64);
        bytes.putLong(partition);
        char[] chars = clustering.toCharArray();
        bytes.putUtf8(chars, 0, chars.length);
        return RepeatedKeys.mix(Murmur3.token(bytes.array(), 0, 8), bytes.array(), 8, bytes.length());
    }

    @Test
    void countsEachRowWhoseKeyWasSeenBefore() {
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 100; i++) {
                part.add(hash(i % 10, "c" + i));
            }
        }
        assertThat(count()).isEqualTo(200);
    }

    @Test
    void neverCountsDifferentKeysAsEqual() {
        part.add(0);
        for (int i = 0; i < 1_000_000; i++) {
            part.add(hash(i / 1000, "a longer clustering column, " + i % 1000));
        }
        for (int length = 0; length < 40; length++) {
            part.add(hash(-1, "\0".repeat(length)));
        }
        assertThat(count()).isZero();
    }

    @Test
    void countsRepeatedKeysExactlyHoweverFarApartTheyAre() {
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 400_000; i++) {
                part.add(hash(i, ""));
            }
        }
        assertThat(count()).isEqualTo(400_000);
        assertThat(keys.isExact()).isTrue();
    }

    @Test
    void saysWhenItDoesNotRememberAllKeys() {
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 1_500_000; i++) {
                part.add(hash(i, ""));
            }
        }
        assertThat(keys.isExact()).isFalse();
        // the first keys are remembered still, and others while they are recent
        assertThat(count()).isBetween(400_000L, 1_000_000L);
        long before = count();
        part.add(hash(2_000_000, ""));
        part.add(hash(2_000_000, ""));
        assertThat(count()).isEqualTo(before + 1);
    }

    @Test
    void findsAllRepeatedKeysOfAFewAmongRowsInRandomOrder() {
        Seeds.times(20, random -> {
            RepeatedKeys some = new RepeatedKeys();
            RepeatedKeys.Part ofSome = some.part();
            Set<String> seen = new HashSet<>();
            int kinds = 1 + random.nextInt(60);
            long repeated = 0;
            for (int i = 0; i < 1000; i++) {
                int partition = random.nextInt(kinds);
                String clustering = "c".repeat(random.nextInt(3));
                repeated += seen.add(partition + clustering) ? 0 : 1;
                ofSome.add(hash(partition, clustering));
            }
            some.complete();
            assertThat(some.count()).isEqualTo(repeated);
        });
    }

    @Test
    void countsExactlyWithSeveralThreads() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            long first = t / 2 * 50_000L; // two threads have the same keys
            RepeatedKeys.Part own = keys.part();
            Thread thread = new Thread(() -> {
                for (int i = 0; i < 100_000; i++) {
                    own.add(hash(first + i / 2, ""));
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(count()).isEqualTo(300_000L);
    }
}
