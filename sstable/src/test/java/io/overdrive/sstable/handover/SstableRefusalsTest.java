package io.overdrive.sstable.handover;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.internal.cql.TableDescription;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Refusals by DESCRIBE TABLE and the replication. */
class SstableRefusalsTest {
    @Test
    void refusesTransactions() {
        assertThat(obstacle(Map.of("transactional_mode", "'full'")))
                .isEqualTo("has the transactional_mode 'full', whose transactions do not see what is imported");
        assertThat(obstacle(Map.of("transactional_mode", "'off'", "transactional_migration_from", "'mixed_reads'")))
                .isEqualTo("has the transactional_migration_from 'mixed_reads', whose transactions do not see what is"
                        + " imported");
        assertThat(obstacle(Map.of(
                        "transactional_mode",
                        "'off'",
                        "transactional_migration_from",
                        "'none'",
                        "comment",
                        "'transactional_mode'")))
                .isNull();
    }

    @Test
    void refusesConstraints() {
        assertThat(SstableRefusals.obstacle(new TableDescription(Map.of(), Map.of("v", "CHECK LENGTH() < 3"))))
                .isEqualTo("has CHECK LENGTH() < 3 in column v, which an import does not check");
    }

    @Test
    void refusesOptionsThatItDoesNotKnow() {
        assertThat(obstacle(Map.of("replicates_elsewhere", "true", "compaction", "{}")))
                .isEqualTo("has the option replicates_elsewhere = true, which is not known here, so that an import may"
                        + " leave out what it means");
    }

    @Test
    void refusesTransientReplicas() {
        assertThat(SstableRefusals.transientReplicas(Map.of(
                        "class", "org.apache.cassandra.locator.NetworkTopologyStrategy", "dc1", "3", "dc2", "3/1")))
                .isEqualTo(
                        "is in a keyspace with transient replicas (dc2: 3/1), which get other rows than the nodes that"
                                + " SSTables are written for");
        assertThat(SstableRefusals.transientReplicas(Map.of("class", "a/1/2", "dc1", "3")))
                .isNull();
    }

    private static @Nullable String obstacle(Map<String, String> options) {
        return SstableRefusals.obstacle(new TableDescription(options, Map.of()));
    }
}
