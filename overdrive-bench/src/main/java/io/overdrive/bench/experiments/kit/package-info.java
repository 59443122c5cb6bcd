/** What several experiments are made of: rows, reads, tasks as other tools have them, and probes. */
@NullMarked
package io.overdrive.bench.experiments.kit;

import org.jspecify.annotations.NullMarked;
