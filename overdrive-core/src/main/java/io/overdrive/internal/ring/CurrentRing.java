package io.overdrive.internal.ring;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The ring of one keyspace as the cluster is now. Made once for all writers and scans of a connection, because a large cluster has
 * tens of thousands of token ranges to go through. Thread-safe; on the hot path.
 */
public final class CurrentRing {
    private record Known(Metadata metadata, Ring ring) {}

    private final Supplier<Metadata> metadata;
    private final CqlIdentifier keyspace;
    private volatile @Nullable Known known;

    public CurrentRing(Supplier<Metadata> metadata, CqlIdentifier keyspace) {
        this.metadata = metadata;
        this.keyspace = keyspace;
    }

    /** A new one where the cluster's metadata have changed since the last call. */
    public Ring now() {
        Known last = known;
        return last != null && last.metadata == metadata.get() ? last.ring : rebuild();
    }

    /** Makes a new ring at the next call: a node that joins is in the metadata before the driver says that it is local. */
    public synchronized void forget() {
        known = null;
    }

    private synchronized Ring rebuild() {
        Metadata newest = metadata.get();
        Known last = known;
        if (last == null || last.metadata != newest) {
            last = new Known(newest, Ring.of(newest, keyspace));
            known = last;
        }
        return last.ring;
    }
}
