package io.overdrive.stores;

import io.overdrive.internal.disk.BlockStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Requests over HTTP, for stores that need no library. Thread-safe. */
final class Http {
    static final int OK = 200;
    static final int PARTIAL = 206;
    static final int UNAUTHORIZED = 401;
    static final int FORBIDDEN = 403;
    static final int NOT_FOUND = 404;
    static final int GONE = 410;
    static final int PRECONDITION_FAILED = 412;
    static final int RANGE_NOT_SATISFIABLE = 416;
    private static final int MULTIPLE_CHOICES = 300;

    /** Answers of a server that may give another one to the same request. */
    static final Set<Integer> PASSING = Set.of(408, 429, 500, 502, 503, 504);

    static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(60);
    private static final String UNRESERVED = "-._~";
    private static final int MAX_ERROR_BYTES = 64 << 10;

    /** A slower upload does not end in time. */
    private static final int MIN_BYTES_PER_SECOND = 64 << 10;

    /** Ends reads that wait for too long; the client itself has a timeout for the beginning of an answer only. */
    private static final ScheduledExecutorService WATCH = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "overdrive-http-watch");
        thread.setDaemon(true);
        return thread;
    });

    private final HttpClient client;
    private final BackOff backOff;

    /** A client for a store, whose requests are not redirected. */
    Http(BackOff backOff) {
        this(backOff, HttpClient.Redirect.NEVER);
    }

    private Http(BackOff backOff, HttpClient.Redirect redirects) {
        this.backOff = backOff;
        client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(redirects)
                .connectTimeout(CONNECT_TIMEOUT)
                .proxy(new Proxies(System.getenv()))
                .build();
    }

    /** A client for web servers, which may refer to other ones. */
    static Http following(BackOff backOff) {
        return new Http(backOff, HttpClient.Redirect.NORMAL);
    }

    static HttpRequest.Builder request(String url) {
        return HttpRequest.newBuilder(URI.create(url)).timeout(ANSWER_TIMEOUT);
    }

    /** The header for a part of an object. */
    static String range(long from, long count) {
        return "bytes=" + from + "-" + (from + count - 1);
    }

    /** @param plain characters that stay as they are, besides letters, digits and those that are never quoted */
    static String quoted(String text, String plain) {
        StringBuilder quoted = new StringBuilder();
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (each & 0xFF);
            boolean isPlain =
                    c < 0x80 && (Character.isLetterOrDigit(c) || UNRESERVED.indexOf(c) >= 0 || plain.indexOf(c) >= 0);
            quoted.append(isPlain ? String.valueOf(c) : String.format("%%%02X", (int) c));
        }
        return quoted.toString();
    }

    BackOff backOff() {
        return backOff;
    }

    /** Runs what sends a request until it succeeds, or no other try can help. */
    <T> T retried(String name, Retries.Try<T> request) throws IOException {
        return Retries.of(name, backOff, request);
    }

    /** As {@link #send(HttpRequest.Builder, Credentials)}, without a signature. */
    HttpResponse<InputStream> send(HttpRequest.Builder request) throws IOException {
        return checked(sendOnce(request.build()));
    }

    /**
     * Sends a request once, or twice if the store refuses credentials that are renewed then.
     *
     * @return the answer, which is to be closed; of a status that a retry may change, none
     */
    HttpResponse<InputStream> send(HttpRequest.Builder request, Credentials credentials) throws IOException {
        HttpRequest plain = request.build();
        HttpRequest signed = credentials.sign(plain);
        HttpResponse<InputStream> answer = sendOnce(signed);
        if (answer.statusCode() == UNAUTHORIZED && credentials.renew(signed)) {
            answer.body().close();
            answer = sendOnce(credentials.sign(plain));
        }
        return checked(answer);
    }

    HttpResponse<InputStream> sendOnce(HttpRequest request) throws IOException {
        try {
            return client.send(timed(request), HttpResponse.BodyHandlers.ofInputStream());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        } catch (IllegalArgumentException e) {
            // its message has the URL, which may be a signed one
            throw new FileSystemException(
                    request.uri().getHost(), null, "the server refers to another one by an invalid URL");
        } catch (ConnectException e) {
            throw noConnection(request.uri().getHost(), e);
        } catch (IOException e) {
            throw e.getMessage() == null ? new IOException(e.getClass().getSimpleName(), e) : e;
        }
    }

    /** The timeout of a request counts from its beginning, so a body has its own time. */
    private static HttpRequest timed(HttpRequest request) {
        long bytes = request.bodyPublisher()
                .map(HttpRequest.BodyPublisher::contentLength)
                .orElse(0L);
        return bytes < MIN_BYTES_PER_SECOND
                ? request
                : HttpRequest.newBuilder(request, (name, value) -> true)
                        .timeout(timeout(bytes))
                        .build();
    }

    /** The timeout of a request with a body of this size. */
    static Duration timeout(long bytes) {
        return ANSWER_TIMEOUT.plusSeconds(bytes / MIN_BYTES_PER_SECOND);
    }

    /** The failure to connect, which has no message; no retry helps if the host does not exist. */
    private static IOException noConnection(String host, ConnectException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnresolvedAddressException) {
                FileSystemException unknown = new FileSystemException(host, null, "there is no host " + host);
                unknown.initCause(e);
                return unknown;
            }
        }
        return new IOException("no connection to " + host, e);
    }

    private static HttpResponse<InputStream> checked(HttpResponse<InputStream> answer) throws IOException {
        if (PASSING.contains(answer.statusCode())) {
            throw new PassingException(
                    "status " + answer.statusCode() + code(text(answer)),
                    retryAfter(header(answer, "Retry-After"), header(answer, "Date")),
                    /* cause */ null);
        }
        return answer;
    }

    /**
     * How long a server wants no request.
     *
     * @param after the header Retry-After: seconds or a date
     * @param now the time of the answer
     * @return zero if it does not say, or nothing that can be read
     */
    static Duration retryAfter(@Nullable String after, @Nullable String now) {
        if (after == null) {
            return Duration.ZERO;
        } else if (after.trim().matches("[0-9]{1,9}")) {
            return Duration.ofSeconds(Long.parseLong(after.trim()));
        }
        try {
            Duration until = now == null
                    ? Duration.ZERO
                    : Duration.between(
                            ZonedDateTime.parse(now, DateTimeFormatter.RFC_1123_DATE_TIME),
                            ZonedDateTime.parse(after.trim(), DateTimeFormatter.RFC_1123_DATE_TIME));
            return until.isNegative() ? Duration.ZERO : until;
        } catch (DateTimeException e) {
            return Duration.ZERO;
        }
    }

    /**
     * The failure that an answer means.
     *
     * @param reason of the store; empty for none
     * @param advice for a refusal
     */
    static IOException failure(String name, int status, String reason, String advice) {
        String said = "status " + status + (reason.isEmpty() ? "" : ": " + reason);
        return switch (status) {
            case NOT_FOUND, GONE -> new NoSuchFileException(name);
            case UNAUTHORIZED, FORBIDDEN -> new AccessDeniedException(name, null, said + "; " + advice);
            case PRECONDITION_FAILED, RANGE_NOT_SATISFIABLE -> new ChangedObjectException(name);
            default -> new FileSystemException(name, null, said);
        };
    }

    static boolean isDone(HttpResponse<?> answer) {
        return answer.statusCode() >= OK && answer.statusCode() < MULTIPLE_CHOICES;
    }

    /** The part of an object that an answer has, which a broken cache may have taken from another place. */
    static InputStream part(HttpResponse<InputStream> answer, long from) throws IOException {
        String range = header(answer, "Content-Range");
        if (range != null && !range.startsWith("bytes " + from + "-")) {
            answer.body().close();
            throw new IOException("the server sent " + range + " for the part from byte " + from);
        }
        return new Body(answer.body());
    }

    /** The beginning of the body, which is closed. */
    static String text(HttpResponse<InputStream> answer) {
        try (InputStream body = new Body(answer.body())) {
            return new String(body.readNBytes(MAX_ERROR_BYTES), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    /** The code of an error as stores send them in XML, after a space. */
    private static String code(String error) {
        int at = error.indexOf("<Code>");
        int end = error.indexOf("</Code>");
        return at < 0 || end < at ? "" : " " + error.substring(at + "<Code>".length(), end);
    }

    /** The body of an answer. A read that gets nothing for too long fails. Used by one thread at a time. */
    static final class Body extends BlockStream {
        private static final long CHECK_SECONDS = 15;

        private final ScheduledFuture<?> check;
        private volatile boolean isReading;
        private volatile boolean hasWaited;
        /** Checks that have seen the same read. */
        private volatile int waited;

        Body(InputStream in) {
            super(in);
            check = WATCH.scheduleWithFixedDelay(this::check, CHECK_SECONDS, CHECK_SECONDS, TimeUnit.SECONDS);
        }

        @SuppressWarnings("NonAtomicVolatileUpdate") // a read that begins meanwhile has its time, or a little less
        private void check() {
            if (!isReading) {
                waited = 0;
            } else if (++waited > ANSWER_TIMEOUT.toSeconds() / CHECK_SECONDS) {
                hasWaited = true;
                try {
                    in.close();
                } catch (IOException e) {
                    // the read fails in any case
                }
            }
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            waited = 0;
            isReading = true;
            try {
                int read = in.read(bytes, offset, length);
                if (hasWaited) {
                    throw new IOException("nothing was sent for " + ANSWER_TIMEOUT.toSeconds() + " seconds");
                }
                return read;
            } finally {
                isReading = false;
            }
        }

        @Override
        public void close() throws IOException {
            check.cancel(/* mayInterruptIfRunning */ false);
            in.close();
        }
    }

    /** The value of a header; null without. */
    static @Nullable String header(HttpResponse<?> answer, String name) {
        return answer.headers().firstValue(name).orElse(null);
    }
}
