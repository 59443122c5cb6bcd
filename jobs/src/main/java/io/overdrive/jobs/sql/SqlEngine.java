package io.overdrive.jobs.sql;

import io.overdrive.OverdriveException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** Executes queries over rows. Found on the class path, or in the installation ({@link SqlEngines}). Thread-safe. */
public interface SqlEngine {
    /** Prepares an execution. Nothing is read before it runs. */
    Execution open(SqlQuery query);

    /** One execution of a query. */
    interface Execution extends AutoCloseable {
        /**
         * Reads a stream of Arrow IPC, and writes the result as another one. Called once.
         *
         * @throws OverdriveException of kind INPUT if the query is wrong or fails
         * @throws IOException if the input fails, or the result cannot be written
         */
        void run(InputStream input, OutputStream result) throws IOException;

        /** Has {@link #run} fail soon. For any thread. */
        void cancel();

        @Override
        void close();
    }
}
