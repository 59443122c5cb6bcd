package io.overdrive.spark.metric;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.internal.flow.ThreadWaits;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LimitedByTest {
    private static final LimitedBy LIMITED_BY = new LimitedBy();

    @Test
    void limitedByWhatTookMostOfTheTime() {
        assertThat(LIMITED_BY.aggregateTaskMetrics(new long[] {Packed.of(100, 80, 0), Packed.of(100, 40, 0)}))
                .isEqualTo("the cluster, 60 % of the tasks' time");
        assertThat(LIMITED_BY.aggregateTaskMetrics(new long[] {Packed.of(100, 20, 0), Packed.of(300, 20, 60)}))
                .isEqualTo("Spark's tasks, 75 % of the tasks' time");
        assertThat(LIMITED_BY.aggregateTaskMetrics(new long[] {0, Packed.of(100, 20, 70)}))
                .isEqualTo("the rate limit, 70 % of the tasks' time");
    }

    @Test
    void nothingIsSaidWithoutFigures() {
        assertThat(LIMITED_BY.aggregateTaskMetrics(new long[] {0, 0})).isEmpty();
        assertThat(new EstimatedTime().aggregateTaskMetrics(new long[0])).isEmpty();
    }

    @Test
    void aTaskHasItsOwnTimeAndTheWaitsOfAllItsWriters() {
        TaskTime task = new TaskTime(0);
        task.add(new ThreadWaits(TimeUnit.SECONDS.toNanos(30), TimeUnit.SECONDS.toNanos(1)));
        task.add(new ThreadWaits(TimeUnit.SECONDS.toNanos(30), 0));
        long one = task.packed(TimeUnit.SECONDS.toNanos(100));
        long idle = Packed.of(10_000, 0, 0);
        assertThat(said(one)).isEqualTo("the cluster, 60 % of the tasks' time");
        assertThat(said(LimitedBy.ofWriters(one, idle))).isEqualTo("the cluster, 60 % of the tasks' time");
        assertThat(said(LimitedBy.ofTasks(one, idle))).isEqualTo("Spark's tasks, 69 % of the tasks' time");
    }

    @Test
    void sharesStayTheSameForTasksOfDays() {
        TaskTime task = new TaskTime(0);
        task.add(new ThreadWaits(TimeUnit.DAYS.toNanos(6), 0));
        assertThat(said(task.packed(TimeUnit.DAYS.toNanos(10)))).isEqualTo("the cluster, 60 % of the tasks' time");
    }

    @Test
    void aJobOfLessThanTenSecondsSaysNothing() {
        TaskTime task = new TaskTime(0);
        task.add(new ThreadWaits(TimeUnit.SECONDS.toNanos(4), 0));
        long five = task.packed(TimeUnit.SECONDS.toNanos(5));
        assertThat(LimitedBy.ofJob(new long[] {five, five})).isEqualTo("the cluster, 80 % of the tasks' time");
        assertThat(LimitedBy.ofJob(new long[] {five, task.packed(TimeUnit.MILLISECONDS.toNanos(4_980))}))
                .isNull();
        assertThat(LimitedBy.ofJob(new long[0])).isNull();
    }

    @Test
    void tasksOfAnRddAreAddedUp() {
        RddLimit limit = new RddLimit();
        assertThat(limit.isZero()).isTrue();
        limit.add(Packed.of(2_000_000, 200_000, 0));
        RddLimit other = (RddLimit) limit.copyAndReset();
        other.add(Packed.of(2_000_000, 1_800_000, 0));
        other.add(Packed.of(1_000_000, 1_000_000, 0));
        limit.merge(other);
        assertThat(limit.value()).hasToString("the cluster, 60 % of the tasks' time");
        assertThat(limit.copy().value()).isEqualTo(limit.value());
        limit.reset();
        assertThat(limit.isZero()).isTrue();
    }

    private static String said(long value) {
        return LIMITED_BY.aggregateTaskMetrics(new long[] {value});
    }

    @Test
    void eachWaitIsReportedOnceWhateverTheOrderOfTheTasks() {
        UnreportedWaits waits = new UnreportedWaits();
        assertThat(waits.take(new ThreadWaits(30, 3))).isEqualTo(new ThreadWaits(30, 3));
        assertThat(waits.take(new ThreadWaits(20, 3))).isEqualTo(ThreadWaits.NONE);
        assertThat(waits.take(new ThreadWaits(40, 4))).isEqualTo(new ThreadWaits(10, 1));
    }

    @Test
    void threeNumbersFitIntoOne() {
        long packed = Packed.of(1, 2_000_000, 7);
        assertThat(Packed.first(packed)).isOne();
        assertThat(Packed.second(packed)).isEqualTo(2_000_000);
        assertThat(Packed.third(packed)).isEqualTo(7);
        assertThat(Packed.second(Packed.of(0, Long.MAX_VALUE, 0))).isEqualTo((1 << 21) - 1);
        assertThat(Packed.of(Long.MAX_VALUE, 0, 0)).isPositive();
    }
}
