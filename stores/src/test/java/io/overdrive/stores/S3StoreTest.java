package io.overdrive.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.sun.net.httpserver.HttpServer;
import io.overdrive.internal.disk.SmallFile;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.MultipartUpload;

/** A server of S3 that is not ours, and between it and the client a proxy that fails as the test wants. */
class S3StoreTest implements StoreContract {
    /** Another server than S3Proxy, such as {@code -Dstores.s3=http://127.0.0.1:5000}, which need not check signatures. */
    private static final @Nullable String SERVER = System.getProperty("stores.s3");

    private static @Nullable S3Server server;
    private static int buckets;

    private final URI endpoint;
    private final boolean checksSignatures;
    private final S3Client client;
    private @Nullable S3Server unsigned;

    private final Path local;
    private final String bucket;
    private Provider provider;

    /** The provider, with a client of the test. */
    private static final class Provider extends StoreProvider {
        private final ObjectStore store;

        Provider(URI endpoint, String secret) {
            this(new S3Store(settings(endpoint, secret)));
        }

        Provider(ObjectStore store) {
            this.store = store;
        }

        @Override
        public String getScheme() {
            return "s3";
        }

        @Override
        ObjectStore open() {
            return store;
        }
    }

    private static S3Settings settings(URI endpoint, String secret) {
        return new S3Settings(
                endpoint,
                Region.US_EAST_1,
                /* pathStyle */ true,
                /* requesterPays */ false,
                secret.isEmpty()
                        ? AnonymousCredentialsProvider.create()
                        : StaticCredentialsProvider.create(AwsBasicCredentials.create(S3Server.ACCESS_KEY, secret)),
                QUICK);
    }

    /** A server to test, and whether it checks signatures. */
    record Place(URI endpoint, boolean checksSignatures) {}

    /** The server of this process, which is started once, or another one. */
    Place place() throws Exception {
        if (SERVER != null) {
            return new Place(URI.create(SERVER), /* checksSignatures */ false);
        }
        S3Server known = server;
        if (known == null) {
            known = S3Server.start();
            server = known;
        }
        return new Place(known.endpoint(), /* checksSignatures */ true);
    }

    @AfterAll
    static void stop() throws Exception {
        if (server != null) {
            server.close();
            server = null;
        }
    }

    S3StoreTest(@TempDir Path local) throws Exception {
        this.local = local;
        endpoint = place().endpoint();
        checksSignatures = place().checksSignatures();
        client = S3Server.client(endpoint);
        bucket = "bucket-" + ProcessHandle.current().pid() + "-" + ++buckets;
        client.createBucket(request -> request.bucket(bucket));
        provider = new Provider(endpoint, S3Server.SECRET_KEY);
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        if (unsigned != null) {
            unsigned.close();
        }
    }

    @Override
    public StoreProvider provider() {
        return provider;
    }

    @Override
    public String bucket() {
        return bucket;
    }

    @Override
    public Path local() {
        return local;
    }

    @Test
    void uploadsALargeFileInParts() throws Exception {
        put("large", StoreContract.random(40 << 20));
        assertThat(client.headObject(request -> request.bucket(bucket).key("large"))
                        .eTag())
                .contains("-3");
    }

    @Test
    void doesNotTakeTheObjectOfADirectoryForAFile() throws Exception {
        client.putObject(request -> request.bucket(bucket).key("d/"), RequestBody.empty());
        put("d/a");
        assertThat(StoreContract.walk(path("d/"))).containsExactly("a");
    }

    @Test
    void saysThatAccessIsDenied() throws Exception {
        assumeThat(checksSignatures).as("a server that checks signatures").isTrue();
        put("a");
        provider = new Provider(endpoint, "wrong");
        assertThatThrownBy(() -> Files.list(path("")))
                .isInstanceOf(AccessDeniedException.class)
                .hasMessageContaining("SignatureDoesNotMatch")
                .hasMessageContaining("the credentials have no such right");
    }

    @Override
    public FaultyProxy proxy(IntFunction<FaultyProxy.Fault> faults) throws Exception {
        FaultyProxy proxy;
        if (checksSignatures) {
            unsigned = S3Server.withoutSignatures();
            proxy = new FaultyProxy(unsigned.endpoint(), faults);
            unsigned.createBucket(bucket);
        } else {
            proxy = new FaultyProxy(endpoint, faults);
        }
        provider = new Provider(proxy.endpoint(), checksSignatures ? "" : S3Server.SECRET_KEY);
        return proxy;
    }

