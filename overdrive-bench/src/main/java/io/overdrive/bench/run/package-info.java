/** Runs experiments: clusters, the figures of their nodes, other users in the background. Start at {@link io.overdrive.bench.run.Suite}. */
@NullMarked
package io.overdrive.bench.run;

import org.jspecify.annotations.NullMarked;
