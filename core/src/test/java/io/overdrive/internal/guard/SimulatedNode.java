package io.overdrive.internal.guard;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashSet;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A node in virtual time: one queue and some workers, small foreground requests at a fixed rate, bulk requests of which a
 * number is always in flight, probes, and pauses in which nothing starts. Confined to one thread.
 */
final class SimulatedNode {
    private static final int WORKERS = 8;
    private static final double BULK_SECONDS = 0.004;
    private static final double SMALL_SECONDS = 0.001;
    private static final double PROBE_INTERVAL = 0.02;
    static final double WINDOW = 2;

    private enum Kind {
        FOREGROUND,
        PROBE,
        BULK
    }

    private record Queued(Kind kind, double since) {}

    /** Something that happens at a time. */
    private record Event(double at, long number, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at != other.at ? Double.compare(at, other.at) : Long.compare(number, other.number);
        }
    }

    private final SplittableRandom random;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final ArrayDeque<Queued> queue = new ArrayDeque<>();
    private final Set<Double> unanswered = new HashSet<>();
    private double[] latencies = new double[256];
    private int answered;
    private int busy;
    private int bulkInFlight;
    private int bulkLimit = 1;
    private double now;
    private double pausedUntil;
    private long number;
    /** Foreground requests a second. */
    double foregroundRate = 300;
    /** Bulk requests that were answered. */
    long bulkDone;

    SimulatedNode(SplittableRandom random) {
        this.random = random;
        at(0, this::foreground);
        at(0, this::probe);
    }

    private void at(double when, Runnable action) {
        events.add(new Event(when, number++, action));
    }

    private void foreground() {
        queue.add(new Queued(Kind.FOREGROUND, now));
        at(now - Math.log(1 - random.nextDouble()) / foregroundRate, this::foreground);
    }

    private void probe() {
        queue.add(new Queued(Kind.PROBE, now));
        unanswered.add(now);
        at(now + PROBE_INTERVAL, this::probe);
    }

    /** Nothing starts for a while, as in a pause of the garbage collector. */
    void pause(double seconds) {
        pausedUntil = now + seconds;
        at(pausedUntil, () -> {});
    }

    private void work() {
        for (; bulkInFlight < bulkLimit; bulkInFlight++) {
            queue.add(new Queued(Kind.BULK, now));
        }
        while (busy < WORKERS && now >= pausedUntil && !queue.isEmpty()) {
            Queued request = queue.remove();
            busy++;
            double mean = request.kind == Kind.BULK ? BULK_SECONDS : SMALL_SECONDS;
            at(now + mean * (0.5 - 0.5 * Math.log(1 - random.nextDouble())), () -> answer(request));
        }
    }

    private void answer(Queued request) {
        busy--;
        switch (request.kind) {
            case BULK -> {
                bulkInFlight--;
                bulkDone++;
            }
            case PROBE -> {
                unanswered.remove(request.since);
                record(now - request.since);
            }
            case FOREGROUND -> {}
        }
    }

    private void record(double latency) {
        if (answered == latencies.length) {
            latencies = Arrays.copyOf(latencies, 2 * answered);
        }
        latencies[answered++] = latency;
    }

    /** Runs for one window, with up to this many bulk requests in flight. */
    ProbeWindow window(int limit) {
        bulkLimit = limit;
        work();
        double end = now + WINDOW;
        while (events.element().at <= end) {
            Event event = events.remove();
            now = event.at;
            event.action.run();
            work();
        }
        now = end;
        int inTime = answered;
        unanswered.forEach(due -> record(now - due));
        double[] sorted = Arrays.copyOf(latencies, answered);
        Arrays.sort(sorted);
        double p99 = sorted[(int) Math.ceil(0.99 * answered) - 1];
        double mean = Arrays.stream(sorted).average().orElseThrow();
        answered = 0;
        return new ProbeWindow((long) (WINDOW * 1e9), inTime, 0, (long) (p99 * 1e9), (long) (mean * 1e9));
    }
}
