package io.overdrive.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** A server of S3 that is not ours, and between it and the client a proxy that fails as the test wants. */
class S3StoreTest {
    private static S3Server server;
    private static S3Client client;
    private static int buckets;
    private @Nullable S3Server unsigned;

    private final Path local;
    private String bucket;
    private Provider provider;

    /** The provider, with a client of the test. */
    private static final class Provider extends StoreProvider {
        private final ObjectStore store;

        Provider(URI endpoint, String secret) {
            store = new S3Store(settings(endpoint, secret));
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
                secret.isEmpty()
                        ? AnonymousCredentialsProvider.create()
                        : StaticCredentialsProvider.create(AwsBasicCredentials.create(S3Server.ACCESS_KEY, secret)),
                Duration.ofMillis(1));
    }

    @BeforeAll
    static void start() throws Exception {
        server = S3Server.start();
        client = settings(server.endpoint(), S3Server.SECRET_KEY).client();
    }

    @AfterAll
    static void stop() throws Exception {
        client.close();
        server.close();
    }

    S3StoreTest(@TempDir Path local) {
        this.local = local;
        bucket = "bucket-" + ++buckets;
        client.createBucket(request -> request.bucket(bucket));
        provider = new Provider(server.endpoint(), S3Server.SECRET_KEY);
    }

    @AfterEach
    void stopUnsigned() throws Exception {
        if (unsigned != null) {
            unsigned.close();
        }
    }

    private Path path(String key) throws Exception {
        return provider.getPath(new URI("s3", bucket, "/" + key, null, null));
    }

    private Path put(String key, byte[] content) throws Exception {
        Path file = Files.write(local.resolve("content"), content);
        Path object = path(key);
        provider.upload(file, object);
        return object;
    }

