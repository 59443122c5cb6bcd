package io.overdrive.spark.metric;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.spark.TestSpark;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Test;

/** Tasks of real stages, whose times are made up. */
class RddLimitIT {
    private static final JavaSparkContext SPARK =
            JavaSparkContext.fromSparkContext(TestSpark.spark().sparkContext());

    /** Two tasks that take some time each, 60 % of it for the cluster. */
    private static JavaRDD<Integer> read(String table, int seconds) {
        RddLimit limit = RddLimit.register(SPARK.sc(), table);
        long units = TaskTime.units(TimeUnit.SECONDS.toNanos(seconds));
        long time = Packed.of(units, 6 * units / 10, 0);
        return SPARK.parallelize(List.of(1, 2), 2).map(number -> {
            limit.add(time);
            return number;
        });
    }

    private static List<String> logged(Runnable job) {
        return TestSpark.logged(RddLimit.class, () -> {
            job.run();
            TestSpark.awaitListeners();
        });
    }

    @Test
    void saysWhatLimitsEachStage() {
        assertThat(logged(() -> read("ks.t", 6).count()))
                .containsExactly("INFO [ks.t] read by 2 tasks, limited by the cluster, 60 % of the tasks' time");
    }

    @Test
    void stagesOfTheSameRddAreNotAddedUp() {
        JavaRDD<Integer> read = read("ks.twice", 4);
        assertThat(logged(() -> {
                    read.count();
                    read.count();
                }))
                .isEmpty();
    }

    @Test
    void aStageCountsTheTasksOfEachTable() {
        JavaRDD<Integer> both = read("ks.a", 5).union(read("ks.a", 5)).union(read("ks.b", 7));
        assertThat(logged(both::count))
                .containsExactlyInAnyOrder(
                        "INFO [ks.a] read by 4 tasks, limited by the cluster, 60 % of the tasks' time",
                        "INFO [ks.b] read by 2 tasks, limited by the cluster, 60 % of the tasks' time");
        assertThat(logged(
                        () -> read("ks.c", 7).union(read("ks.d", 7)).coalesce(1).count()))
                .containsExactlyInAnyOrder(
                        "INFO [ks.c] read by 1 task, limited by the cluster, 60 % of the tasks' time",
                        "INFO [ks.d] read by 1 task, limited by the cluster, 60 % of the tasks' time");
    }
}
