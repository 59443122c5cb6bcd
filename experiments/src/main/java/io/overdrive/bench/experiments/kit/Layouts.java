package io.overdrive.bench.experiments.kit;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.bench.Check;
import io.overdrive.bench.Check.Verdict;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Size;
import io.overdrive.bench.stress.Stress;
import io.overdrive.bench.stress.StressOptions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Two clusters of equal cost: all nodes in one data centre, or half of them in each of two. Each data centre has the same number of
 * replicas, so two data centres have twice as many in total. Users go to the first data centre. Stateless.
 */
public final class Layouts {
    public static final String LAYOUT = "layout";
    public static final String ONE = "1 data centre";
    public static final String TWO = "2 data centres";

    private static final String TABLE = "load_rows";

    private Layouts() {}

    /** The levels of {@link #LAYOUT}: both, if there are two data centres. */
    public static List<String> levels(Size size) {
        return size.datacenters() == 1 ? List.of(ONE) : List.of(ONE, TWO);
    }

    /** @throws IllegalStateException if this is the user's own cluster, with the other layout */
    public static ExperimentContext cluster(ExperimentContext context, String layout) {
        return layout.equals(TWO)
                ? context
                : context.inOneDatacenter()
                        .orElseThrow(() -> new IllegalStateException(
                                "this cluster has two data centres, and no other one is started beside"
                                        + " your own cluster: leave --host out to have both on this machine"));
    }

    /** All clusters, the one with one data centre first. */
    public static List<ExperimentContext> clusters(ExperimentContext context) {
        return Stream.concat(context.inOneDatacenter().stream(), Stream.of(context))
                .distinct()
                .toList();
    }

    /** The data centre that users go to. */
    public static String ofUsers(ExperimentContext cluster) {
        return cluster.datacenters().get(0);
    }

    /** A data centre without users, if there is one. */
    public static String ofOthers(ExperimentContext cluster) {
        return cluster.datacenters().get(cluster.size().datacenters() - 1);
    }

    /** The load of the users; reads find each row after {@link #populate}. */
    public static StressOptions.Builder load(ExperimentContext cluster, long keys) {
        return StressOptions.on(cluster.keyspace(), TABLE)
                .keys(keys)
                .seed(cluster.random("load").nextLong());
    }

    /** Creates the table of a load and writes all of its rows. */
    public static void populate(ExperimentContext cluster, StressOptions load) {
        cluster.progress("writes the rows of the load");
        cluster.createTable(TABLE, "(key bigint PRIMARY KEY, value blob)");
        Stress.populate(cluster.overdrive(), load);
        cluster.flush();
    }

    /** The number of rows in the table of a load. */
    public static long countRows(ExperimentContext cluster) {
        return cluster.countRows(TABLE, DefaultConsistencyLevel.LOCAL_QUORUM);
    }

    /** How long a load is measured by default: longer in larger experiments, up to 5 s. */
    public static Duration trial(Size size) {
        return Duration.ofMillis(Math.max(100, Math.min(5_000, size.rows() / 200)));
    }

    /**
     * The conclusion that is possible: none with one data centre, and none against a claim if all nodes share this
     * machine.
     */
    public static Check judge(Findings findings, Check check) {
        if (findings.size().datacenters() == 1) {
            return check.with(
                    Verdict.CANNOT_BE_SHOWN, "there is one data centre here, and no other cluster to compare to");
        }
        return findings.onThisMachine() && check.verdict() == Verdict.NOT_REPRODUCED
                ? check.with(
                        Verdict.CANNOT_BE_SHOWN,
                        check.evidence() + "; all nodes share the processors of this machine ("
                                + Runtime.getRuntime().availableProcessors()
                                + "), so no work is isolated from other work")
                : check;
    }
}
