/** Finds the bottleneck of a run. */
@NullMarked
package io.overdrive.jobs.bottleneck;

import org.jspecify.annotations.NullMarked;
