package io.overdrive.stores;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.internal.disk.WritableDirectory;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.util.Objects;
import java.util.function.Supplier;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;

/** Credentials of AWS that are looked up again when the store refuses them: a file may have newer ones meanwhile. Thread-safe. */
final class RenewedCredentials implements AwsCredentialsProvider {
    private static final String NONE = "no credentials: ";

    private final Supplier<AwsCredentialsProvider> source;

    @GuardedBy("this") private AwsCredentialsProvider current;

    RenewedCredentials(Supplier<AwsCredentialsProvider> source) {
        this.source = source;
        current = source.get();
    }

    synchronized AwsCredentialsProvider current() {
        return current;
    }

    /** Looks for newer credentials, unless another request that was refused has done so. */
    synchronized void renew(AwsCredentialsProvider refused) {
        if (current == refused) {
            current = source.get();
        }
    }

    @Override
    public AwsCredentials resolveCredentials() {
        try {
            return current().resolveCredentials();
        } catch (SdkException e) {
            throw e;
        } catch (UncheckedIOException e) {
            throw SdkClientException.create(NONE
                    + (e.getCause() instanceof FileSystemException file ? file.getFile() + ": " : "")
                    + WritableDirectory.reason(Objects.requireNonNull(e.getCause())));
        } catch (RuntimeException e) { // a setting is missing or wrong
            throw SdkClientException.create(NONE + e.getMessage());
        }
    }
}
