package io.overdrive.spark.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.spark.config.Settings;
import io.overdrive.sstable.handover.JmxAccess.Address;
import io.overdrive.sstable.handover.SidecarTarget;
import io.overdrive.sstable.handover.SshTarget;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class SstableTargetTest {
    private static SstableTarget of(String... options) {
        Map<String, String> given = new HashMap<>(Map.of("sstables", "true", "sstables.directory", "/shared/sstables"));
        for (int i = 0; i < options.length; i += 2) {
            given.put(options[i], options[i + 1]);
        }
        return SstableTarget.of(Settings.of(given, Map.of()));
    }

    @Test
    void leavesScriptsUnlessNodesAreToImport() {
        SstableTarget target = of();
        assertThat(target.imports()).isFalse();
        assertThat(target.directory()).isEqualTo(Path.of("/shared/sstables"));
        assertThat(target).hasToString("in /shared/sstables, with a script for each node");
    }

    @Test
    void readsAddressesOfJmx() {
        SstableTarget target = of(
                "sstables.jmx", "10.0.0.1, node-2:7299,[::1],[fe80::1]:7300",
                "sstables.jmxUser", "jmx",
                "sstables.jmxPassword", "secret");
        assertThat(target.imports()).isTrue();
        assertThat(Objects.requireNonNull(target.jmx()).addresses())
                .isEqualTo(List.of(
                        new Address("10.0.0.1", 7199),
                        new Address("node-2", 7299),
                        new Address("::1", 7199),
                        new Address("fe80::1", 7300)));
        assertThat(target.toString()).contains("imported over JMX").doesNotContain("secret");
    }

    @Test
    void readsHostsBySsh() {
        SstableTarget target = of("sstables.ssh", "cassandra@{host}:/var/lib/import");
        assertThat(target.imports()).isTrue();
        assertThat(target.ssh()).isEqualTo(new SshTarget("cassandra@{host}", "/var/lib/import"));
    }

    @Test
    void readsSidecars() {
        SstableTarget target = of("sstables.sidecar", "http://{host}:9043");
        assertThat(target.imports()).isTrue();
        assertThat(target.sidecar()).isEqualTo(new SidecarTarget("http://{host}:9043", null, List.of()));
        assertThat(target).hasToString("in /shared/sstables, imported via Sidecar");
        SidecarTarget secure = of("sstables.sidecar", "https://{host}").sidecar();
        assertThat(Objects.requireNonNull(secure).tls()).isNotNull();
        assertThatThrownBy(() -> of("sstables.sidecar", "https://{host}", "tls.ca", "/no/such/file"))
                .hasMessageStartingWith("option \"tls.ca\" is \"/no/such/file\": there is no such file");
    }

    @Test
    void saysWhatIsWrong() {
        assertThatThrownBy(() -> SstableTarget.of(Settings.of(Map.of("sstables", "true"), Map.of())))
                .hasMessageStartingWith("option \"sstables.directory\" is missing");
        for (String path : List.of("s3://bucket/sstables", "dbfs:/sstables", "sstables")) {
            assertThatThrownBy(() -> of("sstables.directory", path))
                    .hasMessageStartingWith("\"sstables.directory\" is \"" + path + "\", must be an absolute path");
        }
        for (String address : List.of("", "host:", "host:0", "host:65536", "::1", "[::1", "a b:c")) {
            assertThatThrownBy(() -> of("sstables.jmx", "10.0.0.1," + address))
                    .as(address)
                    .hasMessageStartingWith("\"sstables.jmx\" is \"" + address + "\", must be host or host:port");
        }
        assertThatThrownBy(() -> of("sstables.ssh", "cassandra@host:/x"))
                .hasMessageStartingWith(
                        "option \"sstables.ssh\" is \"cassandra@host:/x\", must be [USER@]{host}:DIRECTORY");
        assertThatThrownBy(() -> of("sstables.jmx", "a", "sstables.ssh", "{host}:/x"))
                .hasMessage("options \"sstables.jmx\" and \"sstables.ssh\" exclude each other: set one");
        assertThatThrownBy(() -> of("sstables.sidecar", "https://{host}", "sstables.ssh", "{host}:/x"))
                .hasMessage("options \"sstables.ssh\" and \"sstables.sidecar\" exclude each other: set one");
        assertThatThrownBy(() -> of("sstables.sidecar", "{host}:9043"))
                .hasMessageStartingWith(
                        "option \"sstables.sidecar\" is \"{host}:9043\", must be http[s]://{host}[:PORT]");
        assertThatThrownBy(() -> of("sstables.jmx", "a", "sstables.jmxUser", "u"))
                .hasMessage("options \"sstables.jmxUser\" and \"sstables.jmxPassword\" must be set together");
    }
}
