package io.overdrive.sstable.handover;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.sstable.handover.SidecarHttp.Answer;
import io.overdrive.sstable.handover.SidecarHttp.Pause;
import io.overdrive.sstable.handover.SidecarHttp.StatusException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import net.jpountz.xxhash.StreamingXXHash32;
import net.jpountz.xxhash.XXHashFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes nodes import SSTables via Cassandra Sidecar, a process next to each node with an API over HTTP: uploads the files to a directory that
 * the upload has for itself, and has the node import that, after which Sidecar deletes it. Thread-safe; the files of one node are uploaded
 * several at a time.
 *
 * <p>A file whose upload is cut is uploaded again from its start, as the API cannot resume. An import is requested until Sidecar says
 * how it ended. Sidecar remembers that by the upload, so a retry after a failure needs a new one.
 */
final class SidecarImport {
    private static final Logger LOG = LoggerFactory.getLogger(SidecarImport.class);

    private static final String API = "/api/v1";
    private static final String HEALTH = "/cassandra/jmx/__health";
    private static final String DIGEST = "cassandra-content-xxhash32";
    private static final int OK = 200;
    private static final int ACCEPTED = 202;
    private static final int NOT_FOUND = 404;
    private static final int FAILED = 500;
    private static final int UNAVAILABLE = 503;
    /** Statuses worth a retry: too many requests, node down, gateway error. */
    private static final Set<Integer> BUSY = Set.of(429, 502, UNAVAILABLE, 504);
    /**
     * Also a table that Sidecar does not know, as it may have been created within the last second (400), a digest that does not match
     * what has arrived (455), and what went wrong there (500).
     */
    private static final Set<Integer> BUSY_OR_DAMAGED = Set.of(400, 429, 455, FAILED, 502, UNAVAILABLE, 504);
    /** How the message of a Sidecar begins whose node has ended an import, and not taken the SSTables. */
    private static final String REFUSED = "Failed to import";

    /** Timeout of an upload, to which a second for each MiB is added. */
    private static final Duration UPLOAD_TIMEOUT = Duration.ofMinutes(5);
    /** Twice what Sidecar waits at most to limit its bandwidth. */
    static final long STALL_MILLIS = 30_000;

    private static final Duration END_TIMEOUT = Duration.ofSeconds(60);
    private static final int UPLOADS_AT_ONCE = 4;
    private static final int BUFFER_BYTES = 256 << 10;

    private final SidecarTarget target;
    private final String keyspace;
    private final String table;
    private final Pause pause;
    private final LongSupplier stallMillis;
    /** Hosts whose Sidecar has said what their node has. */
    private final Set<String> informed = ConcurrentHashMap.newKeySet();

    SidecarImport(SidecarTarget target, String keyspace, String table) {
        this(target, keyspace, table, Thread::sleep, () -> STALL_MILLIS);
    }

    /** @param stallMillis after which a request is sent again if nothing is taken of its upload, or the rest of its answer does not come */
    SidecarImport(SidecarTarget target, String keyspace, String table, Pause pause, LongSupplier stallMillis) {
        this.target = target;
        this.keyspace = keyspace;
        this.table = table;
        this.pause = pause;
        this.stallMillis = stallMillis;
    }

    private SidecarHttp http() {
        return new SidecarHttp(target.tls(), pause, stallMillis);
    }

