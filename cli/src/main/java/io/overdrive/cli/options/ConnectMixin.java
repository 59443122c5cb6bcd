package io.overdrive.cli.options;

import static io.overdrive.internal.connect.ConnectSetting.BUNDLE;
import static io.overdrive.internal.connect.ConnectSetting.CONNECT_TIMEOUT;
import static io.overdrive.internal.connect.ConnectSetting.HOST;
import static io.overdrive.internal.connect.ConnectSetting.PORT;

import io.overdrive.ConnectOptions;
import io.overdrive.Setting;
import io.overdrive.cli.config.Server;
import io.overdrive.internal.connect.ConnectSetting;
import io.overdrive.internal.connect.Connecting;
import io.overdrive.local.LocalCluster;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Model.OptionSpec;

/** Options for connecting to the cluster; shared by all commands that need one. Confined to one thread. */
public final class ConnectMixin {
    private static final String LOCAL = "--local";

    private final ServerOptions options;
    private boolean local;

    public ConnectMixin() {
        this("Connection");
    }

    /** Options with another heading in the help. */
    public ConnectMixin(String heading) {
        options = new ServerOptions(
                heading, SettingOptions.LAST, Server.CLUSTER, /* purpose */ "", ConnectSetting.ALL, local());
    }

    private OptionSpec local() {
        return OptionSpec.builder(LOCAL)
                .arity("0")
                .type(Boolean.class)
                .description(
                        "Connect to the node of overdrive local start, and start it if necessary, at --port if given.")
                .setter(SettingOptions.setter(value -> local = Boolean.TRUE.equals(value)))
                .build();
    }

    /** The options, which the command adds to its model. */
    public SettingOptions group() {
        return options.group();
    }

    /** The names of all options of a connection. */
    static Set<String> names() {
        return new HashSet<>(new ConnectMixin().group().names());
    }

    /** Whether the user named a cluster. */
    public boolean isGiven() {
        return local || options.isGiven(HOST) || options.isGiven(BUNDLE);
    }

    /** Starts the local node if requested. */
    public ConnectOptions options(PrintWriter err) {
        for (Setting<?> server : List.<Setting<?>>of(HOST, BUNDLE)) {
            if (local && options.isGiven(server)) {
                throw new IllegalArgumentException(
                        LOCAL + " and " + options.name(server) + " exclude each other: choose one");
            }
        }
        Connecting.exclude(options, BUNDLE, HOST);
        ConnectOptions.Builder builder = ConnectOptions.builder();
        if (local) {
            startLocal(builder, err);
        } else {
            Connecting.setServers(builder, options);
        }
        Connecting.setOthers(builder, options);
        return builder.build();
    }

    private void startLocal(ConnectOptions.Builder builder, PrintWriter err) {
        LocalCluster cluster = LocalCluster.start(LocalClusterOptions.of(
                /* directory */ null,
                /* cassandra */ null,
                /* nodes */ null,
                /* dcs */ null,
                options.find(PORT),
                /* heapMegabytes */ null,
                err::println));
        cluster.contactPoints().forEach(builder::contactPoint);
        builder.datacenter(cluster.datacenter());
    }

    /** The timeout for connecting, and for each setup request. */
    Duration timeout() {
        Duration given = options.find(CONNECT_TIMEOUT);
        return given == null ? CONNECT_TIMEOUT.requireDefault() : given;
    }
}
