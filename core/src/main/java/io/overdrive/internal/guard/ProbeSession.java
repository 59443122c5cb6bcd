package io.overdrive.internal.guard;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.internal.wire.Transport;
import java.util.function.Consumer;

/** The guard's own connections, which share nothing with those of bulk work. Thread-safe. */
interface ProbeSession extends AutoCloseable {
    Transport transport();

    /** Reads of a table. Waits for the cluster. */
    ProbeReads sample(CqlIdentifier keyspace, CqlIdentifier table);

    /** Passes the node's figures about itself to a taker, unless it does not answer. Does not wait. */
    void figures(Node node, Consumer<NodeFigures> taker);

    @Override
    void close();
}
