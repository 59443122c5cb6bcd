package io.overdrive.bench.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Check;
import io.overdrive.bench.Check.Verdict;
import io.overdrive.bench.Description;
import io.overdrive.bench.Estimate;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Measurement;
import io.overdrive.bench.Published;
import io.overdrive.bench.Result;
import io.overdrive.bench.ledger.Ledger.Judged;
import io.overdrive.bench.ledger.Ledger.Row;
import io.overdrive.bench.ledger.Ledger.Status;
import io.overdrive.bench.ledger.Source.Claim;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The join of claims and results, and what makes a result stale. */
class LedgerTest {
    private static final Arm IN_ORDER = new Arm(Map.of("order", "in order"));
    private static final Arm SHUFFLED = new Arm(Map.of("order", "shuffled"));
    private static final Description TODAY = new Description(
            "order",
            "Order",
            "Does order matter?",
            "It does",
            "a talk",
            List.of(),
            2,
            List.of(
                    new Published("faster", 2.75, 2.75, "times", "in order to shuffled", "slide 1", null, Map.of()),
                    new Published(
                            "faster",
                            28_000,
                            28_000,
                            "rows/s",
                            "shuffled",
                            "slide 1",
                            Figure.ROWS_PER_SECOND,
                            Map.of("order", "shuffled"))));

    private static Claim claim(String... checks) {
        return new Claim("S1", "slide 1", "Order matters.", List.of(checks), null, null, null);
    }

    private static Ledger ledger(Claim claim, Result... results) {
        Source source = new Source("talk", "A talk", "A speaker", "2016", List.of(claim));
        return Ledger.of(List.of(source), List.of(results), List.of(TODAY), 7);
    }

    private static Row row(Claim claim, Result... results) {
        return ledger(claim, results).rows().get(0);
    }

    private static Result result(int version, Map<String, String> environment, Check... checks) {
        return new Result(
                new Description("order", "Order", "?", "It does", "a talk", List.of(), version, List.of()),
                Instant.parse("2026-11-21T12:00:00Z"),
                1,
                true,
                "overdrive bench order",
                Map.of(),
                environment,
                List.of(IN_ORDER, SHUFFLED),
                List.of(run(IN_ORDER, 1, 70_000), run(SHUFFLED, 1, 16_000), run(SHUFFLED, 2, 18_000)),
                Figure.ROWS_PER_SECOND,
                List.of(Figure.ROWS_PER_SECOND),
                List.of(),
                List.of(checks),
                List.of());
    }

    private static Measurement run(Arm arm, int block, double rate) {
        return new Measurement(arm, block, Map.of(Figure.ROWS_PER_SECOND, rate), List.of(), null);
    }

    private static Result today(Check... checks) {
        return result(2, Map.of(Result.ENGINE, "7"), checks);
    }

    private static Check check(String id, Verdict verdict) {
        return new Check("a claim", verdict, "figures").named(id);
    }

    @Test
    void putsOurFiguresBesideThePublishedOnes() {
        Result result =
                today(Check.atLeast(1.3, "In order is faster", new Estimate(4.2, 3.3, 5.3, "times", 0.1, 0.01, 5, ""))
                        .named("faster"));
        Judged judged = row(claim("order/faster"), result).judged().get(0);
        assertThat(judged.figures()).hasSize(2);
        assertThat(judged.figures().get(0).ours())
                .extracting(each -> each.value())
                .containsExactly(4.2);
        assertThat(judged.figures().get(1).published()).hasToString("28,000 rows/s");
        assertThat(judged.figures().get(1).ours())
                .extracting(each -> each.value())
                .containsExactly(17_000.0);
        assertThat(judged.stale()).isNull();
    }

    @Test
    void aClaimWithoutAResultIsNotMeasured() {
        Row row = row(claim("order/faster"));
        assertThat(row.status()).isEqualTo(Status.NOT_MEASURED);
        assertThat(row.isStale()).isFalse();
        assertThat(row.judged().get(0).figures()).hasSize(2).allSatisfy(each -> assertThat(each.ours())
                .isEmpty());
    }

    @Test
    void aResultThatLacksTheCheckCountsAsNone() {
        assertThat(row(claim("order/faster"), today(check("slower", Verdict.REPRODUCED)))
                        .status())
                .isEqualTo(Status.NOT_MEASURED);
    }

    @ParameterizedTest
    @CsvSource({
        "REPRODUCED, REPRODUCED, REPRODUCED",
        "NOT_REPRODUCED, NOT_REPRODUCED, NOT_REPRODUCED",
        "UNCERTAIN, CANNOT_BE_SHOWN, UNDECIDED",
        "REPRODUCED, NOT_REPRODUCED, IN_PART",
        "REPRODUCED, UNCERTAIN, IN_PART",
        "NOT_REPRODUCED, CANNOT_BE_SHOWN, IN_PART",
    })
    void theOutcomeFollowsFromAllChecks(Verdict first, Verdict second, Status status) {
        assertThat(row(claim("order/one", "order/two"), today(check("one", first), check("two", second)))
                        .status())
                .isEqualTo(status);
    }

    @Test
    void aClaimWhoseChecksAreOnlyInPartMeasuredIsReproducedInPart() {
        assertThat(row(claim("order/one", "order/two"), today(check("one", Verdict.REPRODUCED)))
                        .status())
                .isEqualTo(Status.IN_PART);
    }

    @Test
    void claimsWithoutChecksHaveAPageOrAReason() {
        assertThat(row(new Claim("S1", "1", "It has types.", null, "README.md", "So have we.", null))
                        .status())
                .isEqualTo(Status.ANSWERED);
        assertThat(row(new Claim("S1", "1", "Join us.", null, null, "An invitation.", null))
                        .status())
                .isEqualTo(Status.NO_EXPERIMENT);
        assertThat(row(new Claim("S1", "1", "Racks matter.", null, "README.md", null, "racks"))
                        .status())
                .isEqualTo(Status.NOT_MEASURED);
    }

    private static @Nullable String stale(Result result) {
        return row(claim("order/faster"), result).judged().get(0).stale();
    }

    @Test
    void resultsOfAnotherEngineOrExperimentAreStale() {
        Check check = check("faster", Verdict.REPRODUCED);
        assertThat(stale(today(check))).isNull();
        assertThat(stale(result(0, Map.of(), check)))
                .isEqualTo("its report names no commit and no behaviour of the engine");
        assertThat(stale(result(2, Map.of(Result.ENGINE, "6"), check)))
                .isEqualTo("flow control, grouping or sizes have changed since (behaviour 6, now 7)");
        assertThat(stale(result(1, Map.of(Result.ENGINE, "7"), check)))
                .isEqualTo("the experiment has changed since (version 1, now 2)");
        Ledger ledger = ledger(claim("order/faster"), result(1, Map.of(Result.ENGINE, "7"), check));
        assertThat(ledger.stale()).isEqualTo(1);
        assertThat(ledger.tally()).isEqualTo(Map.of(Status.REPRODUCED, 1L));
    }

    @Test
    void namesAClaimOfNoExperiment() {
        assertThatThrownBy(() -> row(claim("sort/faster"))).hasMessage("\"sort/faster\" is of no experiment");
    }
}
