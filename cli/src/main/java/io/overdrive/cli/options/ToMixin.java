package io.overdrive.cli.options;

import static io.overdrive.internal.connect.ConnectSetting.BUNDLE;
import static io.overdrive.internal.connect.ConnectSetting.CONNECT_TIMEOUT;
import static io.overdrive.internal.connect.ConnectSetting.HOST;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.ConnectOptions;
import io.overdrive.Overdrive;
import io.overdrive.Setting;
import io.overdrive.cli.config.Server;
import io.overdrive.internal.connect.ConnectSetting;
import io.overdrive.internal.connect.Connecting;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Options for connecting to the cluster of the second table, if it is a different one; named after the options of {@link ConnectMixin}. Confined to
 * one thread.
 */
public final class ToMixin {
    private final ServerOptions options;

    /** @param heading of the group, which follows the group of {@link ConnectMixin} */
    public ToMixin(String heading) {
        List<Setting<?>> settings = new ArrayList<>(ConnectSetting.ALL);
        settings.remove(CONNECT_TIMEOUT); // set for the first cluster
        settings.set(settings.indexOf(HOST), HOST.defaultShownAs("the cluster of the first table"));
        options = new ServerOptions(
                heading, SettingOptions.LAST, Server.SECOND_CLUSTER, "For the second cluster", settings);
    }

    /** The options, which the command adds to its model. */
    public SettingOptions group() {
        return options.group();
    }

    /** Both connections, which may be the same one. */
    public record Pair(Overdrive first, Overdrive second) implements AutoCloseable {
        @Override
        public void close() {
            if (second != first) {
                second.close();
            }
            first.close();
        }
    }

    /** Checks the options, then connects to the cluster of each table, which may be the same one. */
    public Pair connect(ConnectMixin from, CqlIdentifier[] table, CqlIdentifier[] other, Flow flow, PrintWriter err) {
        ConnectOptions there = options(from.timeout());
        ConnectOptions here = from.options(err);
        if (there == null) {
            Overdrive both = flow.connect(here, table, other);
            return new Pair(both, both);
        }
        Overdrive first = flow.connect(here, table);
        try {
            return new Pair(first, flow.connect(there, other));
        } catch (RuntimeException e) {
            first.close();
            throw e;
        }
    }

    /**
     * As {@link #connect(ConnectMixin, CqlIdentifier[], CqlIdentifier[], Flow, PrintWriter)}; but the cluster of the second table stands for both
     * if it alone is given, and the rows are in files.
     */
    public Pair connect(
            boolean areFiles,
            ConnectMixin from,
            CqlIdentifier[] table,
            CqlIdentifier[] other,
            Flow flow,
            PrintWriter err) {
        ConnectOptions there = areFiles && !from.isGiven() ? options(from.timeout()) : null;
        if (there == null) {
            return connect(from, table, other, flow, err);
        }
        Overdrive both = flow.connect(there, table, other);
        return new Pair(both, both);
    }

    /** Connects to the cluster of the second table alone, which stands for both. */
    public Pair connectSecond(ConnectMixin from, CqlIdentifier[] other, Flow flow, PrintWriter err) {
        ConnectOptions there = options(from.timeout());
        Overdrive both = flow.connect(there == null ? from.options(err) : there, other);
        return new Pair(both, both);
    }

    /**
     * The name of the second table, or of several.
     *
     * @param name empty for that of the first, which is in another cluster then
     * @param argument the name of the argument, for the message
     */
    public String nameOfSecond(String first, String name, String argument) {
        if (name.isEmpty() && !isGiven()) {
            throw new IllegalArgumentException(
                    "give " + argument + ", or the cluster of one with the same name by --to-host");
        }
        return name.isEmpty() ? first : name;
    }

    /** Whether it is another cluster than that of the first. */
    public boolean isGiven() {
        return options.isGiven(HOST) || options.isGiven(BUNDLE);
    }

    /** Null if it is the cluster of the first table. */
    @Nullable ConnectOptions options(Duration timeout) {
        if (!isGiven()) {
            if (options.firstGiven() != null) {
                throw new IllegalArgumentException("options that begin with --to- need --to-host or --to-bundle");
            }
            return null;
        }
        Connecting.exclude(options, BUNDLE, HOST);
        ConnectOptions.Builder builder = ConnectOptions.builder();
        Connecting.setServers(builder, options);
        Connecting.setOthers(builder, options);
        return builder.timeout(timeout).build();
    }
}
