package io.overdrive.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.KillPoint;
import io.overdrive.NodeBeans;
import io.overdrive.TestCluster;
import io.overdrive.formats.manifest.KeyspaceManifest;
import io.overdrive.internal.disk.Location;
import io.overdrive.internal.disk.Uploader;
import io.overdrive.stores.S3Server;
import io.overdrive.stores.WebServer;
import io.overdrive.stores.WebServer.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files and snapshots in an object store, as a user types their URLs, on a server of S3 that is not ours. */
@Timeout(300)
class ObjectStoreIT {
    private static final String KEYSPACE = TestCluster.keyspace("cli_stores");
    private static final String TABLE = KEYSPACE + ".readings";
    private static final int ROWS = 3_000;

    private static S3Server server;

    private final Path directory;

    ObjectStoreIT(@TempDir Path directory) {
        this.directory = directory;
    }

    @BeforeAll
    static void start() throws Exception {
        server = S3Server.start();
        server.createBucket("lake");
        // as the environment has them for a process
        System.setProperty("aws.endpointUrlS3", server.endpoint().toString());
        System.setProperty("aws.accessKeyId", S3Server.ACCESS_KEY);
        System.setProperty("aws.secretAccessKey", S3Server.SECRET_KEY);
        System.setProperty("aws.region", "us-east-1");
        TestCluster.execute("CREATE TABLE " + TABLE + " (p int, c int, v text, PRIMARY KEY (p, c))");
        List<String> rows = new ArrayList<>(List.of("p,c,v"));
        for (int i = 0; i < ROWS; i++) {
            rows.add(i % 50 + "," + i + ",value " + i);
        }
        Path file = Files.write(Files.createTempFile("rows", ".csv"), rows);
        Cli loaded = run("load", file.toString(), TABLE);
        Files.delete(file);
        assertThat(loaded.code()).as(loaded.err()).isZero();
    }

    @AfterAll
    static void stop() throws Exception {
        for (String each : List.of("aws.endpointUrlS3", "aws.accessKeyId", "aws.secretAccessKey", "aws.region")) {
            System.clearProperty(each);
        }
        server.close();
    }

    private static Cli run(String... arguments) {
        return Cli.run(Stream.concat(Arrays.stream(arguments), Stream.of("--host", TestCluster.host()))
                .toArray(String[]::new));
    }

    private static JsonNode json(String... arguments) throws IOException {
        Cli cli =
                run(Stream.concat(Arrays.stream(arguments), Stream.of("--json")).toArray(String[]::new));
        assertThat(cli.code()).as(cli.err()).isZero();
        return new JsonMapper().readTree(cli.out());
    }

    private static void assertComplete(String input) {
        Cli verified = run("verify", input, TABLE);
        assertThat(verified.code()).as(verified.err()).isZero();
        assertThat(verified.err()).contains("3,000 rows compared: 3,000 the same, 0 different, 0 missing");
    }

    private static List<String> objects(String url) throws IOException {
        Path root = Location.path(url);
        try (Stream<Path> all = Files.walk(root)) {
            return all.filter(Files::isRegularFile)
                    .map(each -> root.relativize(each).toString())
                    .sorted()
                    .toList();
        }
    }

    private ProcessBuilder program(List<String> arguments) {
        ProcessBuilder program = new ProcessBuilder(Child.command(arguments.toArray(String[]::new)));
        program.redirectErrorStream(true)
                .redirectOutput(directory.resolve("out").toFile());
        program.environment().put("AWS_ENDPOINT_URL_S3", server.endpoint().toString());
        program.environment().put("AWS_ACCESS_KEY_ID", S3Server.ACCESS_KEY);
        program.environment().put("AWS_SECRET_ACCESS_KEY", S3Server.SECRET_KEY);
        program.environment().put("AWS_REGION", "us-east-1");
        return program;
    }

    @Test
    void loadsWhatItHasUnloaded() throws Exception {
        json("unload", TABLE, "s3://lake/text/", "--format", "csv", "--compress", "gzip");
        assertComplete("s3://lake/text/");
        json("unload", TABLE, "s3://lake/by p/", "--format", "parquet", "--partition-by", "p");
        assertThat(objects("s3://lake/by p/"))
                .contains("_overdrive_manifest.json")
                .anyMatch(each -> each.startsWith("p=7/"))
                .noneMatch(each -> each.contains("unfinished"));
        assertComplete("s3://lake/by p/");
        assertComplete("s3://lake/by p/**.parquet");
        JsonNode one = json("unload", TABLE, "s3://lake/one/rows.arrow");
        assertThat(objects("s3://lake/one/")).containsExactly("rows.arrow");
        assertThat(one.get("files").toString()).contains("s3://lake/one/rows.arrow");
        assertComplete("s3://lake/one/rows.arrow");
        JsonNode loaded = json("load", "s3://lake/text/", KEYSPACE + ".copy", "--create", "--key", "(p), c");
        assertThat(loaded.get("rowsWritten").asInt()).isEqualTo(ROWS);
    }

