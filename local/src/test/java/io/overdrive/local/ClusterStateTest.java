package io.overdrive.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterStateTest {
    private final Path directory;

    ClusterStateTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private LocalOptions.Builder options() {
        return LocalOptions.builder().directory(directory).nodesPerDatacenter(3).port(9142);
    }

    private ClusterState state(LocalOptions options) {
        return new ClusterState(options, NodePlacement.layOut(options, true, new Random(1)), true);
    }

    @Test
    void readsWhatItWrote() {
        LocalOptions options = options()
                .setting("authenticator", "PasswordAuthenticator")
                .setting("client_encryption_options", "{enabled: true, keystore: '/a=b'}")
                .jvmArguments("-Da=b", "-Xlog:gc")
                .build();
        ClusterState state = state(options);
        state.write(directory);

        ClusterState read = ClusterState.read(directory, line -> {}).orElseThrow();
        assertThat(read.places()).isEqualTo(state.places());
        assertThat(read.complete()).isTrue();
        assertThat(read.differences(options)).isEmpty();
        assertThat(read.options().settings()).isEqualTo(options.settings());
        assertThat(read.options().jvmArguments()).isEqualTo(options.jvmArguments());
    }

    @Test
    void hasNothingToReadInAnEmptyDirectory() {
        assertThat(ClusterState.read(directory, line -> {})).isEmpty();
    }

    @Test
    void bindsDataToTheVersionThatWroteIt() {
        LocalOptions old = options().cassandra("4.1").build();

        assertThat(state(old).dataDifferences(options().cassandra("5.0").build()))
                .isEqualTo("cassandra is 4.1, requested 5.0");
        assertThat(state(old).dataDifferences(old)).isEmpty();
    }

    @Test
    void namesDifferences() {
        ClusterState state = state(options().build());
        LocalOptions asked = options()
                .nodesPerDatacenter(2)
                .setting("concurrent_writes", "4")
                .build();

        assertThat(state.differences(asked))
                .isEqualTo("nodesPerDatacenter is 3, requested 2; setting.concurrent_writes is default, requested 4");
        assertThat(state.dataDifferences(asked)).isEqualTo("nodesPerDatacenter is 3, requested 2");
    }

    @Test
    void takesAnyPortForAFreeOne() {
        ClusterState state = state(options().build());

        assertThat(state.differences(options().port(0).build())).isEmpty();
        assertThat(state.withOptions(options().port(0).build()).places()).isEqualTo(state.places());
        assertThat(state.differences(options().port(9042).build())).isEqualTo("port is 9142, requested 9042");
        assertThat(state.withOptions(options().port(9042).build()).places())
                .extracting(NodePlacement::port)
                .containsOnly(9042);
    }

    @Test
    void saysWhichFileIsDamaged() throws IOException {
        Files.writeString(directory.resolve(ClusterState.FILE_NAME), "datacenters=two\n");

        assertThatThrownBy(() -> ClusterState.read(directory, line -> {}))
                .isInstanceOf(LocalClusterException.class)
                .hasMessageContaining("cluster.properties cannot be read")
                .hasMessageContaining("`local wipe`");
    }
}
