package io.overdrive.bench.load;

import java.util.function.LongUnaryOperator;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.statistics.distribution.DiscreteDistribution;
import org.apache.commons.statistics.distribution.ZipfDistribution;

/** Which row an operation of a load is about. */
public enum Distribution {
    /** Any row, as often as any other. */
    UNIFORM,
    /** Row 0 most often, row n as often as (n + 1)^-0.99, which is the exponent that YCSB has made usual. */
    ZIPF,
    /** Row after row, and from the first again after the last. */
    SEQUENTIAL;

    private static final double ZIPF_EXPONENT = 0.99;

    /**
     * The row for each operation, by its number: the same for the same seed. To be used by one thread.
     *
     * @param rows 1 or more
     * @throws IllegalArgumentException where there are more rows than the sampler of {@link #ZIPF} can count
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
                    + " keys, not " + rows + ": ask for fewer keys, or for uniform");
        }
        // Starts anew for each operation, because the sampler may take any number of random numbers.
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
