package io.overdrive.internal.flow;

import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.FlowDecision;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.function.DoubleFunction;
import java.util.function.DoubleUnaryOperator;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A node in virtual time, with bulk clients that use the real {@link Limiter}, and other users. Requests wait in one queue for one of
 * the node's workers; service times are lognormal. Deterministic for a seed, and confined to one thread.
 *
 * <p>Times are in seconds. The defaults: 8 workers, 4 ms for a bulk request of 8 KiB, 1 ms for one of the others, 0.5 ms
 * on the network, a pause of 150 ms every 15 s like a garbage collection, and service that slows down when more than 400
 * requests wait.
 */
final class FlowSimulation {
    private static final double NETWORK = 0.0005;
    private static final double TICK = 0.025;
    private static final double SIGMA = 0.5;

    double seconds = 120;
    /** Workers at a time. */
    DoubleUnaryOperator workers = now -> 8;
    /** Seconds of one worker for a request of this many bytes. */
    DoubleUnaryOperator serviceTime = bytes -> 0.004 * bytes / 8192;
    /** Bytes of the requests of the clients at a time. */
    DoubleUnaryOperator requestBytes = now -> 8192;
    /** Requests of other users per second at a time. */
    DoubleUnaryOperator othersPerSecond = now -> 300;
    /** How many requests the clients have per second at a time; infinite by default. */
    DoubleUnaryOperator offeredPerSecond = now -> Double.POSITIVE_INFINITY;
    /** Requests that wait, above which the node refuses more; it is asked again after 0.1 s. */
    int refusesAbove = Integer.MAX_VALUE;
    /** Seconds without an answer after which a request counts as timed out. */
    double timeout = 2;
    /** The node answers nothing from the first to the second of these times. */
    double[] outage = {Double.NaN, Double.NaN};

    /** When the clients get a processor at the earliest, from a time on: at once, or after a pause. */
    DoubleUnaryOperator clientRuns = now -> now;
    /** Added to each round trip of the clients, whatever they do. */
    DoubleUnaryOperator delay = now -> 0;
    /** When the connections of the clients break. */
    double[] breaks = {};

    double collectionEvery = 15;
    /** The effect of the node's queue on its service: a factor for the number of requests that wait. */
    IntUnaryOperator slowdownPercent = waiting -> 100 + Math.max(0, waiting - 400) / 15;

    private final Random random;
    private final List<Client> clients = new ArrayList<>();
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Deque<Request> waiting = new ArrayDeque<>();
    private final List<double[]> others = new ArrayList<>();
    private double now;
    private long eventsMade;
    private int busy;
    private double pausedUntil;

