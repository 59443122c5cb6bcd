package io.overdrive.cli;

import java.io.PrintWriter;
import java.util.HashMap;
import java.util.Map;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * What Ctrl-C does, and the signals for the end of the process or its terminal: the first one ends the work in good order, the
 * second one at once. Put back to what it was on close.
 */
final class Interrupts implements AutoCloseable {
    private final Runnable stop;
    private final String stops;
    private final PrintWriter err;
    private final Map<Signal, SignalHandler> before = new HashMap<>();
    private boolean stopping;

    private Interrupts(Runnable stop, String stops, PrintWriter err) {
        this.stop = stop;
        this.stops = stops;
        this.err = err;
    }

    /** @param stops what the first Ctrl-C does, in words */
    static Interrupts handle(Runnable stop, String stops, PrintWriter err) {
        Interrupts interrupts = new Interrupts(stop, stops, err);
        for (String name : new String[] {"INT", "TERM", "HUP"}) {
            Signal signal = new Signal(name);
            interrupts.before.put(signal, Signal.handle(signal, interrupts::signalled));
        }
        return interrupts;
    }

    private synchronized void signalled(Signal signal) {
        if (stopping) {
            err.println();
            err.println("overdrive: given up; what was under way is lost");
            err.flush();
            Runtime.getRuntime().halt(Main.INTERRUPTED);
        }
        stopping = true;
        err.println();
        err.println("overdrive: " + stops + "; once more to give up at once");
        err.flush();
        stop.run();
    }

    @Override
    public void close() {
        before.forEach(Signal::handle);
    }
}
