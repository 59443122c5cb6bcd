package io.overdrive.internal.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.ProtocolConstants.Opcode;
import com.datastax.oss.protocol.internal.response.Error;
import com.datastax.oss.protocol.internal.response.result.Void;
import io.overdrive.FlowDecision;
import io.overdrive.FoundSizes;
import io.overdrive.GatheringDecision;
import io.overdrive.Grouping;
import io.overdrive.InFlightControl;
import io.overdrive.RejectedRow;
import io.overdrive.RowCallback;
import io.overdrive.Seeds;
import io.overdrive.Totals;
import io.overdrive.WriteOptions;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.flow.Limiter;
import io.overdrive.internal.flow.Limits;
import io.overdrive.internal.flow.Traffic;
import io.overdrive.internal.ring.CurrentRing;
import io.overdrive.internal.ring.Murmur3;
import io.overdrive.internal.wire.BulkWork;
import io.overdrive.internal.wire.ScriptedTransport;
import io.overdrive.internal.wire.ScriptedTransport.Sent;
import io.overdrive.internal.wire.Transport;
import io.overdrive.internal.wire.Wire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random rows go through a {@link Grouper} to a scripted cluster that refuses some of them. A list of the rows says which
 * requests are right: each row arrives with its values and its write time and is acknowledged or rejected exactly once, rows of a
 * group are sent in the order in which they were added, requests keep to the limits, and all memory is returned.
 */
class GrouperModelTest {
    private static final long BASE = 1_000_000_000L;
    private static final int RUNS = 20;
    private static final int MAX_BATCH_ROWS = 200;
    /** The key, two more columns and the write time. */
    private static final int MARKERS = 4;

    private static final int NODES = 2;
    private static final BatchWarnings WARNINGS = new BatchWarnings(10, 5 << 10);
    private static final long UNLIMITED = Long.MAX_VALUE;

    private final Path directory;

    GrouperModelTest(@TempDir Path directory) {
        this.directory = directory;
    }

    /** A row and what has happened to it. Guarded by the model. */
    private static final class Row {
        final long group;
        final byte[] key;
        final byte @Nullable [] first;
        final byte[] second;
        final byte[] attachment;
        /** Whether the server refuses it. */
        final boolean bad;
        /** The limit of the bytes of a batch when the row was added. */
        final int batchLimit;

        boolean sent;
        boolean acknowledged;
        boolean rejected;
        boolean hasCallback;
        /** The result that the callback got. */
        @Nullable String ended;

        Row(long group, byte[] key, int maxBytes, boolean bad, int batchLimit, Random random) {
            this.group = group;
            this.key = key;
            this.first = random.nextInt(5) == 0 ? null : bytes(random, maxBytes);
            this.second = bytes(random, maxBytes);
            this.attachment = bytes(random, 50);
            this.bad = bad;
            this.batchLimit = batchLimit;
        }

        private static byte[] bytes(Random random, int maxBytes) {
            byte[] bytes = new byte[random.nextInt(maxBytes)];
            random.nextBytes(bytes);
            return bytes;
        }
    }

    /**
     * A grouper, its cluster and the rows that it was given. The cluster answers within a later request, so that one thread is
     * enough; the threads that read spilled rows back take turns.
     */
    private final class Model implements Transport {
        final Random random;
        /** Whether rows of a partition are far apart, so that they do not fit in memory and are spilled. */
        final boolean farApart;

        final Grouping grouping;
        final WriteLayout layout;
        final int maxBytes;
        final int batchRows;
        /** Whether single rows share requests at random times. */
        final boolean gathers;

        final long groupingMemory;
        /** Batches from this size on are refused. */
        final int threshold;
        /** One row in this many has a callback. */
        final int callbackOneIn;

        final Limiter limiter;
        final Grouper grouper;
        final List<Row> rows = new ArrayList<>();
        final Map<Long, Integer> lastSent = new HashMap<>();
        final ScriptedTransport cluster = new ScriptedTransport(NODES);
        final List<Sent> unanswered = new ArrayList<>();
        private final List<WriteRequest> ready = new ArrayList<>();
        private final Bytes key = new Bytes(64);
        private final Bytes record = new Bytes(64);
        private int batchLimit;
        private int maxUnanswered;
        private boolean answering;

