/**
 * Experiments about what makes Cassandra fast or slow, run on a cluster: {@link io.overdrive.bench.Experiment} says what one is, {@link
 * io.overdrive.bench.Result} what it finds.
 */
@NullMarked
package io.overdrive.bench;

import org.jspecify.annotations.NullMarked;
