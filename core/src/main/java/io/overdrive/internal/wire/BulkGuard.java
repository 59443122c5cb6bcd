package io.overdrive.internal.wire;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import java.util.function.DoubleConsumer;

/** Holds the bulk work of a connection back for the cluster's other users. Thread-safe. */
public interface BulkGuard extends AutoCloseable {
    /**
     * Registers bulk work on a table.
     *
     * @param limiter receives the share of its usual limits that it may use, more than 0 and at most 1, whenever that changes; must be
     *     quick
     */
    BulkWork register(CqlIdentifier keyspace, CqlIdentifier table, DoubleConsumer limiter);

    @Override
    void close();
}
