package io.overdrive.stores;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Google Cloud Storage by its JSON API. The version of an object is its generation. Thread-safe. */
final class GcsStore implements ObjectStore {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String FIELDS = "size,updated,generation";
    private static final int RESUME_INCOMPLETE = 308;

    private final Http http;
    private final String endpoint;
    private final Credentials credentials;

    /** @param endpoint without a slash at its end */
    GcsStore(Http http, String endpoint, Credentials credentials) {
        this.http = http;
        this.endpoint = endpoint;
        this.credentials = credentials;
    }

    @Override
    public BackOff backOff() {
        return http.backOff();
    }

    @Override
    public @Nullable ObjectAttributes find(String bucket, String key) throws IOException {
        try {
            return attributes(json(name(bucket, key), Http.request(url(bucket, key) + "?fields=" + FIELDS)));
        } catch (NoSuchFileException e) {
            return null; // or there is no such bucket, as the listing that follows says
        }
    }

    private static ObjectAttributes attributes(JsonNode object) {
        Instant updated;
        try {
            updated = Instant.parse(object.path("updated").asText());
        } catch (DateTimeException e) {
            updated = Instant.EPOCH;
        }
        return ObjectAttributes.of(
                object.path("size").asLong(),
                FileTime.from(updated),
                object.path("generation").asText());
    }

    @Override
    public Items list(String bucket, String prefix, boolean enters, @Nullable String from, int limit)
            throws IOException {
        String url = objects(bucket) + "?maxResults=" + limit
                + "&fields=nextPageToken,prefixes,items(name," + FIELDS + ")"
                + "&prefix=" + Http.quoted(prefix, "") + (enters ? "" : "&delimiter=%2F")
                + (from == null ? "" : "&pageToken=" + Http.quoted(from, ""));
        JsonNode part;
        try {
            part = json(name(bucket, prefix), Http.request(url));
        } catch (NoSuchFileException e) {
            throw noBucket(bucket, prefix, e);
        }
        List<Item> objects = new ArrayList<>();
        for (JsonNode each : part.path("items")) {
            objects.add(new Item(each.path("name").asText(), attributes(each)));
        }
        List<String> directories = new ArrayList<>();
        part.path("prefixes").forEach(each -> directories.add(each.asText()));
        String next = part.path("nextPageToken").asText();
        return new Items(objects, directories, next.isEmpty() ? null : next);
    }

    private static FileSystemException noBucket(String bucket, String key, IOException e) {
        FileSystemException none = new FileSystemException(name(bucket, key), null, "there is no bucket " + bucket);
        none.initCause(e);
        return none;
    }

    @Override
    public InputStream read(String bucket, String key, long from, long count, String version) throws IOException {
        String name = name(bucket, key);
        // without this header, the server would unpack objects whose content has an encoding
        HttpResponse<InputStream> answer = http.send(
                Http.request(url(bucket, key) + "?alt=media&generation=" + version)
                        .header("Accept-Encoding", "gzip")
                        .header("Range", Http.range(from, count)),
                credentials);
        if (answer.statusCode() == Http.PARTIAL) {
            return Http.part(answer, from);
        }
        IOException failure = failure(name, answer);
        if (failure instanceof NoSuchFileException && find(bucket, key) != null) {
            throw new ChangedObjectException(name);
        }
        throw failure;
    }

    @Override
    public String write(String bucket, String key, Path from, long size) throws IOException {
        try {
            return size <= Parts.BYTES
                    ? attributes(json(name(bucket, key), put(bucket, key, "", FilePart.body(from, 0, size))))
                            .version()
                    : new Upload(bucket, key, from, size).run();
        } catch (NoSuchFileException e) {
            throw noBucket(bucket, key, e);
        }
    }

    private HttpRequest.Builder put(String bucket, String key, String condition, HttpRequest.BodyPublisher body) {
        return Http.request(uploads(bucket) + "?uploadType=media&name=" + Http.quoted(key, "") + condition)
                .header("Content-Type", "application/octet-stream")
                .POST(body);
    }

    /** A file in parts, by an upload that the store remembers for a week. Used by one thread. */
    private final class Upload {
        private final String name;
        private final Path file;
        private final long size;
        private final String session;
        private final Retries retries;
        private long done;
        /** Whether the store is asked what it has, as an answer was lost. */
        private boolean asks;

        Upload(String bucket, String key, Path file, long size) throws IOException {
            this.name = name(bucket, key);
            this.file = file;
            this.size = size;
            this.retries = new Retries(name, http.backOff());
            session = http.retried(name, () -> {
                HttpResponse<InputStream> answer = http.send(
                        Http.request(uploads(bucket) + "?uploadType=resumable&name=" + Http.quoted(key, ""))
                                .header("X-Upload-Content-Length", Long.toString(size))
                                .POST(BodyPublishers.noBody()),
                        credentials);
                if (!Http.isDone(answer)) {
                    throw failure(name, answer);
                }
                answer.body().close();
                String location = Http.header(answer, "Location");
                if (location == null) {
                    throw new IOException("an upload without a place");
                }
                return location;
            });
        }

