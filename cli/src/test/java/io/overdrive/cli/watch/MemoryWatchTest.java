package io.overdrive.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.assertj.core.data.Offset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class MemoryWatchTest {
    private static final Offset<Double> NEAR = Offset.offset(0.001);

    private final MemoryWatch.Shares shares = new MemoryWatch.Shares();

    private double at(int second, long collectedMillis) {
        return shares.add(TimeUnit.SECONDS.toNanos(second), collectedMillis);
    }

    @Test
    void countsTheLastMinuteOnly() {
        for (int second = 0; second < 60; second++) {
            assertThat(at(second, 1000L * second))
                    .as("before a minute has passed")
                    .isZero();
        }
        assertThat(at(60, 60_000)).isCloseTo(1, NEAR);
        assertThat(at(61, 60_000)).isCloseTo(59 / 60.0, NEAR);
        for (int second = 62; second <= 120; second++) {
            at(second, 60_000);
        }
        assertThat(at(121, 60_000)).isZero();
        assertThat(at(151, 75_000)).isCloseTo(0.25, NEAR);
    }

    /** Threads hardly run if all time goes into collecting garbage. */
    @Test
    void countsIfItRunsSeldom() {
        assertThat(at(0, 0)).isZero();
        assertThat(at(45, 44_000)).isZero();
        assertThat(at(100, 98_000)).isCloseTo(0.98, NEAR);
        assertThat(at(300, 290_000)).isCloseTo(192 / 200.0, NEAR);
    }

    /** A process in which the main thread waits for another one. */
    static final class Waits {
        private Waits() {}

        public static void main(String[] args) throws InterruptedException {
            MemoryWatch.start(/* exitCode */ 1);
            Logging.quiet();
            CountDownLatch ended = new CountDownLatch(1);
            new Thread(() -> {
                        if (args.length > 1) {
                            Logger.getLogger("io.netty.util")
                                    .log(Level.WARNING, "a task has failed", new OutOfMemoryError(args[0]));
                            return;
                        }
                        if (args[0].isEmpty()) {
                            throw new IllegalStateException("of a mistake");
                        }
                        throw new IllegalStateException(new OutOfMemoryError(args[0]));
                    })
                    .start();
            if (args[0].isEmpty()) {
                return;
            }
            ended.await();
        }
    }

    /** A process whose heap is full to the last bytes, as nobody lets go of anything, and which waits. */
    static final class Fills {
        private static @Nullable Object[] kept = {};

        private Fills() {}

        public static void main(String[] args) throws InterruptedException {
            MemoryWatch.start(/* exitCode */ 1);
            for (int size = 1 << 20; size > 0; size /= 2) {
                try {
                    while (true) {
                        @Nullable Object[] next = new Object[size];
                        next[0] = kept;
                        kept = next;
                    }
                } catch (OutOfMemoryError e) {
                    // smaller ones may fit
                }
            }
            while (true) {
                Thread.sleep(1_000); // allocates nothing
            }
        }
    }

    private static String err(int code, String... message) throws IOException, InterruptedException {
        return err(Waits.class, code, message);
    }

    private static String err(Class<?> program, int code, String... message) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:MaxDirectMemorySize=32m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
        command.addAll(List.of(message));
        Process process = new ProcessBuilder(command).start();
        try {
            String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).isEqualTo(code);
            return err;
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    @Timeout(120)
    void aThreadThatEndsForLackOfMemoryEndsTheProcess() throws Exception {
        assertThat(err(1, "Java heap space"))
                .matches(
                        "\\noverdrive: a step has failed: a Java heap of \\d+ MiB is too small: give Java more \\(-Xmx;"
                                + " OVERDRIVE_JAVA_OPTIONS=-Xmx1g on the command line\\); what can be resumed then: overdrive runs\\n");
        assertThat(err(1, "Cannot reserve 16777216 bytes of direct buffer memory"))
                .contains("a step has failed: the direct memory of Java, 32 MiB, is too small")
                .contains("-XX:MaxDirectMemorySize=128m on");
        assertThat(err(1, "unable to create native thread: possibly out of memory or process/resource limits reached"))
                .contains("a step has failed: the number of threads is too small");
    }

    @Test
    @Timeout(120)
    void aHeapThatIsFullEndsTheProcessAlsoIfNothingFails() throws Exception {
        assertThat(err(Fills.class, 1)).startsWith("\noverdrive: a step has failed: a Java heap of ");
    }

    /** A class whose initialization has failed for lack of memory cannot be used any more. */
    @Test
    void aHeapThatWasFullWhenAClassWasInitializedEndsTheProcess() {
        MemoryWatch watch = new MemoryWatch(/* exitCode */ 1);
        assertThat(watch.look(() -> {
                    throw new OutOfMemoryError("Java heap space");
                }))
                .isNull();
        for (int pause = 0; pause < 3; pause++) {
            assertThat(watch.look(() -> {
                        throw new NoClassDefFoundError(
                                "Could not initialize class java.lang.management.ManagementFactory");
                    }))
                    .isNull();
        }
        byte[] message = watch.look(() -> 0);
        assertThat(new String(Objects.requireNonNull(message), StandardCharsets.UTF_8))
                .startsWith("\noverdrive: a step has failed: a Java heap of ");
    }

    /** The driver does so, and then waits for ever. */
    @Test
    @Timeout(120)
    void aLibraryThatOnlyLogsThatItLacksMemoryEndsTheProcess() throws Exception {
        assertThat(err(1, "Java heap space", "logged"))
                .startsWith("\noverdrive: a step has failed: a Java heap of ")
                .hasLineCount(2);
    }

    @Test
    @Timeout(120)
    void anotherExceptionOfAThreadIsShown() throws Exception {
        assertThat(err(0, ""))
                .contains("Exception in thread \"Thread-0\" java.lang.IllegalStateException: of a mistake")
                .contains("\tat ");
    }
}
