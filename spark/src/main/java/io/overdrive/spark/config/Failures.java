package io.overdrive.spark.config;

import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import io.overdrive.OverdriveException;
import io.overdrive.internal.names.MessageText;
import io.overdrive.internal.names.VisibleText;
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
            return new IllegalArgumentException(message(e), e);
        }
        return unchecked(new QueryExecutionException(message(e), e));
    }

    /** The failure of a task, or a wrong setting of the engine, with the names that options have here. */
    public static RuntimeException named(RuntimeException e) {
        String message = message(e);
        if (message.equals(e.getMessage())) {
            return e;
        }
        return e instanceof OverdriveException known
                ? new OverdriveException(known.kind(), message, e)
                : new IllegalArgumentException(message, e);
    }

    private static String message(RuntimeException e) {
        return VisibleText.of(MessageText.of(e).in(OptionWords::of));
    }

    /** As {@link #ofSpark(OverdriveException)}, and NoSuchTableException if there is no such table, or no such keyspace. */
    public static RuntimeException ofTable(OverdriveException e, Settings settings) {
        if (e.kind() == OverdriveException.Kind.SCHEMA) {
            Identifier table =
                    Identifier.of(new String[] {settings.get(Setting.KEYSPACE)}, settings.get(Setting.TABLE));
            return unchecked(new MissingTable(table, message(e)));
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
