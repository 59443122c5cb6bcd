package io.overdrive.sql;

import io.overdrive.jobs.sql.SqlEngine;
import io.overdrive.jobs.sql.SqlQuery;

/** Executes queries by DuckDB, each in a separate database in memory. Thread-safe. */
public final class DuckDbEngine implements SqlEngine {
    @Override
    public Execution open(SqlQuery query) {
        return new DuckDbExecution(query);
    }
}
