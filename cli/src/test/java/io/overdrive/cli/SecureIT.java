package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.ConnectOptions;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.cli.watch.Logging;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Commands against a node that requires TLS, a client certificate and a password, for JMX, too, and checks permissions. Its certificate is
 * for 127.0.0.1.
 */
@Timeout(600)
class SecureIT {
    private static final String STORE_SECRET = "st0re-s3cret";
    private static final String PASSWORD = "r0le-s3cret";
    private static final String JMX_PASSWORD = "jmx-s3cret";

    private static Path directory = Path.of("");
    private static @Nullable LocalCluster cluster;
    private static @Nullable Overdrive admin;

    @BeforeAll
    static void start(@TempDir Path temporary) throws Exception {
        Logging.quiet();
        directory = temporary;
        createKey("node", "ip:127.0.0.1");
        createKey("client", "dns:client");
        createKey("stranger", "dns:stranger");
        trust("clients-trust", "node");
        trust("nodes-trust", "client");
        cluster = LocalCluster.start(LocalOptions.builder()
                .heapMegabytes(256)
                .directory(directory.resolve("cluster"))
                .port(0)
                .profile(LocalOptions.Profile.SMALL)
                .jvmArguments(
                        "--add-exports=java.management/com.sun.jmx.remote.security=ALL-UNNAMED",
                        "-Dcom.sun.management.jmxremote.authenticate=true",
                        "-Dcom.sun.management.jmxremote.password.file="
                                + ownFile("jmx.password", "admin " + JMX_PASSWORD + "\nmonitor " + JMX_PASSWORD + "\n"),
                        "-Dcom.sun.management.jmxremote.access.file="
                                + ownFile("jmx.access", "admin readwrite\nmonitor readonly\n"))
                .setting("authenticator", "PasswordAuthenticator")
                .setting("authorizer", "CassandraAuthorizer")
                .setting("permissions_validity", "0ms")
                .setting("columns_per_table_fail_threshold", "20")
                .setting("items_per_collection_fail_threshold", "20")
                .setting("fields_per_udt_fail_threshold", "20")
                .setting("write_consistency_levels_disallowed", "[ALL]")
                .setting(
                        "client_encryption_options",
                        "{enabled: true, optional: false, require_client_auth: true, keystore: '" + store("node")
                                + "', keystore_password: " + STORE_SECRET + ", truststore: '" + store("nodes-trust")
                                + "', truststore_password: " + STORE_SECRET + "}")
                .stopWithJvm(true)
                .build());
        admin = connectAdmin();
        cql("CREATE KEYSPACE secure WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        cql("CREATE TABLE secure.t (id int PRIMARY KEY, name text)");
        cql("CREATE TABLE secure.copy (id int PRIMARY KEY, name text)");
        cql("INSERT INTO secure.t (id, name) VALUES (1, 'one')");
        role("nobody");
        role("loader", "MODIFY ON TABLE secure.t");
        role("reader", "SELECT ON TABLE secure.t");
        role("copier", "SELECT ON TABLE secure.t", "MODIFY ON TABLE secure.copy");
        role("comparer", "SELECT ON TABLE secure.t", "SELECT ON TABLE secure.copy");
        role("repairer", "SELECT ON TABLE secure.t", "SELECT ON TABLE secure.copy", "MODIFY ON TABLE secure.copy");
        role("user", "SELECT ON TABLE secure.t", "MODIFY ON TABLE secure.t");
        role("creator", "CREATE ON KEYSPACE secure");
        role("maker", "SELECT ON TABLE secure.t", "CREATE ON KEYSPACE secure");
        role(
                "informed",
                "SELECT ON TABLE secure.t",
                "SELECT ON TABLE system.size_estimates",
                "SELECT ON KEYSPACE system_views");
    }

    @AfterAll
    static void stop() {
        if (admin != null) {
            admin.close();
        }
        Objects.requireNonNull(cluster).wipe();
    }

    private static String store(String name) {
        return directory.resolve(name + ".store").toString();
    }

    private static void createKey(String name, String host) throws IOException, InterruptedException {
        keytool("-genkeypair", "-alias", name, "-keyalg", "RSA", "-dname", "CN=" + name, "-ext", "SAN=" + host);
        keytool("-exportcert", "-alias", name, "-file", certificate(name));
    }

    private static void trust(String name, String whom) throws IOException, InterruptedException {
        keytool("-importcert", "-alias", name, "-file", certificate(whom), "-noprompt");
    }

    private static String certificate(String name) {
        return directory.resolve(name + ".crt").toString();
    }

    /** Uses the store named like the alias. */
    private static void keytool(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(arguments));
        command.addAll(List.of("-keystore", store(arguments[2]), "-storepass", STORE_SECRET));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }

