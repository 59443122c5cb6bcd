package io.overdrive.cli.options;

import static io.overdrive.internal.connect.ConnectSetting.PASSWORD;
import static io.overdrive.internal.connect.ConnectSetting.TLS_CA;
import static io.overdrive.internal.connect.ConnectSetting.TLS_CERT;
import static io.overdrive.internal.connect.ConnectSetting.TLS_KEY;
import static io.overdrive.internal.connect.ConnectSetting.USERNAME;

import io.overdrive.Overdrive;
import io.overdrive.Setting;
import io.overdrive.WriteSetting;
import io.overdrive.cli.config.Server;
import io.overdrive.internal.connect.ConnectSetting;
import io.overdrive.internal.connect.Connecting;
import io.overdrive.internal.connect.TlsFiles;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import io.overdrive.sstable.handover.JmxAccess;
import io.overdrive.sstable.handover.JmxAccess.Address;
import io.overdrive.sstable.handover.SidecarTarget;
import io.overdrive.sstable.handover.SshTarget;
import io.overdrive.sstable.handover.SstableOptions;
import io.overdrive.sstable.sort.Pass;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/** Options for writing by SSTables. */
public final class SstableMixin {
    private static final String SSTABLES = "--sstables";

    /** These hold for rows that become SSTables, too; the others are about requests. */
    private static final List<Setting<?>> EFFECTIVE = List.of(
            WriteSetting.GROUPING_MEMORY,
            WriteSetting.SPILL_DIRECTORY,
            WriteSetting.TTL,
            WriteSetting.TIMESTAMP,
            WriteSetting.PATIENCE,
            WriteSetting.ALLOW_NON_IDEMPOTENT);

    @Option(
            names = SSTABLES,
            description =
                    "Write Cassandra's own files, SSTables, and make the nodes on this host import them, instead of"
                            + " sending rows over CQL.")
    private boolean sstables;

    @Option(
            names = "--sstable-directory",
            paramLabel = "DIR",
            description =
                    "With --sstables: import nothing, and leave the SSTables in DIR, in a directory for each node with"
                            + " import.sh, which imports them there. DIR must be empty, or not exist.")
    private @Nullable Path directory;

    @Option(
            names = "--staging-directory",
            paramLabel = "DIR",
            description =
                    "With --sstables: where the SSTables are kept until the nodes have taken them. Default: next to the data"
                            + " of a node, or if that cannot be written, the system's directory for temporary files.")
    private @Nullable Path staging;

    @Option(
            names = "--import-passes",
            paramLabel = "N",
            description =
                    "With --sstables: write and import the rows in N parts of the ring, one after another, so that the staging"
                            + " directory needs room for the SSTables of two parts only. The nodes then have some rows before"
                            + " others, and keep them if the run ends early. Default: 1, all rows at once.")
    private @Nullable Integer passes;

    @Option(
            names = "--ssh",
            paramLabel = "[USER@]{host}:DIR",
            description =
                    "With --sstables: copy the SSTables of each node to DIR on its host, with rsync or scp, and import"
                            + " them there with nodetool, over ssh. {host} is the address of the node; DIR must exist.")
    private @Nullable String ssh;

    @Option(
            names = "--jmx",
            split = ",",
            paramLabel = "HOST:PORT",
            description =
                    "With --sstables: addresses for JMX of all nodes that have replicas, which must be on this host."
                            + " Default: the ports of overdrive local if it is the cluster, or 127.0.0.1:7199.")
    private List<String> addresses = new ArrayList<>();

    @Option(
            names = "--sidecar",
            paramLabel = "URL",
            description = "With --sstables: upload the SSTables of each node to its Cassandra Sidecar, which imports"
                    + " them. {host} in the URL is the address of the node, as in https://{host}:9043.")
    private @Nullable String sidecar;

    private final SettingOptions group;
    private final ServerOptions jmx =
            new ServerOptions("", SettingOptions.IN_PLACE, Server.JMX, "For JMX", ConnectSetting.CREDENTIALS);
    private final ServerOptions sidecarTls =
            new ServerOptions("", SettingOptions.IN_PLACE, Server.SIDECAR, "For Sidecars", ConnectSetting.TLS_FILES);

    /** Null until {@link #check}, or if it is not given. */
    private @Nullable SidecarTarget sidecars;

    /** @param heading of the options in the help */
    public SstableMixin(String heading) {
        group = new SettingOptions(
                heading,
                List.of(),
                Map.of(),
                CommandSpec.forAnnotatedObject(this).options().toArray(OptionSpec[]::new));
    }

    /** The options, which the command adds to its model, followed by {@link #jmx} and {@link #sidecar}. */
    public SettingOptions group() {
        return group;
    }

    /** The user for JMX. */
    public SettingOptions jmx() {
        return jmx.group();
    }

    /** Certificates and keys for Sidecars. */
    public SettingOptions sidecar() {
        return sidecarTls.group();
    }

    /** Whether rows are to be written by SSTables. */
    public boolean isGiven() {
        return sstables;
    }

