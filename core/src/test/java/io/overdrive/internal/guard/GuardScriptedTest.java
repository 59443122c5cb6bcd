package io.overdrive.internal.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.request.Query;
import io.overdrive.GuardLimit;
import io.overdrive.GuardTotals;
import io.overdrive.OverdriveException;
import io.overdrive.internal.wire.ScriptedTransport;
import io.overdrive.internal.wire.ScriptedTransport.Sent;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The guard and its probes against scripted nodes, in virtual time. */
class GuardScriptedTest {
    private static final CqlIdentifier SHOP = CqlIdentifier.fromInternal("shop");
    private static final CqlIdentifier ORDERS = CqlIdentifier.fromInternal("orders");
    private static final CqlIdentifier CARTS = CqlIdentifier.fromInternal("carts");

    private ScriptedTransport transport = new ScriptedTransport(2);
    private final List<Double> shares = new ArrayList<>();
    private final List<String> sampled = new ArrayList<>();
    private final List<Node> asked = new ArrayList<>();
    private final ArrayDeque<InFlight> inFlight = new ArrayDeque<>();
    private NodeFigures figures = new NodeFigures(0, 0, 0, null);
    /** Works in use; the guard does not keep them. */
    private final List<Guard.Work> works = new ArrayList<>();

    private int sessions;
    private boolean isClosed;
    private boolean isEmpty;
    private boolean askingFails;
    private boolean transportFails;
    private Runnable whenSampled = () -> {};
    private Runnable whenClosed = () -> {};
    private long millis;

    private record InFlight(Sent probe, long sinceMillis) {
        void answer() {
            probe.answer(ScriptedTransport.page(null));
        }
    }

    private final ProbeSession session = new ProbeSession() {
        @Override
        public ScriptedTransport transport() {
            if (transportFails) {
                throw new IllegalStateException("no transport");
            }
            return transport;
        }

        @Override
        public ProbeReads sample(CqlIdentifier keyspace, CqlIdentifier table) {
            sampled.add(table.asInternal());
            whenSampled.run();
            if (isEmpty) {
                return ProbeReads.SYSTEM;
            }
            return new ProbeReads(
                    List.of(new Query("read 1 of " + table), new Query("read 2 of " + table)), keyspace + "." + table);
        }

        @Override
        public void figures(Node node, Consumer<NodeFigures> taker) {
            asked.add(node);
            if (askingFails) {
                throw new IllegalStateException("no figures");
            }
            taker.accept(figures);
        }

        @Override
        public void close() {
            isClosed = true;
            whenClosed.run();
        }
    };

    private Guard guard(String limit) {
        return new Guard(GuardLimit.parse(limit), () -> {
            sessions++;
            return session;
        });
    }

    private Guard.Work start(Guard guard) {
        Guard.Work work = guard.register(SHOP, ORDERS, shares::add);
        works.add(work);
        work.start();
        return work;
    }

    /** Answers each probe after this many milliseconds. */
    private void run(double seconds, int latencyMillis) {
        run(seconds, latencyMillis, InFlight::answer);
    }

    private void run(double seconds, int latencyMillis, Consumer<InFlight> end) {
        for (long until = millis + (long) (seconds * 1000); millis < until; ) {
            transport.pass(Duration.ofMillis(1));
            millis++;
            while (!transport.sent.isEmpty()) {
                inFlight.add(new InFlight(transport.next(), millis));
            }
            while (!inFlight.isEmpty() && inFlight.element().sinceMillis + latencyMillis <= millis) {
                end.accept(inFlight.remove());
            }
        }
    }

    private static GuardTotals totals(Guard guard) {
        return guard.totals().orElseThrow();
    }

    private double share() {
        return shares.get(shares.size() - 1);
    }

    @Test
    void sendsNothingBeforeTheFirstBulkRequest() {
        try (Guard guard = guard("p99=20ms")) {
            Guard.Work work = guard.register(SHOP, ORDERS, shares::add);
            run(14, 2);
            assertThat(sessions).isZero();
            assertThat(shares).isEmpty();
            assertThat(guard.totals()).isEmpty();
            work.close();
        }
    }

