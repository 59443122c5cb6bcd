package io.overdrive.stores;

/** Objects of Google Cloud Storage, by {@code gs://bucket/key}. */
public final class GcsProvider extends StoreProvider {
    private static final String ENDPOINT = "https://storage.googleapis.com";

    @Override
    public String getScheme() {
        return "gs";
    }

    @Override
    ObjectStore open() {
        Http http = new Http(BackOff.USUAL);
        String emulator = System.getenv("STORAGE_EMULATOR_HOST");
        if (emulator == null || emulator.isBlank()) {
            return new GcsStore(http, ENDPOINT, GoogleTokens.find(System.getenv()));
        }
        String endpoint = emulator.contains("://") ? emulator : "http://" + emulator;
        return new GcsStore(http, endpoint.replaceFirst("/+$", ""), GoogleTokens.none());
    }
}
