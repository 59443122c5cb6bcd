package io.overdrive.internal.wire;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.EndPoint;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.driver.api.core.metadata.TokenMap;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.metadata.token.TokenRange;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.internal.core.metadata.token.Murmur3Token;
import com.datastax.oss.driver.internal.core.metadata.token.Murmur3TokenRange;
import com.datastax.oss.driver.internal.core.protocol.ByteBufPrimitiveCodec;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.ProtocolConstants;
import com.datastax.oss.protocol.internal.response.Error;
import com.datastax.oss.protocol.internal.response.Result;
import com.datastax.oss.protocol.internal.response.result.ColumnSpec;
import com.datastax.oss.protocol.internal.response.result.Prepared;
import com.datastax.oss.protocol.internal.response.result.RawType;
import com.datastax.oss.protocol.internal.response.result.RowsMetadata;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.overdrive.FlowDecision;
import io.overdrive.FoundSizes;
import io.overdrive.GatheringDecision;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.flow.Traffic;
import io.overdrive.internal.ring.CurrentRing;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Nodes whose answers a test chooses, and a clock that advances when the test says so. All nodes hold all rows, unless they are to
 * share the tokens. Confined to
 * one thread, which also runs timer tasks.
 */
public final class ScriptedTransport implements Transport {
    /** A request that was sent. */
    public record Sent(Node node, int opcode, byte[] body, @Nullable Message message, Wire.Request request) {
        public void answer(Message answer) {
            request.answered(answer);
        }

        public void refuse(int errorCode, String reason) {
            answer(new Error(errorCode, reason));
        }

        public void breakConnection() {
            breakConnection(new IllegalStateException("Lost connection to remote peer"));
        }

        public void breakConnection(Throwable cause) {
            request.onFailure(cause);
        }
    }

    /** Requests without an answer yet, oldest first. */
    public final Deque<Sent> sent = new ArrayDeque<>();

    /** Decisions on how much may be in flight, oldest first. */
    public final List<FlowDecision> decisions = new ArrayList<>();

    /** The store of the sizes that jobs find; by default none. */
    public FoundSizes foundSizes = FoundSizes.NONE;

    private final FoundSizes sessionSizes = new SessionSizes();

    /** The guard that registers bulk work; by default nothing holds it back. */
    public BulkGuard guard = new BulkGuard() {
        @Override
        public BulkWork register(CqlIdentifier keyspace, CqlIdentifier table, DoubleConsumer limiter) {
            return BulkWork.FREE;
        }

        @Override
        public void close() {}
    };

    /** Decisions on whether single rows share requests, oldest first. */
    public final List<GatheringDecision> gatheringDecisions = new ArrayList<>();

    private final Traffic traffic = new Traffic();
    private final List<Node> nodes = new ArrayList<>();
    private final Map<Node, Map<String, Object>> answers = new HashMap<>();
    private final Map<Node, String> whyDown = new HashMap<>();
    private final Metadata metadata;
    private final Map<String, Object> schema;
    private final PriorityQueue<Task> tasks = new PriorityQueue<>();
    private final Timer timer = new Timer();
    private long nowNanos = 1;
    private boolean isClosed;
    private long tasksMade;
    private @Nullable Throwable nextSendThrows;
    private @Nullable Throwable nextTaskThrows;
    private @Nullable Throwable nextReadingThrows;

    public ScriptedTransport(int nodeCount) {
        Map<UUID, Node> byId = new LinkedHashMap<>(); // jobs choose nodes in this order
        for (int i = 0; i < nodeCount; i++) {
            String address = "10.0.0." + (i + 1) + ":9042";
            Map<String, Object> own = new HashMap<>();
            own.put("getDistance", NodeDistance.LOCAL);
            own.put("getState", NodeState.UP);
            own.put("getOpenConnections", 1);
            own.put("getEndPoint", fake(EndPoint.class, address, Map.of()));
            UUID id = new UUID(0, i + 1);
            own.put("getHostId", id);
            Node node = fake(Node.class, address, own);
            answers.put(node, own);
            nodes.add(node);
            byId.put(id, node);
        }
        Map<String, Object> own = new HashMap<>();
        own.put("getNodes", byId);
        own.put("getTokenMap", Optional.empty());
        own.put("getClusterName", Optional.of("scripted"));
        ColumnMetadata key = fake(ColumnMetadata.class, "k", Map.of("getName", CqlIdentifier.fromInternal("k")));
        TableMetadata table = fake(TableMetadata.class, "table", Map.of("getPartitionKey", List.of(key)));
        KeyspaceMetadata keyspace = fake(KeyspaceMetadata.class, "keyspace", Map.of("getTable", Optional.of(table)));
        own.put("getKeyspace", Optional.of(keyspace));
        metadata = fake(Metadata.class, "metadata", own);
        schema = own;
    }

