package io.overdrive.internal.wire;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.protocol.internal.Message;
import io.overdrive.internal.ring.CurrentRing;
import java.util.concurrent.ScheduledExecutorService;

/**
 * What sends requests to nodes, and the clock and timer that go with it. {@link Wire} is the real one; tests script the
 * answers and let time pass by themselves. Thread-safe.
 */
public interface Transport {
    /**
     * Sends a body in wire format to a node.
     *
     * @return false if there is no connection to the node now; then the request has not been called and never will be
     */
    boolean send(Node node, int opcode, byte[] body, Wire.Request request);

    /** Like {@link #send(Node, int, byte[], Wire.Request)}, for a message of the driver's. */
    boolean send(Node node, Message message, Wire.Request request);

    /** Which nodes hold a partition of the keyspace. */
    CurrentRing ring(CqlIdentifier keyspace);

    /** Nodes and schema as the driver knows them now. */
    Metadata metadata();

    /** As {@link System#nanoTime}. */
    long nanoTime();

    /** A timer with one daemon thread. Tasks submitted after its shutdown are discarded. */
    ScheduledExecutorService timer(String threadName);
}
