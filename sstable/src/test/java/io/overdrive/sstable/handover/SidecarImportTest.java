package io.overdrive.sstable.handover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.sstable.handover.SidecarServer.Fault;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class SidecarImportTest {
    private static final String OF_TABLE = "/api/v1/uploads/ID/keyspaces/ks/tables/t/";
    private static final String IMPORT = OF_TABLE + "import?extendedVerify=false";
    private static final String STATS = "/api/v1/cassandra/keyspaces/ks/tables/t/stats";
    private static final String HEALTH = "/api/v1/cassandra/jmx/__health";
    private static final String SECRET = "s3cret";
    private static final Fault ACCEPTED = exchange -> SidecarServer.answer(exchange, 202, "");

    private final Path directory;
    private final Path sstables;
    private final SidecarServer server;
    private final List<Long> pauses = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, byte[]> files = new TreeMap<>();

    SidecarImportTest(@TempDir Path directory) throws IOException {
        this.directory = directory;
        sstables = Files.createDirectories(directory.resolve("ks").resolve("t"));
        Random random = new Random(5);
        for (int generation = 1; generation <= 2; generation++) {
            for (String component : List.of(
                    "Data.db", "Index.db", "Statistics.db", "Filter.db", "Summary.db", "Digest.crc32", "TOC.txt")) {
                byte[] bytes = new byte[component.equals("Data.db") ? 600_000 : random.nextInt(3000)];
                random.nextBytes(bytes);
                String name = "nb-" + generation + "-big-" + component;
                files.put(name, bytes);
                Files.write(sstables.resolve(name), bytes);
            }
        }
        server = new SidecarServer("ks/t", /* tls */ null);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private SidecarImport open(String url, @Nullable SSLContext tls) {
        return open(new SidecarTarget(url, tls, List.of()), "ks");
    }

    private SidecarImport open(SidecarTarget target, String keyspace) {
        return new SidecarImport(target, keyspace, "t", pauses::add, () -> SidecarImport.STALL_MILLIS);
    }

    private SidecarImport open() {
        return open("http://{host}:" + server.port(), /* tls */ null);
    }

    private @Nullable String importFiles() {
        return open().importFrom(sstables, "127.0.0.1");
    }

    private static Fault status(int status, String message) {
        return exchange -> SidecarServer.fail(exchange, status, message);
    }

    private static Fault[] times(int count, Fault fault) {
        return Collections.nCopies(count, fault).toArray(Fault[]::new);
    }

    private String url(String path) {
        return "http://127.0.0.1:" + server.port() + path;
    }

    /** The problem with ID for the upload. */
    private static String masked(@Nullable String problem) {
        return String.valueOf(problem).replaceAll("[0-9a-f-]{36}", "ID");
    }

    private void assertImported() {
        assertThat(server.imported.keySet()).isEqualTo(files.keySet());
        files.forEach((name, bytes) -> assertThat(server.imported.get(name)).isEqualTo(bytes));
        assertThat(server.uploadsLeft()).isZero();
    }

    private void assertNotImported() {
        assertThat(server.imported).isEmpty();
        assertThat(server.uploadsLeft()).isZero();
        assertThat(server.requests()).last().isEqualTo("DELETE /api/v1/uploads/ID");
    }

    @Test
    void uploadsAllFilesThenImportsAndLeavesTheRestToSidecar() {
        assertThat(importFiles()).isNull();
        assertImported();
        List<String> requests = server.requests();
        assertThat(requests.subList(0, files.size()))
                .containsExactlyInAnyOrderElementsOf(files.keySet().stream()
                        .map(name -> "PUT " + OF_TABLE + "components/" + name)
                        .toList());
        assertThat(requests.subList(files.size(), requests.size()))
                .containsExactly("GET " + STATS, "GET " + HEALTH, "PUT " + IMPORT, "GET " + STATS);
        assertThat(pauses).isEmpty();
    }

    /** The JDK waits for the rest of an answer as long as the connection stays. */
    @Test
    @Timeout(120)
    void anAnswerWhoseRestDoesNotComeIsRequestedAgain() {
        server.next("import", exchange -> {
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(200, 100);
            exchange.getResponseBody().write('{');
            exchange.getResponseBody().flush();
            server.hold(exchange);
        });
        SidecarTarget target = new SidecarTarget("http://{host}:" + server.port(), null, List.of());
        SidecarImport hasty = new SidecarImport(target, "ks", "t", pauses::add, /* stallMillis */ () -> 3000);
        assertThat(hasty.importFrom(sstables, "127.0.0.1")).isNull();
        assertImported();
        assertThat(server.requests(IMPORT)).isEqualTo(2);
    }

    @Test
    void uploadsFourFilesAtOnce() {
        server.awaitUploadsAtOnce(4);
        assertThat(importFiles()).isNull();
        assertImported();
        assertThat(server.maxUploadsAtOnce()).isEqualTo(4);
    }

    @Test
    void namesAreSpelledAsInCql() throws IOException {
        try (SidecarServer quoted = new SidecarServer("%22Ks%22/t", /* tls */ null)) {
            SidecarTarget target = new SidecarTarget("http://{host}:" + quoted.port(), null, List.of());
            assertThat(open(target, "Ks").importFrom(sstables, "127.0.0.1")).isNull();
            assertThat(quoted.imported).hasSize(files.size());
        }
    }

    @Test
    void asksForTheImportUntilItHasEnded() {
        server.next("import", times(3, ACCEPTED));
        assertThat(importFiles()).isNull();
        assertImported();
        assertThat(server.requests(IMPORT)).isEqualTo(4);
        assertThat(pauses).hasSize(3);
    }

    @Test
    void waitsAsLongAsABusyServerSays() {
        server.next("nb-1-big-Data.db", exchange -> {
            exchange.getResponseHeaders().set("Retry-After", "7");
            SidecarServer.fail(exchange, 429, "Concurrent upload limit (80) exceeded");
        });
        server.next("import", exchange -> {
            exchange.getResponseHeaders().set("Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT");
            SidecarServer.fail(exchange, 503, "Cassandra service is unavailable");
        });
        server.next("health", exchange -> {
            exchange.getResponseHeaders().set("Retry-After", "86400");
            SidecarServer.fail(exchange, 503, "busy");
        });
        assertThat(importFiles()).isNull();
        assertImported();
        assertThat(pauses).hasSize(3).startsWith(7000L, 60_000L);
        assertThat(pauses.get(2)).isBetween(25L, 50L);
    }

    @Test
    void repeatsAnUploadThatFailedArrivedDamagedOrWasCut() {
        server.next("nb-1-big-Data.db", status(500, "disk"), status(455, "Digest mismatch"), exchange -> {
            exchange.getRequestBody().readNBytes(1000);
            exchange.close();
        });
        server.next("nb-2-big-TOC.txt", exchange -> exchange.close());
        assertThat(importFiles()).isNull();
        assertImported();
        assertThat(server.requests("/nb-1-big-Data.db")).isEqualTo(4);
        assertThat(server.requests("/nb-2-big-TOC.txt")).isEqualTo(2);
        assertThat(pauses).hasSize(4);
    }

    @Test
    void uploadsATableAgainThatWasJustCreated() {
        server.next("nb-1-big-TOC.txt", times(3, status(400, "Invalid table name 't' supplied for keyspace 'ks'")));
        assertThat(importFiles()).isNull();
        assertImported();
        assertThat(server.requests("/nb-1-big-TOC.txt")).isEqualTo(4);
        assertThat(pauses).hasSize(3);
    }

    @Test
    void uploadsTheSmallestFilesFirst() {
        server.awaitUploadsAtOnce(4);
        assertThat(importFiles()).isNull();
        assertThat(server.requests().subList(0, 4))
                .containsExactlyInAnyOrderElementsOf(files.keySet().stream()
                        .sorted(Comparator.comparing(name -> Objects.requireNonNull(files.get(name)).length))
                        .limit(4)
                        .map(name -> "PUT " + OF_TABLE + "components/" + name)
                        .toList());
    }

    @Test
    void uploadsAFileAgainOfWhichSidecarTakesNoMore() throws IOException {
        for (String name : files.keySet()) {
            Files.delete(sstables.resolve(name));
        }
        files.clear();
        Path large = sstables.resolve("nb-1-big-Data.db");
        byte[] bytes = new byte[24 << 20]; // more than the buffers of a connection hold
        Files.write(large, bytes);
        files.put("nb-1-big-Data.db", bytes);
        server.next("nb-1-big-Data.db", times(3, server::hold));
        SidecarTarget target = new SidecarTarget("http://{host}:" + server.port(), null, List.of());
        // an upload that is not held has all the time that a busy machine takes
        LongSupplier stallMillis = () -> server.held() > pauses.size() ? 200 : SidecarImport.STALL_MILLIS;
        assertThat(new SidecarImport(target, "ks", "t", pauses::add, stallMillis).importFrom(sstables, "127.0.0.1"))
                .isNull();
        assertImported();
        assertThat(server.requests("/nb-1-big-Data.db")).isEqualTo(4);
        assertThat(pauses).hasSize(3);
    }

    @Test
    void usesNoConnectionAgainOnWhichAFileWasRefused() {
        Map<Integer, Integer> refused = new ConcurrentHashMap<>();
        for (String name : files.keySet()) {
            server.next(name, exchange -> {
                int port = exchange.getRemoteAddress().getPort();
                refused.put(port, server.requestsOf(port));
                SidecarServer.fail(exchange, 429, "Concurrent upload limit (80) exceeded");
            });
        }
        assertThat(importFiles()).isNull();
        assertImported();
        assertThat(refused).hasSize(files.size());
        refused.forEach((port, requests) -> assertThat(server.requestsOf(port)).isEqualTo(requests));
    }

    @Test
    void waitsForTheNodeBeforeTheImport() {
        Fault down = exchange -> SidecarServer.answer(exchange, 503, "{\"status\":\"NOT_OK\"}");
        server.next("health", times(3, down));
        assertThat(importFiles()).isNull();
        assertImported();
        assertThat(pauses).hasSize(3);
        server.next("health", times(10, down));
        assertThat(importFiles()).isEqualTo(url(HEALTH + " answers 503: it does not reach the node over JMX"));
        assertThat(server.uploadsLeft()).isZero();
        assertThat(server.requests(IMPORT)).isEqualTo(1);
    }

    @Test
    void givesUpAfterTenTries() {
        server.next("nb-1-big-Data.db", times(10, status(455, "Digest mismatch")));
        assertThat(masked(importFiles()))
                .isEqualTo(url(OF_TABLE + "components/nb-1-big-Data.db answers 455: Digest mismatch"));
        assertThat(server.requests("/nb-1-big-Data.db")).isEqualTo(10);
        assertNotImported();
        assertThat(server.requests(IMPORT)).isZero();
    }

    @Test
    void endsIfAFileIsRefused() {
        server.next("nb-2-big-Index.db", status(507, "Insufficient space available for upload"));
        assertThat(masked(importFiles()))
                .isEqualTo(url(OF_TABLE
                        + "components/nb-2-big-Index.db answers 507: Insufficient space available for upload"));
        assertNotImported();
        assertThat(server.requests("/nb-2-big-Index.db")).isEqualTo(1);
    }

    @Test
    void endsIfAFileArrivedWithOtherBytes() {
        server.next(
                "nb-2-big-Index.db",
                exchange -> SidecarServer.answer(exchange, 200, "{\"uploadId\":\"x\",\"uploadSizeBytes\":1}"));
        assertThat(masked(importFiles()))
                .isEqualTo(url(OF_TABLE + "components/nb-2-big-Index.db has received 1 bytes of "
                        + Objects.requireNonNull(files.get("nb-2-big-Index.db")).length));
        assertNotImported();
    }

    @Test
    void endsIfTheNodeRefusesTheImport() {
        server.next("import", ACCEPTED, status(500, "Failed to import from directories: [/staging]"));
        assertThat(masked(importFiles()))
                .isEqualTo(url(IMPORT + " answers 500: Failed to import from directories: [/staging]"));
        assertNotImported();
        assertThat(server.requests(IMPORT)).isEqualTo(2);
    }

    @Test
    void noticesAnImportThatDoesNothing() {
        server.next("import", ACCEPTED, server::importNothing);
        assertThat(masked(importFiles()))
                .isEqualTo("Sidecar reports an import, but the node has the 3 SSTables of 900 bytes that it had before;"
                        + " its log says what it has found in upload ID");
        assertThat(server.imported).isEmpty();
        assertThat(server.uploadsLeft()).isZero();
    }

    @Test
    void believesASidecarThatDoesNotSayWhatTheNodeHas() throws IOException {
        Fault forbidden = status(403, "Not Authorized");
        server.next("stats", forbidden, forbidden);
        assertThat(open().check("127.0.0.1")).isEqualTo(url(STATS + " answers 403: Not Authorized"));
        assertThat(importFiles()).isNull();
        assertImported();
        assertThat(server.requests(STATS)).isEqualTo(2);
    }

    @Test
    void doesNotBelieveASidecarThatNoLongerSaysWhatTheNodeHas() throws IOException {
        SidecarImport sidecar = open();
        assertThat(sidecar.check("127.0.0.1")).isNull();
        server.next("stats", status(403, "Not Authorized"));
        assertThat(masked(sidecar.importFrom(sstables, "127.0.0.1")))
                .isEqualTo(url(STATS + " answers 403: Not Authorized"));
        assertNotImported();
        server.next("import", ACCEPTED, exchange -> {
            server.next("stats", status(403, "Not Authorized"));
            server.importNothing(exchange);
        });
        assertThat(masked(sidecar.importFrom(sstables, "127.0.0.1")))
                .isEqualTo("Sidecar reports an import, but does not say any more what the node has (" + url(STATS)
                        + " answers 403: Not Authorized); its log says what it has found in upload ID");
        assertThat(server.imported).isEmpty();
    }

    @Test
    void endsIfAnImportEndsWithoutSuccess() throws Exception {
        Fault unsuccessful = exchange -> SidecarServer.answer(exchange, 200, "{ \"success\" : false }");
        server.next("import", unsuccessful, unsuccessful);
        assertThat(masked(importFiles())).startsWith(url(IMPORT + " answers 200"));
        Path script = Files.writeString(directory.resolve(Staging.SCRIPT), open().script("127.0.0.1", "n1:9042"));
        assertThat(shell("sh " + script))
                .isEqualTo("1 import.sh: the node has not taken the SSTables in " + sstables
                        + ": Sidecar answers 200 without success; its log says why\n");
        assertThat(sstables).isNotEmptyDirectory();
    }

    @Test
    void endsIfTheUploadIsUnknown() {
        server.next("import", status(404, "/staging/x"));
        assertThat(masked(importFiles())).isEqualTo(url(IMPORT + " answers 404: /staging/x"));
        assertNotImported();
    }

    @Test
    void anImportWhoseEndIsUnknownIsNotDisturbed() {
        server.next("import", ACCEPTED, status(500, "Unexpected error encountered in handler"));
        assertThat(masked(importFiles()))
                .isEqualTo(
                        url(IMPORT + " answers 500: Unexpected error encountered in handler; what was uploaded may be"
                                + " left there, as upload ID"));
        server.next("import", ACCEPTED, status(404, ""));
        assertThat(masked(importFiles()))
                .isEqualTo(url(IMPORT + " answers 404: it no longer knows the upload, nor says whether it was"
                        + " imported; what was uploaded may be left there, as upload ID"));
        server.next(
                "import",
                Stream.concat(Stream.of(ACCEPTED), Stream.of(times(10, exchange -> exchange.close())))
                        .toArray(Fault[]::new));
        assertThat(masked(importFiles()))
                .startsWith(url(IMPORT + ": "))
                .endsWith("; what was uploaded may be left there, as upload ID");
        assertThat(server.requests()).doesNotContain("DELETE /api/v1/uploads/ID");
        assertThat(server.uploadsLeft()).isEqualTo(3);
    }

    @Test
    void saysIfAnUploadCannotBeDeleted() {
        server.next("import", status(500, "no"));
        server.next("cleanup", status(500, "nor that"));
        assertThat(masked(importFiles()))
                .isEqualTo(url(IMPORT + " answers 500: no; what was uploaded may be left there, as upload ID"));
    }

    @Test
    void checksThatSidecarAnswersAndReachesItsNode() throws IOException {
        assertThat(open().check("127.0.0.1")).isNull();
        assertThat(server.requests()).containsExactly("GET " + HEALTH, "GET " + STATS);
        server.next("health", exchange -> SidecarServer.answer(exchange, 503, "{\"status\":\"NOT_OK\"}"));
        assertThatThrownBy(() -> open().check("127.0.0.1"))
                .isInstanceOf(IOException.class)
                .hasMessage(url(HEALTH + " answers 503: it does not reach the node over JMX"));
        server.next("health", status(421, "Instance not found for host"));
        assertThatThrownBy(() -> open().check("127.0.0.1"))
                .hasMessageEndingWith("answers 421: Instance not found for host");
        server.close();
        assertThatThrownBy(() -> open().check("127.0.0.1"))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(url(HEALTH + ": "));
    }

    @Test
    void itsScriptDoesTheSame() throws Exception {
        Path script = Files.writeString(directory.resolve(Staging.SCRIPT), open().script("127.0.0.1", "n1:9042"));
        server.next("import", ACCEPTED, status(500, "Failed to import from directories: [/staging]"));
        assertThat(shell("sh " + script))
                .isEqualTo("1 import.sh: the node has not taken the SSTables in " + sstables + ": Sidecar answers 500;"
                        + " its log says why\n");
        assertNotImported();
        assertThat(directory.resolve("sleeps")).hasContent("1");
        server.next("import", ACCEPTED, status(500, "Unexpected error encountered in handler"));
        assertThat(shell("sh " + script).replaceAll("[0-9a-f]{40}", "ID"))
                .endsWith("\nimport.sh: what was uploaded may be left there, as upload ID\n");
        assertThat(server.imported).isEmpty();
        assertThat(server.uploadsLeft()).isEqualTo(1);
        server.next("import", server::importNothing);
        assertThat(shell("sh " + script))
                .isEqualTo("1 import.sh: Sidecar reports an import of the SSTables in " + sstables
                        + ", but the node has what it had before; its log says what it has found\n");
        assertThat(server.imported).isEmpty();
        assertThat(sstables).isNotEmptyDirectory();
        Fault forbidden = status(403, "Not Authorized");
        server.next("stats", forbidden, forbidden);
        SidecarImport withOptions = open(new SidecarTarget("http://{host}:1", null, List.of("--max-time", "60")), "ks");
        assertThat(withOptions.command(directory)).isEqualTo("sh " + script + " --max-time 60");
        assertThat(shell(withOptions.command(directory))).isEqualTo("0 import.sh: imported into ks.t\n");
        assertThat(server.imported.keySet()).isEqualTo(files.keySet());
        assertThat(server.uploadsLeft()).isEqualTo(1);
        assertThat(sstables).doesNotExist();
        assertThat(shell("sh " + script)).isEqualTo("0 import.sh: nothing is left to import in " + sstables + "\n");
    }

    /** Its code and output. Its sleeps are recorded, and take no time. */
    private String shell(String command) throws IOException, InterruptedException {
        Path programs = Files.createDirectories(directory.resolve("bin"));
        Path sleep = programs.resolve("sleep");
        Files.writeString(sleep, "#!/bin/sh\necho \"$@\" >> " + directory.resolve("sleeps") + "\n");
        assertThat(sleep.toFile().setExecutable(true)).isTrue();
        ProcessBuilder shell = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true);
        shell.environment().merge("PATH", programs.toString(), (path, first) -> first + ":" + path);
        Process process = shell.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() + " " + output;
    }

    @Test
    void eachSideShowsItsCertificate() throws Exception {
        createKey("server");
        createKey("client");
        SSLContext ofServer = context("server", "client");
        try (SidecarServer secure = new SidecarServer("ks/t", ofServer)) {
            String url = "https://{host}:" + secure.port();
            SidecarImport mutual = open(url, context("client", "server"));
            assertThat(mutual.check("127.0.0.1")).isNull();
            assertThat(mutual.importFrom(sstables, "127.0.0.1")).isNull();
            assertThat(secure.imported).hasSize(files.size());
            assertThatThrownBy(
                            () -> open(url, context(/* key */ null, "server")).check("127.0.0.1"))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(() -> open(url, /* tls */ null).check("127.0.0.1"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("https://127.0.0.1:" + secure.port())
                    .hasMessageContaining("unable to find valid certification path");
            assertThat(open(url, /* tls */ null).importFrom(sstables, "127.0.0.1"))
                    .contains("unable to find valid certification path");
            assertThat(pauses).isEmpty();
        }
    }

    private void createKey(String name) throws IOException, InterruptedException {
        keytool(name, "-genkeypair", "-keyalg", "EC", "-dname", "CN=" + name, "-ext", "SAN=ip:127.0.0.1");
    }

    private void keytool(String name, String... arguments) throws IOException, InterruptedException {
        String tool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        String command = Stream.concat(Stream.of(tool), Stream.of(arguments)).collect(Collectors.joining(" "));
        assertThat(shell(command + " -alias " + name + " -keystore " + directory.resolve(name + ".p12") + " -storepass "
                        + SECRET))
                .startsWith("0 ");
    }

    private SSLContext context(@Nullable String key, String trusted) throws GeneralSecurityException, IOException {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        if (key != null) {
            keys.init(store(key), SECRET.toCharArray());
        }
        KeyStore trust = KeyStore.getInstance(KeyStore.getDefaultType());
        trust.load(null, null);
        trust.setCertificateEntry(trusted, store(trusted).getCertificate(trusted));
        TrustManagerFactory trusts = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusts.init(trust);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(key == null ? null : keys.getKeyManagers(), trusts.getTrustManagers(), null);
        return context;
    }

    private KeyStore store(String name) throws GeneralSecurityException, IOException {
        return KeyStore.getInstance(directory.resolve(name + ".p12").toFile(), SECRET.toCharArray());
    }

    @Test
    void namesHosts() {
        SidecarTarget target = new SidecarTarget("https://{host}:9043", null, List.of());
        assertThat(target.isOfEachNode()).isTrue();
        assertThat(target.of("10.0.0.1")).hasToString("https://10.0.0.1:9043");
        assertThat(target.of("::1")).hasToString("https://[::1]:9043");
        SidecarTarget one = new SidecarTarget("http://sidecar", null, List.of());
        assertThat(one.isOfEachNode()).isFalse();
        assertThat(one.of("10.0.0.1")).hasToString("http://sidecar");
        for (String wrong :
                new String[] {"{host}:9043", "https://", "https://{host}/api", "https://u@{host}", "ftp://h"}) {
            assertThatThrownBy(() -> new SidecarTarget(wrong, null, List.of()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("sidecar is \"" + wrong + "\", must be http[s]://{host}[:PORT], such as");
        }
        assertThatThrownBy(() -> new SidecarTarget("http://{host}", SSLContext.getDefault(), List.of()))
                .hasMessageStartingWith("sidecar is \"http://{host}\", and certificates are for https");
    }
}
