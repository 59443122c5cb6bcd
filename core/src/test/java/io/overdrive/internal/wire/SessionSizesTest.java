package io.overdrive.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SessionSizesTest {
    private final SessionSizes sizes = new SessionSizes();

    @Test
    void hasTheLastValueOfEachKey() {
        assertThat(sizes.find("a")).isEmpty();
        sizes.keep("a", 1);
        sizes.keep("b", 2);
        sizes.keep("a", 3);
        assertThat(sizes.find("a")).hasValue(3);
        assertThat(sizes.find("b")).hasValue(2);
    }

    @Test
    void forgetsTheOldestOfTooMany() {
        for (int i = 0; i < SessionSizes.MAX_SIZES; i++) {
            sizes.keep("key " + i, i);
        }
        sizes.keep("key 0", 7);
        sizes.keep("one more", 1);
        assertThat(sizes.find("key 1")).isEmpty();
        assertThat(sizes.find("key 0")).hasValue(7);
        assertThat(sizes.find("key 2")).hasValue(2);
        assertThat(sizes.find("one more")).hasValue(1);
    }
}