    /** The node creates its first user some seconds after its start. */
    private static Overdrive connectAdmin() throws Exception {
        ConnectOptions options = ConnectOptions.builder()
                .contactPoint(Objects.requireNonNull(cluster).contactPoints().get(0))
                .credentials("cassandra", "cassandra")
                .tls(sslContext())
                .build();
        for (int i = 0; ; i++) {
            try {
                return Overdrive.connect(options);
            } catch (OverdriveException e) {
                if (i == 60) {
                    throw e;
                }
                Thread.sleep(1000);
            }
        }
    }

    private static SSLContext sslContext() throws GeneralSecurityException, IOException {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(open("client"), STORE_SECRET.toCharArray());
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(open("clients-trust"));
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    private static KeyStore open(String name) throws GeneralSecurityException, IOException {
        KeyStore opened = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(Path.of(store(name)))) {
            opened.load(in, STORE_SECRET.toCharArray());
        }
        return opened;
    }

    private static void cql(String statement) {
        Objects.requireNonNull(admin).session().execute(statement);
    }

    private static void role(String name, String... grants) {
        cql("CREATE ROLE " + name + " WITH PASSWORD = '" + PASSWORD + "' AND LOGIN = true");
        for (String grant : grants) {
            cql("GRANT " + grant + " TO " + name);
        }
    }

