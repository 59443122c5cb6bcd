package io.overdrive.simulated;

import com.datastax.oss.protocol.internal.ProtocolConstants.StatusChangeType;
import com.datastax.oss.protocol.internal.ProtocolConstants.TopologyChangeType;
import com.datastax.oss.protocol.internal.response.event.StatusChangeEvent;
import com.datastax.oss.protocol.internal.response.event.TopologyChangeEvent;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * A node of a simulated cluster, and the switches for what may happen to it, each of which takes effect at once. The cluster has them for
 * the nodes of a rack or a data centre: {@code cluster.nodes("dc1", "rack2").forEach(SimulatedNode::hang)}. Thread-safe.
 */
public final class SimulatedNode {
    /** Kinds of nodes by what they do with requests. */
    enum Mode {
        ANSWERS,
        /** Takes connections, and answers nothing. */
        HANGS,
        /** Takes and sets up connections, and answers nothing else. */
        HANGS_AFTER_CONNECT
    }

    private final Listeners listeners;
    private final InetSocketAddress address;
    private final String datacenter;
    private final String rack;
    private final long[] tokens;
    private final ByteBuffer tokensCell;

    /** Statements that it has prepared, by their ids. */
    private final Set<ByteBuffer> prepared = ConcurrentHashMap.newKeySet();

    private final AtomicLong prepares = new AtomicLong();
    private final AtomicLong unprepared = new AtomicLong();
    private final AtomicLong requests = new AtomicLong();
    private final AtomicLong rowsWritten = new AtomicLong();
    private final AtomicLong batches = new AtomicLong();
    private final AtomicLong rowsRead = new AtomicLong();
    private final AtomicLong overloadable = new AtomicLong();

    private volatile UUID hostId;
    private volatile String release;
    private volatile int protocolVersion;
    private volatile Mode mode = Mode.ANSWERS;
    private volatile long delayMillis;
    private volatile int overloadedEvery;

    /**
     * @param listeners that take its connections
     * @param options with its release and its version of the protocol
     */
    SimulatedNode(
            Listeners listeners,
            InetSocketAddress address,
            String datacenter,
            String rack,
            long[] tokens,
            SimulatedOptions options) {
        this.listeners = listeners;
        this.address = address;
        this.datacenter = datacenter;
        this.rack = rack;
        this.tokens = tokens;
        tokensCell = Cells.texts(LongStream.of(tokens).mapToObj(String::valueOf).collect(Collectors.toList()));
        release = options.release();
        protocolVersion = options.protocolVersion();
        hostId = UUID.nameUUIDFromBytes((datacenter + address).getBytes(StandardCharsets.UTF_8));
    }

    /** Address and port, also while it is down. */
    public InetSocketAddress address() {
        return address;
    }

    /** Its name, such as {@code dc1}. */
    public String datacenter() {
        return datacenter;
    }

    /** Its name, such as {@code rack1}. */
    public String rack() {
        return rack;
    }

    /** The id that it has now. */
    public UUID hostId() {
        return hostId;
    }

    String release() {
        return release;
    }

    /** The newest version of the native protocol that it speaks. */
    int protocolVersion() {
        return protocolVersion;
    }

    long[] tokens() {
        return tokens;
    }

    ByteBuffer tokensCell() {
        return tokensCell;
    }

    ByteBuffer ip() {
        return Cells.inet(address.getAddress());
    }

    Mode mode() {
        return mode;
    }

    long delayMillis() {
        return delayMillis;
    }

    /**
     * Is of another release than the cluster, which an upgrade has not reached yet: nodes of different releases do not agree on the schema.
     *
     * @param version the newest version of the native protocol that it speaks, 4 or 5
     * @throws IllegalArgumentException as {@link SimulatedOptions} does
     */
    public void runRelease(String newRelease, int version) {
        SimulatedOptions.builder().release(newRelease).protocolVersion(version).build();
        release = newRelease;
        protocolVersion = version;
    }

    /** Answers everything this much later. */
    public void slow(Duration delay) {
        delayMillis = delay.toMillis();
    }

    /** Takes connections, and answers nothing, also on those that are open. */
    public void hang() {
        mode = Mode.HANGS;
    }

    /** Takes and sets up connections, and answers nothing else, also on those that are open. */
    public void hangAfterConnect() {
        mode = Mode.HANGS_AFTER_CONNECT;
    }

    /**
     * Answers one request in so many with the error OVERLOADED: of those that write or read rows.
     *
     * @param every 1 or more
     */
    public void overload(int every) {
        if (every < 1) {
            throw new IllegalArgumentException("every is " + every + ", must be 1 or more");
        }
        overloadedEvery = every;
    }

    /** Goes down: its connections break, new ones are refused, and the other nodes say that it is down. */
    public void refuse() {
        listeners.close(this);
        listeners.announce(this, new StatusChangeEvent(StatusChangeType.DOWN, address));
    }

    /** Goes down, as by {@link #refuse}, and comes back after this time. */
    public void lose(Duration time) {
        refuse();
        listeners.after(time, this::recover);
    }

    /** Goes down, and comes back after this time without the statements that it had prepared. */
    public void restart(Duration time) {
        refuse();
        prepared.clear();
        listeners.after(time, this::recover);
    }

    /** Forgets the statements that it has prepared, as a node does whose memory for them is full. */
    public void forget() {
        prepared.clear();
    }

    /** Goes down, and another node without prepared statements takes its address and its tokens at once. */
    public void replace() {
        refuse();
        prepared.clear();
        listeners.announce(this, new TopologyChangeEvent(TopologyChangeType.REMOVED_NODE, address));
        hostId = UUID.nameUUIDFromBytes(hostId.toString().getBytes(StandardCharsets.UTF_8));
        listeners.open(this);
        listeners.announce(this, new TopologyChangeEvent(TopologyChangeType.NEW_NODE, address));
        listeners.announce(this, new StatusChangeEvent(StatusChangeType.UP, address));
    }

    /** Undoes all switches; a node that was down comes back, with its prepared statements unless it was restarted or replaced. */
    public void recover() {
        mode = Mode.ANSWERS;
        delayMillis = 0;
        overloadedEvery = 0;
        if (listeners.open(this)) {
            listeners.announce(this, new StatusChangeEvent(StatusChangeType.UP, address));
        }
    }

    /** Whether this request, which writes or reads rows, is one that the node refuses as it is overloaded. */
    boolean isOverloaded() {
        int every = overloadedEvery;
        return every > 0 && overloadable.incrementAndGet() % every == 0;
    }

    void prepare(ByteBuffer id) {
        prepares.incrementAndGet();
        prepared.add(id);
    }

    /** Whether it has prepared the statement; counts if not. */
    boolean hasPrepared(ByteBuffer id) {
        boolean has = prepared.contains(id);
        if (!has) {
            unprepared.incrementAndGet();
        }
        return has;
    }

    void asked() {
        requests.incrementAndGet();
    }

    void wrote(int rows) {
        rowsWritten.addAndGet(rows);
    }

    void wroteBatch(int rows) {
        batches.incrementAndGet();
        wrote(rows);
    }

    void sent(int rows) {
        rowsRead.addAndGet(rows);
    }

    /** Counts of requests to it; restarts do not change them. */
    public SimulatedCounts counts() {
        return new SimulatedCounts(
                listeners.connections(this),
                prepares.get(),
                unprepared.get(),
                requests.get(),
                rowsWritten.get(),
                batches.get(),
                rowsRead.get());
    }

    @Override
    public String toString() {
        return address.getAddress().getHostAddress() + ":" + address.getPort() + " (" + datacenter + ", " + rack + ")";
    }
}