    @Test
    void refusesAnOutputThatIsNotNew() throws Exception {
        json("unload", TABLE, "s3://lake/taken/", "--format", "json");
        List<String> before = objects("s3://lake/taken/");
        Cli again = run("unload", TABLE, "s3://lake/taken/", "--format", "json");
        assertThat(again.code()).isEqualTo(1);
        assertThat(again.err()).contains("s3://lake/taken: the directory is not empty");
        assertThat(objects("s3://lake/taken/")).isEqualTo(before);
        json("unload", TABLE, "s3://lake/taken.csv");
        assertThat(run("unload", TABLE, "s3://lake/taken.csv").err()).contains("s3://lake/taken.csv: the file exists");
    }

    /** Kills the run before it uploads a file, or before it deletes its own copy of one that it has uploaded. */
    @ParameterizedTest
    @CsvSource({
        "publish, --file-rows, 100",
        "publish, --partition-by, p",
        "hasUploaded, --file-rows, 100",
        "hasUploaded, --partition-by, p"
    })
    void resumesARunThatWasKilled(String method, String option, String value) throws Exception {
        String url = "s3://lake/killed" + method + option + "/";
        List<String> arguments = new ArrayList<>(List.of("unload", TABLE, url, "--format", "parquet", option, value));
        arguments.addAll(List.of("--host", TestCluster.host()));
        ProcessBuilder program = program(arguments);
        KillPoint point = new KillPoint("io.overdrive.jobs.unload.Place", method, 3);
        assertThat(point.kills(program))
                .as(Files.readString(directory.resolve("out")))
                .isTrue();

        assertThat(objects(url)).contains("_overdrive_unfinished").doesNotContain("_overdrive_manifest.json");
        Cli early = run("load", url, KEYSPACE + ".other", "--create", "--key", "(p), c");
        assertThat(early.code()).isEqualTo(1);
        assertThat(early.err())
                .contains(url.substring(0, url.length() - 1) + ": the unload that wrote these files has not ended");
        Cli other = run("unload", TABLE, url, "--format", "parquet");
        assertThat(other.err()).contains("another run writes here, or was ended early: run ");

        String others = url.substring("s3://lake/".length()) + "others";
        server.beginUpload("lake", others);
        arguments.add("--resume");
        Cli resumed = Cli.run(arguments.toArray(String[]::new));
        assertThat(resumed.code()).as(resumed.err()).isZero();
        assertThat(resumed.out()).contains("3,000 rows written");
        assertComplete(url);
        assertThat(server.uploads("lake")).contains(others);
    }

    /** The kill comes at the first checkpoint, when some of the objects are loaded and others are read ahead. */
    @Test
    void resumesALoadThatWasKilled() throws Exception {
        String url = "s3://lake/small/";
        json("unload", TABLE, url, "--format", "csv", "--compress", "none", "--file-rows", "50");
        String target = KEYSPACE + ".small";
        TestCluster.execute("CREATE TABLE " + target + " (p int, c int, v text, PRIMARY KEY (p, c))");
        List<String> arguments = new ArrayList<>(List.of("load", url, target, "--host", TestCluster.host()));
        List<String> slowly = new ArrayList<>(arguments);
        slowly.addAll(List.of("--rows-per-second", String.valueOf(ROWS / 3)));
        assertThat(new KillPoint("io.overdrive.jobs.load.LoadJournal", "status").kills(program(slowly)))
                .as(Files.readString(directory.resolve("out")))
                .isTrue();

        arguments.add("--resume");
        Cli resumed = Cli.run(arguments.toArray(String[]::new));
        assertThat(resumed.code()).as(resumed.err()).isZero();
        Cli verified = run("verify", url, target);
        assertThat(verified.code()).as(verified.err()).isZero();
        Cli same = run("diff", TABLE, target);
        assertThat(same.code()).as(same.out() + same.err()).isZero();
    }

