package io.overdrive.cli.options;

import io.overdrive.simulated.SimulatedCluster;
import io.overdrive.simulated.SimulatedFault;
import io.overdrive.simulated.SimulatedOptions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Options of a cluster that is only simulated. Confined to one thread. */
public final class SimulatedMixin {
    private static final int DEFAULT_PORT = 9042;

    @Option(
            names = "--simulated",
            paramLabel = "N",
            description =
                    "Simulate N nodes in each data centre, up to 2,000 in all, until Ctrl-C: to try a command against a"
                            + " cluster of this shape. NO ROW IS KEPT.")
    private @Nullable Integer nodes;

    @Option(names = "--tokens", paramLabel = "T", description = "Number of tokens of each simulated node. Default: 16.")
    private @Nullable Integer tokens;

    @Option(
            names = "--racks",
            paramLabel = "R",
            description = "Number of racks in each simulated data centre. Default: 1.")
    private @Nullable Integer racks;

    @Option(
            names = "--rows",
            paramLabel = "N",
            converter = Amount.Count.class,
            description =
                    "Number of rows that can be read of the simulated table simulated.numbers, such as 20k or 1.5M."
                            + " Default: 1M.")
    private @Nullable Long rows;

    @Option(
            names = "--faults",
            split = ",",
            paramLabel = "FAULT=N",
            converter = Fault.class,
            description =
                    "Faults of simulated nodes: hang=N, hang-after-connect=N, slow=N, by 200 ms, and lose=N, where N is a"
                            + " number of nodes, or of hundredths with a percent sign; and restart=RACK, whose nodes restart in turn.")
    private @Nullable List<SimulatedFault> faults;

    private static final class Fault implements ITypeConverter<SimulatedFault> {
        @Override
        public SimulatedFault convert(String value) {
            try {
                return SimulatedFault.parse(value);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            }
        }
    }

    /** Whether the cluster is to be simulated. */
    public boolean isGiven() {
        return nodes != null;
    }

    /**
     * The cluster to simulate.
     *
     * @throws IllegalArgumentException if a number is out of bounds
     */
    public SimulatedOptions options(@Nullable Integer datacenters, @Nullable Integer port) {
        try {
            return SimulatedOptions.builder()
                    .nodesPerDatacenter(orElse(nodes, 1))
                    .datacenters(orElse(datacenters, 1))
                    .racks(orElse(racks, 1))
                    .tokensPerNode(orElse(tokens, 16))
                    .rows(rows == null ? 1_000_000 : rows)
                    .port(orElse(port, DEFAULT_PORT))
                    .build();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("--simulated: " + e.getMessage(), e);
        }
    }

    /**
     * Begins the faults of the cluster.
     *
     * @throws IllegalArgumentException if it has not enough nodes for them
     */
    public void beginFaults(SimulatedCluster cluster) {
        try {
            cluster.begin(faults == null ? List.of() : faults);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("--faults: " + e.getMessage(), e);
        }
    }

    private static int orElse(@Nullable Integer given, int otherwise) {
        return given == null ? otherwise : given;
    }

    /** @throws IllegalArgumentException if an option of simulated clusters is given for a real one */
    public void refuseForRealNodes() {
        String given = given("--tokens", tokens, "--racks", racks, "--rows", rows, "--faults", faults);
        if (!given.isEmpty()) {
            throw new IllegalArgumentException(
                    given + ": has an effect only with --simulated; add it, or leave this out");
        }
    }

    /**
     * Refuses options of real nodes.
     *
     * @param namesAndValues of options, in turns; the value is null if it is not given
     * @throws IllegalArgumentException if one is given
     */
    public void refuseForSimulatedNodes(@Nullable Object... namesAndValues) {
        String given = given(namesAndValues);
        if (!given.isEmpty()) {
            throw new IllegalArgumentException(
                    given + ": has no effect with --simulated N, which has the number of nodes"
                            + " and starts no real one; leave this out");
        }
    }

    private static String given(@Nullable Object... namesAndValues) {
        List<String> given = new ArrayList<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            if (namesAndValues[i + 1] != null) {
                given.add(String.valueOf(namesAndValues[i]));
            }
        }
        return String.join(", ", given);
    }
}
