package io.overdrive.bench.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.Overdrive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BenchClusterIT {
    @Test
    void givesSeparateConnections() {
        BenchCluster cluster = BenchNode.cluster();
        assertThat(cluster.datacenters()).containsOnlyKeys("dc1");

        try (Overdrive other = cluster.connect("dc1", /* guard */ null)) {
            assertThat(other.session()).isNotSameAs(cluster.overdrive().session());
            assertThat(other.session()
                            .execute("SELECT data_center FROM system.local")
                            .one())
                    .satisfies(row -> assertThat(row.getString(0)).isEqualTo("dc1"));
        }
        assertThat(cluster.overdrive().session().isClosed()).isFalse();
    }

    @Test
    void startsNothingBesideTheUsersOwnNodes() {
        BenchCluster cluster = BenchNode.cluster();
        assertThat(cluster.startBeside(line -> {})).isEmpty();
        assertThat(cluster.counts())
                .hasValueSatisfying(counts -> assertThat(counts.nodes()).isEqualTo(1));
    }
}
