package io.overdrive.bench.experiments.kit;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.TokenMap;
import io.overdrive.bench.ExperimentContext;
import java.util.Iterator;
import java.util.Set;

/** The nodes that hold a row, according to the driver. Immutable. */
public final class Replicas {
    private final TokenMap tokens;
    private final CqlIdentifier keyspace;

    public Replicas(ExperimentContext context) {
        tokens = context.session()
                .getMetadata()
                .getTokenMap()
                .orElseThrow(() -> new IllegalStateException("the driver has no tokens of this cluster"));
        keyspace = CqlIdentifier.fromInternal(context.keyspace());
    }

    /** All replicas; the owner of the token range is the first. */
    public Set<Node> of(BoundStatement row) {
        return tokens.getReplicas(keyspace, row.getRoutingKey());
    }

    public Node first(BoundStatement row) {
        return of(row).iterator().next();
    }

    /** One replica, always the same for the same number. */
    public Node any(BoundStatement row, long number) {
        Set<Node> all = of(row);
        Iterator<Node> nodes = all.iterator();
        for (int skip = Math.floorMod(number, all.size()); skip > 0; skip--) {
            nodes.next();
        }
        return nodes.next();
    }
}
