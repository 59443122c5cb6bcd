/** Finds the best settings for a cluster and a table, by sweeps on a scratch copy of the table. */
@NullMarked
package io.overdrive.bench.tune;

import org.jspecify.annotations.NullMarked;
