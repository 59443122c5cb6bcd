/** Runs experiments: clusters, the figures of their nodes, and the foreground load beside them. Start at {@link io.overdrive.bench.run.Suite}. */
@NullMarked
package io.overdrive.bench.run;

import org.jspecify.annotations.NullMarked;
