/** Queries in SQL by DuckDB, over batches of Arrow. */
@NullMarked
package io.overdrive.sql;

import org.jspecify.annotations.NullMarked;
