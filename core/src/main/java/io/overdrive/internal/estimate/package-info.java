/** Estimates of what a job would take. */
@NullMarked
package io.overdrive.internal.estimate;

import org.jspecify.annotations.NullMarked;
