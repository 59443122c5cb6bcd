package io.overdrive.jobs.sql;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.jobs.Workers;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * A query that runs between rows and those who read its result, each on a separate thread: a few batches wait on either side, and whatever ends
 * one of them ends all. Thread-safe.
 */
public final class QueryRun implements AutoCloseable {
    private static final int WAITING_BYTES = 8 << 20;
    /** How long threads may take to end, such as one that reads from a pipe in which nothing comes. */
    private static final long PATIENCE_MILLIS = 5_000;

    /** The rows that a query reads. */
    public interface Rows {
        /**
         * Writes them as a stream of Arrow IPC, and returns when the stream is complete.
         *
         * @throws OverdriveException if it is not, for example after {@link #stop}
         */
        void write(OutputStream to);

        /** Ends {@link #write} early. For any thread. */
        void stop();
    }

    private final Rows rows;
    private final TemporaryFiles files;
    private final Pipe input = new Pipe(WAITING_BYTES);
    private final Pipe result = new Pipe(WAITING_BYTES);
    private final Thread feeding = thread("overdrive-sql-input", this::feed);
    private final Thread executing;
    private final Object lock = new Object();
    private SqlEngine.@Nullable Execution execution;
    private boolean closed;

    private QueryRun(SqlEngine engine, SqlQuery query, Rows rows, TemporaryFiles files) {
        this.rows = rows;
        this.files = files;
        this.executing =
                thread("overdrive-sql", () -> Workers.guard("this query", result::fail, () -> execute(engine, query)));
    }

    private static Thread thread(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Begins to execute a query.
     *
     * @param input the name of the table with the rows
     * @param directory for rows that do not fit into memory
     * @param zone of local times
     * @throws OverdriveException of kind INPUT if the query is empty; of kind DISK if the directory cannot be written
     */
    public static QueryRun start(SqlEngine engine, String query, String input, Path directory, ZoneId zone, Rows rows) {
        TemporaryFiles files = TemporaryFiles.in(directory);
        try {
            QueryRun run = new QueryRun(engine, SqlQuery.of(query, input, files.path(), zone), rows, files);
            run.feeding.start();
            run.executing.start();
            return run;
        } catch (RuntimeException e) {
            files.close();
            throw e;
        }
    }

    private void feed() {
        Workers.guard("these rows", input::fail, () -> {
            rows.write(input.output());
            input.end();
        });
    }

    private void execute(SqlEngine engine, SqlQuery query) {
        RuntimeException failure = null;
        try (SqlEngine.Execution opened = engine.open(query)) {
            synchronized (lock) {
                execution = opened;
            }
            if (isClosed()) {
                opened.cancel();
            }
            opened.run(input.input(), result.output());
        } catch (IOException e) {
            failure = new OverdriveException(Kind.INPUT, "the query has failed: " + e.getMessage(), e);
        } catch (RuntimeException e) {
            failure = e;
        } finally {
            synchronized (lock) {
                execution = null;
            }
        }
        RuntimeException ofInput = failure == null ? null : input.failure();
        input.leave();
        rows.stop();
        await(feeding);
        if (ofInput != null) {
            result.fail(ofInput);
        } else if (failure != null) {
            result.fail(failure);
        } else {
            result.end();
        }
    }

    private boolean isClosed() {
        synchronized (lock) {
            return closed;
        }
    }

    private static void await(Thread thread) {
        try {
            thread.join(PATIENCE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The result as a stream of Arrow IPC. It ends when nothing reads the rows any more, and fails as the query or the rows have failed. */
    public InputStream result() {
        return result.input();
    }

    /** Whether a thread still waits for rows that do not come, once this is closed: what it reads must not be closed then. */
    public boolean isLeftBehind() {
        return feeding.isAlive();
    }

    /** Ends the query, and deletes its files. */
    @Override
    public void close() {
        cancel();
        await(executing);
        await(feeding);
        files.close();
    }

    /** Ends the query soon: readers of its result and writers of its rows fail. For any thread; does not wait. */
    public void cancel() {
        synchronized (lock) {
            closed = true;
            if (execution != null) {
                execution.cancel();
            }
        }
        result.leave(); // first, as the query then fails for want of its rows
        input.leave();
        rows.stop();
    }
}
