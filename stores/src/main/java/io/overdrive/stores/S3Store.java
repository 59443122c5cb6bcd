package io.overdrive.stores;

import io.overdrive.internal.disk.BlockStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.UnknownHostException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedMultipartUpload;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.EncodingType;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.NoSuchBucketException;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/** Amazon S3, and what has its interface. */
final class S3Store implements ObjectStore {
    private static final int BAD_REQUEST = 400;
    private static final int UNAVAILABLE = 503;

    /** Answers to a request that was sent to, or signed for, another region than the bucket's. */
    private static final Set<Integer> WRONG_REGION = Set.of(301, 307, BAD_REQUEST);

    /** Answers of a server that refers to another one. */
    private static final Set<Integer> REDIRECTS = Set.of(301, 307);

    /** The limit of S3 is 10,000. */
    private static final int MAX_PARTS = 9_000;

    /** Errors that a status does not show. */
    private static final Set<String> PASSING_CODES = Set.of(
            "ConditionalRequestConflict",
            "InternalError",
            "OperationAborted",
            "PriorRequestNotComplete",
            "RequestTimeout");

    private final S3Client client;
    private final S3Settings settings;
    private final Parts parts = new Parts();

    S3Store(S3Settings settings) {
        this.settings = settings;
        client = settings.client();
    }

    @Override
    public BackOff backOff() {
        return settings.backOff();
    }

    /** The answer to a request that is sent until it succeeds, or no other try can help. */
    private <T> T sent(String bucket, String key, Supplier<T> request) throws IOException {
        return Retries.of(name(bucket, key), settings.backOff(), () -> sentOnce(bucket, key, request));
    }

    /** The answer to a request; one whose credentials have expired meanwhile is sent again with newer ones. */
    private <T> T sentOnce(String bucket, String key, Supplier<T> request) throws IOException {
        RenewedCredentials renewed = settings.credentials() instanceof RenewedCredentials known ? known : null;
        AwsCredentialsProvider used = renewed == null ? settings.credentials() : renewed.current();
        try {
            try {
                return request.get();
            } catch (S3Exception e) {
                if (hasExpired(e) && renewed != null) {
                    renewed.renew(used);
                    return request.get();
                }
                throw e;
            }
        } catch (SdkException e) {
            throw failure(bucket, key, e);
        }
    }

    private static boolean hasExpired(S3Exception e) {
        String code = e.awsErrorDetails() == null ? null : e.awsErrorDetails().errorCode();
        // the answer to a HEAD has only a status
        return code == null ? e.statusCode() == BAD_REQUEST : code.startsWith("ExpiredToken");
    }

    @Override
    public @Nullable ObjectAttributes find(String bucket, String key) throws IOException {
        try {
            HeadObjectResponse head = sent(
                    bucket,
                    key,
                    () -> client.headObject(request -> request.bucket(bucket).key(key)));
            if (head.contentLength() == null) {
                throw new FileSystemException(name(bucket, key), null, "the answer has no size of the object");
            }
            return attributes(head.contentLength(), head.lastModified(), head.eTag());
        } catch (NoSuchFileException e) {
            return null; // or there is no such bucket, as the listing that follows says
        }
    }

    private static ObjectAttributes attributes(Long size, @Nullable Instant modified, @Nullable String version) {
        return ObjectAttributes.of(
                size, FileTime.from(modified == null ? Instant.EPOCH : modified), version == null ? "" : version);
    }

