package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.Reach;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.bench.tune.RowSample;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class TunePlanTest {
    private static TableSchema table(DataType value) {
        return new TableSchema(
                "shop",
                "Orders",
                List.of(new Column("id", DataTypes.BIGINT, Role.PARTITION_KEY), new Column("v", value, Role.REGULAR)));
    }

    private static TunePlan plan(DataType value, Map<String, Integer> replicas, int anywhere) {
        Reach reach = new Reach(
                "shop.\"Orders\"",
                "prod",
                "dc1",
                List.of("a:1"),
                List.of(),
                /* failoverDatacenter */ null,
                Map.of("dc1", 1, "dc2", 1),
                new TreeMap<>(replicas),
                anywhere,
                DefaultConsistencyLevel.LOCAL_ONE,
                /* hasConditions */ false);
        return new TunePlan(table(value), reach, /* nodes */ 1, /* tableBytes */ 0);
    }

    private static Map<String, String> words(TunePlan plan) {
        RowSample sample = new RowSample(plan.schema().columns(), /* maxBytes */ 1 << 20);
        return plan.words(sample, /* isOfFiles */ false, "at most 5 rows/s", Duration.ofMinutes(4));
    }

    @Test
    void otherDatacentersWithReplicasAreToBeAccepted() {
        TunePlan plan = plan(DataTypes.TEXT, Map.of("dc1", 3, "dc2", 2), 0);
        assertThatThrownBy(() -> plan.check(/* allDatacenters */ false))
                .hasMessage(
                        "keyspace shop has replicas in dc2, which would get the scratch rows, too: tune a table of a"
                                + " keyspace with replicas in dc1 only, or accept that with --all-datacenters");
        assertThatCode(() -> plan.check(/* allDatacenters */ true)).doesNotThrowAnyException();
        assertThat(words(plan)).containsEntry("replicas", "3 in dc1, 2 in dc2");
    }

    @Test
    void datacentersWithoutReplicasDoNotMatter() {
        TunePlan plan = plan(DataTypes.TEXT, Map.of("dc1", 3), 0);
        assertThatCode(() -> plan.check(/* allDatacenters */ false)).doesNotThrowAnyException();
    }

    @Test
    void withoutATopologyReplicasMayBeAnywhere() {
        TunePlan plan = plan(DataTypes.TEXT, Map.of(), 1);
        assertThatThrownBy(() -> plan.check(/* allDatacenters */ false)).hasMessageContaining("has replicas in dc2,");
        assertThat(words(plan)).containsEntry("replicas", "1 in any data centre");
    }

    @Test
    void countersAreRefused() {
        assertThatThrownBy(() -> plan(DataTypes.COUNTER, Map.of("dc1", 3), 0).check(/* allDatacenters */ true))
                .hasMessage("shop.\"Orders\" has counters, whose writes cannot be batched or repeated");
    }

    @Test
    void saysWhatTheClusterGets() {
        assertThat(words(plan(DataTypes.TEXT, Map.of("dc1", 3), 0)))
                .containsEntry("work", "writes for about half of the time, then reads, at most 5 rows/s")
                .containsEntry("time", "about 4:00 min");
    }
}
