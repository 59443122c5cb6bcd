package io.overdrive.internal.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.datastax.oss.driver.api.core.connection.ClosedConnectionException;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.protocol.internal.ProtocolConstants.ConsistencyLevel;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.ProtocolConstants.Opcode;
import com.datastax.oss.protocol.internal.response.error.ReadFailure;
import com.datastax.oss.protocol.internal.response.error.Unavailable;
import io.overdrive.InFlightControl;
import io.overdrive.MemoryOfSizes;
import io.overdrive.OverdriveException;
import io.overdrive.ScanOptions;
import io.overdrive.Split;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.flow.JavaHeap;
import io.overdrive.internal.ring.Murmur3;
import io.overdrive.internal.wire.ScriptedTransport;
import io.overdrive.internal.wire.ScriptedTransport.Sent;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Nodes that hang, die, refuse or forget, in virtual time. */
class FetcherScriptedTest {
    private static final int VALUES = 2 + 16 + 2 + 16 + 2 + 4 + 2;
    private static final byte[] KEY = {1};
    private static final long TOKEN = Murmur3.token(KEY, 0, 1);

    private ScriptedTransport cluster = new ScriptedTransport(1);
    private int states;
    private final Split.Range range = new Split.Range(TOKEN - 1000, TOKEN + 1000);

    private Fetcher fetcher() {
        return new Fetcher(
                cluster,
                ScanLayouts.split(),
                ScanOptions.from("ks", "t").pageRows(16).build());
    }

    private PageReader reader(Fetcher fetcher) {
        PageReader reader = new PageReader(fetcher, new Split(List.of(range), List.of(), 0), 1024, () -> {});
        reader.request();
        return reader;
    }

    private static long start(Sent request) {
        return Bytes.getLong(request.body(), VALUES + 4);
    }

    private static long end(Sent request) {
        return Bytes.getLong(request.body(), VALUES + 16);
    }

    private static byte[] pagingState(Sent request) {
        int at = VALUES + 28;
        return at == request.body().length
                ? new byte[0]
                : Arrays.copyOfRange(request.body(), at + 4, request.body().length);
    }

    private static Page taken(PageReader reader) {
        return Objects.requireNonNull(reader.poll());
    }

    @Test
    void retriesForMinutesWhileANodeIsDownWithoutAnAttempt() {
        Fetcher fetcher = fetcher();
        cluster.setState(0, NodeState.DOWN);
        PageReader reader = reader(fetcher);
        cluster.pass(Duration.ofMinutes(4));
        assertThat(fetcher.totals(0, 0).waiting()).isEqualTo("node 10.0.0.1:9042 does not answer, waiting 240 s");

        cluster.setState(0, NodeState.UP);
        cluster.pass(Duration.ofSeconds(3));
        cluster.next().answer(ScriptedTransport.page(null, KEY));
        assertThat(taken(reader).rows()).isOne();
        assertThat(reader.isFinished()).isTrue();
        assertThat(fetcher.totals(0, 0).waiting()).isNull();
    }

    @Test
    void retriesForMinutesWhileTheClusterRefusesAndDoesNotShrinkThePage() {
        PageReader reader = reader(fetcher());
        byte[] first = cluster.sent.element().body();
        for (int code : new int[] {ErrorCode.UNAVAILABLE, ErrorCode.OVERLOADED, ErrorCode.IS_BOOTSTRAPPING}) {
            for (int i = 0; i < 20; i++) {
                Sent sent = cluster.next();
                assertThat(sent.body()).isEqualTo(first);
                sent.refuse(code, "not now");
                cluster.pass(Duration.ofSeconds(3));
            }
        }
        cluster.next().answer(ScriptedTransport.page(null, KEY));
        assertThat(taken(reader).rows()).isOne();
    }

