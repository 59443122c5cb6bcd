package io.overdrive.cli;

import io.overdrive.bench.Description;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.experiments.Experiments;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code overdrive bench}: experiments on a cluster's throughput. */
@Command(
        name = "bench",
        sortOptions = false,
        subcommands = StressCommand.class,
        description =
                "Runs experiments on what makes Cassandra fast or slow, and says whether published claims hold here.")
final class BenchCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "NAME",
            arity = "0..1",
            description = "An experiment of overdrive bench list, or all for each of them.")
    private @Nullable String name;

    @Override
    public Integer call() {
        if (name == null) {
            throw new ParameterException(spec.commandLine(), "say which experiment; overdrive bench list has them");
        }
        Experiments.named(name);
        return Main.DONE;
    }

    @Command(name = "list", description = "Lists the experiments.")
    int list() {
        PrintWriter out = spec.commandLine().getOut();
        for (Experiment experiment : Experiments.all()) {
            Description description = experiment.description();
            out.println(String.format(Locale.ROOT, "%-24s %s", description.name(), description.question()));
        }
        return Main.DONE;
    }
}
