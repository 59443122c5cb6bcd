/** One value: CQL bytes to Spark's rows and back. Executes (on the executors); on the hot path. */
@NullMarked
package io.overdrive.spark.cell;

import org.jspecify.annotations.NullMarked;