    private static String file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text).toString();
    }

    /** A file that only its owner may read, as the node demands. */
    private static String ownFile(String name, String text) throws IOException {
        Path file = Path.of(file(name, text));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return file.toString();
    }

    /** The result of a command. */
    private record Result(int code, String text) {
        void succeeds() {
            assertThat(code).as(text).isZero();
            assertThat(text).doesNotContain(STORE_SECRET, PASSWORD);
        }

        void fails(String... words) {
            endsWith(Main.FAILED, words);
        }

        void isWrongUsage(String... words) {
            endsWith(Main.USAGE, words);
        }

        private void endsWith(int expected, String... words) {
            assertThat(code).as(text).isEqualTo(expected);
            assertThat(text).contains(words).doesNotContain(STORE_SECRET, PASSWORD, "s3cret", "\tat ");
        }
    }

    /** Rows enough for a tuning run. */
    private static String manyRows() throws IOException {
        return file(
                "many.csv",
                IntStream.range(0, 1000)
                        .mapToObj(id -> id + ",name " + id)
                        .collect(Collectors.joining("\n", "id,name\n", "\n")));
    }

    private static int port() {
        return Objects.requireNonNull(cluster).contactPoints().get(0).getPort();
    }

    /** Runs a command with a password for each store and for the user. */
    private static Result run(String... command) {
        return run(environment(PASSWORD, STORE_SECRET), command);
    }

    private static Map<String, String> environment(String password, String trustPassword) {
        return Map.of(
                "OVERDRIVE_PASSWORD",
                password,
                "OVERDRIVE_TRUSTSTORE_PASSWORD",
                trustPassword,
                "OVERDRIVE_KEYSTORE_PASSWORD",
                STORE_SECRET);
    }

    private static String[] with(String[] command, String... more) {
        return Stream.concat(Stream.of(command), Stream.of(more)).toArray(String[]::new);
    }

    private static Result run(Map<String, String> environment, String... command) {
        Map<String, String> all = new HashMap<>(environment);
        all.put("OVERDRIVE_REJECTS", directory.toString());
        Cli cli = Cli.run(all, command);
        return new Result(cli.code(), cli.out() + cli.plan() + cli.err());
    }

    /** Options for the node's address and the right stores. */
    private static String[] as(String user, String... command) {
        return Stream.concat(
                        Stream.of(command),
                        Stream.of(
                                "--host",
                                "127.0.0.1:" + port(),
                                "--tls-truststore",
                                store("clients-trust"),
                                "--tls-keystore",
                                store("client"),
                                "--user",
                                user))
                .toArray(String[]::new);
    }

    private static String[] count(String host, String trust, @Nullable String keys) {
        List<String> command =
                new ArrayList<>(List.of("count", "secure.t", "--host", host + ":" + port(), "--user", "reader"));
        command.addAll(List.of("--tls-truststore", store(trust)));
        if (keys != null) {
            command.addAll(List.of("--tls-keystore", store(keys)));
        }
        return command.toArray(String[]::new);
    }

    @Test
    void theNodeHasToProveWhoItIs() throws Exception {
        run(count("127.0.0.1", "clients-trust", "client")).succeeds();
        String[] other = count("localhost", "clients-trust", "client");
        run(other)
                .fails(
                        "No name matching localhost found",
                        "the node's certificate is for another host: connect by a name that it has, or allow any");
        run(with(other, "--tls-any-host")).succeeds();
        run(count("127.0.0.1", "nodes-trust", "client"))
                .fails("the node's certificate is not signed by an authority in the trust store");
    }

    @Test
    @Tag("nightly")
    void theClientHasToProveWhoItIs() throws Exception {
        run(count("127.0.0.1", "clients-trust", null)).fails("does it require a client certificate?");
        run(count("127.0.0.1", "clients-trust", "stranger")).fails("does it require a client certificate?");
        run("count", "secure.t", "--host", "127.0.0.1:" + port(), "--connect-timeout", "5")
                .fails(
                        "(is Cassandra running there, does it listen on that address and port, and does it require TLS?)");
        run(environment("wr0ng-s3cret", STORE_SECRET), count("127.0.0.1", "clients-trust", "client"))
                .fails("Provided username reader and/or password are incorrect", "(check the user and the password)");
    }

    @Test
    @Tag("nightly")
    void aStoreThatCannotBeOpenedIsNamedWithItsPassword() throws Exception {
        String[] command = count("127.0.0.1", "clients-trust", null);
        String trust = "--tls-truststore " + store("clients-trust");
        run(environment(PASSWORD, "wr0ng-s3cret"), command)
                .isWrongUsage(trust
                        + " cannot be opened: keystore password was incorrect (OVERDRIVE_TRUSTSTORE_PASSWORD is its"
                        + " password)");
        run(Map.of("OVERDRIVE_PASSWORD", PASSWORD), command)
                .isWrongUsage(trust + " holds no certificates; set OVERDRIVE_TRUSTSTORE_PASSWORD to its password");
        run(
                        Map.of("OVERDRIVE_PASSWORD", PASSWORD, "OVERDRIVE_TRUSTSTORE_PASSWORD", STORE_SECRET),
                        with(command, "--tls-keystore", store("client")))
                .isWrongUsage(
                        "--tls-keystore " + store("client") + " needs a password: set OVERDRIVE_KEYSTORE_PASSWORD");
    }

    @Test
    @Tag("nightly")
    void onlyAUserOfJmxWhoMayImportsSstables() throws Exception {
        cql("CREATE TABLE secure.imported (id int PRIMARY KEY, name text)");
        cql("GRANT MODIFY ON TABLE secure.imported TO user");
        String count = "SELECT count(*) FROM secure.imported";
        Path staging = Files.createDirectory(directory.resolve("staging"));
        String jmx =
                "127.0.0.1:" + Objects.requireNonNull(cluster).nodes().get(0).jmxPort();
        String[] load = with(
                as("user", "load", manyRows(), "secure.imported", "--sstables", "--jmx", jmx),
                "--staging-directory",
                staging.toString());
        String right = file("jmx.right", JMX_PASSWORD + "\n");

        run(load).fails(jmx + " does not answer over JMX (the user is not let in: ", "Credentials required");
        String wrong = file("jmx.wrong", "wr0ng-s3cret\n");
        run(with(load, "--jmx-user", "admin", "--jmx-password-file", wrong))
                .fails(jmx + " does not answer over JMX (the user is not let in: ", "Invalid username or password");
        assertThat(staging).isEmptyDirectory();

        Result refused = run(with(load, "--jmx-user", "monitor", "--jmx-password-file", right));
        refused.fails(
                "1,000 rows read = 0 written + 0 rejected + 1,000 NOT WRITTEN\n",
                "1 of 1 nodes has not imported its SSTables, which are kept in " + staging,
                "NOT IMPORTED: Access denied!");
        assertThat(one(count)).isZero();
        Matcher command = Pattern.compile("nodetool -p \\d+ -u monitor (import secure imported \\S+)")
                .matcher(refused.text);
        assertThat(command.find()).as(refused.text).isTrue();
        Path nodetool = Nodetool.script(directory.resolve("nodetool"), jmx, "admin", JMX_PASSWORD);
        String typed = command.group().replace("nodetool", nodetool.toString()).replace("monitor", "admin");
        assertThat(new ProcessBuilder("sh", "-c", typed).inheritIO().start().waitFor())
                .isZero();
        assertThat(one(count)).isEqualTo(1000);

        cql("TRUNCATE secure.imported");
        run(with(load, "--jmx-user", "admin", "--jmx-password-file", right)).succeeds();
        assertThat(one(count)).isEqualTo(1000);
        assertThat(staging).isEmptyDirectory();
    }

    private static long one(String query) {
        return Objects.requireNonNull(admin).session().execute(query).one().getLong(0);
    }

    @Test
    @Tag("nightly")
    void aPasswordInAFileIsNotShownEither() throws Exception {
        String password = file("password", PASSWORD + "\n");
        Result result = run(
                Map.of("OVERDRIVE_TRUSTSTORE_PASSWORD", STORE_SECRET, "OVERDRIVE_KEYSTORE_PASSWORD", STORE_SECRET),
                as(
                        "reader",
                        "count",
                        "secure.t",
                        "--json",
                        "--password-file",
                        password,
                        "--explain-flow",
                        directory.resolve("flow.jsonl").toString()));
        result.succeeds();
        assertThat(directory.resolve("flow.jsonl")).content().doesNotContain(STORE_SECRET, PASSWORD);
    }

    private static String pem(String name, String type, byte[] content) throws IOException {
        return file(
                name,
                "-----BEGIN " + type + "-----\n" + Base64.getMimeEncoder().encodeToString(content) + "\n-----END "
                        + type + "-----\n");
    }

    @Test
    void theConnectionMayBeAProfileWithPemFiles() throws Exception {
        KeyStore client = open("client");
        String config = file(
                "config.toml",
                String.join(
                        "\n",
                        "[profiles.secure]",
                        "host = '127.0.0.1:" + port() + "'",
                        "user = 'reader'",
                        "tls-ca = '" + pem("ca.pem", "CERTIFICATE", Files.readAllBytes(Path.of(certificate("node"))))
                                + "'",
                        "tls-cert = '"
                                + pem(
                                        "client.pem",
                                        "CERTIFICATE",
                                        client.getCertificate("client").getEncoded()) + "'",
                        "tls-key = '"
                                + pem(
                                        "client.key",
                                        "PRIVATE KEY",
                                        client.getKey("client", STORE_SECRET.toCharArray())
                                                .getEncoded())
                                + "'",
                        "password-command = 'cat " + file("command-password", PASSWORD + "\n") + "'",
                        "[profiles.clear]",
                        "host = '127.0.0.1:" + port() + "'",
                        "user = 'reader'",
                        "password = '" + PASSWORD + "'",
                        "tls-truststore = '" + store("clients-trust") + "'",
                        "tls-keystore = '" + store("client") + "'",
                        "truststore-password = '" + STORE_SECRET + "'",
                        "keystore-password = '" + STORE_SECRET + "'",
                        ""));
        run(Map.of(), "count", "secure.t", "@clear", "--config", config)
                .isWrongUsage("password is a secret, and other users can read or change the file: chmod 600 " + config);
        Files.setPosixFilePermissions(Path.of(config), PosixFilePermissions.fromString("rw-------"));
        run(Map.of(), "count", "secure.t", "@clear", "--config", config).succeeds();
        run(Map.of("OVERDRIVE_CONFIG", config), "count", "secure.t", "@secure").succeeds();
        run(Map.of("OVERDRIVE_CONFIG", config, "OVERDRIVE_PROFILE", "secure"), "count", "secure.t")
                .succeeds();
        run(
                        Map.of("OVERDRIVE_CONFIG", config),
                        "count",
                        "secure.t",
                        "@secure",
                        "--tls-key",
                        pem(
                                "other.key",
                                "PRIVATE KEY",
                                open("stranger")
                                        .getKey("stranger", STORE_SECRET.toCharArray())
                                        .getEncoded()))
                .isWrongUsage("other.key is not the key of the first certificate in ");
    }

    /** Rights as docs/guides/security.md lists them. */
    @Test
    @Tag("nightly")
    void aCommandNeedsOnlyTheRightsThatAreDocumented() throws Exception {
        String rows = file("rows.csv", "id,name\n2,two\n");
        String unloaded = directory.resolve("unloaded.csv").toString();
        run(as("loader", "load", rows, "secure.t", "--settings")).succeeds();
        run(as("reader", "count", "secure.t")).succeeds();
        run(as("informed", "count", "secure.t")).succeeds();
        run(as("reader", "count", "secure.t", "--dry-run")).succeeds();
        run(as("informed", "count", "secure.t", "--dry-run")).succeeds();
        run(as("loader", "load", rows, "secure.t", "--dry-run")).succeeds();
        run(as("reader", "unload", "secure.t", unloaded)).succeeds();
        run(as("reader", "verify", unloaded, "secure.t")).succeeds();
        run(as("copier", "copy", "secure.t", "secure.copy")).succeeds();
        run(as("copier", "copy", "secure.t", "secure.copy", "--keep-times")).succeeds();
        run(as("comparer", "diff", "secure.t", "secure.copy")).succeeds();
        cql("DELETE FROM secure.copy WHERE id = 1");
        cql("INSERT INTO secure.copy (id, name) VALUES (0, 'zero')");
        run(as("repairer", "diff", "secure.t", "secure.copy", "--repair", "missing,different,extra"))
                .endsWith(Main.DIFFERENT, "repaired");
        run(as("comparer", "diff", "secure.t", "secure.copy")).succeeds();
        run(as("maker", "copy", "secure.t", "secure.copied", "--create")).succeeds();
        run(as("maker", "tune", "secure.t", manyRows(), "--time", "15s")).succeeds();
        run(as("reader", "cql", "SELECT name FROM secure.t")).succeeds();
        run(as("loader", "load", rows, "--query", "UPDATE secure.t SET name = :name WHERE id = :id"))
                .succeeds();
        run(as(
                        "user",
                        "load",
                        file("new.csv", "id,name\n4,four\n"),
                        "--allow-non-idempotent",
                        "--query",
                        "INSERT INTO secure.t (id, name) VALUES (:id, :name) IF NOT EXISTS"))
                .succeeds();
        run(as("user", "load", rows, "secure.t", "--guard", "p99=60s")).succeeds();
        String[] stress = as(
                "user",
                "bench",
                "stress",
                "secure.t",
                "--workload",
                "write 0.5 read 0.5",
                "--keys",
                "10",
                "--for",
                "1s");
        assertThat(run(stress).text()).contains(" done + 0 failed\n"); // whether it reaches the rate or not
        run(as("creator", "load", rows, "secure.made", "--create", "--key", "id"))
                .succeeds();
        assertThat(Path.of(unloaded)).content().contains("1,one\n", "2,two\n");
    }

    @Test
    void aMissingRightIsNamedWithTheWayOut() throws Exception {
        String rows = file("refused.csv", "id,name\n3,three\n");
        String unloaded = directory.resolve("refused-unload.csv").toString();
        String wayOut =
                "; have it granted, or connect as another user (docs/guides/security.md lists the rights of each command)";
        String noSelect = " has no SELECT permission on <table secure.t> or any of its parents" + wayOut;
        String noModify = " has no MODIFY permission on <table secure.t> or any of its parents" + wayOut;
        run(as("reader", "load", rows, "secure.t"))
                .fails("1 NOT WRITTEN", "[secure.t] cannot write: User reader" + noModify);
        run(as("loader", "count", "secure.t")).fails("[secure.t] cannot read ", "User loader" + noSelect);
        run(as("nobody", "unload", "secure.t", unloaded)).fails("User nobody" + noSelect);
        run(as("nobody", "unload", "--query", "SELECT name FROM secure.t", unloaded))
                .fails("[secure.t] cannot read: User nobody" + noSelect);
        run(as("loader", "load", rows, "secure.other", "--create", "--key", "id"))
                .fails("refuses to create table secure.other: User loader has no CREATE permission on <all tables in"
                        + " secure> or any of its parents" + wayOut);
        run(as("creator", "load", rows, "other.t", "--create", "--key", "id"))
                .fails(
                        "refuses to create keyspace other: User creator has no CREATE permission on <all keyspaces> or any"
                                + " of its parents" + wayOut);
        assertThat(Path.of(unloaded)).doesNotExist();
        run(as("loader", "verify", rows, "secure.t")).fails("User loader" + noSelect);
        run(as("reader", "copy", "secure.t", "secure.copy"))
                .fails("User reader has no MODIFY permission on <table secure.copy> or any of its parents" + wayOut);
        run(as("loader", "copy", "secure.t", "secure.copy")).fails("User loader" + noSelect);
        run(as("reader", "copy", "secure.t", "secure.missing", "--create"))
                .fails("User reader has no CREATE permission on <all tables in secure> or any of its parents" + wayOut);
        run(as("reader", "diff", "secure.t", "secure.copy"))
                .fails("User reader has no SELECT permission on <table secure.copy> or any of its parents" + wayOut);
        cql("INSERT INTO secure.copy (id, name) VALUES (9, 'nine')");
        run(as("comparer", "diff", "secure.t", "secure.copy", "--repair", "missing,different,extra"))
                .fails("User comparer has no MODIFY permission on <table secure.copy> or any of its parents" + wayOut);
        cql("DELETE FROM secure.copy WHERE id = 9");
        run(as("reader", "tune", "secure.t", manyRows(), "--time", "15s"))
                .fails("User reader has no CREATE permission on <all tables in secure> or any of its parents" + wayOut);
        run(as("loader", "cql", "SELECT name FROM secure.t")).fails("User loader" + noSelect);
        run(as(
                        "loader",
                        "load",
                        rows,
                        "--allow-non-idempotent",
                        "--query",
                        "INSERT INTO secure.t (id, name) VALUES (:id, :name) IF NOT EXISTS"))
                .fails("User loader" + noSelect);
        run(as("reader", "bench", "stress", "secure.t", "--keys", "10", "--for", "500ms"))
                .fails("User reader" + noModify.substring(0, noModify.indexOf(" (")));
    }

    /** Guardrails do not apply to the superuser who makes the source, and apply to the role that copies it. */
    @Test
    void guardrailsOfTheTargetAreSaidAndEachRowIsAccountedFor() {
        String columns =
                IntStream.range(0, 21).mapToObj(i -> ", c" + i + " int").collect(Collectors.joining());
        String fields = IntStream.range(0, 21).mapToObj(i -> "c" + i + " int").collect(Collectors.joining(", "));
        String items = IntStream.range(0, 21).mapToObj(String::valueOf).collect(Collectors.joining(", "));
        cql("CREATE KEYSPACE rails WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        cql("CREATE TYPE rails.large (" + fields + ")");
        cql("CREATE TABLE rails.wide (id int PRIMARY KEY" + columns + ")");
        cql("CREATE TABLE rails.typed (id int PRIMARY KEY, l frozen<large>)");
        cql("CREATE TABLE rails.lists (id int, n int, l list<int>, PRIMARY KEY (id, n))");
        for (int i = 0; i < 8; i++) {
            cql("INSERT INTO rails.lists (id, n, l) VALUES (1, " + i + ", [" + (i == 5 ? items : "1") + "])");
        }
        role("railed", "SELECT ON KEYSPACE rails", "CREATE ON ALL KEYSPACES", "SELECT ON KEYSPACE system_views");
        String[] copy = {"copy", "rails", "rails2", "--create"};
        String wide = "wide: ";
        String reason = "the target's guardrail columns_per_table refuses the table: it has 22 columns, at most 20"
                + " (columns_per_table_fail_threshold)";
        String rows = "the target refuses collections of more than 20 (items_per_collection_fail_threshold) elements";
        run(as("railed", with(copy, "--dry-run"))).fails(wide + "WOULD FAIL: " + reason, "typed: WOULD FAIL", rows);
        run(as("railed", copy))
                .fails(
                        rows,
                        wide + "FAILED: " + reason,
                        "typed: FAILED: the target's guardrail fields_per_udt refuses the table: type large has 21"
                                + " fields, at most 20",
                        "3 tables, 8 rows read = 7 written + 1 rejected; 2 tables NOT DONE",
                        "{\"id\":1,\"n\":5}: Guardrail items_per_collection violated: Detected collection l with 21 items,"
                                + " this exceeds the failure threshold of 20.");
        assertThat(one("SELECT COUNT(*) FROM rails2.lists")).isEqualTo(7);
        run(as("railed", "copy", "rails.lists", "rails2.lists", "--consistency", "ALL"))
                .fails("write_consistency_levels does not allow ALL");
        role("blind", "SELECT ON KEYSPACE rails", "MODIFY ON KEYSPACE rails2");
        String[] blind = {"copy", "rails.lists", "rails2.lists"};
        run(as("blind", with(blind, "--dry-run")))
                .endsWith(
                        Main.DONE,
                        "the target's guardrails are not known, as this user may not read system_views.settings");
        run(as("blind", with(blind, "--consistency", "ALL")))
                .fails("does not take this consistency level, so choose another one: Guardrail");
    }
}
