package io.overdrive.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.overdrive.Overdrive;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import io.overdrive.spark.config.CredentialsFactory;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.config.SharedEngines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.QueryExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Connections to a node that requires TLS, a client certificate, and a password. Its certificate is for 127.0.0.1. */
@Timeout(600)
@Tag("nightly")
class SecureIT {
    private static final String SECRET = "s3cret99";

    private static Path directory = Path.of("");
    private static @Nullable LocalCluster cluster;

    @BeforeAll
    static void start(@TempDir Path temporary) throws Exception {
        directory = temporary;
        createKey("node", "ip:127.0.0.1");
        createKey("client", "dns:client");
        createKey("stranger", "dns:stranger");
        trust("clients-trust", "PKCS12", "node");
        trust("clients-trust-jks", "JKS", "node");
        trust("nodes-trust", "PKCS12", "client");
        cluster = LocalCluster.start(LocalOptions.builder()
                .heapMegabytes(256)
                .directory(directory.resolve("cluster"))
                .port(0)
                .profile(LocalOptions.Profile.SMALL)
                .setting("authenticator", "PasswordAuthenticator")
                .setting(
                        "client_encryption_options",
                        "{enabled: true, optional: false, require_client_auth: true, keystore: '" + store("node")
                                + "', keystore_password: " + SECRET + ", truststore: '" + store("nodes-trust")
                                + "', truststore_password: " + SECRET + "}")
                .stopWithJvm(true)
                .build());
        awaitFirstUser();
    }

    @AfterAll
    static void stop() {
        cluster().wipe();
    }

    private static LocalCluster cluster() {
        return Objects.requireNonNull(cluster);
    }

    private static String store(String name) {
        return directory.resolve(name + ".store").toString();
    }

    private static void createKey(String name, String host) throws IOException, InterruptedException {
        keytool("-genkeypair", "-alias", name, "-keyalg", "RSA", "-dname", "CN=" + name, "-ext", "SAN=" + host);
        keytool(
                "-exportcert",
                "-alias",
                name,
                "-file",
                directory.resolve(name + ".crt").toString());
    }

    private static void trust(String name, String type, String whom) throws IOException, InterruptedException {
        String certificate = directory.resolve(whom + ".crt").toString();
        keytool("-importcert", "-alias", name, "-file", certificate, "-noprompt", "-storetype", type);
    }

    /** Uses the store named like the alias. */
    private static void keytool(String... arguments) throws IOException, InterruptedException {
        Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        List<String> command = Stream.concat(
                        Stream.concat(Stream.of(keytool.toString()), Stream.of(arguments)),
                        Stream.of("-keystore", store(arguments[2]), "-storepass", SECRET, "-keypass", SECRET))
                .toList();
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }

    /** The node creates its first user some seconds after its start. */
    private static void awaitFirstUser() throws InterruptedException {
        patiently(() -> read(settings()));
    }

