package io.overdrive;

import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Drops the keyspaces that a class has created in the node of all tests. Each connection reads the tables of all keyspaces, and each change
 * of the schema makes a digest of them, so that what is left there costs all tests that follow. JUnit finds it by its name in the
 * resources.
 */
public final class ClassKeyspaces implements AfterAllCallback {
    /** The node may be waiting for a processor. */
    private static final Duration DROP = Duration.ofMinutes(2);

    /** The keyspaces of the class that this JVM runs. */
    private static final List<String> CREATED = new CopyOnWriteArrayList<>();

    static void add(String keyspace) {
        CREATED.add(keyspace);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        for (String keyspace : CREATED) {
            TestCluster.session()
                    .execute(SimpleStatement.newInstance("DROP KEYSPACE IF EXISTS " + keyspace)
                            .setTimeout(DROP));
        }
        CREATED.clear();
    }
}
