package io.overdrive.stores;

import java.util.function.Supplier;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;

/** Credentials of AWS that are looked up again when the store refuses them: a file may have newer ones meanwhile. Thread-safe. */
final class RenewedCredentials implements AwsCredentialsProvider {
    private final Supplier<AwsCredentialsProvider> source;
    private volatile AwsCredentialsProvider current;

    RenewedCredentials(Supplier<AwsCredentialsProvider> source) {
        this.source = source;
        current = source.get();
    }

    void renew() {
        current = source.get();
    }

    @Override
    public AwsCredentials resolveCredentials() {
        return current.resolveCredentials();
    }
}
