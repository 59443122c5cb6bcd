package io.overdrive.spark.write;

import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.spark.config.Failures;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.config.SharedEngines;
import io.overdrive.sstable.handover.JmxAccess;
import io.overdrive.sstable.handover.SidecarTarget;
import io.overdrive.sstable.handover.SshTarget;
import io.overdrive.sstable.handover.SstableOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Where a write by SSTables has them written, and how nodes get them; by the settings. Plans (on the driver). Immutable.
 *
 * @param directory that driver and executors share
 * @param jmx of nodes that see the directory, too; null if they do not import from it
 * @param ssh how driver and nodes reach the directory of each host; null to do without
 * @param sidecar how the driver reaches the Sidecars of the nodes; null to do without. Without any of the three, scripts import
 */
record SstableTarget(
        Path directory, @Nullable JmxAccess jmx, @Nullable SshTarget ssh, @Nullable SidecarTarget sidecar) {
    /** A name or IPv4 address, or an IPv6 address in brackets, and perhaps a port. */
    private static final Pattern ADDRESS = Pattern.compile("(?:([^:\\[\\]]+)|\\[([^\\]]+)\\])(?::(\\d{1,5}))?");

    /** @throws IllegalArgumentException if a setting is wrong, or the directory is not set */
    static SstableTarget of(Settings settings) {
        JmxAccess jmx = jmx(settings);
        SshTarget ssh = ssh(settings);
        SidecarTarget sidecar = sidecar(settings);
        exclude(Setting.SSTABLES_JMX, jmx, Setting.SSTABLES_SSH, ssh);
        exclude(Setting.SSTABLES_JMX, jmx, Setting.SSTABLES_SIDECAR, sidecar);
        exclude(Setting.SSTABLES_SSH, ssh, Setting.SSTABLES_SIDECAR, sidecar);
        return new SstableTarget(directory(settings), jmx, ssh, sidecar);
    }

    private static void exclude(Setting one, @Nullable Object its, Setting other, @Nullable Object others) {
        if (its != null && others != null) {
            throw new IllegalArgumentException(
                    "options \"" + one.option + "\" and \"" + other.option + "\" exclude each other: set one");
        }
    }

    /** Whether nodes import before the job ends. */
    boolean imports() {
        return options().imports();
    }

    SstableOptions options() {
        return new SstableOptions(jmx, ssh, sidecar, directory);
    }

    private static Path directory(Settings settings) {
        String given = settings.get(Setting.SSTABLES_DIRECTORY);
        Path path = Path.of(given);
        if (!path.isAbsolute()) {
            throw Settings.wrong(
                    Setting.SSTABLES_DIRECTORY, given, "an absolute path, below which a shared file system is mounted");
        }
        return path;
    }

    private static @Nullable JmxAccess jmx(Settings settings) {
        String given = settings.find(Setting.SSTABLES_JMX);
        String user = settings.find(Setting.SSTABLES_JMX_USER);
        String password = settings.find(Setting.SSTABLES_JMX_PASSWORD);
        if ((user == null) != (password == null)) {
            throw new IllegalArgumentException("options \"" + Setting.SSTABLES_JMX_USER.option + "\" and \""
                    + Setting.SSTABLES_JMX_PASSWORD.option + "\" must be set together");
        }
        if (given == null) {
            return null;
        }
        List<JmxAccess.Address> addresses = new ArrayList<>();
        for (String each : given.split(",", -1)) {
            Matcher address = ADDRESS.matcher(each.strip());
            int port = -1;
            if (address.matches()) {
                port = address.group(3) == null ? JmxAccess.DEFAULT_PORT : Integer.parseInt(address.group(3));
            }
            if (port < 1 || port > 65535) {
                throw Settings.wrong(
                        Setting.SSTABLES_JMX, each.strip(), "host or host:port, several separated by commas");
            }
            String host = address.group(1) == null ? address.group(2) : address.group(1);
            addresses.add(new JmxAccess.Address(host, port));
        }
        return new JmxAccess(addresses, user, password);
    }

    private static @Nullable SshTarget ssh(Settings settings) {
        String given = settings.find(Setting.SSTABLES_SSH);
        if (given == null) {
            return null;
        }
        try {
            return SshTarget.parse(given);
        } catch (IllegalOptionException e) {
            throw Failures.named(e);
        }
    }

    /** The target with the certificates and keys of the cluster. */
    private static @Nullable SidecarTarget sidecar(Settings settings) {
        String given = settings.find(Setting.SSTABLES_SIDECAR);
        if (given == null) {
            return null;
        }
        SSLContext tls = given.startsWith("https:") ? SharedEngines.tls(settings) : null;
        try {
            return new SidecarTarget(given, tls, /* curlOptions */ List.of());
        } catch (IllegalOptionException e) {
            throw Failures.named(e);
        }
    }

    /** The text in EXPLAIN, without passwords. */
    @Override
    public String toString() {
        return "in " + directory
                + (jmx != null
                        ? ", imported over JMX"
                        : ssh != null
                                ? ", imported over ssh"
                                : sidecar != null ? ", imported via Sidecar" : ", with a script for each node");
    }
}
