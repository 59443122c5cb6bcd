/** Writes and deletions: {@code CassandraWrite} plans, {@code WriteTask} executes. */
@NullMarked
package io.overdrive.spark.write;

import org.jspecify.annotations.NullMarked;
