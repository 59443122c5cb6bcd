package io.overdrive.stores;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OverdriveException;
import io.overdrive.internal.disk.Location;
import io.overdrive.stores.FaultyProxy.Fault;
import io.overdrive.stores.WebServer.Kind;
import java.io.InputStream;
import java.net.Proxy;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class HttpStoreTest {
    private final HttpProvider provider = new HttpProvider() {
        @Override
        ObjectStore open() {
            return new HttpStore(Http.following(StoreContract.QUICK));
        }
    };

    private Path path(URI endpoint, String rest) throws Exception {
        return provider.getPath(new URI("http", endpoint.getRawAuthority(), rest, null, null));
    }

    private static byte[] random(int bytes) {
        byte[] content = new byte[bytes];
        new Random(bytes).nextBytes(content);
        return content;
    }

    @Test
    void readsAnyPartOfAFile() throws Exception {
        try (WebServer server = new WebServer(Kind.RANGES)) {
            byte[] content = random(3 << 20);
            server.put("/a b/x.bin", content, "\"1\"");
            Path file = path(server.endpoint(), "/a%20b/x.bin");
            assertThat(Files.isRegularFile(file)).isTrue();
            assertThat(Files.size(file)).isEqualTo(content.length);
            assertThat(Files.readAllBytes(file)).isEqualTo(content);
            assertThat(Files.readAllBytes(path(server.endpoint(), "/a b/x.bin")))
                    .isEqualTo(content);
            try (FileChannel channel = FileChannel.open(file)) {
                ByteBuffer tail = ByteBuffer.allocate(8);
                channel.read(tail, content.length - 8);
                assertThat(tail.array()).isEqualTo(Arrays.copyOfRange(content, content.length - 8, content.length));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NO_RANGES", "CHUNKED"})
    void streamsAFileOfAServerThatSendsNoParts(Kind kind) throws Exception {
        try (WebServer server = new WebServer(kind)) {
            byte[] content = random(300_000);
            server.put("/x", content, "");
            Path file = path(server.endpoint(), "/x");
            assertThat(Files.isRegularFile(file)).isFalse();
            assertThat(Files.isDirectory(file)).isFalse();
            try (InputStream in = Files.newInputStream(file)) {
                assertThat(in.skip(1_000)).isPositive().isLessThanOrEqualTo(1_000);
                assertThat(in.readAllBytes()).endsWith(Arrays.copyOfRange(content, 1_000, content.length));
            }
            assertThatThrownBy(() -> FileChannel.open(file)).hasMessageContaining("sends no parts of it");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RANGES", "NO_RANGES"})
    void refusesAPageInPlaceOfAFile(Kind kind) throws Exception {
        try (WebServer server = new WebServer(kind)) {
            server.put("/page/list.csv", "<!DOCTYPE html><html>".getBytes(US_ASCII), "");
            server.put("/page/table.csv", "a,b\n1,2\n".getBytes(US_ASCII), "");
            Path page = path(server.endpoint(), "/page/list.csv");
            assertThatThrownBy(() -> Files.newInputStream(page))
                    .isInstanceOf(FileSystemException.class)
                    .hasMessageEndingWith("/page/list.csv: the server answers with a page (text/html), perhaps of a"
                            + " directory or a login, and not with a file: name each file");
            try (InputStream in = Files.newInputStream(path(server.endpoint(), "/page/table.csv"))) {
                assertThat(in.readAllBytes()).hasSize(8);
            }
        }
    }

    @Test
    void readsAnEmptyFile() throws Exception {
        for (Kind kind : Kind.values()) {
            try (WebServer server = new WebServer(kind)) {
                server.put("/x", new byte[0], "");
                try (InputStream in = Files.newInputStream(path(server.endpoint(), "/x"))) {
                    assertThat(in.readAllBytes()).as(kind.toString()).isEmpty();
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void readsAllInSpiteOfFaults(Kind kind) throws Exception {
        Fault[] faults = {Fault.SLOW_DOWN, Fault.CUT_BODY, Fault.INTERNAL_ERROR, Fault.CUT, Fault.CUT_BODY};
        byte[] content = random(10 << 20);
        try (WebServer server = new WebServer(kind);
                FaultyProxy proxy = new FaultyProxy(
                        server.endpoint(), number -> number % 4 == 0 ? Fault.NONE : faults[number % faults.length])) {
            server.put("/x", content, "\"1\"");
            try (InputStream in = Files.newInputStream(path(proxy.endpoint(), "/x"))) {
                assertThat(in.readAllBytes()).isEqualTo(content);
            }
            assertThat(proxy.requests()).isBetween(4, 60);
        }
    }

    @Test
    void doesNotContinueAFileThatMayBeAnother() throws Exception {
        try (WebServer server = new WebServer(Kind.NO_RANGES);
                FaultyProxy proxy =
                        new FaultyProxy(server.endpoint(), number -> number == 2 ? Fault.CUT_BODY : Fault.NONE)) {
            server.put("/x", random(1 << 20), "");
            assertThatThrownBy(() ->
                            Files.newInputStream(path(proxy.endpoint(), "/x")).readAllBytes())
                    .hasMessageContaining("does not say whether the file is still the same");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "RANGES,'\"1\"','\"2\"'",
        "RANGES,W/\"1\",W/\"2\"",
        "NO_RANGES,W/\"1\",W/\"2\"",
        "CHUNKED,'\"1\"','\"2\"'"
    })
    void refusesAFileThatWasReplacedSinceItWasFound(Kind kind, String first, String second) throws Exception {
        try (WebServer server = new WebServer(kind)) {
            server.put("/x", random(1_000), first);
            Path file = path(server.endpoint(), "/x");
            assertThat(Files.exists(file)).isTrue();
            server.put("/x", random(1_000), second);
            assertThatThrownBy(() -> Files.newInputStream(file).readAllBytes())
                    .hasMessageContaining("the object was replaced");
        }
    }

    @Test
    void readsASignedUrlAndKeepsItsSecret() throws Exception {
        try (WebServer server = new WebServer(Kind.RANGES)) {
            server.put("/rows.csv.gz", random(1_000), "\"1\"");
            server.require("X-Amz-Expires=60&X-Amz-Signature=a%2Fb");
            Path file = path(server.endpoint(), "/moved/rows.csv.gz?X-Amz-Expires=60&X-Amz-Signature=a%2Fb#top");
            // the redirect here drops the query, as the one to another server would have its own
            assertThatThrownBy(() -> Files.size(file)).hasCauseInstanceOf(AccessDeniedException.class);
            Path signed = path(server.endpoint(), "/rows.csv.gz?X-Amz-Expires=60&X-Amz-Signature=a%2Fb");
            assertThat(Files.size(signed)).isEqualTo(1_000);
            assertThat(signed).hasToString(server.endpoint() + "/rows.csv.gz");
            Path other = path(server.endpoint(), "/rows.csv.gz?X-Amz-Signature=old");
            assertThat(other).isNotEqualTo(signed);
            assertThatThrownBy(() -> Files.size(other))
                    .hasCauseInstanceOf(AccessDeniedException.class)
                    .hasMessageContaining("the signature in the URL may have expired")
                    .hasMessageNotContaining("old");
            assertThatThrownBy(() -> Files.size(path(server.endpoint(), "/rows.csv.gz?…")))
                    .hasMessageContaining("repeat the command of the run with the complete URL");
        }
    }

    @Test
    void followsRedirects() throws Exception {
        try (WebServer server = new WebServer(Kind.RANGES)) {
            server.put("/x", new byte[] {1, 2}, "");
            assertThat(Files.readAllBytes(path(server.endpoint(), "/moved/x"))).containsExactly(1, 2);
            assertThatThrownBy(() -> Files.size(path(server.endpoint(), "/moved/none")))
                    .isInstanceOf(NoSuchFileException.class);
        }
    }

    @Test
    void showsNoUrlThatAServerRefersTo() throws Exception {
        try (WebServer server = new WebServer(Kind.RANGES)) {
            assertThatThrownBy(() -> Files.size(path(server.endpoint(), "/moved//no%20host/s3cr3t")))
                    .hasMessageContaining("refers to another one by an invalid URL")
                    .cause()
                    .hasMessageNotContaining("s3cr3t");
        }
    }

    @Test
    void refusesAnotherPartThanTheRequestedOne() throws Exception {
        try (WebServer server = new WebServer(Kind.WRONG_RANGES)) {
            server.put("/x", random(3 << 20), "\"1\"");
            try (FileChannel file = FileChannel.open(path(server.endpoint(), "/x"))) {
                assertThatThrownBy(() -> file.read(ByteBuffer.allocate(2 << 20), 1 << 20))
                        .hasMessageContaining("the server sent bytes 0-")
                        .hasMessageContaining("for the part from byte 1048576");
            }
        }
    }

    @Test
    void endsWhenTheServerDoesNotAnswer() throws Exception {
        try (WebServer server = new WebServer(Kind.RANGES);
                FaultyProxy proxy = new FaultyProxy(server.endpoint(), number -> Fault.SLOW_DOWN)) {
            assertThatThrownBy(() -> Files.size(path(proxy.endpoint(), "/x"))).hasMessageContaining("status 503");
            assertThat(proxy.requests()).isEqualTo(1 + Retries.MAX_FAILURES);
        }
    }

    @Test
    void doesNotRetryAHostThatDoesNotExist() {
        assertThatThrownBy(() -> Files.size(path(URI.create("http://none.invalid"), "/x")))
                .hasCauseInstanceOf(FileSystemException.class)
                .hasMessageContaining("there is no host none.invalid");
    }

    @Test
    void refusesWhatItCannotDo() {
        assertThatThrownBy(() -> Location.path("https://me:s3cr3t@example.com/x.csv"))
                .isInstanceOf(OverdriveException.class)
                .hasMessageContaining("https://…@example.com/x.csv")
                .hasMessageContaining("curl")
                .hasMessageNotContaining("s3cr3t");
        assertThatThrownBy(() -> Location.path("https://example.com/?x=s3cr3t"))
                .hasMessageContaining("names a server, and no file")
                .hasMessageNotContaining("s3cr3t");
        assertThatThrownBy(() -> Location.writable("https://example.com/x.csv?s=s3cr3t"))
                .hasMessageContaining("https://example.com/x.csv: nothing is written to URLs of web servers")
                .hasMessageNotContaining("s3cr3t");
    }

    @Test
    void goesThroughTheProxyOfTheEnvironment() throws Exception {
        try (WebServer server = new WebServer(Kind.RANGES)) {
            Map<String, String> variables = Map.of(
                    "HTTP_PROXY", server.endpoint().toString(), "no_proxy", "localhost, .internal,*.corp,exact.org");
            Proxies proxies = new Proxies(variables);
            assertThat(proxies.select(URI.create("http://far.example/x")).get(0).address())
                    .hasToString("127.0.0.1/<unresolved>:" + server.endpoint().getPort());
            for (String near : new String[] {
                "127.0.0.1",
                "[::1]",
                "169.254.169.254",
                "metadata.google.internal",
                "localhost",
                "a.internal",
                "b.corp",
                "exact.org",
                "x.exact.org"
            }) {
                assertThat(proxies.select(URI.create("http://" + near + "/x")))
                        .as(near)
                        .containsExactly(Proxy.NO_PROXY);
            }
        }
    }

    @Test
    void leavesOutTheUserOfAProxy() {
        Proxies proxies = new Proxies(Map.of("https_proxy", "http://me:s3^cr@et@proxy.corp:3128/"));
        assertThat(proxies.select(URI.create("https://far.example/x")).get(0).address())
                .hasToString("proxy.corp/<unresolved>:3128");
        assertThatThrownBy(() -> new Proxies(Map.of("https_proxy", "http://me:s3cr3t@")))
                .hasMessageContaining("HTTPS_PROXY")
                .hasMessageNotContaining("s3cr3t");
    }
}
