package io.overdrive.stores;

import java.net.URI;
import java.nio.file.Path;

/** Objects of Azure's Blob Storage and Data Lake Storage, by {@code abfss://container@account.dfs.core.windows.net/key}. */
public class AbfssProvider extends StoreProvider {
    @Override
    public String getScheme() {
        return "abfss";
    }

    @Override
    final ObjectStore open() {
        return new AzureStore(getScheme(), new Http(BackOff.USUAL), AzureAccess.find(System.getenv()));
    }

    @Override
    public final Path getPath(URI uri) {
        String authority = uri.getRawAuthority();
        if (authority == null || !authority.matches("[^@]+@[^@.]+\\..+")) {
            throw new IllegalArgumentException(
                    "it is " + getScheme() + "://CONTAINER@ACCOUNT.dfs.core.windows.net/KEY");
        }
        return super.getPath(uri);
    }
}