    public Node node(int number) {
        return nodes.get(number);
    }

    public void setState(int node, NodeState state) {
        Objects.requireNonNull(answers.get(nodes.get(node))).put("getState", state);
    }

    /** Sets why there is no connection to a node that is down. */
    public void setWhyDown(int node, String why) {
        whyDown.put(nodes.get(node), why);
    }

    /** Makes a node one of another data centre to fail over to. */
    public void setRemote(int node) {
        Objects.requireNonNull(answers.get(nodes.get(node))).put("getDistance", NodeDistance.REMOTE);
    }

    /** Gives each node an equal part of the tokens, in ascending order; for jobs that have not begun. */
    public void shareTokens() {
        shareTokens(nodes.stream().map(Set::of).toList());
    }

    /** Cuts the ring into equal arcs, each with as many replicas, which are drawn from the nodes; for jobs that have not begun. */
    public void shareTokens(int arcs, int ofReplicas) {
        Random random = new Random(1);
        List<Set<Node>> replicas = new ArrayList<>();
        for (int i = 0; i < arcs; i++) {
            List<Node> drawn = new ArrayList<>(nodes);
            Collections.shuffle(drawn, random);
            replicas.add(Set.copyOf(drawn.subList(0, ofReplicas)));
        }
        shareTokens(replicas);
    }

    private void shareTokens(List<Set<Node>> ofArcs) {
        Map<TokenRange, Set<Node>> replicas = new LinkedHashMap<>();
        long step = Long.MAX_VALUE / ofArcs.size() * 2;
        for (int i = 0; i < ofArcs.size(); i++) {
            long start = Long.MIN_VALUE + i * step;
            replicas.put(new Murmur3TokenRange(new Murmur3Token(start), new Murmur3Token(start + step)), ofArcs.get(i));
        }
        TokenMap tokens = TokenMap.class.cast(Proxy.newProxyInstance(
                TokenMap.class.getClassLoader(),
                new Class<?>[] {TokenMap.class},
                (self, method, args) -> method.getName().equals("getReplicas")
                        ? replicas.get((TokenRange) args[1])
                        : replicas.keySet()));
        schema.put("getTokenMap", Optional.of(tokens));
    }

    /** Closes the connection: its nodes are to be down. */
    public void close() {
        isClosed = true;
    }

    @Override
    public boolean isClosed() {
        return isClosed;
    }

    /** Drops the only table. */
    public void dropTable() {
        schema.put("getKeyspace", Optional.empty());
    }

    public void throwAtNextSend(Throwable thrown) {
        nextSendThrows = thrown;
    }

    /** Has the next attempt to schedule a task throw this. */
    public void throwAtNextTask(Throwable thrown) {
        nextTaskThrows = thrown;
    }

    /** Has the next reading of the clock throw this. */
    public void throwAtNextReadingOfTheClock(Throwable thrown) {
        nextReadingThrows = thrown;
    }

    /** A session with a server that refuses batches of several partitions from this size on, such as 50KiB. */
    public static CqlSession session(String batchSizeFailThreshold) {
        return session("system_views.settings", Map.of("batch_size_fail_threshold", batchSizeFailThreshold));
    }

