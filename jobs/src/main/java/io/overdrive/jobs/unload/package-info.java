/** Writes the rows of a table or query to files. */
@NullMarked
package io.overdrive.jobs.unload;

import org.jspecify.annotations.NullMarked;
