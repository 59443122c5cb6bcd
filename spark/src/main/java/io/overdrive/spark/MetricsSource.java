package io.overdrive.spark;

import io.overdrive.spark.config.EngineMetrics;

/**
 * The figures of the engine as metrics of Spark's driver and executors. Spark makes it if {@code spark.metrics.conf} names it:
 * {@code *.source.overdrive.class=io.overdrive.spark.MetricsSource}.
 */
public final class MetricsSource extends EngineMetrics {}
