package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import io.overdrive.local.Node;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Changes of the schema on two data centres of one node each, only the first of which the session is connected to. */
@Tag("server")
@Timeout(300)
class SchemaChangeIT {
    @Test
    void waitsForTheOtherDatacentreButNotForeverIfItIsDown(@TempDir Path directory) throws Exception {
        LocalCluster cluster = LocalCluster.start(LocalOptions.builder()
                .heapMegabytes(256)
                .directory(directory)
                .port(0)
                .datacenters(2)
                .profile(LocalOptions.Profile.SMALL)
                .stopWithJvm(true)
                .build());
        try (Overdrive overdrive = TestCluster.connect(cluster)) {
            Node far = cluster.nodes().get(1);

            far.pause();
            CompletableFuture<Void> change =
                    CompletableFuture.runAsync(() -> overdrive.changeSchema("CREATE KEYSPACE both WITH replication ="
                            + " {'class': 'NetworkTopologyStrategy', 'dc1': 1, 'dc2': 1}"));
            try {
                assertThatThrownBy(() -> change.get(3, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
            } finally {
                far.resume();
            }
            change.get(60, TimeUnit.SECONDS);
            assertThat(version(ConnectOptions.to(
                            far.address().getHostString() + ":" + far.address().getPort(), far.datacenter())))
                    .isEqualTo(version(overdrive));

            far.stop();
            overdrive.changeSchema("CREATE TABLE both.t (k int PRIMARY KEY)");
            assertThat(overdrive.table("both", "t").columns()).hasSize(1);

            // a client that connects now is not notified that the node is down, and waits for some time
            try (Overdrive late = TestCluster.connect(cluster)) {
                late.changeSchema("ALTER TABLE both.t ADD v int");
                assertThat(late.table("both", "t").columns()).hasSize(2);
            }
        } finally {
            cluster.wipe();
        }
    }

    private static UUID version(ConnectOptions options) {
        try (Overdrive overdrive = Overdrive.connect(options)) {
            return version(overdrive);
        }
    }

    private static UUID version(Overdrive overdrive) {
        return overdrive
                .session()
                .execute("SELECT schema_version FROM system.local")
                .one()
                .getUuid(0);
    }
}
