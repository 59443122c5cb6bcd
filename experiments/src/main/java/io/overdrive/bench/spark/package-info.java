/** Experiments whose work is jobs of Spark, in executors beside the nodes. */
@NullMarked
package io.overdrive.bench.spark;

import org.jspecify.annotations.NullMarked;
