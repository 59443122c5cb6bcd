package io.overdrive.bench.experiments;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.TokenMap;
import io.overdrive.bench.Bench;
import java.util.Iterator;
import java.util.Set;

/** Which nodes hold a row, as the driver knows it. Immutable. */
final class Replicas {
    private final TokenMap tokens;
    private final CqlIdentifier keyspace;

    Replicas(Bench bench) {
        tokens = bench.session()
                .getMetadata()
                .getTokenMap()
                .orElseThrow(() -> new IllegalStateException("the driver knows no tokens of this cluster"));
        keyspace = CqlIdentifier.fromInternal(bench.keyspace());
    }

    /** All of them; the one whose token range it is comes first. */
    Set<Node> of(BoundStatement row) {
        return tokens.getReplicas(keyspace, row.getRoutingKey());
    }

    Node first(BoundStatement row) {
        return of(row).iterator().next();
    }

    /** One of them: always the same for the same number, which may be any. */
    Node any(BoundStatement row, long number) {
        Set<Node> all = of(row);
        Iterator<Node> nodes = all.iterator();
        for (int skip = Math.floorMod(number, all.size()); skip > 0; skip--) {
            nodes.next();
        }
        return nodes.next();
    }
}
