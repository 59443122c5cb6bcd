package io.overdrive.spark.metric;

import java.util.Arrays;
import org.apache.spark.sql.connector.metric.CustomMetric;

/** The metric of Spark's UI for a {@link JobEstimate}. Public, as Spark instantiates it by name. Stateless. */
public final class EstimatedTime implements CustomMetric {
    static final String NAME = "estimatedTime";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return "estimated time";
    }

    @Override
    public String aggregateTaskMetrics(long[] values) {
        return Arrays.stream(values)
                .filter(value -> value > 0)
                .mapToObj(JobEstimate::text)
                .findFirst()
                .orElse("");
    }
}
