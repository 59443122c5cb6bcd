/** One value: CQL bytes to Spark's rows and back. On the hot path. */
@NullMarked
package io.overdrive.spark.cell;

import org.jspecify.annotations.NullMarked;
