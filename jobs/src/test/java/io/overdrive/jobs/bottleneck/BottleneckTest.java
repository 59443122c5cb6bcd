package io.overdrive.jobs.bottleneck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.overdrive.internal.flow.JobTimes;
import io.overdrive.internal.flow.Waits;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A second of four threads on four processors. */
class BottleneckTest {
    private static final long MILLIS = 1_000_000;
    private static final int THREADS = 4;

    /** Measurements; times in milliseconds. */
    private static final class Figures {
        long threads = 4000;
        long input;
        long output;
        long spill;
        long imports;
        long cpu = 1000;
        long machine = 1200;
        long gc = 20;
        boolean isRead;
        long paced;
        long heldBack;
        long disk;
        long answers;
        long queuedHeldBack;
        final List<Waits.Node> nodes = new ArrayList<>();
        List<Long> places = new ArrayList<>(Collections.nCopies(100, 10L));

        /**
         * @param permits threads waited for it
         * @param roundTrip of its requests
         */
        void node(long permits, long roundTrip, double empty) {
            long requests = roundTrip == 0 ? 0 : 100;
            nodes.add(new Waits.Node(
                    "10.0.0." + (nodes.size() + 1) + ":9042",
                    permits * MILLIS,
                    /* queuedNanos */ 0,
                    requests * roundTrip * MILLIS,
                    requests,
                    requests * roundTrip * MILLIS,
                    (long) (empty * MILLIS),
                    Math.min(1, empty / Math.max(1, roundTrip))));
        }

        /**
         * One of which no request has ended.
         *
         * @param permits threads waited for it
         * @param queued pages waited for the same
         * @param inFlight all requests taken together
         */
        void node(long permits, long queued, long inFlight, double empty) {
            nodes.add(new Waits.Node(
                    "10.0.0." + (nodes.size() + 1) + ":9042",
                    permits * MILLIS,
                    queued * MILLIS,
                    inFlight * MILLIS,
                    /* requests */ 0,
                    /* endedNanos */ 0,
                    (long) (empty * MILLIS),
                    0));
        }

        void nodes(long permits) {
            node(permits / 3, 10, 0.5);
            node(permits / 3, 12, 0.5);
            node(permits / 3, 11, 0.5);
        }

        Span span() {
            Waits waits = new Waits(
                    isRead,
                    isRead ? threads * MILLIS : 0,
                    paced * MILLIS,
                    heldBack * MILLIS,
                    disk * MILLIS,
                    answers * MILLIS,
                    queuedHeldBack * MILLIS,
                    nodes,
                    places);
            return new Span(
                    1000 * MILLIS,
                    new JobTimes(
                            threads * MILLIS,
                            input * MILLIS,
                            output * MILLIS,
                            spill * MILLIS,
                            imports * MILLIS,
                            List.of(waits)),
                    cpu * MILLIS,
                    machine * MILLIS,
                    gc * MILLIS,
                    THREADS);
        }

        Bottleneck found() {
            Span span = span();
            return Objects.requireNonNull(Bottleneck.of(Attribution.of(span), span));
        }
    }

    private static Bottleneck of(Consumer<Figures> change) {
        Figures figures = new Figures();
        change.accept(figures);
        return figures.found();
    }

    private static void silentNodeOfALoad(Figures f) {
        f.threads = 2000;
        f.cpu = 60;
        f.machine = 4000;
        f.gc = 0;
        f.node(0, 0, 0, 261);
        f.node(2000, 0, 116_018, 2490);
        f.node(0, 0, 0, 180);
    }

