/** Two tables, compared row by row in the server's order, and repaired. */
@NullMarked
package io.overdrive.jobs.diff;

import org.jspecify.annotations.NullMarked;