        Model(Grouping grouping, Random random) {
            this.random = random;
            this.grouping = grouping;
            layout = WriteLayouts.of(
                    MARKERS, random.nextBoolean() ? 1 : 0, grouping, /* idempotent */ true, /* needsNewTime */ false);
            farApart = random.nextBoolean();
            maxBytes = farApart ? 30 : random.nextInt(6) == 0 ? 20_000 : 1 + random.nextInt(300);
            batchRows = 1 + random.nextInt(random.nextBoolean() ? MAX_BATCH_ROWS : 6);
            groupingMemory = 1L << (farApart ? 18 : 16) + random.nextInt(3);
            gathers = grouping != Grouping.REPLICA_SET && random.nextBoolean();
            int batchBytes = 1 << (farApart ? 10 : 7) + random.nextInt(7);
            threshold = 1 + random.nextInt(32) << 10;
            batchLimit = grouping == Grouping.REPLICA_SET ? Math.min(batchBytes, threshold / 8 * 5) : batchBytes;
            callbackOneIn = farApart || random.nextBoolean() ? Integer.MAX_VALUE : 1 + random.nextInt(5);
            int inFlight = 1 + random.nextInt(20);
            maxUnanswered = inFlight - 1;
            limiter = new Limiter(
                    new Limits(inFlight, UNLIMITED, UNLIMITED, UNLIMITED),
                    InFlightControl.FIXED,
                    /* startCost */ 0,
                    this::nanoTime,
                    "model",
                    this::decided);
            WriteOptions.Builder options = WriteOptions.into("ks", "t")
                    .bulk()
                    .batchBytes(batchBytes)
                    .batchRows(batchRows)
                    .spillDirectory(directory)
                    .attachments()
                    .onReject(this::rejected);
            if (!farApart && random.nextBoolean()) {
                options.linger(Duration.ofMillis(1 + random.nextInt(500)));
            }
            WriteOptions built = options.build();
            grouper = new Grouper(
                    this,
                    layout,
                    built,
                    limiter,
                    BatchLimit.of(ScriptedTransport.session((threshold >> 10) + "KiB"), layout, built, limiter),
                    groupingMemory,
                    BASE,
                    gathers ? new Gathering(this, layout, built, WARNINGS, slot -> decision()) : null);
            cluster.pass(Duration.ofNanos(GatheringTrial.first().nanos()));
        }

        private GatheringTrial.Decision decision() {
            return new GatheringTrial.Decision(
                    random.nextBoolean(), random.nextInt(1_000_000), random.nextInt(5_000_000), /* outcome */ null);
        }

        /** Adds rows in order, in random order, or from all partitions in turn. */
        void addRows() {
            int partitions = 1 + random.nextInt(farApart ? 4_000 : 1_000);
            int replicaSets = 1 + random.nextInt(20);
            int count = maxBytes > 1_000 ? 500 : 12_000;
            int order = farApart ? 1 : random.nextInt(3);
            int badOneIn = random.nextBoolean() ? 300 : Integer.MAX_VALUE;
            for (int i = 0; i < count; i++) {
                int partition = order == 0
                        ? (int) ((long) i * partitions / count)
                        : order == 1 ? random.nextInt(partitions) : i % partitions;
                long group =
                        switch (grouping) {
                            case PARTITION -> partition;
                            case REPLICA_SET -> partition % replicaSets;
                            case NONE -> i;
                        };
                byte[] partitionKey =
                        Arrays.copyOf(new byte[] {(byte) (partition >> 8), (byte) partition}, 2 + partition % 99);
                add(new Row(group, partitionKey, maxBytes, random.nextInt(badOneIn) == 0, batchLimit, random));
                if (i % 100 == 0) {
                    assertThat(totals().groupingBytes())
                            .as("memory of %d with values up to %d", groupingMemory, maxBytes)
                            .isLessThan(groupingMemory + groupingMemory / 16 + 8 * (4L * maxBytes + 4_096));
                }
                if (random.nextInt(10) == 0) {
                    cluster.pass(Duration.ofMillis(1));
                }
                if (random.nextInt(2_000) == 0) {
                    grouper.flush();
                    assertNothingInMemory();
                }
            }
            assertThat(grouper.failure()).isNull();
        }