    /** Each cause as the bottleneck, and what is said about it. */
    private enum Case {
        INPUT(Cause.INPUT, "threads wait for it 90 % of their time", f -> f.input = 3600),
        OUTPUT(Cause.OUTPUT, "threads wait for it 80 % of their time", f -> f.output = 3200),
        SPILLED_ROWS_OF_SSTABLES(Cause.DISK, "threads wait for it 75 % of their time", f -> f.spill = 3000),
        IMPORT(Cause.IMPORT, "threads wait for it 95 % of their time", f -> f.imports = 3800),
        CLIENT_CPU(Cause.CLIENT_CPU, "threads work 98 % of their time, this process uses 3.6 of 4 processors", f -> {
            f.cpu = 3600;
            f.machine = 3700;
        }),
        PROCESSORS_USED_UP_THOUGH_THREADS_WAIT(
                Cause.CLIENT_CPU, "threads work 98 % of their time, this process uses 3.8 of 4 processors", f -> {
                    f.cpu = 3800;
                    f.machine = 3900;
                    f.nodes(3000);
                }),
        OTHER_PROGRAMS(
                Cause.CLIENT_CPU,
                "threads work 98 % of their time, this process uses 1.0 of 4 processors, others 3.0",
                f -> f.machine = 4000),
        THREADS(
                Cause.THREADS,
                "threads work 98 % of their time, but this process uses 1.0 of 4 processors",
                f -> f.machine = 1000),
        GARBAGE_COLLECTION(
                Cause.GARBAGE_COLLECTION,
                "it takes 70 % of the time; then the number of threads, 30 %",
                f -> f.gc = 700),
        MUCH_GARBAGE_BUT_MORE_WORK(Cause.GARBAGE_COLLECTION, "it takes 40 % of the time; then client CPU, 60 %", f -> {
            f.gc = 400;
            f.cpu = 3900;
            f.machine = 4000;
        }),
        DISK(Cause.DISK, "threads wait for it 75 % of their time", f -> f.disk = 3000),
        RATE_LIMIT(Cause.RATE_LIMIT, "threads wait for it 95 % of their time", f -> f.paced = 3800),
        GUARD_OF_WRITES(Cause.GUARD, "threads wait for it 90 % of their time", f -> f.heldBack = 3600),
        GUARD_OF_READS(Cause.GUARD, "threads wait for it 80 % of their time", f -> {
            f.isRead = true;
            f.answers = 4000;
            f.gc = 0;
            f.node(0, 10, 0.5);
            f.queuedHeldBack = 4000;
        }),
        NETWORK(
                Cause.NETWORK,
                "threads wait for it 81 % of their time; to 10.0.0.1:9042 an empty request takes 9.0 ms, a round trip 10 ms",
                f -> {
                    f.node(1800, 10, 9);
                    f.node(1800, 10, 9);
                }),
        /** The empty request waits for a processor of this machine, not on the way. */
        CLUSTER_BESIDE_BUSY_PROGRAMS(
                Cause.CLUSTER,
                "threads wait for it 90 % of their time; a round trip to 10.0.0.1:9042 takes 10 ms",
                f -> {
                    f.machine = 4000;
                    f.node(3600, 10, 9);
                }),
        /** A request that has less to wait for than others, and takes longer, waits for a processor. */
        EMPTY_REQUESTS_LONGER_THAN_OTHERS(
                Cause.CLUSTER,
                "threads wait for it 90 % of their time; a round trip to 10.0.0.1:9042 takes 115 ms",
                f -> {
                    f.machine = 4000;
                    f.node(3600, 115, 206);
                }),
        NETWORK_BESIDE_BUSY_PROGRAMS(
                Cause.NETWORK,
                "threads wait for it 90 % of their time; to 10.0.0.1:9042 an empty request takes 700 ms, a round trip 700 ms",
                f -> {
                    f.machine = 4000;
                    f.node(3600, 700, 700);
                }),
        /** Answers take longer than the second. */
        NETWORK_WITHOUT_AN_ANSWER_YET(
                Cause.NETWORK,
                "threads wait for it 81 % of their time; to 10.0.0.1:9042 an empty request takes 900 ms, no round trip has ended",
                f -> f.nodes.add(
                        new Waits.Node("10.0.0.1:9042", 3600 * MILLIS, 0, 5 * 1000 * MILLIS, 0, 0, 900 * MILLIS, 0))),
        /** Figures of a load of single rows on twenty nodes, while the others have nothing to do: both threads wait for permits. */
        SILENT_NODE_OF_A_LOAD(
                Cause.SILENT_NODE, "10.0.0.2:9042: threads wait for it 100 % of their time", f -> silentNodeOfALoad(f)),
        /** Figures of the same load while the others are busy. */
        SILENT_NODE_BESIDE_BUSY_ONES(
                Cause.SILENT_NODE,
                "10.0.0.2:9042: threads wait for it 66 % of their time; then client CPU, 34 %",
                f -> {
                    f.threads = 2000;
                    f.cpu = 604;
                    f.machine = 4000;
                    f.gc = 0;
                    f.node(0, 16, 16);
                    f.node(1312, 0, 81_800, 1739);
                    f.node(18, 16, 16);
                }),
        /** Figures of the end of that load: a thread waits for the last acknowledgements, and the others have ended. */
        SILENT_NODE_AT_THE_END(Cause.SILENT_NODE, "10.0.0.2:9042: threads wait for it 100 % of their time", f -> {
            f.threads = 0;
            f.cpu = 60;
            f.machine = 4000;
            f.gc = 0;
            f.answers = 1001;
            f.node(0, 0, 0, 165);
            f.node(0, 0, 20_036, 5496);
            f.node(0, 0, 0, 67);
        }),
        /** Figures of a count: two pages are in flight to the node, eight wait for them, and nothing else is left. */
        SILENT_NODE_OF_A_COUNT(Cause.SILENT_NODE, "10.0.0.2:9042: threads wait for it 100 % of their time", f -> {
            f.isRead = true;
            f.threads = 989;
            f.cpu = 100;
            f.gc = 0;
            f.answers = 989;
            f.node(0, 0, 0, 0);
            f.node(0, 7916, 1980, 1482);
            f.node(0, 0, 0, 0);
            f.places = new ArrayList<>(Collections.nCopies(100, 0L));
        }),
        SILENT_NODES(
                Cause.SILENT_NODE,
                "10.0.0.8:9042, 10.0.0.7:9042, 10.0.0.6:9042, 10.0.0.5:9042, 10.0.0.4:9042 and 1 other: threads wait for them"
                        + " 83 % of their time",
                f -> {
                    f.node(10, 3, 0.5);
                    f.node(10, 3, 0.5);
                    for (int i = 0; i < 6; i++) {
                        f.node(550 + i, 0, 5000, 3000);
                    }
                }),
        /** The node answers empty requests, and takes longer than a second for each of ours. */
        A_NODE_WITH_ONE_LONG_REQUEST(Cause.SKEW, "10.0.0.2:9042 has 100 % of the waits", f -> {
            f.answers = 3800;
            f.node(0, 0, 0, 0.5);
            f.node(0, 0, 1000, 0.5);
            f.node(0, 0, 0, 0.5);
        }),
        SLOW_NODE(
                Cause.SLOW_NODE,
                "10.0.0.3:9042: threads wait for it 80 % of their time; its round trips take 48 ms, the others' 3.0 ms",
                f -> {
                    f.node(100, 3, 0.5);
                    f.node(100, 3, 0.5);
                    f.node(3200, 48, 0.5);
                }),
        SLOW_NODE_OF_READS(
                Cause.SLOW_NODE,
                "10.0.0.2:9042: threads wait for it 84 % of their time; its round trips take 48 ms, the others' 3.0 ms",
                f -> {
                    f.isRead = true;
                    f.answers = 3800;
                    f.node(0, 3, 0.5);
                    f.node(0, 48, 0.5);
                    f.node(0, 3, 0.5);
                }),
        ONE_PARTITION(Cause.SKEW, "one partition gets 91 % of the bytes", f -> {
            f.nodes(3600);
            f.places.set(7, 10_000L);
        }),
        FEW_PARTITIONS(Cause.SKEW, "3 partitions get 97 % of the bytes", f -> {
            f.nodes(3600);
            f.places.set(7, 10_000L);
            f.places.set(8, 10_000L);
            f.places.set(9, 10_000L);
        }),
        ONE_SPLIT(Cause.SKEW, "one split gives 91 % of the bytes", f -> {
            f.isRead = true;
            f.answers = 3900;
            f.nodes(0);
            f.places.set(7, 10_000L);
        }),
        A_BUSY_NODE_AS_FAST_AS_THE_OTHERS(
                Cause.SKEW, "10.0.0.2:9042 has 94 % of the waits, and answers as fast as the others", f -> {
                    f.node(100, 10, 0.5);
                    f.node(3200, 11, 0.5);
                    f.node(100, 10, 0.5);
                }),
        CLUSTER(
                Cause.CLUSTER,
                "threads wait for it 90 % of their time; a round trip to 10.0.0.1:9042 takes 10 ms",
                f -> f.nodes(3600)),
        CLUSTER_OF_ONE_NODE(
                Cause.CLUSTER,
                "threads wait for it 90 % of their time; a round trip to 10.0.0.1:9042 takes 10 ms",
                f -> f.node(3600, 10, 2)),
        /** The queue of the node holds up an empty request, too. */
        CLUSTER_WITH_A_LONG_QUEUE(
                Cause.CLUSTER,
                "threads wait for it 90 % of their time; a round trip to 10.0.0.1:9042 takes 2000 ms",
                f -> f.node(3600, 2000, 1900)),
        /** All requests back off. */
        NODES_THAT_ARE_DOWN(Cause.CLUSTER, "threads wait for it 90 % of their time", f -> f.answers = 3600);

