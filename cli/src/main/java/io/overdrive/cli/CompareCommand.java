package io.overdrive.cli;

import io.overdrive.bench.report.Comparison;
import io.overdrive.bench.report.HtmlReport;
import io.overdrive.bench.report.Results;
import io.overdrive.bench.report.TextReport;
import io.overdrive.internal.names.VisibleText;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code overdrive bench compare}: two results of the same experiment. */
@Command(
        name = "compare",
        sortOptions = false,
        description =
                "Compares two results of the same experiment: for each variant and figure, the factor of change with its"
                        + " 95 %% confidence interval, and whether it is significant: by Welch's t test of the logarithms"
                        + " (Holm over the variants, 5 %%), if the change is above 1 %%.",
        footer = {
            "",
            "Example:",
            "  overdrive bench compare before/grouping-order.json after/grouping-order.json --out compare.html"
        })
final class CompareCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "BEFORE", description = "The JSON file of the earlier result.")
    private Path before = Path.of("");

    @Parameters(index = "1", paramLabel = "AFTER", description = "The JSON file of the later result.")
    private Path after = Path.of("");

    @Option(names = "--out", paramLabel = "FILE", description = "Write the comparison as a page of HTML, too.")
    private @Nullable Path page;

    @Override
    public Integer call() {
        Comparison comparison = Comparison.of(Results.read(before), Results.read(after));
        spec.commandLine().getOut().print(VisibleText.of(TextReport.of(comparison)));
        if (page != null) {
            HtmlReport.write(HtmlReport.of(comparison), page);
            spec.commandLine().getErr().println("report: " + page);
        }
        return Main.DONE;
    }
}
