package io.overdrive.internal.wire;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.protocol.internal.Message;
import io.overdrive.FlowDecision;
import io.overdrive.FoundSizes;
import io.overdrive.GatheringDecision;
import io.overdrive.internal.flow.Traffic;
import io.overdrive.internal.ring.CurrentRing;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to nodes, with the clock and the timer that go with it. {@link Wire} is the real one; tests script the
 * answers and run in virtual time. Thread-safe.
 */
public interface Transport {
    /** Why a request is not sent again if the transport {@link #isClosed}. */
    String CLOSED = "the connection was closed";

    /**
     * Sends a request to a node; the first one as soon as the node is connected to, if that is not done at the start.
     *
     * @return false if there is no connection to the node now; then the request's methods are never called
     */
    boolean send(Node node, Message message, Wire.Request request);

    /** Which nodes hold a partition of the keyspace. */
    CurrentRing ring(CqlIdentifier keyspace);

    /** Whether the user has closed it, so that there will be no connection to any node. */
    boolean isClosed();

    /** Why there is no connection to a node that answers; null if it does not answer, or that is unknown. */
    @Nullable String whyDown(Node node);

    /** Nodes and schema as the driver knows them now. */
    Metadata metadata();

    /** As {@link System#nanoTime}. */
    long nanoTime();

    /** The one timer of the connection, for timeouts and retries of all jobs: tasks must be quick, and never wait. */
    ScheduledExecutorService timer();

    /** Takes a decision on how much may be in flight, for the user to read. */
    void decided(FlowDecision decision);

    /** Takes a decision on whether single rows share requests, for the user to read. */
    void decided(GatheringDecision decision);

    /** Counts requests to nodes, and their answers. */
    Traffic traffic();

    /** Keeps the sizes that jobs find. */
    FoundSizes foundSizes();

    /** Keeps sizes of what was read as long as the session is open, for later jobs over the same session. */
    FoundSizes sessionSizes();

    /**
     * Registers bulk work on a table, for the connection's guard, if it has one.
     *
     * @param limiter as for {@link BulkGuard#register}
     */
    BulkWork bulkWork(CqlIdentifier keyspace, CqlIdentifier table, DoubleConsumer limiter);

    /** One daemon thread for tasks that may take longer, or wait. It ends by itself when it is idle. */
    ScheduledExecutorService executor(String threadName);
}
