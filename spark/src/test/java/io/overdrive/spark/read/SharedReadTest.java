package io.overdrive.spark.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.Latency;
import io.overdrive.ScanTotals;
import io.overdrive.internal.flow.ThreadWaits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class SharedReadTest {
    private static final class Read implements AutoCloseable {
        private long pages;
        private boolean closed;

        ScanTotals totals() {
            return new ScanTotals(
                    0,
                    0,
                    pages,
                    1,
                    0,
                    0,
                    0,
                    new Latency(Duration.ofMillis(2), Duration.ofMillis(3), Duration.ofMillis(4), Duration.ofMillis(4)),
                    null);
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private static SharedRead<Read> open(Object id) {
        return SharedRead.open(id, Read::new, Read::totals);
    }

    @Test
    void sharesOneReadAmongTheTasksOfAScan() {
        UUID id = UUID.randomUUID();
        SharedRead<Read> one = open(id);
        SharedRead<Read> two = open(id);
        assertThat(one.get()).isSameAs(two.get());
        one.close();
        assertThat(two.get().closed).isFalse();
        two.close();
    }

    /** A later task opens another one, and what this task has opened does not stay open. */
    @Test
    void isClosedIfATaskCannotStart() {
        UUID id = UUID.randomUUID();
        SharedRead<Read> first = open(id);
        Read read = first.get();
        assertThatThrownBy(() -> open(id).start(opened -> {
                    throw new IllegalStateException("no queue");
                }))
                .hasMessage("no queue");
        assertThat(read.closed).isFalse();
        first.close();
        assertThat(read.closed).isTrue();
        SharedRead<Read> absent = SharedRead.open(
                id,
                () -> {
                    throw new IllegalStateException("no table");
                },
                Read::totals);
        assertThatThrownBy(() -> absent.start(opened -> opened)).hasMessage("no table");
        SharedRead<Read> last = open(id);
        Read another = last.start(opened -> opened);
        assertThat(another).isNotSameAs(read);
        last.close();
    }

    @Test
    void keepsAFewIdleOnesAndClosesTheOldest() {
        UUID id = UUID.randomUUID();
        SharedRead<Read> first = open(id);
        Read read = first.get();
        first.close();
        SharedRead<Read> again = open(id);
        assertThat(again.get()).isSameAs(read);
        List<Read> others = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            SharedRead<Read> other = open(UUID.randomUUID());
            others.add(other.get());
            other.close();
        }
        assertThat(read.closed).isFalse(); // still in use
        assertThat(others.get(0).closed).isTrue();
        assertThat(others.subList(1, 5)).noneMatch(other -> other.closed);
        again.close();
        assertThat(read.closed || others.get(1).closed).isTrue();
    }

    @Test
    void opensANewOneAfterAFailure() {
        UUID id = UUID.randomUUID();
        SharedRead<Read> failed = open(id);
        SharedRead<Read> other = open(id);
        Read read = failed.get();
        failed.forget();
        SharedRead<Read> again = open(id);
        assertThat(again.get()).isNotSameAs(read);
        failed.close();
        assertThat(read.closed).isFalse(); // the other task still reads
        other.close();
        assertThat(read.closed).isTrue();
        assertThat(again.get().closed).isFalse();
        again.close();
    }

    @Test
    void reportsEachWaitOnce() {
        SharedRead<Read> shared = SharedRead.open(
                UUID.randomUUID(), Read::new, Read::totals, read -> new ThreadWaits(10 * read.pages, read.pages));
        assertThat(shared.waits()).isNull();
        shared.get().pages = 3;
        assertThat(shared.waits()).isEqualTo(new ThreadWaits(30, 3));
        shared.get().pages = 4;
        assertThat(shared.waits()).isEqualTo(new ThreadWaits(10, 1));
        shared.close();
    }

    @Test
    void reportsEachPageOnce() {
        SharedRead<Read> shared = open(UUID.randomUUID());
        assertThat(shared.delta()).isEqualTo(new SharedRead.Delta(0, 0, 0, 0));
        shared.get().pages = 3;
        assertThat(shared.delta()).isEqualTo(new SharedRead.Delta(3, 1, 2000, 3000));
        shared.get().pages = 4;
        assertThat(shared.delta()).isEqualTo(new SharedRead.Delta(1, 0, 2000, 3000));
        shared.close();
    }
}
