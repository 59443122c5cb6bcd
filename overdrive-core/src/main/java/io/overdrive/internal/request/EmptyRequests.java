package io.overdrive.internal.request;

import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.request.Options;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.internal.flow.Limiter;
import io.overdrive.internal.wire.Transport;
import io.overdrive.internal.wire.Wire;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How long a request takes that the node answers at once: the time on the way, behind what else is sent on the connection, and until the
 * node takes it from there. Compared with the round trips of the job this shows whether these are spent on the way or in the node. Sends
 * one to each busy node twice a second. Thread-safe.
 */
final class EmptyRequests {
    private static final long EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    /** Of one that is not answered, nothing is known but that the next is due. */
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

    /** From the next tick on, requests are sent. */
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
                courses.computeIfAbsent(node, n -> new Course()).sendNext(node, now);
            }
        });
    }

    /** The median of the last ones, or more if the one in flight already takes longer; 0 if none was sent yet. */
    long nanos(Node node) {
        Course course = courses.get(node);
        return course == null ? 0 : course.median();
    }

    private final class Course {
        @GuardedBy("this") private final long[] last = new long[KEPT];

        @GuardedBy("this") private int count;

        /** When the one was sent that is in flight. */
        @GuardedBy("this") private long sentNanos;

        @GuardedBy("this") private @Nullable EmptyRequest inFlight;

        void sendNext(Node node, long now) {
            EmptyRequest next = new EmptyRequest(this);
            synchronized (this) {
                if (inFlight != null && now - sentNanos < GIVE_UP_NANOS) {
                    return;
                }
                inFlight = next;
                sentNanos = now;
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
                last[count++ % KEPT] = transport.nanoTime() - sentNanos;
            }
        }

        synchronized long median() {
            int known = Math.min(count, KEPT);
            long[] sorted = Arrays.copyOf(last, known);
            Arrays.sort(sorted);
            long median = known == 0 ? 0 : sorted[known / 2];
            return inFlight == null ? median : Math.max(median, transport.nanoTime() - sentNanos);
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