    private static Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>();
        settings.put("host", "127.0.0.1");
        settings.put("port", String.valueOf(cluster().contactPoints().get(0).getPort()));
        settings.put("username", "cassandra");
        settings.put("password", "cassandra");
        settings.put("tls", "true");
        settings.put("tls.trustStore", store("clients-trust"));
        settings.put("tls.trustStorePassword", SECRET);
        settings.put("tls.keyStore", store("client"));
        settings.put("tls.keyStorePassword", SECRET);
        return settings;
    }

    private static Map<String, String> with(String... pairs) {
        Map<String, String> settings = settings();
        for (int i = 0; i < pairs.length; i += 2) {
            settings.put(pairs[i], pairs[i + 1]);
        }
        return settings;
    }

    private static Map<String, String> without(String... names) {
        Map<String, String> settings = settings();
        settings.keySet().removeAll(List.of(names));
        return settings;
    }

    private static String read(Map<String, String> settings) {
        var row = SharedEngines.of(Settings.of(settings, Map.of()))
                .session()
                .execute("SELECT cluster_name FROM system.local")
                .one();
        return row == null ? "" : String.valueOf(row.getString(0));
    }

    private static void assertRefused(Map<String, String> settings, String... words) {
        assertThatExceptionOfType(QueryExecutionException.class) // whose message PySpark shows
                .isThrownBy(() -> read(settings))
                .satisfies(e -> assertThat(e.getMessage()).contains(words).doesNotContain(SECRET));
    }

    @Test
    void connectsWithTheRightStoresOfBothTypes() {
        assertThat(read(settings())).isNotEmpty();
        assertThat(read(with("tls.trustStore", store("clients-trust-jks")))).isNotEmpty();
        assertThat(read(without("tls"))).isNotEmpty();
    }

    /** Its secret is in its own setting. */
    public static class Vault implements CredentialsFactory {
        @Override
        public Credentials credentials(SparkConf conf) {
            return new Credentials("cassandra", conf.get("spark.cassandra.auth.vault"));
        }

        @Override
        public Set<String> ownSettings() {
            return Set.of("spark.cassandra.auth.vault");
        }
    }

    @Test
    void aFactoryGivesThePassword() {
        Map<String, String> settings = without("username", "password");
        settings.put("spark.cassandra.auth.conf.factory", Vault.class.getName());
        settings.put("spark.cassandra.auth.vault", "cassandra");
        assertThat(read(settings)).isNotEmpty();
        settings.put("spark.cassandra.auth.vault", "wrong");
        assertRefused(settings, "and/or password are incorrect");
    }

    /** Passwords of a vault end after a time, and each would leave its connections behind. */
    @Test
    void aNewPasswordOfAUserNeedsNoOtherEngine() throws InterruptedException {
        Overdrive first = SharedEngines.of(Settings.of(settings(), Map.of()));
        first.changeSchema("CREATE ROLE turning WITH PASSWORD = 'one' AND LOGIN = true");
        Overdrive engine = engine("one");
        assertThat(engine).isNotSameAs(first);
        patiently(() -> first.session().execute("ALTER ROLE turning WITH PASSWORD = 'two'")); // only every five seconds
        assertThat(engine("two")).isSameAs(engine);
        assertThat(engine("one")).as("that of a plan that was made before").isSameAs(engine);
        assertRefused(with("username", "turning", "password", "three"), "(check the user and the password)");
    }

    /** Nodes may know the password of before for two seconds. */
    private static Overdrive engine(String password) throws InterruptedException {
        Settings settings = Settings.of(with("username", "turning", "password", password), Map.of());
        return patiently(() -> SharedEngines.of(settings));
    }

    private static <T> T patiently(Callable<T> action) throws InterruptedException {
        for (int i = 0; ; i++) {
            try {
                return action.call();
            } catch (Exception e) {
                if (i == 120) {
                    throw new AssertionError(e);
                }
                Thread.sleep(500);
            }
        }
    }

    @Test
    void readsATableByTheNamesOfTheConnectorForSpark3() {
        TestSpark.spark();
        SharedEngines.of(Settings.of(settings(), Map.of()))
                .changeSchema("CREATE KEYSPACE IF NOT EXISTS secure WITH replication ="
                        + " {'class': 'SimpleStrategy', 'replication_factor': 1}");
        SharedEngines.of(Settings.of(settings(), Map.of())).changeSchema("CREATE TABLE secure.t (id int PRIMARY KEY)");
        String ssl = "spark.sql.catalog.secure.spark.cassandra.connection.ssl.";
        String auth = "spark.sql.catalog.secure.spark.cassandra.auth.";
        SparkSession spark = TestSpark.spark().newSession();
        spark.conf().set("spark.sql.catalog.secure", "com.datastax.spark.connector.datasource.CassandraCatalog");
        spark.conf().set("spark.sql.catalog.secure.spark.cassandra.connection.host", "127.0.0.1");
        spark.conf().set("spark.sql.catalog.secure.spark.cassandra.connection.port", with().get("port"));
        spark.conf().set(ssl + "enabled", "true");
        spark.conf().set(ssl + "clientAuth.enabled", "true");
        spark.conf().set(ssl + "trustStore.path", store("clients-trust"));
        spark.conf().set(ssl + "trustStore.password", SECRET);
        spark.conf().set(ssl + "trustStore.type", "PKCS12");
        spark.conf().set(ssl + "keyStore.path", store("client"));
        spark.conf().set(ssl + "keyStore.password", SECRET);
        spark.conf().set(auth + "username", "cassandra");
        spark.conf().set(auth + "password", "cassandra");
        var rows = spark.sql("SELECT * FROM secure.secure.t");
        assertThat(rows.collectAsList()).isEmpty();
        assertThat(rows.queryExecution()
                        .explainString(org.apache.spark.sql.execution.ExplainMode.fromString("extended")))
                .contains("secure")
                .doesNotContain(SECRET);
        assertThat(spark.sql("DESCRIBE TABLE EXTENDED secure.secure.t")
                        .collectAsList()
                        .toString())
                .doesNotContain(SECRET);
    }

    @Test
    void joinsAndWritesAcrossTwoClusters() {
        TestSpark.keyspace("two_clusters");
        var far = SharedEngines.of(Settings.of(settings(), Map.of()));
        far.changeSchema("CREATE KEYSPACE two_clusters WITH replication ="
                + " {'class': 'SimpleStrategy', 'replication_factor': 1}");
        for (String table : List.of("there", "copy")) {
            far.changeSchema("CREATE TABLE two_clusters." + table + " (a int PRIMARY KEY, d int)");
        }
        TestSpark.cql("CREATE TABLE two_clusters.here (a int PRIMARY KEY, b int)");
        for (int a = 0; a < 10; a++) {
            TestSpark.cql("INSERT INTO two_clusters.here (a, b) VALUES (" + a + ", " + 2 * a + ")");
            far.session().execute("INSERT INTO two_clusters.there (a, d) VALUES (" + (a + 7) + ", " + a + ")");
        }
        SparkSession spark = TestSpark.spark().newSession();
        SparkSession.setActiveSession(spark);
        settings().forEach((name, value) -> spark.conf().set("far/spark.overdrive." + name, value));
        for (String table : List.of("here", "there", "copy")) {
            spark.read()
                    .format("cassandra")
                    .option("keyspace", "two_clusters")
                    .option("table", table)
                    .option("cluster", table.equals("here") ? "default" : "far")
                    .load()
                    .createOrReplaceTempView(table);
        }
        assertThat(spark.sql("SELECT h.a, b, d FROM here h JOIN there t ON h.a = t.a ORDER BY 1")
                        .collectAsList())
                .hasToString("[[7,14,0], [8,16,1], [9,18,2]]");
        spark.sql("INSERT INTO copy SELECT a, b FROM here");
        spark.table("here")
                .selectExpr("a + 10 AS a", "b AS d")
                .write()
                .format("cassandra")
                .option("keyspace", "two_clusters")
                .option("table", "copy")
                .option("cluster", "far")
                .mode("append")
                .save();
        assertThat(spark.sql("SELECT count(*), sum(d) FROM copy").collectAsList())
                .hasToString("[[20,180]]");
        assertThat(far.session()
                        .execute("SELECT count(*) FROM two_clusters.copy")
                        .all()
                        .get(0)
                        .getLong(0))
                .isEqualTo(20);
    }

    @AfterEach
    void activateTheSharedSession() {
        SparkSession.setActiveSession(TestSpark.spark());
    }

    @Test
    void refusesANodeWhoseCertificateIsNotTrusted() {
        assertRefused(
                with("tls.trustStore", store("nodes-trust")),
                "unable to find valid certification path to requested target",
                "(the node's certificate is not signed by an authority in the trust store)");
        assertRefused(
                without("tls.trustStore", "tls.trustStorePassword"),
                "(the node's certificate is not signed by an authority");
    }

    @Test
    void refusesACertificateForAnotherNameUnlessNamesAreNotChecked() {
        assertRefused(
                with("host", "localhost"),
                "No name matching localhost found",
                "(the node's certificate is for another host: connect by a name that it has, or allow any)");
        assertThat(read(with("host", "localhost", "tls.checkHost", "false"))).isNotEmpty();
    }

    @Test
    void saysThatTheNodeRequiresAnotherClientCertificate() {
        assertRefused(without("tls.keyStore", "tls.keyStorePassword"), "does it require a client certificate?");
        assertRefused(with("tls.keyStore", store("stranger")), "does it require a client certificate?");
    }

    @Test
    void saysWhatIsWrongWithAStore() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read(with("tls.trustStorePassword", "wrong password")))
                .withMessageContaining("\"tls.trustStore\" ")
                .withMessageContaining("cannot be opened")
                .withMessageContaining("(\"tls.trustStorePassword\" is its password)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read(without("tls.keyStorePassword")))
                .withMessageContaining("tls.keyStorePassword");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read(with("tls.keyStore", "/no/such/file")))
                .withMessageContaining("option \"tls.keyStore\" is \"/no/such/file\": there is no such file");
    }

    @Test
    void connectsWithPemFilesAndCompresses() throws Exception {
        KeyStore client = KeyStore.getInstance(Path.of(store("client")).toFile(), SECRET.toCharArray());
        Map<String, String> pem =
                without("tls.trustStore", "tls.trustStorePassword", "tls.keyStore", "tls.keyStorePassword");
        pem.remove("tls");
        pem.put("tls.ca", pem("ca", "CERTIFICATE", Files.readAllBytes(directory.resolve("node.crt"))));
        pem.put(
                "tls.cert",
                pem("cert", "CERTIFICATE", client.getCertificate("client").getEncoded()));
        pem.put(
                "tls.key",
                pem(
                        "key",
                        "PRIVATE KEY",
                        client.getKey("client", SECRET.toCharArray()).getEncoded()));
        pem.put("wireCompression", "lz4");
        read(pem);
        pem.put("tls.keyStore", store("client"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read(pem))
                .withMessage("\"tls.keyStore\" and \"tls.cert\" exclude each other: choose one");
        pem.remove("tls.keyStore");
        pem.remove("tls.key");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read(pem))
                .withMessage("\"tls.cert\" and \"tls.key\" belong together: give both or neither");
    }

    private static String pem(String name, String type, byte[] content) throws IOException {
        return Files.writeString(
                        directory.resolve(name + ".pem"),
                        "-----BEGIN " + type + "-----\n"
                                + Base64.getMimeEncoder().encodeToString(content) + "\n-----END " + type + "-----\n")
                .toString();
    }

    @Test
    void saysThatThePasswordIsWrongOrMissing() {
        assertRefused(with("password", "wrong"), "(check the user and the password)");
        assertRefused(without("username", "password"), "(check the user and the password)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read(without("password")))
                .withMessage("\"username\" and \"password\" belong together: give both or neither");
    }

    @Test
    void acceptsOptionsOfTheDriverAndItsFile() throws IOException {
        Path file = Files.writeString(
                directory.resolve("driver.conf"),
                "datastax-java-driver.advanced { protocol.version = V4, connection.pool.local.size = 2 }");
        var session = SharedEngines.of(Settings.of(
                        with("driverConfig", file.toString(), "driver.advanced.connection.pool.local.size", "3"),
                        Map.of()))
                .session();
        assertThat(session.getContext().getProtocolVersion().getCode()).isEqualTo(4);
        assertThat(session.getContext()
                        .getConfig()
                        .getDefaultProfile()
                        .getInt(com.datastax.oss.driver.api.core.config.DefaultDriverOption.CONNECTION_POOL_LOCAL_SIZE))
                .isEqualTo(3);
    }
}
