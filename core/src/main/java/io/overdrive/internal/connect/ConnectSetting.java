package io.overdrive.internal.connect;

import io.overdrive.Setting;
import io.overdrive.Setting.Kind;
import io.overdrive.WireCompression;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * The settings of a connection, to a cluster or to another server, as users write them down; {@link Connecting} makes connection options
 * of them. In their help, the name of a setting in braces stands for what users call it. Immutable.
 */
public final class ConnectSetting {
    private static final String OF_THE_JDK = "the JDK's";

    /** Comma-separated. */
    public static final Setting<String> HOST = Setting.of(
            "host",
            Kind.HOSTS,
            "127.0.0.1",
            "Contact points, comma-separated, each a host or host:port; other nodes are discovered.");

    public static final Setting<Integer> PORT = Setting.of(
                    "port", Kind.PORT, 9042, "Port of contact points given without one.")
            .within(1, 65535);
    public static final Setting<String> DATACENTER = Setting.unset(
            "datacenter",
            Kind.NAME,
            "the contact points' data centre",
            "The local data centre, whose nodes get all requests. Other data centres get rows by replication,"
                    + " or at consistency levels without LOCAL.");
    public static final Setting<String> FAILOVER_DATACENTER = Setting.unset(
            "failoverDatacenter",
            Kind.NAME,
            "none; requests wait",
            "The data centre whose nodes get the requests while no node of the local one is up.");
    public static final Setting<String> USERNAME = Setting.unset("username", Kind.NAME, "", "User name.");
    public static final Setting<Path> PASSWORD_FILE = Setting.unset(
            "passwordFile",
            Kind.FILE,
            "the environment variable {password}, or a prompt",
            "File whose first line is the password. There is no option for the password itself, because all users of"
                    + " a machine can read its command lines.");
    public static final Setting<String> PASSWORD_COMMAND = Setting.unset(
            "passwordCommand", Kind.COMMAND, "", "Command of the shell; the first line of its output is the password.");
    public static final Setting<String> PASSWORD =
            Setting.unset("password", Kind.SECRET, "", "Password of {username}.");
    public static final Setting<Boolean> TLS = Setting.unset(
            "tls", Kind.FLAG, "", "Encrypt the connection, and verify the server's certificate and host name.");
    public static final Setting<Boolean> TLS_ANY_HOST = Setting.of(
            "tlsAnyHost",
            Kind.FLAG,
            false,
            "As {tls}, without verifying the host name, for certificates without one. Anyone with a trusted"
                    + " certificate can then impersonate the server.");
    public static final Setting<Path> TLS_CA =
            Setting.unset("tlsCa", Kind.FILE, OF_THE_JDK, "File with certificates to trust, PEM.");
    public static final Setting<Path> TLS_CERT = Setting.unset(
            "tlsCert",
            Kind.FILE,
            "",
            "File with the client certificate, PEM, if the server requires client authentication; needs {tlsKey}.");
    public static final Setting<Path> TLS_KEY = Setting.unset(
            "tlsKey",
            Kind.FILE,
            "",
            "File with the key of {tlsCert}, PEM: PKCS#8, PKCS#1 or SEC 1. If it is encrypted, its password: {tlsKeyPassword}.");
    public static final Setting<String> TLS_KEY_PASSWORD =
            Setting.unset("tlsKeyPassword", Kind.SECRET, "", "Password of {tlsKey}, if it is encrypted.");
    public static final Setting<Path> TLS_TRUSTSTORE = Setting.unset(
            "tlsTruststore",
            Kind.FILE,
            OF_THE_JDK,
            "File with certificates to trust, PKCS#12 or JKS. Its password: {truststorePassword}.");
    public static final Setting<String> TRUSTSTORE_PASSWORD =
            Setting.unset("truststorePassword", Kind.SECRET, "", "Password of {tlsTruststore}.");
    public static final Setting<Path> TLS_KEYSTORE = Setting.unset(
            "tlsKeystore",
            Kind.FILE,
            "",
            "File with the client certificate and key, PKCS#12 or JKS, if the server requires client authentication. Its password:"
                    + " {keystorePassword}.");
    public static final Setting<String> KEYSTORE_PASSWORD =
            Setting.unset("keystorePassword", Kind.SECRET, "", "Password of {tlsKeystore}.");
    public static final Setting<Path> TLS_PASSWORD_FILE = Setting.unset(
            "tlsPasswordFile", Kind.FILE, "", "File whose first line is the password of the key and of the stores.");
    public static final Setting<String> TLS_PASSWORD_COMMAND = Setting.unset(
            "tlsPasswordCommand",
            Kind.COMMAND,
            "",
            "Command of the shell; the first line of its output is the password of the key and of the stores.");
    public static final Setting<Path> BUNDLE = Setting.unset(
            "bundle",
            Kind.FILE,
            "",
            "File with the secure connect bundle of Astra, instead of {host}: hosts, data centre, certificates and key.");
    public static final Setting<WireCompression> WIRE_COMPRESSION = Setting.of(
                    "wireCompression",
                    Kind.COMPRESSION,
                    WireCompression.NONE,
                    "Compress requests and answers: none, lz4 or snappy.")
            .defaultShownAs("none");
    public static final Setting<Path> DRIVER_CONFIG = Setting.unset(
            "driverConfig",
            Kind.FILE,
            "",
            "Configuration file of the Java driver (application.conf). Its settings take precedence.");
    public static final Setting<Duration> CONNECT_TIMEOUT = Setting.of(
                    "connectTimeout",
                    Kind.DURATION,
                    Duration.ofSeconds(30),
                    "Timeout for connecting and for each setup request.")
            .within(Duration.ofMillis(1), Duration.ofHours(1))
            .defaultShownAs("30");

    /** A user and the password, in the order of the help. */
    public static final List<Setting<?>> CREDENTIALS = List.of(USERNAME, PASSWORD_FILE, PASSWORD_COMMAND, PASSWORD);

    /** Certificates, keys and their passwords, in the order of the help. */
    public static final List<Setting<?>> TLS_FILES = List.of(
            TLS_CA,
            TLS_CERT,
            TLS_KEY,
            TLS_TRUSTSTORE,
            TLS_KEYSTORE,
            TLS_PASSWORD_FILE,
            TLS_PASSWORD_COMMAND,
            TRUSTSTORE_PASSWORD,
            KEYSTORE_PASSWORD,
            TLS_KEY_PASSWORD);

    /** All settings of a connection to a cluster, in the order of the help. */
    public static final List<Setting<?>> ALL = Stream.of(
                    List.of(HOST, PORT, DATACENTER, FAILOVER_DATACENTER),
                    CREDENTIALS,
                    List.of(TLS, TLS_ANY_HOST),
                    TLS_FILES,
                    List.of(BUNDLE, WIRE_COMPRESSION, DRIVER_CONFIG, CONNECT_TIMEOUT))
            .<Setting<?>>flatMap(List::stream)
            .toList();

    private ConnectSetting() {}
}
