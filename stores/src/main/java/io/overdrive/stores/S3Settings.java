package io.overdrive.stores;

import java.net.URI;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.ContainerCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;
import software.amazon.awssdk.auth.credentials.WebIdentityTokenFileCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.SdkSystemSetting;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.profiles.ProfileFile;
import software.amazon.awssdk.profiles.ProfileFileSystemSetting;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.utils.SystemSetting;

/**
 * How S3 is reached. Immutable.
 *
 * @param endpoint of a store that is not Amazon's; null for Amazon's, or one that a profile names
 * @param region null for the one that the environment, a profile or the instance names
 * @param pathStyle whether the name of the bucket is in the path instead of the name of the host
 * @param requesterPays whether the account of the credentials pays for requests, as the owner of a bucket may demand
 */
record S3Settings(
        @Nullable URI endpoint,
        @Nullable Region region,
        boolean pathStyle,
        boolean requesterPays,
        AwsCredentialsProvider credentials,
        BackOff backOff) {
    /**
     * Variables that name where credentials are, in the sequence of the usual chain. If it finds none, requests without a signature would hide
     * why, and the failure of the chain is a list of all places.
     */
    private static final Map<SystemSetting, Supplier<AwsCredentialsProvider>> SOURCES = sources();

    private static Map<SystemSetting, Supplier<AwsCredentialsProvider>> sources() {
        Map<SystemSetting, Supplier<AwsCredentialsProvider>> sources = new LinkedHashMap<>();
        sources.put(
                SdkSystemSetting.AWS_WEB_IDENTITY_TOKEN_FILE,
                () -> WebIdentityTokenFileCredentialsProvider.builder().build());
        sources.put(ProfileFileSystemSetting.AWS_PROFILE, () -> ProfileCredentialsProvider.builder()
                .build());
        Supplier<AwsCredentialsProvider> container =
                () -> ContainerCredentialsProvider.builder().build();
        sources.put(SdkSystemSetting.AWS_CONTAINER_CREDENTIALS_FULL_URI, container);
        sources.put(SdkSystemSetting.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI, container);
        return sources;
    }

    /** The settings of the AWS command line; a store of one's own is reached by paths unless OVERDRIVE_S3_PATH_STYLE is false. */
    static S3Settings ofEnvironment() {
        String endpoint = firstGiven(
                System.getProperty("aws.endpointUrlS3"),
                System.getenv("AWS_ENDPOINT_URL_S3"),
                System.getProperty("aws.endpointUrl"),
                System.getenv("AWS_ENDPOINT_URL"),
                ofProfile("endpoint_url"));
        boolean isGiven = endpoint != null;
        String style = System.getenv("OVERDRIVE_S3_PATH_STYLE");
        boolean pathStyle = style == null || style.isBlank() ? isGiven : Boolean.parseBoolean(style);
        boolean pays = Boolean.parseBoolean(System.getenv("OVERDRIVE_S3_REQUESTER_PAYS"));
        return new S3Settings(isGiven ? URI.create(endpoint) : null, null, pathStyle, pays, found(), BackOff.USUAL);
    }

    private static @Nullable String firstGiven(@Nullable String... values) {
        return Arrays.stream(values)
                .filter(value -> value != null && !value.isBlank())
                .findFirst()
                .orElse(null);
    }

    private static @Nullable String ofProfile(String property) {
        return ProfileFile.defaultProfileFile()
                .profile(ProfileFileSystemSetting.AWS_PROFILE.getStringValueOrThrow())
                .flatMap(profile -> profile.property(property))
                .orElse(null);
    }

    S3Client client() {
        S3ClientBuilder builder = S3Client.builder()
                .httpClientBuilder(UrlConnectionHttpClient.builder()
                        .connectionTimeout(Http.CONNECT_TIMEOUT)
                        .socketTimeout(Http.ANSWER_TIMEOUT))
                // S3Store retries, as other stores do
                .overrideConfiguration(override -> {
                    override.retryStrategy(AwsRetryStrategy.doNotRetry());
                    if (requesterPays) {
                        override.putHeader("x-amz-request-payer", "requester");
                    }
                })
                .region(foundRegion())
                .crossRegionAccessEnabled(endpoint == null)
                .forcePathStyle(pathStyle)
                .credentialsProvider(credentials);
        if (endpoint != null) {
            // other stores do not know the newer checksums
            builder.endpointOverride(endpoint)
                    .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                    .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED);
        }
        return builder.build();
    }

    private Region foundRegion() {
        if (region != null) {
            return region;
        }
        try {
            return DefaultAwsRegionProviderChain.builder().build().getRegion();
        } catch (SdkClientException e) {
            return Region.US_EAST_1; // which knows the regions of all buckets
        }
    }

    /** The credentials of the usual chain; none if it finds none, as public buckets need none. */
    private static AwsCredentialsProvider found() {
        AwsCredentialsProvider usual = new RenewedCredentials(
                () -> DefaultCredentialsProvider.builder().build());
        try {
            usual.resolveCredentials();
            return usual;
        } catch (SdkClientException e) {
            return named();
        }
    }

    /** The credentials of the place that a variable names, whose failure says what is wrong there; none if no variable does. */
    private static AwsCredentialsProvider named() {
        for (Map.Entry<SystemSetting, Supplier<AwsCredentialsProvider>> each : SOURCES.entrySet()) {
            if (each.getKey().getStringValue().filter(value -> !value.isBlank()).isPresent()) {
                return new RenewedCredentials(each.getValue());
            }
        }
        return AnonymousCredentialsProvider.create();
    }

    /** A sentence for a refusal. */
    String advice() {
        return credentials instanceof AnonymousCredentialsProvider
                ? "no credentials were found, so the request was not signed: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and"
                        + " AWS_SECRET_ACCESS_KEY"
                : "the credentials have no such right, or have expired; without s3:ListBucket, a missing object has the"
                        + " same answer";
    }
}
