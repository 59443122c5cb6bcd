package io.overdrive.spark.write;

import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import io.overdrive.TableSchema;
import io.overdrive.spark.config.Failures;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.config.SharedEngines;
import java.time.Duration;

/** Empties a table if that is confirmed by a setting. Runs on the driver. Stateless. */
public final class Truncation {
    /** Truncating may take the server a minute. */
    private static final Duration TIMEOUT = Duration.ofSeconds(120);

    private Truncation() {}

    /**
     * Emptying or dropping a table to replace its rows must be confirmed, as the rows are lost even if the query then
     * fails.
     *
     * @param done like "overwriting empties"
     */
    public static void requireConfirmed(Settings settings, TableSchema table, String done) {
        if (!settings.isOn(Setting.CONFIRM_TRUNCATE)) {
            throw new IllegalArgumentException("[" + table.cqlName() + "] " + done
                    + " the table before the first row is written: set option \"" + Setting.CONFIRM_TRUNCATE.option
                    + "\", or \"spark.overdrive." + Setting.CONFIRM_TRUNCATE.option
                    + "\" in the session, to true to confirm it, or use mode append");
        }
    }

    public static void run(Settings settings, TableSchema table) {
        String statement = "TRUNCATE " + table.cqlName();
        try {
            SharedEngines.of(settings)
                    .session()
                    .execute(SimpleStatement.newInstance(statement).setTimeout(TIMEOUT));
        } catch (DriverException e) {
            throw Failures.ofSpark(e, statement);
        }
    }
}
