package io.overdrive.bench.ledger;

import io.overdrive.bench.Check;
import io.overdrive.bench.Check.Verdict;
import io.overdrive.bench.Description;
import io.overdrive.bench.Estimate;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Published;
import io.overdrive.bench.Result;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The claims of the documents, each joined to what stored results say about it. Immutable.
 *
 * @param rows a row for each claim, in the order of the documents
 */
public record Ledger(List<Row> rows) {
    public Ledger {
        rows = List.copyOf(rows);
    }

    /** The outcome of a claim. */
    public enum Status {
        REPRODUCED("reproduced"),
        NOT_REPRODUCED("not reproduced here"),
        /** Some of its checks are reproduced and some not, or some are undecided. */
        IN_PART("in part"),
        UNDECIDED("undecided"),
        /** It has no check, or no stored result has that check. */
        NOT_MEASURED("not measured yet"),
        ANSWERED("answered by a page"),
        NO_EXPERIMENT("not an experiment");

        private final String words;

        Status(String words) {
            this.words = words;
        }

        public String words() {
            return words;
        }
    }

    /**
     * A claim with the checks that judge it.
     *
     * @param source that made the claim
     */
    public record Row(Source source, Source.Claim claim, List<Judged> judged) {
        public Row {
            judged = List.copyOf(judged);
        }

        public Status status() {
            if (claim.checks().isEmpty()) {
                return claim.needs() != null
                        ? Status.NOT_MEASURED
                        : claim.page() != null ? Status.ANSWERED : Status.NO_EXPERIMENT;
            }
            List<Verdict> verdicts = judged.stream()
                    .map(Judged::check)
                    .<Verdict>mapMulti((check, next) -> {
                        if (check != null) {
                            next.accept(check.verdict());
                        }
                    })
                    .toList();
            if (verdicts.isEmpty()) {
                return Status.NOT_MEASURED;
            }
            if (verdicts.stream().allMatch(Verdict.REPRODUCED::equals)) {
                return verdicts.size() == judged.size() ? Status.REPRODUCED : Status.IN_PART;
            }
            if (verdicts.stream().allMatch(Verdict.NOT_REPRODUCED::equals)) {
                return Status.NOT_REPRODUCED;
            }
            return verdicts.stream().anyMatch(Ledger::isDecided) ? Status.IN_PART : Status.UNDECIDED;
        }

        /** Whether one of its results is stale. */
        public boolean isStale() {
            return judged.stream().anyMatch(each -> each.stale() != null);
        }
    }

    /**
     * A check of a claim, and what the stored result of its experiment has for it.
     *
     * @param name of the check: {@code grouping-order/replica-set}
     * @param result null if none is stored
     * @param check null if none is stored
     * @param figures the published figures, each with ours
     * @param stale why the result is not of today's engine or experiment; null if it is
     */
    public record Judged(
            String name, @Nullable Result result, @Nullable Check check, List<Beside> figures, @Nullable String stale) {
        public Judged {
            figures = List.copyOf(figures);
        }

        /** The name of the experiment. */
        public String experiment() {
            return name.substring(0, name.indexOf('/'));
        }
    }

    /**
     * A published figure, and ours.
     *
     * @param ours several if the check has several ratios; empty if there are none
     */
    public record Beside(Published published, List<Estimate> ours) {
        public Beside {
            ours = List.copyOf(ours);
        }
    }

    /**
     * Joins the claims with results.
     *
     * @param results one for each experiment that was run
     * @param today the descriptions of all experiments
     * @param engine the {@code Behaviour.VERSION} of today
     * @throws IllegalArgumentException if a claim names an experiment that does not exist
     */
    public static Ledger of(
            List<Source> sources, Collection<Result> results, Collection<Description> today, int engine) {
        Map<String, Result> stored = results.stream()
                .collect(Collectors.toMap(each -> each.description().name(), Function.identity()));
        Map<String, Description> descriptions =
                today.stream().collect(Collectors.toMap(Description::name, Function.identity()));
        return new Ledger(sources.stream()
                .flatMap(source -> source.claims().stream()
                        .map(claim -> new Row(
                                source,
                                claim,
                                claim.checks().stream()
                                        .map(name -> judged(name, stored, descriptions, engine))
                                        .toList())))
                .toList());
    }

    private static Judged judged(
            String name, Map<String, Result> stored, Map<String, Description> descriptions, int engine) {
        String[] parts = name.split("/", 2);
        Description description = descriptions.get(parts[0]);
        if (description == null) {
            throw new IllegalArgumentException("\"" + name + "\" is of no experiment");
        }
        Result result = stored.get(parts[0]);
        Check check = result == null
                ? null
                : result.checks().stream()
                        .filter(each -> each.id().equals(parts[1]))
                        .findFirst()
                        .orElse(null);
        List<Beside> figures = description.published().stream()
                .filter(figure -> figure.check().equals(parts[1]))
                .map(figure -> new Beside(figure, ours(figure, result, check)))
                .toList();
        return new Judged(
                name,
                result,
                check,
                figures,
                result == null || check == null ? null : stale(result, description, engine));
    }

    private static List<Estimate> ours(Published figure, @Nullable Result result, @Nullable Check check) {
        if (figure.figure() != null) {
            return result == null
                    ? List.of()
                    : List.of(figure.measuredIn(Findings.of(result))).stream()
                            .filter(each -> !each.isMissing())
                            .toList();
        }
        return check == null
                ? List.of()
                : check.measured().stream()
                        .filter(each -> each.unit().equals(figure.unit()) && !each.isMissing())
                        .toList();
    }

    private static @Nullable String stale(Result result, Description today, int engine) {
        String recorded = result.environment().get(Result.ENGINE);
        if (recorded == null) {
            return "its report names no commit and no behaviour of the engine";
        }
        if (!recorded.equals(String.valueOf(engine))) {
            return "flow control, grouping or sizes have changed since (behaviour " + recorded + ", now " + engine
                    + ")";
        }
        return result.description().version() == today.version()
                ? null
                : "the experiment has changed since (version "
                        + result.description().version() + ", now " + today.version() + ")";
    }

    /** How many rows have each status, those without any left out. */
    public Map<Status, Long> tally() {
        Map<Status, Long> tally = new EnumMap<>(Status.class);
        rows.forEach(row -> tally.merge(row.status(), 1L, Long::sum));
        return tally;
    }

    /** The number of rows with a stale result. */
    public long stale() {
        return rows.stream().filter(Row::isStale).count();
    }

    static boolean isDecided(Verdict verdict) {
        return verdict == Verdict.REPRODUCED || verdict == Verdict.NOT_REPRODUCED;
    }
}
