package io.overdrive.jmh;

import io.overdrive.internal.codec.Surrogates;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/** ASCII text as UTF-8, in time for each text: with the check for halves of surrogate pairs, and without it. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class SurrogatesBenchmark {
    private static final int TEXTS = 1024;

    @Param({"12", "60", "1000"})
    public int length = 12;

    private final String[] texts = new String[TEXTS];

    @Setup(Level.Trial)
    public void makeTexts() {
        Random random = new Random(42);
        for (int i = 0; i < TEXTS; i++) {
            StringBuilder text = new StringBuilder();
            while (text.length() < length) {
                text.append((char) ('a' + random.nextInt(26)));
            }
            texts[i] = text.toString();
        }
    }

    @Benchmark
    @OperationsPerInvocation(TEXTS)
    public void encoded(Blackhole hole) {
        for (String text : texts) {
            hole.consume(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    @Benchmark
    @OperationsPerInvocation(TEXTS)
    public void encodedAndChecked(Blackhole hole) {
        for (String text : texts) {
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            if (!Surrogates.areWhole(text, utf8)) {
                throw new IllegalStateException(text);
            }
            hole.consume(utf8);
        }
    }
}
