package io.overdrive.stores;

import java.net.URI;
import java.util.List;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import org.gaul.s3proxy.nio2blob.TransientNio2BlobStore;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.MultipartUpload;

/** An S3 server in this process, whose objects are in memory. */
public final class S3Server implements AutoCloseable {
    public static final String ACCESS_KEY = "access";
    public static final String SECRET_KEY = "secret";

    private final S3Proxy server;
    private final int port;

    private S3Server(S3Proxy server, int port) {
        this.server = server;
        this.port = port;
    }

    public static S3Server start() throws Exception {
        return start(AuthenticationType.AWS_V2_OR_V4);
    }

    static S3Server withoutSignatures() throws Exception {
        return start(AuthenticationType.NONE);
    }

    private static S3Server start(AuthenticationType type) throws Exception {
        S3Proxy.Builder builder = S3Proxy.builder()
                .endpoint(URI.create("http://127.0.0.1:0"))
                .awsAuthentication(type, ACCESS_KEY, SECRET_KEY)
                .blobStore(new TransientNio2BlobStore());
        S3Proxy server = builder.build();
        server.start();
        return new S3Server(server, server.getPort());
    }

    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + port);
    }

    public void createBucket(String name) {
        try (S3Client client = client(endpoint())) {
            client.createBucket(request -> request.bucket(name));
        }
    }

    /** Begins to upload an object, as another program does. */
    public void beginUpload(String bucket, String key) {
        try (S3Client client = client(endpoint())) {
            client.createMultipartUpload(request -> request.bucket(bucket).key(key));
        }
    }

    /** The keys of objects whose upload has begun, and has not ended. */
    public List<String> uploads(String bucket) {
        try (S3Client client = client(endpoint())) {
            return client.listMultipartUploads(request -> request.bucket(bucket)).uploads().stream()
                    .map(MultipartUpload::key)
                    .toList();
        }
    }

    /**
     * A client of the tests, which retries by itself. It has another name for the server than the store that is tested, and keeps no
     * connection: Java keeps idle connections of all clients by the name, and those on which the server has refused a request are closed
     * by it soon after.
     */
    static S3Client client(URI endpoint) {
        return S3Client.builder()
                .endpointOverride(URI.create(endpoint.toString().replace("//127.0.0.1:", "//localhost:")))
                .region(Region.US_EAST_1)
                .forcePathStyle(true)
                .credentialsProvider(
                        StaticCredentialsProvider.create(AwsBasicCredentials.create(ACCESS_KEY, SECRET_KEY)))
                .overrideConfiguration(override -> override.putHeader("Connection", "close"))
                .build();
    }

    @Override
    public void close() throws Exception {
        server.stop();
    }
}
