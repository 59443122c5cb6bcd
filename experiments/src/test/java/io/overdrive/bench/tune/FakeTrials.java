package io.overdrive.bench.tune;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Measurement;
import io.overdrive.bench.tune.Knob.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Rates from a formula, with noise, in virtual time. */
final class FakeTrials implements Trials {
    private final ToDoubleFunction<Level> rate;
    private final double noise;
    private final Random random;
    final List<Level> ran = new ArrayList<>();
    final Set<Knob> tooFew = EnumSet.noneOf(Knob.class);
    /** The length of a run with all rows. */
    Duration allRows = Duration.ofHours(1);
    /** Label of a level whose runs fail. */
    @Nullable String failing;

    long nanos;

    /** @param noise standard deviation of a run, as a share of its rate */
    FakeTrials(ToDoubleFunction<Level> rate, double noise, long seed) {
        this.rate = rate;
        this.noise = noise;
        this.random = new Random(seed);
    }

    @Override
    public Measurement run(Level level, int block, Duration length) {
        ran.add(level);
        Arm arm = TableTrials.arm(level);
        if (level.label().equals(failing)) {
            return new Measurement(arm, block, Map.of(), List.of(), "the server refuses it");
        }
        double seconds = Math.min(length.toNanos(), allRows.toNanos()) / 1e9;
        nanos += (long) (seconds * 1e9);
        double rows = rate.applyAsDouble(level) * Math.exp(noise * random.nextGaussian());
        Map<Figure, Double> figures = new EnumMap<>(Figure.class);
        figures.put(Figure.ROWS_PER_SECOND, rows);
        figures.put(Figure.SECONDS, seconds);
        figures.put(Figure.ROWS_PER_REQUEST, 50.0);
        figures.put(Figure.REQUESTS, rows * seconds / 50);
        figures.put(Figure.P50, 2.0);
        return new Measurement(arm, block, figures, List.of(), null);
    }

    @Override
    public @Nullable String whyNot(Knob knob) {
        return tooFew.contains(knob) ? "too few rows: 12, and a result needs at least 1,000" : null;
    }

    Tuner tuner(Knob... knobs) {
        return new Tuner(this, List.of(knobs), Duration.ofMinutes(4), 1, () -> nanos);
    }
}