    @Test
    void failsWithTheNodeAndTheOptionWhenPatienceIsUsedUp() {
        cluster.setState(0, NodeState.DOWN);
        PageReader reader = reader(fetcher());
        cluster.pass(Duration.ofSeconds(299));
        assertThat(reader.hasNews()).isFalse();
        cluster.pass(Duration.ofSeconds(2));
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(reader::poll)
                .withMessageStartingWith("[ks.t] cannot read token range (")
                .withMessageEndingWith(
                        "]: node 10.0.0.1:9042 does not answer; gave up after 300 s, which is set by patience");
    }

    @Test
    void saysWhatALowerLevelWouldLeaveOutIfTooFewReplicasAreUp() {
        cluster = new ScriptedTransport(2);
        cluster.setState(1, NodeState.DOWN);
        PageReader reader = reader(fetcher());
        refuseForMinutes(/* needed */ 2, /* alive */ 1);
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(reader::poll)
                .withMessageEndingWith(
                        "]: node 10.0.0.2:9042 does not answer (LOCAL_QUORUM needs 2 replicas, and 1 can answer); gave"
                                + " up after 300 s, which is set by patience; a new run with consistency LOCAL_ONE needs"
                                + " 1, and leaves out the rows that only the missing replicas have");
    }

    @Test
    void namesNoLowerLevelIfNoReplicaIsUpOrOneIsEnough() {
        PageReader none = reader(fetcher());
        refuseForMinutes(/* needed */ 2, /* alive */ 0);
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(none::poll)
                .withMessageContaining(
                        "]: too few replicas are up (LOCAL_QUORUM needs 2 replicas, and 0 can answer); gave up after")
                .withMessageEndingWith("set by patience");
        PageReader one = reader(fetcher());
        refuseForMinutes(/* needed */ 1, /* alive */ 0);
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(one::poll)
                .withMessageContaining("]: Cannot achieve consistency level LOCAL_QUORUM; gave up after 300 s")
                .withMessageEndingWith("set by patience");
    }

    private void refuseForMinutes(int needed, int alive) {
        for (int i = 0; i < 110 && !cluster.sent.isEmpty(); i++) {
            cluster.next()
                    .answer(new Unavailable(
                            "Cannot achieve consistency level LOCAL_QUORUM",
                            ConsistencyLevel.LOCAL_QUORUM,
                            needed,
                            alive));
            cluster.pass(Duration.ofSeconds(3));
        }
    }

    @Test
    void countsAttemptsOfPagesThatTakeTooLong() {
        PageReader reader = reader(fetcher());
        for (int i = 0; i < 10; i++) {
            cluster.next(); // no answer
            cluster.pass(Duration.ofSeconds(21));
        }
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(reader::poll)
                .withMessageEndingWith("10.0.0.1:9042 did not answer within 15000 ms (given up after 10 attempts)");
    }

    @Test
    void takesTheFirstAnswerAndIgnoresWhatComesLateOrTwice() {
        cluster = new ScriptedTransport(2);
        Fetcher fetcher = fetcher();
        PageReader reader = reader(fetcher);
        Sent first = cluster.next();
        cluster.pass(Duration.ofSeconds(17));
        Sent second = cluster.next();
        assertThat(second.node()).as("another replica").isNotEqualTo(first.node());
        second.answer(ScriptedTransport.page(null, KEY));
        first.answer(ScriptedTransport.page(null, KEY, KEY));
        second.answer(ScriptedTransport.page(null, KEY));
        first.breakConnection();
        assertThat(taken(reader).rows()).isOne();
        assertThat(fetcher.totals(0, 0).rowsRead()).isOne();
    }

    private static int rows(Sent request) {
        return Bytes.getInt(request.body(), VALUES + 24);
    }

    /** Answers like the driver for a connection that it has closed since an answer did not fit into memory. */
    private static void doesNotFit(Sent request) {
        request.breakConnection(new ClosedConnectionException(
                "Unexpected error on channel",
                new OutOfMemoryError("Cannot reserve 16777216 bytes of direct buffer memory")));
    }

