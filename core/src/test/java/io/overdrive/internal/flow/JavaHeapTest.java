package io.overdrive.internal.flow;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JavaHeapTest {
    @Test
    void saysHowLargeTheHeapIsAndHowToGetALargerOne() {
        String remedy = ": give Java more \\(-Xmx; OVERDRIVE_JAVA_OPTIONS=-Xmx2g on the command line\\)";
        assertThat(JavaHeap.tooSmall()).matches("a Java heap of [1-9][0-9]* MiB is too small" + remedy);
        assertThat(JavaHeap.tooSmallFor("these rows"))
                .matches("a Java heap of [1-9][0-9]* MiB is too small for these rows" + remedy);
    }
}
