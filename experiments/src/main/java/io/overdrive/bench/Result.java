package io.overdrive.bench;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Everything about an experiment that was run, as a report shows it and its JSON contains it. Immutable.
 *
 * @param description the question and its source
 * @param started when the first run began
 * @param seconds how long everything took, preparation included
 * @param complete whether all runs are complete; false after Ctrl-C
 * @param command the command that repeats it
 * @param settings of the runs: rows, repeats, consistency, seed
 * @param environment the environment of the runs: versions, hardware, nodes, settings of the server that matter
 * @param arms that were compared, in the order of the experiment; some have no measurement if it was ended early
 * @param measurements all runs, in order
 * @param mainFigure the one that the experiment is about
 * @param tableFigures the columns of the table of figures, {@code mainFigure} among them
 * @param charts the charts
 * @param checks which of the published claims hold
 * @param warnings reasons to doubt the figures: a table that had fewer rows than were acknowledged, compactions that did not end
 */
public record Result(
        Description description,
        Instant started,
        double seconds,
        boolean complete,
        String command,
        Map<String, String> settings,
        Map<String, String> environment,
        List<Arm> arms,
        List<Measurement> measurements,
        Figure mainFigure,
        List<Figure> tableFigures,
        List<Chart> charts,
        List<Check> checks,
        List<String> warnings) {
    /** The name of the commit in the environment; reports of format 1 lack it. */
    public static final String COMMIT = "commit";

    /** The name of the engine's {@code Behaviour.VERSION} in the environment. */
    public static final String ENGINE = "behaviour of the engine";

    public Result {
        settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
        environment = Collections.unmodifiableMap(new LinkedHashMap<>(environment));
        arms = List.copyOf(arms);
        measurements = List.copyOf(measurements);
        tableFigures = List.copyOf(tableFigures);
        charts = List.copyOf(charts);
        checks = List.copyOf(checks);
        warnings = List.copyOf(warnings);
    }
}
