package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sun.misc.Signal;

/** Signals to this process, which handles them as a command does. */
@Timeout(60)
class InterruptsTest {
    private static final Interrupts.Effect EFFECT =
            new Interrupts.Effect("stops reading", "to continue: overdrive resume 7");
    private static final long NEVER = Long.MAX_VALUE;

    private final StringWriter err = new StringWriter();
    private final CountDownLatch stops = new CountDownLatch(1);
    private final CountDownLatch halts = new CountDownLatch(1);

    private Interrupts handle(BooleanSupplier stop, long orderlyMillis) {
        return Interrupts.handle(
                stop, EFFECT, new PrintWriter(err, /* autoFlush */ true), orderlyMillis, halts::countDown);
    }

    private boolean stop() {
        stops.countDown();
        return true;
    }

    /** Waits for a message, which a busy machine may print after the end. */
    private void awaitMessage(String text) throws InterruptedException {
        while (!err.toString().contains("overdrive: " + text + "\n")) {
            Thread.sleep(10);
        }
    }

    @Test
    void theEndOfAProcessIsBounded() throws Exception {
        try (Interrupts interrupts = handle(this::stop, /* orderlyMillis */ 1)) {
            Signal.raise(new Signal("TERM"));
            stops.await();
            halts.await();
        }
        assertThat(err.toString()).contains("overdrive: stops reading; press Ctrl-C again to end at once\n");
        awaitMessage("it has not ended within 1 s, and is ended at once; to continue: overdrive resume 7");
    }

    @Test
    void theEndIsBoundedAlsoIfItCannotBeBegun() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        BooleanSupplier waits = () -> {
            try {
                never.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return true;
        };
        try (Interrupts interrupts = handle(waits, /* orderlyMillis */ 1)) {
            Signal.raise(new Signal("TERM"));
            halts.await();
        }
        never.countDown();
    }

    /** Connections have to be closed. */
    @Test
    void theEndIsBoundedAlsoAfterTheWork() throws Exception {
        try (Interrupts interrupts = handle(this::stop, /* orderlyMillis */ 1)) {
            Signal.raise(new Signal("TERM"));
            stops.await();
        }
        halts.await();
    }

    @Test
    void theEndIsBoundedAlsoIfNobodyReadsMessages() throws Exception {
        CountDownLatch read = new CountDownLatch(1);
        Writer full = new Writer() {
            @Override
            public void write(char[] text, int start, int length) throws IOException {
                try {
                    read.await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        try (Interrupts interrupts =
                Interrupts.handle(this::stop, EFFECT, new PrintWriter(full), /* orderlyMillis */ 1, halts::countDown)) {
            Signal.raise(new Signal("TERM"));
            halts.await();
        }
        read.countDown();
    }

    @Test
    void theSecondSignalEndsItAtOnce() throws Exception {
        try (Interrupts interrupts = handle(this::stop, NEVER)) {
            Signal.raise(new Signal("TERM"));
            stops.await();
            Signal.raise(new Signal("TERM"));
            halts.await();
        }
        awaitMessage("ended at once; to continue: overdrive resume 7");
    }

    @Test
    void workThatIsTooLateToStopContinues() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        BooleanSupplier tooLate = () -> {
            calls.incrementAndGet();
            return false;
        };
        try (Interrupts interrupts = handle(tooLate, NEVER)) {
            interrupts.signalled(new Signal("TERM"));
            interrupts.endAfter(/* millis */ 0);
            assertThat(halts.getCount()).as("not ended").isEqualTo(1);
        }
        assertThat(calls).hasValue(1);
    }
}