        private void add(Row row) {
            int position = rows.size();
            rows.add(row);
            long token = Murmur3.token(row.key, 0, row.key.length);
            key.clear();
            record.clear();
            if (grouping != Grouping.NONE) {
                record.putInt(0);
                record.putLong(position);
            }
            if (grouping == Grouping.REPLICA_SET) {
                key.putInt((int) row.group);
            } else if (grouping == Grouping.PARTITION) {
                put(key, row.key);
            }
            if (grouping != Grouping.PARTITION || layout.prefixMarkers == 0) {
                put(record, row.key);
            }
            put(record, row.first);
            put(record, row.second);
            if (grouping == Grouping.NONE) {
                record.putInt(Long.BYTES);
                record.putLong(BASE + position);
                byte[] body = new byte[layout.executeOverhead() + record.length()];
                int at = layout.beginExecute(body);
                System.arraycopy(record.array(), 0, body, at, record.length());
                layout.endExecute(body, at + record.length(), BASE + position);
                grouper.addSingle(
                        body,
                        token,
                        position,
                        row.attachment,
                        callback(row),
                        random.nextBoolean() || !grouper.isReady());
            } else {
                record.setInt(0, record.length() - 12);
                put(record, row.attachment);
                long hash = grouping == Grouping.PARTITION ? token : row.group * 0x9E3779B97F4A7C15L;
                boolean mayWait = random.nextBoolean() || !grouper.isReady();
                grouper.add(
                        hash, token, key.array(), key.length(), record.array(), record.length(), callback(row), ready);
                grouper.sendAll(ready, mayWait);
            }
        }

        private @Nullable RowCallback callback(Row row) {
            if (random.nextInt(callbackOneIn) > 0) {
                return null;
            }
            row.hasCallback = true;
            return (position, failure) -> {
                assertThat(rows.get((int) position)).isSameAs(row);
                assertThat(row.ended).as("row %s ended before", position).isNull();
                row.ended = failure == null ? "written" : failure.kind().name();
            };
        }

        void assertCallbacks() {
            assertThat(rows).filteredOn(row -> row.hasCallback).allSatisfy(row -> assertThat(row.ended)
                    .isEqualTo(row.acknowledged ? "written" : row.rejected ? "ROW" : "WRITE"));
        }

        private void put(Bytes target, byte @Nullable [] value) {
            if (value == null) {
                target.putInt(-2); // not set
            } else {
                target.putInt(value.length);
                target.put(value);
            }
        }

        Totals totals() {
            return grouper.totals(rows.size(), /* repeatedKeys */ null);
        }

        void assertNothingInMemory() {
            assertThat(totals().groupingBytes()).isZero();
            if (totals().rowsSpilled() == 0) {
                assertThat(rows).allMatch(row -> row.sent);
            }
        }

        void assertNothingInFlight() throws IOException {
            assertThat(unanswered).isEmpty();
            assertThat(totals().inFlightRequests()).isZero();
            assertThat(totals().inFlightBytes()).isZero();
            for (int node = 0; node < NODES; node++) {
                assertThat(limiter.gate(cluster.node(node)).requests()).isZero();
                assertThat(limiter.gate(cluster.node(node)).bytes()).isZero();
            }
            try (Stream<Path> files = Files.list(directory)) {
                assertThat(files).isEmpty();
            }
        }

        // ---- the cluster

        @Override
        public synchronized boolean send(Node node, Message message, Wire.Request request) {
            assertThat(cluster.send(node, message, request)).isTrue();
            Sent sent = cluster.next();
            check(sent);
            unanswered.add(sent);
            answerSome();
            return true;
        }

        /** Answers requests in random order, until a producer finds a permit. */
        private void answerSome() {
            if (answering) {
                return; // an answer has led to a request, such as half of a refused batch
            }
            answering = true;
            try {
                int kept = maxUnanswered == 0 ? 0 : random.nextInt(maxUnanswered + 1);
                while (unanswered.size() > kept) {
                    answer(unanswered.remove(maxUnanswered == 0 ? 0 : random.nextInt(unanswered.size())));
                }
            } finally {
                answering = false;
            }
        }

        synchronized void answerAll() {
            maxUnanswered = 0;
            answerSome();
        }

