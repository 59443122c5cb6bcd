package io.overdrive.spark.config;

import org.jspecify.annotations.Nullable;

/**
 * Refuses a class path with both jars of the connector: the same classes are in both, once with the driver moved and once
 * with it in its original packages, and do not fit each other. Plans and executes. Stateless.
 */
final class Bundles {
    /** Only overdrive-spark has it. */
    private static final String MOVED_DRIVER = "io/overdrive/shaded/com/datastax/oss/driver/api/core/CqlSession.class";
    /** Only overdrive-spark-scala has it. */
    private static final String SCALA_DOOR = "com/datastax/spark/connector/cql/CassandraConnector.class";

    private Bundles() {}

    /** @throws IllegalStateException if both jars are on the class path */
    static void requireOne() {
        ClassLoader ofThread = Thread.currentThread().getContextClassLoader();
        String message = problem(ofThread != null ? ofThread : Bundles.class.getClassLoader());
        if (message != null) {
            throw new IllegalStateException(message);
        }
    }

    /** The problem with the class path; null if there is none. */
    static @Nullable String problem(ClassLoader loader) {
        var moved = loader.getResource(MOVED_DRIVER);
        var scala = loader.getResource(SCALA_DOOR);
        return moved == null || scala == null
                ? null
                : "both overdrive-spark_2.13 and overdrive-spark-scala_2.13 are on the class path, and only one of them may"
                        + " be: remove overdrive-spark_2.13, as the other has everything of it (found "
                        + moved + " and " + scala + ")";
    }
}
