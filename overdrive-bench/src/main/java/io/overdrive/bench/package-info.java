/**
 * Experiments about what makes Cassandra fast or slow, put to the user's own cluster: {@link io.overdrive.bench.Experiment} says what
 * one is, {@link io.overdrive.bench.Result} what comes of it.
 */
@NullMarked
package io.overdrive.bench;

import org.jspecify.annotations.NullMarked;
