package io.overdrive.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;

/** Answers that servers with the interface of S3 give, and those of the other tests do not. */
class S3AnswersTest {
    private final HttpServer server;
    private final ObjectStore store;
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private Script script = exchange -> answer(exchange, 500, "");

    /** Answers a request. */
    @FunctionalInterface
    private interface Script {
        void answer(HttpExchange exchange) throws IOException;
    }

    S3AnswersTest() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
                script.answer(exchange);
            }
        });
        server.start();
        store = new S3Store(new S3Settings(
                URI.create("http://127.0.0.1:" + server.getAddress().getPort()),
                Region.US_EAST_1,
                /* pathStyle */ true,
                /* requesterPays */ false,
                StaticCredentialsProvider.create(AwsBasicCredentials.create("access", "secret")),
                StoreContract.QUICK));
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private static void answer(HttpExchange exchange, int status, String body, String... headers) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < headers.length; i += 2) {
            exchange.getResponseHeaders().add(headers[i], headers[i + 1]);
        }
        boolean isHead = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(status, isHead || bytes.length == 0 ? -1 : bytes.length);
        if (!isHead) {
            exchange.getResponseBody().write(bytes);
        }
    }

    private static String error(String code) {
        return "<Error><Code>" + code + "</Code><Message>as the test wants</Message></Error>";
    }

    private static String listing(String rest, String... keys) {
        StringBuilder xml = new StringBuilder("<ListBucketResult>");
        for (String each : keys) {
            xml.append("<Contents><Key>" + each + "</Key><Size>1</Size><ETag>\"1\"</ETag></Contents>");
        }
        return xml.append(rest).append("</ListBucketResult>").toString();
    }

    private ObjectStore.Items list() throws IOException {
        return store.list("b", "d/", /* enters */ true, null, 1_000);
    }

    private String read(long from, long count) throws IOException {
        try (InputStream body = store.read("b", "k", from, count, "\"1\"")) {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void readsKeysThatXmlDoesNotHave() throws IOException {
        script = exchange -> answer(
                exchange, 200, listing("<EncodingType>url</EncodingType>", "d/a%0D%0Ab%01+%2B%25.csv", "d/%C3%A9.csv"));
        assertThat(list().objects()).extracting(ObjectStore.Item::key).containsExactly("d/a\r\nb\1 +%.csv", "d/é.csv");
        assertThat(requests.get(0)).contains("encoding-type=url");
    }

    @Test
    void takesKeysAsTheyAreFromAServerThatDoesNotQuoteThem() throws IOException {
        script = exchange -> answer(exchange, 200, listing("", "d/a+b%2B.csv"));
        assertThat(list().objects()).extracting(ObjectStore.Item::key).containsExactly("d/a+b%2B.csv");
    }

    @Test
    void discardsUploadsOfAllPartsOfAList() throws IOException {
        script = exchange -> {
            String query = String.valueOf(exchange.getRequestURI().getQuery());
            if (exchange.getRequestMethod().equals("DELETE")) {
                answer(exchange, 204, "");
            } else if (query.contains("key-marker=d/a")) {
                answer(exchange, 200, uploads("d/b", ""));
            } else {
                answer(
                        exchange,
                        200,
                        uploads(
                                "d/a",
                                "<IsTruncated>true</IsTruncated><NextKeyMarker>d/a</NextKeyMarker>"
                                        + "<NextUploadIdMarker>7</NextUploadIdMarker>"));
            }
        };
        store.discardUploads("b", "d", Set.of("d/a", "d/b"));
        assertThat(requests)
                .filteredOn(each -> each.startsWith("DELETE"))
                .containsExactly("DELETE /b/d/a?uploadId=7", "DELETE /b/d/b?uploadId=7");
    }

    /** It is for the whole process, which may be another program's. */
    @Test
    void leavesTheLimitOfIdleConnectionsAsItIs() {
        assertThat(System.getProperty("http.maxConnections")).isNull();
    }

    private static String uploads(String key, String rest) {
        return "<ListMultipartUploadsResult>" + rest + "<Upload><Key>" + key
                + "</Key><UploadId>7</UploadId></Upload></ListMultipartUploadsResult>";
    }

    @Test
    void refusesAListingThatEndsEarly() {
        script = exchange -> answer(exchange, 200, listing("<IsTruncated>true</IsTruncated>", "d/a.csv"));
        assertThatThrownBy(this::list)
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("s3://b/d/")
                .hasMessageContaining("more objects");
    }

    @Test
    void namesTheRegionOfABucket() {
        for (int status : new int[] {301, 307, 400}) {
            script = exchange ->
                    answer(exchange, status, error("PermanentRedirect"), "x-amz-bucket-region", "eu-west-1");
            assertThatThrownBy(() -> store.find("b", "k"))
                    .isInstanceOf(FileSystemException.class)
                    .hasMessageContaining("s3://b/k")
                    .hasMessageContaining("the bucket is in the region eu-west-1")
                    .hasMessageContaining("AWS_REGION=eu-west-1");
            assertThatThrownBy(this::list).hasMessageContaining("the bucket is in the region eu-west-1");
        }
        assertThat(requests).hasSize(6);
        script = exchange -> answer(exchange, 301, error("PermanentRedirect"));
        assertThatThrownBy(this::list)
                .hasMessageContaining("status 301 PermanentRedirect")
                .hasMessageContaining("the server does not say which: set AWS_REGION");
        script = exchange -> answer(exchange, 400, error("ExpiredToken"), "x-amz-bucket-region", "us-east-1");
        assertThatThrownBy(this::list).hasMessageContaining("status 400 ExpiredToken");
    }

    /** The client takes the time of the answer for the next request. */
    @Test
    void sendsARequestAgainIfTheTimeOfThisMachineIsWrong() throws IOException {
        script = exchange -> {
            if (requests.size() == 1) {
                answer(exchange, 403, error("RequestTimeTooSkewed"));
            } else {
                answer(exchange, 200, listing("", "d/a"));
            }
        };
        assertThat(list().objects()).hasSize(1);
        script = exchange -> answer(exchange, 403, error("RequestTimeTooSkewed"));
        assertThatThrownBy(this::list)
                .isNotInstanceOf(AccessDeniedException.class)
                .hasMessageContaining("status 403 RequestTimeTooSkewed")
                .hasMessageContaining("(11 tries)");
    }

    @Test
    void readsAnObjectWhoseBucketItMayNotList() throws IOException {
        script = exchange -> {
            if (exchange.getRequestURI().getPath().equals("/b")) {
                answer(exchange, 403, error("AccessDenied"));
            } else if (exchange.getRequestMethod().equals("HEAD")) {
                answer(exchange, 200, "", "ETag", "\"1\"", "Content-Length", "3");
            } else {
                answer(exchange, 206, "abc", "ETag", "\"1\"", "Content-Range", "bytes 0-2/3");
            }
        };
        assertThat(store.find("b", "k")).isNotNull();
        assertThat(read(0, 3)).isEqualTo("abc");
        assertThatThrownBy(this::list)
                .isInstanceOf(AccessDeniedException.class)
                .hasMessageContaining("s3://b/d/: status 403 AccessDenied");
    }

    @Test
    void refusesAnObjectWithoutASize() {
        script = exchange -> answer(exchange, 200, "", "ETag", "\"1\"");
        assertThatThrownBy(() -> store.find("b", "k")).hasMessage("s3://b/k: the answer has no size of the object");
    }

    @Test
    void saysThatAnObjectWasDeletedAfterItWasFound() {
        script = exchange -> answer(exchange, 404, error("NoSuchKey"));
        assertThatThrownBy(() -> read(0, 3))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("s3://b/k");
    }

    @Test
    void refusesAnotherVersionFromAServerThatIgnoresTheCondition() {
        script = exchange -> answer(exchange, 206, "abc", "ETag", "\"2\"", "Content-Range", "bytes 0-2/3");
        assertThatThrownBy(() -> read(0, 3))
                .isInstanceOf(ChangedObjectException.class)
                .hasMessageContaining("s3://b/k");
    }

    @Test
    void takesVersionsForTheSameWhateverTheirQuotes() throws IOException {
        for (String each : List.of("1", "W/\"1\"", "\"1\"")) {
            script = exchange -> answer(exchange, 206, "abc", "ETag", each, "Content-Range", "bytes 0-2/3");
            assertThat(read(0, 3)).isEqualTo("abc");
        }
    }

    @Test
    void refusesAnotherPartThanTheOneItWants() throws IOException {
        script = exchange -> answer(exchange, 206, "abc", "ETag", "\"1\"", "Content-Range", "bytes 0-2/9");
        assertThatThrownBy(() -> read(3, 3)).isInstanceOf(IOException.class).hasMessageContaining("from byte 3");
        script = exchange -> answer(exchange, 200, "abcdef", "ETag", "\"1\"");
        assertThatThrownBy(() -> read(3, 3)).isInstanceOf(IOException.class).hasMessageContaining("from byte 3");
        assertThat(read(0, 6)).isEqualTo("abcdef");
    }

    @Test
    void readsObjectsWithoutAVersion() throws IOException {
        script = exchange -> answer(
                exchange,
                200,
                "<ListBucketResult><Contents><Key>d/a</Key><Size>1</Size></Contents></ListBucketResult>");
        assertThat(list().objects())
                .extracting(each -> each.attributes().version())
                .containsExactly("");
        script = exchange -> answer(exchange, 206, "abc", "Content-Range", "bytes 0-2/3");
        try (InputStream body = store.read("b", "k", 0, 3, "")) {
            assertThat(body.readAllBytes()).hasSize(3);
        }
    }

    @Test
    void saysThatAnObjectWhichIsShorterNowWasReplaced() {
        script = exchange -> answer(exchange, 416, error("InvalidRange"));
        assertThatThrownBy(() -> read(3, 3)).isInstanceOf(ChangedObjectException.class);
    }
}