    private Path put(String key) throws Exception {
        return put(key, key.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] random(int bytes) {
        byte[] content = new byte[bytes];
        new Random(bytes).nextBytes(content);
        return content;
    }

    @Test
    void readsWhatWasUploaded() throws Exception {
        byte[] content = random(300_000);
        put("a/b.bin", content);
        Path object = path("a/b.bin");
        assertThat(object).hasToString("s3://" + bucket + "/a/b.bin");
        assertThat(Files.size(object)).isEqualTo(content.length);
        assertThat(Files.readAllBytes(object)).isEqualTo(content);
        try (InputStream in = Files.newInputStream(object)) {
            assertThat(in.skip(1_000)).isEqualTo(1_000);
            assertThat(in.readNBytes(10)).isEqualTo(Arrays.copyOfRange(content, 1_000, 1_010));
        }
    }

    @Test
    void uploadsALargeFileInParts() throws Exception {
        byte[] content = random(40 << 20);
        Path object = put("large", content);
        assertThat(Files.readAllBytes(object)).isEqualTo(content);
        assertThat(client.headObject(request -> request.bucket(bucket).key("large"))
                        .eTag())
                .contains("-3");
    }

    @Test
    void readsAnEmptyObject() throws Exception {
        Path object = put("empty", new byte[0]);
        assertThat(Files.readAllBytes(object)).isEmpty();
        try (FileChannel channel = FileChannel.open(object)) {
            assertThat(channel.read(ByteBuffer.allocate(1), 0)).isEqualTo(-1);
        }
    }

    @Test
    void readsInAnyOrder() throws Exception {
        byte[] content = random(3 << 20);
        Path object = put("x", content);
        Random random = new Random(7);
        try (FileChannel channel = FileChannel.open(object)) {
            assertThat(channel.size()).isEqualTo(content.length);
            int from = 0;
            for (int i = 0; i < 200; i++) {
                from = random.nextInt(3) == 0 ? random.nextInt(content.length) : Math.min(from, content.length - 1);
                int length = 1 + random.nextInt(random.nextInt(20) == 0 ? 2 << 20 : 50_000);
                ByteBuffer to = random.nextBoolean() ? ByteBuffer.allocate(length) : ByteBuffer.allocateDirect(length);
                int read = channel.read(to, from);
                assertThat(read).isPositive();
                byte[] bytes = new byte[read];
                to.flip().get(bytes);
                assertThat(bytes).isEqualTo(Arrays.copyOfRange(content, from, from + read));
                from += read;
            }
            assertThat(channel.read(ByteBuffer.allocate(1), content.length)).isEqualTo(-1);
        }
    }

    private List<String> walk(Path from) throws IOException {
        try (Stream<Path> all = Files.walk(from, FileVisitOption.FOLLOW_LINKS)) {
            return all.filter(Files::isRegularFile)
                    .map(each -> from.relativize(each).toString())
                    .toList();
        }
    }

    @Test
    void listsObjectsOfAllDirectories() throws Exception {
        List<String> keys = List.of("d/a b.csv", "d/é/%41+c#?.csv", "d/x/y/z=1/f", "d/x/g", "dd/not");
        for (String each : keys) {
            put(each);
        }
        assertThat(walk(path("d/"))).containsExactlyInAnyOrder("a b.csv", "é/%41+c#?.csv", "x/y/z=1/f", "x/g");
        assertThat(walk(path("d"))).hasSize(4);
        assertThat(walk(path(""))).containsExactlyInAnyOrderElementsOf(keys);
        for (String each : keys) {
            assertThat(Files.readString(path(each))).isEqualTo(each);
        }
    }

    @Test
    void listsMoreObjectsThanOneAnswerHas() throws Exception {
        for (int i = 0; i < 1_100; i++) {
            int number = i;
            client.putObject(
                    request -> request.bucket(bucket).key("many/" + number % 3 + "/" + number),
                    RequestBody.fromString("x"));
        }
        assertThat(walk(path("many"))).hasSize(1_100).doesNotHaveDuplicates();
    }

    @Test
    void doesNotTakeTheObjectOfADirectoryForAFile() throws Exception {
        client.putObject(request -> request.bucket(bucket).key("d/"), RequestBody.empty());
        put("d/a");
        assertThat(walk(path("d/"))).containsExactly("a");
    }

    @Test
    void saysThatThereIsNoSuchObject() throws Exception {
        put("a/b");
        assertThat(Files.exists(path("a"))).isTrue();
        assertThat(Files.isDirectory(path("a"))).isTrue();
        assertThat(Files.exists(path("b"))).isFalse();
        assertThatThrownBy(() -> Files.newInputStream(path("a/c"))).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> Files.list(path("c/"))).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> Files.list(path("a/b/"))).isInstanceOf(NotDirectoryException.class);
        assertThatThrownBy(() -> Files.newInputStream(path("a"))).hasMessageContaining("is a directory");
    }

    @Test
    void saysThatThereIsNoSuchBucket() throws Exception {
        bucket = "none";
        assertThatThrownBy(() -> Files.size(path("a")))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("there is no bucket none");
    }

    @Test
    void saysThatAccessIsDenied() throws Exception {
        put("a");
        provider = new Provider(server.endpoint(), "wrong");
        assertThatThrownBy(() -> Files.list(path("")))
                .isInstanceOf(AccessDeniedException.class)
                .hasMessageContaining("SignatureDoesNotMatch")
                .hasMessageContaining("the credentials have no such right");
    }

    @Test
    void refusesAnObjectThatWasReplacedSinceItWasFound() throws Exception {
        Path object = put("a", random(1 << 20));
        assertThat(Files.size(object)).isEqualTo(1 << 20);
        put("a", random((1 << 20) + 1));
        assertThatThrownBy(() -> Files.readAllBytes(object)).hasMessageContaining("the object was replaced");
        try (FileChannel channel = FileChannel.open(object)) {
            assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1), 0))
                    .hasMessageContaining("the object was replaced");
        }
        assertThat(Files.size(path("a"))).isEqualTo((1 << 20) + 1);
    }

    @Test
    void createsAnObjectOnce() throws Exception {
        provider.create(path("lock"), new byte[] {1});
        assertThatThrownBy(() -> provider.create(path("lock"), new byte[] {2}))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThat(Files.readAllBytes(path("lock"))).containsExactly(1);
        Files.delete(path("lock"));
        assertThat(Files.exists(path("lock"))).isFalse();
    }

    /** All of this with a proxy between. */
    private FaultyProxy proxy(IntFunction<FaultyProxy.Fault> faults) throws Exception {
        unsigned = S3Server.withoutSignatures();
        FaultyProxy proxy = new FaultyProxy(unsigned.endpoint(), faults);
        settings(unsigned.endpoint(), "").client().createBucket(request -> request.bucket(bucket));
        provider = new Provider(proxy.endpoint(), "");
        return proxy;
    }

    @Test
    void readsAndWritesAllInSpiteOfFaults() throws Exception {
        FaultyProxy.Fault[] faults = {
            FaultyProxy.Fault.SLOW_DOWN,
            FaultyProxy.Fault.CUT_BODY,
            FaultyProxy.Fault.INTERNAL_ERROR,
            FaultyProxy.Fault.CUT,
            FaultyProxy.Fault.CUT_BODY
        };
        try (FaultyProxy proxy =
                proxy(number -> number % 3 == 0 ? faults[number / 3 % faults.length] : FaultyProxy.Fault.NONE)) {
            byte[] content = random(40 << 20);
            put("d/large", content);
            for (int i = 0; i < 30; i++) {
                put("d/" + i);
            }
            assertThat(walk(path("d"))).hasSize(31);
            Path object = path("d/large");
            assertThat(Files.readAllBytes(object)).isEqualTo(content);
            try (FileChannel channel = FileChannel.open(object)) {
                ByteBuffer all = ByteBuffer.allocate(content.length);
                while (all.hasRemaining()) {
                    all.limit(Math.min(all.capacity(), all.position() + 500_000));
                    channel.read(all, all.position());
                    all.limit(all.capacity());
                }
                assertThat(all.array()).isEqualTo(content);
            }
            assertThat(proxy.requests()).isLessThan(1_000);
        }
    }

    @Test
    void createsAnObjectOnceIfAnAnswerIsLost() throws Exception {
        try (FaultyProxy proxy =
                proxy(number -> number == 1 ? FaultyProxy.Fault.ANSWER_LOST : FaultyProxy.Fault.NONE)) {
            provider.create(path("lock"), new byte[] {1});
            assertThat(proxy.requests()).isEqualTo(3);
            assertThatThrownBy(() -> provider.create(path("lock"), new byte[] {2}))
                    .isInstanceOf(FileAlreadyExistsException.class);
        }
    }

    @Test
    void endsWhenTheStoreDoesNotAnswer() throws Exception {
        try (FaultyProxy proxy = proxy(number -> number == 1 ? FaultyProxy.Fault.NONE : FaultyProxy.Fault.SLOW_DOWN)) {
            Path object = path("a");
            put("a");
            int before = proxy.requests();
            assertThatThrownBy(() -> Files.size(object)).hasMessageContaining("SlowDown");
            assertThat(proxy.requests() - before).isLessThan(20);
        }
    }

    @Test
    void saysThatCredentialsHaveExpired() throws Exception {
        try (FaultyProxy proxy = proxy(number -> FaultyProxy.Fault.EXPIRED)) {
            assertThatThrownBy(() -> Files.list(path(""))).hasMessageContaining("ExpiredToken");
            assertThat(proxy.requests()).isEqualTo(1);
        }
    }
}