    /**
     * Checks that the Sidecar of a node answers, and reaches the node.
     *
     * @return why it cannot be seen later whether the node has taken SSTables; null if it can
     * @throws IOException if it does not
     */
    @Nullable String check(String host) throws IOException {
        URI uri = uri(host, HEALTH);
        SidecarHttp http = http();
        try {
            requireHealth(uri, http.sendOnce(SidecarHttp.request(uri, "GET")));
            try {
                stored(http, host);
                informed.add(host);
                return null;
            } catch (IOException e) {
                return SidecarHttp.reason(e);
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        } catch (StatusException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException(uri + ": " + SidecarHttp.reason(e), e);
        }
    }

    private static void requireHealth(URI uri, Answer answer) throws IOException {
        if (answer.status() != OK) {
            throw new StatusException(
                    uri,
                    answer.status(),
                    answer.status() == UNAVAILABLE ? "it does not reach the node over JMX" : answer.message());
        }
    }

    /**
     * How many SSTables the node has of the table, and of how many bytes. An import changes that, but a report of success may be about an
     * import that has found nothing.
     */
    private String stored(SidecarHttp http, String host) throws IOException, InterruptedException {
        URI uri = uri(host, "/cassandra" + inPath() + "/stats");
        Answer answer = http.send(SidecarHttp.request(uri, "GET"), BUSY);
        String count = answer.field("sstableCount");
        String bytes = answer.field("totalDiskSpaceUsedBytes");
        if (answer.status() != OK || count.isEmpty() || bytes.isEmpty()) {
            throw new StatusException(uri, answer.status(), answer.message());
        }
        return count + " SSTables of " + bytes + " bytes";
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

    /** The upload to one node. Confined to one thread, but for {@link #uploadEach}. */
    private final class Upload {
        private final String host;
        private final SidecarHttp http = http();
        private final String id = UUID.randomUUID().toString();
        private boolean isImporting;

        Upload(String host) {
            this.host = host;
        }

        @Nullable String importFrom(Path sstables) {
            try {
                uploadAll(files(sstables));
                String before = before();
                awaitNode();
                awaitImport();
                return before == null ? null : doubt(before);
            } catch (InterruptedException e) {
                return interrupted(e).getMessage() + leftThere();
            } catch (IOException e) {
                // while the node may be importing them, its files are left alone
                return SidecarHttp.reason(e) + (!isImporting && clean() ? "" : leftThere());
            }
        }

        /** The table's data on the node before the import; null if its Sidecar has never reported it. */
        private @Nullable String before() throws IOException, InterruptedException {
            try {
                return stored(http, host);
            } catch (IOException e) {
                if (informed.contains(host)) {
                    throw e;
                }
                LOG.debug("it cannot be seen what the node has of the table", e);
                return null;
            }
        }

        /** Why the node seems not to have imported anything, though Sidecar says so; null if it has. */
        private @Nullable String doubt(String before) throws InterruptedException {
            String doubt;
            try {
                if (!before.equals(stored(http, host))) {
                    return null;
                }
                doubt = "the node has the " + before + " that it had before";
            } catch (IOException e) {
                doubt = "does not say any more what the node has (" + SidecarHttp.reason(e) + ")";
            }
            return "Sidecar reports an import, but " + doubt + "; its log says what it has found in upload " + id;
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
                Queue<Path> left = new ConcurrentLinkedQueue<>(files);
                for (int i = 0; i < UPLOADS_AT_ONCE; i++) {
                    Future<?> unused = uploads.submit(() -> {
                        uploadEach(left);
                        return null;
                    });
                }
                for (int i = 0; i < UPLOADS_AT_ONCE; i++) {
                    uploads.take().get();
                }
            } catch (ExecutionException e) {
                if (e.getCause() instanceof IOException failure) {
                    throw failure;
                }
                throw new IOException("an upload ended: " + e.getCause(), e);
            } finally {
                threads.shutdownNow();
                if (!threads.awaitTermination(END_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                    LOG.warn("an upload to {} has not ended", target);
                }
            }
        }

        private void uploadEach(Queue<Path> left) throws IOException, InterruptedException {
            SidecarHttp ofThread = http();
            for (Path file = left.poll(); file != null; file = left.poll()) {
                upload(ofThread, file);
            }
        }

        private void upload(SidecarHttp ofThread, Path file) throws IOException, InterruptedException {
            long bytes = Files.size(file);
            URI uri = uri(host, ofTable() + "/components/" + file.getFileName());
            HttpRequest request = SidecarHttp.upload(uri, file)
                    .header(DIGEST, digest(file))
                    .header("Content-Type", "application/octet-stream")
                    .timeout(UPLOAD_TIMEOUT.plusSeconds(bytes >> 20))
                    .build();
            Answer answer = ofThread.send(request, BUSY_OR_DAMAGED);
            if (answer.status() != OK) {
                throw new StatusException(uri, answer.status(), answer.message());
            }
            String received = answer.field("uploadSizeBytes");
            if (!received.isEmpty() && !received.equals(bytes + "")) {
                throw new IOException(uri + " has received " + received + " bytes of " + bytes);
            }
        }

        /** Waits until Sidecar reaches the node: what it answers to an import while it does not, it answers for the upload ever after. */
        private void awaitNode() throws IOException, InterruptedException {
            URI uri = uri(host, HEALTH);
            requireHealth(uri, http.send(SidecarHttp.request(uri, "GET"), BUSY));
        }

        /** Asks for the import, which begins it, and again until it has ended. */
        private void awaitImport() throws IOException, InterruptedException {
            // as over JMX: checksums are verified, and not every row
            URI uri = uri(host, ofTable() + "/import?extendedVerify=false");
            HttpRequest request = SidecarHttp.request(uri, "PUT");
            boolean isAccepted = false;
            isImporting = true;
            for (int asked = 1; ; asked++) {
                Answer answer = http.send(request, BUSY);
                if (answer.status() == OK && !answer.field("success").equals("false")) {
                    return;
                } else if (answer.status() != ACCEPTED) {
                    isImporting = isAccepted && !answer.message().startsWith(REFUSED);
                    throw new StatusException(
                            uri,
                            answer.status(),
                            answer.status() == NOT_FOUND && isAccepted
                                    ? "it no longer knows the upload, nor says whether it was imported"
                                    : answer.message());
                }
                isAccepted = true;
                http.pause(asked);
            }
        }

        /** Deletes the upload; returns whether it is gone. */
        private boolean clean() {
            URI uri = uri(host, "/uploads/" + id);
            try {
                Answer answer = http.send(SidecarHttp.request(uri, "DELETE"), BUSY);
                if (answer.status() == OK || answer.status() == NOT_FOUND) {
                    return true;
                }
                LOG.warn("{} answers {}: the upload is not deleted", uri, answer.status());
            } catch (IOException e) {
                LOG.warn("the upload is not deleted: {}", SidecarHttp.reason(e));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return false;
        }

        private String ofTable() {
            return "/uploads/" + id + inPath();
        }
    }

    /** The smallest first: of a large one that Sidecar does not take, its answer may not be read. */
    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(Files::isRegularFile)
                    .sorted(Comparator.comparing((Path file) -> file.toFile().length())
                            .thenComparing(Comparator.naturalOrder()))
                    .toList();
        }
    }

    /** The digest that Sidecar compares: XXHash32 in hexadecimal, without leading zeros. */
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

    private static IOException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IOException("interrupted", e);
    }

