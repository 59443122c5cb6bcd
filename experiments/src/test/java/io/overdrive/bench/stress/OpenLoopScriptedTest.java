package io.overdrive.bench.stress;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.protocol.internal.response.result.Void;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.internal.wire.ScriptedTransport;
import io.overdrive.internal.wire.ScriptedTransport.Sent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Loads of a node that answers each request after two milliseconds, unless it hangs, in virtual time. */
class OpenLoopScriptedTest {
    private static final TableSchema TABLE =
            new TableSchema("ks", "t", List.of(new Column("k", DataTypes.BIGINT, Role.PARTITION_KEY)));
    private static final long RATE = 500;
    private static final int IN_FLIGHT = 8;
    private static final int SERVICE_MILLIS = 2;

    private final ScriptedTransport cluster = new ScriptedTransport(1);
    private final StressRecorder recorder = new StressRecorder(Set.of(OperationKind.WRITE));
    private final OperationSender sender = new OperationSender(
            cluster, CqlIdentifier.fromInternal("ks"), Map.of(OperationKind.WRITE, new Insert()), IN_FLIGHT, recorder);
    private final long startNanos = cluster.nanoTime();
    /** When the node begins to hang, and when it continues. */
    private long hangsMillis = Long.MAX_VALUE;

    private long resumesMillis = Long.MAX_VALUE;
    /** When each operation was sent. */
    private final List<Long> sentNanos = new ArrayList<>();

    private static final class Insert extends OperationStatement {
        Insert() {
            super(
                    "INSERT INTO ks.t (k) VALUES (?)",
                    new RowMaker(TABLE, StressOptions.on("ks", "t").build()),
                    List.of("k"),
                    new int[] {0});
        }

        @Override
        byte[] body(long row, long operation) {
            make(row);
            return values.toByteArray();
        }
    }

    private final class VirtualTime implements OpenLoop.Waiting {
        @Override
        public long nanoTime() {
            return cluster.nanoTime();
        }

        @Override
        public void sleep(long nanos) {
            takeRequests();
            cluster.pass(Duration.ofNanos(nanos));
        }

        @Override
        public boolean awaitPermit(long nanos) {
            long end = nanoTime() + nanos;
            while (!sender.tryPermit()) {
                if (nanoTime() >= end) {
                    return false;
                }
                sleep(TimeUnit.MICROSECONDS.toNanos(100));
            }
            return true;
        }
    }

    private void takeRequests() {
        long now = TimeUnit.NANOSECONDS.toMillis(cluster.nanoTime() - startNanos);
        while (!cluster.sent.isEmpty()) {
            Sent request = cluster.next();
            sentNanos.add(cluster.nanoTime() - startNanos);
            boolean hangs = now + SERVICE_MILLIS > hangsMillis && now < resumesMillis;
            long after = hangs ? resumesMillis - now + SERVICE_MILLIS : SERVICE_MILLIS;
            var unused = cluster.timer().schedule(() -> request.answer(Void.INSTANCE), after, TimeUnit.MILLISECONDS);
        }
    }

    /** The figures of a load that lasts this long, when it has ended and what is in flight is answered. */
    private Interval load(long rate, Duration duration) throws InterruptedException {
        StressOptions options = StressOptions.on("ks", "t")
                .rate(rate)
                .duration(duration)
                .inFlight(IN_FLIGHT)
                .build();
        Schedule schedule = new Schedule(startNanos, rate);
        VirtualTime time = new VirtualTime();
        new OpenLoop(options, schedule, operation -> operation, sender, recorder, time).run();
        time.sleep(TimeUnit.SECONDS.toNanos(1));
        recorder.interval(
                (cluster.nanoTime() - startNanos) / 1e9,
                schedule.dueBefore(startNanos + duration.toNanos()),
                (name, histogram) -> {});
        return recorder.all();
    }

    @Test
    void sendsEachOperationOnceWhenItIsDue() throws InterruptedException {
        Interval all = load(RATE, Duration.ofSeconds(4));

        assertThat(all.done()).isEqualTo(4 * RATE);
        assertThat(sentNanos).hasSize((int) (4 * RATE));
        for (int i = 0; i < sentNanos.size(); i++) {
            long due = TimeUnit.SECONDS.toNanos(i) / RATE;
            assertThat(sentNanos.get(i)).isBetween(due, due + TimeUnit.MICROSECONDS.toNanos(450));
        }
        assertThat(all.response().max()).isBetween(2.0, 2.5);
        assertThat(all.late() + all.held() + all.behind()).isZero();
    }

    /**
     * A load with few operations in flight is held back by a node that hangs, as a closed loop is. Measured from when they are sent, only
     * these few operations are slow; for its users, all operations are slow that became due meanwhile.
     */
    @Test
    void chargesAStallToAllOperationsThatWereDueInIt() throws InterruptedException {
        hangsMillis = 1000;
        resumesMillis = 2200;
        Interval all = load(RATE, Duration.ofSeconds(4));

        assertThat(all.done()).isEqualTo(4 * RATE);
        // Of 2000 operations 5 % are 100, which become due in the first 200 ms of the stall, and are sent soon after
        // it.
        assertThat(all.response().p95()).isBetween(1000.0, 1100.0);
        assertThat(all.response().p99()).isBetween(1150.0, 1200.0);
        assertThat(all.response().max()).isBetween(1200.0, 1206.0);
        assertThat(all.service().max()).isBetween(1200.0, 1206.0);
        assertThat(all.service().p95()).isBetween(1.9, 2.5);
        assertThat(all.response().p50()).isLessThan(5);
        // those of 1200 ms without the first few, and some more until the load has caught up; after the stall, eight
        // are answered at once
        assertThat(all.late()).isBetween(600L - IN_FLIGHT, 720L);
        assertThat(all.held()).isBetween(600L / IN_FLIGHT, 720L / IN_FLIGHT);
    }

    @Test
    void givesUpTenSecondsAfterItsEnd() throws InterruptedException {
        hangsMillis = 1000;
        resumesMillis = 60_000;
        Interval all = load(RATE, Duration.ofSeconds(4));

        assertThat(cluster.nanoTime() - startNanos)
                .isBetween(TimeUnit.SECONDS.toNanos(15), TimeUnit.MILLISECONDS.toNanos(15_200));
        assertThat(all.done()).isEqualTo(RATE);
        assertThat(all.inFlight()).isEqualTo(IN_FLIGHT);
        assertThat(all.behind()).isEqualTo(3 * RATE - IN_FLIGHT);
    }

    /** Waking a thread costs more than sending a write. */
    @Test
    void sendsOperationsTogetherThatBecomeDueWithinHalfAMillisecond() throws InterruptedException {
        Interval all = load(3_000, Duration.ofMillis(900));

        assertThat(all.done()).isEqualTo(2_700);
        assertThat(sentNanos.stream().distinct()).hasSize(1 + 900_000 / 450);
        assertThat(all.late() + all.held()).isZero();
    }
}
