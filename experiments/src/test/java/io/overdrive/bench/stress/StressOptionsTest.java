package io.overdrive.bench.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class StressOptionsTest {
    @Test
    void refusesInvalidLoads() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StressOptions.on("ks", "t").rate(0).build())
                .withMessage("--rate is 0, must be 1 to 10000000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StressOptions.on("ks", "t").keys(0).build())
                .withMessageStartingWith("--keys is 0, must be 1 to");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        StressOptions.on("ks", "t").duration(Duration.ZERO).build())
                .withMessageContaining("must be above 0; leave it out to run until stopped");
    }

    @Test
    void copiesEverythingButTheRate() {
        StressOptions options = StressOptions.on("Ks", "t")
                .workload(Workload.parse("read 1"))
                .duration(Duration.ofSeconds(3))
                .keys(5)
                .rowsPerPartition(2)
                .distribution(Distribution.ZIPF)
                .valueBytes(7)
                .seed(9)
                .inFlight(11)
                .histogram(Path.of("h"))
                .build();

        assertThat(options.withRate(77))
                .usingRecursiveComparison()
                .ignoringFields("rate")
                .isEqualTo(options);
        assertThat(options.withRate(77).rate()).isEqualTo(77);
        assertThat(options.cqlTable()).isEqualTo("\"Ks\".t");
    }
}