    private record Event(double time, long number, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int order = Double.compare(time, other.time);
            return order != 0 ? order : Long.compare(number, other.number);
        }
    }

    private final class Request {
        private final @Nullable Client client;
        private final double start = now;
        private final double service;
        private final int bytes;
        private boolean ended;

        Request(@Nullable Client client, int bytes, double service) {
            this.client = client;
            this.bytes = bytes;
            this.service = service;
        }
    }

    /** A job that writes as fast as its limiter lets it. */
    final class Client {
        final Limiter limiter;
        final List<FlowDecision> decisions = new ArrayList<>();
        /** Time, round trip, bytes; of requests that were answered. */
        final List<double[]> answered = new ArrayList<>();
        /** Time, bytes in flight; at each tick. */
        final List<double[]> inFlight = new ArrayList<>();

        long failures;
        private final Gate gate;
        private final Set<Request> sent = new LinkedHashSet<>();
        private double offered;
        private boolean hasNext;

        private Client(@Nullable DoubleFunction<LimitController> controllers, int maxRequests) {
            limiter = new Limiter(
                    new Limits(maxRequests, 64 << 20, Long.MAX_VALUE, Long.MAX_VALUE),
                    controllers,
                    128 << 10,
                    () -> (long) (now * 1e9),
                    "simulation",
                    decisions::add);
            Node node = NamedNode.of("a");
            gate = limiter.gate(node);
        }

        /** Sends as long as there are permits, and leaves one request waiting for the next. */
        private void sendAll() {
            while (!hasNext && offered >= 1) {
                int bytes = (int) requestBytes.applyAsDouble(now);
                hasNext = true;
                if (gate.acquireOrQueue(bytes, () -> {
                    send(bytes);
                    sendAll();
                })) {
                    send(bytes);
                }
            }
        }

        private void send(int bytes) {
            hasNext = false;
            offered--;
            Request request = new Request(this, bytes, serviceTime.applyAsDouble(bytes));
            sent.add(request);
            at(now + (NETWORK + delay.applyAsDouble(now)) / 2, () -> arrive(request));
            at(now + timeout, () -> end(request, Outcome.TIMED_OUT));
        }

        private void end(Request request, Outcome outcome) {
            if (request.ended) {
                return;
            }
            request.ended = true;
            sent.remove(request);
            gate.ended(request.bytes, (long) ((now - request.start) * 1e9), outcome);
            if (outcome == Outcome.ANSWERED) {
                answered.add(new double[] {now, now - request.start, request.bytes});
                gate.release(request.bytes);
                sendAll();
            } else {
                failures++;
                at(
                        now + 0.1,
                        () -> { // backs off with its permit
                            gate.release(request.bytes);
                            sendAll();
                        });
            }
        }

        private void tick() {
            double rate = offeredPerSecond.applyAsDouble(now);
            offered = rate == Double.POSITIVE_INFINITY ? rate : offered + rate * TICK;
            limiter.adapt();
            sendAll();
            inFlight.add(new double[] {now, gate.bytes()});
        }

        /** Requests answered per second between two times. */
        double rate(double from, double to) {
            return answered.stream().filter(a -> a[0] >= from && a[0] < to).count() / (to - from);
        }

        double bytesPerSecond(double from, double to) {
            return answered.stream()
                            .filter(a -> a[0] >= from && a[0] < to)
                            .mapToDouble(a -> a[2])
                            .sum()
                    / (to - from);
        }

        double bytesInFlight(double from, double to) {
            return inFlight.stream()
                    .filter(a -> a[0] >= from && a[0] < to)
                    .mapToDouble(a -> a[1])
                    .average()
                    .orElse(0);
        }
    }

    FlowSimulation(long seed) {
        random = new Random(seed);
    }

    Client client(@Nullable DoubleFunction<LimitController> controllers, int maxRequests) {
        Client client = new Client(controllers, maxRequests);
        clients.add(client);
        return client;
    }

    void run() {
        clients.forEach(this::tick);
        for (double time : breaks) {
            at(
                    time,
                    () -> clients.forEach(
                            client -> List.copyOf(client.sent).forEach(request -> client.end(request, Outcome.LOST))));
        }
        other();
        collect(collectionEvery);
        while (!events.isEmpty() && events.peek().time <= seconds) {
            Event event = events.remove();
            now = event.time;
            event.action.run();
        }
    }

    private void at(double time, Runnable action) {
        events.add(new Event(time, eventsMade++, action));
    }

    private void tick(Client client) {
        client.tick();
        at(clientRuns.applyAsDouble(now + TICK), () -> tick(client));
    }

    private void other() {
        double rate = othersPerSecond.applyAsDouble(now);
        if (rate > 0) {
            Request request = new Request(null, 0, 0.001);
            at(now + NETWORK / 2, () -> arrive(request));
        }
        at(now - Math.log(1 - random.nextDouble()) / Math.max(1, rate), this::other);
    }

    private void collect(double time) {
        if (collectionEvery > 0) {
            at(time, () -> {
                pausedUntil = now + 0.15;
                at(pausedUntil, this::serve);
                collect(now + collectionEvery);
            });
        }
        if (!Double.isNaN(outage[1])) {
            at(outage[1], this::serve);
        }
    }

    private boolean isOut() {
        return now >= outage[0] && now < outage[1];
    }

    private void arrive(Request request) {
        if (waiting.size() >= refusesAbove && request.client != null) {
            at(now + NETWORK / 2, () -> end(request, Outcome.OVERLOADED));
            return;
        }
        waiting.add(request);
        serve();
    }

    private void serve() {
        while (!waiting.isEmpty() && busy < workers.applyAsDouble(now) && now >= pausedUntil && !isOut()) {
            Request request = waiting.remove();
            busy++;
            double mean = request.service * slowdownPercent.applyAsInt(waiting.size()) / 100;
            double time = mean * Math.exp(SIGMA * random.nextGaussian() - SIGMA * SIGMA / 2);
            at(now + time, () -> {
                busy--;
                double arrives = now + (NETWORK + (request.client == null ? 0 : delay.applyAsDouble(now))) / 2;
                at(
                        request.client == null ? arrives : clientRuns.applyAsDouble(arrives),
                        () -> end(request, Outcome.ANSWERED));
                serve();
            });
        }
    }

    private void end(Request request, Outcome outcome) {
        if (request.client != null) {
            request.client.end(request, outcome);
        } else {
            others.add(new double[] {now, now - request.start});
        }
    }

    /** A percentile of what the other users saw, for requests that ended between two times. */
    double others(double percentile, double from, double to) {
        double[] times = others.stream()
                .filter(o -> o[0] >= from && o[0] < to)
                .mapToDouble(o -> o[1])
                .sorted()
                .toArray();
        return times.length == 0
                ? Double.NaN
                : times[(int) Math.min(times.length - 1, percentile / 100 * times.length)];
    }

    /** The rate of the only client. */
    double rate(double from, double to) {
        return clients.get(0).rate(from, to);
    }

    /** Mean requests of 8 KiB in flight of the only client. */
    double inFlight(double from, double to) {
        return clients.get(0).bytesInFlight(from, to) / 8192;
    }
}
