package io.overdrive.spark.config;

import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.connector.catalog.Identifier;

/** That there is no such table, as Spark's programs catch it, with a message that suggests the nearest name. Immutable. */
final class MissingTable extends NoSuchTableException {
    private static final long serialVersionUID = 1;

    private final String message;

    MissingTable(Identifier table, String message) {
        super(table);
        this.message = message;
    }

    @Override
    public String getMessage() {
        return message;
    }
}