    /**
     * Refuses options that contradict each other or have no effect, and files that cannot be used, before anything else happens.
     *
     * @param write the options for writing by requests
     * @param others names of more options that have no effect with SSTables
     */
    public void check(ParseResult given, SettingOptions write, String... others) {
        if (!sstables) {
            Stream.of(group, jmx(), sidecar())
                    .flatMap(each -> each.names().stream())
                    .filter(option -> !option.equals(SSTABLES))
                    .forEach(option -> OptionValues.checkNeeds(given, option, SSTABLES));
            return;
        }
        write.settings().stream()
                .filter(setting -> !EFFECTIVE.contains(setting))
                .forEach(setting -> OptionValues.checkAlone(given, write.name(setting), SSTABLES));
        List.of(JournalMixin.RESUME, JournalMixin.RESUME_IF_ANY)
                .forEach(option -> OptionValues.checkAlone(given, option, SSTABLES));
        List.of(others).forEach(option -> OptionValues.checkAlone(given, option, SSTABLES));
        String ofJmx = addresses.isEmpty() ? jmx.firstGiven() : "--jmx";
        String importing = ofJmx;
        if (passes != null && (passes < 1 || passes > Pass.MAX_COUNT)) {
            throw new IllegalArgumentException(
                    "--import-passes is " + passes + ", must be from 1 to " + Pass.MAX_COUNT);
        }
        if (passes != null) {
            importing = "--import-passes";
        } else if (staging != null) {
            importing = "--staging-directory";
        } else if (ssh != null) {
            importing = "--ssh";
        } else if (sidecar != null) {
            importing = "--sidecar";
        }
        if (directory != null && importing != null) {
            throw new IllegalArgumentException("with --sstable-directory nothing is imported: leave out " + importing);
        }
        if (ssh != null) {
            SshTarget.parse(ssh);
            if (ofJmx != null) {
                throw new IllegalArgumentException(
                        "with --ssh, nodetool imports on the hosts of the nodes: leave out --jmx and its user");
            }
        }
        if (sidecar == null && sidecarTls.firstGiven() != null) {
            throw new IllegalArgumentException("options that begin with --sidecar-tls need --sidecar");
        }
        if (sidecar != null) {
            if (ssh != null || ofJmx != null) {
                throw new IllegalArgumentException("with --sidecar, Sidecar has the nodes import: leave out "
                        + (ssh != null ? "--ssh" : "--jmx and its user"));
            }
            sidecars = new SidecarTarget(
                    sidecar, Connecting.isEncrypted(sidecarTls) ? TlsFiles.context(sidecarTls) : null, curlOptions());
        }
        jmx.checkUser();
        addresses.forEach(SstableMixin::address);
        if (isByJmx()) {
            JmxAccess.requireModules();
        }
    }

    private boolean isByJmx() {
        return ssh == null && sidecar == null && directory == null;
    }

    private static Address address(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon <= 0 ? "" : text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        try {
            int port = Integer.parseInt(text.substring(colon + 1));
            if (!host.isEmpty() && port >= 1 && port <= 65535) {
                return new Address(host, port);
            }
        } catch (NumberFormatException e) {
            // as if it were out of range
        }
        throw new IllegalArgumentException(
                "--jmx is \"" + text + "\", must be HOST:PORT, with a port of 1 to 65535, several separated by commas");
    }

    /** The files that curl can read, too. */
    private List<String> curlOptions() {
        List<String> words = new ArrayList<>();
        Path authorities = sidecarTls.file(TLS_CA);
        if (authorities != null) {
            words.addAll(List.of("--cacert", authorities.toAbsolutePath().toString()));
        }
        Path certificate = sidecarTls.file(TLS_CERT);
        Path key = sidecarTls.file(TLS_KEY);
        if (certificate != null && key != null) {
            words.addAll(List.of(
                    "--cert",
                    certificate.toAbsolutePath().toString(),
                    "--key",
                    key.toAbsolutePath().toString()));
        }
        return words;
    }

    /** How SSTables get to the nodes of a cluster, after {@link #check}. */
    public SstableOptions options(Overdrive cluster) {
        return options(cluster, directory);
    }

    /** As {@link #options(Overdrive)}, for one of several tables, with a directory of this name for its SSTables if they are not imported. */
    public SstableOptions options(Overdrive cluster, String name) {
        return options(cluster, directory == null ? null : directory.resolve(name));
    }

    private SstableOptions options(Overdrive cluster, @Nullable Path into) {
        return new SstableOptions(
                isByJmx() ? access(cluster) : null,
                ssh == null ? null : SshTarget.parse(ssh),
                sidecars,
                into == null ? staging : into,
                passes == null ? 1 : passes);
    }

    private JmxAccess access(Overdrive cluster) {
        List<Address> all = addresses.isEmpty()
                ? ofLocalCluster(cluster).orElse(List.of(new Address("127.0.0.1", JmxAccess.DEFAULT_PORT)))
                : addresses.stream().map(SstableMixin::address).toList();
        return new JmxAccess(all, jmx.find(USERNAME), jmx.secret(PASSWORD));
    }

    /** Empty if {@code overdrive local} has not started the cluster. */
    private static Optional<List<Address>> ofLocalCluster(Overdrive cluster) {
        Set<String> connected = cluster.session().getMetadata().getNodes().values().stream()
                .map(node -> node.getEndPoint().resolve())
                .filter(InetSocketAddress.class::isInstance)
                .map(address -> name((InetSocketAddress) address))
                .collect(Collectors.toSet());
        return LocalCluster.at(LocalOptions.defaultDirectory())
                .map(LocalCluster::nodes)
                .filter(nodes -> nodes.stream().anyMatch(node -> connected.contains(name(node.address()))))
                .map(nodes -> nodes.stream()
                        .map(node -> new Address("127.0.0.1", node.jmxPort(), name(node.address())))
                        .toList());
    }

    private static String name(InetSocketAddress address) {
        return (address.getAddress() == null
                        ? address.getHostString()
                        : address.getAddress().getHostAddress())
                + ":" + address.getPort();
    }
}
