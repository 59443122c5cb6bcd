package io.overdrive.bench;

import java.util.List;
import java.util.Map;

/**
 * A question about Cassandra's throughput and how it is put to a cluster. An experiment has factors, and an arm for each combination of
 * their levels that makes sense; every arm is run several times, in random order. Nothing here measures: that is {@code Runner}'s.
 *
 * <p>Implementations keep no state between arms except what {@link #prepare} has made.
 */
public interface Experiment {
    /** What it is about: the text beside the class, {@code GroupingOrder.md} for {@code GroupingOrder}. */
    default Description description() {
        return DescriptionFile.beside(getClass());
    }

    Size size(Preset preset);

    /**
     * What a cluster on this machine that is started for this gets: key to YAML text of cassandra.yaml. One of the user's own stays as
     * it is.
     */
    default Map<String, String> serverSettings() {
        return Map.of();
    }

    /** All that is compared. */
    List<Arm> arms(Size size);

    /** Makes what all runs need, such as a table to be read. Not measured; once, before the first run. */
    default void prepare(ExperimentContext bench) {}

    /**
     * Makes one run ready: a new table, rows made up, statements prepared. Not measured. What the work then does is.
     *
     * @param arm one of {@link #arms}
     */
    Work work(ExperimentContext bench, Arm arm);

    /** The figure that the question is about. */
    Figure mainFigure();

    /** The columns of the table of figures, {@link #mainFigure} among them. */
    List<Figure> tableFigures();

    List<Chart> charts();

    /**
     * Holds the published shapes against what was measured. Also called where some arms are missing, because a run was ended early: a
     * shape for which there are no figures can't be shown.
     */
    List<Check> check(Findings findings);

    /** One run, made ready. Used by one thread; closed after it, whatever came of it. */
    interface Work extends AutoCloseable {
        /** Does what is measured, and returns once the cluster has acknowledged all of it. */
        RunOutcome run();

        /** How many rows the cluster must hold, or must have given, or -1 where there is nothing to compare; not measured. */
        default long rowsFound() {
            return -1;
        }

        @Override
        default void close() {}
    }
}
