package io.overdrive.spark.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ExecutorConnectionsTest {
    private static ExecutorConnections of(long executors, long tasks, long nodesOfTask, boolean isGuarded) {
        return ExecutorConnections.of(
                executors, tasks, nodesOfTask, /* nodes */ 1_000, /* connectionsOfNode */ 1, isGuarded);
    }

    @Test
    void anExecutorConnectsToTheNodesOfItsTasks() {
        assertThat(of(500, 1_000, 6, false).each()).isEqualTo(1 + 3 + 2 * 6);
        assertThat(of(500, 501, 6, false).each()).isEqualTo(1 + 3 + 2 * 6);
        assertThat(of(500, 78_125, 6, false).each()).isEqualTo(1 + 3 + 157 * 6);
    }

    @Test
    void anExecutorConnectsAtMostToAllNodes() {
        assertThat(of(500, 500_000, 6, false).each()).isEqualTo(1 + 1_000);
        assertThat(of(500, 500, Integer.MAX_VALUE, false).each()).isEqualTo(1 + 1_000);
    }

    @Test
    void executorsWithoutATaskDoNotConnect() {
        assertThat(of(500, 20, 6, false).executors()).isEqualTo(20);
    }

    @Test
    void aGuardAsksEachNodeOnSeparateConnections() {
        assertThat(of(500, 1_000, 6, true).each()).isEqualTo(1 + 3 + 2 * 6 + 1 + 1_000);
    }

    @Test
    void saysHowManyTheClusterGets() {
        assertThat(of(500, 78_125, 6, false))
                .hasToString("500 executors open at most 946 connections each, 473,000 in all, about 473 to each of"
                        + " 1,000 nodes");
    }

    @Test
    void theDriverIsNoExecutor() {
        assertThat(ExecutorConnections.isExecutor("driver")).isFalse();
        assertThat(ExecutorConnections.isExecutor("17")).isTrue();
        assertThat(ExecutorConnections.isExecutor((org.apache.spark.SparkEnv) null))
                .isFalse();
    }
}
