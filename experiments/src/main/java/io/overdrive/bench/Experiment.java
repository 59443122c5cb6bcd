package io.overdrive.bench;

import java.util.List;
import java.util.Map;

/**
 * A question about Cassandra's throughput and how a cluster is to answer it. An experiment has factors, and an arm for each combination of
 * their levels that makes sense; every arm is run several times, in random order. Nothing here measures: {@code Runner} does.
 *
 * <p>Implementations are immutable: what {@link #prepare} measures is part of what it returns.
 */
public interface Experiment {
    /** The description in the text next to the class, {@code GroupingOrder.md} for {@code GroupingOrder}. */
    default Description description() {
        return DescriptionFile.beside(getClass());
    }

    Size size(Preset preset);

    /**
     * Settings of a local cluster that is started for this experiment: key to YAML text of cassandra.yaml. A user's own cluster is not
     * changed.
     */
    default Map<String, String> serverSettings() {
        return Map.of();
    }

    /** The variants that are compared. */
    List<Arm> arms(Size size);

    /** Prepares whatever all runs need, such as a table to be read. Called once, before the first run; not measured. */
    Prepared prepare(ExperimentContext context);

    /** The figure that the question is about. */
    Figure mainFigure();

    /** The columns of the table of figures, {@link #mainFigure} among them. */
    List<Figure> tableFigures();

    List<Chart> charts();

    /**
     * Compares the published claims with the measurements. Also called if some arms are missing because the experiment was ended early: a
     * claim without figures can't be shown.
     */
    List<Check> check(Findings findings);

    /** An experiment whose runs can begin. Closed after the last run. */
    interface Prepared extends AutoCloseable {
        /**
         * Prepares one run: a new table, generated rows, prepared statements. This is not measured; what the work then does is.
         *
         * @param arm one of {@link Experiment#arms}
         */
        Work work(Arm arm);

        @Override
        default void close() {}
    }

    /** One prepared run. Confined to one thread; closed after the run, also if it fails. */
    interface Work extends AutoCloseable {
        /** Does the work that is measured, and returns once the cluster has acknowledged all of it. */
        RunOutcome run();

        /** How many rows the cluster holds, or has returned; -1 if there is nothing to compare. Not measured. */
        default long rowsFound() {
            return -1;
        }

        @Override
        default void close() {}
    }
}