    /** The command with which a user does the same, once the {@link #script} is next to the SSTables. */
    String command(Path directory) {
        StringBuilder command = new StringBuilder("sh ")
                .append(Staging.quoted(directory.resolve(Staging.SCRIPT).toString()));
        target.curlOptions().forEach(word -> command.append(' ').append(Staging.quoted(word)));
        return command.toString();
    }

    /** The lines of a script that does the same for the SSTables next to it, with curl. */
    String script(String host, String node) {
        return """
                #!/bin/sh
                # Uploads the SSTables next to this script to the Cassandra Sidecar of node %5$s, which imports them into
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
                isAccepted=no
                while [ "$status" = 202 ]; do
                    answer=$(curl -gsS "$@" -w ' %%{http_code}' -X PUT "$upload%4$s/import?extendedVerify=false")
                    status=${answer##* }
                    if [ "$status" = 202 ]; then
                        isAccepted=yes
                        sleep 1
                    fi
                done
                case $status$(printf %%s "$answer" | tr -d ' ') in
                200*'"success":false'* | 200*'"success":"false"'*) status='200 without success' ;;
                esac
                if [ "$status" != 200 ]; then
                    echo "import.sh: the node has not taken the SSTables in $directory: Sidecar answers $status;" \\
                        "its log says why" >&2
                    case $isAccepted$answer in
                    no* | *"%6$s"*) curl -gsS "$@" -o /dev/null -X DELETE "$upload" || true ;;
                    *) echo "import.sh: what was uploaded may be left there, as upload ${upload##*/}" >&2 ;;
                    esac
                    exit 1
                fi
                # an import that finds nothing reports success, too
                after=$(stored "$@")
                if [ -n "$before" ] && { [ "$before" = "$after" ] || [ -z "$after" ]; }; then
                    if [ -n "$after" ]; then doubt='the node has what it had before'
                    else doubt='does not say any more what the node has'; fi
                    echo "import.sh: Sidecar reports an import of the SSTables in $directory, but $doubt; its log says what it" \\
                        "has found" >&2
                    exit 1
                fi
                rm -rf "$directory"
                echo "import.sh: imported into %1$s.%2$s"
                """
                .formatted(keyspace, table, target.of(host) + API, inPath(), node, REFUSED);
    }
}