        private void answer(Sent sent) {
            List<Integer> positions = positions(sent);
            boolean batch = sent.opcode() == Opcode.BATCH;
            boolean severalPartitions =
                    positions.stream().map(this::partition).distinct().count() > 1;
            if (batch && severalPartitions && sent.body().length >= threshold) {
                if (grouping == Grouping.REPLICA_SET) {
                    batchLimit = Math.min(batchLimit, Math.max(1024, sent.body().length / 2));
                }
                sent.answer(new Error(ErrorCode.INVALID, "Batch too large"));
            } else if (positions.stream().anyMatch(position -> rows.get(position).bad)) {
                sent.answer(new Error(ErrorCode.INVALID, "bad row"));
            } else {
                for (int position : positions) {
                    Row row = rows.get(position);
                    if (row.acknowledged) {
                        fail("row %d is written twice", position);
                    }
                    row.acknowledged = true;
                }
                sent.answer(Void.INSTANCE);
            }
        }

        private String partition(int position) {
            return Arrays.toString(rows.get(position).key);
        }

        private void rejected(RejectedRow rejected) {
            Row row = rows.get((int) rejected.position());
            assertThat(row.bad).isTrue();
            assertThat(row.rejected)
                    .as("row %d is rejected before", rejected.position())
                    .isFalse();
            assertThat(rejected.attachment()).isEqualTo(row.attachment);
            row.rejected = true;
        }

        private void check(Sent sent) {
            boolean batch = sent.opcode() == Opcode.BATCH;
            List<Integer> positions = positions(sent);
            assertThat(positions.size() > 1).isEqualTo(batch);
            assertThat(positions.size()).isLessThanOrEqualTo(batchRows);
            Row first = rows.get(positions.get(0));
            boolean resent = first.sent;
            boolean mayBeGathered =
                    gathers && positions.size() <= WARNINGS.partitions() && sent.body().length <= WARNINGS.bytes();
            for (int position : positions) {
                Row row = rows.get(position);
                if ((row.group != first.group && !mayBeGathered) || row.sent != resent) {
                    fail("row %d is in a request that starts with row %d", position, positions.get(0));
                }
                row.sent = true;
                Integer before = resent ? null : lastSent.put(row.group, position);
                if (before != null && before > position && !gathers) {
                    fail("row %d is sent after row %d of its group", position, before);
                }
            }
            if (batch && !resent && !mayBeGathered) {
                int last = positions.size() - 1;
                int lastBytes = rowBytes(rows.get(positions.get(last)));
                assertThat(sent.body().length - layout.batchOverhead() - lastBytes)
                        .as("bytes without the last row")
                        .isLessThan(rows.get(positions.get(last - 1)).batchLimit);
            }
        }

        private int rowBytes(Row row) {
            int values = row.key.length + (row.first == null ? 0 : row.first.length) + row.second.length + Long.BYTES;
            return layout.rowHeader.length + MARKERS * Integer.BYTES + values;
        }

        /** The rows of a request by their write times, once their values are found to be right. */
        private List<Integer> positions(Sent sent) {
            byte[] body = sent.body();
            boolean batch = sent.opcode() == Opcode.BATCH;
            int count = batch ? (body[1] & 0xff) << 8 | body[2] & 0xff : 1;
            int at = batch ? 3 : layout.beginExecute(new byte[layout.executeOverhead()]);
            List<Integer> positions = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                at += batch ? layout.rowHeader.length : 0;
                byte @Nullable [][] values = new byte @Nullable [MARKERS][];
                for (int marker = 0; marker < MARKERS; marker++) {
                    int length = Bytes.getInt(body, at);
                    at += 4;
                    if (length >= 0) {
                        values[marker] = Arrays.copyOfRange(body, at, at + length);
                        at += length;
                    }
                }
                int position = (int) (Bytes.getLong(values[3], 0) - BASE);
                Row row = rows.get(position);
                if (!Arrays.equals(values[0], row.key)
                        || !Arrays.equals(values[1], row.first)
                        || !Arrays.equals(values[2], row.second)) {
                    fail("row %d has other values", position);
                }
                positions.add(position);
            }
            assertThat(body.length - at).isEqualTo(batch ? layout.batchOverhead() - 3 : 0);
            return positions;
        }

        @Override
        public CurrentRing ring(CqlIdentifier keyspace) {
            return cluster.ring(keyspace);
        }

        @Override
        public @Nullable String whyDown(Node node) {
            return cluster.whyDown(node);
        }

        @Override
        public boolean isClosed() {
            return cluster.isClosed();
        }

        @Override
        public Metadata metadata() {
            return cluster.metadata();
        }