    /** A session with a server that reports these settings in this table, and has no other. */
    public static CqlSession session(String table, Map<String, String> settings) {
        return proxy(CqlSession.class, "session", (method, args) -> {
            if (!method.equals("execute")
                    || !((SimpleStatement) args[0]).getQuery().contains(" FROM " + table + " ")) {
                throw new InvalidQueryException(fake(Node.class, "node", Map.of()), "unconfigured table");
            }
            List<Row> rows = settings.entrySet().stream()
                    .map(setting -> proxy(
                            Row.class,
                            "row",
                            (getter, column) -> column[0].equals(0) ? setting.getKey() : setting.getValue()))
                    .toList();
            return proxy(ResultSet.class, "rows", (getter, nothing) -> rows.iterator());
        });
    }

    /** The oldest request without an answer. */
    public Sent next() {
        return sent.remove();
    }

    public static Message prepared(byte[] id) {
        RowsMetadata none = new RowsMetadata(List.of(), null, new int[0], null);
        return new Prepared(id, null, none, none);
    }

    /**
     * The answer to preparing a statement.
     *
     * @param markers types of its markers, which are not those of collections, tuples and the like
     * @param columns names of its columns, which are blobs
     */
    public static Message prepared(byte[] id, List<DataType> markers, List<String> columns) {
        return new Prepared(
                id,
                null,
                metadata(Collections.nCopies(markers.size(), "m"), markers),
                metadata(columns, Collections.nCopies(columns.size(), DataTypes.BLOB)));
    }

