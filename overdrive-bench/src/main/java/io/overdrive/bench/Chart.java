package io.overdrive.bench;

import org.jspecify.annotations.Nullable;

/**
 * A picture of a result: a figure over the levels of one factor, with a line or a colour for each level of another. Where there are more
 * factors than these two, there is a panel for each of their combinations.
 *
 * @param title what it shows
 * @param kind how it is drawn
 * @param figure what is drawn upwards
 * @param x the factor to the right; null for a timeline, which has seconds there
 * @param series the factor that tells lines or colours apart, or null
 */
public record Chart(String title, Kind kind, Figure figure, @Nullable String x, @Nullable String series) {
    public enum Kind {
        /** Bars next to each other, from zero, with the interval of the mean. */
        BARS,
        /** Lines over numbers; the levels of {@code x} are numbers, with or without a unit. */
        LINES,
        /** As {@link #LINES}, with a logarithmic axis to the right. */
        LOG_LINES,
        /** A table of {@code x} and {@code series} whose fields are coloured by the figure. */
        HEAT_MAP,
        /** How a run went, second by second; a line for each arm. */
        TIMELINE
    }
}