    @Test
    void probesEachNodeFiftyTimesASecondWithTheKeysInTurn() {
        try (Guard guard = guard("p99=20ms")) {
            start(guard);
            List<Sent> probes = new ArrayList<>();
            run(10, 2, ended -> {
                probes.add(ended.probe);
                ended.answer();
            });
            assertThat(probes).hasSizeBetween(995, 1001);
            for (int node = 0; node < 2; node++) {
                Node to = transport.node(node);
                List<String> reads = probes.stream()
                        .filter(probe -> probe.node() == to)
                        .map(probe -> probe.message() instanceof Query query ? query.query : "")
                        .toList();
                assertThat(reads).hasSizeBetween(497, 501);
                assertThat(reads.stream().filter("read 1 of orders"::equals)).hasSizeBetween(248, 251);
            }
        }
    }

    @Test
    void startsAtOnceWithALimitThatIsATimeAndLetsBulkWorkRiseToItsWholeShare() {
        try (Guard guard = guard("p99=20ms")) {
            start(guard);
            assertThat(shares).containsExactly(GuardController.FIRST_SHARE, GuardController.FIRST_SHARE);
            run(4, 2);
            assertThat(totals(guard).reason()).startsWith("at the start, p99 ").endsWith(" ms, limit 20 ms");
            run(10, 2);
            assertThat(share()).isEqualTo(1);
            GuardTotals totals = totals(guard);
            assertThat(totals.limit()).isEqualTo(Duration.ofMillis(20));
            assertThat(totals.p99()).isBetween(Duration.ofMillis(2), Duration.ofMillis(3));
            assertThat(totals.reason()).isNull();
            assertThat(totals.lowestShare()).isEqualTo(1);
            assertThat(totals.heldBack()).isZero();
            assertThat(totals.latency().p50()).isBetween(Duration.ofMillis(2), Duration.ofMillis(3));
            assertThat(totals.probed()).isEqualTo("shop.orders");
        }
    }

    @Test
    void cutsTheShareWhenProbesAreSlowAndSaysWhy() {
        try (Guard guard = guard("p99=20ms")) {
            start(guard);
            run(14, 2);
            run(8, 30);
            assertThat(share()).isLessThan(0.5);
            GuardTotals totals = totals(guard);
            assertThat(totals.share()).isEqualTo(share());
            assertThat(totals.lowestShare()).isEqualTo(share());
            assertThat(totals.reason()).startsWith("p99 3").endsWith(" ms, limit 20 ms");
            assertThat(totals.windowsAbove()).isBetween(3L, 4L);
            assertThat(totals.heldBack()).isBetween(Duration.ofSeconds(3), Duration.ofSeconds(6));
            assertThat(totals.elapsed()).isEqualTo(Duration.ofSeconds(22));
            double cut = share();
            run(60, 2);
            assertThat(share()).isGreaterThan(1.5 * cut);
        }
    }

    @Test
    void countsProbesWithoutAnAnswerWithTheirAge() {
        try (Guard guard = guard("p99=20ms")) {
            start(guard);
            run(14, 2);
            run(4, 1_000_000);
            assertThat(share()).isLessThan(0.25);
            assertThat(totals(guard).p99()).isBetween(Duration.ofMillis(1900), Duration.ofMillis(4000));
        }
    }

    @Test
    void seesAStallOfOneNodeInTheProbesThatWereDueInIt() {
        try (Guard guard = guard("p99=20ms")) {
            start(guard);
            run(15, 2);
            for (int n = 0; n < 500; n++) { // one node answers nothing for half a second
                transport.pass(Duration.ofMillis(1));
                millis++;
                for (int waiting = transport.sent.size(); waiting > 0; waiting--) {
                    Sent probe = transport.next();
                    if (probe.node() == transport.node(0)) {
                        inFlight.add(new InFlight(probe, millis));
                    } else {
                        new InFlight(probe, millis).answer();
                    }
                }
            }
            inFlight.forEach(InFlight::answer);
            inFlight.clear();
            run(1.6, 2);
            assertThat(totals(guard).p99()).isGreaterThan(Duration.ofMillis(450));
        }
    }

    @Test
    void givesEachDecisionToAHandler() {
        try (Guard guard = guard("p99=20ms")) {
            List<GuardTotals> decisions = new ArrayList<>();
            guard.onDecision(decisions::add);
            start(guard);
            run(9.5, 30);
            assertThat(decisions).hasSize(4);
            assertThat(decisions.get(3)).extracting(GuardTotals::share).isEqualTo(share());
        }
    }

