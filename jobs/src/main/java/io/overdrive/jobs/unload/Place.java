package io.overdrive.jobs.unload;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.formats.manifest.Manifest;
import io.overdrive.internal.disk.Location;
import io.overdrive.internal.disk.PrivateFile;
import io.overdrive.internal.disk.Uploader;
import io.overdrive.internal.disk.WritableDirectory;
import io.overdrive.jobs.journal.Durable;
import io.overdrive.jobs.journal.SplitJournal;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where files of an unload are while they are written, and how they get to their place when they are complete. On this machine, they are
 * renamed. Those of an object store are written to a directory of this machine, the stage, and then uploaded; a small object says that the
 * unload is not complete, until it is. Thread-safe.
 */
final class Place {
    private static final Logger LOG = LoggerFactory.getLogger(Place.class);

    static final String UNFINISHED = ".part";

    private static final String STAGE = "stage";
    private static final int UPLOADS = 8;
    private static final long STOP_MILLIS = 200;
    /** Splits wait while the complete files that are not uploaded yet are larger. */
    private static final long MAX_WAITING_BYTES = 1L << 30;

    /** The directory, or the only file. */
    private final Path output;

    private final Path root;
    private final @Nullable Path marker;
    private final @Nullable Path stage;
    /** Empty without a journal. */
    private final String run;

    private final boolean isResumed;
    private volatile boolean isStopped;

    @GuardedBy("this") private long waitingBytes;

    @GuardedBy("this") private boolean hasFailed;

    private Place(Path output, Path root, @Nullable Path marker, @Nullable SplitJournal journal) {
        this.output = output;
        this.root = root;
        this.marker = marker;
        run = journal == null ? "" : journal.id();
        isResumed = journal != null && journal.isBegun();
        stage = marker == null ? null : journal == null ? temporary() : journal.file(STAGE);
    }

    /**
     * The place of a directory and all below it.
     *
     * @param journal null for none
     */
    static Place ofDirectory(Path directory, @Nullable SplitJournal journal) {
        Path marker = directory.resolve(Manifest.UNFINISHED);
        return new Place(directory, directory, Location.isLocal(directory) ? null : marker, journal);
    }

    /**
     * The place of one file.
     *
     * @param journal null for none
     */
    static Place ofFile(Path file, @Nullable SplitJournal journal) {
        Path marker = file.resolveSibling(file.getFileName() + "." + Manifest.UNFINISHED);
        return new Place(
                file,
                Objects.requireNonNull(file.toAbsolutePath().getParent()),
                Location.isLocal(file) ? null : marker,
                journal);
    }

    private static Path temporary() {
        try {
            return Files.createTempDirectory("overdrive-unload-");
        } catch (IOException e) {
            throw Output.cannotWrite(System.getProperty("java.io.tmpdir", ""), e);
        }
    }

    private static Uploader uploader(Path remote) {
        return (Uploader) remote.getFileSystem().provider();
    }

    /** The directory of the complete files. */
    Path root() {
        return root;
    }

    boolean isRemote() {
        return stage != null;
    }

    /** The directory of this machine that has the files until they are complete. */
    Path writable() {
        return stage == null ? root : stage;
    }

    /** Where a file is until it is complete. */
    Path unfinished(Path file) {
        String name = file.getFileName() + UNFINISHED;
        return stage == null
                ? file.resolveSibling(name)
                : stage.resolve(root.relativize(file).toString()).resolveSibling(name);
    }

    /** The complete file whose unfinished one this is. */
    Path complete(Path unfinished) {
        String path = unfinished.toString();
        Path name = Path.of(path.substring(0, path.length() - UNFINISHED.length()));
        return stage == null ? name : root.resolve(stage.relativize(name).toString());
    }

