package io.overdrive.spark;

import org.jspecify.annotations.Nullable;

/**
 * Checks that the connector supports this version of Spark. Uses only what every version of Spark and Scala has. Plans
 * (on the driver). Stateless.
 */
final class SparkVersion {
    private SparkVersion() {}

    /** @throws UnsupportedOperationException with another version of Spark or Scala */
    static void require() {
        String message = problem(spark(), scala());
        if (message != null) {
            throw new UnsupportedOperationException(message);
        }
    }

    /** The problem with these versions; null if they are supported or unknown. */
    static @Nullable String problem(String spark, String scala) {
        boolean isWrong = spark.matches("[0-3]\\..*") || (!scala.isEmpty() && !scala.startsWith("2.13."));
        return isWrong
                ? "Overdrive needs Spark 4 with Scala 2.13, and this is Spark " + spark + " with Scala " + scala
                        + ": run the job on Spark 4, or use the connector for Spark 3"
                : null;
    }

    private static String spark() {
        return call("org.apache.spark.package$", "SPARK_VERSION");
    }

    private static String scala() {
        return call("scala.util.Properties$", "versionNumberString");
    }

    private static String call(String object, String method) {
        try {
            Class<?> type = Class.forName(object);
            return String.valueOf(
                    type.getMethod(method).invoke(type.getField("MODULE$").get(null)));
        } catch (ReflectiveOperationException | LinkageError e) {
            return "";
        }
    }
}