        private final Cause cause;
        private final String evidence;
        private final Consumer<Figures> change;

        Case(Cause cause, String evidence, Consumer<Figures> change) {
            this.cause = cause;
            this.evidence = evidence;
            this.change = change;
        }
    }

    @ParameterizedTest
    @EnumSource
    void namesWhatTakesMostOfTheTime(Case each) {
        Bottleneck found = of(each.change);
        assertThat(found.cause()).isEqualTo(each.cause);
        assertThat(found.evidence()).isEqualTo(each.evidence);
        assertThat(found.shares().values().stream()
                        .mapToDouble(Double::doubleValue)
                        .sum())
                .isCloseTo(1, within(1e-9));
    }

    /** Figures on both sides of a border. */
    private enum Border {
        PROCESSORS_USED_UP_BY_THIS_PROCESS(Cause.CLUSTER, Cause.CLIENT_CPU, (f, beyond) -> {
            f.cpu = beyond ? 3400 : 3399;
            f.nodes(3600);
        }),
        PROCESSORS_USED_UP_BY_OTHERS(Cause.THREADS, Cause.CLIENT_CPU, (f, beyond) -> f.machine = beyond ? 3400 : 3399),
        PROCESSORS_THAT_MORE_THREADS_WOULD_FIND(
                Cause.THREADS, Cause.CLIENT_CPU, (f, beyond) -> f.cpu = beyond ? 2400 : 2399),
        MOSTLY_ON_THE_WAY(Cause.CLUSTER, Cause.NETWORK, (f, beyond) -> f.node(3600, 1000, beyond ? 650 : 649)),
        /** Empty requests wait for a processor of a busy machine, but not for so long. */
        A_WAIT_FOR_A_PROCESSOR(Cause.CLUSTER, Cause.NETWORK, (f, beyond) -> {
            f.machine = 3400;
            f.node(3600, 110, beyond ? 100 : 99);
        }),
        A_WAY_THAT_TAKES_LONGER_THAN_OTHERS_BESIDE_BUSY_PROGRAMS(Cause.NETWORK, Cause.CLUSTER, (f, beyond) -> {
            f.machine = 3400;
            f.node(3600, 200, beyond ? 301 : 300);
        }),
        IN_FLIGHT_TO_SEE_THE_WAY(Cause.NETWORK, Cause.CLUSTER, (f, beyond) -> {
            long inFlight = (beyond ? 101L : 100L) * 1000 * MILLIS;
            f.nodes.add(new Waits.Node("n", 3600 * MILLIS, 0, inFlight, 100, inFlight, 900 * MILLIS, 0.9));
        }),
        WAITS_FOR_ONE_OF_TWO_NODES(Cause.CLUSTER, Cause.SKEW, (f, beyond) -> {
            f.node(900, 10, 0.5);
            f.node(beyond ? 2700 : 2699, 10, 0.5);
        }),
        WAITS_FOR_ONE_OF_MANY_NODES(Cause.CLUSTER, Cause.SKEW, (f, beyond) -> {
            f.node(beyond ? 2160 : 2159, 10, 0.5);
            for (int i = 0; i < 4; i++) {
                f.node(360, 10, 0.5);
            }
        }),
        AN_EMPTY_REQUEST_FOR_THE_WHOLE_SECOND(Cause.SKEW, Cause.SILENT_NODE, (f, beyond) -> {
            f.node(0, 0, 0, 0.5);
            f.node(3600, 0, 1000, beyond ? 1000 : 999);
        }),
        AN_EMPTY_REQUEST_TWICE_AS_LONG_AS_OF_OTHERS(Cause.SKEW, Cause.SILENT_NODE, (f, beyond) -> {
            f.node(0, 1000, 1200);
            f.node(3600, 0, 1000, beyond ? 2400 : 2399);
        }),
        /** Then it is not one of them. */
        ALL_NODES_ARE_SILENT(Cause.SILENT_NODE, Cause.NETWORK, (f, beyond) -> {
            f.node(1800, 0, 1000, beyond ? 3000 : 0.5);
            f.node(1800, 0, 1000, 3000);
        }),
        TWICE_THE_ROUND_TRIP_OF_OTHERS(Cause.SKEW, Cause.SLOW_NODE, (f, beyond) -> {
            f.node(100, 10, 0.5);
            f.node(3200, beyond ? 20 : 19, 0.5);
            f.node(100, 10, 0.5);
        }),
        BYTES_OF_THREE_PARTITIONS(Cause.CLUSTER, Cause.SKEW, (f, beyond) -> {
            f.nodes(3600);
            f.places = new ArrayList<>(Collections.nCopies(300, 3L));
            f.places.addAll(List.of(700L, 700L, beyond ? 700L : 699L));
        }),
        PARTITIONS_THAT_ARE_FEW(Cause.CLUSTER, Cause.SKEW, (f, beyond) -> {
            f.nodes(3600);
            f.places = new ArrayList<>(Collections.nCopies(beyond ? 4 : 5, 1000L));
        }),
        REQUESTS_FOR_A_JUDGEMENT(Cause.CLUSTER, Cause.SKEW, (f, beyond) -> {
            f.nodes.add(new Waits.Node("n", 3600 * MILLIS, 0, 100 * MILLIS, beyond ? 10 : 9, 100 * MILLIS, 0, 0));
            f.places = new ArrayList<>(List.of(100L));
        }),
        GARBAGE_BESIDE_MORE_WORK(Cause.CLIENT_CPU, Cause.GARBAGE_COLLECTION, (f, beyond) -> {
            f.cpu = 3900;
            f.gc = beyond ? 300 : 299;
        }),
        THE_LARGER_OF_TWO(Cause.INPUT, Cause.OUTPUT, (f, beyond) -> {
            f.input = 1500;
            f.output = beyond ? 1501 : 1499;
        });