    /** A provider that looks for newer credentials if the store refuses the old. */
    private Provider renewing(FaultyProxy proxy, Runnable onLook) {
        RenewedCredentials renewed = new RenewedCredentials(() -> {
            onLook.run();
            return settings(proxy.endpoint(), checksSignatures ? "" : S3Server.SECRET_KEY)
                    .credentials();
        });
        return new Provider(new S3Store(new S3Settings(
                proxy.endpoint(), Region.US_EAST_1, /* pathStyle */ true, /* requesterPays */ false, renewed, QUICK)));
    }

    @Test
    void readsAndWritesWhileCredentialsExpire() throws Exception {
        ShortLived credentials = new ShortLived();
        try (FaultyProxy proxy = proxy(credentials.or(FaultyProxy.Fault.EXPIRED))) {
            provider = renewing(proxy, credentials::renew);
            readAndWriteWhileCredentialsExpire(credentials);
        }
    }

    @Test
    void looksForNewerCredentialsWhenTheStoreRefusesTheOld() throws Exception {
        try (FaultyProxy proxy =
                proxy(number -> number % 2 == 1 ? FaultyProxy.Fault.EXPIRED : FaultyProxy.Fault.NONE)) {
            List<String> lookedFor = new ArrayList<>();
            provider = renewing(proxy, () -> lookedFor.add(""));
            put("a", StoreContract.random(1_000));
            assertThat(Files.size(path("a"))).isEqualTo(1_000);
            StoreContract.assertContent(path("a"), StoreContract.random(1_000));
            assertThat(proxy.requests()).isEqualTo(8);
            assertThat(lookedFor).hasSize(5);
        }
    }

    @Test
    void whatIsReadAheadHasAllBytesBeforeAFailure() throws Exception {
        byte[] content = StoreContract.random(1_000);
        try (FaultyProxy proxy = proxy(number -> number == 1 ? FaultyProxy.Fault.NONE : FaultyProxy.Fault.CUT_BODY)) {
            Path object = put("a", content);
            assertThat(SmallFile.isSmall(object, content.length)).isTrue();
            InputStream ahead = SmallFile.read(object);
            assertThat(proxy.requests()).isGreaterThan(Retries.MAX_FAILURES);
            assertThat(ahead.readNBytes(999)).isEqualTo(Arrays.copyOf(content, 999));
            assertThatThrownBy(ahead::read)
                    .isInstanceOf(FileSystemException.class)
                    .hasMessageContaining("/a: ")
                    .hasMessageContaining("(11 tries)");
        }
    }

    @Test
    void saysThatItPaysForItsRequests() throws Exception {
        List<String> payers = new CopyOnWriteArrayList<>();
        HttpServer paid = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        paid.createContext("/", exchange -> {
            payers.add(exchange.getRequestHeaders().getFirst("x-amz-request-payer"));
            exchange.sendResponseHeaders(404, -1);
            exchange.close();
        });
        paid.start();
        try {
            URI place = URI.create("http://127.0.0.1:" + paid.getAddress().getPort());
            S3Settings settings = settings(place, S3Server.SECRET_KEY);
            for (boolean pays : new boolean[] {true, false}) {
                ObjectStore store = new S3Store(new S3Settings(
                        place, Region.US_EAST_1, /* pathStyle */ true, pays, settings.credentials(), QUICK));
                assertThat(store.find(bucket, "a")).isNull();
            }
        } finally {
            paid.stop(0);
        }
        assertThat(payers).containsExactly("requester", null);
    }

    @Test
    void discardsWhatAKilledRunHasUploadedOfAFile() throws Exception {
        for (String key : List.of("d/a", "d/b/c", "d/b/others", "d/others", "d2/a", "e", "e2")) {
            client.createMultipartUpload(request -> request.bucket(bucket).key(key));
        }
        provider.discardUploads(path("d"), Set.of(path("d/a"), path("d/b/c")));
        provider.discardUploads(path("e"), Set.of(path("e")));
        assertThat(client.listMultipartUploads(request -> request.bucket(bucket))
                        .uploads())
                .extracting(MultipartUpload::key)
                .containsExactly("d/b/others", "d/others", "d2/a", "e2");
    }

    @Test
    void saysThatCredentialsHaveExpired() throws Exception {
        try (FaultyProxy proxy = proxy(number -> FaultyProxy.Fault.EXPIRED)) {
            assertThatThrownBy(() -> Files.list(path(""))).hasMessageContaining("ExpiredToken");
            assertThat(proxy.requests()).isEqualTo(1);
        }
    }
}
