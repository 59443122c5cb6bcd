package io.overdrive.spark.config;

import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import io.overdrive.OverdriveException;
import org.apache.spark.sql.execution.QueryExecutionException;

/**
 * Failures while Spark plans, as exceptions that Spark has: PySpark shows their message first, and without the stack trace
 * of the JVM. Stateless.
 */
public final class Failures {
    private Failures() {}

    /** A wrong name or statement is a wrong argument; everything else is a failed query. */
    public static RuntimeException ofSpark(OverdriveException e) {
        if (e.kind() == OverdriveException.Kind.SCHEMA) {
            return new IllegalArgumentException(e.getMessage(), e);
        }
        return unchecked(new QueryExecutionException(e.getMessage(), e));
    }

    /** As {@link #ofSpark(OverdriveException)}, for a statement that the driver itself executes. */
    public static RuntimeException ofSpark(DriverException e, String statement) {
        if (e instanceof QueryValidationException) {
            return new IllegalArgumentException("the server refuses \"" + statement + "\": " + e.getMessage(), e);
        }
        return unchecked(new QueryExecutionException(
                "\"" + statement + "\" may or may not have been applied: " + e.getMessage(), e));
    }

    /** Spark is written in Scala, which has no checked exceptions: its interfaces declare none. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> RuntimeException unchecked(Throwable e) throws E {
        throw (E) e;
    }
}
