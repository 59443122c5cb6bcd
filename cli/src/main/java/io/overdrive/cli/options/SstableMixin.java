package io.overdrive.cli.options;

import io.overdrive.Overdrive;
import io.overdrive.Setting;
import io.overdrive.WriteSetting;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import io.overdrive.sstable.handover.JmxAccess;
import io.overdrive.sstable.handover.JmxAccess.Address;
import io.overdrive.sstable.handover.SidecarTarget;
import io.overdrive.sstable.handover.SshTarget;
import io.overdrive.sstable.handover.SstableOptions;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/** Options for writing by SSTables. */
public final class SstableMixin {
    /** What Ctrl-C does to a load or a copy by SSTables. */
    public static final String STOPS = "stops, and imports nothing unless nodes import already";

    private static final String SSTABLES = "--sstables";

    /** These hold for rows that become SSTables, too; the others are about requests. */
    private static final List<Setting<?>> EFFECTIVE = List.of(
            WriteSetting.GROUPING_MEMORY,
            WriteSetting.SPILL_DIRECTORY,
            WriteSetting.TTL,
            WriteSetting.TIMESTAMP,
            WriteSetting.PATIENCE,
            WriteSetting.ALLOW_NON_IDEMPOTENT);

    /** Those that have no effect without {@link #SSTABLES}. */
    private static final Set<String> OPTIONS = options();

