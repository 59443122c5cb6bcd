package io.overdrive.bench.ledger;

import io.overdrive.bench.Description;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.Result;
import io.overdrive.bench.report.Results;
import io.overdrive.internal.flow.Behaviour;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The ledger of a directory of results, as files. Immutable, but for the files.
 *
 * @param results the directory that has the {@code NAME.json}
 */
public record LedgerFiles(Path results, Ledger ledger) {
    /** Parents of {@code docs/experiments}: there the pages that claims name begin. */
    private static final Path ROOT = Path.of("../..");

    /** @throws IllegalArgumentException if the directory has no result of any of these experiments */
    public static LedgerFiles of(Path results, List<Experiment> experiments) {
        List<Description> descriptions =
                experiments.stream().map(Experiment::description).toList();
        List<Result> stored = descriptions.stream()
                .map(description -> results.resolve(description.name() + ".json"))
                .filter(Files::exists)
                .map(Results::read)
                .toList();
        if (stored.isEmpty()) {
            throw new IllegalArgumentException(
                    results + " has no result of an experiment, such as " + results.resolve("grouping-order.json"));
        }
        return new LedgerFiles(results, Ledger.of(Source.all(), stored, descriptions, Behaviour.VERSION));
    }

    /**
     * Writes {@code ledger.html} and {@code ledger.json} into a directory, which is made if it does not exist.
     *
     * @return what was written, in words
     */
    public String write(Path directory) {
        Path page = directory.resolve("ledger.html");
        Path root = results.resolve(ROOT);
        try {
            Files.createDirectories(directory);
            Path from = directory.toRealPath();
            String html = LedgerPage.of(
                    ledger,
                    relative(from, results.toRealPath()),
                    Files.isDirectory(root.resolve("docs/guides")) ? relative(from, root.toRealPath()) : null);
            Files.writeString(page, html);
            Files.writeString(directory.resolve("ledger.json"), LedgerJson.of(ledger));
        } catch (IOException e) {
            throw new UncheckedIOException(directory + " can't be written (" + e.getMessage() + ")", e);
        }
        return "ledger of " + ledger.rows().size() + " claims, " + ledger.stale() + " of them by stale results: "
                + page;
    }

    /** A relative path with a slash at its end, or empty for the same directory. */
    private static String relative(Path from, Path to) {
        String path = from.relativize(to).toString().replace('\\', '/');
        return path.isEmpty() ? "" : path + "/";
    }
}
