package io.overdrive.internal.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.overdrive.FlowDecision;
import io.overdrive.InFlightControl;
import io.overdrive.OneCaseIn;
import io.overdrive.internal.flow.FlowSimulation.Client;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.DoubleFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The controllers against simulated nodes, in virtual time. */
class FlowSimulationTest {
    private static final int MAX_REQUESTS = FlowComparison.MAX_REQUESTS;
    /** The rate that 8 workers with 4 ms each can sustain with the other users, who take 0.3 of one. */
    private static final double CAPACITY = (8 - 0.3) / 0.004;

    private static @Nullable DoubleFunction<LimitController> controllers(InFlightControl control) {
        return FlowComparison.controllers(control);
    }

    private static Client roundTrips(FlowSimulation simulation) {
        return simulation.client(controllers(InFlightControl.ROUND_TRIPS), MAX_REQUESTS);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void reachesAlmostAllThroughputWithin30SecondsWithAShortQueue(long seed) {
        FlowSimulation simulation = new FlowSimulation(seed);
        Client client = roundTrips(simulation);
        simulation.run();
        assertThat(client.rate(30, 120)).isGreaterThan(0.95 * CAPACITY);
        assertThat(client.bytesInFlight(30, 120) / 8192).as("requests").isBetween(8.0, 40.0);
        assertThat(simulation.others(99, 30, 120)).isLessThan(0.030);
    }

    @ParameterizedTest
    @EnumSource
    @OneCaseIn(5)
    void staysWithinTheBoundsWhateverHappens(InFlightControl control) {
        for (long seed = 1; seed <= 3; seed++) {
            FlowSimulation simulation = new FlowSimulation(seed);
            simulation.seconds = 60;
            long chaos = seed;
            simulation.workers = now -> now > 40 ? 8 : 1 + ((long) now * 31 + chaos) % 11;
            simulation.requestBytes = now -> now > 40 ? 8192 : 100 << ((long) (now / 7) + chaos) % 10;
            simulation.othersPerSecond = now -> now <= 40 && ((long) now + chaos) % 13 < 3 ? 3_000 : 100;
            simulation.refusesAbove = seed % 2 == 0 ? 50 : Integer.MAX_VALUE;
            simulation.outage = new double[] {20, 20 + 2 * seed};
            Client client = simulation.client(controllers(control), MAX_REQUESTS);
            simulation.run();
            for (FlowDecision decision : client.decisions) {
                assertThat(decision.limit()).as(decision.toString()).isBetween((long) Gate.REQUEST_COST, (long)
                        FlowComparison.MAX_COST);
            }
            if (control != InFlightControl.FIXED) { // which never recovers: all its requests time out in the queue
                assertThat(client.rate(50, 60)).as("continues").isGreaterThan(100);
            }
        }
    }

    @Test
    @Tag("nightly")
    void doesNotDriftInAnHour() {
        FlowSimulation simulation = new FlowSimulation(1);
        simulation.seconds = 3600;
        simulation.workers = now -> 2; // fewer events
        Client client = roundTrips(simulation);
        simulation.run();
        double early = client.bytesInFlight(300, 900);
        assertThat(client.bytesInFlight(3000, 3600)).isCloseTo(early, within(0.15 * early));
    }

    @Test
    void recoversFromABurstOfOthersAndLetsThemThrough() {
        FlowSimulation simulation = new FlowSimulation(2);
        simulation.othersPerSecond = now -> now >= 40 && now < 80 ? 1200 : 300;
        Client client = roundTrips(simulation);
        simulation.run();
        assertThat(simulation.others(99, 43, 80)).isLessThan(0.070);
        assertThat(client.rate(83, 120)).isGreaterThan(0.95 * CAPACITY);
    }

    @Test
    void followsLostCapacity() {
        FlowSimulation simulation = new FlowSimulation(2);
        simulation.workers = now -> now >= 40 && now < 80 ? 4 : 8;
        Client client = roundTrips(simulation);
        simulation.run();
        assertThat(simulation.others(99, 43, 80)).isLessThan(0.080);
        assertThat(client.rate(43, 80)).isGreaterThan(0.93 * (4 - 0.3) / 0.004);
        assertThat(client.rate(90, 120)).isGreaterThan(0.95 * CAPACITY);
    }

    private static SizeSearch sizes() {
        return new SizeSearch(8192, 2048, 1 << 17, "bytes", /* isFromEarlierRun */ false);
    }

    /** The cost of a request in addition to its bytes makes large ones better, and from some size on, queues for memory make them worse. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    @OneCaseIn(3)
    void findsTheBestSizeOfRequests(long seed) {
        FlowSimulation simulation = new FlowSimulation(seed);
        simulation.seconds = 300;
        simulation.serviceTime = bytes -> 0.002 + 0.002 * bytes / 8192 * (bytes > 50_000 ? 2 : 1);
        Client client = roundTrips(simulation);
        client.limiter.findSizes(sizes(), /* ofSplits */ null);
        simulation.requestBytes = now -> client.limiter.requestBytes();
        simulation.run();
        double first = 8192 * (8 - 0.3) / simulation.serviceTime.applyAsDouble(8192);
        assertThat(client.limiter.requestBytes()).isBetween(16_384, 65_536);
        assertThat(client.bytesPerSecond(240, 300)).isGreaterThan(1.4 * first);
    }

    @Test
    void staysAtItsSizeIfAllAreAlike() {
        FlowSimulation simulation = new FlowSimulation(1);
        simulation.seconds = 300;
        Client client = roundTrips(simulation);
        client.limiter.findSizes(sizes(), /* ofSplits */ null);
        simulation.requestBytes = now -> client.limiter.requestBytes();
        simulation.run();
        assertThat(client.limiter.requestBytes()).isEqualTo(8192);
        assertThat(client.bytesPerSecond(30, 300)).isGreaterThan(0.93 * 8192 * CAPACITY);
    }

    @Test
    void twoClientsShareFairly() {
        FlowSimulation simulation = new FlowSimulation(3);
        Client first = roundTrips(simulation);
        Client second = roundTrips(simulation);
        simulation.run();
        double share = first.rate(60, 120) / (first.rate(60, 120) + second.rate(60, 120));
        assertThat(share).isBetween(0.3, 0.7);
        assertThat(first.rate(60, 120) + second.rate(60, 120)).isGreaterThan(0.95 * CAPACITY);
    }

    @Test
    void doesNotTakeLargerRequestsForCongestion() {
        FlowSimulation simulation = new FlowSimulation(4);
        simulation.requestBytes = now -> now < 60 ? 8192 : 65536;
        Client client = roundTrips(simulation);
        simulation.run();
        assertThat(8 * client.rate(75, 120)).as("in units of 8 KiB").isGreaterThan(0.9 * CAPACITY);
    }

    @Test
    void doesNotGrowWhileTheInputIsSlow() {
        FlowSimulation simulation = new FlowSimulation(5);
        simulation.offeredPerSecond = now -> now < 60 ? 200 : Double.POSITIVE_INFINITY;
        Client client = roundTrips(simulation);
        simulation.run();
        assertThat(client.decisions.stream()
                        .filter(d -> d.at().toSeconds() < 60)
                        .mapToLong(FlowDecision::limit)
                        .max()
                        .orElseThrow())
                .isLessThan(512 << 10);
        assertThat(client.rate(75, 120)).isGreaterThan(0.95 * CAPACITY);
    }

    @Test
    void backsOffFromANodeThatRefuses() {
        FlowSimulation simulation = new FlowSimulation(6);
        simulation.refusesAbove = 10; // before round trips show much
        Client client = roundTrips(simulation);
        simulation.run();
        assertThat(client.failures).as("refused").isLessThan((long) (0.02 * client.answered.size()));
        assertThat(client.rate(30, 120)).isGreaterThan(0.8 * CAPACITY);
    }

    @Test
    void probesANodeThatDoesNotAnswerGentlyUntilItIsBack() {
        FlowSimulation simulation = new FlowSimulation(7);
        simulation.outage = new double[] {40, 60};
        Client client = roundTrips(simulation);
        simulation.run();
        assertThat(client.bytesInFlight(52, 60) / 8192).as("requests").isLessThan(2);
        assertThat(client.rate(70, 120)).isGreaterThan(0.95 * CAPACITY);
    }

    /** A quota of the processor, 3 ms in each 60: all round trips are long then, whatever is in flight. */
    private static double inSlices(double now) {
        double slice = Math.floor(now / 0.06) * 0.06;
        return now < 40 || now >= 80 || now - slice < 0.003 ? now : slice + 0.06;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    @OneCaseIn(3)
    void keepsItsRateWhileTheClientGetsLittleOfTheProcessor(long seed) {
        FlowSimulation simulation = new FlowSimulation(seed);
        simulation.clientRuns = FlowSimulationTest::inSlices;
        Client client = roundTrips(simulation);
        simulation.run();
        FlowSimulation fixed = new FlowSimulation(seed);
        fixed.clientRuns = simulation.clientRuns;
        Client sixteen = fixed.client(/* controllers */ null, 16);
        fixed.run();
        assertThat(client.rate(45, 80)).as("beside others").isGreaterThan(sixteen.rate(45, 80));
        assertThat(client.rate(83, 120)).as("afterwards").isGreaterThan(0.95 * CAPACITY);
        assertThat(client.bytesInFlight(105, 120) / 8192)
                .as("requests afterwards")
                .isLessThan(60);
    }

    /** A paced job on a machine where after a quiet start each round trip takes 100 ms. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void keepsThePaceOfASlowJobWhenTheMachineGetsBusy(long seed) {
        FlowSimulation simulation = new FlowSimulation(seed);
        simulation.requestBytes = now -> 100;
        simulation.serviceTime = bytes -> 0.0003;
        simulation.offeredPerSecond = now -> 700;
        simulation.delay = now -> now < 35 ? 0 : 0.1;
        Client client = roundTrips(simulation);
        simulation.run();
        assertThat(client.rate(40, 120)).isGreaterThan(0.95 * 700);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    @OneCaseIn(3)
    void isBackWithinSecondsAfterAPauseOfTheClient(long seed) {
        FlowSimulation simulation = new FlowSimulation(seed);
        simulation.timeout = 15;
        simulation.clientRuns = now -> now >= 40 && now < 46 ? 46 : now;
        Client client = roundTrips(simulation);
        simulation.run();
        assertThat(client.rate(47, 60)).isGreaterThan(0.9 * CAPACITY);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void isBackWithinSecondsAfterFourBrokenConnections(long seed) {
        FlowSimulation simulation = new FlowSimulation(seed);
        simulation.breaks = new double[] {40, 42, 44, 46};
        Client client = roundTrips(simulation);
        simulation.run();
        assertThat(client.rate(50, 60)).isGreaterThan(0.9 * CAPACITY);
    }

    /** The machine is busy as well: round trips vary by a factor of twenty from second to second. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void doesNotFallToASingleRequestAfterBrokenConnectionsOnABusyMachine(long seed) {
        FlowSimulation simulation = new FlowSimulation(seed);
        simulation.breaks = new double[] {40, 42, 44, 46};
        simulation.delay = now -> now < 38 ? 0 : 0.01 + 0.09 * (Math.floorMod((long) now * 7919, 11) / 10.0);
        Client client = roundTrips(simulation);
        simulation.run();
        FlowSimulation fixed = new FlowSimulation(seed);
        fixed.breaks = simulation.breaks;
        fixed.delay = simulation.delay;
        Client sixteen = fixed.client(/* controllers */ null, 16);
        fixed.run();
        assertThat(client.rate(50, 120)).isGreaterThan(sixteen.rate(50, 120));
    }

    /**
     * One worker whose cost of a request falls with those that wait, as they are read and answered together: 60 us alone, 15 us among
     * hundreds. No other users.
     */
    private static FlowSimulation batchingNode(long seed) {
        FlowSimulation simulation = new FlowSimulation(seed);
        simulation.seconds = 20;
        simulation.offeredPerSecond = now -> now < 5 ? 500 : Double.POSITIVE_INFINITY; // short round trips at first
        simulation.workers = now -> 1;
        simulation.requestBytes = now -> 100;
        simulation.serviceTime = bytes -> 0.00006;
        simulation.slowdownPercent = waiting -> 25 + 75 * 8 / (8 + waiting);
        simulation.othersPerSecond = now -> 0;
        return simulation;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    @OneCaseIn(3)
    void growsWhileThroughputFollowsOnANodeThatHandlesRequestsTogether(long seed) {
        FlowSimulation adaptive = batchingNode(seed);
        Client client = roundTrips(adaptive);
        adaptive.run();
        FlowSimulation fixed = batchingNode(seed);
        Client all = fixed.client(/* controllers */ null, 512);
        fixed.run();
        assertThat(client.rate(10, 20)).isGreaterThan(0.9 * all.rate(10, 20));
    }

    /** More in flight gives no throughput here, so a node that answers in a millisecond stays as fast for its other users. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    @OneCaseIn(3)
    void leavesAFastNodeFastForOthersWhereMoreInFlightGivesNothing(long seed) {
        FlowSimulation simulation = new FlowSimulation(seed);
        simulation.requestBytes = now -> 100;
        simulation.serviceTime = bytes -> 0.0008;
        Client client = roundTrips(simulation);
        simulation.run();
        double capacity = (8 - 0.3) / 0.0008;
        assertThat(client.rate(10, 120)).isGreaterThan(0.93 * capacity);
        assertThat(simulation.others(95, 60, 120)).isLessThan(0.010);
        assertThat(simulation.others(50, 60, 120)).isLessThan(0.0045);
    }

    @Test
    void moreFailuresNeverLeadToAHigherLimit() {
        for (int failed = 1; failed <= 1000; failed *= 3) {
            RoundTripController few = settled();
            RoundTripController many = settled();
            double fewer = few.next(window(1000 - failed, failed), false).limit();
            double more = many.next(window(1000 - Math.min(1000, 2 * failed), Math.min(1000, 2 * failed)), false)
                    .limit();
            assertThat(more).isLessThanOrEqualTo(fewer);
        }
    }

    private static RoundTripController settled() {
        RoundTripController controller = new RoundTripController(128 << 10, 1024, 64 << 20);
        for (int i = 0; i < 20; i++) {
            controller.next(window(1000, 0), true);
        }
        return controller;
    }

    private static Window window(long answered, long failed) {
        return new Window(
                TimeUnit.SECONDS.toNanos(1),
                answered + failed,
                failed,
                0,
                0,
                answered * 9216,
                answered == 0 ? 0 : TimeUnit.MILLISECONDS.toNanos(5),
                200_000,
                true);
    }

    @Test
    void hasTheThroughputOfManyInFlightWithATenthOfTheirLatency() {
        Consumer<FlowSimulation> burst = s -> s.othersPerSecond = now -> now >= 40 && now < 80 ? 1200 : 300;
        FlowSimulation ours = FlowComparison.run(controllers(InFlightControl.ROUND_TRIPS), MAX_REQUESTS, s -> {});
        FlowSimulation fixed = FlowComparison.run(null, MAX_REQUESTS, s -> {});
        FlowSimulation oursInBurst = FlowComparison.run(controllers(InFlightControl.ROUND_TRIPS), MAX_REQUESTS, burst);
        FlowSimulation fixedInBurst = FlowComparison.run(null, MAX_REQUESTS, burst);
        assertThat(ours.rate(30, 120)).isGreaterThan(0.95 * fixed.rate(30, 120));
        assertThat(ours.others(99, 30, 120)).isLessThan(0.1 * fixed.others(99, 30, 120));
        assertThat(oursInBurst.others(99, 40, 80)).isLessThan(0.1 * fixedInBurst.others(99, 40, 80));
    }
}
