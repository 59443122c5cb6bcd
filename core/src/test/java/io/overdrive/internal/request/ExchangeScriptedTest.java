package io.overdrive.internal.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.datastax.oss.driver.api.core.connection.ClosedConnectionException;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.ProtocolConstants.Opcode;
import com.datastax.oss.protocol.internal.request.Options;
import com.datastax.oss.protocol.internal.response.Error;
import com.datastax.oss.protocol.internal.response.Supported;
import com.datastax.oss.protocol.internal.response.result.Void;
import io.netty.handler.codec.DecoderException;
import io.overdrive.InFlightControl;
import io.overdrive.NodeTotals;
import io.overdrive.Seeds;
import io.overdrive.internal.flow.Gate;
import io.overdrive.internal.flow.JavaHeap;
import io.overdrive.internal.flow.Limiter;
import io.overdrive.internal.flow.Limits;
import io.overdrive.internal.flow.NodeName;
import io.overdrive.internal.flow.Waits;
import io.overdrive.internal.flow.Window;
import io.overdrive.internal.wire.RawMessage;
import io.overdrive.internal.wire.ScriptedTransport;
import io.overdrive.internal.wire.ScriptedTransport.Sent;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Answers that are late, doubled or missing, and nodes that forget a statement, in virtual time. */
class ExchangeScriptedTest {
    private static final String CQL = "SELECT v FROM ks.t";

    private final ScriptedTransport cluster = new ScriptedTransport(2);
    private final Limiter limiter = new Limiter(
            new Limits(512, 2 << 20, Long.MAX_VALUE, Long.MAX_VALUE),
            InFlightControl.FIXED,
            /* startCost */ 0,
            cluster::nanoTime,
            "test",
            cluster::decided);
    private final List<String> endings = new ArrayList<>();
    private final InFlight inFlight =
            new InFlight(cluster, limiter, Duration.ofSeconds(10).toNanos(), () -> {});

    private class Recorded implements Ending {
        private final String name;

        Recorded(String name) {
            this.name = name;
        }

        @Override
        public void onAnswer(Message answer) {
            endings.add(name + (answer instanceof Error error ? " refused: " + error.message : " answered"));
        }

        @Override
        public void onSilence(boolean sent, String reason) {
            endings.add(name + (sent ? " silent: " : " not sent: ") + reason);
        }

        @Override
        public void onException(Throwable cause) {
            endings.add(name + " broke: " + cause.getMessage());
        }
    }

    private class Request extends Exchange {
        private final Ending ending;

        Request(Ending ending) {
            super(inFlight, cluster.node(0), 100);
            this.ending = ending;
        }

        Request send() {
            send(new RawMessage(Opcode.EXECUTE, new byte[100]));
            return this;
        }

        @Override
        protected void onEnd() {
            endings.add("end");
        }

        @Override
        public void onAnswer(Message answer) {
            ending.onAnswer(answer);
        }

        @Override
        public void onSilence(boolean sent, String reason) {
            ending.onSilence(sent, reason);
        }

        @Override
        public void onException(Throwable cause) {
            ending.onException(cause);
        }
    }

    private Window window() {
        return limiter.gate(cluster.node(0)).takeWindow(cluster.nanoTime());
    }

    @Test
    void saysWhatBrokeAConnection() {
        String driversOwn = "Unexpected error on channel";
        sendOne()
                .breakConnection(
                        new ClosedConnectionException(driversOwn, new IOException("Connection reset by peer")));
        sendOne().breakConnection(new ClosedConnectionException(driversOwn, new IllegalStateException()));
        sendOne().breakConnection(new ClosedConnectionException(driversOwn));
        sendOne().breakConnection(new DecoderException(new OutOfMemoryError("Java heap space")));
        assertThat(endings.stream().filter(ending -> !ending.equals("end")))
                .containsExactly(
                        "a silent: Unexpected error on channel: Connection reset by peer",
                        "a silent: Unexpected error on channel: java.lang.IllegalStateException",
                        "a silent: Unexpected error on channel",
                        "a silent: " + JavaHeap.tooSmall());
    }

    @Test
    void endsOnceWhateverComesAndInWhateverOrder() {
        Seeds.times(200, random -> {
            endings.clear();
            Sent sent = sendOne();
            List<Runnable> events = new ArrayList<>(List.of(
                    () -> sent.answer(Void.INSTANCE),
                    () -> sent.answer(Void.INSTANCE),
                    () -> sent.refuse(ErrorCode.OVERLOADED, "overloaded"),
                    sent::breakConnection,
                    () -> cluster.pass(Duration.ofSeconds(12))));
            Collections.shuffle(events, random);
            events.forEach(Runnable::run);
            assertThat(endings).hasSize(2).startsWith("end");
            assertThat(inFlight.requests()).isZero();
            assertThat(inFlight.bytes()).isZero();
            assertThat(window().requests()).isOne();
        });
    }

