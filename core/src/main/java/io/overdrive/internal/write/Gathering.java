package io.overdrive.internal.write;

import com.datastax.oss.driver.api.core.CqlSession;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.GatheringDecision;
import io.overdrive.WriteOptions;
import io.overdrive.internal.ring.CurrentRing;
import io.overdrive.internal.wire.Transport;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether single rows share requests at the moment: measures the slots of a {@link GatheringTrial} by the rows that the cluster
 * acknowledges. Shared by a writer and those separate from it. Thread-safe; on the hot path (write steps 3 and 7).
 */
public final class Gathering {
    private static final Logger LOG = LoggerFactory.getLogger(Gathering.class);
    /** Each request is filled this many times in a slot, or most rows would wait for others that do not come. */
    private static final int FILLED = 8;

    private static final double NANOS_PER_SECOND = 1e9;

    private final Transport transport;
    private final String tableName;
    private final long startNanos;
    private final CurrentRing ring;
    private final int maxRows;
    private final BatchLimit limit;
    private final Function<GatheringTrial.Slot, GatheringTrial.Decision> control;

    private final LongAdder rows = new LongAdder();
    private final LongAdder singles = new LongAdder();
    private final LongAdder requests = new LongAdder();
    private final LongAdder roundTripNanos = new LongAdder();

    private volatile boolean on;
    /** When the slot has settled, or ends. */
    private volatile long nextNanos;

    @GuardedBy("this") private GatheringTrial.Decision decision = GatheringTrial.first();

    @GuardedBy("this") private boolean settled = true;

    @GuardedBy("this") private long sinceNanos;

    Gathering(
            Transport transport,
            WriteLayout layout,
            WriteOptions options,
            BatchWarnings warnings,
            Function<GatheringTrial.Slot, GatheringTrial.Decision> control) {
        this.transport = transport;
        this.tableName = layout.tableName;
        this.startNanos = transport.nanoTime();
        this.ring = transport.ring(layout.keyspace);
        this.maxRows = Math.min(warnings.partitions(), options.batchRows());
        this.limit = new BatchLimit(Math.min(warnings.bytes(), options.batchBytes()));
        this.control = control;
        this.sinceNanos = startNanos;
        this.nextNanos = startNanos + decision.nanos();
    }

    /** Null if rows of the statement, or on this server, must not share a request. */
    public static @Nullable Gathering of(
            Transport transport, CqlSession session, WriteLayout layout, WriteOptions options) {
        if (!layout.rules.gathersSingles() || options.batchRows() < 2) {
            return null;
        }
        BatchWarnings warnings = BatchWarnings.of(ServerSettings.of(session));
        return warnings.partitions() < 2
                ? null
                : new Gathering(transport, layout, options, warnings, new GatheringTrial()::next);
    }

    boolean isOn() {
        return on && limit.rows() > 1;
    }

    /** Rows of a request. */
    public int maxRows() {
        return Math.min(maxRows, limit.rows());
    }

    /** Bytes of a request, as the server counts them. */
    int maxBytes() {
        return limit.bytes();
    }

    /** How large gathered requests may be; lowered when the server refuses one for its size. */
    BatchLimit limit() {
        return limit;
    }

    /** A request was acknowledged at this time. */
    void acknowledged(WriteRequest write, long nanos, long now) {
        rows.add(write.rows());
        if (write.isGathered || write.rows() == 1) {
            singles.add(write.rows());
        }
        requests.increment();
        roundTripNanos.add(nanos);
        if (now - nextNanos >= 0) {
            advance(now);
        }
    }

    private synchronized void advance(long now) {
        if (now - nextNanos < 0) {
            return; // another thread was here before
        }
        long ended = requests.sumThenReset();
        long roundTrips = roundTripNanos.sumThenReset();
        GatheringTrial.Slot slot = new GatheringTrial.Slot(
                now - sinceNanos,
                rows.sumThenReset(),
                singles.sumThenReset(),
                (long) FILLED * maxRows * Gatherer.kinds(ring.now()),
                ended == 0 ? 0 : roundTrips / ended);
        sinceNanos = now;
        settled = !settled;
        if (settled) {
            nextNanos = now + decision.nanos();
            return;
        }
        GatheringTrial.Decision next = control.apply(slot);
        decision = next;
        on = next.gathers();
        nextNanos = now + next.settleNanos();
        GatheringTrial.Outcome outcome = next.outcome();
        if (outcome != null) {
            report(outcome, Duration.ofNanos(now - startNanos));
        }
    }

    /** Reports the outcome on the timer, because this is an I/O thread and the user's handler may write a file. */
    private void report(GatheringTrial.Outcome outcome, Duration at) {
        GatheringDecision made = new GatheringDecision(
                "writes to " + tableName,
                at,
                outcome.gathersBefore(),
                outcome.gathers(),
                outcome.pairs(),
                outcome.lead(),
                outcome.singleRate() * NANOS_PER_SECOND,
                outcome.gatheredRate() * NANOS_PER_SECOND,
                outcome.reason());
        LOG.debug("{}", made);
        transport.timer().execute(() -> transport.decided(made));
    }
}