    @Test
    void requestsFewerRowsUpToOneAndLessOfTheRangeAfterAnAnswerThatBreaksTheConnection() {
        PageReader reader = reader(fetcher());
        Sent first = cluster.next();
        assertThat(rows(first)).isEqualTo(PageSize.FIRST_ROWS);
        doesNotFit(first);
        cluster.pass(Duration.ofSeconds(6));
        Sent second = cluster.next();
        assertThat(rows(second)).isOne();
        assertThat(end(second)).isLessThan(end(first));
        second.answer(ScriptedTransport.page(null, KEY));
        assertThat(taken(reader).rows()).isOne();
    }

    @Test
    void namesTheMemoryThatIsTooSmallIfAnAnswerNeverFits() {
        Fetcher fetcher = fetcher();
        PageReader reader = reader(fetcher);
        for (int attempt = 1; attempt <= 10; attempt++) {
            Sent request = cluster.next();
            cluster.setState(0, NodeState.DOWN); // until the driver has another connection
            doesNotFit(request);
            cluster.pass(Duration.ofSeconds(8));
            cluster.setState(0, NodeState.UP);
            cluster.pass(Duration.ofSeconds(8));
        }
        assertFails(reader, JavaHeap.tooSmall(JavaHeap.Lack.DIRECT) + " (given up after 10 attempts)");
    }

    @Test
    void preparesOnceForAllReaders() {
        Fetcher fetcher = fetcher();
        List<PageReader> readers =
                Stream.generate(() -> reader(fetcher)).limit(50).toList();
        for (int i = 0; i < 50; i++) {
            cluster.next().refuse(ErrorCode.UNPREPARED, "unknown");
        }
        assertThat(cluster.sent).hasSize(1);
        cluster.next().answer(ScanLayouts.prepared(List.of("k")));
        assertThat(cluster.sent).hasSize(50);
        while (!cluster.sent.isEmpty()) {
            cluster.next().answer(ScriptedTransport.page(null, KEY));
        }
        assertThat(readers)
                .allSatisfy(reader -> assertThat(taken(reader).rows()).isOne());
    }

    @Test
    void failsAtOnceWhenTheConnectionIsClosed() {
        Fetcher fetcher = fetcher();
        PageReader backingOff = reader(fetcher);
        PageReader inFlight = reader(fetcher);
        cluster.next().breakConnection();
        cluster.setState(0, NodeState.DOWN);
        cluster.close();
        cluster.next().breakConnection();
        cluster.pass(Duration.ofSeconds(6));
        assertFails(backingOff, "the connection was closed");
        assertFails(inFlight, "the connection was closed");
    }

    @Test
    void saysThatANodeHangsBeforeTheTimeIsUp() {
        Fetcher fetcher = fetcher();
        reader(fetcher);
        cluster.pass(Duration.ofSeconds(4));
        assertThat(fetcher.totals(0, 0).waiting()).isNull();
        cluster.pass(Duration.ofSeconds(4));
        assertThat(fetcher.totals(0, 0).waiting()).isEqualTo("node 10.0.0.1:9042 does not answer, waiting 8 s");
    }

    @Test
    void failsReadersWhenItIsClosedAndLeavesNothingBehind() {
        Fetcher fetcher = fetcher();
        PageReader inFlight = reader(fetcher);
        PageReader backingOff = reader(fetcher);
        cluster.sent.removeLast().refuse(ErrorCode.UNAVAILABLE, "not now");
        fetcher.close();
        for (PageReader reader : List.of(inFlight, backingOff)) {
            assertThatExceptionOfType(OverdriveException.class)
                    .isThrownBy(reader::poll)
                    .withMessage("[ks.t] reading was closed");
        }
        cluster.pass(Duration.ofSeconds(20));
        assertThat(cluster.sent).as("only the request that was in flight").hasSize(1);
        assertThat(cluster.scheduledTasks()).isZero();
    }

