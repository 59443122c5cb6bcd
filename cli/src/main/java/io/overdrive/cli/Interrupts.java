package io.overdrive.cli;

import io.overdrive.cli.options.Caller;
import java.io.PrintWriter;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * Handles Ctrl-C, and the signals for the end of the process or its terminal: the first one ends the work in an orderly way, the
 * second one at once. A program that runs commands in this process cancels them instead. Restores the previous handlers on close.
 */
final class Interrupts implements AutoCloseable {
    private final Runnable stop;
    private final String stops;
    private final PrintWriter err;
    private final Map<Signal, SignalHandler> before = new HashMap<>();
    private final @Nullable Caller caller = Caller.current();
    private boolean stopping;

    private Interrupts(Runnable stop, String stops, PrintWriter err) {
        this.stop = stop;
        this.stops = stops;
        this.err = err;
    }

    /** @param stops describes the effect of the first Ctrl-C */
    static Interrupts handle(Runnable stop, String stops, PrintWriter err) {
        Interrupts interrupts = new Interrupts(stop, stops, err);
        if (interrupts.caller != null) {
            interrupts.caller.onCancel(stop);
            return interrupts;
        }
        for (String name : new String[] {"INT", "TERM", "HUP"}) {
            Signal signal = new Signal(name);
            interrupts.before.put(signal, Signal.handle(signal, interrupts::signalled));
        }
        return interrupts;
    }

    private synchronized void signalled(Signal signal) {
        if (stopping) {
            err.println();
            err.println("overdrive: ended at once; unfinished work is lost");
            err.flush();
            Runtime.getRuntime().halt(Main.INTERRUPTED);
        }
        stopping = true;
        err.println();
        err.println("overdrive: " + stops + "; press Ctrl-C again to end at once");
        err.flush();
        stop.run();
    }

    @Override
    public void close() {
        if (caller != null) {
            caller.onCancel(null);
        }
        before.forEach(Signal::handle);
    }
}
