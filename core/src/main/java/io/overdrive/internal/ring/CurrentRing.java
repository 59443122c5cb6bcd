package io.overdrive.internal.ring;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The up-to-date ring of one keyspace. Shared by all writers and scans of a connection, because building it for a large cluster
 * takes a pass over tens of thousands of token ranges. Thread-safe; on the hot path.
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

    /** The ring; rebuilt if the cluster's metadata have changed since the last call. */
    public Ring now() {
        Known last = known;
        return last != null && last.metadata == metadata.get() ? last.ring : rebuild();
    }

    /** Rebuilds the ring at the next call: a joining node is in the metadata before the driver marks it as local. */
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