    @Test
    void leavesNothingOnTheTimerIfItIsDroppedWithoutBeingClosed() {
        fetcher();
        for (int i = 0; i < 100 && cluster.scheduledTasks() > 0; i++) {
            System.gc();
            cluster.pass(Duration.ofSeconds(1));
        }
        assertThat(cluster.scheduledTasks()).isZero();
    }

    /** Rows do not say up to version 5 of the protocol that another column was added for one that was dropped. */
    @Test
    void failsIfTheQueryReadsOtherColumnsOnceItIsPreparedAgain() {
        PageReader reader = reader(fetcher());
        cluster.next().refuse(ErrorCode.UNPREPARED, "unknown");
        cluster.next().answer(ScanLayouts.prepared(List.of("other")));
        assertFails(reader, "the table was changed while it was read; start again");
        assertThat(cluster.sent).isEmpty();
    }

    @Test
    void doesNotWaitForeverForTheAnswerToAPrepare() {
        PageReader reader = reader(fetcher());
        cluster.next().refuse(ErrorCode.UNPREPARED, "unknown");
        assertThat(cluster.next().opcode()).isEqualTo(Opcode.PREPARE);
        cluster.pass(Duration.ofSeconds(17));
        cluster.next().refuse(ErrorCode.UNPREPARED, "unknown");
        cluster.next().answer(ScanLayouts.prepared(List.of("k")));
        cluster.next().answer(ScriptedTransport.page(null, KEY));
        assertThat(taken(reader).rows()).isOne();
    }

    @Test
    void failsAtOnceWithTheTrueCauseWhenTheTableIsDropped() {
        Fetcher fetcher = fetcher();
        PageReader first = reader(fetcher);
        PageReader second = reader(fetcher);
        cluster.dropTable();
        cluster.next().refuse(ErrorCode.READ_FAILURE, "Unknown table");
        assertFails(first, "the table does not exist any more: Unknown table");
        cluster.next().refuse(ErrorCode.UNPREPARED, "unknown");
        cluster.next().refuse(ErrorCode.INVALID, "table t does not exist");
        assertFails(second, "table t does not exist");
        assertThat(cluster.sent).isEmpty();
    }

    @Test
    void countsAttemptsOfReadsThatTimeOutAtReplicasOrLoseTheirConnection() {
        PageReader first = reader(fetcher());
        for (int attempt = 1; attempt <= 4; attempt++) {
            cluster.next().breakConnection();
            cluster.pass(Duration.ofSeconds(6));
            cluster.next().refuse(ErrorCode.READ_TIMEOUT, "timed out");
            cluster.pass(Duration.ofSeconds(6));
        }
        while (!first.isFinished()) {
            cluster.next().answer(ScriptedTransport.page(null));
            assertThat(taken(first).rows()).isZero();
        }
        PageReader second = reader(fetcher());
        for (int attempt = 1; attempt <= 10; attempt++) {
            cluster.next().refuse(ErrorCode.READ_TIMEOUT, "timed out");
            cluster.pass(Duration.ofSeconds(6));
        }
        assertFails(second, "timed out (given up after 10 attempts)");
    }

    @Test
    void failsWithTheColumnThatWasDropped() {
        PageReader reader = reader(fetcher());
        for (int attempt = 1; attempt <= 10; attempt++) {
            cluster.next().refuse(ErrorCode.UNPREPARED, "unknown");
            cluster.next().refuse(ErrorCode.INVALID, "Undefined column name v");
            cluster.pass(Duration.ofSeconds(6));
        }
        assertFails(reader, "Undefined column name v (given up after 10 attempts)");
    }

    @Test
    void failsAtOnceIfTheTableDoesNotTakeTheConsistencyLevel() {
        PageReader reader = reader(fetcher());
        String accord =
                "ConsistencyLevel LOCAL_QUORUM is unsupported with Accord for read, supported are [ONE, QUORUM]";
        cluster.next().refuse(ErrorCode.INVALID, accord);
        assertFails(reader, "the table does not take this consistency level, so choose another one: " + accord);
        assertThat(cluster.sent).isEmpty();
    }