    private static RowsMetadata metadata(List<String> names, List<DataType> types) {
        List<ColumnSpec> specs = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            RawType type = RawType.PRIMITIVES.get(types.get(i).getProtocolCode());
            specs.add(new ColumnSpec("ks", "t", names.get(i), i, type));
        }
        return new RowsMetadata(specs, null, new int[0], null);
    }

    /** A page whose rows have one cell each. */
    public static Message page(byte @Nullable [] pagingState, byte[]... cells) {
        Bytes body = new Bytes(64);
        body.putInt(0x04 | (pagingState == null ? 0 : 0x02)); // no metadata; more pages
        body.putInt(1);
        if (pagingState != null) {
            body.putInt(pagingState.length);
            body.put(pagingState);
        }
        body.putInt(cells.length);
        for (byte[] cell : cells) {
            body.putInt(cell.length);
            body.put(cell);
        }
        return rows(body.toByteArray());
    }

    /** Rows with this body, as far as it follows the kind of the result. */
    public static Message rows(byte[] rest) {
        Bytes body = new Bytes(4 + rest.length);
        body.putInt(ProtocolConstants.ResultKind.ROWS);
        body.put(rest);
        return new RawRows.Codec(new Result.Codec(ProtocolConstants.Version.V5))
                .decode(
                        Unpooled.wrappedBuffer(body.toByteArray()),
                        new ByteBufPrimitiveCodec(ByteBufAllocator.DEFAULT));
    }

    /** Lets time pass, and runs the tasks that are due. */
    public void pass(Duration time) {
        long end = nowNanos + time.toNanos();
        for (Task task = tasks.peek(); task != null && task.dueNanos <= end; task = tasks.peek()) {
            tasks.remove();
            nowNanos = Math.max(nowNanos, task.dueNanos);
            if (!task.isCancelled()) {
                task.run();
            }
        }
        nowNanos = end;
    }

    @Override
    public boolean send(Node node, Message message, Wire.Request request) {
        return message instanceof RawMessage raw
                ? send(new Sent(node, raw.opcode, raw.body(), null, request))
                : send(new Sent(node, message.opcode, new byte[0], message, request));
    }

    private boolean send(Sent request) {
        Throwable thrown = nextSendThrows;
        if (thrown != null) {
            nextSendThrows = null;
            ScriptedTransport.<RuntimeException>throwUnchecked(thrown);
        }
        if (request.node.getState() != NodeState.UP) {
            return false;
        }
        sent.add(request);
        return true;
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void throwUnchecked(Throwable thrown) throws T {
        throw (T) thrown;
    }

    @Override
    public CurrentRing ring(CqlIdentifier keyspace) {
        return new CurrentRing(this::metadata, keyspace);
    }

    @Override
    public @Nullable String whyDown(Node node) {
        return whyDown.get(node);
    }

    @Override
    public Metadata metadata() {
        return metadata;
    }

    @Override
    public long nanoTime() {
        Throwable thrown = nextReadingThrows;
        if (thrown != null) {
            nextReadingThrows = null;
            ScriptedTransport.<RuntimeException>throwUnchecked(thrown);
        }
        return nowNanos;
    }

    @Override
    public void decided(FlowDecision decision) {
        decisions.add(decision);
    }

    @Override
    public void decided(GatheringDecision decision) {
        gatheringDecisions.add(decision);
    }

    @Override
    public Traffic traffic() {
        return traffic;
    }

    @Override
    public FoundSizes foundSizes() {
        return foundSizes;
    }

    @Override
    public FoundSizes sessionSizes() {
        return sessionSizes;
    }

    @Override
    public BulkWork bulkWork(CqlIdentifier keyspace, CqlIdentifier table, DoubleConsumer limiter) {
        return guard.register(keyspace, table, limiter);
    }

    @Override
    public ScheduledExecutorService timer() {
        return timer;
    }

    @Override
    public ScheduledExecutorService executor(String threadName) {
        return timer;
    }

    /** Tasks that are scheduled, such as timeouts and retries. */
    public int scheduledTasks() {
        return (int) tasks.stream().filter(task -> !task.isCancelled()).count();
    }

    private static <T> T fake(Class<T> type, String name, Map<String, ?> answers) {
        return proxy(type, name, (method, args) -> answers.get(method));
    }

    private static <T> T proxy(Class<T> type, String name, BiFunction<String, Object[], @Nullable Object> answer) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            return switch (method.getName()) {
                case "equals" -> self == args[0];
                case "hashCode" -> name.hashCode();
                case "toString" -> name;
                default -> answer.apply(method.getName(), args);
            };
        }));
    }

    private final class Task extends FutureTask<@Nullable Object> implements RunnableScheduledFuture<@Nullable Object> {
        private final long everyNanos;
        private final long number = tasksMade++;
        private long dueNanos;

        Task(Callable<@Nullable Object> task, long delayNanos, long everyNanos) {
            super(task);
            this.everyNanos = everyNanos;
            this.dueNanos = nowNanos + delayNanos;
        }

        @Override
        public void run() {
            if (!isPeriodic()) {
                super.run();
            } else if (runAndReset()) {
                dueNanos = nowNanos + everyNanos;
                tasks.add(this);
            }
        }

        @Override
        public boolean isPeriodic() {
            return everyNanos > 0;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(dueNanos - nowNanos, TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed o) {
            Task other = (Task) o;
            return dueNanos != other.dueNanos
                    ? Long.compare(dueNanos, other.dueNanos)
                    : Long.compare(number, other.number);
        }
    }

    /** The work of a real timer, done in {@link #pass}. */
    private final class Timer extends AbstractExecutorService implements ScheduledExecutorService {
        private boolean shutdown;

        private Task add(Callable<@Nullable Object> callable, long delay, long every, TimeUnit unit) {
            Throwable thrown = nextTaskThrows;
            if (thrown != null) {
                nextTaskThrows = null;
                ScriptedTransport.<RuntimeException>throwUnchecked(thrown);
            }
            Task task = new Task(callable, unit.toNanos(delay), unit.toNanos(every));
            if (!shutdown) {
                tasks.add(task);
            }
            return task;
        }

        @Override
        public void execute(Runnable command) {
            var unused = schedule(command, 0, TimeUnit.NANOSECONDS);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
            return add(Executors.callable(command, null), delay, 0, unit);
        }

        @Override
        public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long delay, long period, TimeUnit unit) {
            return add(Executors.callable(command, null), delay, period, unit);
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initial, long delay, TimeUnit unit) {
            return add(Executors.callable(command, null), initial, delay, unit);
        }

        @Override
        public void shutdown() {
            shutdown = true;
        }

        @Override
        public List<Runnable> shutdownNow() {
            shutdown = true;
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return shutdown;
        }

        @Override
        public boolean isTerminated() {
            return shutdown;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return true;
        }
    }
}
