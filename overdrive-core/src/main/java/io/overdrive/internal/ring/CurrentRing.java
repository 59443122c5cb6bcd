package io.overdrive.internal.ring;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.session.Session;
import org.jspecify.annotations.Nullable;

/**
 * The ring of one keyspace as the cluster is now. Made once for all writers and scans of a connection, because a large cluster has
 * tens of thousands of token ranges to go through. Thread-safe; on the hot path.
 */
public final class CurrentRing {
    private record Known(Metadata metadata, Ring ring) {}

    private final Session session;
    private final CqlIdentifier keyspace;
    private volatile @Nullable Known known;

    public CurrentRing(Session session, CqlIdentifier keyspace) {
        this.session = session;
        this.keyspace = keyspace;
    }

    /** A new one where the cluster's metadata have changed since the last call. */
    public Ring now() {
        Known last = known;
        return last != null && last.metadata == session.getMetadata() ? last.ring : made();
    }

    private synchronized Ring made() {
        Metadata metadata = session.getMetadata();
        Known last = known;
        if (last == null || last.metadata != metadata) {
            last = new Known(metadata, Ring.of(metadata, keyspace));
            known = last;
        }
        return last.ring;
    }
}