        @Override
        public long nanoTime() {
            return cluster.nanoTime();
        }

        @Override
        public Traffic traffic() {
            return cluster.traffic();
        }

        @Override
        public FoundSizes foundSizes() {
            return FoundSizes.NONE;
        }

        @Override
        public FoundSizes sessionSizes() {
            return FoundSizes.NONE;
        }

        @Override
        public BulkWork bulkWork(CqlIdentifier keyspace, CqlIdentifier table, DoubleConsumer limiter) {
            return cluster.bulkWork(keyspace, table, limiter);
        }

        @Override
        public void decided(GatheringDecision decision) {}

        @Override
        public void decided(FlowDecision decision) {}

        @Override
        public ScheduledExecutorService timer() {
            return cluster.timer();
        }

        @Override
        public ScheduledExecutorService executor(String threadName) {
            return new ScheduledThreadPoolExecutor(0) {
                @Override
                public void execute(Runnable task) {
                    task.run();
                }

                @Override
                public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
                    return cluster.timer().schedule(task, delay, unit);
                }
            };
        }
    }

    private Totals writesEachRowOnce(Grouping grouping, Random random) throws IOException {
        Model model = new Model(grouping, random);
        model.addRows();
        model.answerAll();
        model.grouper.finish();
        model.assertNothingInMemory();
        model.assertNothingInFlight();
        assertThat(model.rows).allMatch(row -> row.rejected == row.bad && row.acknowledged == !row.bad);
        model.assertCallbacks();
        Totals totals = model.totals();
        assertThat(totals.rowsWritten())
                .isEqualTo(model.rows.stream().filter(row -> !row.bad).count());
        assertThat(totals.rowsRejected()).isEqualTo(model.rows.size() - totals.rowsWritten());
        model.grouper.close();
        return totals;
    }

    @Test
    void writesEachRowOfAPartitionOnceAndInOrder() {
        Seeds.times(RUNS, random -> writesEachRowOnce(Grouping.PARTITION, random));
    }

    @Test
    void writesEachRowOfAReplicaSetOnceAndInOrder() {
        Seeds.times(RUNS, random -> writesEachRowOnce(Grouping.REPLICA_SET, random));
    }

    @Test
    void writesEachSingleRowOnceHoweverManyShareARequest() {
        Seeds.times(RUNS, random -> {
            Totals totals = writesEachRowOnce(Grouping.NONE, random);
            assertThat(totals.rowsSpilled()).isZero();
        });
    }

    /** Checks that the random runs cover single rows with and without others in their request. */
    @Test
    void gathersSomeOfTheSingleRows() throws IOException {
        Totals all = Totals.NONE;
        for (int seed = 0; seed < RUNS; seed++) {
            all = all.plus(writesEachRowOnce(Grouping.NONE, new Random(seed)));
        }
        assertThat(all.batches()).isPositive();
        assertThat(all.splits()).isPositive();
        assertThat(all.batchedRows()).isBetween(all.rowsWritten() / 20, all.rowsWritten() / 2);
    }

    /** Checks that the random runs cover what the model is about. */
    @Test
    void fillsBatchesSpillsAndSplits() throws IOException {
        Totals all = Totals.NONE;
        for (int seed = 0; seed < RUNS; seed++) {
            all = all.plus(
                    writesEachRowOnce(seed % 2 == 0 ? Grouping.PARTITION : Grouping.REPLICA_SET, new Random(seed)));
        }
        assertThat(all.batches()).isPositive();
        assertThat(all.batchedRows()).isLessThan(all.rowsWritten());
        assertThat(all.rowsSpilled()).isPositive();
        assertThat(all.bytesSpilled()).isGreaterThan(10 * all.rowsSpilled());
        assertThat(all.splits()).isPositive();
        assertThat(all.rowsRejected()).isPositive();
    }

    @Test
    void dropsWhatIsNotSentWhenItIsClosed() {
        Seeds.times(RUNS, random -> {
            Model model = new Model(Grouping.PARTITION, random);
            model.addRows();
            long sent = model.rows.stream().filter(row -> row.sent).count();
            model.grouper.close();
            model.answerAll();
            model.assertNothingInFlight();
            model.assertCallbacks();
            assertThat(model.totals().groupingBytes()).isZero();
            assertThat(model.rows.stream().filter(row -> row.sent).count()).isEqualTo(sent);
        });
    }
}
