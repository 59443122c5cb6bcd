package io.overdrive.stores;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files of web servers. The name of a bucket is the beginning of the URL, to the host, and the query. Thread-safe.
 *
 * <p>A file is found by a request for its first byte, not by a HEAD, which a signed URL does not allow. The answer shows whether the server
 * sends parts of the file; if not, the file is read from its start to its end.
 */
final class HttpStore implements ObjectStore {
    private static final Logger LOG = LoggerFactory.getLogger(HttpStore.class);

    /** The part of a query that a run does not keep. */
    private static final String OMITTED = "?…";

    private static final String ALLOWED = ":/?[]@!$&'()*+,;=%";

    private final Http http;

    HttpStore(Http http) {
        this.http = http;
    }

    @Override
    public BackOff backOff() {
        return http.backOff();
    }

    @Override
    public @Nullable ObjectAttributes find(String bucket, String key) throws IOException {
        String name = name(bucket, key);
        Optional<ObjectAttributes> found = http.retried(name, () -> {
            HttpResponse<InputStream> answer = http.send(request(bucket, key).header("Range", "bytes=0-0"));
            try (InputStream body = answer.body()) {
                return Optional.ofNullable(found(name, bucket, answer));
            }
        });
        return found.orElse(null);
    }

    private @Nullable ObjectAttributes found(String name, String bucket, HttpResponse<InputStream> answer)
            throws IOException {
        int status = answer.statusCode();
        if (status == Http.NOT_FOUND || status == Http.GONE) {
            return null;
        }
        long size = totalBytes(answer);
        boolean isEmpty = status == Http.RANGE_NOT_SATISFIABLE && size == 0;
        if (status != Http.OK && !isEmpty) {
            check(name, bucket, answer, Http.PARTIAL);
        }
        if (!isEmpty && isPage(answer)) {
            throw new FileSystemException(
                    name,
                    null,
                    "the server answers with a page (text/html), perhaps of a directory or a login, and not with a file:"
                            + " name each file");
        }
        if (status != Http.OK && size >= 0) {
            return ObjectAttributes.of(size, modified(answer), version(answer));
        }
        if (Http.header(answer, "Content-Length") == null && Http.header(answer, "Transfer-Encoding") == null) {
            LOG.warn(
                    "{}: the server does not say where the file ends: if the connection is cut, the rest is missing"
                            + " without an error",
                    name);
        }
        return ObjectAttributes.stream(modified(answer), version(answer));
    }

    /** Whether it is a page, and not a table that the server takes for one. Reads the first byte. */
    private static boolean isPage(HttpResponse<InputStream> answer) throws IOException {
        String type = Objects.requireNonNullElse(Http.header(answer, "Content-Type"), "");
        if (!type.toLowerCase(Locale.ROOT).startsWith("text/html")) {
            return false;
        }
        int first = answer.body().read();
        return first == '<' || Character.isWhitespace(first);
    }

    /** The size that the answer to a request for a part has: {@code bytes 0-0/123}. Negative if it does not say. */
    private static long totalBytes(HttpResponse<?> answer) {
        String range = Objects.requireNonNullElse(Http.header(answer, "Content-Range"), "");
        String total = range.substring(range.indexOf('/') + 1).trim();
        return total.matches("[0-9]{1,18}") ? Long.parseLong(total) : -1;
    }

    private static FileTime modified(HttpResponse<?> answer) {
        String date = Http.header(answer, "Last-Modified");
        try {
            return FileTime.from(
                    date == null
                            ? Instant.EPOCH
                            : ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME)
                                    .toInstant());
        } catch (DateTimeException e) {
            return FileTime.from(Instant.EPOCH);
        }
    }

    /** The ETag or date that distinguishes the content from another one; empty without. */
    private static String version(HttpResponse<?> answer) {
        String tag = Http.header(answer, "ETag");
        return tag != null ? tag : Objects.requireNonNullElse(Http.header(answer, "Last-Modified"), "");
    }

    @Override
    public InputStream read(String bucket, String key, long from, long count, String version) throws IOException {
        String name = name(bucket, key);
        HttpRequest.Builder request = request(bucket, key);
        if (count >= 0) {
            request.header("Range", Http.range(from, count));
        }
        if (version.startsWith("\"")) {
            request.header("If-Match", version);
        }
        HttpResponse<InputStream> answer = http.send(request);
        try {
            int status = answer.statusCode();
            if (status != Http.OK) {
                check(name, bucket, answer, Http.PARTIAL);
            }
            // not all servers know the condition, and it cannot name a date or a weak tag
            if (!version(answer).equals(version)) {
                throw new ChangedObjectException(name);
            }
            if (status == Http.PARTIAL) {
                return Http.part(answer, from);
            }
            InputStream body = new Http.Body(answer.body());
            body.skipNBytes(from); // without the part that was requested
            return body;
        } catch (IOException e) {
            answer.body().close();
            throw e;
        }
    }

    /** Throws what an answer with another status means. */
    private static void check(String name, String bucket, HttpResponse<InputStream> answer, int wanted)
            throws IOException {
        int status = answer.statusCode();
        if (status / 100 == 3) {
            throw new FileSystemException(
                    name,
                    null,
                    "status " + status + ": the server refers to another one too often, or from https to http");
        } else if (status != wanted) {
            throw Http.failure(name, status, "", advice(bucket));
        }
    }

    private static String advice(String bucket) {
        if (bucket.endsWith(OMITTED)) {
            return "a run does not keep the part of a URL after ?: repeat the command of the run with the complete URL";
        }
        return bucket.indexOf('?') < 0
                ? "the server needs a URL with a signature, or a user"
                : "the signature in the URL may have expired";
    }

    /** Content is requested as it is stored: a part of it could not be unpacked. */
    private static HttpRequest.Builder request(String bucket, String key) {
        int query = bucket.indexOf('?');
        String url = name(bucket, key) + (query < 0 ? "" : bucket.substring(query));
        return Http.request(Http.quoted(url, ALLOWED)).header("Accept-Encoding", "identity");
    }

    /** The URL without its query. */
    private static String name(String bucket, String key) {
        int query = bucket.indexOf('?');
        return (query < 0 ? bucket : bucket.substring(0, query)) + "/" + key;
    }

    /** {@inheritDoc} A web server lists none. */
    @Override
    public Items list(String bucket, String prefix, boolean enters, @Nullable String from, int limit) {
        return new Items(List.of(), List.of(), null);
    }

    @Override
    public String write(String bucket, String key, Path from, long size) throws IOException {
        throw readOnly(bucket, key);
    }

    @Override
    public void create(String bucket, String key, byte[] content) throws IOException {
        throw readOnly(bucket, key);
    }

    @Override
    public void delete(String bucket, String key) throws IOException {
        throw readOnly(bucket, key);
    }

    private static FileSystemException readOnly(String bucket, String key) {
        return new FileSystemException(name(bucket, key), null, "files of web servers are read only");
    }
}
