package io.overdrive.bench;

import org.jspecify.annotations.Nullable;

/**
 * A chart of a result: a figure over the levels of one factor, with a line or a colour for each level of another. If there are more than
 * these two factors, each combination of the others gets a panel.
 *
 * @param title its subject
 * @param kind how it is drawn
 * @param figure the vertical axis
 * @param x the factor on the horizontal axis; null for a timeline, which has seconds there
 * @param series the factor that distinguishes lines or colours, or null
 */
public record Chart(String title, Kind kind, Figure figure, @Nullable String x, @Nullable String series) {
    public enum Kind {
        /** Bars from zero, with the confidence interval of the mean. */
        BARS,
        /** Lines over numbers; the levels of {@code x} are numbers, with or without a unit. */
        LINES,
        /** As {@link #LINES}, with a logarithmic horizontal axis. */
        LOG_LINES,
        /** A table of {@code x} and {@code series} whose cells are coloured by the figure. */
        HEAT_MAP,
        /** The figure in each second of a run; a line for each arm. */
        TIMELINE
    }
}
