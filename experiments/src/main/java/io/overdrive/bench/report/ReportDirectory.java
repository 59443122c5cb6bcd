package io.overdrive.bench.report;

import io.overdrive.bench.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A directory of results: {@code NAME.json} and {@code NAME.html} for each experiment, and {@code index.html}, which links all of them. Immutable,
 * but for the files.
 *
 * @param path the directory, which exists
 * @param names the names of all experiments, in the order of the index
 */
public record ReportDirectory(Path path, List<String> names) {
    public ReportDirectory {
        names = List.copyOf(names);
    }

    public Path index() {
        return path.resolve("index.html");
    }

    /**
     * Writes a result and its page, and the index with it.
     *
     * @return the page
     */
    public Path write(Result result) {
        Results.write(result, json(result.description().name()));
        Path page = writePage(result);
        HtmlReport.write(HtmlReport.suite(results()), index());
        return page;
    }

    /**
     * Renders all pages again, from the JSON files.
     *
     * @return the number of results
     * @throws IllegalArgumentException if there is none
     */
    public int render() {
        List<Result> results = results();
        if (results.isEmpty()) {
            throw new IllegalArgumentException(
                    path + " has no result of an experiment, such as " + json("grouping-order"));
        }
        results.forEach(this::writePage);
        HtmlReport.write(HtmlReport.suite(results), index());
        return results.size();
    }

    private Path writePage(Result result) {
        Path page = path.resolve(result.description().name() + ".html");
        HtmlReport.write(HtmlReport.of(result), page);
        return page;
    }

    private List<Result> results() {
        return names.stream()
                .map(this::json)
                .filter(Files::exists)
                .map(Results::read)
                .toList();
    }

    private Path json(String name) {
        return path.resolve(name + ".json");
    }
}
