package io.overdrive.stores;

/** Objects of Amazon S3, and of other stores with its interface, by {@code s3://bucket/key}. */
public final class S3Provider extends StoreProvider {
    @Override
    public String getScheme() {
        return "s3";
    }

    @Override
    ObjectStore open() {
        return new S3Store(S3Settings.ofEnvironment());
    }
}
