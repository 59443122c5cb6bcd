package io.overdrive.internal.guard;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.ConnectOptions;
import io.overdrive.internal.wire.Transport;
import io.overdrive.internal.wire.Wire;
import java.util.Map;
import java.util.function.Consumer;

/** A small session of the driver, with one I/O thread and without the schema. Thread-safe. */
final class OwnConnections implements ProbeSession {
    private final Wire bulk;
    private final Wire wire;
    private final VirtualTables virtualTables;

    /** @param bulk the connection of the bulk work, which has the schema */
    OwnConnections(Wire bulk, ConnectOptions options) {
        this.bulk = bulk;
        this.wire = Wire.connect(small(options));
        this.virtualTables = new VirtualTables(wire.session());
    }

    private static ConnectOptions small(ConnectOptions options) {
        return options.withDriverSettings(Map.of(
                DefaultDriverOption.NETTY_IO_SIZE.getPath(), "1",
                DefaultDriverOption.METADATA_SCHEMA_ENABLED.getPath(), "false",
                DefaultDriverOption.METADATA_TOKEN_MAP_ENABLED.getPath(), "false"));
    }

    @Override
    public Transport transport() {
        return wire;
    }

    @Override
    public ProbeReads sample(CqlIdentifier keyspace, CqlIdentifier table) {
        return ProbeReads.sample(
                wire.session(), bulk.metadata(), bulk.ring(keyspace).now(), keyspace, table);
    }

    @Override
    public void figures(Node node, Consumer<NodeFigures> taker) {
        virtualTables.figures(node, taker);
    }

    @Override
    public void close() {
        wire.close();
    }
}