    @Test
    void aKeyspaceIsRestored() throws Exception {
        String url = "s3://lake/backups/monday/";
        json("unload", KEYSPACE + ".reading*", url, "--format", "parquet", "--keep-times");
        assertThat(objects(url))
                .contains("_overdrive_keyspace.json", "schema.cql", "readings/_overdrive_manifest.json")
                .noneMatch(each -> each.contains("unfinished"));
        assertThat(run("unload", KEYSPACE + ".reading*", url, "--format", "parquet")
                        .err())
                .isEqualTo(
                        "overdrive: s3://lake/backups/monday: has an unload of keyspace cli_stores, which is complete;"
                                + " name a new directory\n");
        JsonNode loaded = json("load", url, "cli_stores_back", "--create");
        assertThat(loaded.get("results").get(0).get("rowsWritten").asInt()).isEqualTo(ROWS);
        Cli verified = run("verify", url, "cli_stores_back");
        assertThat(verified.code()).as(verified.err()).isZero();
        Cli same = run("diff", TABLE, "cli_stores_back.readings");
        assertThat(same.code()).as(same.out() + same.err()).isZero();
    }

    @Test
    void aKeyspaceThatWasKilledIsContinued() throws Exception {
        String url = "s3://lake/backups/tuesday/";
        List<String> arguments = new ArrayList<>(
                List.of("unload", KEYSPACE + ".reading*", url, "--format", "csv", "--host", TestCluster.host()));
        assertThat(new KillPoint("io.overdrive.jobs.unload.KeyspaceOutput", "end").kills(program(arguments)))
                .as(Files.readString(directory.resolve("out")))
                .isTrue();
        KeyspaceManifest begun = KeyspaceManifest.in(Location.path(url));
        assertThat(begun).isNotNull().satisfies(each -> assertThat(each.isComplete())
                .isFalse());
        Cli other = run("unload", KEYSPACE + ".reading*", url, "--format", "csv");
        assertThat(other.err()).contains(", which is not complete; continue it with overdrive resume ");

        arguments.add("--resume");
        Cli resumed = Cli.run(arguments.toArray(String[]::new));
        assertThat(resumed.code()).as(resumed.err()).isZero();
        KeyspaceManifest whole = KeyspaceManifest.in(Location.path(url));
        assertThat(whole).isNotNull().satisfies(each -> assertThat(each.isComplete())
                .isTrue());
        assertComplete(url + "readings/");
    }

    @Test
    void noticesFilesOfAnUnloadThatAreMissingOrCut() throws Exception {
        json("unload", TABLE, "s3://lake/broken/", "--format", "csv", "--compress", "none", "--file-rows", "100");
        Path lost =
                Location.path("s3://lake/broken/" + objects("s3://lake/broken/").get(3));
        byte[] content = Files.readAllBytes(lost);
        Files.delete(lost);
        Cli missing = run("verify", "s3://lake/broken/", TABLE);
        assertThat(missing.code()).isEqualTo(1);
        assertThat(missing.err())
                .contains("1 of ", " files of the unload are missing", String.valueOf(lost.getFileName()));
        Path cut = Files.write(directory.resolve("cut"), Arrays.copyOf(content, content.length / 2));
        ((Uploader) lost.getFileSystem().provider()).upload(cut, lost);
        assertThat(run("verify", "s3://lake/broken/", TABLE).err())
                .contains(lost + ": the file has " + content.length / 2 + " bytes");
        Cli rest = run("verify", "s3://lake/broken/*.csv", TABLE);
        assertThat(rest.code()).as(rest.err()).isNotEqualTo(1); // 3 if the cut is within a record
    }

    @Test
    void readsASnapshot() throws Exception {
        Path snapshot = NodeBeans.snapshot(KEYSPACE, "readings", "bucket");
        Path root = Location.path("s3://lake/backup/node1/");
        Uploader store = (Uploader) root.getFileSystem().provider();
        try (Stream<Path> files = Files.list(snapshot)) {
            for (Path each : files.filter(Files::isRegularFile).toList()) {
                store.upload(each, root.resolve(String.valueOf(each.getFileName())));
            }
        }
        Cli same = run("diff", TABLE, TABLE, "--from-sstables", "s3://lake/backup/node1/");
        assertThat(same.code()).as(same.out() + same.err()).isZero();
        String data = objects("s3://lake/backup/node1/").stream()
                .filter(each -> each.endsWith("-Data.db"))
                .findFirst()
                .orElseThrow();
        Files.delete(root.resolve(data));
        Cli missing = run("count", TABLE, "--from-sstables", "s3://lake/backup/node1/");
        assertThat(missing.code()).isEqualTo(1);
        assertThat(missing.err()).contains(data + " is missing");
    }

