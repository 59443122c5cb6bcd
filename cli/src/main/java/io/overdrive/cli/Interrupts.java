package io.overdrive.cli;

import io.overdrive.cli.options.Caller;
import java.io.PrintWriter;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * Handles Ctrl-C, and the signals for the end of the process or its terminal: the first one ends the work in an orderly way, the
 * second one at once. Whoever sends SIGTERM or SIGHUP may not wait for long, and sends no second one, so ten seconds after them the process
 * ends at once. A program that runs commands in this process cancels them instead. Restores the previous handlers on close; the bound of ten
 * seconds stays, as connections still have to be closed.
 */
final class Interrupts implements AutoCloseable {
    private static final String INTERRUPT = "INT";

    /** Ten seconds, together with the time for the message. */
    private static final long ORDERLY_MILLIS = 9_000;

    private static final long MESSAGE_MILLIS = 1_000;

    private final Effect effect;
    private final BooleanSupplier stop;
    private final PrintWriter err;
    private final Runnable halt;
    private final Thread ender;
    private final Map<Signal, SignalHandler> before = new HashMap<>();
    private final @Nullable Caller caller = Caller.current();
    private final AtomicBoolean stopping = new AtomicBoolean();
    private volatile boolean continues;

    /**
     * Says to the user what happens.
     *
     * @param stops the effect of the first Ctrl-C: "stops reading"
     * @param afterwards what follows if it ends at once
     */
    record Effect(String stops, String afterwards) {
        Effect(String stops) {
            this(stops, "unfinished work is lost");
        }
    }

    private Interrupts(Effect effect, BooleanSupplier stop, PrintWriter err, long orderlyMillis, Runnable halt) {
        this.effect = effect;
        this.stop = stop;
        this.err = err;
        this.halt = halt;
        ender = new Thread(() -> endAfter(orderlyMillis), "overdrive-end");
        ender.setDaemon(true);
    }

    /** Says which signal ends the process before its work has begun, and after it; for the whole process. */
    static void announceEnds() {
        for (String name : new String[] {"TERM", "HUP"}) {
            Signal.handle(new Signal(name), Interrupts::exit);
        }
    }

    private static void exit(Signal signal) {
        int code = 128 + signal.getNumber();
        sayBriefly(() -> System.err.println("overdrive: ended by SIG" + signal.getName()), () -> System.exit(code));
    }

    /** @param stop returns false if it is too late for that, and the work continues to its end */
    static Interrupts handle(BooleanSupplier stop, Effect effect, PrintWriter err) {
        return handle(
                stop, effect, err, ORDERLY_MILLIS, () -> Runtime.getRuntime().halt(Main.INTERRUPTED));
    }

    /**
     * As {@link #handle(BooleanSupplier, Effect, PrintWriter)}, for tests.
     *
     * @param orderlyMillis how long the end may take
     * @param halt ends the process at once
     */
    static Interrupts handle(BooleanSupplier stop, Effect effect, PrintWriter err, long orderlyMillis, Runnable halt) {
        Interrupts interrupts = new Interrupts(effect, stop, err, orderlyMillis, halt);
        if (interrupts.caller != null) {
            interrupts.caller.onCancel(() -> {
                boolean unused = stop.getAsBoolean();
            });
            return interrupts;
        }
        for (String name : new String[] {INTERRUPT, "TERM", "HUP"}) {
            Signal signal = new Signal(name);
            interrupts.before.put(signal, Signal.handle(signal, interrupts::signalled));
        }
        return interrupts;
    }

    /** Work that can be stopped at any time. */
    static BooleanSupplier always(Runnable stop) {
        return () -> {
            stop.run();
            return true;
        };
    }

    void signalled(Signal signal) {
        if (!stopping.compareAndSet(false, true)) {
            end("ended at once");
            return;
        }
        if (!signal.getName().equals(INTERRUPT)) {
            ender.start(); // before anything that may wait
        }
        print(effect.stops + "; press Ctrl-C again to end at once");
        continues = !stop.getAsBoolean();
    }

    void endAfter(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            return; // nobody interrupts it
        }
        if (!continues) {
            end("it has not ended within " + (millis + MESSAGE_MILLIS) / 1000 + " s, and is ended at once");
        }
    }

    private void end(String why) {
        sayBriefly(() -> print(why + "; " + effect.afterwards), halt);
    }

    /** Ends the process, also if nobody reads the message. */
    private static void sayBriefly(Runnable message, Runnable end) {
        try {
            Thread sayer = new Thread(message, "overdrive-end-message");
            sayer.setDaemon(true);
            sayer.start();
            sayer.join(MESSAGE_MILLIS);
        } catch (InterruptedException e) {
            // nobody interrupts it
        } finally {
            end.run();
        }
    }

    private void print(String text) {
        err.println();
        err.println("overdrive: " + text);
        err.flush();
    }

    @Override
    public void close() {
        if (caller != null) {
            caller.onCancel(null);
        }
        before.forEach(Signal::handle);
    }
}
