package io.overdrive.internal.request;

import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.request.Options;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.internal.flow.Gate;
import io.overdrive.internal.flow.Limiter;
import io.overdrive.internal.wire.Transport;
import io.overdrive.internal.wire.Wire;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How long a request takes that the node answers at once: the time on the way, behind other requests on the connection, and until the
 * node takes it from there. Compared with the round trips of the requests that end while it is in flight, this shows whether these are spent
 * on the way or in the node. Sends one to each busy node twice a second. Thread-safe.
 */
final class EmptyRequests {
    private static final long EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    /**
     * Age after which an unanswered request is given up, so that the next one is sent; it says nothing about the node.
     */
    private static final long GIVE_UP_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** So few that they are of the same time as the requests that they are compared with; one pause of a node does not count. */
    private static final int KEPT = 5;

    private final Transport transport;
    private final Limiter limiter;
    private final Map<Node, Course> courses = new ConcurrentHashMap<>();
    private volatile boolean isOn;
    /** Used by the timer only. */
    private long nextNanos = Long.MIN_VALUE;

    EmptyRequests(Transport transport, Limiter limiter) {
        this.transport = transport;
        this.limiter = limiter;
    }

    /** Starts to send requests at the next tick. */
    void start() {
        isOn = true;
    }

    /** Called by the connection's timer. */
    void tick(long now) {
        if (!isOn || now < nextNanos) {
            return;
        }
        nextNanos = now + EVERY_NANOS;
        limiter.gates().forEach((node, gate) -> {
            if (gate.requests() > 0) {
                courses.computeIfAbsent(node, n -> new Course(gate)).sendNext(node, now);
            }
        });
    }

    /** Both are medians of the last ones, or more if the one in flight already takes longer; 0 if none was sent yet. */
    Way way(Node node) {
        Course course = courses.get(node);
        return course == null ? UNKNOWN : course.way();
    }

    /**
     * @param nanos how long an empty request takes
     * @param share of the mean round trip of the requests that ended while it was in flight; 0 if none did, as the node answered it first
     */
    record Way(long nanos, double share) {}

    private static final Way UNKNOWN = new Way(0, 0);

    private final class Course {
        private final Gate gate;

        @GuardedBy("this") private final long[] nanos = new long[KEPT];

        @GuardedBy("this") private final double[] shares = new double[KEPT];

        @GuardedBy("this") private int count;

        /** When the one was sent that is in flight. */
        @GuardedBy("this") private long sentNanos;

        /** Requests that had ended by then, and how long they took. */
        @GuardedBy("this") private Gate.Times sent = Gate.Times.NONE;

        @GuardedBy("this") private @Nullable EmptyRequest inFlight;

        Course(Gate gate) {
            this.gate = gate;
        }

        void sendNext(Node node, long now) {
            EmptyRequest next = new EmptyRequest(this);
            synchronized (this) {
                if (inFlight != null && now - sentNanos < GIVE_UP_NANOS) {
                    return;
                }
                inFlight = next;
                sentNanos = now;
                sent = gate.times();
            }
            if (!transport.send(node, Options.INSTANCE, next)) {
                ended(next, /* answered */ false);
            }
        }

        synchronized void ended(EmptyRequest request, boolean answered) {
            if (request != inFlight) {
                return;
            }
            inFlight = null;
            if (answered) {
                Way taken = sinceSent();
                nanos[count % KEPT] = taken.nanos;
                shares[count % KEPT] = taken.share;
                count++;
            }
        }

        @GuardedBy("this") private Way sinceSent() {
            long age = transport.nanoTime() - sentNanos;
            Gate.Times now = gate.times();
            long ended = now.ended() - sent.ended();
            long endedNanos = now.endedNanos() - sent.endedNanos();
            return new Way(age, endedNanos <= 0 ? 0 : Math.min(1, (double) age * ended / endedNanos));
        }

        synchronized Way way() {
            int known = Math.min(count, KEPT);
            Way last = UNKNOWN;
            if (known > 0) {
                long[] sortedNanos = Arrays.copyOf(nanos, known);
                Arrays.sort(sortedNanos);
                double[] sortedShares = Arrays.copyOf(shares, known);
                Arrays.sort(sortedShares);
                last = new Way(sortedNanos[known / 2], sortedShares[known / 2]);
            }
            if (inFlight == null) {
                return last;
            }
            Way next = sinceSent();
            return new Way(Math.max(last.nanos, next.nanos), Math.max(last.share, next.share));
        }
    }

    private static final class EmptyRequest extends Wire.Request {
        private final Course course;

        EmptyRequest(Course course) {
            this.course = course;
        }

        @Override
        protected void answered(Message message) {
            course.ended(this, /* answered */ true);
        }

        @Override
        protected void failed(@Nullable Throwable cause, boolean sent) {
            course.ended(this, /* answered */ false);
        }
    }
}
