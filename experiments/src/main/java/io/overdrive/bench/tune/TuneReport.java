package io.overdrive.bench.tune;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Description;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Measurement;
import io.overdrive.bench.Result;
import io.overdrive.bench.report.Advice;
import io.overdrive.bench.report.Advice.Style;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Everything about a tuning run. Immutable.
 *
 * @param table the table that was tuned, as spelled in CQL
 * @param started when the first run began
 * @param seconds how long everything took
 * @param complete false after Ctrl-C
 * @param command the command that repeats it
 * @param settings where the rows are from, and the like
 * @param environment the environment of the runs
 * @param answers one for each setting
 * @param words the settings in the words of each tool
 * @param warnings reasons to doubt the answers
 */
public record TuneReport(
        String table,
        Instant started,
        double seconds,
        boolean complete,
        String command,
        Map<String, String> settings,
        Map<String, String> environment,
        List<Answer> answers,
        List<ToolWords.Section> words,
        List<String> warnings) {
    private static final List<Figure> FIGURES = List.of(
            Figure.ROWS_PER_SECOND,
            Figure.MEGABYTES_PER_SECOND,
            Figure.ROWS_PER_REQUEST,
            Figure.P50,
            Figure.P99,
            Figure.CLIENT_CPU);
    private static final String SETTING = "setting";
    private static final String VALUE = "value";

    public TuneReport {
        settings = new LinkedHashMap<>(settings);
        environment = new LinkedHashMap<>(environment);
        answers = List.copyOf(answers);
        words = List.copyOf(words);
        warnings = List.copyOf(warnings);
    }

    /** The report as a page. */
    public Advice page() {
        return new Advice(
                "Settings for " + table,
                answers.stream()
                        .map(answer -> new Advice.Answer(
                                result(answer),
                                answer.chosen().label(),
                                style(answer.verdict()),
                                answer.words(),
                                answer.evidence()))
                        .toList(),
                words.stream()
                        .map(section -> new Advice.Listing(section.tool(), lines(section), section.note()))
                        .toList(),
                all());
    }

    private static Style style(Answer.Verdict verdict) {
        return switch (verdict) {
            case BETTER -> Style.CHANGE;
            case DEFAULT_AS_GOOD -> Style.KEEP;
            case NO_RESULT -> Style.UNKNOWN;
        };
    }

    private static String lines(ToolWords.Section section) {
        return section.settings().stream().map(ToolWords.Setting::text).collect(Collectors.joining("\n"));
    }

    private Result result(Answer answer) {
        String factor = answer.knob().label();
        return result(
                new Description(
                        "tune",
                        Character.toUpperCase(factor.charAt(0)) + factor.substring(1),
                        answer.knob().question(),
                        "",
                        "",
                        List.of()),
                answer.levels().stream().map(TableTrials::arm).toList(),
                answer.runs(),
                List.of(new Chart(
                        answer.knob().writes() ? "How fast rows are written" : "How fast rows are read",
                        Chart.Kind.BARS,
                        Figure.ROWS_PER_SECOND,
                        factor,
                        null)));
    }

    /** All runs, each with the setting that was tuned by it, and its value. */
    private Result all() {
        List<Arm> arms = new ArrayList<>();
        List<Measurement> runs = new ArrayList<>();
        for (Answer answer : answers) {
            String factor = answer.knob().label();
            answer.levels().forEach(level -> arms.add(arm(factor, level.label())));
            answer.runs()
                    .forEach(run -> runs.add(new Measurement(
                            arm(factor, run.arm().level(factor)),
                            run.block(),
                            run.figures(),
                            run.timeline(),
                            run.failure())));
        }
        return result(new Description("tune", "Settings for " + table, "", "", "", List.of()), arms, runs, List.of());
    }

    private static Arm arm(String factor, String level) {
        Map<String, String> levels = new LinkedHashMap<>();
        levels.put(SETTING, factor);
        levels.put(VALUE, level);
        return new Arm(levels);
    }

    private Result result(Description description, List<Arm> arms, List<Measurement> runs, List<Chart> charts) {
        return new Result(
                description,
                started,
                seconds,
                complete,
                command,
                settings,
                environment,
                arms,
                runs,
                Figure.ROWS_PER_SECOND,
                FIGURES,
                charts,
                List.of(),
                warnings);
    }
}
