package io.overdrive.cli.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Names in words the rows and columns that a run leaves out because of its options. Stateless. */
final class ReportScope {
    /** The effect of an option, of which {@code *} is the value. */
    private static final Map<String, String> OPTIONS = Map.ofEntries(
            Map.entry("--sample", "only * of the partitions"),
            Map.entry("--where", "only rows for which *"),
            Map.entry("--token-range", "only the token ranges *"),
            Map.entry("--columns", "only the columns *, besides the primary key"),
            Map.entry("--map", "columns as *"),
            Map.entry("--except", "without the tables *"),
            Map.entry("--keys", "only rows whose keys are in *"),
            Map.entry(
                    "--recheck",
                    "only the parts in which run * found differences; the others are taken to be as it found them"),
            Map.entry("--tolerance", "numbers with a floating point may differ by *"),
            Map.entry("--written-after", "only cells that were written after *"),
            Map.entry("--skip-records", "without the first * records"),
            Map.entry("--max-records", "only the first * records"),
            Map.entry("--query", "only the rows of *"),
            Map.entry("--sql", "only the rows of *"));

    private ReportScope() {}

    static List<String> leftOut(ParseResult given) {
        List<String> leftOut = new ArrayList<>();
        for (OptionSpec option : given.commandSpec().options()) {
            String text = OPTIONS.get(option.longestName());
            if (text != null && given.hasMatchedOption(option)) {
                leftOut.add(text.replace("*", String.join(", ", option.originalStringValues())) + " ("
                        + option.longestName() + ")");
            }
        }
        List<String> named = given.matchedPositionals().stream()
                .distinct()
                .flatMap(each -> each.originalStringValues().stream())
                .toList();
        String command = given.commandSpec().name();
        boolean isLast = command.equals("load") || command.equals("verify"); // after the input
        String tables = named.isEmpty() ? "" : named.get(isLast ? named.size() - 1 : 0);
        if (tables.contains("*") && !tables.endsWith(".*")) {
            leftOut.add("only the tables that " + tables + " stands for");
        }
        return leftOut;
    }
}
