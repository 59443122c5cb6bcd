package io.overdrive.bench.load;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.ProtocolConstants.Opcode;
import com.datastax.oss.protocol.internal.request.Prepare;
import com.datastax.oss.protocol.internal.response.Error;
import com.datastax.oss.protocol.internal.response.Result;
import io.overdrive.Overdrive;
import io.overdrive.ScanOptions;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.WriteOptions;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.flow.Limiter;
import io.overdrive.internal.ring.CurrentRing;
import io.overdrive.internal.ring.Ring;
import io.overdrive.internal.ring.RoutingKey;
import io.overdrive.internal.scan.ScanPlan;
import io.overdrive.internal.wire.RawRows;
import io.overdrive.internal.wire.Wire;
import io.overdrive.internal.write.WritePlan;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Makes the requests of a load and sends each to a replica, once: what fails is counted and not tried again, because a second
 * try is an operation that nobody asked for. {@link #send} is confined to the sending thread; answers come on the driver's I/O
 * threads. On the path of each operation.
 *
 * <p>There is no time-out of our own. A server that takes long is what is to be measured, and one that never answers is noticed
 * by the driver's heartbeats, which then ends all that is under way there.
 */
final class OperationSender {
    private static final int PARTITION_ROWS = 5_000;
    private static final int MAX_REASON_LENGTH = 160;
    /** Of the heap that operations under way may take. */
    private static final int SHARE_OF_HEAP = 8;

    private static final int BYTES_BESIDES_BODY = 1_000;

    private final Wire wire;
    private final LoadRecorder tally;
    private final Semaphore permits;
    private final int maxInFlight;
    private final Map<OperationKind, Statement> statements = new EnumMap<>(OperationKind.class);
    private final Limiter load = new Limiter(Integer.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);
    private final long baseTimestamp = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    private final CurrentRing ring;

    /** @throws io.overdrive.OverdriveException of kind SCHEMA where the table is missing, or does not fit a load */
    OperationSender(Overdrive overdrive, LoadOptions options, LoadRecorder tally) {
        this.wire = Wire.of(overdrive.session());
        this.tally = tally;
        TableSchema table = overdrive.table(options.keyspace(), options.table());
        RowMaker rows = new RowMaker(table, options);
        long longest = 0;
        for (OperationKind kind : options.workload().shares().keySet()) {
            Statement statement =
                    switch (kind) {
                        case WRITE -> new Insert(wire, options, table, rows);
                        case READ -> new Select(wire, options, table, rows, keys(table, /* clustering */ true), 1);
                        case PARTITION ->
                            new Select(wire, options, table, rows, keys(table, /* clustering */ false), PARTITION_ROWS);
                    };
            statements.put(kind, statement);
            longest = Math.max(longest, statement.body(0, 0).length);
        }
        ring = wire.ring(CqlIdentifier.fromInternal(options.keyspace()));
        long fit = Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP / (longest + BYTES_BESIDES_BODY);
        maxInFlight = (int) Math.max(1, Math.min(options.inFlight(), fit));
        permits = new Semaphore(maxInFlight);
    }

    private static List<String> keys(TableSchema table, boolean clustering) {
        return table.columns().stream()
                .filter(column -> clustering ? column.isKey() : column.role() == TableSchema.Role.PARTITION_KEY)
                .map(Column::name)
                .toList();
    }

    /** Whether one more may be under way. */
    boolean tryPermit() {
        return permits.tryAcquire();
    }

    /** Waits this long until one more may be under way. */
    boolean awaitPermit(long nanos) throws InterruptedException {
        return permits.tryAcquire(nanos, TimeUnit.NANOSECONDS);
    }

    /** Waits this long until nothing is under way, and leaves it so that nothing can be sent any more. */
    boolean awaitAnswers(long nanos) throws InterruptedException {
        return permits.tryAcquire(maxInFlight, nanos, TimeUnit.NANOSECONDS);
    }

    /**
     * Sends an operation, for which there is a permit.
     *
     * @param operation its number in the load
     */
    void send(OperationKind kind, long row, long operation, long dueNanos) {
        Statement statement = statement(kind);
        byte[] body = statement.body(row, operation);
        Node node = choose(statement.token(), operation);
        long now = System.nanoTime();
        tally.sent.increment();
        if (node == null) {
            end("no node of the local data centre is up");
            return;
        }
        new Operation(kind, statement.cql, node, body, dueNanos, now, /* prepared */ false).send();
    }

    private Statement statement(OperationKind kind) {
        Statement statement = statements.get(kind);
        if (statement == null) {
            throw new IllegalStateException("the workload has no " + kind);
        }
        return statement;
    }

    private void end(@Nullable String failure) {
        if (failure != null) {
            tally.failed(
                    failure.length() <= MAX_REASON_LENGTH ? failure : failure.substring(0, MAX_REASON_LENGTH) + "...");
        }
        permits.release();
    }

    /** The live replica with the fewest operations under way, or any live node where no replica is up. */
    private @Nullable Node choose(long token, long operation) {
        Ring now = ring.now();
        Node replica = leastLoaded(now.replicas(token).nodes(), operation);
        return replica != null ? replica : leastLoaded(now.allLocalNodes().nodes(), operation);
    }

    /** Of nodes that are equally idle, each has its turn. */
    private @Nullable Node leastLoaded(List<Node> nodes, long operation) {
        Node best = null;
        int least = Integer.MAX_VALUE;
        int size = nodes.size();
        for (int i = 0; i < size; i++) {
            Node node = nodes.get((int) ((operation + i) % size));
            if (node.getState() == NodeState.UP || node.getState() == NodeState.UNKNOWN) {
                int inFlight = load.gate(node).requests();
                if (inFlight < least) {
                    least = inFlight;
                    best = node;
                }
            }
        }
        return best;
    }

    /** One request, which may be sent a second time where the node has forgotten the statement. */
    private final class Operation extends Wire.Request {
        private final OperationKind kind;
        private final String cql;
        private final Node node;
        private final Limiter.Gate gate;
        private final byte[] body;
        private final long dueNanos;
        private final long sentNanos;
        private final boolean prepared;
        /** Only seen by the connection's own thread, which may tell of a broken one twice. */
        private boolean ended;

        Operation(
                OperationKind kind,
                String cql,
                Node node,
                byte[] body,
                long dueNanos,
                long sentNanos,
                boolean prepared) {
            this.kind = kind;
            this.cql = cql;
            this.node = node;
            this.gate = load.gate(node);
            this.body = body;
            this.dueNanos = dueNanos;
            this.sentNanos = sentNanos;
            this.prepared = prepared;
        }

        void send() {
            gate.force(body.length);
            if (!wire.send(node, Opcode.EXECUTE, body, this)) {
                failed(null, /* sent */ false);
            }
        }

        private boolean ends() {
            if (ended) {
                return false;
            }
            ended = true;
            gate.release(body.length);
            return true;
        }

        @Override
        protected void answered(Message message) {
            if (!ends()) {
                return;
            }
            if (message instanceof Result) {
                if (message instanceof RawRows rows && Bytes.getInt(rows.body(), rows.rowsStart()) == 0) {
                    tally.foundNothing();
                }
                long now = System.nanoTime();
                tally.succeeded(kind, now - dueNanos, now - sentNanos);
                end(null);
            } else if (message instanceof Error error && error.code == ErrorCode.UNPREPARED && !prepared) {
                prepareAgain();
            } else {
                end(
                        message instanceof Error error
                                ? error.message
                                : "the server answered with "
                                        + message.getClass().getSimpleName());
            }
        }

        @Override
        protected void failed(@Nullable Throwable cause, boolean sent) {
            if (ends()) {
                end(noAnswer(node, cause));
            }
        }

        /** The node has forgotten the statement (restarted, or its cache is full): tell it again, then send again. */
        private void prepareAgain() {
            Wire.Request prepare = new Wire.Request() {
                private boolean ended;

                @Override
                protected void answered(Message message) {
                    if (ended) {
                        return;
                    }
                    ended = true;
                    if (message instanceof Error error) {
                        end(error.message);
                    } else {
                        new Operation(kind, cql, node, body, dueNanos, sentNanos, /* prepared */ true).send();
                    }
                }

                @Override
                protected void failed(@Nullable Throwable cause, boolean sent) {
                    if (!ended) {
                        ended = true;
                        end(noAnswer(node, cause));
                    }
                }
            };
            if (!wire.send(node, new Prepare(cql), prepare)) {
                end(noAnswer(node, null));
            }
        }
    }

    private static String noAnswer(Node node, @Nullable Throwable cause) {
        return cause == null || cause.getMessage() == null
                ? "the connection to " + node.getEndPoint() + " is closed"
                : cause.getMessage();
    }

    /** A prepared statement, and how a row becomes the body of a request. Confined to the sending thread. */
    private abstract static class Statement {
        final String cql;
        final Bytes values = new Bytes(512);
        private final RowMaker rows;
        private final int[] columns;
        private final int[] keySlots;
        private final int[] starts;
        private final int[] ends;
        private final RoutingKey routingKey = new RoutingKey();

        /**
         * @param slots the columns whose values the markers stand for
         * @param keySlots where the columns of the partition key are among them
         */
        Statement(String cql, RowMaker rows, List<String> slots, int[] keySlots) {
            this.cql = cql;
            this.rows = rows;
            this.columns = slots.stream().mapToInt(rows::column).toArray();
            this.keySlots = keySlots;
            this.starts = new int[columns.length];
            this.ends = new int[columns.length];
        }

        abstract byte[] body(long row, long operation);

        /** Puts the row's values into {@link #values}. */
        final void make(long row) {
            values.clear();
            for (int slot = 0; slot < columns.length; slot++) {
                starts[slot] = values.beginValue();
                rows.put(values, columns[slot], row);
                values.endValue(starts[slot]);
                ends[slot] = values.length();
            }
        }

        /** Of the partition of the row that was made last. */
        final long token() {
            routingKey.start(keySlots.length);
            for (int slot : keySlots) {
                routingKey.add(values.array(), starts[slot], ends[slot] - starts[slot]);
            }
            return routingKey.token();
        }
    }

    /** Writes a row, with a write time that is later than that of the operation before. */
    private final class Insert extends Statement {
        private final WritePlan plan;

        Insert(Wire wire, LoadOptions options, TableSchema table, RowMaker rows) {
            this(plan(wire, options, table), rows);
        }

        private Insert(WritePlan plan, RowMaker rows) {
            super(plan.cql(), rows, slots(plan), plan.keySlots());
            this.plan = plan;
        }

        private static WritePlan plan(Wire wire, LoadOptions options, TableSchema table) {
            WriteOptions.Builder writes =
                    WriteOptions.into(options.keyspace(), options.table()).consistency(options.consistency());
            if (table.isCounter()) {
                writes.allowNonIdempotent();
            }
            return WritePlan.forTable(wire, writes.build(), table);
        }

        /** All but the write time, which comes last where there is one. */
        private static List<String> slots(WritePlan plan) {
            List<String> slots = Arrays.asList(plan.slotNames());
            return plan.pinsTimestamp() ? slots.subList(0, slots.size() - 1) : slots;
        }

        @Override
        byte[] body(long row, long operation) {
            make(row);
            long writeTime = plan.writeTime(baseTimestamp, operation);
            if (plan.pinsTimestamp()) {
                values.putInt(8);
                values.putLong(writeTime);
            }
            byte[] body = new byte[plan.executeOverhead() + values.length()];
            int at = plan.beginExecute(body);
            System.arraycopy(values.array(), 0, body, at, values.length());
            plan.endExecute(body, at + values.length(), writeTime);
            return body;
        }
    }

    /** Reads by key. */
    private static final class Select extends Statement {
        private final ScanPlan plan;
        private final int pageRows;

        Select(Wire wire, LoadOptions options, TableSchema table, RowMaker rows, List<String> key, int pageRows) {
            this(
                    ScanPlan.forKeys(
                            wire,
                            ScanOptions.from(options.keyspace(), options.table())
                                    .consistency(options.consistency())
                                    .build(),
                            table,
                            key),
                    rows,
                    pageRows);
        }

        private Select(ScanPlan plan, RowMaker rows, int pageRows) {
            super(plan.cql(), rows, plan.markerNames(), plan.partitionMarkers());
            this.plan = plan;
            this.pageRows = pageRows;
        }

        @Override
        byte[] body(long row, long operation) {
            make(row);
            return plan.execute(values.toByteArray(), pageRows);
        }
    }
}
