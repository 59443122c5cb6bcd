package io.overdrive.internal.flow;

import java.util.concurrent.TimeUnit;

/** The controllers from the literature, for comparison: a new limit after each second. Confined to one thread at a time. */
abstract class WindowController implements LimitController {
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int WINDOW_REQUESTS = 10;

    private final double min;
    private final double max;
    private double limit;

    WindowController(double start, double min, double max) {
        this.limit = start;
        this.min = min;
        this.max = max;
    }

    @Override
    public final Decision first() {
        return decision("first limit");
    }

    @Override
    public final Decision next(Window window, boolean mayDrain) {
        double before = limit;
        double wanted = window.answered() == 0 && window.failed() == 0 ? limit : limitAfter(window, limit);
        limit = Math.min(max, Math.max(Math.max(min, window.requestCost()), wanted));
        return decision(limit < before ? "shrinks" : limit > before ? "grows" : "stays");
    }

    /** The limit after a window in which something ended, within any bounds. */
    abstract double limitAfter(Window window, double limit);

    /** The limit in requests. */
    static double requests(Window window, double limit) {
        return Math.max(1, limit / Math.max(1, window.requestCost()));
    }

    private Decision decision(String reason) {
        return new Decision(limit, WINDOW_NANOS, WINDOW_REQUESTS, /* isDrain */ false, /* baselineNanos */ 0, reason);
    }
}
