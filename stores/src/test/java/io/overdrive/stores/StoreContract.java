package io.overdrive.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OverdriveException;
import io.overdrive.stores.FaultyProxy.Fault;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests of what all stores do, on a server of each. */
interface StoreContract {
    /** Pauses in virtual time. */
    BackOff QUICK = new BackOff(Duration.ofMillis(100), pause -> {});

    /** The provider, which may be one that goes through the last {@link #proxy}. */
    StoreProvider provider();

    String bucket();

    /** A directory of this machine. */
    Path local();

    /** Puts a proxy between the provider and the server, in which the bucket is empty. */
    FaultyProxy proxy(IntFunction<Fault> faults) throws Exception;

    private Path path(String bucket, String key) throws Exception {
        return provider().getPath(new URI(provider().getScheme(), bucket, "/" + key, null, null));
    }

    default Path path(String key) throws Exception {
        return path(bucket(), key);
    }

    default Path put(String key, byte[] content) throws Exception {
        Path file = Files.write(local().resolve("content"), content);
        provider().upload(file, path(key));
        return path(key);
    }

    default Path put(String key) throws Exception {
        return put(key, key.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] random(int bytes) {
        byte[] content = new byte[bytes];
        new Random(bytes).nextBytes(content);
        return content;
    }

    /** Compares without the bytes in a message, which are many. */
    static void assertContent(Path object, byte[] content) throws IOException {
        assertThat(Arrays.mismatch(Files.readAllBytes(object), content)).isEqualTo(-1);
    }

    static List<String> walk(Path from) throws IOException {
        try (Stream<Path> all = Files.walk(from, FileVisitOption.FOLLOW_LINKS)) {
            return all.filter(Files::isRegularFile)
                    .map(each -> from.relativize(each).toString())
                    .toList();
        }
    }

    @Test
    default void readsWhatWasUploaded() throws Exception {
        byte[] content = StoreContract.random(300_000);
        put("a/b.bin", content);
        Path object = path("a/b.bin");
        assertThat(object).hasToString(provider().getScheme() + "://" + bucket() + "/a/b.bin");
        assertThat(Files.size(object)).isEqualTo(content.length);
        assertThat(Files.readAllBytes(object)).isEqualTo(content);
        try (InputStream in = Files.newInputStream(object)) {
            assertThat(in.skip(1_000)).isEqualTo(1_000);
            assertThat(in.readNBytes(10)).isEqualTo(Arrays.copyOfRange(content, 1_000, 1_010));
        }
    }

    @Test
    default void readsWhatWasUploadedInParts() throws Exception {
        byte[] content = StoreContract.random(40 << 20);
        assertContent(put("large", content), content);
    }

    @Test
    default void knowsTheObjectThatItHasUploaded() throws Exception {
        try (FaultyProxy proxy = proxy(number -> Fault.NONE)) {
            Path file = Files.write(local().resolve("content"), new byte[] {1, 2, 3});
            Path object = path("a");
            provider().upload(file, object);
            int requests = proxy.requests();
            assertThat(Files.size(object)).isEqualTo(3);
            assertThat(proxy.requests()).isEqualTo(requests);
            assertThat(Files.readAllBytes(object)).containsExactly(1, 2, 3);
        }
    }

    @Test
    default void readsAnEmptyObject() throws Exception {
        Path object = put("empty", new byte[0]);
        assertThat(Files.readAllBytes(object)).isEmpty();
        try (FileChannel channel = FileChannel.open(object)) {
            assertThat(channel.read(ByteBuffer.allocate(1), 0)).isEqualTo(-1);
        }
    }

    @Test
    default void readsInAnyOrder() throws Exception {
        byte[] content = StoreContract.random(3 << 20);
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

    @Test
    default void listsObjectsOfAllDirectories() throws Exception {
        List<String> keys = List.of("d/a b.csv", "d/é/%41+c#?.csv", "d/x/y/z=1/f", "d/x/g", "dd/not");
        for (String each : keys) {
            put(each);
        }
        assertThat(StoreContract.walk(path("d/")))
                .containsExactlyInAnyOrder("a b.csv", "é/%41+c#?.csv", "x/y/z=1/f", "x/g");
        assertThat(StoreContract.walk(path("d"))).hasSize(4);
        assertThat(StoreContract.walk(path(""))).containsExactlyInAnyOrderElementsOf(keys);
        for (String each : keys) {
            assertThat(Files.readString(path(each))).isEqualTo(each);
        }
    }

    @Test
    default void listsDirectoriesThatAConsoleHasCreated() throws Exception {
        Path empty = Files.write(local().resolve("empty"), new byte[0]);
        for (String each : List.of("d/", "d/none/", "d/x/none/")) {
            provider().store().write(bucket(), each, empty, 0);
        }
        put("d/y/a.csv");
        assertThat(StoreContract.walk(path("d/"))).containsExactly("y/a.csv");
        assertThat(StoreContract.walk(path("d/none"))).isEmpty();
        assertThat(StoreContract.walk(path("d/x/"))).isEmpty();
    }

    @Test
    default void listsMoreObjectsThanOneAnswerHas() throws Exception {
        for (int i = 0; i < 1_100; i++) {
            int number = i;
            provider().create(path("many/" + number % 3 + "/" + number), new byte[] {1});
        }
        assertThat(StoreContract.walk(path("many"))).hasSize(1_100).doesNotHaveDuplicates();
    }

    @Test
    default void saysThatThereIsNoSuchObject() throws Exception {
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
    default void saysThatThereIsNoSuchBucket() throws Exception {
        String none = bucket().replaceFirst("[^@]*", "none-of-these");
        assertThatThrownBy(() -> Files.size(path(none, "a")))
                .isInstanceOf(OverdriveException.class)
                .hasMessageContaining("there is no")
                .hasMessageContaining("none-of-these");
    }

    @Test
    default void refusesAnObjectThatWasReplacedSinceItWasFound() throws Exception {
        Path object = put("a", StoreContract.random(1 << 20));
        assertThat(Files.size(object)).isEqualTo(1 << 20);
        put("a", StoreContract.random((1 << 20) + 1));
        assertThatThrownBy(() -> Files.readAllBytes(object)).hasMessageContaining("the object was replaced");
        try (FileChannel channel = FileChannel.open(object)) {
            assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1), 0))
                    .hasMessageContaining("the object was replaced");
        }
        assertThat(Files.size(path("a"))).isEqualTo((1 << 20) + 1);
    }

