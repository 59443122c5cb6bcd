/**
 * Settings of users, and objects that depend on them alone: the engine of a cluster, and failures as Spark's
 * exceptions.
 */
@NullMarked
package io.overdrive.spark.config;

import org.jspecify.annotations.NullMarked;
