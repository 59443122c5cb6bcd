/** Runs experiments: clusters, their nodes' figures, other users beside. Start at {@link io.overdrive.bench.run.Runner}. */
@NullMarked
package io.overdrive.bench.run;

import org.jspecify.annotations.NullMarked;