    private Sent sendOne() {
        new Request(new Recorded("a")).send();
        assertThat(inFlight.requests()).isOne();
        assertThat(inFlight.bytes()).isEqualTo(100);
        return cluster.next();
    }

    @Test
    void timesOutWithinASecondOfTheTimeout() {
        sendOne();
        cluster.pass(Duration.ofSeconds(10));
        assertThat(endings).isEmpty();
        cluster.pass(Duration.ofSeconds(1));
        assertThat(endings).containsExactly("end", "a silent: 10.0.0.1:9042 did not answer within 10000 ms");
        assertThat(inFlight.nodesLost()).as("it may only be slow").isEmpty();
    }

    @Test
    void saysWhetherTheNodeMayHaveReceivedTheRequest() {
        sendOne().breakConnection();
        assertThat(endings).containsExactly("end", "a silent: Lost connection to remote peer");
        assertThat(inFlight.nodesLost()).containsExactly("10.0.0.1:9042");

        endings.clear();
        cluster.setState(0, NodeState.DOWN);
        new Request(new Recorded("b")).send();
        assertThat(endings).containsExactly("end", "b not sent: there is no connection to 10.0.0.1:9042");
    }

    @Test
    void givesWhateverIsThrownToTheRequest() {
        cluster.throwAtNextSend(new OutOfMemoryError("Java heap space"));
        new Request(new Recorded("a")).send();
        assertThat(endings).containsExactly("end", "a broke: Java heap space");

        endings.clear();
        new Request(new Recorded("b") {
                    @Override
                    public void onAnswer(Message answer) {
                        throw new IllegalStateException("cannot handle it");
                    }
                })
                .send();
        cluster.next().answer(Void.INSTANCE);
        assertThat(endings).containsExactly("end", "b broke: cannot handle it");
        assertThat(inFlight.requests()).isZero();
    }

    @Test
    void collectsHowRequestsEndedForTheNode() {
        for (int millis : new int[] {30, 10, 20}) {
            Sent sent = sendOne();
            cluster.pass(Duration.ofMillis(millis));
            sent.answer(Void.INSTANCE);
        }
        sendOne().refuse(ErrorCode.INVALID, "about the request, not the load");
        sendOne().refuse(ErrorCode.OVERLOADED, "overloaded");
        sendOne().refuse(ErrorCode.WRITE_TIMEOUT, "timed out on the server");
        sendOne().breakConnection();
        sendOne();
        cluster.pass(Duration.ofSeconds(12));

        Window window = window();
        assertThat(window.requests()).isEqualTo(8);
        assertThat(window.answered()).isEqualTo(4);
        assertThat(window.overloaded()).isEqualTo(2);
        assertThat(window.lost()).isOne();
        assertThat(window.timedOut()).isOne();
        assertThat(window.cost()).isEqualTo(4 * (100 + Gate.REQUEST_COST));
        assertThat(window().requests()).as("the next window").isZero();
    }

    @Test
    void countsForTheUserHowRequestsToANodeEnded() {
        Sent first = sendOne();
        cluster.pass(Duration.ofMillis(30));
        first.answer(Void.INSTANCE);
        sendOne().refuse(ErrorCode.INVALID, "about the request, not the load");
        sendOne().refuse(ErrorCode.OVERLOADED, "overloaded");
        sendOne().breakConnection();
        new Request(new Recorded("b")) {
            @Override
            protected boolean isRetry() {
                return true;
            }
        }.send();
        cluster.pass(Duration.ofSeconds(12));
        window(); // of the limit, and not of what the user sees
        sendOne();
        inFlight.prepare(cluster.node(1), CQL, new Recorded("no load"));

        NodeTotals node = nodes().get(0);
        assertThat(node.node()).isEqualTo("10.0.0.1:9042");
        assertThat(node.answered()).isEqualTo(2);
        assertThat(node.answeredBytes()).isEqualTo(200);
        assertThat(node.overloaded()).isOne();
        assertThat(node.lost()).isOne();
        assertThat(node.timedOut()).isOne();
        assertThat(node.retries()).isOne();
        assertThat(node.latency().count()).isEqualTo(2);
        assertThat(node.latency().sum()).isEqualTo(Duration.ofMillis(30));
        assertThat(node.inFlightRequests()).isOne();
        assertThat(node.inFlightBytes()).isEqualTo(100);
        assertThat(node.inFlightLimit()).isEqualTo((2 << 20) + 512 * Gate.REQUEST_COST);
    }

