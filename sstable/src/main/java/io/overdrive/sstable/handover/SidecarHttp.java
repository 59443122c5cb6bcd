package io.overdrive.sstable.handover;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.internal.request.Backoff;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends requests to Cassandra Sidecars, again while they may yet succeed, and reads their answers. Confined to one thread.
 *
 * <p>Sidecar may answer that it does not take a file before it has read all of it, and then reads no more from that connection. The JDK
 * reads an answer only when the file is sent, and would use the connection again. So an upload of which nothing is taken for a while is
 * ended, and no connection is used again on which a file was refused.
 */
final class SidecarHttp {
    /** Waits between two requests. */
    interface Pause {
        void millis(long millis) throws InterruptedException;
    }

    /** An answer other than the one that was hoped for. */
    static final class StatusException extends IOException {
        private static final long serialVersionUID = 1;

        StatusException(URI uri, int status, String message) {
            super(uri + " answers " + status + (message.isEmpty() ? "" : ": " + message));
        }
    }

    /** An answer of any status; its body is usually a JSON object. */
    record Answer(int status, String body) {
        /** Sidecar's message about a failure. */
        String message() {
            String message = field("message");
            return message.isEmpty() ? field("status") : message;
        }

        /** A field of the object; empty if the object does not have it, or the body is no object. */
        String field(String name) {
            try (JsonParser json = new JsonFactory().createParser(body)) {
                if (json.nextToken() == JsonToken.START_OBJECT) {
                    while (json.nextToken() == JsonToken.FIELD_NAME) {
                        String field = json.currentName();
                        JsonToken value = json.nextToken();
                        if (field.equals(name)) {
                            return value.isScalarValue() && value != JsonToken.VALUE_NULL ? json.getText() : "";
                        }
                        json.skipChildren();
                    }
                }
            } catch (IOException e) {
                LOG.debug("not JSON: {}", body, e);
            }
            return "";
        }
    }

    /** A file as the body of a request, whose progress can be seen. Thread-safe. */
    private static final class FileBody implements BodyPublisher {
        private final BodyPublisher file;
        private volatile long takenNanos;
        private volatile boolean isSent;

        FileBody(BodyPublisher file) {
            this.file = file;
        }

        void begin() {
            isSent = false;
            takenNanos = System.nanoTime();
        }

        /** Whether the file is not sent yet, and nothing was taken of it for so long. */
        boolean isStalled(long millis) {
            return !isSent && System.nanoTime() - takenNanos > TimeUnit.MILLISECONDS.toNanos(millis);
        }

        @Override
        public long contentLength() {
            return file.contentLength();
        }

        @Override
        public void subscribe(Flow.Subscriber<? super ByteBuffer> connection) {
            file.subscribe(new Flow.Subscriber<>() {
                @Override
                public void onSubscribe(Flow.Subscription subscription) {
                    connection.onSubscribe(subscription);
                }

                @Override
                public void onNext(ByteBuffer piece) {
                    takenNanos = System.nanoTime();
                    connection.onNext(piece);
                }

                @Override
                public void onError(Throwable failure) {
                    connection.onError(failure);
                }

                @Override
                public void onComplete() {
                    isSent = true;
                    connection.onComplete();
                }
            });
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(SidecarHttp.class);

    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int MAX_TRIES = 10;
    private static final Backoff BACKOFF = new Backoff(10_000);
    private static final long MAX_RETRY_AFTER_MILLIS = 60_000;
    private static final int MAX_ANSWER_BYTES = 64 << 10;
    private static final long LOOK_MILLIS = 100;

    private final @Nullable SSLContext tls;
    private final Pause pause;
    private final LongSupplier stallMillis;
    private HttpClient client;

    /**
     * @param tls for https; null for the JDK's
     * @param stallMillis after which an upload is ended of which nothing is taken, and an answer whose rest does not come
     */
    SidecarHttp(@Nullable SSLContext tls, Pause pause, LongSupplier stallMillis) {
        this.tls = tls;
        this.pause = pause;
        this.stallMillis = stallMillis;
        client = client(tls);
    }

    private static HttpClient client(@Nullable SSLContext tls) {
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(15));
        if (tls != null) {
            builder.sslContext(tls);
        }
        return builder.build();
    }

    static HttpRequest request(URI uri, String method) {
        return HttpRequest.newBuilder(uri)
                .method(method, BodyPublishers.noBody())
                .timeout(TIMEOUT)
                .build();
    }

    /** A request to upload a file, which must not change before the answer. */
    static HttpRequest.Builder upload(URI uri, Path file) throws IOException {
        return HttpRequest.newBuilder(uri).PUT(new FileBody(BodyPublishers.ofFile(file)));
    }