    @Option(
            names = SSTABLES,
            description =
                    "Write Cassandra's own files, SSTables, and have the nodes of this host import them, instead of"
                            + " sending rows by CQL.")
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
                    "With --sstables: where the SSTables are until the nodes have taken them. Default: beside the data"
                            + " of a node, or if that cannot be written, the system's directory for temporary files.")
    private @Nullable Path staging;

    @Option(
            names = "--ssh",
            paramLabel = "[USER@]{host}:DIR",
            description =
                    "With --sstables: copy the SSTables of each node to DIR on its host, by rsync or scp, and have them"
                            + " imported there, by ssh and nodetool. {host} is the address of the node; DIR must exist.")
    private @Nullable String ssh;

    @Option(
            names = "--sidecar",
            paramLabel = "URL",
            description =
                    "With --sstables: upload the SSTables of each node to its Cassandra Sidecar, and have that import"
                            + " them. {host} in the URL is the address of the node, as in https://{host}:9043.")
    private @Nullable String sidecar;

    @Option(
            names = "--sidecar-tls-ca",
            paramLabel = "FILE",
            description = "Certificates to trust for Sidecars, PEM. Default: those of the JDK.")
    private @Nullable Path authorities;

    @Option(
            names = "--sidecar-tls-cert",
            paramLabel = "FILE",
            description = "Client certificate for Sidecars, PEM; needs --sidecar-tls-key.")
    private @Nullable Path certificate;

    @Option(
            names = "--sidecar-tls-key",
            paramLabel = "FILE",
            description = "Key of --sidecar-tls-cert, PEM. If it is encrypted, its password:"
                    + " OVERDRIVE_SIDECAR_TLS_KEY_PASSWORD.")
    private @Nullable Path key;

    @Option(
            names = "--sidecar-tls-truststore",
            paramLabel = "FILE",
            description = "Certificates to trust for Sidecars, PKCS#12 or JKS. Its password:"
                    + " OVERDRIVE_SIDECAR_TRUSTSTORE_PASSWORD.")
    private @Nullable Path trustStore;

    @Option(
            names = "--sidecar-tls-keystore",
            paramLabel = "FILE",
            description = "Client certificate and key for Sidecars. Its password: OVERDRIVE_SIDECAR_KEYSTORE_PASSWORD.")
    private @Nullable Path keyStore;

    @Option(
            names = "--sidecar-tls-password-file",
            paramLabel = "FILE",
            description = "File whose first line is the password of that key and of those stores.")
    private @Nullable Path tlsPasswordFile;

    @Option(
            names = "--sidecar-tls-password-command",
            paramLabel = "COMMAND",
            description =
                    "Command of the shell; the first line of its output is the password of that key and of those stores.")
    private @Nullable String tlsPasswordCommand;

    @Option(names = "--sidecar-truststore-password", hidden = true)
    private @Nullable String trustStorePassword;

    @Option(names = "--sidecar-keystore-password", hidden = true)
    private @Nullable String keyStorePassword;

    @Option(names = "--sidecar-tls-key-password", hidden = true)
    private @Nullable String keyPassword;

    @Option(
            names = "--jmx",
            split = ",",
            paramLabel = "HOST:PORT",
            description =
                    "With --sstables: addresses for JMX of all nodes that have replicas, which must be on this host."
                            + " Default: those of overdrive local if it is the cluster, or 127.0.0.1:7199.")
    private List<String> addresses = new ArrayList<>();

    @Option(names = "--jmx-user", paramLabel = "NAME", description = "User name for JMX.")
    private @Nullable String user;

    @Option(
            names = "--jmx-password-file",
            paramLabel = "FILE",
            description = "File whose first line is the password for JMX. Without it: OVERDRIVE_JMX_PASSWORD.")
    private @Nullable Path passwordFile;

    @Option(names = "--jmx-password", hidden = true)
    private @Nullable String password;

    /** Null until {@link #check}, or if it is not given. */
    private @Nullable SidecarTarget sidecars;

    private static Set<String> options() {
        Set<String> names = new LinkedHashSet<>(
                CommandSpec.forAnnotatedObject(new SstableMixin()).optionsMap().keySet());
        names.remove(SSTABLES);
        return names;
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
            OPTIONS.forEach(option -> OptionValues.checkNeeds(given, option, SSTABLES));
            return;
        }
        write.settings().stream()
                .filter(setting -> !EFFECTIVE.contains(setting))
                .forEach(setting -> OptionValues.checkAlone(given, write.name(setting), SSTABLES));
        List.of(JournalMixin.RESUME, JournalMixin.RESUME_IF_ANY)
                .forEach(option -> OptionValues.checkAlone(given, option, SSTABLES));
        List.of(others).forEach(option -> OptionValues.checkAlone(given, option, SSTABLES));
        TlsFiles files = sidecarFiles();
        boolean hasJmx = !addresses.isEmpty() || user != null || passwordFile != null;
        String importing = null;
        if (staging != null) {
            importing = "--staging-directory";
        } else if (ssh != null) {
            importing = "--ssh";
        } else if (sidecar != null) {
            importing = "--sidecar";
        } else if (!addresses.isEmpty()) {
            importing = "--jmx";
        } else if (user != null) {
            importing = "--jmx-user";
        } else if (passwordFile != null) {
            importing = "--jmx-password-file";
        }
        if (directory != null && importing != null) {
            throw new IllegalArgumentException("with --sstable-directory nothing is imported: leave out " + importing);
        }
        if (ssh != null) {
            SshTarget.parse(ssh);
            if (hasJmx) {
                throw new IllegalArgumentException(
                        "with --ssh, nodetool imports on the hosts of the nodes: leave out --jmx and its user");
            }
        }
        if (sidecar == null && files.isGiven()) {
            throw new IllegalArgumentException("options that begin with --sidecar-tls need --sidecar");
        }
        if (sidecar != null) {
            if (ssh != null || hasJmx) {
                throw new IllegalArgumentException("with --sidecar, Sidecar has the nodes import: leave out "
                        + (ssh != null ? "--ssh" : "--jmx and its user"));
            }
            sidecars = new SidecarTarget(sidecar, files.isGiven() ? files.context() : null, curlOptions());
        }
        if (user == null && passwordFile != null) {
            throw new IllegalArgumentException("--jmx-password-file needs --jmx-user");
        }
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

    private TlsFiles sidecarFiles() {
        TlsFiles files = new TlsFiles("--sidecar-tls", "OVERDRIVE_SIDECAR_");
        files.trustStore = trustStore;
        files.keyStore = keyStore;
        files.authorities = authorities;
        files.certificate = certificate;
        files.key = key;
        files.trustStorePassword = trustStorePassword;
        files.keyStorePassword = keyStorePassword;
        files.keyPassword = keyPassword;
        files.passwordFile = tlsPasswordFile;
        files.passwordCommand = tlsPasswordCommand;
        return files;
    }

    /** The files that curl can read, too. */
    private List<String> curlOptions() {
        List<String> words = new ArrayList<>();
        if (authorities != null) {
            words.addAll(List.of("--cacert", authorities.toAbsolutePath().toString()));
        }
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
        return new SstableOptions(
                isByJmx() ? access(cluster) : null,
                ssh == null ? null : SshTarget.parse(ssh),
                sidecars,
                directory == null ? staging : directory);
    }

    private JmxAccess access(Overdrive cluster) {
        List<Address> all = addresses.isEmpty()
                ? ofLocalCluster(cluster).orElse(List.of(new Address("127.0.0.1", JmxAccess.DEFAULT_PORT)))
                : addresses.stream().map(SstableMixin::address).toList();
        return new JmxAccess(
                all, user, user == null ? null : ConnectMixin.password(user, "--jmx-password", password, passwordFile));
    }

    /** Empty if the cluster is not that of {@code overdrive local}. */
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
