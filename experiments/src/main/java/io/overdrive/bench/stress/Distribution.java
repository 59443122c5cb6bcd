package io.overdrive.bench.stress;

import java.util.function.LongUnaryOperator;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.statistics.distribution.DiscreteDistribution;
import org.apache.commons.statistics.distribution.ZipfDistribution;

/** Which row an operation of a load uses. */
public enum Distribution {
    /** All rows equally often. */
    UNIFORM,
    /** Row 0 most often, row n as often as (n + 1)^-0.99, the usual exponent since YCSB. */
    ZIPF,
    /** Row after row, and the first row after the last. */
    SEQUENTIAL;

    private static final double ZIPF_EXPONENT = 0.99;

    /**
     * The row for each operation, by its number: the same for the same seed. Confined to one thread.
     *
     * @param rows 1 or more
     * @throws IllegalArgumentException if there are more rows than the sampler of {@link #ZIPF} can count
     */
    LongUnaryOperator rows(long rows, long seed) {
        return switch (this) {
            case UNIFORM -> operation -> (long) (Values.fraction(Values.mix(seed, operation)) * rows);
            case ZIPF -> zipf(rows, seed);
            case SEQUENTIAL -> operation -> operation % rows;
        };
    }

    private static LongUnaryOperator zipf(long rows, long seed) {
        if (rows > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("distribution zipf draws from at most " + Integer.MAX_VALUE
                    + " keys, not " + rows + ": use fewer keys, or uniform");
        }
        // Reseeded for each operation, because the sampler may draw any number of random numbers.
        final class Restarted implements UniformRandomProvider {
            private long state;

            @Override
            public long nextLong() {
                return Values.mix(seed, state++);
            }
        }
        Restarted random = new Restarted();
        DiscreteDistribution.Sampler sampler =
                ZipfDistribution.of((int) rows, ZIPF_EXPONENT).createSampler(random);
        return operation -> {
            random.state = Values.mix(seed, operation);
            return sampler.sample() - 1L;
        };
    }
}
