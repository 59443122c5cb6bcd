package io.overdrive.jobs.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OverdriveException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class OutputLockTest {
    private final Path directory;
    private final Path file;

    OutputLockTest(@TempDir Path directory) {
        this.directory = directory;
        this.file = directory.resolve("rows.csv");
    }

    /** A process that holds the lock of a file until it is killed. */
    static final class Holder {
        private Holder() {}

        public static void main(String[] arguments) throws InterruptedException {
            OutputLock lock = OutputLock.of(Path.of(arguments[0]));
            System.out.println("locked");
            while (true) {
                Thread.sleep(1_000);
                assertThat(lock).isNotNull();
            }
        }
    }

    @Test
    void refusesASecondRunOfTheSameProcess() throws IOException {
        long process = ProcessHandle.current().pid();
        Path link = Files.createSymbolicLink(directory.resolve("link"), directory);
        OutputLock lock = OutputLock.of(file);
        assertThatThrownBy(() -> OutputLock.of(link.resolve("rows.csv")))
                .isInstanceOf(OverdriveException.class)
                .hasMessageEndingWith("rows.csv: another run writes it (process " + process
                        + ", this one); wait until it has ended, or name another one");
        OutputLock.of(directory.resolve("other.csv")).close();
        lock.close();
        lock.close();
        OutputLock.of(file).close();
        assertThat(directory).isDirectoryNotContaining("glob:**.lock");
        OutputLock.in(directory.resolve("new")).close();
        assertThat(directory.resolve("new")).doesNotExist();
        Files.createDirectory(directory.resolve("new"));
        OutputLock inside = OutputLock.in(directory.resolve("new"));
        assertThatThrownBy(() -> OutputLock.in(directory.resolve("new"))).hasMessageContaining("another run writes it");
        inside.close();
        assertThat(directory.resolve("new")).isEmptyDirectory();
    }

    @Test
    void isReleasedWhenItsProcessIsKilled() throws IOException, InterruptedException {
        Process holder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Holder.class.getName(),
                        file.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            assertThat(holder.inputReader().readLine()).isEqualTo("locked");
            assertThatThrownBy(() -> OutputLock.of(file))
                    .hasMessage(file + ": another run writes it (process " + holder.pid()
                            + "); wait until it has ended, or name another one");
        } finally {
            holder.destroyForcibly().waitFor();
        }
        assertThat(directory.resolve(".rows.csv.lock")).hasContent(String.valueOf(holder.pid()));
        OutputLock.of(file).close();
        assertThat(directory.resolve(".rows.csv.lock")).doesNotExist();
    }

    @Test
    void isHeldByOneOfManyThreads() throws Exception {
        AtomicInteger holders = new AtomicInteger();
        Callable<Boolean> take = () -> {
            boolean taken = false;
            for (int i = 0; i < 200; i++) {
                try (OutputLock lock = OutputLock.of(file)) {
                    assertThat(lock).isNotNull();
                    assertThat(holders.incrementAndGet()).isEqualTo(1);
                    holders.decrementAndGet();
                    taken = true;
                } catch (OverdriveException e) {
                    assertThat(e).hasMessageContaining("write");
                }
            }
            return taken;
        };
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            boolean taken = false;
            for (Future<Boolean> each : threads.invokeAll(List.of(take, take, take, take))) {
                taken |= each.get();
            }
            assertThat(taken).isTrue();
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void leavesWhatALinkOfItsNamePointsToAsItIs() throws IOException {
        Path victim = Files.writeString(directory.resolve("victim"), "content");
        Files.createSymbolicLink(directory.resolve(".rows.csv.lock"), victim);
        OutputLock.of(file).close();
        assertThat(victim).hasContent("content");
    }

    @Test
    void devicesAndDirectoriesThatCannotBeWrittenHaveNone() {
        OutputLock.of(Path.of("/dev/null")).close();
        assertThat(Path.of("/dev/.null.lock")).doesNotExist();
        OutputLock.of(directory.resolve("missing/rows.csv")).close();
        assertThat(directory.resolve("missing")).doesNotExist();
    }
}