    @Override
    public Items list(String bucket, String prefix, boolean enters, @Nullable String from, int limit)
            throws IOException {
        ListObjectsV2Response part = sent(
                bucket,
                prefix,
                () -> client.listObjectsV2(request -> request.bucket(bucket)
                        .prefix(prefix)
                        .delimiter(enters ? null : "/")
                        .continuationToken(from)
                        .encodingType(EncodingType.URL) // as XML has not all characters
                        .maxKeys(limit)));
        String next = part.nextContinuationToken();
        if (Boolean.TRUE.equals(part.isTruncated()) && next == null) {
            throw new FileSystemException(
                    name(bucket, prefix),
                    null,
                    "there are more objects than the answer to ListObjectsV2 has, and it does not say how to go to them: the"
                            + " server does not know this request");
        }
        List<Item> objects = new ArrayList<>();
        for (S3Object each : part.contents()) {
            objects.add(new Item(each.key(), attributes(each.size(), each.lastModified(), each.eTag())));
        }
        List<String> directories = new ArrayList<>();
        part.commonPrefixes().forEach(each -> directories.add(each.prefix()));
        return new Items(objects, directories, next);
    }

    @Override
    public InputStream read(String bucket, String key, long from, long count, String version) throws IOException {
        ResponseInputStream<GetObjectResponse> body = sentOnce(
                bucket,
                key,
                () -> client.getObject(request -> request.bucket(bucket)
                        .key(key)
                        .range(Http.range(from, count))
                        .ifMatch(version.isEmpty() ? null : version)));
        try {
            check(bucket, key, from, version, body.response());
        } catch (IOException e) {
            body.abort();
            throw e;
        }
        return new Body(body, count);
    }

    /** Not each server knows conditions and parts, or a cache before it does not. */
    private static void check(String bucket, String key, long from, String version, GetObjectResponse answer)
            throws IOException {
        String found = answer.eTag();
        if (found != null && !version.isEmpty() && !bare(found).equals(bare(version))) {
            throw new ChangedObjectException(name(bucket, key));
        }
        String range = answer.contentRange();
        if (range == null ? from > 0 : !range.startsWith("bytes " + from + "-")) {
            throw new IOException("the server sent " + (range == null ? "all of the object" : range)
                    + " for the part from byte " + from);
        }
    }

    /** A version without quotes and without the mark of a proxy that compresses, which not all answers have. */
    private static String bare(String version) {
        return (version.startsWith("W/") ? version.substring(2) : version).replace("\"", "");
    }

    /** A response. If not all of it was read, its connection is closed, as reading the rest may take long. Used by one thread at a time. */
    private static final class Body extends BlockStream {
        private final ResponseInputStream<GetObjectResponse> response;
        private long left;

        Body(ResponseInputStream<GetObjectResponse> response, long length) {
            super(response);
            this.response = response;
            left = length;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            try {
                int read = in.read(bytes, offset, length);
                left -= Math.max(0, read);
                return read;
            } catch (SdkException e) {
                throw new IOException(e.getMessage(), e); // a checksum that differs, for example
            }
        }

        @Override
        public void close() throws IOException {
            if (left > 0) {
                response.abort();
            } else {
                in.close();
            }
        }
    }

    @Override
    public String write(String bucket, String key, Path from, long size) throws IOException {
        String version = size <= Parts.BYTES
                ? sent(
                                bucket,
                                key,
                                () -> client.putObject(
                                        request -> request.bucket(bucket)
                                                .key(key)
                                                .overrideConfiguration(
                                                        each -> each.apiCallAttemptTimeout(Http.timeout(size))),
                                        body(from, 0, size)))
                        .eTag()
                : writeParts(bucket, key, from, size);
        return version == null ? "" : version;
    }

    private @Nullable String writeParts(String bucket, String key, Path file, long size) throws IOException {
        String upload = sent(
                        bucket,
                        key,
                        () -> client.createMultipartUpload(
                                request -> request.bucket(bucket).key(key)))
                .uploadId();
        boolean complete = false;
        try {
            List<CompletedPart> done = parts.all(
                    size,
                    MAX_PARTS,
                    (number, from, count) -> part(bucket, key, upload, number, count, body(file, from, count)));
            String version = sent(
                            bucket,
                            key,
                            () -> client.completeMultipartUpload(request -> request.bucket(bucket)
                                    .key(key)
                                    .uploadId(upload)
                                    .multipartUpload(CompletedMultipartUpload.builder()
                                            .parts(done)
                                            .build())))
                    .eTag();
            complete = true;
            return version;
        } finally {
            if (!complete) {
                abort(bucket, key, upload);
            }
        }
    }

