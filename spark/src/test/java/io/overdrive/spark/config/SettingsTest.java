package io.overdrive.spark.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.ConnectOptions;
import io.overdrive.InFlightControl;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.SparkConf;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
    private static final Path PAGE = Path.of("..", "docs", "reference", "spark-settings.md");

    private static Settings options(String... pairs) {
        return Settings.of(map(pairs), Map.of());
    }

    private static Settings session(String... pairs) {
        return Settings.of(Map.of(), map(pairs));
    }

    private static Map<String, String> map(String... pairs) {
        Map<String, String> map = new HashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            map.put(pairs[i], pairs[i + 1]);
        }
        return map;
    }

    @Test
    void optionsOverrideGroupsAndGroupsOverrideTheSession() {
        Map<String, String> session = map(
                "spark.cassandra.input.split.sizeInMB", "1",
                "default/spark.cassandra.input.split.sizeInMB", "2",
                "clusterA/spark.cassandra.input.split.sizeInMB", "3",
                "clusterA:ks/spark.overdrive.splitMB", "4",
                "clusterB:ks/spark.cassandra.input.split.sizeInMB", "5");
        Map<String, String> options = map("cluster", "clusterA", "keyspace", "ks", "splitMB", "6");
        assertThat(split(options, session)).isEqualTo(6);
        options.remove("splitMB");
        assertThat(split(options, session)).isEqualTo(4);
        options.put("keyspace", "other");
        assertThat(split(options, session)).isEqualTo(3);
        options.put("cluster", "clusterC");
        assertThat(split(options, session)).isEqualTo(2);
        session.remove("default/spark.cassandra.input.split.sizeInMB");
        assertThat(split(options, session)).isEqualTo(1);
        session.remove("spark.cassandra.input.split.sizeInMB");
        assertThat(split(options, session)).isEqualTo(128);
        session.put("spark.cassandra.sql.cluster", "clusterB");
        assertThat(split(map("keyspace", "ks"), session)).isEqualTo(5);
    }

    /** Our names come first only among those of one place. */
    @Test
    void theNearestPlaceDecidesWhateverTheNameThere() {
        Map<String, String> write = map("spark.cassandra.input.split.sizeInMB", "1");
        Map<String, String> catalog = map("splitMB", "2", "cluster", "c", "keyspace", "ks");
        Map<String, String> session = map(
                "spark.cassandra.input.split.sizeInMB", "3",
                "c/spark.cassandra.input.split.sizeInMB", "4",
                "c:ks/spark.cassandra.input.split.size_in_mb", "6");
        Map<String, String> application = map(
                "spark.overdrive.splitMB", "7",
                "c/spark.overdrive.splitMB", "8",
                "c:ks/spark.overdrive.splitMB", "9");
        assertThat(split(List.of(write, catalog), session, application)).isEqualTo(1);
        write.clear();
        assertThat(split(List.of(write, catalog), session, application)).isEqualTo(2);
        catalog.remove("splitMB");
        assertThat(split(List.of(write, catalog), session, application)).isEqualTo(6);
        session.remove("c:ks/spark.cassandra.input.split.size_in_mb");
        assertThat(split(List.of(write, catalog), session, application)).isEqualTo(9);
        application.remove("c:ks/spark.overdrive.splitMB");
        assertThat(split(List.of(write, catalog), session, application)).isEqualTo(4);
        session.remove("c/spark.cassandra.input.split.sizeInMB");
        assertThat(split(List.of(write, catalog), session, application)).isEqualTo(8);
        application.remove("c/spark.overdrive.splitMB");
        assertThat(split(List.of(write, catalog), session, application)).isEqualTo(3);
        session.remove("spark.cassandra.input.split.sizeInMB");
        assertThat(split(List.of(write, catalog), session, application)).isEqualTo(7);
    }

    @Test
    void optionsOfTheDriverFollowTheSameOrder() {
        Settings settings = Settings.of(
                List.of(
                        map("spark.cassandra.connection.localConnectionsPerExecutor", "2"),
                        map("driver.advanced.connection.pool.local.size", "4")),
                map("spark.cassandra.connection.reconnectionDelayMS.max", "5"),
                map("spark.overdrive.driver.advanced.reconnection-policy.max-delay", "6 s"));
        assertThat(settings.driver())
                .containsEntry("advanced.connection.pool.local.size", "2")
                .containsEntry("advanced.reconnection-policy.max-delay", "5 milliseconds");
    }

    private static long split(
            List<Map<String, String>> options, Map<String, String> session, Map<String, String> application) {
        return Settings.of(options, session, application).number(Setting.SPLIT_MB);
    }

    private static long split(Map<String, String> options, Map<String, String> session) {
        return Settings.of(options, session).number(Setting.SPLIT_MB);
    }

    @Test
    void acceptsEveryNameInAnyLetterCaseAndPrefersOurs() {
        for (String name : Setting.SPLIT_MB.optionNames()) {
            assertThat(options(name, "7").number(Setting.SPLIT_MB)).as(name).isEqualTo(7);
            assertThat(options(name.toUpperCase(Locale.ROOT), "7").number(Setting.SPLIT_MB))
                    .as(name)
                    .isEqualTo(7);
        }
        assertThat(options("spark.cassandra.input.split.sizeInMB", "7", "spark.overdrive.splitMB", "8")
                        .number(Setting.SPLIT_MB))
                .isEqualTo(8);
        assertThat(session("directJoinSetting", "on").get(Setting.DIRECT_JOIN)).isEqualTo("on");
    }

    @Test
    void convertsUnitsOfTheConnectorForSpark3() {
        assertThat(session("spark.cassandra.query.retry.count", "60").number(Setting.MAX_ATTEMPTS))
                .isEqualTo(61);
        assertThat(session("spark.cassandra.query.retry.count", "-1").number(Setting.MAX_ATTEMPTS))
                .isEqualTo(1000);
        assertThat(session("spark.cassandra.output.throughputMBPerSec", "0.3", "spark.executor.cores", "8")
                        .get(Setting.WRITE_MB_PER_SECOND))
                .isEqualTo("2.4");
        assertThat(session("spark.cassandra.input.throughputMBPerSec", "0.125", "spark.executor.cores", "1")
                        .bytes(Setting.READ_MB_PER_SECOND))
                .isEqualTo(128 << 10);
        assertThat(session("spark.cassandra.output.throughput_mb_per_sec", "2", "spark.master", "local[4]")
                        .bytes(Setting.WRITE_MB_PER_SECOND))
                .isEqualTo(8 << 20);
        assertThat(session("spark.cassandra.output.throughputMBPerSec", "2147483647", "spark.executor.cores", "64")
                        .bytes(Setting.WRITE_MB_PER_SECOND))
                .isEqualTo(2147483647L * 64 << 20);
        assertThat(session("spark.overdrive.writeMBPerSecond", "2.5", "spark.master", "local[4]")
                        .bytes(Setting.WRITE_MB_PER_SECOND))
                .isEqualTo(5 << 19);
        assertThat(session("spark.cassandra.input.readsPerSec", "50", "spark.executor.cores", "4")
                        .number(Setting.LOOKUPS_PER_SECOND))
                .isEqualTo(200);
        assertThat(session("spark.cassandra.output.batch.size.rows", "auto").find(Setting.BATCH_ROWS))
                .isNull();
        assertThat(session("spark.cassandra.output.batch.size.rows", "30").number(Setting.BATCH_ROWS))
                .isEqualTo(30);
    }

    /** Their defaults, which many jobs repeat, would make ours slow. */
    @Test
    void takesBatchBytesAndConcurrentWritesOnlyIfTheyDifferFromTheDefaultsOfTheConnectorForSpark3() {
        Settings settings = session(
                "spark.cassandra.output.batch.size.bytes", "1024",
                "spark.cassandra.output.concurrent.writes", "5");
        assertThat(settings.find(Setting.BATCH_BYTES)).isNull();
        assertThat(settings.find(Setting.IN_FLIGHT_REQUESTS)).isNull();
        assertThat(session("spark.cassandra.output.batch.size.bytes", "4096").number(Setting.BATCH_BYTES))
                .isEqualTo(4096);
        assertThat(options("output.batch.size.bytes", "512").find(Setting.BATCH_BYTES))
                .isNull();
        assertThat(options("batchBytes", "512").number(Setting.BATCH_BYTES)).isEqualTo(512);
        Map<String, String> session = map("spark.cassandra.output.concurrent.writes", "3", "spark.executor.cores", "4");
        assertThat(Settings.of(Map.of(), session).number(Setting.IN_FLIGHT_REQUESTS))
                .isEqualTo(12);
        session.put("spark.cassandra.output.concurrent.writes", "100000");
        assertThat(Settings.of(Map.of(), session).number(Setting.IN_FLIGHT_REQUESTS))
                .isEqualTo(8000);
    }

    /** There, batches of any rows; here, only the new name means single rows. */
    @Test
    void groupingNoneOfTheConnectorForSpark3MeansBatchesOfSeveralPartitions() {
        assertThat(session("spark.cassandra.output.batch.grouping.key", "None").get(Setting.GROUPING))
                .isEqualTo("replica_set");
        assertThat(session("spark.cassandra.output.batch.grouping.key", "partition")
                        .get(Setting.GROUPING))
                .isEqualTo("partition");
        assertThat(options("grouping", "none").get(Setting.GROUPING)).isEqualTo("none");
    }

    @Test
    void namesOfTheConnectorForSpark3SetOptionsOfTheDriver() {
        assertThat(session(
                                "spark.cassandra.connection.reconnectionDelayMS.min", "500",
                                "spark.cassandra.connection.reconnection_delay_ms.max", "20000",
                                "spark.cassandra.connection.localConnectionsPerExecutor", "4",
                                "spark.cassandra.connection.remoteConnectionsPerExecutor", "2")
                        .driver())
                .containsExactlyInAnyOrderEntriesOf(map(
                        "advanced.reconnection-policy.base-delay", "500 milliseconds",
                        "advanced.reconnection-policy.max-delay", "20000 milliseconds",
                        "advanced.connection.pool.local.size", "4"));
        assertThat(Settings.of(
                                map("connection.remoteConnectionsPerExecutor", "3"),
                                map("spark.overdrive.driver.advanced.connection.pool.local.size", "5"))
                        .driver())
                .containsEntry("advanced.connection.pool.local.size", "3");
        assertThat(session(
                                "spark.cassandra.connection.remoteConnectionsPerExecutor", "3",
                                "spark.overdrive.driver.advanced.connection.pool.local.size", "5")
                        .driver())
                .containsEntry("advanced.connection.pool.local.size", "5");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> session("spark.cassandra.connection.reconnectionDelayMS.max", "1m"))
                .withMessage("\"spark.cassandra.connection.reconnectionDelayMS.max\" is \"1m\", must be a whole number,"
                        + " 1 or greater: advanced.reconnection-policy.max-delay of the driver");
    }

    @ParameterizedTest
    @CsvSource({
        "spark.cassandra.output.consistncy.level, spark.cassandra.output.consistency.level",
        "spark.cassandra.conection.host, spark.cassandra.connection.host",
        "spark.cassandra.connection.hosts, spark.cassandra.connection.host",
        "spark.cassandra.output.concurrent.write, spark.cassandra.output.concurrent.writes",
        "spark.cassandra.splitMB, spark.overdrive.splitMB",
        "spark.overdrive.split, spark.overdrive.splitMB",
        "spark.overdrive.readConsistancy, spark.overdrive.readConsistency",
        "cluster1:ks/spark.cassandra.input.split.sizeMB, spark.cassandra.input.split.sizeInMB"
    })
    void refusesUnknownNamesAndSuggestsTheClosest(String name, String nearest) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> session(name, "x"))
                .withMessage("\"" + name.substring(name.indexOf('/') + 1)
                        + "\" is not a setting of this connector: did you mean \"" + nearest
                        + "\"? (all settings: docs/reference/spark-settings.md)");
    }

    @Test
    void refusesUnknownNamesWithoutASuggestionIfNoneIsClose() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> session("spark.overdrive.whatever", "x"))
                .withMessage("\"spark.overdrive.whatever\" is not a setting of this connector (all settings:"
                        + " docs/reference/spark-settings.md)");
    }

    @Test
    void readsTheNamesOfBundlesAndOfCompression() {
        Settings settings = session(
                "spark.cassandra.connection.config.cloud.path",
                "b.zip",
                "spark.cassandra.connection.compression",
                "LZ4");
        assertThat(settings.find(Setting.BUNDLE)).isEqualTo("b.zip");
        assertThat(settings.find(Setting.WIRE_COMPRESSION)).isEqualTo("LZ4");
        assertThat(settings.connection()).containsKeys("BUNDLE", "WIRE_COMPRESSION");
    }

    @ParameterizedTest
    @CsvSource({
        "tabel, table",
        "keyspce, keyspace",
        "ignoreNull, ignoreNulls",
        "confirm_truncate, confirm.truncate",
        "spitMB, splitMB"
    })
    void refusesOptionsThatResembleOurs(String option, String nearest) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options(option, "x"))
                .withMessage("there is no option \"" + option + "\": did you mean \"" + nearest
                        + "\"? (all settings: docs/reference/spark-settings.md)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "path",
                "paths",
                "checkpointLocation",
                "header",
                "queryName",
                "url",
                "numPartitions",
                "x",
                "ttl.name"
            })
    void ignoresOptionsOfOtherSystems(String option) {
        assertThat(options(option, "x").find(Setting.TABLE)).isNull();
    }

    @Test
    void acceptsAllNamesOfTheConnectorForSpark3() {
        for (Setting setting : Setting.values()) {
            for (String name : setting.names()) {
                SettingNames.check(name, "x");
                SettingNames.checkOption(name, "x");
            }
        }
        for (String option : SettingNames.DRIVER_OPTIONS.keySet()) {
            SettingNames.check(Setting.CONNECTOR_PREFIX + option, "x");
            SettingNames.checkOption(option, "x");
        }
        for (String unused : SettingNames.UNUSED.keySet()) {
            SettingNames.check(unused.startsWith("spark.") ? unused : Setting.CONNECTOR_PREFIX + unused, "x");
            SettingNames.checkOption(unused, "x");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "pushdown, maybe, true or false",
        "splitMB, 0, 'a whole number, 1 or greater'",
        "splitMB, 1.5, 'a whole number, 1 or greater'",
        "port, 70000, 'a port, 1 to 65535'",
        "spark.cassandra.read.timeoutMS, 2s, 'a whole number, 1 or greater'",
        "spark.cassandra.query.retry.count, often, 'a whole number, 1 or greater'",
        "directJoin, sometimes, 'on, off or auto'",
        "grouping, replica, 'partition, replica_set or none'",
        "guard, 20ms, p99=20ms or 1.2x",
        "inFlightControl, slow, 'round_trips, vegas, gradient, aimd or fixed'",
        "directJoinSizeRatio, half, a number",
        "writeMBPerSecond, fast, a number above 0",
        "spark.cassandra.input.throughputMBPerSec, 0.0, a number above 0",
        "spark.cassandra.input.consistency.level, LOCAL_ON,"
                + " 'ANY, ONE, TWO, THREE, QUORUM, ALL, LOCAL_ONE, LOCAL_QUORUM or EACH_QUORUM'"
    })
    void refusesInvalidValues(String name, String value, String expected) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options(name, value))
                .withMessageStartingWith("\"" + name + "\" is \"" + value + "\", must be " + expected + ": ");
    }

    @Test
    void acceptsConsistencyLevelsInAnyLetterCase() {
        assertThat(options("readConsistency", "local_quorum").consistency(Setting.READ_CONSISTENCY))
                .isEqualTo(DefaultConsistencyLevel.LOCAL_QUORUM);
        assertThat(options().consistency(Setting.WRITE_CONSISTENCY)).isEqualTo(DefaultConsistencyLevel.LOCAL_QUORUM);
        assertThat(options().consistency(Setting.READ_CONSISTENCY))
                .as("as the connector for Spark 3")
                .isEqualTo(DefaultConsistencyLevel.LOCAL_ONE);
    }

    @ParameterizedTest
    @EnumSource
    void acceptsEveryControlOfWhatIsInFlightInAnyLetterCase(InFlightControl control) {
        assertThat(options("inFlightControl", control.name()).value(Setting.IN_FLIGHT_CONTROL))
                .isEqualTo(control);
        String lower = control.name().toLowerCase(Locale.ROOT);
        assertThat(session("spark.overdrive.inFlightControl", lower).value(Setting.IN_FLIGHT_CONTROL))
                .isEqualTo(control);
    }

    @Test
    void findsWhatMayBeInFlightByRoundTripsIfNothingIsSet() {
        assertThat(options().value(Setting.IN_FLIGHT_CONTROL)).isEqualTo(InFlightControl.ROUND_TRIPS);
    }

    @Test
    void connectsToTheLocalDatacenterAndToTheOneToFailOverTo() {
        ConnectOptions both = SharedEngines.options(options("datacenter", "dc1", "failoverDatacenter", "dc2"));
        assertThat(both.datacenter()).isEqualTo("dc1");
        assertThat(both.failoverDatacenter()).isEqualTo("dc2");
        assertThat(SharedEngines.options(options()).failoverDatacenter()).isNull();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SharedEngines.options(options("datacenter", "dc1", "failoverDatacenter", "dc1")))
                .withMessageContaining("which is the local data centre");
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, /127.0.0.1:9043",
        "127.0.0.1:7, /127.0.0.1:7",
        "::1, /[0:0:0:0:0:0:0:1]:9043",
        "2001:db8::5, /[2001:db8:0:0:0:0:0:5]:9043",
        "[::1], /[0:0:0:0:0:0:0:1]:9043",
        "[::1]:7, /[0:0:0:0:0:0:0:1]:7"
    })
    void connectsToHostsWithTheirPortOrThatOfAll(String host, String address) {
        assertThat(SharedEngines.options(options("host", host, "port", "9043")).contactPoints())
                .singleElement()
                .asString()
                .isEqualTo(address);
    }

    /** Whoever accepts any host name wants TLS, unless it is switched off. */
    @Test
    void encryptsWhenAnyHostIsAccepted() {
        ConnectOptions any = SharedEngines.options(options("tls.checkHost", "false"));
        assertThat(any.tls()).isNotNull();
        assertThat(any.checksHostNames()).isFalse();
        assertThat(SharedEngines.options(options("tls", "false", "tls.checkHost", "false"))
                        .tls())
                .isNull();
        assertThat(SharedEngines.options(options("tls.checkHost", "true")).tls())
                .isNull();
    }

    /** A PKCS#12 store seems to be empty without its password. */
    @Test
    void refusesATrustStoreWithoutCertificates(@TempDir Path directory) throws Exception {
        KeyStore empty = KeyStore.getInstance("PKCS12");
        empty.load(null, null);
        Path store = directory.resolve("trust.p12");
        try (OutputStream out = Files.newOutputStream(store)) {
            empty.store(out, "s3cret".toCharArray());
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SharedEngines.options(options("tls.trustStore", store.toString())))
                .withMessage("\"tls.trustStore\" " + store
                        + " holds no certificates; set \"tls.trustStorePassword\" to its password");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SharedEngines.options(
                        options("tls.trustStore", store.toString(), "tls.trustStorePassword", "s3cret")))
                .withMessage("\"tls.trustStore\" " + store + " holds no certificates");
    }

    @Test
    void passesOptionsOfTheDriverOnAndRefusesUnknownOnes() {
        assertThat(Settings.of(
                                map("driver.advanced.protocol.compression", "lz4"),
                                map(
                                        "spark.overdrive.driver.advanced.protocol.compression", "snappy",
                                        "spark.overdrive.driver.advanced.connection.pool.local.size", "4"))
                        .driver())
                .containsExactlyInAnyOrderEntriesOf(map(
                        "advanced.protocol.compression", "lz4",
                        "advanced.connection.pool.local.size", "4"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> session("spark.overdrive.driver.advanced.protocol.compresion", "lz4"))
                .withMessage("\"spark.overdrive.driver.advanced.protocol.compresion\": the driver has no option"
                        + " \"advanced.protocol.compresion\": did you mean \"advanced.protocol.compression\"?");
    }

    @Test
    void neverPrintsAPassword() {
        Settings settings = options(
                "username",
                "ann",
                "password",
                "s3cret",
                "tls.keyStorePassword",
                "s3cret",
                "tls.trustStorePassword",
                "s3cret");
        assertThat(settings.toString())
                .contains("username=ann (username)", "password=… (password)")
                .doesNotContain("s3cret");
    }

    @Test
    void readsAndWritesOfOneClusterShareAConnection() {
        Map<String, String> table =
                options("table", "t", "splitMB", "1", "writeConsistency", "ONE").connection();
        assertThat(table).isEqualTo(options("keyspace", "ks").connection());
        assertThat(table).isEqualTo(options("port", "9042").connection());
        assertThat(List.of(
                        options("host", "10.0.0.1").connection(),
                        options("username", "ann").connection(),
                        options("guard", "1.5x").connection(),
                        options("failoverDatacenter", "dc2").connection(),
                        options("tls.checkHost", "false").connection(),
                        options("driver.advanced.protocol.compression", "lz4").connection()))
                .doesNotContain(table)
                .doesNotHaveDuplicates();
    }

    @Test
    void travelsToTheExecutorsUnchanged() throws IOException, ClassNotFoundException {
        Settings settings =
                options("password", "s3cret", "splitMB", "7", "driver.advanced.protocol.compression", "lz4");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(settings);
        }
        Settings copy;
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            copy = (Settings) in.readObject();
        }
        for (Setting setting : Setting.values()) {
            assertThat(copy.find(setting)).isEqualTo(settings.find(setting));
        }
        assertThat(copy.connection()).isEqualTo(settings.connection());
        assertThat(copy).hasToString(settings.toString());
    }

    @Test
    void saysWhichOptionIsMissingOrNotANumber() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options().get(Setting.KEYSPACE))
                .withMessage("option \"keyspace\" is missing: Keyspace of the table, not quoted");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options("ttl", "seconds").number(Setting.TTL))
                .withMessageStartingWith("\"ttl\" is \"seconds\", must be a whole number: ");
    }

    @ParameterizedTest
    @EnumSource(Setting.class)
    void hasAValidDefault(Setting setting) {
        String value = setting.defaultValue;
        assertThat(value == null || setting.kind.accepts(value)).isTrue();
    }

    @Test
    void theDocumentationListsTheSettingsOfTheCode() throws IOException {
        String settings = "| Option | Default | Meaning | In jobs of the connector for Spark 3 |\n|---|---|---|---|\n"
                + Arrays.stream(Setting.values())
                        .map(s -> "| `" + s.option + "` | "
                                + (s.defaultValue == null || s.defaultValue.isEmpty() ? "" : "`" + s.defaultValue + "`")
                                + " | "
                                + s.meaning() + " | "
                                + s.aliases.stream().map(a -> "`" + a + "`").collect(Collectors.joining(", ")) + " |")
                        .collect(Collectors.joining("\n"));
        String unused = "| Name | Why it is not used |\n|---|---|\n"
                + SettingNames.UNUSED.entrySet().stream()
                        .map(e -> "| `" + e.getKey() + "` | " + e.getValue() + " |")
                        .collect(Collectors.joining("\n"));
        String driver = "| Name | Option of the driver |\n|---|---|\n"
                + SettingNames.DRIVER_OPTIONS.entrySet().stream()
                        .map(e -> "| `" + e.getKey() + "` | `" + e.getValue().path() + "`"
                                + (e.getValue().unit().isEmpty()
                                        ? ""
                                        : ", in" + e.getValue().unit()) + " |")
                        .collect(Collectors.joining("\n"));
        assertThat(Files.readString(PAGE)).contains(settings).contains(driver).contains(unused);
    }

    /** Has its own setting, and reads one of Spark. */
    public static class Vault implements CredentialsFactory {
        @Override
        public Credentials credentials(SparkConf conf) {
            return new Credentials(conf.get("spark.app.name"), conf.get("spark.cassandra.auth.vault"));
        }

        @Override
        public Set<String> ownSettings() {
            return Set.of("spark.cassandra.auth.vault", "spark.cassandra.auth.username");
        }
    }

    /** A factory without credentials. */
    public static class NoVault implements CredentialsFactory {
        @Override
        public @Nullable Credentials credentials(SparkConf conf) {
            return null;
        }

        @Override
        public Set<String> ownSettings() {
            return Set.of();
        }
    }

    /** Cannot be reached. */
    public static class LockedVault implements CredentialsFactory {
        @Override
        public Credentials credentials(SparkConf conf) {
            throw new IllegalStateException("locked");
        }

        @Override
        public Set<String> ownSettings() {
            return Set.of();
        }
    }

    @Test
    void userAndPasswordComeFromTheFactoryThatASettingNames() {
        Map<String, String> application = map(
                "spark.app.name",
                "shop",
                "spark.cassandra.auth.conf.factory",
                Vault.class.getName(),
                "spark.cassandra.auth.vault",
                "open",
                "other/spark.cassandra.auth.conf.factory",
                NoVault.class.getName(),
                "other/spark.cassandra.auth.username",
                "somebody");
        Settings settings = Settings.of(Map.of(), application);
        assertThat(settings.find(Setting.USERNAME)).isEqualTo("shop");
        assertThat(settings.find(Setting.PASSWORD)).isEqualTo("open");
        assertThat(settings.toString()).doesNotContain("open");
        assertThat(Settings.of(map("username", "u", "password", "p"), application)
                        .find(Setting.USERNAME))
                .isEqualTo("u");
        Settings fromOption = Settings.of(
                map("authFactory", Vault.class.getName(), "spark.cassandra.auth.vault", "y"),
                map("spark.app.name", "x", "spark.cassandra.auth.password", "z"));
        assertThat(fromOption.find(Setting.PASSWORD)).isEqualTo("y");
        Map<String, String> ofExecutors = Settings.forExecutors(application);
        assertThat(ofExecutors).isEqualTo(map("spark.overdrive.username", "shop", "spark.overdrive.password", "open"));
        assertThat(Settings.of(Map.of(), ofExecutors).connection()).isEqualTo(settings.connection());
    }

    @Test
    void theDefaultFactoriesOfTheConnectorForSpark3AreWhatThisOneDoes() {
        String factories = "com.datastax.spark.connector.cql.Default";
        Settings settings = session(
                "spark.cassandra.auth.conf.factory",
                factories + "AuthConfFactory",
                "spark.cassandra.connection.factory",
                factories + "ConnectionFactory",
                "spark.cassandra.auth.username",
                "u",
                "spark.cassandra.auth.password",
                "p");
        assertThat(settings.find(Setting.USERNAME)).isEqualTo("u");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "no.such.Class | there is no such class: Spark's driver needs its jar",
                "java.lang.String | must be a com.datastax.spark.connector.cql.AuthConfFactory",
                "java.lang.Integer | has no public constructor without parameters",
                "io.overdrive.spark.config.SettingsTest$LockedVault | which gives no user and password: java.lang.IllegalStateException: locked"
            })
    void refusesFactoriesThatDoNotWork(String factory, String why) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> session("spark.cassandra.auth.conf.factory", factory))
                .withMessageContaining("\"spark.cassandra.auth.conf.factory\" is \"" + factory + "\"")
                .withMessageContaining(why);
    }

    @Test
    void refusesAFactoryForConnections() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> session("spark.cassandra.connection.factory", "shop.Sessions"))
                .withMessageContaining("\"spark.cassandra.connection.factory\" is \"shop.Sessions\"")
                .withMessageContaining("spark.overdrive.driver.<path>");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options("connection.factory", "shop.Sessions"))
                .withMessageContaining("spark.cassandra.auth.conf.factory");
    }

    @Test
    void settingsThatAProgramRegistersAreNotRefused() {
        Settings.register("spark.cassandra.shop.registered");
        assertThat(session("spark.cassandra.shop.registered", "x").find(Setting.USERNAME))
                .isNull();
        assertThat(Settings.forExecutors(map("spark.cassandra.shop.registered", "x")))
                .isEmpty();
    }
}
