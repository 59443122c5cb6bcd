/** Limits of reads, writes and lookups, and estimates of their time, for Spark's UI and log. */
@NullMarked
package io.overdrive.spark.metric;

import org.jspecify.annotations.NullMarked;
