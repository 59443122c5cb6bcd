/** The experiments: a class and a text for each, all of them in {@link io.overdrive.bench.experiments.Experiments}. */
@NullMarked
package io.overdrive.bench.experiments;

import org.jspecify.annotations.NullMarked;
