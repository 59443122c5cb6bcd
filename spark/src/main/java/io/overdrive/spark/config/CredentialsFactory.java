package io.overdrive.spark.config;

import java.util.Set;
import org.apache.spark.SparkConf;
import org.jspecify.annotations.Nullable;

/**
 * Gets user and password, for example from a vault, where a setting names a class for that. Runs on Spark's driver, whenever a read, a write
 * or a connector is made. Programs implement the AuthConfFactory of overdrive-spark-scala, which is one.
 */
public interface CredentialsFactory {

    /** @param password not shown in {@link #toString} */
    record Credentials(String username, String password) {
        @Override
        public String toString() {
            return "Credentials[" + username + "]";
        }
    }

    /**
     * Null for a connection without credentials.
     *
     * @param conf the settings of application and session
     */
    @Nullable Credentials credentials(SparkConf conf);

    /** The names of settings that are only for this factory. */
    Set<String> ownSettings();
}