    @Test
    default void createsAnObjectOnce() throws Exception {
        provider().create(path("lock"), new byte[] {1});
        assertThatThrownBy(() -> provider().create(path("lock"), new byte[] {2}))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThat(Files.readAllBytes(path("lock"))).containsExactly(1);
        Files.delete(path("lock"));
        assertThat(Files.exists(path("lock"))).isFalse();
    }

    /** Credentials that are valid for some requests, so that they have to be renewed in between. */
    final class ShortLived {
        private static final int REQUESTS = 8;

        private final AtomicInteger left = new AtomicInteger();
        private final AtomicInteger renewed = new AtomicInteger();

        /** @return how many there have been */
        int renew() {
            left.set(REQUESTS);
            return renewed.incrementAndGet();
        }

        IntFunction<Fault> or(Fault expired) {
            return number -> left.getAndDecrement() > 0 ? Fault.NONE : expired;
        }
    }

    /** Reads and writes with credentials that the provider renews. */
    default void readAndWriteWhileCredentialsExpire(ShortLived credentials) throws Exception {
        byte[] content = StoreContract.random(40 << 20);
        put("d/large", content);
        for (int i = 0; i < 30; i++) {
            put("d/" + i);
        }
        assertThat(StoreContract.walk(path("d"))).hasSize(31);
        assertContent(path("d/large"), content);
        for (int i = 0; i < 30; i++) {
            assertThat(Files.readString(path("d/" + i))).isEqualTo("d/" + i);
        }
        assertThat(credentials.renewed.get()).isGreaterThan(5);
    }

    @Test
    default void readsAndWritesAllInSpiteOfFaults() throws Exception {
        Fault[] faults = {Fault.SLOW_DOWN, Fault.CUT_BODY, Fault.INTERNAL_ERROR, Fault.CUT, Fault.CUT_BODY};
        try (FaultyProxy proxy = proxy(number -> number % 3 == 0 ? faults[number / 3 % faults.length] : Fault.NONE)) {
            byte[] content = StoreContract.random(40 << 20);
            put("d/large", content);
            for (int i = 0; i < 30; i++) {
                put("d/" + i);
            }
            assertThat(StoreContract.walk(path("d"))).hasSize(31);
            Path object = path("d/large");
            assertContent(object, content);
            try (FileChannel channel = FileChannel.open(object)) {
                ByteBuffer all = ByteBuffer.allocate(content.length);
                while (all.hasRemaining()) {
                    all.limit(Math.min(all.capacity(), all.position() + 500_000));
                    channel.read(all, all.position());
                    all.limit(all.capacity());
                }
                assertThat(Arrays.equals(all.array(), content)).isTrue();
            }
            assertThat(proxy.requests()).isLessThan(1_000);
        }
    }

    @Test
    default void createsAnObjectOnceIfAnAnswerIsLost() throws Exception {
        try (FaultyProxy proxy = proxy(number -> number == 1 ? Fault.ANSWER_LOST : Fault.NONE)) {
            provider().create(path("lock"), new byte[] {1});
            assertThat(proxy.requests()).isEqualTo(3);
            assertThatThrownBy(() -> provider().create(path("lock"), new byte[] {2}))
                    .isInstanceOf(FileAlreadyExistsException.class);
        }
    }

    @Test
    default void endsWhenTheStoreDoesNotAnswer() throws Exception {
        try (FaultyProxy proxy = proxy(number -> number == 1 ? Fault.NONE : Fault.SLOW_DOWN)) {
            Path object = path("a");
            put("a");
            int before = proxy.requests();
            assertThatThrownBy(() -> Files.size(object)).hasMessageContaining("503");
            assertThat(proxy.requests() - before).isEqualTo(1 + Retries.MAX_FAILURES);
        }
    }

    /** If it were taken for an answer, a file would be overwritten, or the store be asked again for as long. */
    @Test
    default void takesNoFailureForAMissingObject() throws Exception {
        try (FaultyProxy proxy = proxy(number -> Fault.SLOW_DOWN)) {
            assertThatThrownBy(() -> Files.isDirectory(path("a")))
                    .isInstanceOf(OverdriveException.class)
                    .hasMessageStartingWith(path("a") + ": status 503");
            assertThatThrownBy(() -> Files.exists(path("a"))).hasMessageContaining("/a: status 503");
            assertThat(proxy.requests()).isEqualTo(2 * (1 + Retries.MAX_FAILURES));
        }
    }
}
