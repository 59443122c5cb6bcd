package io.overdrive.jobs.bottleneck;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.internal.flow.JobTimes;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BottleneckWatchTest {
    private final AtomicLong read = new AtomicLong();

    @Test
    void measuresThisProcessAndTheJob() {
        try (BottleneckWatch watch =
                BottleneckWatch.start(() -> new JobTimes(read.get(), read.get() / 2, 0, List.of()))) {
            Span before = watch.measure();
            read.set(1_000);
            Span span = watch.measure().since(before);
            while (span.gcNanos() == 0 || span.cpuNanos() == 0) {
                System.gc();
                span = watch.measure().since(before);
            }
            assertThat(span.nanos()).isPositive();
            assertThat(span.job()).isEqualTo(new JobTimes(1_000, 500, 0, List.of()));
            assertThat(span.processors()).isEqualTo(Runtime.getRuntime().availableProcessors());
        }
    }
}
