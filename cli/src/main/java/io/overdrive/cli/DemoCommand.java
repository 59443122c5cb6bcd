package io.overdrive.cli;

import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.ConnectOptions;
import io.overdrive.Overdrive;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code overdrive demo}: loads and reads real data on a local node. */
@Command(
        name = "demo",
        description =
                "Starts a local Cassandra node, loads 336,776 real flights into its table demo.flights, which is dropped"
                        + " first if it exists, and reads some of them.")
final class DemoCommand implements Callable<Integer> {
    private static final String TABLE = "demo.flights";
    private static final String KEY = "(origin, dest, year, month), day, sched_dep_time, carrier, flight";

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        Path flights = Path.of(System.getProperty("overdrive.home", "."), "data", "flights.csv.zst");
        if (!Files.isReadable(flights)) {
            throw new IllegalArgumentException(
                    flights + " is missing: the demo runs from an installation of Overdrive");
        }
        out.println("1. Start a real Cassandra node on this machine");
        LocalCluster cluster = LocalCluster.start(LocalOptions.builder()
                .progress(line -> out.println("   " + line))
                .build());
        out.println(
                "   answers at " + LocalCommand.address(cluster.contactPoints().get(0)));
        try (Overdrive overdrive = Overdrive.connect(connect(cluster))) {
            overdrive.session().execute("DROP TABLE IF EXISTS " + TABLE);
        } catch (RuntimeException e) {
            if (!String.valueOf(e.getMessage()).contains("demo")) {
                throw e;
            }
            // The keyspace does not exist yet: the load creates it.
        }
        out.println();
        out.println(
                "2. Load all flights that left New York City in 2013, by route and month; the file is in order of time");
        out.println("   overdrive load " + flights + " " + TABLE + " --local --create --null NA \\");
        out.println("       --key \"" + KEY + "\"");
        out.flush();
        int code = spec.parent()
                .commandLine()
                .execute("load", flights.toString(), TABLE, "--local", "--create", "--null", "NA", "--key", KEY);
        if (code != Main.DONE) {
            return code;
        }
        out.println();
        out.println("3. Read flights from JFK to Honolulu in December, the latest first");
        showFlights(cluster, out);
        out.println();
        out.println(
                "The node keeps running. To end it: overdrive local stop; to delete its data, too: overdrive local wipe");
        out.flush();
        return Main.DONE;
    }

    private static void showFlights(LocalCluster cluster, PrintWriter out) {
        try (Overdrive overdrive = Overdrive.connect(connect(cluster))) {
            String query = "SELECT day, sched_dep_time, carrier, flight, dep_delay, arr_delay FROM " + TABLE
                    + " WHERE origin = 'JFK' AND dest = 'HNL' AND year = 2013 AND month = 12 ORDER BY day DESC LIMIT 5";
            out.println("   " + query);
            out.println(String.format(
                    Locale.ROOT,
                    "   %4s %6s %8s %7s %10s %10s",
                    "day",
                    "time",
                    "carrier",
                    "flight",
                    "dep_delay",
                    "arr_delay"));
            for (Row row : overdrive.session().execute(query)) {
                out.println(String.format(
                        Locale.ROOT,
                        "   %4d %6d %8s %7d %10s %10s",
                        row.getInt(0),
                        row.getInt(1),
                        row.getString(2),
                        row.getInt(3),
                        row.getObject(4),
                        row.getObject(5)));
            }
        }
    }

    private static ConnectOptions connect(LocalCluster cluster) {
        ConnectOptions.Builder builder = ConnectOptions.builder().datacenter(cluster.datacenter());
        cluster.contactPoints().forEach(builder::contactPoint);
        return builder.build();
    }
}
