package io.overdrive.stores;

/** Files of web servers, by {@code https://host/path}. */
public final class HttpsProvider extends HttpProvider {
    @Override
    public String getScheme() {
        return "https";
    }
}
