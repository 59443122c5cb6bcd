package io.overdrive.spark.config;

import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import io.overdrive.OverdriveException;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.execution.QueryExecutionException;

/**
 * Turns failures during planning into Spark's own exceptions, whose message PySpark shows first and without the stack
 * trace of the JVM. Plans (on the driver). Stateless.
 */
public final class Failures {
    private Failures() {}

    /** IllegalArgumentException for a wrong name or statement, QueryExecutionException for everything else. */
    public static RuntimeException ofSpark(OverdriveException e) {
        if (e.kind() == OverdriveException.Kind.SCHEMA) {
            return new IllegalArgumentException(e.getMessage(), e);
        }
        return unchecked(new QueryExecutionException(e.getMessage(), e));
    }

    /** As {@link #ofSpark(OverdriveException)}, and NoSuchTableException if there is no such table, or no such keyspace. */
    public static RuntimeException ofTable(OverdriveException e, Settings settings) {
        if (e.kind() == OverdriveException.Kind.SCHEMA) {
            Identifier table =
                    Identifier.of(new String[] {settings.get(Setting.KEYSPACE)}, settings.get(Setting.TABLE));
            return unchecked(new MissingTable(table, String.valueOf(e.getMessage())));
        }
        return ofSpark(e);
    }

    /** As {@link #ofSpark(OverdriveException)}, for a statement that the driver itself executes. */
    public static RuntimeException ofSpark(DriverException e, String statement) {
        if (e instanceof QueryValidationException) {
            return new IllegalArgumentException("the server refuses \"" + statement + "\": " + e.getMessage(), e);
        }
        return unchecked(new QueryExecutionException(
                "\"" + statement + "\" may or may not have been applied: " + e.getMessage(), e));
    }

    /** Throws a checked exception that Spark's interfaces do not declare, as Scala has no checked exceptions. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> RuntimeException unchecked(Throwable e) throws E {
        throw (E) e;
    }
}
