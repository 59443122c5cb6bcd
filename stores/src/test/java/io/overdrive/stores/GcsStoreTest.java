package io.overdrive.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.overdrive.stores.FaultyProxy.Fault;
import io.overdrive.stores.Tokens.Token;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A fake, or the server that {@code -Dstores.gs=http://127.0.0.1:4443} names, such as fake-gcs-server. */
class GcsStoreTest implements StoreContract {
    private static final @Nullable String SERVER = System.getProperty("stores.gs");
    private static int buckets;

    private final Http http = new Http(QUICK);
    private final Path local;
    private final String bucket;
    private final URI endpoint;
    private final @Nullable FakeGcs fake;
    private Provider provider;

    private static final class Provider extends StoreProvider {
        private final ObjectStore store;

        Provider(ObjectStore store) {
            this.store = store;
        }

        @Override
        public String getScheme() {
            return "gs";
        }

        @Override
        ObjectStore open() {
            return store;
        }
    }

    GcsStoreTest(@TempDir Path local) throws IOException {
        this.local = local;
        bucket = "bucket-" + ProcessHandle.current().pid() + "-" + ++buckets;
        if (SERVER == null) {
            fake = new FakeGcs(bucket);
            endpoint = fake.endpoint();
        } else {
            fake = null;
            endpoint = URI.create(SERVER);
            http.send(Http.request(endpoint + "/storage/v1/b?project=test")
                            .POST(BodyPublishers.ofString("{\"name\": \"" + bucket + "\"}")))
                    .body()
                    .close();
        }
        provider = provider(endpoint, GoogleTokens.none());
    }

    private Provider provider(URI to, Credentials credentials) {
        return new Provider(new GcsStore(http, to.toString(), credentials));
    }

    @AfterEach
    void stop() {
        if (fake != null) {
            fake.close();
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

    @Override
    public FaultyProxy proxy(IntFunction<Fault> faults) throws Exception {
        FaultyProxy proxy = new FaultyProxy(endpoint, faults);
        provider = provider(proxy.endpoint(), GoogleTokens.none());
        return proxy;
    }

    @Test
    void continuesAnUploadWhoseAnswersAreLost() throws Exception {
        assumeThat(fake)
                .as("fake-gcs-server 1.56 completes an upload when it is asked how much it has")
                .isNotNull();
        try (FaultyProxy proxy = proxy(number -> number % 2 == 0 ? Fault.ANSWER_LOST : Fault.NONE)) {
            byte[] content = StoreContract.random(40 << 20);
            StoreContract.assertContent(put("large", content), content);
            assertThat(proxy.requests()).isLessThan(30);
        }
    }

    @Test
    void completesAnUploadWhoseLastAnswerIsCut() throws Exception {
        assumeThat(fake).isNotNull();
        try (FaultyProxy proxy = proxy(number -> number == 4 ? Fault.CUT_BODY : Fault.NONE)) {
            byte[] content = StoreContract.random(40 << 20);
            Path object = put("large", content);
            assertThat(proxy.requests()).isEqualTo(5);
            StoreContract.assertContent(object, content);
        }
    }

    @Test
    void givesABodyTimeByItsSize() {
        assertThat(Http.timeout(0)).isEqualTo(Duration.ofSeconds(60));
        assertThat(Http.timeout(Parts.BYTES)).isEqualTo(Duration.ofSeconds(60 + 256));
    }

    @Test
    void readsAndWritesWhileTokensExpire() throws Exception {
        ShortLived tokens = new ShortLived();
        try (FaultyProxy proxy = proxy(tokens.or(Fault.UNAUTHORIZED))) {
            provider = provider(proxy.endpoint(), new Tokens(() -> new Token("token " + tokens.renew(), 3_600)));
            readAndWriteWhileCredentialsExpire(tokens);
        }
    }

    @Test
    void requestsANewTokenWhenTheStoreRefusesTheOld() throws Exception {
        try (FakeGcs signed = new FakeGcs(bucket)) {
            List<String> requested = new ArrayList<>();
            provider = provider(signed.endpoint(), new Tokens(() -> {
                requested.add("t");
                return new Token("token " + requested.size(), 3_600);
            }));
            signed.require("token 1");
            put("a");
            assertThat(Files.readString(path("a"))).isEqualTo("a");
            signed.require("token 2");
            assertThat(Files.readString(path("a"))).isEqualTo("a");
            assertThat(requested).hasSize(2);
            signed.require("none");
            assertThatThrownBy(() -> Files.size(path("a")))
                    .hasCauseInstanceOf(AccessDeniedException.class)
                    .hasMessageContaining("Invalid Credentials")
                    .hasMessageContaining("no such right");
        }
    }
}
