package io.overdrive.bench.experiments.kit;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.TokenMap;
import io.overdrive.bench.ExperimentContext;
import java.util.Iterator;
import java.util.Set;

/** Which nodes hold a row, as the driver knows it. Immutable. */
public final class Replicas {
    private final TokenMap tokens;
    private final CqlIdentifier keyspace;

    public Replicas(ExperimentContext bench) {
        tokens = bench.session()
                .getMetadata()
                .getTokenMap()
                .orElseThrow(() -> new IllegalStateException("the driver knows no tokens of this cluster"));
        keyspace = CqlIdentifier.fromInternal(bench.keyspace());
    }

    /** All of them; the one whose token range it is comes first. */
    public Set<Node> of(BoundStatement row) {
        return tokens.getReplicas(keyspace, row.getRoutingKey());
    }

    public Node first(BoundStatement row) {
        return of(row).iterator().next();
    }

    /** One of them: always the same for the same number, which may be any. */
    public Node any(BoundStatement row, long number) {
        Set<Node> all = of(row);
        Iterator<Node> nodes = all.iterator();
        for (int skip = Math.floorMod(number, all.size()); skip > 0; skip--) {
            nodes.next();
        }
        return nodes.next();
    }
}
