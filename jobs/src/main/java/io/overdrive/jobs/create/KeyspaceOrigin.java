package io.overdrive.jobs.create;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import io.overdrive.Overdrive;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The model of a keyspace to create. Immutable.
 *
 * @param replication its options by their names; empty for system keyspaces, which are not in the driver's metadata
 * @param isSameCluster whether it is in the cluster of the new one
 */
record KeyspaceOrigin(
        CqlIdentifier keyspace, Map<String, String> replication, boolean hasDurableWrites, boolean isSameCluster) {
    private static final Pattern REPLICATION = Pattern.compile("(?i)\\breplication\\s*=\\s*\\{([^}]*)}");
    private static final Pattern OPTION = Pattern.compile("'([^']*)'\\s*:\\s*'?([^',]*)'?");
    private static final Pattern NOT_DURABLE = Pattern.compile("(?i)\\bdurable_writes\\s*=\\s*false");

    static KeyspaceOrigin of(Overdrive source, CqlIdentifier keyspace, Overdrive target) {
        Optional<KeyspaceMetadata> found = source.session().getMetadata().getKeyspace(keyspace);
        return new KeyspaceOrigin(
                keyspace,
                found.map(KeyspaceMetadata::getReplication).orElse(Map.of()),
                found.map(KeyspaceMetadata::isDurableWrites).orElse(true),
                source.isSameCluster(target));
    }

    /** The keyspace of statements that may be of any cluster. */
    static KeyspaceOrigin of(KeyspaceSchema schema) {
        String cql = schema.elements().stream()
                .filter(each -> each.type().equals(SchemaElement.KEYSPACE))
                .map(SchemaElement::cql)
                .findFirst()
                .orElse("");
        Map<String, String> replication = new LinkedHashMap<>();
        Matcher options = REPLICATION.matcher(cql);
        if (options.find()) {
            OPTION.matcher(options.group(1))
                    .results()
                    .forEach(
                            each -> replication.put(each.group(1), each.group(2).strip()));
        }
        return new KeyspaceOrigin(
                schema.keyspace(), replication, !NOT_DURABLE.matcher(cql).find(), /* isSameCluster */ false);
    }
}
