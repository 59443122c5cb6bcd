package io.overdrive.cli.options;

import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.ConnectOptions;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.cql.OwnQuery;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Connections that stay open between the calls of a program. One is lent again if all its nodes are up and the schema is the one that it
 * has read, so that a call sees what it would see by a new one; others are closed. Thread-safe; one call at a time.
 */
public final class KeptConnections implements AutoCloseable {
    private static final String SCHEMA = "SELECT schema_version FROM system.local WHERE key = 'local'";
    private static final int MAX_IDLE = 4;
    private static final long MAX_IDLE_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final long CHECK_SECONDS = 60;

    /**
     * @param files the contents of the files that the options name
     * @param schema null if no node has said it
     */
    private record Kept(
            ConnectOptions options,
            List<ByteBuffer> files,
            Overdrive connection,
            @Nullable UUID schema,
            long idleSince) {
        boolean serves(ConnectOptions other, List<ByteBuffer> itsFiles) {
            return options.connectsAs(other) && files.equals(itsFiles);
        }

        /** Whether a new connection would be no better. */
        boolean isFresh() {
            boolean isUp = connection.session().getMetadata().getNodes().values().stream()
                    .filter(node -> node.getDistance() != NodeDistance.IGNORED)
                    .allMatch(node -> node.getState() == NodeState.UP && node.getOpenConnections() > 0);
            return isUp && schema != null && schema.equals(schemaOf(connection));
        }

        Kept idleSince(long nanos) {
            return new Kept(options, files, connection, schema, nanos);
        }
    }

    private final LongSupplier nanoTime;
    private final ScheduledExecutorService timer;

    @GuardedBy("this") private final List<Kept> idle = new ArrayList<>();
    /** Connections of the call that runs. */
    @GuardedBy("this") private final List<Kept> lent = new ArrayList<>();
    /** Keys for TLS, by what they were made of. */
    @GuardedBy("this") private final Map<List<Object>, SSLContext> keys = new HashMap<>();

    /** @param nanoTime a clock, as {@link System#nanoTime} */
    public KeptConnections(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "overdrive-idle");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Closes connections that have long been idle, from now on. */
    public void closeIdleRegularly() {
        var unused = timer.scheduleWithFixedDelay(this::closeIdle, CHECK_SECONDS, CHECK_SECONDS, TimeUnit.SECONDS);
    }

    /**
     * Connects for the call that runs, which closes what it gets as any connection.
     *
     * @throws OverdriveException as {@link Overdrive#connect}
     */
    public Overdrive connect(ConnectOptions options) {
        List<ByteBuffer> files = Stream.of(options.bundle(), options.driverConfig())
                .map(KeptConnections::content)
                .toList();
        for (Kept kept = idle(options, files); kept != null; kept = idle(options, files)) {
            if (kept.isFresh()) {
                return lend(kept, options);
            }
            kept.connection().close();
        }
        Overdrive connection = connectInterruptibly(options);
        return lend(new Kept(options, files, connection, schemaOf(connection), /* idleSince */ 0), options);
    }

    /** The driver's steps of connecting cannot be interrupted, but the thread that waits for them can. */
    private static Overdrive connectInterruptibly(ConnectOptions options) {
        CompletableFuture<Overdrive> connected = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        connected.complete(Overdrive.connect(options));
                    } catch (RuntimeException | Error e) {
                        connected.completeExceptionally(e);
                    }
                },
                "overdrive-connect");
        thread.setDaemon(true);
        thread.start();
        try {
            return connected.get();
        } catch (InterruptedException e) {
            var unused = connected.thenAccept(Overdrive::close);
            Thread.currentThread().interrupt();
            throw new OverdriveException(Kind.INTERRUPTED, "cancelled while it connected", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw (Error) e.getCause();
        }
    }

    /** Keys for TLS of these parts; those of an earlier call if it had the same. */
    public synchronized SSLContext tls(List<Object> parts, Supplier<SSLContext> made) {
        SSLContext known = keys.get(parts);
        if (known == null) {
            known = made.get();
            if (keys.size() == MAX_IDLE) {
                keys.clear();
            }
            keys.put(parts, known);
        }
        return known;
    }

    /** Takes an idle connection out; null if none serves these options. */
    private synchronized @Nullable Kept idle(ConnectOptions options, List<ByteBuffer> files) {
        for (Iterator<Kept> each = idle.iterator(); each.hasNext(); ) {
            Kept kept = each.next();
            if (kept.serves(options, files)) {
                each.remove();
                return kept;
            }
        }
        return null;
    }

    private Overdrive lend(Kept kept, ConnectOptions options) {
        synchronized (this) {
            lent.add(kept);
        }
        return kept.connection().share(options);
    }

    /** An empty one for no file. */
    private static ByteBuffer content(@Nullable Path file) {
        try {
            return file == null ? ByteBuffer.allocate(0) : ByteBuffer.wrap(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new OverdriveException(Kind.CONNECT, file + " cannot be read: " + e, e);
        }
    }

    private static @Nullable UUID schemaOf(Overdrive connection) {
        try {
            Row row = connection.session().execute(OwnQuery.of(SCHEMA)).one();
            return row == null ? null : row.getUuid(0);
        } catch (DriverException | IllegalStateException e) { // the second one if the session is closed
            return null;
        }
    }

    /** Ends the use by a call. After one that has failed or was cancelled, requests of it may be in flight, and its connections are closed. */
    public void ended(Outcome outcome) {
        List<Kept> toClose = new ArrayList<>();
        synchronized (this) {
            if (outcome == Outcome.DONE) {
                lent.forEach(kept -> idle.add(kept.idleSince(nanoTime.getAsLong())));
                while (idle.size() > MAX_IDLE) {
                    toClose.add(idle.remove(0));
                }
            } else {
                toClose.addAll(lent);
            }
            lent.clear();
        }
        toClose.forEach(kept -> kept.connection().close());
    }

    /** How a call has ended. */
    public enum Outcome {
        DONE,
        OTHERWISE
    }

    /** Closes connections that have long been idle. */
    void closeIdle() {
        List<Kept> old;
        synchronized (this) {
            old = idle.stream()
                    .filter(kept -> nanoTime.getAsLong() - kept.idleSince() >= MAX_IDLE_NANOS)
                    .toList();
            idle.removeAll(old);
        }
        old.forEach(kept -> kept.connection().close());
    }

    /** Closes all that are idle. */
    @Override
    public void close() {
        timer.shutdownNow();
        ended(Outcome.OTHERWISE);
        List<Kept> all;
        synchronized (this) {
            all = List.copyOf(idle);
            idle.clear();
        }
        all.forEach(kept -> kept.connection().close());
    }
}