    /**
     * Begins to write, or continues.
     *
     * @throws OverdriveException of kind INPUT if another run writes here, or nothing can be written
     */
    void open() {
        Path object = marker;
        if (object == null) {
            return;
        }
        try {
            if (isResumed) {
                requireOwn(object);
                discardUploads();
            } else {
                uploader(object)
                        .create(object, (run + "\n" + UUID.randomUUID() + "\n").getBytes(StandardCharsets.UTF_8));
            }
            Files.createDirectories(writable());
        } catch (FileAlreadyExistsException e) {
            throw new OverdriveException(
                    Kind.INPUT,
                    object + ": another run writes here, or was ended early" + holder(object)
                            + ". Resume it, or delete this object and what the run has written, or name another output",
                    e);
        } catch (IOException e) {
            throw Output.cannotWrite(root.toString(), e);
        }
    }

    /** Which run has created the object that says that it is not complete; empty for one without a journal. */
    private static String run(Path object) throws IOException {
        return Files.readString(object).lines().findFirst().orElse("");
    }

    private static String holder(Path object) {
        try {
            String run = run(object);
            return run.isEmpty() ? "" : ": run " + run;
        } catch (IOException e) {
            return "";
        }
    }

    /** Checks that the resumed run is the one that has begun here. */
    private void requireOwn(Path object) throws IOException {
        String holder;
        try {
            holder = run(object);
        } catch (NoSuchFileException e) {
            // the last step of a run, after which it may have been killed
            holder = Files.exists(root.resolve(Manifest.NAME)) ? run : "";
        }
        if (!holder.equals(run)) {
            throw new OverdriveException(
                    Kind.INPUT,
                    object + ": the object is " + (holder.isEmpty() ? "missing" : "of run " + holder)
                            + ", so the objects here may be others than those of run " + run
                            + "; begin a new run with another output");
        }
    }

    /** Parts of files whose upload the killed run had begun would stay, and cost money, as nothing lists them. */
    private void discardUploads() {
        try {
            Set<Path> files = staged();
            if (!files.isEmpty()) {
                uploader(output).discardUploads(output, files);
            }
        } catch (IOException e) {
            LOG.info("{}: what was uploaded of incomplete files is not discarded: {}", output, e.getMessage());
        }
    }