        private final Cause below;
        private final Cause beyond;
        private final BiConsumer<Figures, Boolean> change;

        Border(Cause below, Cause beyond, BiConsumer<Figures, Boolean> change) {
            this.below = below;
            this.beyond = beyond;
            this.change = change;
        }
    }

    @ParameterizedTest
    @EnumSource
    void changesItsMindAtTheBorder(Border border) {
        assertThat(of(f -> border.change.accept(f, false)).cause()).isEqualTo(border.below);
        assertThat(of(f -> border.change.accept(f, true)).cause()).isEqualTo(border.beyond);
    }

    @Test
    void namesASecondCauseWithAQuarterOfTheTime() {
        assertThat(of(f -> {
                            f.input = 2400;
                            f.output = 1000;
                        })
                        .evidence())
                .isEqualTo("threads wait for it 60 % of their time; then the output, 25 %");
        assertThat(of(f -> {
                            f.input = 2400;
                            f.output = 999;
                        })
                        .evidence())
                .isEqualTo("threads wait for it 60 % of their time");
    }

    /** Three splits that have most bytes are read at the same time. */
    @Test
    void readsHaveSkewByOneSplitOnly() {
        Consumer<Figures> reads = f -> {
            f.isRead = true;
            f.answers = 3900;
            f.nodes(0);
            f.places = new ArrayList<>(Collections.nCopies(100, 3L));
        };
        assertThat(of(reads.andThen(f -> f.places.add(700L))).cause()).isEqualTo(Cause.SKEW);
        assertThat(of(reads.andThen(f -> f.places.addAll(List.of(400L, 400L, 400L))))
                        .cause())
                .isEqualTo(Cause.CLUSTER);
    }

    /** A job has such figures for a moment when its threads have ended or not begun. */
    @Test
    void saysNothingIfNoThreadDidAnything() {
        Figures figures = new Figures();
        figures.threads = 0;
        figures.gc = 0;
        assertThat(Bottleneck.of(Attribution.of(figures.span()), figures.span()))
                .isNull();
    }

    @Test
    void aFewRequestsAreNoSkew() {
        Bottleneck found = of(f -> {
            f.nodes.add(new Waits.Node("10.0.0.1:9042", 3600 * MILLIS, 0, 100 * MILLIS, 5, 100 * MILLIS, 0, 0));
            f.places = new ArrayList<>(List.of(100L, 0L, 0L, 0L));
        });
        assertThat(found.cause()).isEqualTo(Cause.CLUSTER);
    }
}
