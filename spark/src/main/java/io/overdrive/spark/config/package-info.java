/** What users set, and what depends on that alone: the engine of a cluster, and failures as Spark's exceptions. */
@NullMarked
package io.overdrive.spark.config;

import org.jspecify.annotations.NullMarked;