    private List<NodeTotals> nodes() {
        return cluster.traffic().nodes();
    }

    @Test
    void countsALimitThatJobsShareOnceAndForAsLongAsOneOfThemRuns() {
        long limit = (2 << 20) + 512 * Gate.REQUEST_COST;
        sendOne().answer(Void.INSTANCE);
        InFlight separate =
                new InFlight(cluster, limiter, Duration.ofSeconds(10).toNanos(), () -> {});
        assertThat(nodes()).extracting(NodeTotals::inFlightLimit).containsExactly(limit);
        inFlight.close();
        assertThat(nodes()).extracting(NodeTotals::inFlightLimit).containsExactly(limit);
        separate.close();
        assertThat(nodes()).extracting(NodeTotals::inFlightLimit).containsExactly(0L);
        assertThat(nodes()).extracting(NodeTotals::answered).containsExactly(1L);
    }

    @Test
    void preparesOnceForAllRequestsThatMeetAForgottenStatement() {
        for (int i = 0; i < 100; i++) {
            inFlight.prepare(cluster.node(0), CQL, new Recorded("r" + i));
        }
        inFlight.prepare(cluster.node(1), CQL, new Recorded("other node"));
        inFlight.prepare(cluster.node(0), "INSERT", new Recorded("other statement"));
        assertThat(cluster.sent).hasSize(3);
        cluster.next().answer(ScriptedTransport.prepared(new byte[16]));
        assertThat(endings).hasSize(100).doesNotHaveDuplicates().allMatch(ending -> ending.startsWith("r"));
        cluster.next().answer(ScriptedTransport.prepared(new byte[16]));
        assertThat(endings).hasSize(101).contains("other node answered");
        cluster.next().answer(ScriptedTransport.prepared(new byte[16]));
        assertThat(endings).hasSize(102).contains("other statement answered");
        assertThat(window().requests())
                .as("a prepare says nothing about the load")
                .isZero();

        inFlight.prepare(cluster.node(0), CQL, new Recorded("later"));
        assertThat(cluster.sent).as("forgotten again").hasSize(1);
    }

    @Test
    void notifiesEachRequestOnceHoweverThePreparingEnds() {
        inFlight.prepare(cluster.node(0), CQL, new Recorded("a"));
        inFlight.prepare(cluster.node(0), CQL, new Recorded("b"));
        cluster.pass(Duration.ofSeconds(12));
        cluster.next().answer(ScriptedTransport.prepared(new byte[16]));
        assertThat(endings)
                .containsExactly(
                        "a silent: 10.0.0.1:9042 did not answer within 10000 ms",
                        "b silent: 10.0.0.1:9042 did not answer within 10000 ms");

        endings.clear();
        inFlight.prepare(cluster.node(0), CQL, new Recorded("throws") {
            @Override
            public void onAnswer(Message answer) {
                throw new IllegalStateException("cannot handle it");
            }
        });
        inFlight.prepare(cluster.node(0), CQL, new Recorded("next"));
        cluster.next().answer(ScriptedTransport.prepared(new byte[16]));
        assertThat(endings).containsExactly("throws broke: cannot handle it", "next answered");

        endings.clear();
        cluster.setState(0, NodeState.DOWN);
        inFlight.prepare(cluster.node(0), CQL, new Recorded("c"));
        assertThat(endings).containsExactly("c not sent: there is no connection to 10.0.0.1:9042");
    }

    @Test
    void reportsTheLongestWaitForTheProgressLine() {
        sendOne();
        cluster.pass(Duration.ofSeconds(4));
        Waiting early = new Waiting();
        inFlight.addTo(early);
        assertThat(early.text()).isNull();
        cluster.pass(Duration.ofSeconds(2));
        Waiting waiting = new Waiting();
        inFlight.addTo(waiting);
        waiting.add(Duration.ofSeconds(5).toNanos(), () -> "shorter");
        assertThat(waiting.text()).isEqualTo("node 10.0.0.1:9042 does not answer, waiting 6 s");
    }

    /** There is no memory: not even the line for the log can be made. */
    @Test
    void goesOnCheckingTimeoutsIfACheckCannotEvenBeLogged() {
        var unprintable = new IllegalStateException() {
            @Override
            public String getMessage() {
                throw new OutOfMemoryError("Java heap space");
            }
        };
        AtomicInteger ticks = new AtomicInteger();
        InFlight failing = new InFlight(cluster, limiter, Duration.ofSeconds(10).toNanos(), () -> {
            ticks.incrementAndGet();
            throw unprintable;
        });
        cluster.pass(Duration.ofSeconds(10));
        assertThat(ticks.get()).isGreaterThan(5);
        failing.close();
    }

