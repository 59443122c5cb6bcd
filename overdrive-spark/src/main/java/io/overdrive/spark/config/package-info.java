/** What users set, and what follows from it alone: the engine of a cluster, and the failures that Spark is told. */
@NullMarked
package io.overdrive.spark.config;

import org.jspecify.annotations.NullMarked;