        String run() throws IOException {
            while (true) {
                try {
                    HttpResponse<InputStream> answer = http.send(asks ? question() : part(), credentials);
                    if (Http.isDone(answer)) {
                        return complete(attributes(parse(answer)));
                    } else if (answer.statusCode() != RESUME_INCOMPLETE) {
                        throw refused(answer);
                    }
                    answer.body().close();
                    proceed(Http.header(answer, "Range"));
                } catch (IOException e) {
                    asks = true;
                    retries.failed(e);
                }
            }
        }

        /** The store has forgotten the upload, or does not take it; the bucket exists. */
        private IOException refused(HttpResponse<InputStream> answer) {
            IOException failure = failure(name, answer);
            return failure instanceof NoSuchFileException
                    ? new FileSystemException(
                            name,
                            null,
                            "status " + answer.statusCode() + ": the store does not know the upload any more")
                    : failure;
        }

        private String complete(ObjectAttributes object) throws IOException {
            if (object.size() != size) {
                throw new FileSystemException(
                        name, null, "the store has made an object of " + object.size() + " bytes of a file of " + size);
            }
            return object.version();
        }

        private HttpRequest.Builder part() {
            long end = Math.min(size, done + Parts.BYTES);
            return Http.request(session)
                    .header("Content-Range", "bytes " + done + "-" + (end - 1) + "/" + size)
                    .PUT(FilePart.body(file, done, end - done));
        }

        private HttpRequest.Builder question() {
            return Http.request(session)
                    .header("Content-Range", "bytes */" + size)
                    .PUT(BodyPublishers.noBody());
        }

        /** @param range that the store has, such as {@code bytes=0-99}; null for none */
        private void proceed(@Nullable String range) throws IOException {
            long has = range == null ? 0 : Long.parseLong(range.substring(range.indexOf('-') + 1)) + 1;
            boolean hasMore = has > done;
            if (!hasMore && !asks) {
                throw new IOException("the store has not kept the part from byte " + done);
            }
            if (hasMore) {
                retries.progressed();
            }
            done = has;
            asks = false;
        }
    }

    @Override
    public void create(String bucket, String key, byte[] content) throws IOException {
        String name = name(bucket, key);
        try {
            json(name, put(bucket, key, "&ifGenerationMatch=0", BodyPublishers.ofByteArray(content)));
        } catch (ChangedObjectException e) {
            if (!Arrays.equals(content, content(bucket, key))) {
                throw new FileAlreadyExistsException(name);
            }
            // by a try whose answer was lost
        } catch (NoSuchFileException e) {
            throw noBucket(bucket, key, e);
        }
    }

    private byte[] content(String bucket, String key) throws IOException {
        String name = name(bucket, key);
        return http.retried(name, () -> {
            HttpResponse<InputStream> answer = http.send(Http.request(url(bucket, key) + "?alt=media"), credentials);
            if (!Http.isDone(answer)) {
                throw failure(name, answer);
            }
            try (InputStream body = new Http.Body(answer.body())) {
                return body.readAllBytes();
            }
        });
    }

    @Override
    public void delete(String bucket, String key) throws IOException {
        try {
            json(name(bucket, key), Http.request(url(bucket, key)).DELETE());
        } catch (NoSuchFileException e) {
            // by a try whose answer was lost, or by another program
        }
    }

    /** Sends a request until it succeeds, and parses the answer. */
    private JsonNode json(String name, HttpRequest.Builder request) throws IOException {
        return http.retried(name, () -> {
            HttpResponse<InputStream> answer = http.send(request.copy(), credentials);
            if (!Http.isDone(answer)) {
                throw failure(name, answer);
            }
            return parse(answer);
        });
    }

    /** The whole answer, unlike the text of an error. */
    private static JsonNode parse(HttpResponse<InputStream> answer) throws IOException {
        try (InputStream body = new Http.Body(answer.body())) {
            return parse(new String(body.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private static JsonNode parse(String text) throws IOException {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IOException("the answer is no JSON: " + e.getOriginalMessage(), e);
        }
    }

    private IOException failure(String name, HttpResponse<InputStream> answer) {
        String reason;
        try {
            reason = parse(Http.text(answer)).path("error").path("message").asText();
        } catch (IOException e) {
            reason = "";
        }
        return Http.failure(name, answer.statusCode(), reason, credentials.advice());
    }

    private String objects(String bucket) {
        return endpoint + "/storage/v1/b/" + Http.quoted(bucket, "") + "/o";
    }

    private String url(String bucket, String key) {
        return objects(bucket) + "/" + Http.quoted(key, "");
    }

    private String uploads(String bucket) {
        return endpoint + "/upload/storage/v1/b/" + Http.quoted(bucket, "") + "/o";
    }

    private static String name(String bucket, String key) {
        return "gs://" + bucket + "/" + key;
    }
}
