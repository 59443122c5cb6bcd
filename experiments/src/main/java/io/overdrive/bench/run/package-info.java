/** Runs experiments: clusters, the figures of their nodes, and the foreground load during them. Start at {@link io.overdrive.bench.run.Suite}. */
@NullMarked
package io.overdrive.bench.run;

import org.jspecify.annotations.NullMarked;