    @Test
    void failsAtOnceWhenItMayNotReadAnyMore() {
        Fetcher fetcher = fetcher();
        PageReader first = reader(fetcher);
        PageReader second = reader(fetcher);
        cluster.next().refuse(ErrorCode.UNAUTHORIZED, "User u has no SELECT permission");
        assertFails(first, "User u has no SELECT permission");
        cluster.next().refuse(ErrorCode.UNPREPARED, "unknown");
        cluster.next().refuse(ErrorCode.UNAUTHORIZED, "User u has no SELECT permission");
        assertFails(second, "User u has no SELECT permission");
        assertThat(cluster.sent).isEmpty();
    }

    @Test
    void saysThatThePasswordIsNotAcceptedWhileItWaits() {
        Fetcher fetcher = fetcher();
        cluster.setState(0, NodeState.DOWN);
        cluster.setWhyDown(0, "does not accept the password of user u");
        PageReader reader = reader(fetcher);
        cluster.pass(Duration.ofSeconds(60));
        assertThat(fetcher.totals(0, 0).waiting())
                .isEqualTo("node 10.0.0.1:9042 does not accept the password of user u, waiting 60 s");
        cluster.pass(Duration.ofMinutes(5));
        assertFails(reader, "node 10.0.0.1:9042 does not accept the password of user u; gave up after 300 s");
    }

    private static void assertFails(PageReader reader, String reason) {
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(reader::poll)
                .withMessageStartingWith("[ks.t] cannot read token range (")
                .withMessageContaining("]: " + reason);
    }

    /** No smaller page helps: other replicas are asked, and the message says what does help. */
    @Test
    void givesUpEarlyIfARowHasTooManyTombstonesBeforeIt() throws Exception {
        PageReader reader = reader(fetcher());
        cluster.next().answer(ScriptedTransport.page(new byte[] {5}, KEY));
        assertThat(taken(reader).rows()).isOne();
        int refused = 0;
        for (; !cluster.sent.isEmpty() && refused < 200; refused++) {
            cluster.next()
                    .answer(new ReadFailure(
                            "READ_TOO_MANY_TOMBSTONES from 127.0.0.1",
                            ConsistencyLevel.LOCAL_ONE,
                            0,
                            1,
                            1,
                            Map.of(InetAddress.getLoopbackAddress(), 1),
                            false));
            cluster.pass(Duration.ofSeconds(5));
        }
        assertThat(refused).isLessThan(200);
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(reader::poll)
                .withMessageContaining("READ_TOO_MANY_TOMBSTONES from 127.0.0.1; so many deleted rows lie side by side")
                .withMessageContaining("raise tombstone_failure_threshold")
                .withMessageContaining("; its partitions: SELECT DISTINCT k FROM ks.t WHERE token(k) > "
                        + (TOKEN - 1000) + " AND token(k) <= ")
                .withMessageEndingWith("(given up after 3 attempts)");
    }

    /** Such as a value that is newer than the drop of its column. */
    @Test
    void saysWhoseLogHasTheReasonOfARowThatCannotBeRead() {
        PageReader reader = reader(fetcher());
        for (int refused = 0; !cluster.sent.isEmpty() && refused < 500; refused++) {
            cluster.next()
                    .answer(new ReadFailure(
                            "Operation failed",
                            ConsistencyLevel.LOCAL_ONE,
                            0,
                            1,
                            1,
                            Map.of(InetAddress.getLoopbackAddress(), 0),
                            false));
            cluster.pass(Duration.ofSeconds(5));
        }
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(reader::poll)
                .withMessageContaining(
                        "Operation failed; the log of 127.0.0.1 says why, next to the name of table ks.t");
    }