    @Test
    void readsABackupOfMedusa() throws Exception {
        Path snapshot = NodeBeans.snapshot(KEYSPACE, "readings", "medusa");
        Path node = Location.path("s3://lake/medusa/cluster/node1/");
        Uploader store = (Uploader) node.getFileSystem().provider();
        String table = "data/" + KEYSPACE + "/" + snapshot.getName(snapshot.getNameCount() - 3);
        List<String> objects = new ArrayList<>();
        try (Stream<Path> files = Files.list(snapshot)) {
            for (Path each : files.filter(Files::isRegularFile).toList()) {
                String path = table + "/" + each.getFileName();
                store.upload(each, node.resolve(path));
                objects.add("{\"path\": \"medusa/cluster/node1/" + path + "\", \"MD5\": \"\", \"size\": "
                        + Files.size(each) + "}");
            }
        }
        Path manifest = directory.resolve("manifest.json");
        Files.writeString(
                manifest,
                "[{\"keyspace\": \"" + KEYSPACE + "\", \"columnfamily\": \""
                        + table.substring(table.lastIndexOf('/') + 1) + "\", \"objects\": ["
                        + String.join(", ", objects) + "]}]");
        store.upload(manifest, node.resolve("monday/meta/manifest.json"));
        store.create(node.resolve("monday/meta/tokenmap.json"), "{\"node1\": {}, \"node2\": {}}".getBytes(UTF_8));
        Cli same = run("diff", TABLE, TABLE, "--from-sstables", "s3://lake/medusa/cluster/*/monday");
        assertThat(same.code()).as(same.out() + same.err()).isZero();
        assertThat(same.err())
                .contains(
                        "the cluster of these backups also has the nodes node2: rows that only they have are not read");
        assertThat(run("count", TABLE, "--from-sstables", "s3://lake/medusa/*/tuesday")
                        .err())
                .contains("--from-sstables is s3://lake/medusa/*/tuesday, which matches no directory");
    }

    @Test
    void loadsAndVerifiesFilesOfAWebServer() throws Exception {
        Path parquet = directory.resolve("rows.parquet");
        json("unload", TABLE, parquet.toString());
        for (WebServer.Kind kind : List.of(Kind.RANGES, Kind.NO_RANGES, Kind.CHUNKED)) {
            try (WebServer web = new WebServer(kind)) {
                web.put("/rows.parquet", Files.readAllBytes(parquet), "\"1\"");
                web.put("/rows.csv", "p,c,v\n0,0,value 0\n1,1,value 1\n".getBytes(UTF_8), "");
                Cli loaded = run("load", web.endpoint() + "/rows.csv?sig=s3cr3t", TABLE);
                assertThat(loaded.code()).as(loaded.err()).isZero();
                assertThat(run("count", TABLE, "--keys", web.endpoint() + "/rows.csv")
                                .out())
                        .contains("2");
                Cli glob = run("load", web.endpoint() + "/row*.csv?sig=s3cr3t", TABLE);
                assertThat(glob.err())
                        .contains(
                                "/row*.csv: there is no such file, and a web server does not list those that match a glob:"
                                        + " name each file")
                        .doesNotContain("s3cr3t");
                Cli whole = run("verify", web.endpoint() + "/rows.parquet", TABLE);
                if (kind == Kind.RANGES) {
                    assertThat(whole.err()).contains("3,000 the same");
                } else {
                    assertThat(whole.err()).contains("Parquet is not read from").contains("save it in a file first");
                }
            }
        }
        assertThat(run("unload", TABLE, "https://example.com/x.csv?s3cr3t").err())
                .contains("https://example.com/x.csv: nothing is written to URLs of web servers")
                .doesNotContain("s3cr3t");
    }

    @Test
    void saysWhatIsWrongWithAUrl() {
        assertThat(run("load", "s3://lake/none.csv", TABLE).err()).contains("s3://lake/none.csv: no such file");
        assertThat(run("load", "s3://lake/none/", TABLE).err())
                .contains("s3://lake/none: cannot be listed: there is no such directory");
        assertThat(run("load", "s3://nobucket/x.csv", TABLE).err()).contains("there is no bucket nobucket");
        assertThat(run("unload", TABLE, "s3://nobucket/x/").err()).contains("there is no bucket nobucket");
        assertThat(run("unload", TABLE, "s3://nobucket/x/", "--dry-run").err()).contains("there is no bucket nobucket");
        assertThat(run("load", "ftp://lake/x.csv", TABLE).err()).contains("nothing here reads or writes URLs of ftp");
        assertThat(run("count", TABLE, "--from-sstables", "ftp://x/y").err())
                .contains("nothing here reads or writes URLs of ftp");
    }
}
