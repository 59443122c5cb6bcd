/**
 * Reads: what Spark may leave to the server, the splits and keys that tasks get, and the tasks. {@code CassandraScan} plans;
 * {@code ScanTask} and {@code LookupTask} travel to the executors.
 */
@NullMarked
package io.overdrive.spark.read;

import org.jspecify.annotations.NullMarked;
