package io.overdrive.internal.flow;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JavaHeapTest {
    @Test
    void saysHowLargeTheHeapIsAndHowToGetALargerOne() {
        String remedy = ": give Java more \\(-Xmx; OVERDRIVE_JAVA_OPTIONS=-Xmx[1-9][0-9]*g on the command line\\)";
        assertThat(JavaHeap.tooSmall()).matches("a Java heap of [1-9][0-9]* MiB is too small" + remedy);
        assertThat(JavaHeap.tooSmallFor("these rows"))
                .matches("a Java heap of [1-9][0-9]* MiB is too small for these rows" + remedy);
    }

    @Test
    void saysWhatElseIsLacking() {
        assertThat(JavaHeap.tooSmall(new OutOfMemoryError("Java heap space"))).isEqualTo(JavaHeap.tooSmall());
        assertThat(JavaHeap.tooSmall(new OutOfMemoryError("failed to allocate 8 byte(s) of direct memory")))
                .matches("the direct memory of Java, [1-9][0-9]* MiB, is too small: give it more"
                        + " \\(-XX:MaxDirectMemorySize; OVERDRIVE_JAVA_OPTIONS=-XX:MaxDirectMemorySize=[1-9][0-9]*m on the"
                        + " command line\\)");
        assertThat(JavaHeap.tooSmall(new OutOfMemoryError("unable to create native thread: possibly out of memory")))
                .contains("number of threads", "ulimit -u");
    }
}