    @Test
    void measuresBeforeTheJobIfTheLimitIsRelative() {
        try (Guard guard = guard("1.5x")) {
            start(guard);
            run(0.5, 10);
            assertThat(totals(guard).reason()).isEqualTo("measuring the latency before the job, for 11 s");
            run(11, 10);
            GuardTotals totals = totals(guard);
            assertThat(totals.baseline()).isBetween(Duration.ofMillis(10), Duration.ofMillis(11));
            assertThat(totals.limit().toNanos())
                    .isEqualTo(Math.round(totals.baseline().toNanos() * 1.5));
            run(14, 12);
            assertThat(share()).isEqualTo(1);
            run(10, 20);
            assertThat(share()).isLessThan(0.6);
        }
    }

    @Test
    void holdsBackForTheMeanAsWellIfTheLimitIsRelative() {
        try (Guard guard = guard("1.5x")) {
            start(guard);
            run(1, 10);
            for (int n = 0; n < 5; n++) {
                run(1.94, 10);
                run(0.06, 100);
            }
            GuardTotals before = totals(guard);
            assertThat(before.limit()).isBetween(Duration.ofMillis(70), Duration.ofMillis(160));
            assertThat(before.meanLimit()).isBetween(Duration.ofMillis(16), Duration.ofMillis(22));
            run(14, 12);
            assertThat(share()).isEqualTo(1);
            run(10, 40);
            assertThat(share()).isLessThan(0.5);
            assertThat(totals(guard).reason()).matches("mean 4[01] ms, limit (?:1[6-9]|2[0-2]) ms");
        }
    }

    @Test
    void aPauseBeforeTheJobDoesNotWidenARelativeLimit() {
        try (Guard guard = guard("1.5x")) {
            start(guard);
            run(2.5, 200);
            run(9.5, 10);
            assertThat(totals(guard).baseline()).isBetween(Duration.ofMillis(10), Duration.ofMillis(11));
        }
    }