    @Test
    void leavesNothingOnTheTimerWhenItIsClosed() {
        sendOne();
        inFlight.close();
        inFlight.close();
        assertThat(cluster.scheduledTasks()).isZero();
    }

    @Test
    void sendsEmptyRequestsToBusyNodesOnceSomebodyAsks() {
        Gate busy = limiter.gate(cluster.node(0));
        limiter.gate(cluster.node(1));
        busy.acquire(100);
        new Request(new Recorded("a")).send();
        Sent request = cluster.next();
        cluster.pass(Duration.ofSeconds(3));
        assertThat(cluster.sent).as("nobody asked").isEmpty();

        assertThat(waits(0).emptyNanos()).isZero();
        cluster.pass(Duration.ofMillis(limiter.tickMillis()));
        Sent empty = cluster.next();
        assertThat(empty.node()).isSameAs(cluster.node(0));
        assertThat(empty.message()).isInstanceOf(Options.class);
        cluster.pass(Duration.ofMillis(5));
        assertThat(waits(0).emptyNanos())
                .as("it takes at least as long as it has")
                .isEqualTo(Duration.ofMillis(5).toNanos());
        cluster.pass(Duration.ofMillis(2));
        empty.answer(new Supported(Map.of()));
        assertThat(waits(0).emptyNanos()).isEqualTo(Duration.ofMillis(7).toNanos());
        assertThat(waits(0).emptyShare()).as("the node answered it first").isZero();
        assertThat(waits(1).emptyNanos()).isZero();

        cluster.pass(Duration.ofSeconds(1));
        Sent silent = cluster.next();
        cluster.pass(Duration.ofSeconds(5));
        assertThat(cluster.sent).as("one at a time").isEmpty();
        silent.breakConnection();
        cluster.pass(Duration.ofSeconds(1));
        cluster.next().answer(new Supported(Map.of()));

        request.answer(Void.INSTANCE);
        busy.release(100);
        cluster.sent.clear();
        cluster.pass(Duration.ofSeconds(2));
        assertThat(cluster.sent).as("nothing is in flight").isEmpty();
    }

    @Test
    void comparesEmptyRequestsWithTheRequestsThatEndMeanwhile() {
        limiter.gate(cluster.node(0)).acquire(100);
        waits(0);
        new Request(new Recorded("long ago")).send();
        cluster.pass(Duration.ofMillis(1));
        cluster.next().answer(Void.INSTANCE);
        new Request(new Recorded("before it in the queue")).send();
        Sent request = cluster.next();
        cluster.pass(Duration.ofMillis(limiter.tickMillis()));
        Sent empty = cluster.next();
        cluster.pass(Duration.ofMillis(3 * limiter.tickMillis()));
        request.answer(Void.INSTANCE);
        assertThat(waits(0).emptyShare()).isCloseTo(0.75, within(0.01));
        empty.answer(new Supported(Map.of()));
        assertThat(waits(0).emptyShare()).isCloseTo(0.75, within(0.01));
    }

    @Test
    void addsUpTheTimeInFlightOfRequestsThatHaveEndedAndOfThoseThatHaveNot() {
        new Request(new Recorded("a")).send();
        new Request(new Recorded("b")).send();
        cluster.pass(Duration.ofSeconds(1));
        cluster.next().answer(Void.INSTANCE);
        cluster.pass(Duration.ofSeconds(2));
        assertThat(waits(0).inFlightNanos()).isEqualTo(Duration.ofSeconds(4).toNanos());
        assertThat(waits(0).requests()).isOne();
    }

    /**
     * The time in flight of requests that have not ended would say little with few requests, each of which takes long.
     */
    @Test
    void aRoundTripIsThatOfRequestsThatHaveEnded() {
        new Request(new Recorded("a")).send();
        new Request(new Recorded("b")).send();
        cluster.pass(Duration.ofSeconds(3));
        cluster.next().answer(Void.INSTANCE);
        cluster.pass(Duration.ofSeconds(1));
        assertThat(waits(0).inFlightNanos()).isEqualTo(Duration.ofSeconds(7).toNanos());
        assertThat(waits(0).roundTripNanos()).isEqualTo(Duration.ofSeconds(3).toNanos());
    }

    private Waits.Node waits(int node) {
        return inFlight.waits().stream()
                .filter(each -> each.name().equals(NodeName.of(cluster.node(node))))
                .findFirst()
                .orElseThrow();
    }
}