    @Test
    void cutsARangeWhoseFirstPageHadNoRows() {
        PageReader reader = reader(fetcher());
        cluster.next().answer(ScriptedTransport.page(new byte[] {7}));
        assertThat(taken(reader).rows()).isZero();
        Sent next = cluster.next();
        assertThat(pagingState(next)).containsExactly(7);
        next.refuse(ErrorCode.READ_FAILURE, "too many tombstones");

        Sent half = cluster.next();
        assertThat(start(half)).isEqualTo(range.start());
        assertThat(end(half)).isBetween(TOKEN - 1, TOKEN);
        assertThat(pagingState(half)).as("which may name a row behind the end").isEmpty();
    }

    @Test
    void cutsARangeBehindTheLastRowAfterAPageWithoutRows() {
        PageReader reader = reader(fetcher());
        cluster.next().answer(ScriptedTransport.page(new byte[] {5}, KEY));
        assertThat(taken(reader).rows()).isOne();
        cluster.next().answer(ScriptedTransport.page(new byte[] {7}));
        assertThat(taken(reader).rows()).isZero();
        assertThat(pagingState(cluster.sent.element())).containsExactly(7);
        cluster.next().refuse(ErrorCode.READ_FAILURE, "too many tombstones");

        Sent half = cluster.next();
        assertThat(end(half)).isBetween(TOKEN + 499, TOKEN + 500);
        assertThat(pagingState(half)).as("of the last row").containsExactly(5);
        half.answer(ScriptedTransport.page(null));
        assertThat(taken(reader).rows()).isZero();
        Sent rest = cluster.next();
        assertThat(start(rest)).isEqualTo(end(half));
        assertThat(end(rest)).isEqualTo(range.end());
        assertThat(pagingState(rest)).isEmpty();
    }

    /** Else the same page would be requested for ever. */
    @Test
    void failsIfAPageEndsWhereItWasToBegin() {
        PageReader reader = reader(fetcher());
        cluster.next().answer(ScriptedTransport.page(new byte[] {7}));
        assertThat(taken(reader).rows()).isZero();
        cluster.next().answer(ScriptedTransport.page(new byte[] {7}));
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(reader::poll)
                .withMessage(
                        "[ks.t] cannot read: the server's answer is malformed: its paging state is the one that was"
                                + " sent, so reading would never end");
        assertThat(cluster.sent).isEmpty();
    }

    @Test
    void failsTheReaderIfTheTimerThrows() {
        PageReader reader = reader(fetcher());
        cluster.next().refuse(ErrorCode.UNAVAILABLE, "not now");
        cluster.throwAtNextSend(new OutOfMemoryError("Java heap space"));
        cluster.pass(Duration.ofSeconds(1));
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(reader::poll)
                .withMessageStartingWith("cannot read: a Java heap of ");
    }

    @Test
    void failsTheReaderIfARetryCannotBeScheduled() {
        PageReader reader = reader(new Fetcher(
                cluster,
                ScanLayouts.split(),
                ScanOptions.from("ks", "t")
                        .inFlightControl(InFlightControl.FIXED) // whose timer reads the clock later than the retry
                        .build()));
        cluster.next().refuse(ErrorCode.UNAVAILABLE, "not now");
        cluster.throwAtNextReadingOfTheClock(new OutOfMemoryError("Java heap space"));
        cluster.pass(Duration.ofMillis(60));
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(reader::poll)
                .withMessageStartingWith("cannot read: a Java heap of ");
    }

    @Test
    void failsTheReaderIfAPageCannotBeHandled() {
        PageReader reader = new PageReader(fetcher(), new Split(List.of(range), List.of(), 0), 1024, () -> {
            throw new IllegalStateException("cannot take it");
        });
        reader.request();
        try {
            cluster.next().answer(ScriptedTransport.page(null, KEY));
        } catch (IllegalStateException e) {
            // from the second call, for the failure
        }
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(reader::poll)
                .withMessageContaining("internal error: java.lang.IllegalStateException: cannot take it");
    }

