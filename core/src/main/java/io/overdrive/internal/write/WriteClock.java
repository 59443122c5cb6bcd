package io.overdrive.internal.write;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.flow.NodeName;
import io.overdrive.internal.names.MessageText;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clock that write times come from: compares it with the nodes' clocks before a run, and waits at the end of the run
 * until no write time is in the future. Thread-safe; off the hot path.
 */
public final class WriteClock {
    private static final Logger LOG = LoggerFactory.getLogger(WriteClock.class);

    /** A larger difference matters to programs that write the same rows in sequence. */
    static final long WARN_MICROS = 500_000;
    /** Clocks that are synchronized at all differ by less. */
    static final long MAX_DIFFERENCE_MICROS = 10_000_000;

    static final long MAX_WAIT_MICROS = 10_000_000;
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final int MAX_NODES = 8;
    private static final long NODE_TIMEOUT_MILLIS = 2_000;
    /** 1970-01-01 in time UUIDs, which count 100 ns from 1582-10-15. */
    private static final long UUID_EPOCH = 0x01B21DD213814000L;
    /** Servers before 4.1 generate time UUIDs from milliseconds. */
    private static final long UUID_PRECISION_MICROS = 1_000;

    public static final WriteClock SYSTEM =
            new WriteClock(() -> ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()), TimeUnit.MICROSECONDS::sleep);

    /** How to wait; for tests. */
    interface Sleep {
        void micros(long count) throws InterruptedException;
    }

    private final LongSupplier nowMicros;
    private final Sleep sleep;

    WriteClock(LongSupplier nowMicros, Sleep sleep) {
        this.nowMicros = nowMicros;
        this.sleep = sleep;
    }

    /** Microseconds since 1970. */
    public long now() {
        return nowMicros.getAsLong();
    }

    /**
     * How far this machine's clock is ahead of a node's clock, or behind it if negative. The node read its clock at some time
     * between request and answer; the middle is assumed.
     *
     * @param uncertaintyMicros half of the round trip, and the precision of the node's answer
     */
    record Difference(String node, long nodeMicros, long micros, long uncertaintyMicros) {
        static Difference of(String node, long sentMicros, long nodeMicros, long receivedMicros) {
            long half = (receivedMicros - sentMicros) / 2;
            return new Difference(node, nodeMicros, sentMicros + half - nodeMicros, half + UUID_PRECISION_MICROS);
        }

        /** The smallest difference that the uncertainty allows. */
        long atLeastMicros() {
            return Math.max(0, Math.abs(micros) - uncertaintyMicros);
        }

        /**
         * Warns if the clocks differ by more than {@link #WARN_MICROS}.
         *
         * @param remedy how the user gives a write time, for the message
         * @throws OverdriveException of kind CONNECT if they differ by more than {@link #MAX_DIFFERENCE_MICROS}: rows would be
         *     hidden
         */
        void judge(MessageText remedy) {
            if (atLeastMicros() <= WARN_MICROS) {
                return;
            }
            boolean behind = micros < 0;
            String seconds = seconds(Math.abs(micros));
            String clocks = "the clock of this machine is " + seconds + (behind ? " behind" : " ahead of")
                    + " that of node " + node + ": ";
            if (atLeastMicros() > MAX_DIFFERENCE_MICROS) {
                throw new OverdriveException(
                        Kind.CONNECT,
                        words -> clocks
                                + (behind
                                        ? "rows would be acknowledged, but hidden by anything that was written to them"
                                                + " in the last"
                                        : "other programs' writes to the same rows would be acknowledged, but hidden"
                                                + " by this run for")
                                + " " + seconds + "; set the clock, or " + remedy.in(words) + "; the node's clock is"
                                + " at " + nodeMicros + " microseconds since 1970");
            }
            LOG.warn(
                    "{}{}; synchronize the clocks",
                    clocks,
                    behind
                            ? "other programs' writes to the same rows in the last " + seconds + " win over this run"
                            : "other programs' writes to the same rows within " + seconds
                                    + " after this run are hidden");
        }
    }

    /** Asks up to 8 nodes for their time, and judges the largest difference. Nodes that do not answer are left out. */
    public void compare(CqlSession session, MessageText remedy) {
        differences(session, MAX_NODES).stream()
                .max(Comparator.comparingLong(Difference::atLeastMicros))
                .ifPresent(difference -> difference.judge(remedy));
    }

    /** The earliest of the times of this clock and of all nodes that requests go to. Nodes that do not answer are left out. */
    public long earliest(CqlSession session) {
        return differences(session, Integer.MAX_VALUE).stream()
                .mapToLong(Difference::nodeMicros)
                .reduce(now(), Math::min);
    }

    /** Differences to the clocks of the nodes that answer. */
    private List<Difference> differences(CqlSession session, int maxNodes) {
        List<CompletableFuture<Difference>> answers = new ArrayList<>();
        session.getMetadata().getNodes().values().stream()
                .filter(node -> node.getDistance() == NodeDistance.LOCAL && node.getState() == NodeState.UP)
                .limit(maxNodes)
                .forEach(node -> answers.add(query(session, node)));
        try {
            CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                    .get(NODE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("not all nodes reported their time", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OverdriveException(Kind.INTERRUPTED, "interrupted while asking nodes for their time", e);
        }
        return answers.stream().map(WriteClock::answer).filter(Objects::nonNull).toList();
    }

    private CompletableFuture<Difference> query(CqlSession session, Node node) {
        SimpleStatement statement = SimpleStatement.newInstance("SELECT now() FROM system.local")
                .setNode(node)
                .setConsistencyLevel(DefaultConsistencyLevel.ONE);
        long sent = now();
        return session.executeAsync(statement).toCompletableFuture().thenApply(rows -> {
            UUID time =
                    Objects.requireNonNull(Objects.requireNonNull(rows.one()).getUuid(0));
            return Difference.of(NodeName.of(node), sent, (time.timestamp() - UUID_EPOCH) / 10, now());
        });
    }

    private static @Nullable Difference answer(CompletableFuture<Difference> answer) {
        try {
            return answer.getNow(null);
        } catch (CompletionException e) {
            return null; // no answer, no difference
        }
    }

    /** How far a write time is in the future. */
    public Duration ahead(long writeTime) {
        return Duration.of(Math.max(0, writeTime - now()), ChronoUnit.MICROS);
    }

    /**
     * Waits until a write time has passed, so that later writes are newer: at most 10 s, with a warning if it is more than one.
     * A write time that is further ahead comes from the user's timestamp or the program's own positions: that is only warned of.
     */
    public void awaitPast(String table, long writeTime) {
        long micros = writeTime - now() + 1;
        if (micros > MAX_WAIT_MICROS) {
            LOG.warn(
                    "[{}] the last write time is {} in the future: until then, other writes to these rows are"
                            + " acknowledged and have no effect",
                    table,
                    seconds(micros));
            return;
        }
        if (micros > MICROS_PER_SECOND) {
            LOG.warn("[{}] waiting {} until the last write time has passed", table, seconds(micros));
        }
        try {
            while (micros > 0) {
                sleep.micros(micros);
                micros = writeTime - now() + 1;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OverdriveException(
                    Kind.INTERRUPTED,
                    "[" + table + "] all rows are written, but the last write time is still " + seconds(micros)
                            + " in the future",
                    e);
        }
    }

    private static String seconds(long micros) {
        return String.format(Locale.ROOT, "%.1f s", micros / (double) MICROS_PER_SECOND);
    }
}
