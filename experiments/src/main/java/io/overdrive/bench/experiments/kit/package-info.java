/** Shared parts of experiments: rows, reads, tasks like those of other tools, and probes. */
@NullMarked
package io.overdrive.bench.experiments.kit;

import org.jspecify.annotations.NullMarked;