    @Test
    void aJobWaitsUntilTheLatencyBeforeItIsKnownIfTheLimitIsRelative() throws InterruptedException {
        try (Guard guard = guard("1.5x")) {
            Guard.Work work = guard.register(SHOP, ORDERS, shares::add);
            Thread job = new Thread(work::begin);
            job.start();
            while (job.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            run(10.5, 10);
            assertThat(job.isAlive()).isTrue();
            run(1, 10);
            job.join();
            assertThat(totals(guard).limit()).isPositive();
        }
    }

    @Test
    void allowsAMillisecondMoreThanAVeryShortBaseline() {
        try (Guard guard = guard("1.1x")) {
            start(guard);
            run(12, 1);
            GuardTotals totals = totals(guard);
            assertThat(totals.limit()).isEqualTo(totals.baseline().plusMillis(1));
        }
    }

    @Test
    void failsTheJobIfItsBaselineCannotBeMeasured() {
        try (Guard guard = guard("1.5x")) {
            start(guard);
            run(12, 1, ended -> ended.probe.refuse(ErrorCode.UNAUTHORIZED, "no SELECT for you"));
            assertThatThrownBy(guard::awaitBaseline)
                    .isInstanceOf(OverdriveException.class)
                    .hasMessageContaining("the latency before the job cannot be measured: no SELECT for you; give a");
        }
    }

    @Test
    void halvesTheShareWhileProbesFailAndWhileANodeIsInTrouble() {
        try (Guard guard = guard("p99=20ms")) {
            start(guard);
            run(14, 2);
            run(10, 2, ended -> ended.probe.refuse(ErrorCode.OVERLOADED, "too busy"));
            assertThat(share()).isEqualTo(0.5);
            assertThat(totals(guard).reason()).isEqualTo("probes fail (too busy)");
            assertThat(totals(guard).probesFailed()).isPositive();
            run(60, 2);
            assertThat(share()).isEqualTo(1);
            figures = new NodeFigures(1, 0, 0, null);
            run(14, 2);
            assertThat(share()).isEqualTo(0.5);
            assertThat(totals(guard).reason())
                    .matches("p99 \\d\\.\\d ms, limit 20 ms; 10\\.0\\.0\\.1:9042 drops messages of other nodes");
            run(60, 2);
            assertThat(share()).isEqualTo(1);
        }
    }

    @Test
    void asksEachNodeForItsFiguresInEachThirdWindow() {
        try (Guard guard = guard("p99=20ms")) {
            start(guard);
            run(3.5, 2);
            assertThat(asked).containsExactlyInAnyOrder(transport.node(0), transport.node(1));
            run(12, 2);
            assertThat(asked).hasSize(6);
        }
    }

    @Test
    void saysThatBulkWorkIsNotTheCauseIfLatencyStaysBadAtTheFloor() {
        try (Guard guard = guard("p99=20ms")) {
            start(guard);
            run(60, 200);
            GuardTotals totals = totals(guard);
            assertThat(totals.share()).isEqualTo(GuardController.FLOOR);
            assertThat(totals.notTheCause()).isTrue();
            assertThat(totals.reason()).endsWith("; bulk work is at its minimum, so it is not the cause");
        }
    }

    @Test
    void probesNodesThatAreUpOnly() {
        try (Guard guard = guard("p99=20ms")) {
            start(guard);
            run(14, 2);
            transport.setState(1, NodeState.DOWN);
            run(2, 2);
            long before = totals(guard).probes();
            run(2, 2, ended -> {
                assertThat(ended.probe.node()).isSameAs(transport.node(0));
                ended.answer();
            });
            assertThat(totals(guard).probes() - before).isBetween(98L, 102L);
            assertThat(share()).isEqualTo(1);
        }
    }

    @Test
    void restsWhenTheLastWorkHasEndedAndWakesWithTheNext() {
        try (Guard guard = guard("p99=20ms")) {
            Guard.Work work = start(guard);
            run(4, 2);
            work.close();
            run(4, 2);
            long probes = totals(guard).probes();
            run(60, 2);
            assertThat(totals(guard).probes()).isEqualTo(probes);
            assertThat(transport.scheduledTasks()).isZero();
            start(guard);
            run(4, 2);
            assertThat(totals(guard).probes()).isGreaterThan(probes);
            assertThat(sessions).isEqualTo(1);
            assertThat(sampled).containsExactly("orders");
        }
        assertThat(isClosed).isTrue();
    }

    /** The work is like a scan that is not closed. */
    @Test
    void restsWhenWorkThatWasNotClosedIsGarbage() {
        try (Guard guard = guard("p99=20ms")) {
            start(guard);
            run(4, 2);
            works.clear();
            long before = 0;
            for (int i = 0; i < 100 && totals(guard).probes() > before; i++) {
                System.gc(); // which work is garbage is known some time later
                before = totals(guard).probes();
                run(4, 2);
            }
            assertThat(totals(guard).probes()).isEqualTo(before);
            assertThat(transport.scheduledTasks()).isZero();
        }
    }

    @Test
    void decidesAgainAfterAnUnexpectedException() {
        try (Guard guard = guard("p99=20ms")) {
            start(guard);
            run(14, 2);
            assertThat(share()).isEqualTo(1);
            askingFails = true;
            for (int i = 0; i < 8 && share() == 1; i++) {
                run(1, 2);
            }
            assertThat(share()).isEqualTo(GuardController.FLOOR);
            assertThat(totals(guard).reason())
                    .isEqualTo("the guard failed: java.lang.IllegalStateException: no figures");
            askingFails = false;
            run(4, 2);
            assertThat(share()).isEqualTo(1);
            assertThat(totals(guard).reason()).isNull();
            start(guard).begin(); // is not refused
        }
    }

    @Test
    void measuresAgainIfTheBaselineEndedWithAnUnexpectedException() {
        try (Guard guard = guard("1.5x")) {
            start(guard);
            transportFails = true;
            run(12, 10);
            transportFails = false;
            assertThatThrownBy(guard::awaitBaseline)
                    .isInstanceOf(OverdriveException.class)
                    .hasMessage("the guard failed: java.lang.IllegalStateException: no transport");
            works.remove(0).close();
            start(guard);
            run(12, 10);
            guard.awaitBaseline();
            assertThat(totals(guard).limit()).isPositive();
        }
    }

    @Test
    void goesOnProbingAfterAnUnexpectedException() {
        try (Guard guard = guard("p99=20ms")) {
            start(guard);
            run(14, 2);
            transport.throwAtNextSend(new IllegalStateException("no buffer"));
            run(0.5, 2);
            assertThat(totals(guard).probesFailed()).isOne();
            while (!inFlight.isEmpty()) {
                run(0.001, 2);
            }
            long before = totals(guard).probes();
            transport.throwAtNextReadingOfTheClock(new IllegalStateException("no clock")); // it is the next probe's
            run(10, 2);
            assertThat(totals(guard).probesFailed()).isEqualTo(2);
            assertThat(totals(guard).probes() - before).isBetween(980L, 1010L);
        }
    }

    @Test
    void probesTickOnceHoweverSoonTheyAreStartedAgain() {
        Probes probes = new Probes(transport, List.of(new Query("read")));
        for (int i = 0; i < 5; i++) {
            probes.start();
            transport.pass(Duration.ofMillis(5));
            probes.stop();
        }
        probes.start();
        transport.pass(Duration.ofSeconds(1));
        assertThat(transport.scheduledTasks()).isOne();
        probes.stop();
    }

    @Test
    void doesNotCountWorkThatEndedBeforeItHadBegun() {
        try (Guard guard = guard("p99=20ms")) {
            Guard.Work work = guard.register(SHOP, ORDERS, shares::add);
            work.close();
            work.start();
            run(10, 2);
            assertThat(totals(guard).probes()).isZero();
            assertThat(transport.scheduledTasks()).isZero();
        }
    }

    @Test
    void closingDoesNotWaitForThreadsThatWaitForTheGuardIfWorkBeginsMeanwhile() {
        Guard guard = guard("p99=20ms");
        whenSampled = guard::close;
        // As the driver does, which waits for its threads, and one of these may bring the figures of a node.
        whenClosed = () -> CompletableFuture.runAsync(guard::totals)
                .orTimeout(10, TimeUnit.SECONDS)
                .join();
        Guard.Work work = guard.register(SHOP, ORDERS, shares::add);
        assertThatThrownBy(work::start).isInstanceOf(OverdriveException.class).hasMessage("the connection is closed");
        assertThat(isClosed).isTrue();
    }

    @Test
    void samplesATableThatWasEmptyWhenTheNextWorkBegins() {
        try (Guard guard = guard("p99=20ms")) {
            isEmpty = true;
            start(guard);
            assertThat(totals(guard).probed()).isEqualTo("system.local");
            isEmpty = false;
            start(guard);
            start(guard);
            assertThat(totals(guard).probed()).isEqualTo("system.local, shop.orders");
            assertThat(sampled).containsExactly("orders", "orders");
        }
    }

    @Test
    void givesTheShareToAllWorkAndProbesAllItsTables() {
        try (Guard guard = guard("p99=20ms")) {
            start(guard);
            run(14, 2);
            List<Double> other = new ArrayList<>();
            Guard.Work work = guard.register(SHOP, CARTS, other::add);
            works.add(work);
            work.start();
            assertThat(other).containsExactly(1.0);
            List<String> reads = new ArrayList<>();
            run(8, 100, ended -> {
                reads.add(ended.probe.message() instanceof Query query ? query.query : "");
                ended.answer();
            });
            assertThat(other.get(other.size() - 1)).isEqualTo(share()).isLessThan(0.5);
            assertThat(reads).contains("read 1 of orders", "read 2 of orders", "read 1 of carts", "read 2 of carts");
            assertThat(totals(guard).probed()).isEqualTo("shop.orders, shop.carts");
        }
    }

    @Test
    void asksEachOfManyNodesForItsSignsWithinAMinute() {
        transport = new ScriptedTransport(400);
        try (Guard guard = guard("p99=20ms")) {
            start(guard);
            run(8, 2);
            assertThat(asked).hasSize(50).doesNotHaveDuplicates();
            run(52, 2);
            assertThat(asked).hasSizeBetween(400, 500);
            assertThat(Set.copyOf(asked)).hasSize(400);
        }
    }

    @Test
    void holdsBackWithinTenSecondsIfAHundredNodesBecomeThreeTimesSlower() {
        transport = new ScriptedTransport(100);
        try (Guard guard = guard("1.5x")) {
            start(guard);
            run(100, 2);
            assertThat(share()).isEqualTo(1);
            run(10, 6);
            assertThat(share()).isLessThan(0.5);
        }
    }
}
