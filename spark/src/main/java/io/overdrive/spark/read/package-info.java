/**
 * Reads: what Spark leaves to the server, the splits and keys of tasks, and the tasks. {@code CassandraScan} plans;
 * {@code ScanTask} and {@code LookupTask} execute.
 */
@NullMarked
package io.overdrive.spark.read;

import org.jspecify.annotations.NullMarked;
