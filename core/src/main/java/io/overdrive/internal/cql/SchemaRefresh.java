package io.overdrive.internal.cql;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.connect.ConnectSetting;
import io.overdrive.internal.names.MessageText;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the driver read the schema again, for a limited time. If the driver (4.19) has no control connection then, or loses it
 * meanwhile, it neither fails this refresh nor any later one, but leaves them pending for ever ({@code
 * MetadataManager.startSchemaRequest} keeps {@code currentSchemaRefresh} after an error). Stateless.
 */
public final class SchemaRefresh {
    public static final Duration TIMEOUT = Duration.ofSeconds(30);

    private SchemaRefresh() {}

    /**
     * @param canRefresh whether there is a control connection
     * @throws OverdriveException of kind CONNECT if the schema cannot be read, or not in time; INTERRUPTED
     */
    public static Metadata run(CqlSession session, BooleanSupplier canRefresh, Duration timeout) {
        long start = System.nanoTime();
        try {
            while (!canRefresh.getAsBoolean()) {
                if (System.nanoTime() - start > timeout.toNanos()) {
                    throw late(timeout, "the driver's control connection is lost, and no node takes a new one");
                }
                Thread.sleep(20);
            }
            return session.refreshSchemaAsync().toCompletableFuture().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw late(
                    timeout,
                    "the driver has lost its control connection, after which it may never read the schema again; run"
                            + " the command again, or reconnect");
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw new OverdriveException(
                    Kind.CONNECT,
                    words -> "the schema cannot be read: " + String.valueOf(cause)
                            + wayOut(cause).in(words),
                    cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OverdriveException(Kind.INTERRUPTED, "interrupted while the schema was read");
        }
    }

    /** The server drops a type that only vectors use; the driver then reads no keyspace at all. */
    private static MessageText wayOut(@Nullable Throwable cause) {
        return String.valueOf(cause).contains("Can't find referenced user type")
                ? words -> "; a table of some keyspace still has a type that was dropped: drop the table, or name the"
                        + " keyspaces to read in a file of the driver (" + words.of(ConnectSetting.DRIVER_CONFIG)
                        + "), as datastax-java-driver.advanced.metadata.schema.refreshed-keyspaces = [\"ks\"]"
                : MessageText.EMPTY;
    }

    private static OverdriveException late(Duration timeout, String reason) {
        return new OverdriveException(
                Kind.CONNECT, "the schema was not read within " + timeout.toSeconds() + " s: " + reason);
    }
}
