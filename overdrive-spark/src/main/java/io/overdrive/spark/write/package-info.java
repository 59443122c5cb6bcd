/** Writes and deletions: {@code CassandraWrite} plans, {@code WriteTask} travels to the executors. */
@NullMarked
package io.overdrive.spark.write;

import org.jspecify.annotations.NullMarked;