    private CompletedPart part(String bucket, String key, String upload, int number, long size, RequestBody body)
            throws IOException {
        String version = sent(
                        bucket,
                        key,
                        () -> client.uploadPart(
                                request -> request.bucket(bucket)
                                        .key(key)
                                        .uploadId(upload)
                                        .partNumber(number)
                                        .overrideConfiguration(each -> each.apiCallAttemptTimeout(Http.timeout(size))),
                                body))
                .eTag();
        return CompletedPart.builder().partNumber(number).eTag(version).build();
    }

    @Override
    public void discardUploads(String bucket, String prefix, Set<String> keys) throws IOException {
        @Nullable String key = null;
        @Nullable String upload = null;
        do {
            ListMultipartUploadsResponse part = uploads(bucket, prefix, key, upload);
            for (MultipartUpload each : part.uploads()) {
                if (keys.contains(each.key())) {
                    abort(bucket, each.key(), each.uploadId());
                }
            }
            boolean isLast = !Boolean.TRUE.equals(part.isTruncated());
            key = isLast ? null : part.nextKeyMarker();
            upload = isLast ? null : part.nextUploadIdMarker();
        } while (key != null);
    }

    /** Uploads after the one with this key and number. */
    private ListMultipartUploadsResponse uploads(
            String bucket, String prefix, @Nullable String key, @Nullable String upload) throws IOException {
        return sent(
                bucket,
                prefix,
                () -> client.listMultipartUploads(request -> request.bucket(bucket)
                        .prefix(prefix)
                        .keyMarker(key)
                        .uploadIdMarker(upload)
                        .encodingType(EncodingType.URL)));
    }

    private void abort(String bucket, String key, String upload) {
        try {
            client.abortMultipartUpload(
                    request -> request.bucket(bucket).key(key).uploadId(upload));
        } catch (SdkException e) {
            // the failure before it is the one to report
        }
    }

    /** A part of a file, which is read again for each try. */
    private static RequestBody body(Path file, long from, long count) {
        return RequestBody.fromContentProvider(
                () -> {
                    try {
                        return FilePart.open(file, from, count);
                    } catch (IOException e) {
                        throw SdkException.create(file + ": cannot be read: " + e.getMessage(), e);
                    }
                },
                count,
                "application/octet-stream");
    }

    @Override
    public void create(String bucket, String key, byte[] content) throws IOException {
        try {
            sent(
                    bucket,
                    key,
                    () -> client.putObject(
                            request -> request.bucket(bucket).key(key).ifNoneMatch("*"),
                            RequestBody.fromBytes(content)));
        } catch (ChangedObjectException e) {
            if (!Arrays.equals(content, content(bucket, key))) {
                throw new FileAlreadyExistsException(name(bucket, key));
            }
            // by a try whose answer was lost
        }
    }

    private byte[] content(String bucket, String key) throws IOException {
        return sent(
                        bucket,
                        key,
                        () -> client.getObjectAsBytes(
                                request -> request.bucket(bucket).key(key)))
                .asByteArrayUnsafe();
    }

    @Override
    public void delete(String bucket, String key) throws IOException {
        sent(
                bucket,
                key,
                () -> client.deleteObject(request -> request.bucket(bucket).key(key)));
    }

    private static String name(String bucket, String key) {
        return "s3://" + bucket + "/" + key;
    }

