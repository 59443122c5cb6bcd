package io.overdrive.spark.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class OpenOnceTest {
    /** All keys are in one place of a hash table. */
    private record Key(String name) {
        @Override
        public int hashCode() {
            return 1;
        }
    }

    private final OpenOnce<Key, String> values = new OpenOnce<>();

    /** One cluster does not answer, and another one does. */
    @Test
    @Timeout(60)
    void waitsOnlyForTheSameKey() throws InterruptedException {
        CountDownLatch opening = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        CompletableFuture<String> slow = CompletableFuture.supplyAsync(() -> values.get(new Key("slow"), () -> {
            opening.countDown();
            try {
                answer.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return "late";
        }));
        opening.await();
        assertThat(values.get(new Key("fast"), () -> "at once")).isEqualTo("at once");
        assertThat(values.opened()).containsExactly("at once");
        CompletableFuture<String> same =
                CompletableFuture.supplyAsync(() -> values.get(new Key("slow"), () -> "a second time"));
        answer.countDown();
        assertThat(slow.join()).isEqualTo("late");
        assertThat(same.join()).isEqualTo("late");
        assertThat(values.opened()).containsExactlyInAnyOrder("at once", "late");
    }

    @Test
    void opensAgainAfterAFailure() {
        assertThatThrownBy(() -> values.get(new Key("down"), () -> {
                    throw new IllegalStateException("no node answers");
                }))
                .hasMessage("no node answers");
        assertThat(values.opened()).isEmpty();
        assertThat(values.get(new Key("down"), () -> "up")).isEqualTo("up");
        assertThat(values.get(new Key("down"), () -> "again")).isEqualTo("up");
    }
}
