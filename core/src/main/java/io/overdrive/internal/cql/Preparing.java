package io.overdrive.internal.cql;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import com.datastax.oss.driver.internal.core.cql.DefaultPrepareRequest;
import com.datastax.oss.driver.internal.core.util.concurrent.CompletableFutures;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Prepares statements on the server. Thread-safe. */
public final class Preparing {
    private static final Logger LOG = LoggerFactory.getLogger(Preparing.class);
    private static final int MAX_RETRIES = 20;
    private static final long PAUSE_NANOS = 250_000_000;
    /** Nodes that fail before an earlier one has answered, which may hang. */
    private static final int ENOUGH_FAILURES = 2;

    private final CqlSession session;
    private final long pauseNanos;
    private final Duration nextNodeAfter;

    public Preparing(CqlSession session) {
        this(session, PAUSE_NANOS, OwnQuery.NEXT_NODE_AFTER);
    }

    Preparing(CqlSession session, long pauseNanos, Duration nextNodeAfter) {
        this.session = session;
        this.pauseNanos = pauseNanos;
        this.nextNodeAfter = nextNodeAfter;
    }

    /**
     * Prepares a statement.
     *
     * @param refusal how the message begins if the server refuses it
     * @throws OverdriveException of kind SCHEMA if the server refuses it
     */
    public PreparedStatement prepare(String cql, String refusal) {
        try {
            return ask(cql);
        } catch (QueryValidationException e) {
            throw new OverdriveException(Kind.SCHEMA, refusal + ": " + e.getMessage() + ": " + cql, e);
        }
    }

    /** Like {@link #prepare}, for a table that exists: a node that has just started may not have it yet, so retries for 5 s. */
    public PreparedStatement prepareWithRetries(String cql, String refusal) {
        for (int i = 0; i < MAX_RETRIES; i++) {
            PreparedStatement prepared = tryPrepare(cql);
            if (prepared != null) {
                return prepared;
            }
            LockSupport.parkNanos(pauseNanos);
        }
        return prepare(cql, refusal);
    }

    /** Asks the server whether it accepts a statement; null if it refuses it. */
    public @Nullable PreparedStatement tryPrepare(String cql) {
        try {
            return ask(cql);
        } catch (QueryValidationException e) {
            return null;
        }
    }

    /**
     * Asks the server.
     *
     * @throws QueryValidationException if it refuses the statement
     */
    private PreparedStatement ask(String cql) {
        try {
            return firstAnswer(cql);
        } catch (AllNodesFailedException | DriverTimeoutException e) {
            throw new OverdriveException(
                    Kind.CONNECT, "no node has prepared the statement: " + e.getMessage() + "; are the nodes up?", e);
        } catch (DriverException e) {
            throw e;
        } catch (RuntimeException e) { // the driver could not decode the answer, or its session was closed
            throw new OverdriveException(
                    Kind.CONNECT,
                    "no node has prepared the statement: " + e + "; is it Cassandra that answers at this address?",
                    e);
        }
    }

    /**
     * A node that has been asked may hang: after a moment, the next one is asked, too. If it refuses, an earlier one, which may know of a
     * table that it does not, has the last word; unless a third refuses as well.
     */
    private PreparedStatement firstAnswer(String cql) {
        CompletableFuture<PreparedStatement> first = new CompletableFuture<>();
        AtomicInteger open = new AtomicInteger();
        AtomicInteger failed = new AtomicInteger();
        for (int nodes = 1; nodes <= OwnQuery.MAX_NODES; nodes++) {
            open.incrementAndGet();
            session.prepareAsync(new FreshRequest(cql)).whenComplete((prepared, failure) -> {
                if (failure == null) {
                    first.complete(prepared);
                } else {
                    boolean isLast = open.decrementAndGet() == 0;
                    if (failed.incrementAndGet() == ENOUGH_FAILURES || isLast) {
                        first.completeExceptionally(failure);
                    }
                }
            });
            try {
                first.get(nextNodeAfter.toNanos(), TimeUnit.NANOSECONDS);
                break;
            } catch (TimeoutException e) {
                LOG.debug("after {}, no node has prepared the statement: {}", nextNodeAfter.multipliedBy(nodes), cql);
            } catch (ExecutionException e) {
                break; // thrown below
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            }
        }
        return CompletableFutures.getUninterruptibly(first);
    }

    /**
     * Equals no other request, so that the driver asks the server. Its cache would keep the types of the columns as long as somebody holds
     * the statement, although a table of the same name may have been created since with others.
     */
    private static final class FreshRequest extends DefaultPrepareRequest {
        FreshRequest(String cql) {
            super(cql);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }
}