    /** The files that the killed run has not uploaded to the end, whether it had begun to or not. */
    private Set<Path> staged() throws IOException {
        Path directory = writable();
        if (!Files.exists(directory)) {
            return Set.of();
        }
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(each -> each.toString().endsWith(UNFINISHED))
                    .map(this::complete)
                    .collect(Collectors.toSet());
        }
    }

    /** Gives a complete file its name. */
    void publish(Path file) throws IOException {
        Path written = unfinished(file);
        if (stage == null) {
            PrivateFile.share(written);
            Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
        } else {
            long size = Files.size(written);
            try {
                uploader(file).upload(written, file);
            } catch (IOException e) {
                throw new IOException(file + ": " + WritableDirectory.reason(e), e);
            }
            hasUploaded(written, size);
        }
    }

    /**
     * As {@link #publish}, for several files, and several at once if they are uploaded. Leaves files as they are after {@link #stop}: a resumed
     * run publishes them.
     *
     * @param published called for each file, by several threads
     */
    void publishAll(List<Path> files, Consumer<Path> published) throws IOException {
        if (stage == null) {
            for (Path file : files) {
                publish(file);
                published.accept(file);
            }
        } else if (!files.isEmpty()) {
            uploadAll(files, published);
        }
    }

    private void uploadAll(List<Path> files, Consumer<Path> published) throws IOException {
        ExecutorService threads = Executors.newFixedThreadPool(Math.min(UPLOADS, files.size()), task -> {
            Thread thread = new Thread(task, "overdrive-upload");
            thread.setDaemon(true);
            return thread;
        });
        List<Future<?>> pending = new ArrayList<>();
        for (Path file : files) {
            pending.add(threads.submit(() -> {
                publish(file);
                published.accept(file);
                return file;
            }));
        }
        try {
            for (Future<?> each : pending) {
                awaitUpload(each);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private void awaitUpload(Future<?> upload) throws IOException {
        try {
            while (!isStopped) {
                try {
                    upload.get(STOP_MILLIS, TimeUnit.MILLISECONDS);
                    return;
                } catch (TimeoutException e) {
                    // it takes longer
                }
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException known ? known : new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    /** Ends waiting for uploads, which may take long. For any thread. */
    void stop() {
        isStopped = true;
        failed();
    }

    /** A file is complete, and waits to be published. */
    synchronized void completed(long size) {
        waitingBytes += size;
    }

    private synchronized void hasUploaded(Path written, long size) throws IOException {
        Files.delete(written);
        waitingBytes -= size;
        notifyAll();
    }

    /** Waits while much is to be uploaded, unless that has failed. */
    synchronized void awaitUploads() throws IOException {
        try {
            while (stage != null && !hasFailed && waitingBytes > MAX_WAITING_BYTES) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    /** No split waits for uploads any more. */
    synchronized void failed() {
        hasFailed = true;
        notifyAll();
    }

    /** Makes the names of files in a directory durable, be they complete or not. */
    void force(Path directory) throws IOException {
        Durable.directory(
                stage == null
                        ? directory
                        : stage.resolve(root.relativize(directory).toString()));
    }

    /**
     * Ends, once all files are published.
     *
     * @param manifest null if the output is one file
     */
    void end(@Nullable Manifest manifest) throws IOException {
        Path object = marker;
        if (object != null) {
            if (manifest != null) {
                Path list = root.resolve(Manifest.NAME);
                Files.deleteIfExists(list); // of this run, before it was killed
                uploader(list).create(list, manifest.toJson());
            }
            Files.deleteIfExists(object);
        }
    }

    /** Writes a small file, in place of one with this path, at once and for good. */
    static void replace(Path file, byte[] content) throws IOException {
        boolean isLocal = Location.isLocal(file);
        Path written = isLocal
                ? file.resolveSibling(file.getFileName() + UNFINISHED)
                : Files.createTempFile("overdrive-unload-", UNFINISHED);
        Files.write(written, content);
        if (isLocal) {
            Durable.content(written);
            Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
            Durable.directory(Objects.requireNonNull(file.toAbsolutePath().getParent()));
        } else {
            try {
                uploader(file).upload(written, file);
            } finally {
                Files.delete(written);
            }
        }
    }

    /**
     * Writes a small file, unless there is one with this path.
     *
     * @throws FileAlreadyExistsException if there is one
     */
    static void create(Path file, byte[] content) throws IOException {
        if (Location.isLocal(file)) {
            if (Files.exists(file)) {
                throw new FileAlreadyExistsException(file.toString());
            }
            replace(file, content);
        } else {
            uploader(file).create(file, content);
        }
    }

    /** Takes back {@link #open}, if nothing was written. */
    void cancel() {
        if (marker != null && !isResumed) {
            try {
                Files.deleteIfExists(marker);
            } catch (IOException e) {
                // it says what is true: the run has not ended well
            }
        }
        close();
    }

    /** Deletes directories of the stage that have no file. */
    void close() {
        if (stage != null && Files.exists(stage)) {
            try (Stream<Path> all = Files.walk(stage)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    if (Files.isDirectory(each)) {
                        Files.deleteIfExists(each);
                    }
                }
            } catch (IOException e) {
                // files are in it, which a resumed run needs
            }
        }
    }

    /** Why nothing can be written here; null if something can. Leaves nothing behind. */
    @Nullable String whyNot() {
        Path object = marker;
        if (object == null) {
            return WritableDirectory.whyNot(root);
        }
        try {
            uploader(object).create(object, UUID.randomUUID().toString().getBytes(StandardCharsets.UTF_8));
            Files.deleteIfExists(object);
            return null;
        } catch (FileAlreadyExistsException e) {
            return "another run writes here, or was ended early: " + object;
        } catch (IOException e) {
            return WritableDirectory.reason(e);
        } finally {
            close();
        }
    }
}
