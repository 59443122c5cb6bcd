package io.overdrive.bench;

import java.util.List;

/**
 * The measurements of an experiment and what statistics say about them. Failed runs are not among the figures.
 */
public record Findings(List<Measurement> measurements, int nodes, Size size) {
    public Findings {
        measurements = List.copyOf(measurements);
    }
}
