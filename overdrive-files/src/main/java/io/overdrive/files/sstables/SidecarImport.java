package io.overdrive.files.sstables;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.internal.request.Backoff;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;
import net.jpountz.xxhash.StreamingXXHash32;
import net.jpountz.xxhash.XXHashFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has nodes import SSTables by Cassandra Sidecar, a process beside each node with an API by HTTP: uploads the files to a directory that
 * the upload has for itself, has the node import that, and deletes it. Immutable; the files of one node are uploaded several at a time.
 *
 * <p>A file whose upload is cut is uploaded again from its start, as the API cannot resume. An import is requested until Sidecar says
 * how it ended. Sidecar remembers that by the upload, so a retry after a failure needs a new one.
 */
final class SidecarImport {
    /** Waits between two requests. */
    interface Pause {
        void millis(long millis) throws InterruptedException;
    }

    /** An answer other than the one that was hoped for. */
    private static final class StatusException extends IOException {
        private static final long serialVersionUID = 1;
        final int status;

        StatusException(URI uri, int status, String message) {
            super(uri + " answers " + status + (message.isEmpty() ? "" : ": " + message));
            this.status = status;
        }
    }

    private record Answer(int status, String body) {}

    private static final Logger LOG = LoggerFactory.getLogger(SidecarImport.class);

    private static final String API = "/api/v1";
    private static final String DIGEST = "cassandra-content-xxhash32";
    private static final int OK = 200;
    private static final int ACCEPTED = 202;
    private static final int NOT_FOUND = 404;
    private static final int FAILED = 500;
    private static final int UNAVAILABLE = 503;
    /** Too many requests, no node behind it, or a proxy that does not reach it. */
    private static final Set<Integer> BUSY = Set.of(429, 502, UNAVAILABLE, 504);
    /** Also a digest that is not that of what has arrived (455), and what went wrong there (500). */
    private static final Set<Integer> BUSY_OR_DAMAGED = Set.of(429, 455, FAILED, 502, UNAVAILABLE, 504);

    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    /** Of an upload, to which a second for each MiB is added. */
    private static final Duration UPLOAD_TIMEOUT = Duration.ofMinutes(5);

    private static final int MAX_TRIES = 10;
    private static final Backoff BACKOFF = new Backoff(10_000);
    private static final long MAX_RETRY_AFTER_MILLIS = 60_000;
    private static final int UPLOADS_AT_ONCE = 4;
    private static final int MAX_ANSWER_BYTES = 64 << 10;
    private static final int BUFFER_BYTES = 256 << 10;

    private final SidecarTarget target;
    private final String keyspace;
    private final String table;
    private final Pause pause;
    private final HttpClient client;

    SidecarImport(SidecarTarget target, String keyspace, String table) {
        this(target, keyspace, table, Thread::sleep);
    }