    /** Sends a request once. */
    Answer sendOnce(HttpRequest request) throws IOException, InterruptedException {
        return read(exchange(request));
    }

    /**
     * Sends a request, again if its connection fails.
     *
     * @param again statuses after which it is sent again, too
     * @return the last answer, of any status
     */
    Answer send(HttpRequest request, Set<Integer> again) throws IOException, InterruptedException {
        for (int tries = 1; ; tries++) {
            long millis = pauseMillis(tries);
            try {
                HttpResponse<InputStream> response = exchange(request);
                Answer answer = read(response);
                if (!again.contains(answer.status()) || tries == MAX_TRIES) {
                    return answer;
                }
                long after = retryAfterMillis(response);
                millis = after >= 0 ? after : millis;
                LOG.debug("{} answers {}; again in {} ms", request.uri(), answer.status(), millis);
            } catch (IOException e) {
                // certificates do not change with time, and a timeout is long enough
                int maxTries =
                        e instanceof SSLHandshakeException ? 1 : e instanceof HttpTimeoutException ? 2 : MAX_TRIES;
                if (tries >= maxTries) {
                    throw new IOException(request.uri() + ": " + reason(e), e);
                }
                LOG.debug("{}: {}; again in {} ms", request.uri(), e, millis);
            }
            pause.millis(millis);
        }
    }

    /** Waits before the next try, or before Sidecar is asked again. */
    void pause(int tries) throws InterruptedException {
        pause.millis(pauseMillis(tries));
    }

    private static long pauseMillis(int tries) {
        return BACKOFF.pauseMillis(tries, ThreadLocalRandom.current());
    }

    private HttpResponse<InputStream> exchange(HttpRequest request) throws IOException, InterruptedException {
        if (!(request.bodyPublisher().orElse(null) instanceof FileBody file)) {
            return client.send(request, BodyHandlers.ofInputStream());
        }
        HttpResponse<InputStream> response = exchange(request, file);
        if (response.statusCode() >= 400) {
            client = client(tls);
        }
        return response;
    }

    private HttpResponse<InputStream> exchange(HttpRequest request, FileBody file)
            throws IOException, InterruptedException {
        file.begin();
        CompletableFuture<HttpResponse<InputStream>> response = client.sendAsync(request, BodyHandlers.ofInputStream());
        try {
            while (true) {
                try {
                    return response.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
                } catch (TimeoutException e) {
                    if (file.isStalled(stallMillis.getAsLong())) {
                        throw new IOException(
                                "it has taken no more of the file for " + stallMillis.getAsLong() / 1000
                                        + " s, as a Sidecar that is busy or out of space; its log says why",
                                e);
                    }
                }
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
        } finally {
            response.cancel(/* mayInterruptIfRunning */ true);
        }
    }

    /** The timeout of a request ends when the head of its answer is there; the rest of it may never come. */
    private Answer read(HttpResponse<InputStream> response) throws IOException {
        try (InputStream body = response.body()) {
            long millis = stallMillis.getAsLong();
            AtomicBoolean isLate = new AtomicBoolean();
            CompletableFuture<Void> timeout = CompletableFuture.runAsync(
                    () -> {
                        isLate.set(true);
                        end(body);
                    },
                    CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS));
            byte[] bytes = {};
            IOException failure = null;
            try {
                bytes = body.readNBytes(MAX_ANSWER_BYTES);
            } catch (IOException e) {
                failure = e;
            }
            timeout.cancel(/* mayInterruptIfRunning */ false);
            if (isLate.get()) {
                throw new HttpTimeoutException("the rest of its answer has not come within " + millis / 1000 + " s");
            } else if (failure != null) {
                throw failure;
            }
            return new Answer(response.statusCode(), new String(bytes, StandardCharsets.UTF_8));
        }
    }

    private static void end(InputStream body) {
        try {
            body.close();
        } catch (IOException e) {
            LOG.debug("an answer cannot be closed", e);
        }
    }

    /** Negative if the answer does not say it in seconds. */
    private static long retryAfterMillis(HttpResponse<?> response) {
        String seconds = response.headers().firstValue("Retry-After").orElse("").strip();
        return seconds.matches("\\d{1,9}") ? Math.min(MAX_RETRY_AFTER_MILLIS, 1000 * Long.parseLong(seconds)) : -1;
    }

    static String reason(IOException e) {
        return e.getMessage() != null
                ? e.getMessage()
                : e instanceof ConnectException ? "no connection" : String.valueOf(e);
    }
}