    @Test
    void aClusterThatFailsEveryPageGetsTenRetriesASecondAndNoPageIsLost() {
        Fetcher fetcher = fetcher();
        List<PageReader> readers =
                Stream.generate(() -> reader(fetcher)).limit(200).toList();
        int failed = 0;
        for (int i = 0; i < 60; i++) {
            for (; !cluster.sent.isEmpty(); failed++) {
                cluster.next().refuse(ErrorCode.OVERLOADED, "overloaded");
            }
            cluster.pass(Duration.ofSeconds(1));
        }
        assertThat(failed).isBetween(200 + 100, 200 + 100 + 10 * 60);
        assertThat(fetcher.totals(0, 0).waiting()).isNotNull();
        for (int i = 0; i < 1_000; i++) {
            while (!cluster.sent.isEmpty()) {
                cluster.next().answer(ScriptedTransport.page(null, KEY));
            }
            cluster.pass(Duration.ofMillis(5));
        }
        assertThat(readers).allSatisfy(reader -> {
            assertThat(taken(reader).rows()).isOne();
            assertThat(reader.isFinished()).isTrue();
        });
    }

    /** Readers with pages of half a MiB, of which two to each node are in flight at first. */
    private List<PageReader> largePages(Fetcher fetcher, int count) {
        List<PageReader> readers = Stream.generate(
                        () -> new PageReader(fetcher, new Split(List.of(range), List.of(), 0), 512 << 10, () -> {}))
                .limit(count)
                .toList();
        readers.forEach(PageReader::request);
        return readers;
    }

    @Test
    void pagesWaitAtTheGateAndFollowInOrder() {
        List<PageReader> readers = largePages(fetcher(), 5);
        assertThat(cluster.sent).hasSize(2);
        for (int i = 0; i < 5; i++) {
            assertThat(cluster.sent).hasSize(Math.min(2, 5 - i));
            cluster.next().answer(ScriptedTransport.page(null, KEY));
            assertThat(readers.get(i).hasNews()).isTrue();
            assertThat(readers.subList(i + 1, 5)).noneMatch(PageReader::hasNews);
        }
        assertThat(readers).allSatisfy(reader -> {
            assertThat(taken(reader).rows()).isOne();
            assertThat(reader.isFinished()).isTrue();
        });
    }

    @Test
    void aPageThatBacksOffLeavesItsPermitToOneThatWaits() {
        List<PageReader> readers = largePages(fetcher(), 3);
        cluster.next().refuse(ErrorCode.OVERLOADED, "overloaded");
        assertThat(cluster.sent).hasSize(2);
        cluster.next().answer(ScriptedTransport.page(null, KEY));
        cluster.next().answer(ScriptedTransport.page(null, KEY));
        assertThat(readers.get(0).hasNews()).isFalse();
        cluster.pass(Duration.ofSeconds(5));
        cluster.next().answer(ScriptedTransport.page(null, KEY));
        assertThat(readers)
                .allSatisfy(reader -> assertThat(taken(reader).rows()).isOne());
    }

    @Test
    void pagesThatWaitAtTheGateOfANodeThatDiesAreRead() {
        List<PageReader> readers = largePages(fetcher(), 5);
        cluster.setState(0, NodeState.DOWN);
        while (!cluster.sent.isEmpty()) {
            cluster.next().breakConnection();
        }
        cluster.pass(Duration.ofSeconds(30));
        assertThat(cluster.sent).isEmpty();
        assertThat(readers).noneMatch(PageReader::hasNews);
        cluster.setState(0, NodeState.UP);
        for (int i = 0; i < 1_000; i++) {
            cluster.pass(Duration.ofMillis(20));
            while (!cluster.sent.isEmpty()) {
                cluster.next().answer(ScriptedTransport.page(null, KEY));
            }
        }
        assertThat(readers)
                .allSatisfy(reader -> assertThat(taken(reader).rows()).isOne());
    }