    SidecarImport(SidecarTarget target, String keyspace, String table, Pause pause) {
        this.target = target;
        this.keyspace = keyspace;
        this.table = table;
        this.pause = pause;
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(15));
        if (target.tls() != null) {
            builder.sslContext(target.tls());
        }
        client = builder.build();
    }

    /**
     * Checks that the Sidecar of a node answers, and reaches the node.
     *
     * @return why it cannot be seen later whether the node has taken SSTables; null if it can
     * @throws IOException if it does not
     */
    @Nullable String check(String host) throws IOException {
        URI uri = uri(host, "/cassandra/jmx/__health");
        try {
            Answer answer = read(
                    client.send(request(uri, "GET", BodyPublishers.noBody()).build(), BodyHandlers.ofInputStream()));
            if (answer.status() != OK) {
                throw new StatusException(
                        uri,
                        answer.status(),
                        answer.status() == UNAVAILABLE ? "it does not reach the node by JMX" : message(answer.body()));
            }
            try {
                stored(host);
                return null;
            } catch (IOException e) {
                return reason(e);
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        } catch (StatusException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException(uri + ": " + reason(e), e);
        }
    }

    /**
     * How many SSTables the node has of the table, and of how many bytes. An import changes that, but a report of success may be about an
     * import that has found nothing.
     */
    private String stored(String host) throws IOException, InterruptedException {
        URI uri = uri(host, "/cassandra" + inPath() + "/stats");
        Answer answer = send(request(uri, "GET", BodyPublishers.noBody()).build(), BUSY);
        String count = field(answer.body(), "sstableCount");
        String bytes = field(answer.body(), "totalDiskSpaceUsedBytes");
        if (answer.status() != OK || count.isEmpty() || bytes.isEmpty()) {
            throw new StatusException(uri, answer.status(), message(answer.body()));
        }
        return count + " SSTables of " + bytes + " bytes";
    }

    /** As {@link #stored}, but null if Sidecar does not say. */
    private @Nullable String storedOrNull(String host) throws InterruptedException {
        try {
            return stored(host);
        } catch (IOException e) {
            LOG.debug("it cannot be seen what the node has of the table", e);
            return null;
        }
    }

    /**
     * Uploads the SSTables of a node, and has it import them.
     *
     * @param sstables the directory with their files
     * @return why the node has not imported them; null if it has
     */
    @Nullable String importFrom(Path sstables, String host) {
        return new Upload(host).importFrom(sstables);
    }

    /** What one node gets. Confined to one thread, but for {@link #upload}. */
    private final class Upload {
        private final String host;
        private final String id = UUID.randomUUID().toString();
        private boolean isUploaded;
        private boolean isAccepted;

        Upload(String host) {
            this.host = host;
        }

        @Nullable String importFrom(Path sstables) {
            try {
                uploadAll(files(sstables));
                isUploaded = true;
                String before = storedOrNull(host);
                awaitImport();
                clean();
                return before != null && before.equals(storedOrNull(host))
                        ? "Sidecar reports an import, but the node has the " + before + " that it had before; its log"
                                + " says what it has found in upload " + id
                        : null;
            } catch (InterruptedException e) {
                return interrupted(e).getMessage() + leftThere();
            } catch (IOException e) {
                // while the node may be importing them, its files are left alone
                boolean isImporting = isUploaded
                        && !(e instanceof StatusException answer && (answer.status == FAILED || !isAccepted));
                return reason(e) + (!isImporting && clean() ? "" : leftThere());
            }
        }

        private String leftThere() {
            return "; what was uploaded may be left there, as upload " + id;
        }

        private void uploadAll(List<Path> files) throws IOException, InterruptedException {
            ExecutorService threads = Executors.newFixedThreadPool(UPLOADS_AT_ONCE, task -> {
                Thread thread = new Thread(task, "overdrive-sidecar");
                thread.setDaemon(true);
                return thread;
            });
            try {
                CompletionService<@Nullable Void> uploads = new ExecutorCompletionService<>(threads);
                for (Path file : files) {
                    Future<?> unused = uploads.submit(() -> {
                        upload(file);
                        return null;
                    });
                }
                for (int i = 0; i < files.size(); i++) {
                    uploads.take().get();
                }
            } catch (ExecutionException e) {
                if (e.getCause() instanceof IOException failure) {
                    throw failure;
                }
                throw new IOException("an upload ended: " + e.getCause(), e);
            } finally {
                threads.shutdownNow();
                if (!threads.awaitTermination(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                    LOG.warn("an upload to {} has not ended", target);
                }
            }
        }

        private void upload(Path file) throws IOException, InterruptedException {
            long bytes = Files.size(file);
            URI uri = uri(host, ofTable() + "/components/" + file.getFileName());
            HttpRequest request = request(uri, "PUT", BodyPublishers.ofFile(file))
                    .header(DIGEST, digest(file))
                    .header("Content-Type", "application/octet-stream")
                    .timeout(UPLOAD_TIMEOUT.plusSeconds(bytes >> 20))
                    .build();
            Answer answer = send(request, BUSY_OR_DAMAGED);
            if (answer.status() != OK) {
                throw new StatusException(uri, answer.status(), message(answer.body()));
            }
            String received = field(answer.body(), "uploadSizeBytes");
            if (!received.isEmpty() && !received.equals(bytes + "")) {
                throw new IOException(uri + " has received " + received + " bytes of " + bytes);
            }
        }

        /** Asks for the import, which begins it, and again until it has ended. */
        private void awaitImport() throws IOException, InterruptedException {
            // as by JMX: checksums are verified, and not every row
            URI uri = uri(host, ofTable() + "/import?extendedVerify=false");
            HttpRequest request = request(uri, "PUT", BodyPublishers.noBody()).build();
            for (int asked = 1; ; asked++) {
                Answer answer = send(request, BUSY);
                if (answer.status() == OK && !field(answer.body(), "success").equals("false")) {
                    return;
                } else if (answer.status() != ACCEPTED) {
                    throw new StatusException(
                            uri,
                            answer.status(),
                            answer.status() == NOT_FOUND && isAccepted
                                    ? "it no longer knows the upload, nor says whether it was imported"
                                    : message(answer.body()));
                }
                isAccepted = true;
                pause.millis(BACKOFF.pauseMillis(asked, ThreadLocalRandom.current()));
            }
        }

        /** Deletes the upload, which Sidecar does by itself after an import; returns whether it is gone. */
        private boolean clean() {
            URI uri = uri(host, "/uploads/" + id);
            try {
                Answer answer =
                        send(request(uri, "DELETE", BodyPublishers.noBody()).build(), BUSY);
                if (answer.status() == OK || answer.status() == NOT_FOUND) {
                    return true;
                }
                LOG.warn("{} answers {}: the upload is not deleted", uri, answer.status());
            } catch (IOException e) {
                LOG.warn("the upload is not deleted: {}", reason(e));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return false;
        }

        private String ofTable() {
            return "/uploads/" + id + inPath();
        }
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    /** As Sidecar compares it: XXHash32 in hexadecimal, without leading zeros. */
    private static String digest(Path file) throws IOException {
        byte[] buffer = new byte[BUFFER_BYTES];
        try (InputStream in = Files.newInputStream(file);
                StreamingXXHash32 hash = XXHashFactory.fastestInstance().newStreamingHash32(/* seed */ 0)) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                hash.update(buffer, 0, n);
            }
            return Integer.toHexString(hash.getValue());
        }
    }

    private String inPath() {
        return "/keyspaces/" + inPath(keyspace) + "/tables/" + inPath(table);
    }

    /** Sidecar takes names as in CQL. */
    private static String inPath(String name) {
        return URLEncoder.encode(CqlIdentifier.fromInternal(name).asCql(/* pretty */ true), StandardCharsets.UTF_8);
    }

    private URI uri(String host, String path) {
        return target.of(host).resolve(API + path);
    }

    private static HttpRequest.Builder request(URI uri, String method, BodyPublisher body) {
        return HttpRequest.newBuilder(uri).method(method, body).timeout(TIMEOUT);
    }

    /**
     * Sends a request, again if its connection fails.
     *
     * @param again statuses after which it is sent again, too
     * @return the last answer, of any status
     */
    private Answer send(HttpRequest request, Set<Integer> again) throws IOException, InterruptedException {
        for (int tries = 1; ; tries++) {
            long millis = BACKOFF.pauseMillis(tries, ThreadLocalRandom.current());
            try {
                HttpResponse<InputStream> response = client.send(request, BodyHandlers.ofInputStream());
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

    private static Answer read(HttpResponse<InputStream> response) throws IOException {
        try (InputStream body = response.body()) {
            return new Answer(
                    response.statusCode(), new String(body.readNBytes(MAX_ANSWER_BYTES), StandardCharsets.UTF_8));
        }
    }

    /** Negative if the answer does not say it in seconds. */
    private static long retryAfterMillis(HttpResponse<?> response) {
        String seconds = response.headers().firstValue("Retry-After").orElse("").strip();
        return seconds.matches("\\d{1,9}") ? Math.min(MAX_RETRY_AFTER_MILLIS, 1000 * Long.parseLong(seconds)) : -1;
    }

    /** What Sidecar says about a failure. */
    private static String message(String body) {
        String message = field(body, "message");
        return message.isEmpty() ? field(body, "status") : message;
    }

    /** Of a JSON object; empty if it has none, or it is not one. */
    private static String field(String body, String name) {
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

    private static String reason(IOException e) {
        return e.getMessage() != null
                ? e.getMessage()
                : e instanceof ConnectException ? "no connection" : String.valueOf(e);
    }

    private static IOException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IOException("interrupted", e);
    }

    /** By which a user does the same, once the {@link #script} is beside the SSTables. */
    String command(Path directory) {
        StringBuilder command = new StringBuilder("sh ")
                .append(Staging.quoted(directory.resolve(Staging.SCRIPT).toString()));
        target.curlOptions().forEach(word -> command.append(' ').append(Staging.quoted(word)));
        return command.toString();
    }

    /** The lines of a script that does the same for the SSTables beside it, by curl. */
    String script(String host, String node) {
        return """
                #!/bin/sh
                # Uploads the SSTables beside this script to the Cassandra Sidecar of node %5$s, which imports them into
                # %1$s.%2$s. Arguments are passed to curl, such as --cacert FILE --cert FILE --key FILE.
                set -eu
                directory=$(cd "$(dirname "$0")" && pwd)/%1$s/%2$s
                if ! ls "$directory"/*-Data.db > /dev/null 2>&1; then
                    echo "import.sh: nothing is left to import in $directory"
                    exit 0
                fi
                # what the node has of the table; nothing if Sidecar does not say
                stored() {
                    curl -gsSf "$@" "%3$s/cassandra%4$s/stats" 2> /dev/null | tr '{,}' '\\n\\n\\n' \\
                        | grep -E '"(sstableCount|totalDiskSpaceUsedBytes)"' || true
                }
                upload=%3$s/uploads/$(od -An -N20 -tx1 /dev/urandom | tr -d ' \\n')
                for file in "$directory"/*; do
                    curl -gsSf --retry 5 "$@" -o /dev/null -T "$file" "$upload%4$s/components/${file##*/}"
                done
                before=$(stored "$@")
                status=202
                while [ "$status" = 202 ]; do
                    status=$(curl -gsS "$@" -o /dev/null -w '%%{http_code}' -X PUT \\
                        "$upload%4$s/import?extendedVerify=false")
                    if [ "$status" = 202 ]; then sleep 1; fi
                done
                if [ "$status" != 200 ]; then
                    echo "import.sh: the node has not taken the SSTables in $directory: Sidecar answers $status;" \\
                        "its log says why" >&2
                    curl -gsS "$@" -o /dev/null -X DELETE "$upload" || true
                    exit 1
                fi
                curl -gsS "$@" -o /dev/null -X DELETE "$upload" || true
                # an import that finds nothing reports success, too
                if [ -n "$before" ] && [ "$before" = "$(stored "$@")" ]; then
                    echo "import.sh: Sidecar reports an import of the SSTables in $directory, but the node has what it had" \\
                        "before; its log says what it has found" >&2
                    exit 1
                fi
                rm -rf "$directory"
                echo "import.sh: imported into %1$s.%2$s"
                """
                .formatted(keyspace, table, target.of(host) + API, inPath(), node);
    }
}
