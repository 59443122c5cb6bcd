package io.overdrive.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.overdrive.stores.FaultyProxy.Fault;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A fake, or the server that {@code -Dstores.azure=http://127.0.0.1:10000} names, such as Azurite, which checks signatures. */
class AzureStoreTest implements StoreContract {
    private static final @Nullable String SERVER = System.getProperty("stores.azure");
    /** The account that Azurite has, and its key, which its documentation names. */
    private static final String ACCOUNT = "devstoreaccount1";

    private static final String KEY =
            "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
    private static int buckets;

    private final Http http = new Http(QUICK);
    private final Path local;
    private final String bucket;
    private final URI endpoint;
    private final @Nullable FakeAzure fake;
    private Provider provider;

    private static final class Provider extends StoreProvider {
        private final ObjectStore store;

        Provider(ObjectStore store) {
            this.store = store;
        }

        @Override
        public String getScheme() {
            return "abfss";
        }

        @Override
        ObjectStore open() {
            return store;
        }
    }

    AzureStoreTest(@TempDir Path local) throws IOException {
        this.local = local;
        String container = "bucket-" + ProcessHandle.current().pid() + "-" + ++buckets;
        bucket = container + "@" + ACCOUNT + ".dfs.core.windows.net";
        if (SERVER == null) {
            fake = new FakeAzure(ACCOUNT, container);
            endpoint = fake.endpoint();
        } else {
            fake = null;
            endpoint = URI.create(SERVER);
            HttpRequest.Builder create = Http.request(endpoint + "/" + ACCOUNT + "/" + container + "?restype=container")
                    .header("x-ms-version", "2021-12-02")
                    .header(
                            "x-ms-date",
                            DateTimeFormatter.RFC_1123_DATE_TIME.format(
                                    ZonedDateTime.now(ZoneOffset.UTC).withNano(0)))
                    .PUT(BodyPublishers.noBody());
            http.send(create, new AzureKey(ACCOUNT, KEY)).body().close();
        }
        provider = provider(endpoint, KEY);
    }

    private Provider provider(URI to, String key) {
        AzureAccess access = AzureAccess.find(Map.of(
                "AZURE_STORAGE_CONNECTION_STRING",
                "DefaultEndpointsProtocol=http;AccountName=" + ACCOUNT + ";AccountKey=" + key + ";BlobEndpoint=" + to
                        + "/" + ACCOUNT + "/;"));
        return new Provider(new AzureStore("abfss", http, access));
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
        provider = provider(proxy.endpoint(), KEY);
        return proxy;
    }

    @Test
    void uploadsPartsOnceIfAnswersAreLost() throws Exception {
        try (FaultyProxy proxy = proxy(number -> number % 2 == 0 ? Fault.ANSWER_LOST : Fault.NONE)) {
            byte[] content = StoreContract.random(40 << 20);
            StoreContract.assertContent(put("large", content), content);
            assertThat(proxy.requests()).isLessThan(40);
        }
    }

    @Test
    void listsDirectoriesOfAHierarchicalAccount() throws Exception {
        assumeThat(fake).as("Azurite has no such accounts").isNotNull();
        FakeAzure account = Objects.requireNonNull(fake);
        account.createDirectory("d");
        account.createDirectory("e");
        for (int i = 10; i < 40; i++) {
            account.createDirectory("e/" + i);
        }
        put("e/39/a");
        assertThat(StoreContract.walk(path(""))).containsExactly("e/39/a");
        assertThat(StoreContract.walk(path("d"))).isEmpty();
        assertThat(Files.isDirectory(path("d"))).isTrue();
        assertThat(Files.isDirectory(path("e"))).isTrue();
        assertThat(StoreContract.walk(path("e"))).containsExactly("39/a");
    }

    @Test
    void refusesAnAccountThatTheCredentialsAreNotOf() {
        String other = "x@other.dfs.core.windows.net";
        assertThatThrownBy(() -> Files.size(provider.getPath(new URI("abfss", other, "/a", null, null))))
                .hasCauseInstanceOf(AccessDeniedException.class)
                .hasMessageContaining("the credentials are of the account " + ACCOUNT);
        assertThatThrownBy(() -> new AbfssProvider().getPath(URI.create("abfss://container/a")))
                .hasMessageContaining("abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/KEY");
    }

    @Test
    void addsASharedAccessSignatureToTheQuery() throws Exception {
        AzureAccess access = AzureAccess.find(Map.of("AZURE_STORAGE_SAS_TOKEN", "?sv=1&sig=a%2Fb"));
        HttpRequest request =
                Http.request("https://a.blob.core.windows.net/c/k?comp=list").build();
        assertThat(access.credentials().apply("a").sign(request).uri())
                .hasToString("https://a.blob.core.windows.net/c/k?comp=list&sv=1&sig=a%2Fb");
    }
}
