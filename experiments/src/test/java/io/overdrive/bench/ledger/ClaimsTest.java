package io.overdrive.bench.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Check;
import io.overdrive.bench.Description;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Measurement;
import io.overdrive.bench.Preset;
import io.overdrive.bench.Published;
import io.overdrive.bench.Result;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.Experiments;
import io.overdrive.bench.ledger.Ledger.Row;
import io.overdrive.bench.ledger.Ledger.Status;
import io.overdrive.bench.ledger.Source.Claim;
import io.overdrive.bench.report.Results;
import io.overdrive.bench.spark.SparkOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The claims of the documents against the experiments, the pages and the results of this repository. */
class ClaimsTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path RESULTS = ROOT.resolve("docs/experiments");

    /** All items of the documents. */
    private static final int ITEMS = 133;

    private static final SparkOptions BOTH =
            new SparkOptions(Path.of("spark-4"), Path.of("bundle.jar"), Path.of("spark-3.5"), Map.of());

    private static Stream<Claim> claims() {
        return Source.all().stream().flatMap(source -> source.claims().stream());
    }

    private static List<Experiment> experiments() {
        return Experiments.all(BOTH);
    }

    /** The names of all checks of all experiments, as {@code grouping-order/replica-set}. */
    private static Set<String> checks() {
        return experiments().stream()
                .flatMap(experiment -> experiment.check(runs(experiment)).stream()
                        .map(check -> experiment.description().name() + "/" + check.id()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Two runs of each arm, all with the same figures. */
    private static Findings runs(Experiment experiment) {
        Size size = experiment.size(Preset.LAPTOP);
        Map<Figure, Double> figures = new EnumMap<>(Figure.class);
        Stream.of(Figure.values()).forEach(figure -> figures.put(figure, 1.0));
        List<Measurement> runs = new ArrayList<>();
        for (int block = 1; block <= 2; block++) {
            for (Arm arm : experiment.arms(size)) {
                runs.add(new Measurement(arm, block, figures, List.of(), null));
            }
        }
        return new Findings(runs, new Findings.Conditions(3, size, true));
    }

    private static Ledger ledger() {
        return LedgerFiles.of(RESULTS, experiments()).ledger();
    }

    @Test
    void eachItemOfTheDocumentsHasOneRow() {
        assertThat(claims().map(Claim::id))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.rangeClosed(1, ITEMS).mapToObj(i -> "S" + i).toList());
    }

    @Test
    void eachRowIsJudgedOrAnsweredOrSaysWhyNot() {
        assertThat(claims()).allSatisfy(claim -> {
            assertThat(claim.said()).matches(".*[.?]").doesNotContain("  ");
            assertThat(claim.checks().isEmpty() && claim.needs() == null && claim.note() == null)
                    .as(claim.id() + " has neither a check, nor an answer or reason, nor what it needs")
                    .isFalse();
        });
    }

    @Test
    void eachCheckThatARowNamesExists() {
        assertThat(claims().flatMap(claim -> claim.checks().stream())).isSubsetOf(checks());
    }

    @Test
    void eachCheckHasANameThatIsUniqueInItsExperiment() {
        assertThat(experiments()).allSatisfy(experiment -> assertThat(experiment.check(runs(experiment)))
                .extracting(Check::id)
                .doesNotHaveDuplicates()
                .allSatisfy(id -> assertThat(id).matches("[a-z0-9]+(-[a-z0-9]+)*")));
    }

    @Test
    void eachPageThatARowNamesExistsWithItsAnchor() throws IOException {
        for (String page :
                claims().map(Claim::page).filter(page -> page != null).toList()) {
            String[] parts = page.split("#", 2);
            Path file = ROOT.resolve(parts[0]);
            assertThat(file).isRegularFile();
            if (parts.length > 1) {
                assertThat(Files.readString(file)
                                .lines()
                                .filter(line -> line.startsWith("#"))
                                .map(ClaimsTest::anchor))
                        .as(page)
                        .contains(parts[1]);
            }
        }
    }

    private static String anchor(String heading) {
        return heading.replaceFirst("#+ ", "")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\w -]", "")
                .replace(' ', '-');
    }

    @Test
    void publishedFiguresAreOfChecksAndArmsThatExist() {
        Set<String> checks = checks();
        for (Experiment experiment : experiments()) {
            Description description = experiment.description();
            for (Published figure : description.published()) {
                assertThat(checks).contains(description.name() + "/" + figure.check());
                if (figure.figure() != null) {
                    assertThat(figure.measuredIn(runs(experiment)).isMissing())
                            .as(description.name() + ": " + figure.levels())
                            .isFalse();
                }
            }
        }
    }

    @Test
    void storedResultsHaveTheChecksOfTheirExperiments() {
        Set<String> checks = checks();
        for (Result result : stored()) {
            String name = result.description().name();
            assertThat(result.checks()).allSatisfy(check -> assertThat(checks).contains(name + "/" + check.id()));
            assertThat(ledger().rows().stream()
                            .flatMap(row -> row.judged().stream())
                            .filter(judged -> judged.experiment().equals(name)))
                    .allSatisfy(judged -> {
                        assertThat(judged.check()).as(judged.name()).isNotNull();
                        assertThat(judged.figures()).as(judged.name()).allSatisfy(figure -> assertThat(
                                        figure.ours().isEmpty())
                                .isEqualTo(judged.check() != null
                                        && judged.check().measured().isEmpty()
                                        && figure.published().figure() == null));
                    });
        }
    }

    private static List<Result> stored() {
        return experiments().stream()
                .map(experiment -> RESULTS.resolve(experiment.description().name() + ".json"))
                .filter(Files::exists)
                .map(Results::read)
                .toList();
    }

    @Test
    void anUndecidedRowSaysWhatWouldDecideIt() {
        assertThat(ledger().rows().stream()
                        .filter(row -> row.status() == Status.UNDECIDED || row.status() == Status.NOT_MEASURED))
                .isNotEmpty()
                .allSatisfy(row -> assertThat(row.claim().needs())
                        .as(row.claim().id() + " " + row.claim().said())
                        .isNotBlank());
    }

    @Test
    void rowsAreInTheOrderOfTheSlides() {
        assertThat(ledger().rows().stream()
                        .filter(row -> row.source().key().equals("spitzer"))
                        .map(ClaimsTest::slide))
                .isSorted();
    }

    private static int slide(Row row) {
        return Integer.parseInt(row.claim().place().replaceAll("^\\D+(\\d+).*", "$1"));
    }

    /** Update it: overdrive bench ledger docs/experiments --out docs/experiments. */
    @Test
    void theLedgerOfTheRepositoryIsOfItsResults() {
        assertThat(RESULTS.resolve("ledger.json")).content().isEqualTo(LedgerJson.of(ledger()));
    }
}
