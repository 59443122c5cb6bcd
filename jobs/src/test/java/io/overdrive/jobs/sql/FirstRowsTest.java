package io.overdrive.jobs.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The wait for the first rows of a query. */
class FirstRowsTest {
    private final List<String> ended = new ArrayList<>();

    @Test
    void queryIsEndedWheneverItBegins() {
        FirstRows before = new FirstRows();
        assertThat(before.rowsRead()).isZero();
        before.end();
        before.await(() -> 7, () -> ended.add("later"));
        assertThat(ended).containsExactly("later");

        FirstRows running = new FirstRows();
        running.await(() -> 7, () -> ended.add("running"));
        assertThat(running.rowsRead()).isEqualTo(7);
        assertThat(running.isEnded()).isFalse();
        running.end();
        assertThat(ended).containsExactly("later", "running");
        assertThat(running.isEnded()).isTrue();
    }
}
