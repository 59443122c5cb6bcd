/** Joins that look up keys instead of reading the table. */
@NullMarked
package io.overdrive.spark.join;

import org.jspecify.annotations.NullMarked;
