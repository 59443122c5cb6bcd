package io.overdrive.jobs.bottleneck;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.protocol.internal.request.Options;
import com.datastax.oss.protocol.internal.response.Supported;
import io.overdrive.ScanOptions;
import io.overdrive.Split;
import io.overdrive.internal.flow.JobTimes;
import io.overdrive.internal.scan.Fetcher;
import io.overdrive.internal.scan.PageReader;
import io.overdrive.internal.scan.ScanLayouts;
import io.overdrive.internal.wire.BulkGuard;
import io.overdrive.internal.wire.BulkWork;
import io.overdrive.internal.wire.ScriptedTransport;
import io.overdrive.internal.wire.ScriptedTransport.Sent;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.DoubleConsumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A scan of three nodes whose answers take as long as the test says, in virtual time. Its thread does nothing but wait. */
class BottleneckScriptedTest {
    private static final int NODES = 3;
    private static final int LANES = 12;
    private static final int PAGES_OF_A_SPLIT = 5;
    private static final int SPLITS_OF_A_NODE = 10_000;

    private final ScriptedTransport cluster = new ScriptedTransport(NODES);
    /** How long a page takes, by node. */
    private final long[] pageMillis = {20, 20, 20};

    private double emptyMillis = 1;
    /** Each millisecond, both take so much longer. */
    private double growth;

    private double share = 1;
    /** Used by the scan, of four processors. */
    private double processors = 0.5;

    private boolean waits = true;
    private boolean hasOneSplit;
    private long now;
    private int pages;

    /** A page or an empty request. */
    private record Pending(Sent request, long dueMillis) {}

    private final class Lane {
        final PageReader reader;
        int pages;

        Lane(Fetcher fetcher, Split split) {
            reader = new PageReader(fetcher, split, 1024, () -> {});
            reader.request();
        }
    }

    /** Neighbours are on different nodes. */
    private List<Split> splits() {
        long step = Long.MAX_VALUE / NODES * 2;
        long width = step / SPLITS_OF_A_NODE;
        return LongStream.range(0, SPLITS_OF_A_NODE * NODES)
                .mapToObj(i -> {
                    long start = Long.MIN_VALUE + i % NODES * step + i / NODES * width;
                    return new Split(List.of(new Split.Range(start, start + width)), List.of(), 0);
                })
                .toList();
    }

    private Bottleneck scan() {
        cluster.shareTokens();
        cluster.guard = new BulkGuard() {
            @Override
            public BulkWork register(CqlIdentifier keyspace, CqlIdentifier table, DoubleConsumer limiter) {
                limiter.accept(share);
                return BulkWork.FREE;
            }

            @Override
            public void close() {}
        };
        Fetcher fetcher = new Fetcher(
                cluster,
                ScanLayouts.split(),
                ScanOptions.from("ks", "t").pageRows(16).build());
        BottleneckMeter meter = new BottleneckMeter(() -> new Span(
                now * 1_000_000,
                JobTimes.of(fetcher.waits(hasOneSplit ? 100 : 30_000)),
                (long) (processors * now * 1e6),
                (long) (processors * now * 1e6),
                /* gcNanos */ 0,
                /* processors */ 4));
        fetcher.begin();
        fetcher.beginThread();
        if (waits) {
            fetcher.beginWait();
        }
        Iterator<Split> splits = splits().iterator();
        List<Lane> lanes = new ArrayList<>();
        for (int i = 0; i < (hasOneSplit ? 1 : LANES); i++) {
            lanes.add(new Lane(fetcher, splits.next()));
        }
        List<Pending> pending = new ArrayList<>();
        for (now = 1; now <= 5_000; now++) {
            cluster.pass(Duration.ofMillis(1));
            answer(pending);
            for (int i = 0; i < lanes.size(); i++) {
                Lane lane = lanes.get(i);
                if (lane.reader.poll() != null && ++lane.pages == PAGES_OF_A_SPLIT && !hasOneSplit) {
                    lanes.set(i, new Lane(fetcher, splits.next()));
                }
            }
            if (now % 1000 == 0) {
                meter.sample();
            }
        }
        return Objects.requireNonNull(meter.overall());
    }

    /** Another one for each page, as those of a server. */
    private static byte[] pagingState(int page) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(page).array();
    }

    private void answer(List<Pending> pending) {
        while (!cluster.sent.isEmpty()) {
            Sent request = cluster.next();
            int node =
                    List.of(cluster.node(0), cluster.node(1), cluster.node(2)).indexOf(request.node());
            boolean isEmpty = request.message() instanceof Options;
            double millis = (isEmpty ? emptyMillis : pageMillis[node]) * (1 + growth * now);
            pending.add(new Pending(request, now + (long) millis));
        }
        List<Pending> due =
                pending.stream().filter(each -> each.dueMillis <= now).toList();
        pending.removeAll(due);
        for (Pending each : due) {
            each.request.answer(
                    each.request.message() instanceof Options
                            ? new Supported(Map.of())
                            : ScriptedTransport.page(pagingState(++pages), new byte[] {1}));
        }
    }

    @Test
    void slowAnswersOfAllNodesAreTheCluster() {
        Bottleneck found = scan();
        assertThat(found.cause()).isEqualTo(Cause.CLUSTER);
        assertThat(found.share()).isGreaterThan(0.9);
    }

    @Test
    void answersThatTakeTheirTimeOnTheWayAreTheNetwork() {
        emptyMillis = 18;
        assertThat(scan().cause()).isEqualTo(Cause.NETWORK);
    }

    /** Pages get larger, or more are in flight. */
    @Test
    void aWayThatTakesEverLongerIsTheNetwork() {
        emptyMillis = 18;
        growth = 0.03;
        Bottleneck found = scan();
        assertThat(found.cause()).as(found.toString()).isEqualTo(Cause.NETWORK);
        assertThat(found.share()).isGreaterThan(0.8);
    }

    @Test
    void oneNodeThatIsSlowIsNamed() {
        pageMillis[0] = 3;
        pageMillis[1] = 150;
        pageMillis[2] = 3;
        Bottleneck found = scan();
        assertThat(found.cause()).isEqualTo(Cause.SLOW_NODE);
        assertThat(found.evidence()).startsWith("10.0.0.2:9042: ");
    }

    @Test
    void oneSplitThatIsLeftIsSkew() {
        hasOneSplit = true;
        assertThat(scan().cause()).isEqualTo(Cause.SKEW);
    }

    @Test
    void pagesThatMayNotBeRequestedAreTheGuard() {
        share = 0.001;
        assertThat(scan().cause()).isEqualTo(Cause.GUARD);
    }

    @Test
    void answersAtOnceLeaveClientCpu() {
        pageMillis[0] = 0;
        pageMillis[1] = 0;
        pageMillis[2] = 0;
        waits = false;
        processors = 3.8;
        assertThat(scan().cause()).isEqualTo(Cause.CLIENT_CPU);
    }

    @Test
    void aThreadThatWorksBesideFreeProcessorsIsTooFew() {
        waits = false;
        processors = 1;
        assertThat(scan().cause()).isEqualTo(Cause.THREADS);
    }
}