    private IOException failure(String bucket, String key, SdkException e) {
        String name = name(bucket, key);
        IOException known;
        if (e instanceof NoSuchBucketException) {
            known = new FileSystemException(name, null, "there is no bucket " + bucket);
        } else if (e instanceof S3Exception s3 && s3.statusCode() == Http.NOT_FOUND) {
            known = new NoSuchFileException(name);
        } else if (e instanceof S3Exception s3 && region(s3) != null) {
            known = new FileSystemException(
                    name,
                    null,
                    "the bucket is in the region " + region(s3) + ", as the server says: set AWS_REGION=" + region(s3)
                            + ", and take the endpoint of that region, or none");
        } else if (e instanceof S3Exception s3 && REDIRECTS.contains(s3.statusCode())) {
            known = new FileSystemException(
                    name,
                    null,
                    reason(s3)
                            + "; the bucket is in another region, or has another endpoint, and the server does not say"
                            + " which: set AWS_REGION, and AWS_ENDPOINT_URL_S3 if it is no bucket of Amazon's");
        } else if (e instanceof S3Exception s3 && s3.statusCode() == Http.FORBIDDEN && !s3.isClockSkewException()) {
            known = new AccessDeniedException(name, null, reason(s3) + "; " + settings.advice());
        } else if (e instanceof S3Exception s3
                && (s3.statusCode() == Http.PRECONDITION_FAILED || s3.statusCode() == Http.RANGE_NOT_SATISFIABLE)) {
            known = new ChangedObjectException(name);
        } else if (!isPassing(e)) {
            known = new FileSystemException(name, null, e instanceof S3Exception s3 ? reason(s3) : message(e));
        } else if (e instanceof S3Exception s3) {
            return new PassingException(reason(s3), retryAfter(s3), e);
        } else {
            return new IOException(message(e), e);
        }
        known.initCause(e);
        return known;
    }

    /** The region of the bucket, if the request was for another one; null otherwise. */
    private @Nullable String region(S3Exception e) {
        if (!WRONG_REGION.contains(e.statusCode()) || e.awsErrorDetails() == null) {
            return null;
        }
        String own = client.serviceClientConfiguration().region().id();
        return e.awsErrorDetails()
                .sdkHttpResponse()
                .firstMatchingHeader("x-amz-bucket-region")
                .filter(each -> !each.equals(own))
                .orElse(null);
    }

    private static boolean isPassing(SdkException e) {
        if (e instanceof S3Exception s3) {
            String code =
                    s3.awsErrorDetails() == null ? null : s3.awsErrorDetails().errorCode();
            return Http.PASSING.contains(s3.statusCode())
                    || s3.isThrottlingException()
                    || s3.isClockSkewException()
                    || PASSING_CODES.contains(String.valueOf(code));
        }
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnknownHostException) {
                return false;
            } else if (cause instanceof IOException) {
                return true;
            }
        }
        return e.retryable();
    }

    private static Duration retryAfter(S3Exception e) {
        if (e.awsErrorDetails() == null) {
            return Duration.ZERO;
        }
        SdkHttpResponse answer = e.awsErrorDetails().sdkHttpResponse();
        return Http.retryAfter(
                answer.firstMatchingHeader("Retry-After").orElse(null),
                answer.firstMatchingHeader("Date").orElse(null));
    }

    /** A failure of the client, without the number of the try, which is always the first one. */
    private static String message(SdkException e) {
        return String.valueOf(e.getMessage()).replaceFirst(" ?\\(SDK Attempt Count: \\d+\\)$", "");
    }

    /** The code and the sentence of an answer, without the number of the request. */
    private static String reason(S3Exception e) {
        String message =
                e.awsErrorDetails() == null ? null : e.awsErrorDetails().errorMessage();
        String code = e.awsErrorDetails() == null ? null : e.awsErrorDetails().errorCode();
        // the answer to a HEAD has only a status
        String known = e.statusCode() == UNAVAILABLE ? "SlowDown" : null;
        String named = code == null ? known : code;
        return "status " + e.statusCode() + (named == null ? "" : " " + named)
                + (message == null || message.isEmpty() ? "" : ": " + message);
    }
}
