package io.overdrive.bench.experiments.kit;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.bench.Check;
import io.overdrive.bench.Check.Verdict;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Size;
import io.overdrive.bench.load.Load;
import io.overdrive.bench.load.LoadOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Two clusters of equal cost: all nodes in one data centre, or half of them in each of two. Copies in each data centre are as many, so two data
 * centres hold twice as many in all. Users go to the first data centre. Stateless.
 */
public final class Layouts {
    public static final String LAYOUT = "layout";
    public static final String ONE = "1 data centre";
    public static final String TWO = "2 data centres";

    private static final String TABLE = "load_rows";

    private Layouts() {}

    /** The levels of {@link #LAYOUT}: both, where there are two data centres. */
    public static List<String> levels(Size size) {
        return size.datacenters() == 1 ? List.of(ONE) : List.of(ONE, TWO);
    }

    /** @throws IllegalStateException where this cluster is the user's own, and laid out in the other way */
    public static ExperimentContext cluster(ExperimentContext bench, String layout) {
        return layout.equals(TWO)
                ? bench
                : bench.inOneDatacenter()
                        .orElseThrow(() -> new IllegalStateException(
                                "this cluster has two data centres, and no other is started beside"
                                        + " one of your own: leave --host out to have both on this machine"));
    }

    /** Those that there are, that of one data centre first. */
    public static List<ExperimentContext> clusters(ExperimentContext bench) {
        return Stream.concat(bench.inOneDatacenter().stream(), Stream.of(bench))
                .distinct()
                .toList();
    }

    /** The data centre that users go to. */
    public static String ofUsers(ExperimentContext cluster) {
        return cluster.datacenters().get(0);
    }

    /** One where users do not go, if there is one. */
    public static String ofOthers(ExperimentContext cluster) {
        return cluster.datacenters().get(cluster.size().datacenters() - 1);
    }

    /** What the users do; reads find each row after {@link #populate}. */
    public static LoadOptions.Builder load(ExperimentContext cluster, long keys) {
        return LoadOptions.on(cluster.keyspace(), TABLE)
                .keys(keys)
                .seed(cluster.random("load").nextLong());
    }

    /** Makes the table of a load and all of its rows. */
    public static void populate(ExperimentContext cluster, LoadOptions load) {
        cluster.progress("writes the rows of the load");
        cluster.createTable(TABLE, "(key bigint PRIMARY KEY, value blob)");
        Load.populate(cluster.overdrive(), load);
        cluster.flush();
    }

    /** How many rows the table of a load has. */
    public static long countRows(ExperimentContext cluster) {
        return cluster.countRows(TABLE, DefaultConsistencyLevel.LOCAL_QUORUM);
    }

    /** How long a load is measured where nothing else says so: longer in experiments that are larger, up to 5 s. */
    public static Duration trial(Size size) {
        return Duration.ofMillis(Math.max(100, Math.min(5_000, size.rows() / 200)));
    }

    public static boolean areOnThisMachine(ExperimentContext bench) {
        return bench.session().getMetadata().getNodes().values().stream().allMatch(node -> {
            InetAddress address = ((InetSocketAddress) node.getEndPoint().resolve()).getAddress();
            return address != null && address.isLoopbackAddress();
        });
    }

    /**
     * What may be concluded: nothing from one data centre, and nothing that speaks against a claim where nodes have no processors of their own.
     *
     * @param onThisMachine {@link #areOnThisMachine}
     */
    public static Check judge(Findings findings, boolean onThisMachine, Check check) {
        if (findings.size().datacenters() == 1) {
            return Check.cannotBeShown(
                    check.claim(), "there is one data centre here, and no other cluster to compare to");
        }
        return onThisMachine && check.verdict() == Verdict.NOT_REPRODUCED
                ? Check.cannotBeShown(
                        check.claim(),
                        check.evidence() + "; all nodes share the processors of this machine ("
                                + Runtime.getRuntime().availableProcessors()
                                + "), so no work is isolated from other work")
                : check;
    }
}