    @Test
    void pagesThatWaitAtTheGateFailWhenItIsClosedAndAreNotSent() {
        Fetcher fetcher = fetcher();
        List<PageReader> readers = largePages(fetcher, 5);
        fetcher.close();
        assertThat(readers).allSatisfy(reader -> assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(reader::poll)
                .withMessage("[ks.t] reading was closed"));
        cluster.next().answer(ScriptedTransport.page(null, KEY));
        cluster.next().answer(ScriptedTransport.page(null, KEY));
        assertThat(cluster.sent).isEmpty();
        cluster.pass(Duration.ofSeconds(20));
        assertThat(cluster.sent).isEmpty();
        assertThat(cluster.scheduledTasks()).isZero();
    }

    private byte[] nextState() {
        return new byte[] {(byte) (++states >> 8), (byte) states};
    }

    /** A node that answers a page in the same time whatever its size, so that the largest is best. */
    private void readFor(Fetcher fetcher, Duration time) {
        List<PageReader> readers = Stream.generate(
                        () -> new PageReader(fetcher, new Split(List.of(range), List.of(), 0), 1 << 20, () -> {}))
                .limit(8)
                .toList();
        readers.forEach(PageReader::request);
        for (long end = cluster.nanoTime() + time.toNanos(); cluster.nanoTime() < end; ) {
            cluster.pass(Duration.ofMillis(50));
            int pageBytes = fetcher.pageBytes(1 << 20);
            for (int i = cluster.sent.size(); i > 0; i--) {
                cluster.next().answer(ScriptedTransport.page(nextState(), new byte[pageBytes - 4]));
            }
            fetcher.waited();
            readers.forEach(PageReader::poll);
        }
    }

    @Test
    void theSecondRunBeginsWithThePageSizeThatTheFirstHasFound() {
        MemoryOfSizes store = new MemoryOfSizes();
        cluster.foundSizes = store;
        try (Fetcher first = fetcher()) {
            first.findSizes(/* findsPageBytes */ true, 4, 4);
            assertThat(first.pageBytes(1 << 20)).isEqualTo(512 << 10);
            readFor(first, Duration.ofSeconds(35));
        }
        assertThat(store.values.values()).containsExactly(1 << 20);
        assertThat(cluster.decisions)
                .anyMatch(decision -> decision.reason().equals("requests of 1048576 bytes: faster than 524288 bytes"))
                .noneMatch(decision -> decision.reason().contains("earlier run"));

        cluster.sent.clear();
        cluster.decisions.clear();
        Fetcher second = fetcher();
        second.findSizes(/* findsPageBytes */ true, 4, 4);
        assertThat(second.pageBytes(1 << 20)).isEqualTo(1 << 20);
        readFor(second, Duration.ofSeconds(1));
        assertThat(cluster.decisions)
                .filteredOn(decision -> decision.reason().contains("earlier run"))
                .singleElement()
                .satisfies(decision -> {
                    assertThat(decision.reason()).isEqualTo("requests of 1048576 bytes: from an earlier run");
                    assertThat(decision.requestBytes()).isEqualTo(1 << 20);
                    assertThat(decision.node()).isEqualTo("10.0.0.1:9042");
                });
    }

    @Test
    void aLaterScanOverTheSameSessionStartsWithAFourthOfAPageOfTheRowsOfTheFirst() {
        try (Fetcher first = fetcher()) {
            reader(first);
            Sent sent = cluster.next();
            assertThat(rows(sent)).isEqualTo(PageSize.FIRST_ROWS);
            sent.answer(ScriptedTransport.page(null, new byte[28])); // with its length, 32 bytes
        }
        reader(fetcher());
        assertThat(rows(cluster.next())).isEqualTo(1024 / 4 / 32);
    }

    @Test
    void aRunThatComparedNothingKeepsNothing() {
        MemoryOfSizes store = new MemoryOfSizes();
        cluster.foundSizes = store;
        try (Fetcher fetcher = fetcher()) {
            fetcher.findSizes(/* findsPageBytes */ true, 4, 16);
            readFor(fetcher, Duration.ofSeconds(5));
        }
        assertThat(store.values).isEmpty();
    }
}
