/** Queries in SQL between files and tables, by an engine that is not part of this module. */
@NullMarked
package io.overdrive.jobs.sql;

import org.jspecify.annotations.NullMarked;
